/*
 * tests/unit/golden: recorded answers, one file a case.
 *
 *     golden_list("tests/data/golden", &cases)        in the suite's constructor
 *     golden_read(folder, name, text)                 in a test
 *     golden_check(folder, name, text, want, got)     compares, or records
 *
 * With GOLDEN_ACCEPT=1 in the environment expectations are rewritten; the diff is reviewed.
 */
#ifndef TESTS_UNIT_GOLDEN_H
#define TESTS_UNIT_GOLDEN_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "config/snapshot.h"

#define GOLDEN_TEXT  20000
#define GOLDEN_CASES 64

struct golden_cases {
    char name[GOLDEN_CASES][NAME_MAX + 1];
    int count;
};

/* Files of the folder that end in .golden, by name. */
void golden_list(const char *folder, struct golden_cases *out);
size_t golden_read(const char *folder, const char *name, char text[GOLDEN_TEXT]);
/* A request in hexadecimal digits; at most 1500 octets. */
size_t golden_request(const char *folder, const char *name, uint8_t out[1500]);
/* Of the line "config {...}" and what stands behind the empty line; *want: "" for nothing. */
struct snapshot *golden_config(const char *text, const char **want);
/* want stands at the end of text; "" when nothing was recorded yet. */
void golden_check(const char *folder, const char *name, const char *text,
                  const char *want, const char *got);

#endif
