/*
 * app/virtual_parts: what the files of app/virtual* share.  Private to them.
 *
 * Errors: a refusal is told to the client in words.
 */
#ifndef APP_VIRTUAL_PARTS_H
#define APP_VIRTUAL_PARTS_H

#include "config/machines.h"
#include "config/states.h"
#include "config/system.h"
#include "tftp/hooks.h"

struct virtual_question {
    const struct snapshot *config;
    const struct machine *machine;  /* NULL: nobody knows who has this address */
    const struct host_state *state; /* NULL: nothing is remembered of it */
    struct endpoint client;
    struct endpoint server;
    const char *name; /* clean, relative */
};

/* What a machine is given (config/snapshot.h, plan_...). */
struct plan {
    const struct profile *profile; /* NULL: it boots nothing */
    const struct host *host;
};

struct plan virtual_plan(const struct virtual_question *q);
struct template_client virtual_client(const struct virtual_question *q);

/* Its script; NULL: none, or it boots nothing. */
const struct boot_entry *virtual_ipxe(const struct plan *plan);
/* Its boot file; m may be NULL.  NULL: none, or nothing is known of its architecture. */
const struct boot_entry *virtual_arch(const struct plan *plan, const struct machine *m);

enum tftp_virtual virtual_refuse(struct tftp_answer *out, const char *why);
enum tftp_virtual virtual_refuse_fault(struct tftp_answer *out, const char *what,
                                       enum template_fault fault,
                                       const struct template_place *place);

#endif
