#include "app/exposition.h"

#include <inttypes.h>

struct exposition exposition_over(char *buf, size_t size)
{
    buf[0] = '\0';
    return (struct exposition){.text = {buf, size, 0}};
}

void exposition_begin(struct exposition *e, const struct exposition_metric *metric)
{
    e->metric = metric;
    text_say(&e->text, "# HELP %s %s\n# TYPE %s %s\n", metric->name, metric->help,
             metric->name, metric->type);
}

static void say_value(struct text *t, const char *value)
{
    for (; *value; value++) {
        if (*value == '\n') {
            text_say(t, "\\n");
        } else {
            text_say(t, "%s%c", *value == '"' || *value == '\\' ? "\\" : "", *value);
        }
    }
}

/* The name and labels of a sample; `le` is the label of a histogram's bucket, or NULL. */
static void say_name(struct exposition *e, const char *suffix, const char *const values[],
                     const char *le)
{
    const struct exposition_metric *m = e->metric;
    const char *before = "{";
    text_say(&e->text, "%s%s", m->name, suffix);
    for (size_t i = 0; i < EXPOSITION_LABELS_MAX && m->label[i]; i++) {
        text_say(&e->text, "%s%s=\"", before, m->label[i]);
        say_value(&e->text, values[i]);
        text_say(&e->text, "\"");
        before = ",";
    }
    if (le) {
        text_say(&e->text, "%sle=\"%s\"", before, le);
        before = ",";
    }
    text_say(&e->text, "%s", *before == ',' ? "} " : " ");
}

static void say_count(struct exposition *e, uint64_t count)
{
    text_say(&e->text, "%" PRIu64 "\n", count);
}

void exposition_count(struct exposition *e, const char *const values[], uint64_t count)
{
    say_name(e, "", values, NULL);
    say_count(e, count);
}

void exposition_number(struct exposition *e, const char *const values[], double number)
{
    say_name(e, "", values, NULL);
    text_say(&e->text, "%.15g\n", number);
}

void exposition_histogram(struct exposition *e, const char *const values[],
                          const struct histogram *h, enum histogram_scale scale)
{
    const double *bound;
    size_t bounds = histogram_bounds(scale, &bound);
    uint64_t count = 0;
    for (size_t i = 0; i <= bounds; i++) {
        char le[32] = "+Inf";
        if (i < bounds) {
            struct text text = {le, sizeof le, 0};
            text_say(&text, "%g", bound[i]);
        }
        count += h->bucket[i];
        say_name(e, "_bucket", values, le);
        say_count(e, count);
    }
    say_name(e, "_sum", values, NULL);
    text_say(&e->text, "%.15g\n", h->sum);
    say_name(e, "_count", values, NULL);
    say_count(e, count);
}

bool exposition_whole(const struct exposition *e)
{
    return e->text.used + 1 < e->text.size;
}
