#include "common/log_line.h"

#include <stdio.h>
#include <string.h>

#include "common/text.h"

static void open_line(struct log_line *l, enum log_level level, const char *event)
{
    l->level = level;
    l->wanted = true;
    l->news = false;
    l->limit = LOG_UNLIMITED;
    l->event = event;
    l->count = 0;
    l->telling = LOG_FIELDS;
    l->repeated = 0;
    l->used = 0;
}

/* Where the value went; its NUL is part of what is used. */
static uint16_t keep(struct log_line *l, const char *value)
{
    size_t at = l->used < LOG_VALUES ? l->used : LOG_VALUES - 1;
    struct text t = {l->values + at, LOG_VALUES - at, 0};
    t.at[0] = '\0';
    text_say_safe(&t, value);
    l->used = at + t.used + 1;
    return (uint16_t)at;
}

void log_line_event(struct log_line *l, enum log_level level, const char *event)
{
    open_line(l, level, event);
}

void log_limit(struct log_line *l, enum log_limit limit)
{
    l->limit = limit;
}

void log_line_sentence(struct log_line *l, enum log_level level, const char *sentence)
{
    open_line(l, level, NULL);
    (void)keep(l, sentence);
}

static void add(struct log_line *l, const char *key, const char *value, bool number)
{
    if (l->wanted && l->count < LOG_FIELDS) {
        l->field[l->count++] = (struct log_field){key, keep(l, value), number};
    }
}

void log_text(struct log_line *l, const char *key, const char *value)
{
    add(l, key, value ? value : "-", false);
}

void log_peer(struct log_line *l, const char *key, const void *octets, size_t len)
{
    char shown[300];
    add(l, key, text_show(octets, len, shown, sizeof shown), false);
}

void log_number(struct log_line *l, const char *key, uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    add(l, key, digits, true);
}

void log_decimal(struct log_line *l, const char *key, double value, int digits)
{
    char text[40];
    snprintf(text, sizeof text, "%.*f", digits, value);
    add(l, key, text, true);
}

void log_varying(struct log_line *l)
{
    l->telling = l->count;
}

const char *log_value(const struct log_line *l, unsigned field)
{
    return l->values + l->field[field].at;
}

static unsigned telling(const struct log_line *l)
{
    return l->telling < l->count ? l->telling : l->count;
}

bool log_line_repeats(const struct log_line *a, const struct log_line *b)
{
    if (a->level != b->level || !a->event != !b->event || telling(a) != telling(b)) {
        return false;
    }
    if (!a->event) {
        return strcmp(a->values, b->values) == 0;
    }
    if (strcmp(a->event, b->event) != 0) {
        return false;
    }
    for (unsigned i = 0; i < telling(a); i++) {
        if (strcmp(a->field[i].key, b->field[i].key) != 0 ||
            strcmp(log_value(a, i), log_value(b, i)) != 0) {
            return false;
        }
    }
    return true;
}
