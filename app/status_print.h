/*
 * app/status_print: the status document (docs/control.md) for people.
 *
 * What needs somebody first: a reload that was refused, boots that stopped and why, conflicts,
 * machines that wait to be approved.  Then boots and transfers under way, then what ended.
 * Works on any document: what is not in it, or is of another type, is left out.
 *
 * Ownership: the document is the caller's.  Shell: stdio, jansson.
 */
#ifndef APP_STATUS_PRINT_H
#define APP_STATUS_PRINT_H

#include <jansson.h>

#include "app/terminal.h"

/* recent: how many of the boots that have ended. */
void status_print(const json_t *document, const struct terminal *t, size_t recent);

#endif
