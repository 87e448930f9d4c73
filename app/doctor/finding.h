/*
 * app/doctor/finding: what was found about this machine, one by one.
 *
 * Ownership: texts are copied and cut to what fits.  Pure.
 */
#ifndef APP_DOCTOR_FINDING_H
#define APP_DOCTOR_FINDING_H

#include <stdbool.h>
#include <stddef.h>

#define FINDINGS_MAX 128
#define FINDING_TEXT 320

enum finding_level {
    FINDING_GOOD,
    FINDING_NOTE,    /* cannot be told, or is worth knowing */
    FINDING_WARNING, /* stops some, or later */
    FINDING_FAULT,   /* stops boots */
};

struct finding {
    enum finding_level level;
    const char *check; /* its short name, a literal */
    char what[FINDING_TEXT];
    char remedy[FINDING_TEXT]; /* "": none */
};

struct findings {
    struct finding list[FINDINGS_MAX];
    size_t count;
};

/* The finding that was added, for finding_remedy(); when there is no room, the last one. */
struct finding *finding_add(struct findings *f, enum finding_level level,
                            const char *check, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void finding_remedy(struct finding *one, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The worst of all; FINDING_GOOD when there is none. */
enum finding_level findings_worst(const struct findings *f);

const char *finding_level_name(enum finding_level level);

#endif
