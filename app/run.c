#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "app/commands.h"
#include "app/configuration.h"
#include "app/loop.h"
#include "app/network.h"
#include "app/notify.h"
#include "app/privileges.h"
#include "common/log.h"
#include "config/gate.h"
#include "config/machines.h"
#include "dhcp/service.h"
#include "dhcp/v6_service.h"
#include "tftp/service.h"

#define MACHINES_MAX 16384 /* addresses remembered: some 2 MB when full */

/* The process: what lives from the start to the end of `pxed run`. */
struct appliance {
    struct configuration config;
    struct loop *loop;
    struct machines
        *machines; /* what DHCP hears, for the doors that only see addresses */
    struct dhcp_service *dhcp;   /* NULL: disabled */
    struct dhcp6_service *dhcp6; /* NULL: disabled, or no IPv6 here */
    struct tftp_service *tftp;   /* NULL: disabled */
    struct network network;
};

/* -- the steps of the start, in the order of start() --------------------------------------- */

static bool parse_arguments(int argc, char **argv, const char **path)
{
    static const struct option options[] = {
        {"config", required_argument, NULL, 'c'},
        {"verbose", no_argument, NULL, 'v'},
        {NULL, 0, NULL, 0},
    };
    int c;
    *path = PXED_CONFIGURATION;
    while ((c = getopt_long(argc, argv, "c:v", options, NULL)) != -1) {
        if (c == 'c') {
            *path = optarg;
        } else if (c == 'v') {
            log_set_level(LOG_DEBUG);
        } else {
            return false;
        }
    }
    return optind == argc;
}

/* Faults go to standard error as `pxed check` prints them. */
static bool read_configuration(const char *path, struct configuration *out)
{
    int error = configuration_read(path, FAULT_WARNING, out);
    if (error != 0) {
        log_say(LOG_ERROR, "cannot read %s: %s", path, strerror(-error));
        return false;
    }
    faults_print(&out->faults, path, out->text, out->len, stderr);
    if (!out->snapshot) {
        log_say(LOG_ERROR, "%s: %zu faults", path, out->faults.errors);
        return false;
    }
    return true;
}

static bool has_file(void *context, const char *file)
{
    const struct appliance *a = context;
    return tftp_service_has_file(a->tftp, file);
}

static void heard(void *context, const struct endpoint *at, const struct machine *machine)
{
    const struct appliance *a = context;
    machines_learn(a->machines, at, machine, loop_clock());
}

/* The host table rules over files too, wherever the machine behind an address is known. */
static void who(void *context, const struct endpoint *peer, struct tftp_client *out)
{
    const struct appliance *a = context;
    const struct machine *m = machines_find(a->machines, peer, loop_clock());
    if (!m) {
        return;
    }
    struct gate gate =
        gate_ask(a->config.snapshot, &m->mac, m->has_uuid ? m->uuid : NULL);
    out->denied = gate.verdict != GATE_BOOT;
    if (gate.host) {
        out->max_block_size = gate.host->max_block_size;
        out->max_window_size = gate.host->max_window_size;
        out->send_ahead = gate.host->send_ahead;
    }
    if (gate.verdict == GATE_BOOT) {
        out->knows_msft_window = true;
        out->msft_window = a->config.snapshot->profiles[gate.profile].msft_window;
    }
}

/* The offer this machine took has done its work. */
static void began(void *context, const struct endpoint *peer)
{
    const struct appliance *a = context;
    const struct machine *m = machines_find(a->machines, peer, loop_clock());
    if (m && a->dhcp) {
        dhcp_service_reached(a->dhcp, &m->mac);
    }
}

static bool run_elsewhere(void *context, void (*work)(void *job),
                          void (*done)(void *job, usec_t now), void *job)
{
    const struct appliance *a = context;
    return loop_work(a->loop, work, done, job) == 0;
}

static bool make_machines(struct appliance *a)
{
    struct hash_seed seed;
    if (getrandom(&seed, sizeof seed, 0) == sizeof seed) {
        a->machines = machines_new(MACHINES_MAX, &seed);
    }
    if (!a->machines) {
        log_say(LOG_ERROR, "out of memory");
    }
    return a->machines != NULL;
}

static bool open_tftp(struct appliance *a)
{
    const char *what;
    struct tftp_hooks hooks = {
        .who = who, .began = began, .run = run_elsewhere, .context = a};
    int error = tftp_service_open(a->config.snapshot, &hooks, &a->tftp, &what);
    if (error == 0) {
        return true;
    }
    const char *hint = "";
    if (error == -EADDRINUSE) {
        hint = "; another TFTP server runs on this host";
    } else if (error == -EACCES || error == -EPERM) {
        hint = "; ports below 1024 need CAP_NET_BIND_SERVICE: start as root, or with "
               "AmbientCapabilities=CAP_NET_BIND_SERVICE (systemd), "
               "--cap-add=NET_BIND_SERVICE (container)";
    }
    log_say(LOG_ERROR, "cannot open %s: %s%s", what, strerror(-error), hint);
    return false;
}

static bool open_dhcp(struct appliance *a)
{
    char why[DHCP_SERVICE_WHY_SIZE];
    struct dhcp_hooks hooks = {a->tftp ? has_file : NULL, heard, a};
    if (dhcp_service_open(a->config.snapshot, &hooks, &a->dhcp, why) != 0) {
        log_say(LOG_ERROR, "%s", why);
        return false;
    }
    return true;
}

/* A host may lack IPv6, or have its port 4011 in use, and IPv4 is served all the same. */
static void open_dhcp6(struct appliance *a)
{
    char why[DHCP_SERVICE_WHY_SIZE];
    struct dhcp_hooks hooks = {a->tftp ? has_file : NULL, heard, a};
    int error = dhcp6_service_open(a->config.snapshot, &hooks, &a->dhcp6, why);
    if (error != 0 && error != -EAFNOSUPPORT) {
        log_say(LOG_WARNING, "no answers over IPv6: %s", why);
    }
}

static bool open_everything(struct appliance *a)
{
    const struct snapshot *s = a->config.snapshot;
    privileges_raise();
    if (!make_machines(a) || (s->tftp.enabled && !open_tftp(a))) {
        return false;
    }
    if (s->dhcp.enabled && s->dhcp.ipv6) {
        open_dhcp6(a);
    }
    return !s->dhcp.enabled || open_dhcp(a);
}

/* An interface that comes back must be opened again, which takes CAP_NET_RAW. */
static bool drop_privileges(const struct appliance *a)
{
    char why[PRIVILEGES_WHY_SIZE];
    const struct snapshot *s = a->config.snapshot;
    if (privileges_drop(s->user, s->hotplug && s->dhcp.enabled, why) != 0) {
        log_say(LOG_ERROR, "%s", why);
        return false;
    }
    return true;
}

/* -- events ------------------------------------------------------------------------------- */

static bool on_dhcp6(void *context, int fd, enum loop_event event, usec_t now)
{
    struct appliance *a = context;
    (void)event;
    dhcp6_service_readable(a->dhcp6, fd, now);
    return true;
}

static bool on_tftp(void *context, int fd, enum loop_event event, usec_t now)
{
    struct appliance *a = context;
    if (event == LOOP_ERROR) {
        tftp_service_unreachable(a->tftp, fd, now);
    } else {
        tftp_service_readable(a->tftp, fd, now);
    }
    return true;
}

static usec_t next_deadline(void *context)
{
    const struct appliance *a = context;
    usec_t dhcp = a->dhcp ? dhcp_service_deadline(a->dhcp) : USEC_NEVER;
    usec_t dhcp6 = a->dhcp6 ? dhcp6_service_deadline(a->dhcp6) : USEC_NEVER;
    usec_t tftp = a->tftp ? tftp_service_deadline(a->tftp) : USEC_NEVER;
    usec_t first = dhcp < tftp ? dhcp : tftp;
    return dhcp6 < first ? dhcp6 : first;
}

static void on_deadline(void *context, usec_t now)
{
    struct appliance *a = context;
    if (a->dhcp) {
        dhcp_service_timeout(a->dhcp, now);
    }
    if (a->tftp) {
        tftp_service_timeout(a->tftp, now);
    }
    if (a->dhcp6) {
        dhcp6_service_timeout(a->dhcp6, now);
    }
}

static void on_stop(void *context, usec_t now)
{
    struct appliance *a = context;
    (void)now;
    notify_systemd("STOPPING=1");
    loop_stop(a->loop);
}

static bool same_interfaces(const struct snapshot *a, const struct snapshot *b)
{
    return a->interface_count == b->interface_count &&
           memcmp(a->interfaces, b->interfaces,
                  a->interface_count * sizeof a->interfaces[0]) == 0;
}

/* What was opened with privileges stays as it is until the next start. */
static void warn_of_restart(const struct snapshot *old, const struct snapshot *new)
{
    const struct {
        const char *key;
        bool same;
    } rows[] = {
        {"interfaces", same_interfaces(old, new)},
        {"hotplug", old->hotplug == new->hotplug},
        {"user", strcmp(old->user, new->user) == 0},
        {"dhcp.enabled", old->dhcp.enabled == new->dhcp.enabled},
        {"dhcp.ipv6", old->dhcp.ipv6 == new->dhcp.ipv6},
        {"tftp.enabled", old->tftp.enabled == new->tftp.enabled},
        {"tftp.max_transfers", old->tftp.max_transfers == new->tftp.max_transfers},
        {"tftp.data_ports", old->tftp.single_port == new->tftp.single_port &&
                                old->tftp.data_port_first == new->tftp.data_port_first &&
                                old->tftp.data_port_last == new->tftp.data_port_last},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!rows[i].same) {
            log_say(LOG_WARNING, "\"%s\" has changed: it takes effect at the next start",
                    rows[i].key);
        }
    }
}

/* A configuration with faults changes nothing. */
static bool reload(struct appliance *a)
{
    struct configuration fresh;
    if (!read_configuration(a->config.path, &fresh)) {
        configuration_done(&fresh);
        return false;
    }
    int error = a->tftp && fresh.snapshot->tftp.enabled
                    ? tftp_service_configure(a->tftp, fresh.snapshot)
                    : 0;
    if (error != 0) {
        log_say(LOG_ERROR, "cannot open the TFTP root %s: %s", fresh.snapshot->tftp.root,
                strerror(-error));
        configuration_done(&fresh);
        return false;
    }
    if (a->dhcp) {
        dhcp_service_configure(a->dhcp, fresh.snapshot);
    }
    if (a->dhcp6) {
        dhcp6_service_configure(a->dhcp6, fresh.snapshot);
    }
    warn_of_restart(a->config.snapshot, fresh.snapshot);
    configuration_done(&a->config);
    a->config = fresh;
    return true;
}

static void on_reload(void *context, usec_t now)
{
    struct appliance *a = context;
    (void)now;
    notify_systemd("RELOADING=1");
    if (reload(a)) {
        log_say(LOG_INFO, "pxed reloaded %s", a->config.path);
    } else {
        log_say(LOG_ERROR, "pxed keeps the configuration it has");
    }
    notify_systemd("READY=1");
}

/* -- the start ---------------------------------------------------------------------------- */

static int watch_everything(struct appliance *a)
{
    int error = network_start(&a->network, a->loop, a->config.snapshot, a->dhcp, a->tftp);
    if (a->dhcp6) {
        int fds[DHCP6_SOCKETS_MAX];
        size_t n = dhcp6_service_sockets(a->dhcp6, fds);
        for (size_t i = 0; error == 0 && i < n; i++) {
            error = loop_watch(a->loop, fds[i], on_dhcp6, a);
        }
    }
    if (a->tftp) {
        const int *fds;
        size_t n = tftp_service_sockets(a->tftp, &fds);
        for (size_t i = 0; error == 0 && i < n; i++) {
            error = loop_watch(a->loop, fds[i], on_tftp, a);
        }
    }
    loop_set_deadline(a->loop, next_deadline, on_deadline, a);
    static const int stops[] = {SIGTERM, SIGINT};
    for (size_t i = 0; error == 0 && i < 2; i++) {
        error = loop_on_signal(a->loop, stops[i], on_stop, a);
    }
    return error == 0 ? loop_on_signal(a->loop, SIGHUP, on_reload, a) : error;
}

static bool watch(struct appliance *a)
{
    int error = loop_new(&a->loop);
    if (error == 0) {
        error = watch_everything(a);
    }
    if (error != 0) {
        log_say(LOG_ERROR, "cannot start the event loop: %s", strerror(-error));
    }
    return error == 0;
}

static void announce(const struct appliance *a)
{
    const struct snapshot *s = a->config.snapshot;
    struct log_line l;
    log_begin(&l, LOG_INFO, "pxed ready");
    log_text(&l, "serves",
             !s->tftp.enabled   ? "proxy-DHCP"
             : !s->dhcp.enabled ? "TFTP"
                                : "proxy-DHCP and TFTP");
    log_number(&l, "hosts", hosts_count(s->hosts));
    log_number(&l, "profiles", s->profile_count);
    log_text(&l, "root", s->tftp.enabled ? s->tftp.root : NULL);
    log_end(&l);
    notify_systemd("READY=1");
}

/* Nothing comes in before every privilege is gone. */
static bool start(struct appliance *a, const char *path)
{
    return read_configuration(path, &a->config) && open_everything(a) &&
           drop_privileges(a) && watch(a);
}

static void stop(struct appliance *a)
{
    network_stop(&a->network);
    loop_free(a->loop); /* first: it may still have a word for the services */
    dhcp_service_close(a->dhcp);
    dhcp6_service_close(a->dhcp6);
    tftp_service_close(a->tftp);
    machines_free(a->machines);
    configuration_done(&a->config);
}

int command_run(int argc, char **argv)
{
    struct appliance a = {0};
    const char *path;
    if (!parse_arguments(argc, argv, &path)) {
        fprintf(stderr, "usage: pxed run [-c FILE] [-v]\n");
        return EXIT_USAGE;
    }
    bool started = start(&a, path);
    if (started) {
        announce(&a);
        loop_run(a.loop);
        log_say(LOG_INFO, "pxed stops");
    }
    stop(&a);
    return started ? EXIT_GOOD : EXIT_FAULT;
}
