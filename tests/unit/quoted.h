/*
 * tests/unit/quoted: configurations as tests write them, with ' for " and ~ for '.
 */
#ifndef TESTS_UNIT_QUOTED_H
#define TESTS_UNIT_QUOTED_H

#include "config/load.h"

/* Text to be freed. */
char *quoted(const char *text);

/* One that is good. */
struct snapshot *config_of(const char *json);

/* "LINE:COLUMN: path: message", each on a line of its own.  To be freed. */
char *faults_in_lines(const struct faults *f);

#endif
