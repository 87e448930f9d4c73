#include "app/virtual_parts.h"

#include <stdio.h>
#include <string.h>

#include "config/gate.h"

static struct gate gate_of(const struct virtual_question *q)
{
    struct host_facts facts = facts_of_machine(q->machine);
    return gate_ask(q->config, &facts, q->state);
}

struct plan virtual_plan(const struct virtual_question *q)
{
    struct gate gate = gate_of(q);
    bool boots = gate_gives_files(&gate);
    return (struct plan){
        .profile = boots ? &q->config->profiles[gate.profile] : NULL,
        .host = gate.host,
    };
}

const struct boot_entry *virtual_ipxe(const struct plan *plan)
{
    return plan->profile ? plan_boot(plan->profile, plan->host, SLOT_IPXE) : NULL;
}

const struct boot_entry *virtual_arch(const struct plan *plan, const struct machine *m)
{
    return plan->profile && m && m->has_arch
               ? plan_arch(plan->profile, plan->host, m->arch)
               : NULL;
}

struct template_client virtual_client(const struct virtual_question *q)
{
    struct gate gate = gate_of(q);
    return (struct template_client){
        .config = q->config,
        .host = gate.host,
        .profile = gate_gives_files(&gate) ? gate.profile : q->config->profile_count,
        .machine = q->machine,
        .address = q->client,
        .server = q->server,
    };
}

enum tftp_virtual virtual_refuse(struct tftp_answer *out, const char *why)
{
    snprintf(out->why, sizeof out->why, "%s", why);
    return TFTP_VIRTUAL_REFUSED;
}

enum tftp_virtual virtual_refuse_fault(struct tftp_answer *out, const char *what,
                                       enum template_fault fault,
                                       const struct template_place *place)
{
    char words[160];
    (void)template_explain(fault, place, words, sizeof words);
    snprintf(out->why, sizeof out->why, "%.30s: %.60s", what, words);
    return TFTP_VIRTUAL_REFUSED;
}
