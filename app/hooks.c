#include "app/hooks.h"

#include <string.h>

#include "app/boot_watch.h"
#include "app/disk_jobs.h"
#include "app/evidence_watch.h"
#include "app/virtual.h"
#include "common/neighbours.h"
#include "config/gate.h"

/* Both doors show the same root; one of them may be closed. */
static bool is_on_disk(const struct appliance *a, const char *file)
{
    return a->tftp ? tftp_service_has_file(a->tftp, file) : http_has_file(a->http, file);
}

/* A boot file is there when it is on the disk, or stands for something that is. */
static bool has_file(void *context, const char *file)
{
    const struct appliance *a = context;
    const char *real = NULL;
    if (virtual_has(a->config.snapshot, file + strspn(file, "/"), &real)) {
        return !real || is_on_disk(a, real);
    }
    return is_on_disk(a, file);
}

static bool machine(void *context, const struct endpoint *peer, struct mac *out)
{
    const struct appliance *a = context;
    const struct machine *m = machines_find(a->machines, peer, clock_now());
    if (m) {
        *out = m->mac;
    }
    return m != NULL;
}

static struct virtual_question question(const struct appliance *a,
                                        const struct endpoint *peer, const char *name)
{
    const struct machine *m = machines_find(a->machines, peer, clock_now());
    return (struct virtual_question){
        .config = a->config.snapshot,
        .machine = m,
        .state = m ? state_of(a->state, &m->mac) : NULL,
        .client = *peer,
        .name = name,
    };
}

static enum tftp_virtual find(void *context, const struct endpoint *peer,
                              const struct endpoint *local, const char *name,
                              enum tftp_turn turn, struct tftp_answer *out)
{
    struct virtual_question q = question(context, peer, name);
    q.server = *local;
    return virtual_find(&q, turn, out);
}

/* The offer this machine took has done its work. */
static bool began(void *context, const struct endpoint *peer, const char *name)
{
    const struct appliance *a = context;
    struct virtual_question q = question(a, peer, name);
    if (q.machine && a->dhcp) {
        dhcp_service_reached(a->dhcp, &q.machine->mac);
    }
    return q.machine && virtual_ends_boot(&q);
}

/* The last file of a boot has come whole: a host that boots once has done so. */
static void whole(void *context, const struct endpoint *peer)
{
    const struct appliance *a = context;
    const struct machine *m = machines_find(a->machines, peer, clock_now());
    if (m) {
        struct host_facts facts = facts_of_machine(m);
        struct gate gate = gate_ask(a->config.snapshot, &facts, NULL);
        if (gate.host && gate.host->once) {
            state_boot_done(a->state, &m->mac);
        }
    }
}

static void heard(void *context, const struct endpoint *at, const struct machine *machine)
{
    const struct appliance *a = context;
    machines_learn(a->machines, at, machine, clock_now());
    timeline_address(boot_watch_timeline(a->boots), &machine->mac, at);
}

static const struct host_state *state_hook(void *context, const struct mac *mac)
{
    const struct appliance *a = context;
    return state_of(a->state, mac);
}

static void seen(void *context, const struct mac *mac, bool has_arch, uint16_t arch)
{
    const struct appliance *a = context;
    state_seen(a->state, mac, has_arch, arch);
}

/*
 * A client whose DHCP we never heard, or before our start, is known to the kernel all the
 * same, and what it told in an earlier boot is remembered.  Asked again each time, as nobody
 * tells when such an address changes hands.
 */
static void ask_kernel(const struct appliance *a, const struct endpoint *peer,
                       unsigned ifindex, usec_t now)
{
    struct machine m = {.by_neighbour = true};
    if (a->neighbours < 0 ||
        neighbours_ask(a->neighbours, ifindex, peer, &m.mac) != NEIGHBOUR_KNOWN) {
        return;
    }
    const struct host_state *state = state_of(a->state, &m.mac);
    if (state && state->has_arch) {
        m.has_arch = true;
        m.arch = state->arch;
    }
    machines_learn(a->machines, peer, &m, now);
}

static bool may_reach(void *context, const struct endpoint *peer, unsigned ifindex)
{
    struct appliance *a = context;
    struct searches *s = &a->searches[endpoint_is_ip4(peer)];
    return !network_is_attached(&a->network, peer, ifindex) ||
           searches_allow(s, a->neighbours, peer, ifindex, clock_now());
}

static const struct machine *recognise(const struct appliance *a,
                                       const struct endpoint *peer, unsigned ifindex)
{
    usec_t now = clock_now();
    const struct machine *m = machines_find(a->machines, peer, now);
    if (m && !m->by_neighbour) {
        return m;
    }
    ask_kernel(a, peer, ifindex, now);
    return machines_find(a->machines, peer, now);
}

/* The host table rules over files too, wherever the machine behind an address is known. */
static void who(void *context, const struct endpoint *peer, unsigned ifindex,
                struct tftp_client *out)
{
    const struct appliance *a = context;
    const struct machine *m = recognise(a, peer, ifindex);
    if (!m) {
        return;
    }
    struct host_facts facts = facts_of_machine(m);
    struct gate gate = gate_ask(a->config.snapshot, &facts, state_of(a->state, &m->mac));
    out->denied = !gate_gives_files(&gate);
    if (gate.host) {
        out->max_block_size = gate.host->max_block_size;
        out->max_window_size = gate.host->max_window_size;
        out->send_ahead = gate.host->send_ahead;
    }
    if (gate.verdict == GATE_BOOT) {
        out->knows_msft_window = true;
        out->msft_window =
            plan_msft_window(&a->config.snapshot->profiles[gate.profile], gate.host);
    }
}

static bool run_elsewhere(void *context, bool far, void (*work)(void *job),
                          void (*done)(void *job, usec_t now), void *job)
{
    const struct appliance *a = context;
    return a->disk_jobs && disk_jobs_run(a->disk_jobs, far, work, done, job);
}

struct tftp_hooks hooks_for_tftp(struct appliance *a)
{
    struct tftp_hooks hooks = {
        .who = who,
        .may_reach = may_reach,
        .machine = machine,
        .find = find,
        .began = began,
        .whole = whole,
        .run = run_elsewhere,
        .context = a,
    };
    boot_watch_tftp(&hooks);
    evidence_watch_tftp(&hooks);
    return hooks;
}

struct dhcp_hooks hooks_for_dhcp(struct appliance *a)
{
    struct dhcp_hooks hooks = {
        .has_file =
            a->tftp || (a->http && serves_files(a->config.snapshot)) ? has_file : NULL,
        .may_reach = may_reach,
        .heard = heard,
        .state = state_hook,
        .seen = seen,
        .context = a,
    };
    boot_watch_dhcp(&hooks);
    evidence_watch_dhcp(&hooks);
    return hooks;
}
