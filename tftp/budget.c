#include "tftp/budget.h"

#include <stdlib.h>

#include "common/bucket.h"
#include "common/minmax.h"
#include "common/recent.h"

/* Address and scope, without the port behind them. */
#define KEY_LEN (offsetof(struct endpoint, scope) + sizeof(uint32_t))

#define CROWD_LEAST      1024 /* a small max_transfers is no small network */
#define ANSWERED_A_CROWD 4    /* addresses remembered, as many crowds as this */

/*
 * To one address that never answers: 100 times a second three packets of 558 octets, or 2,000
 * ERRORs, are some 1.5 Mbit/s.  At once: a thousand machines behind one address ask for two
 * files each, or miss twenty names each, and somewhat more.
 */
static const struct {
    unsigned per_second;
    unsigned halves; /* burst, in halves of the crowd */
} of_one[TFTP_SPENDINGS] = {[TFTP_FIRST] = {100, 1}, [TFTP_REFUSAL] = {2000, 16}},
  of_all[TFTP_SPENDINGS] = {[TFTP_FIRST] = {10000, 4}, [TFTP_REFUSAL] = {20000, 32}};

struct rates {
    struct bucket_rate one;
    struct bucket_rate all;
};

struct buckets {
    struct bucket of[TFTP_SPENDINGS];
};

struct tftp_budget {
    struct rates rates[TFTP_SPENDINGS];
    struct buckets all[TFTP_TRUSTS];
    struct recent *one;      /* struct buckets by address */
    struct recent *answered; /* usec_t by address: when it did so lately */
};

struct tftp_allowance tftp_budget_of_one(enum tftp_spending what, size_t crowd)
{
    uint64_t half = greater(crowd, CROWD_LEAST) / 2;
    return (struct tftp_allowance){(unsigned)(half * of_one[what].halves),
                                   of_one[what].per_second};
}

struct tftp_allowance tftp_budget_of_all(enum tftp_spending what, size_t crowd)
{
    uint64_t half = greater(crowd, CROWD_LEAST) / 2;
    return (struct tftp_allowance){(unsigned)(half * of_all[what].halves),
                                   of_all[what].per_second};
}

static struct bucket_rate rate_of(struct tftp_allowance a)
{
    return (struct bucket_rate){USEC_PER_SEC / a.per_second, a.burst};
}

struct tftp_budget *tftp_budget_new(size_t crowd, const struct hash_seed *seed)
{
    struct tftp_budget *b = calloc(1, sizeof *b);
    size_t room = greater(crowd, CROWD_LEAST);
    if (!b) {
        return NULL;
    }
    for (unsigned what = 0; what < TFTP_SPENDINGS; what++) {
        b->rates[what].one = rate_of(tftp_budget_of_one(what, crowd));
        b->rates[what].all = rate_of(tftp_budget_of_all(what, crowd));
    }
    b->one = recent_new(room, KEY_LEN, sizeof(struct buckets), seed);
    b->answered = recent_new(ANSWERED_A_CROWD * room, KEY_LEN, sizeof(usec_t), seed);
    if (!b->one || !b->answered) {
        tftp_budget_free(b);
        return NULL;
    }
    return b;
}

void tftp_budget_free(struct tftp_budget *b)
{
    if (b) {
        recent_free(b->one);
        recent_free(b->answered);
        free(b);
    }
}

enum tftp_trust tftp_budget_trust(const struct tftp_budget *b, const struct endpoint *to,
                                  bool known, usec_t now)
{
    const usec_t *at = recent_find(b->answered, to);
    if (at && now < *at + TFTP_ANSWERED_LIFE) {
        return TFTP_ANSWERED;
    }
    return known ? TFTP_BY_DHCP : TFTP_STRANGER;
}

bool tftp_budget_has(const struct tftp_budget *b, enum tftp_spending what,
                     const struct endpoint *to, enum tftp_trust trust, usec_t now)
{
    const struct rates *r = &b->rates[what];
    const struct buckets *one = recent_find(b->one, to);
    return bucket_has(&b->all[trust].of[what], &r->all, now) &&
           (!one || bucket_has(&one->of[what], &r->one, now));
}

void tftp_budget_take(struct tftp_budget *b, enum tftp_spending what,
                      const struct endpoint *to, enum tftp_trust trust, usec_t now)
{
    struct buckets *one = recent_put(b->one, to);
    bucket_take(&b->all[trust].of[what], &b->rates[what].all, now);
    if (one) {
        bucket_take(&one->of[what], &b->rates[what].one, now);
    }
}

void tftp_budget_answered(struct tftp_budget *b, const struct endpoint *from,
                          enum tftp_trust trust, unsigned count, usec_t now)
{
    const struct rates *r = &b->rates[TFTP_FIRST];
    struct buckets *one = recent_find(b->one, from);
    usec_t *at = recent_put(b->answered, from);
    if (at) {
        *at = now;
    }
    for (unsigned i = 0; i < count; i++) {
        bucket_give_back(&b->all[trust].of[TFTP_FIRST], &r->all);
        if (one) {
            bucket_give_back(&one->of[TFTP_FIRST], &r->one);
        }
    }
}
