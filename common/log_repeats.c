#include "common/log_repeats.h"

static bool is_over(const struct log_repeated *one, usec_t now)
{
    return now >= one->told + LOG_REPEATS_SPAN;
}

/* A place that is free, or that of the line nothing repeated which is the oldest. */
static struct log_repeated *make_room(struct log_repeats *r)
{
    struct log_repeated *oldest = NULL;
    if (r->count < LOG_REPEATS_MAX) {
        return &r->entry[r->count++];
    }
    for (unsigned i = 0; i < r->count; i++) {
        struct log_repeated *one = &r->entry[i];
        if (one->folded == 0 && (!oldest || one->told < oldest->told)) {
            oldest = one;
        }
    }
    return oldest;
}

bool log_repeats_note(struct log_repeats *r, const struct log_line *line, usec_t now)
{
    for (unsigned i = 0; i < r->count; i++) {
        struct log_repeated *one = &r->entry[i];
        if (!log_line_repeats(&one->line, line)) {
            continue;
        }
        one->line = *line;
        if (one->folded > 0 || !is_over(one, now)) {
            one->folded++;
            return false;
        }
        one->told = now;
        return true;
    }
    struct log_repeated *place = make_room(r);
    if (place) {
        place->told = now;
        place->folded = 0;
        place->line = *line;
    }
    return true;
}

bool log_repeats_due(struct log_repeats *r, usec_t now, struct log_line *sum)
{
    for (unsigned i = 0; i < r->count;) {
        struct log_repeated *one = &r->entry[i];
        if (!is_over(one, now)) {
            i++;
        } else if (one->folded == 0) {
            *one = r->entry[--r->count];
        } else {
            *sum = one->line;
            sum->repeated = one->folded;
            one->folded = 0;
            one->told = now;
            return true;
        }
    }
    return false;
}

usec_t log_repeats_deadline(const struct log_repeats *r)
{
    usec_t first = USEC_NEVER;
    for (unsigned i = 0; i < r->count; i++) {
        const struct log_repeated *one = &r->entry[i];
        usec_t over = one->told + LOG_REPEATS_SPAN;
        if (one->folded > 0 && over < first) {
            first = over;
        }
    }
    return first;
}
