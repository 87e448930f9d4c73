/*
 * app/exposition: the text that Prometheus reads.
 *
 *     exposition_begin()                           a metric: what it is
 *     exposition_count(), _number(), _histogram()  its samples, each with the label values
 *     exposition_whole()                           did all find room?
 *
 * Spec: Prometheus text format 0.0.4.
 * Ownership: writes into the caller's buffer; names and labels are views, which must last
 * until the next exposition_begin().  Pure.
 */
#ifndef APP_EXPOSITION_H
#define APP_EXPOSITION_H

#include "common/histogram.h"
#include "common/text.h"

#define EXPOSITION_LABELS_MAX 3
#define EXPOSITION_TYPE       "text/plain; version=0.0.4; charset=utf-8"

struct exposition_metric {
    const char *name;
    const char *type;                         /* "counter", "gauge" or "histogram" */
    const char *label[EXPOSITION_LABELS_MAX]; /* their names; NULL behind the last */
    const char *help;
};

struct exposition {
    struct text text;
    const struct exposition_metric *metric; /* at hand */
};

struct exposition exposition_over(char *buf, size_t size);

void exposition_begin(struct exposition *e, const struct exposition_metric *metric);
/* values: as many as the metric has labels, whatever they hold; NULL when it has none. */
void exposition_count(struct exposition *e, const char *const values[], uint64_t count);
void exposition_number(struct exposition *e, const char *const values[], double number);
void exposition_histogram(struct exposition *e, const char *const values[],
                          const struct histogram *h, enum histogram_scale scale);

bool exposition_whole(const struct exposition *e);

#endif
