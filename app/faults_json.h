/*
 * app/faults_json: faults of a configuration as `pxed check --json` and the control socket
 * tell them: a list of {line, column, path, severity, message}.
 *
 * Shell: jansson.
 */
#ifndef APP_FAULTS_JSON_H
#define APP_FAULTS_JSON_H

#include <jansson.h>

#include "config/faults.h"

/* The first `most` of them.  NULL: out of memory. */
json_t *faults_json(const struct faults *f, size_t most);

/* A string of whatever octets: what is no UTF-8 becomes question marks. */
json_t *json_text(const char *text);

#endif
