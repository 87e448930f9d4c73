/*
 * app/dnsmasq: what a dnsmasq configuration says of network boots, as a configuration of ours.
 *
 *     struct dnsmasq d = {0};
 *     dnsmasq_read(&d, name, text, len)      each file
 *     dnsmasq_convert(&d)                    once, after the last
 *     d.config, d.note[0 .. d.notes - 1]
 *     dnsmasq_done(&d)
 *
 * Whatever comes of it our loader takes: what it would refuse is left out, and told.
 *
 * Tags become what they were set by: an architecture, a running iPXE, a machine.  DNS, leases
 * and the like are not ours and are counted only.
 *
 * Source: dnsmasq(8), version 2.90.
 * Ownership: all in the struct; `name` must stay.  Errors: false when memory is out.
 * Pure but for memory (jansson).
 */
#ifndef APP_DNSMASQ_H
#define APP_DNSMASQ_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum dnsmasq_grade {
    DNSMASQ_NOTE, /* does what it did, in another way */
    DNSMASQ_LOST, /* has no counterpart, or could not be understood */
};

struct dnsmasq_note {
    const char *file;
    unsigned line;
    enum dnsmasq_grade grade;
    char text[240];
};

#define DNSMASQ_FIELDS 24 /* parts between commas */

struct dnsmasq_line {
    const char *file;
    unsigned number;
    char *text; /* cut up: what key and field point into */
    char *key;
    char *field[DNSMASQ_FIELDS];
    size_t fields;
};

/* A value of the configuration, and the line it comes from. */
struct dnsmasq_origin {
    const json_t *value;
    const struct dnsmasq_line *line;
    size_t order;
};

struct dnsmasq {
    struct dnsmasq_line *line;
    size_t lines;
    struct dnsmasq_note *note;
    size_t notes;
    size_t lost;   /* notes of that grade */
    size_t others; /* lines that do not concern network boots */
    json_t *config;
    struct dnsmasq_origin *origin;
    size_t origins;
    bool no_memory;
};

bool dnsmasq_read(struct dnsmasq *d, const char *name, const char *text, size_t len);
bool dnsmasq_convert(struct dnsmasq *d);
void dnsmasq_done(struct dnsmasq *d);

/* For dnsmasq_convert(): takes out what our own loader refuses, with a note for its line. */
void dnsmasq_fit(struct dnsmasq *d);
/* Likewise: that value comes from this line. */
void dnsmasq_from(struct dnsmasq *d, const json_t *value,
                  const struct dnsmasq_line *line);
/* Likewise: one more note of a line. */
void dnsmasq_say(struct dnsmasq *d, const struct dnsmasq_line *l,
                 enum dnsmasq_grade grade, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

#endif
