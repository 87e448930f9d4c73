/*
 * app/web: what an operator sees by HTTP: the page, the documents it asks for, the metrics.
 *
 *     /                       app/page
 *     /api/status             the status document of docs/control.md
 *     /api/boots?id=N, ?mac=M boots with their events
 *     /metrics                app/metrics
 *
 * Nothing can be changed here.  However many look, the status document is put together a few
 * times a second at the most.
 *
 * Ownership: all its own; the appliance outlives it.  Errors: 0 or -errno.
 * Shell: jansson, /proc.
 */
#ifndef APP_WEB_H
#define APP_WEB_H

#include "app/appliance.h"
#include "app/http.h"

struct web;

/* While privileges last: what the kernel tells of the process is out of reach later. */
int web_new(const struct appliance *a, struct web **out);
void web_free(struct web *w); /* NULL is fine */

/* Registers the paths. */
bool web_serve(struct web *w, struct http *http);

#endif
