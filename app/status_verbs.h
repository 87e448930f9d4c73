/*
 * app/status_verbs: the verbs of the control socket that tell what the process sees.
 *
 *     {"verb": "status"}                           the status document
 *     {"verb": "boots", "mac": M | "id": N}        boots with their events
 *     {"verb": "log", "after": N, "mac": M, "wait": S}
 *                                                  boots that have ended after N; with "wait"
 *                                                  the answer comes when there is one
 *
 * docs/control.md has them in full.
 *
 * Ownership: the verbs own the questions that wait.  Shell: app/control.
 */
#ifndef APP_STATUS_VERBS_H
#define APP_STATUS_VERBS_H

#include "app/appliance.h"

struct status_verbs;

/* 0 or -errno. */
int status_verbs_new(const struct appliance *a, struct status_verbs **out);
void status_verbs_free(struct status_verbs *v); /* NULL is fine */
bool status_verbs_serve(struct status_verbs *v, struct control *c);

/* When a question has waited long enough; USEC_NEVER: none waits. */
usec_t status_verbs_deadline(const struct status_verbs *v);
void status_verbs_timeout(struct status_verbs *v, usec_t now);

#endif
