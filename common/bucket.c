#include "common/bucket.h"

#include "common/minmax.h"

bool bucket_has(const struct bucket *b, const struct bucket_rate *rate, usec_t now)
{
    return greater(b->full_at, now) + rate->each <= now + rate->burst * rate->each;
}

void bucket_take(struct bucket *b, const struct bucket_rate *rate, usec_t now)
{
    b->full_at = greater(b->full_at, now) + rate->each;
}

void bucket_give_back(struct bucket *b, const struct bucket_rate *rate)
{
    b->full_at -= lesser(b->full_at, rate->each);
}
