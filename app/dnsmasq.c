#include "app/dnsmasq.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dnsmasq_say(struct dnsmasq *d, const struct dnsmasq_line *l,
                 enum dnsmasq_grade grade, const char *fmt, ...)
{
    struct dnsmasq_note *more = realloc(d->note, (d->notes + 1) * sizeof *more);
    if (!more) {
        d->no_memory = true;
        return;
    }
    d->note = more;
    struct dnsmasq_note *n = &d->note[d->notes++];
    *n = (struct dnsmasq_note){.file = l->file, .line = l->number, .grade = grade};
    d->lost += grade == DNSMASQ_LOST;
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(n->text, sizeof n->text, fmt, args);
    va_end(args);
}

void dnsmasq_from(struct dnsmasq *d, const json_t *value, const struct dnsmasq_line *line)
{
    struct dnsmasq_origin *more = realloc(d->origin, (d->origins + 1) * sizeof *more);
    if (!more) {
        d->no_memory = true;
        return;
    }
    d->origin = more;
    d->origin[d->origins] = (struct dnsmasq_origin){value, line, d->origins};
    d->origins++;
}

static char *trim(char *text)
{
    text += strspn(text, " \t\r");
    size_t len = strlen(text);
    while (len > 0 && strchr(" \t\r", text[len - 1])) {
        text[--len] = '\0';
    }
    return text;
}

/*
 * A comment begins with # at the start of a word outside quotes.  Quotes go, and a comma
 * within them is none that parts fields: it becomes octet 1 until the fields are cut.
 */
#define QUOTED_COMMA '\1'

static void unquote(char *text)
{
    char *out = text;
    bool quoted = false;
    for (const char *in = text; *in; in++) {
        if (*in == '"') {
            quoted = !quoted;
        } else if (*in == '#' && !quoted &&
                   (in == text || in[-1] == ' ' || in[-1] == '\t')) {
            break;
        } else {
            *out++ = *in;
            if (*in == ',' && quoted) {
                out[-1] = QUOTED_COMMA;
            }
        }
    }
    *out = '\0';
}

static void cut_fields(struct dnsmasq_line *l, char *value)
{
    char *rest = value;
    for (char *part; l->fields < DNSMASQ_FIELDS && (part = strsep(&rest, ","));) {
        for (char *c = part; *c; c++) {
            if (*c == QUOTED_COMMA) {
                *c = ',';
            }
        }
        l->field[l->fields++] = trim(part);
    }
}

static bool is_utf8(const char *text)
{
    json_t *string = json_string(text);
    json_decref(string);
    return string != NULL;
}

static bool add_line(struct dnsmasq *d, const char *name, unsigned number, char *text)
{
    struct dnsmasq_line *more = realloc(d->line, (d->lines + 1) * sizeof *more);
    if (!more) {
        free(text);
        return false;
    }
    d->line = more;
    struct dnsmasq_line *l = &d->line[d->lines];
    *l = (struct dnsmasq_line){.file = name, .number = number, .text = text};
    if (!is_utf8(text)) {
        dnsmasq_say(d, l, DNSMASQ_LOST, "not UTF-8: the line is left out");
        free(text);
        return true;
    }
    unquote(text);
    char *value = strchr(text, '=');
    if (value) {
        *value++ = '\0';
        cut_fields(l, value);
    }
    l->key = trim(text);
    if (*l->key == '\0') {
        free(text);
        return true;
    }
    d->lines++;
    return true;
}

bool dnsmasq_read(struct dnsmasq *d, const char *name, const char *text, size_t len)
{
    const char *end = text + len;
    unsigned number = 1;
    for (const char *at = text; at < end; number++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        char *line = strndup(at, (size_t)(stop - at));
        if (!line || !add_line(d, name, number, line)) {
            d->no_memory = true;
            return false;
        }
        at = stop + 1;
    }
    return true;
}

void dnsmasq_done(struct dnsmasq *d)
{
    for (size_t i = 0; i < d->lines; i++) {
        free(d->line[i].text);
    }
    free(d->line);
    free(d->note);
    free(d->origin);
    json_decref(d->config);
    *d = (struct dnsmasq){0};
}
