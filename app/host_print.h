/*
 * app/host_print: rows of the host table, for people and as JSON.
 *
 * Errors: none; a json_t is the caller's, NULL when memory is out.  Shell: stdio, jansson.
 */
#ifndef APP_HOST_PRINT_H
#define APP_HOST_PRINT_H

#include <jansson.h>
#include <stdio.h>

#include "app/configuration.h"

/* c must be without faults, as for the others. */
void host_list_text(const struct configuration *c, FILE *to);
json_t *host_list_json(const struct configuration *c);

/* The row, where it stands, and what each architecture boots by it. */
void host_show_text(const struct configuration *c, const struct host *host, FILE *to);
json_t *host_show_json(const struct configuration *c, const struct host *host);

/* "52:54:00:*", "UUID ...", "relay 10.0.5.0/24, x64-uefi": all that names it.  Returns buf. */
#define HOST_WHO_SIZE 1024
char *host_who(const struct host *host, char buf[HOST_WHO_SIZE]);

#endif
