/*
 * app/json: what every command needs that prints JSON, and faults of a configuration as
 * `pxed check --json` and the control socket tell them.
 *
 * Ownership: a value that is returned is the caller's.  Shell: jansson, standard output.
 */
#ifndef APP_JSON_H
#define APP_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "config/faults.h"

/*
 * A list of {file, line, column, path, severity, message}, the first `most` of them; file:
 * the configuration file.  NULL: out of memory.
 */
json_t *faults_json(const struct faults *f, const char *file, size_t most);

/* A string of whatever octets: what is no UTF-8 becomes question marks. */
json_t *json_text(const char *text);

/* 21.1 is printed as such, not as 21.100000000000001. */
#define JSON_DIGITS JSON_REAL_PRECISION(15)

/* What json_dumpf() is told beside that: to a terminal no character that it may obey. */
size_t json_for(FILE *to);

/* To standard output, indented, with a line end; takes the value.  False for NULL, or when
 * it could not be written. */
bool json_print(json_t *value);

#endif
