#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "app/boot_watch.h"
#include "app/commands.h"
#include "app/disk_jobs.h"
#include "app/evidence_watch.h"
#include "app/hooks.h"
#include "app/http_boots.h"
#include "app/http_files.h"
#include "app/learned.h"
#include "app/logging.h"
#include "app/options.h"
#include "app/privileges.h"
#include "app/read_file.h"
#include "app/reload.h"
#include "app/restart.h"
#include "app/status_verbs.h"
#include "app/syscall_filter.h"
#include "app/web.h"
#include "common/cleanup.h"
#include "common/log.h"
#include "common/neighbours.h"
#include "common/tell.h"
#include "common/text.h"

#define MACHINES_MAX 16384 /* addresses remembered: some 2 MB when full */

/* -- the steps of the start, in the order of start() --------------------------------------- */

struct arguments {
    const char *path;
    bool verbose;
};

static bool parse_arguments(int argc, char **argv, struct arguments *out)
{
    static const struct option_row rows[] = {
        {"config", 'c', OPTION_TEXT, offsetof(struct arguments, path)},
        {"verbose", 'v', OPTION_FLAG, offsetof(struct arguments, verbose)},
        {NULL, 0, 0, 0},
    };
    *out = (struct arguments){.path = PXED_CONFIGURATION};
    return options_read(rows, NULL, argc, argv, out) && optind == argc;
}

/* Its faults are told, the first ones of very many, in the form of log that it asks for. */
static bool read_configuration(const char *path, bool verbose, struct configuration *out)
{
    int error = configuration_read(path, FAULT_WARNING, out);
    if (error != 0) {
        log_say(LOG_ERROR, "cannot read %s: %s", path, read_fault(path, error));
        return false;
    }
    AUTO(free) char *report = faults_report(out, path, 0);
    if (out->snapshot) {
        logging_configure(out->snapshot, verbose);
    }
    logging_report(report, &out->faults, path);
    (void)malloc_trim(0); /* the allocator would keep what the parser had */
    if (!out->snapshot) {
        log_say(LOG_ERROR, "%s: %zu faults", path, out->faults.errors);
        return false;
    }
    return true;
}

static bool make_tables(struct appliance *a)
{
    struct hash_seed seed;
    if (getrandom(&seed, sizeof seed, 0) == sizeof seed) {
        a->machines = machines_new(MACHINES_MAX, &seed);
    }
    a->evidence = evidence_watch_new(a);
    bool made = a->machines && a->evidence && boot_watch_new(a, &a->boots) == 0 &&
                web_new(a, &a->web) == 0;
    if (!made) {
        log_say(LOG_ERROR, "out of memory");
    }
    return made;
}

static bool open_tftp(struct appliance *a)
{
    const char *what;
    struct tftp_hooks hooks = hooks_for_tftp(a);
    (void)neighbours_open(&a->neighbours);
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
    struct dhcp_hooks hooks = hooks_for_dhcp(a);
    if (dhcp_service_open(a->config.snapshot, &hooks, &a->dhcp, why) != 0) {
        log_say(LOG_ERROR, "%s", why);
        return false;
    }
    return true;
}

/* Serving goes on without it, and without a place to keep state. */
static void open_for_user(struct appliance *a)
{
    const struct snapshot *s = a->config.snapshot;
    uid_t uid;
    gid_t gid;
    if (privileges_identity(s->user, &uid, &gid) != 0) {
        return; /* dropping privileges says why */
    }
    state_prepare(s->state_dir, uid, gid);
    if (!s->control) {
        return;
    }
    int error = control_open(s->control, uid, gid, &a->control);
    if (error != 0) {
        log_say(LOG_WARNING, "no control socket at %s, so no `pxed reload`: %s",
                s->control,
                error == -EADDRINUSE ? "another pxed answers there" : strerror(-error));
    }
}

/* A host may lack IPv6, or have its port 4011 in use, and IPv4 is served all the same. */
static void open_dhcp6(struct appliance *a)
{
    char why[DHCP_SERVICE_WHY_SIZE];
    struct dhcp_hooks hooks = hooks_for_dhcp(a);
    int error = dhcp6_service_open(a->config.snapshot, &hooks, &a->dhcp6, why);
    if (error != 0 && error != -EAFNOSUPPORT) {
        log_say(LOG_WARNING, "no answers over IPv6: %s", why);
    }
}

/* A port that nobody asked for may be taken; one that is in the file must be had. */
static bool open_http(struct appliance *a)
{
    char why[HTTP_WHY_SIZE];
    const struct http_conf *conf = &a->config.snapshot->http;
    struct tftp_hooks hooks = hooks_for_tftp(a);
    if (!conf->enabled || http_open(a->config.snapshot, &hooks, &a->http, why) == 0) {
        return true;
    }
    bool wanted = conf->said || conf->boot_files;
    log_say(wanted ? LOG_ERROR : LOG_WARNING, "%s%s", why,
            wanted ? "" : "; going on without (set http.listen)");
    return !wanted;
}

static bool open_everything(struct appliance *a)
{
    const struct snapshot *s = a->config.snapshot;
    privileges_raise();
    open_for_user(a);
    if (!make_tables(a) || !open_http(a)) {
        return false;
    }
    if (s->interface_count == 0) {
        return true; /* it waits for the operator to name some */
    }
    if (s->tftp.enabled && !open_tftp(a)) {
        return false;
    }
    if (s->dhcp.enabled && s->dhcp.ipv6) {
        open_dhcp6(a);
    }
    return !s->dhcp.enabled || open_dhcp(a);
}

/* An interface that comes back must be opened again, which takes CAP_NET_RAW. */
static bool drop_privileges(struct appliance *a)
{
    char why[PRIVILEGES_WHY_SIZE];
    const struct snapshot *s = a->config.snapshot;
    if (privileges_drop(s->user, s->hotplug && s->dhcp.enabled, why) != 0) {
        log_say(LOG_ERROR, "%s", why);
        return false;
    }
    confinement_begin(&a->confinement, &a->config);
    return true;
}

/* -- events ------------------------------------------------------------------------------- */

static bool on_dhcp6(void *context, int fd, enum loop_event event, usec_t now)
{
    struct appliance *a = context;
    (void)event;
    network_rest(a->loop, fd, dhcp6_service_readable(a->dhcp6, fd, now));
    return true;
}

/* A client's last packet goes before the word that it is gone. */
static bool on_tftp(void *context, int fd, enum loop_event event, usec_t now)
{
    struct appliance *a = context;
    network_rest(a->loop, fd, tftp_service_readable(a->tftp, fd, now));
    if (event == LOOP_ERROR) {
        tftp_service_unreachable(a->tftp, fd, now);
    }
    return true;
}

static usec_t next_deadline(void *context)
{
    const struct appliance *a = context;
    const usec_t deadlines[] = {
        a->dhcp ? dhcp_service_deadline(a->dhcp) : USEC_NEVER,
        a->dhcp6 ? dhcp6_service_deadline(a->dhcp6) : USEC_NEVER,
        a->tftp ? tftp_service_deadline(a->tftp) : USEC_NEVER,
        a->verbs ? status_verbs_deadline(a->verbs) : USEC_NEVER,
        a->http ? http_deadline(a->http) : USEC_NEVER,
        state_deadline(a->state),
        boot_watch_deadline(a->boots),
        log_deadline(),
        syscall_filter_has_news() ? 0 : USEC_NEVER,
        a->watchdog.due,
    };
    usec_t first = USEC_NEVER;
    for (size_t i = 0; i < sizeof deadlines / sizeof deadlines[0]; i++) {
        first = deadlines[i] < first ? deadlines[i] : first;
    }
    return first;
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
    if (a->http) {
        http_timeout(a->http, now);
    }
    syscall_filter_report();
    state_timeout(a->state, now);
    log_timeout(now);
    boot_watch_timeout(a->boots, now);
    if (a->verbs) {
        status_verbs_timeout(a->verbs, now);
    }
    watchdog_timeout(&a->watchdog, now);
}

static void on_stop(void *context, usec_t now)
{
    struct appliance *a = context;
    (void)now;
    notify_systemd("STOPPING=1");
    loop_stop(a->loop);
}

/* What serves by the configuration is told here, between two events: all of it, or nothing. */
static const char *take_configuration(void *context, struct configuration *config)
{
    struct appliance *a = context;
    struct configuration old = a->config;
    struct http_files *files = NULL;
    int error = a->http ? http_prepare(a->http, config->snapshot, &files) : 0;
    if (error != 0) {
        log_say(LOG_ERROR, "cannot open the boot files for HTTP: %s", strerror(-error));
        return "the boot files cannot be opened for HTTP";
    }
    error = a->tftp && config->snapshot->tftp.enabled
                ? tftp_service_configure(a->tftp, config->snapshot)
                : 0;
    if (error != 0) {
        http_files_close(files);
        log_say(LOG_ERROR, "cannot open the TFTP root %s: %s",
                config->snapshot->tftp.root, strerror(-error));
        return "the TFTP root cannot be opened";
    }
    if (a->http) {
        http_configure(a->http, config->snapshot, files);
    }
    if (a->dhcp) {
        dhcp_service_configure(a->dhcp, config->snapshot);
    }
    if (a->dhcp6) {
        dhcp6_service_configure(a->dhcp6, config->snapshot);
    }
    logging_configure(config->snapshot, a->verbose);
    warn_of_restart(old.snapshot, config->snapshot);
    a->config = *config;
    a->loaded = clock_now();
    *config = old;
    return NULL;
}

static void on_hangup(void *context, usec_t now)
{
    struct appliance *a = context;
    (void)now;
    reload_ask(a->reload);
}

/* -- the start ---------------------------------------------------------------------------- */

static const struct snapshot *served(void *context)
{
    const struct appliance *a = context;
    return a->config.snapshot;
}

/* Reloads, and whatever else the control socket is asked. */
static int watch_for_orders(struct appliance *a)
{
    int error = reload_new(a->loop, a->config.path, take_configuration, a, &a->reload);
    if (error == 0 && a->control) {
        (void)reload_serve(a->reload, a->control);
        (void)state_serve(a->state, a->control, served, a);
        (void)learned_serve(a);
        error = status_verbs_new(a, &a->verbs);
    }
    if (error == 0 && a->control) {
        (void)status_verbs_serve(a->verbs, a->control);
        error = control_start(a->control, a->loop);
    }
    if (error == 0 && a->config.snapshot->watch && reload_watch(a->reload) != 0) {
        log_say(LOG_WARNING, "cannot watch %s for changes", a->config.path);
    }
    const char *hosts = a->config.snapshot->host_files;
    if (error == 0 && a->config.snapshot->watch && hosts &&
        reload_watch_directory(a->reload, hosts) != 0) {
        log_say(LOG_WARNING, "cannot watch %s for changes", hosts);
    }
    return error;
}

/* Whoever answers paths registers them first. */
static int start_http(struct appliance *a)
{
    if (!a->http) {
        return 0;
    }
    bool told = web_serve(a->web, a->http) && http_boots_watch(a->http, a->boots) &&
                evidence_watch_serve(a->evidence, a->http);
    return told ? http_start(a->http, a->loop) : -ENOSPC;
}

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
    if (error == 0) {
        error = watch_for_orders(a);
    }
    if (error == 0) {
        error = start_http(a);
    }
    watchdog_start(&a->watchdog, clock_now());
    loop_set_deadline(a->loop, next_deadline, on_deadline, a);
    static const int stops[] = {SIGTERM, SIGINT};
    for (size_t i = 0; error == 0 && i < 2; i++) {
        error = loop_on_signal(a->loop, stops[i], on_stop, a);
    }
    return error == 0 ? loop_on_signal(a->loop, SIGHUP, on_hangup, a) : error;
}

static bool open_state(struct appliance *a)
{
    int error = state_open(a->config.snapshot->state_dir, &a->state);
    if (error != 0) {
        log_say(LOG_ERROR, "%s", strerror(-error));
    }
    return error == 0;
}

static bool watch(struct appliance *a)
{
    int error = loop_new(&a->loop);
    error = error == 0 ? loop_start_pool(a->loop) : error;
    a->disk_jobs = error == 0 ? disk_jobs_new(a->loop) : NULL;
    if (error == 0 && !a->disk_jobs) {
        error = -ENOMEM;
    }
    if (error == 0) {
        state_start(a->state, a->loop);
        error = evidence_watch_start(a->evidence) ? watch_everything(a) : -ENOMEM;
    }
    if (error != 0) {
        log_say(LOG_ERROR, "cannot start the event loop: %s", strerror(-error));
    }
    return error == 0;
}

/* "proxy-DHCP, TFTP and HTTP".  Returns buf. */
static const char *what_is_served(const struct snapshot *s, char *buf, size_t size)
{
    const char *doors[3];
    size_t count = 0;
    struct text out = {.size = size};
    out.at = buf;
    if (s->dhcp.enabled) {
        doors[count++] = "proxy-DHCP";
    }
    if (s->tftp.enabled) {
        doors[count++] = "TFTP";
    }
    if (s->http.boot_files) {
        doors[count++] = "HTTP";
    }
    if (s->interface_count == 0) {
        return "nothing, as \"interfaces\" names none";
    }
    for (size_t i = 0; i < count; i++) {
        text_say(&out, "%s%s", i == 0 ? "" : i + 1 == count ? " and " : ", ", doors[i]);
    }
    return buf;
}

static void announce(const struct appliance *a)
{
    const struct snapshot *s = a->config.snapshot;
    struct log_line l;
    char ready[128];
    char doors[40];
    log_begin(&l, LOG_INFO, "pxed ready");
    const char *serves = what_is_served(s, doors, sizeof doors);
    log_text(&l, "serves", serves);
    log_number(&l, "hosts", hosts_count(s->hosts));
    log_number(&l, "profiles", s->profile_count);
    log_text(&l, "root", serves_files(s) ? s->tftp.root : NULL);
    log_end(&l);
    snprintf(ready, sizeof ready, "READY=1\nSTATUS=serves %s", serves);
    notify_systemd(ready);
}

/* Nothing comes in before every privilege is gone. */
static bool start(struct appliance *a, const char *path)
{
    if (!read_configuration(path, a->verbose, &a->config)) {
        return false;
    }
    a->began = a->loaded = clock_now();
    return open_everything(a) && drop_privileges(a) && open_state(a) && watch(a);
}

/* A thread that waits for a server of files waits for ever, and so would we. */
#define STOP_PATIENCE 4 /* seconds */

static void *leave(void *unused)
{
    static const char text[] =
        "pxed ends without waiting for a disk or file server that does not answer\n";
    struct timespec patience = {.tv_sec = STOP_PATIENCE};
    (void)unused;
    (void)nanosleep(&patience, NULL);
    ssize_t n = write(STDERR_FILENO, text, sizeof text - 1);
    (void)n;
    _exit(EXIT_GOOD);
}

static void leave_in_time(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, leave, NULL) == 0) {
        (void)pthread_detach(thread);
    }
}

static void stop(struct appliance *a)
{
    http_close(a->http); /* first of all: its threads ask the loop */
    network_stop(&a->network);
    disk_jobs_close(a->disk_jobs);
    loop_free(a->loop); /* then: it may still have a word for the others */
    control_close(a->control);
    reload_free(a->reload);
    dhcp_service_close(a->dhcp);
    dhcp6_service_close(a->dhcp6);
    tftp_service_close(a->tftp);
    state_close(a->state);     /* after the services: a transfer may end with them */
    boot_watch_free(a->boots); /* likewise */
    evidence_watch_free(a->evidence);
    web_free(a->web);
    status_verbs_free(a->verbs);
    disk_jobs_free(a->disk_jobs);
    machines_free(a->machines);
    if (a->neighbours >= 0) {
        (void)close(a->neighbours);
    }
    configuration_done(&a->config);
}

int command_run(int argc, char **argv)
{
    struct arguments arguments;
    if (!parse_arguments(argc, argv, &arguments)) {
        tell(stderr, "usage: pxed run [-c FILE] [-v]\n");
        return EXIT_USAGE;
    }
    struct appliance a = {.verbose = arguments.verbose, .neighbours = -1};
    logging_start(a.verbose);
    bool started = start(&a, arguments.path);
    if (started) {
        announce(&a);
        loop_run(a.loop);
        log_flush();
        log_say(LOG_INFO, "pxed stops");
        leave_in_time();
    }
    stop(&a);
    syscall_filter_report();
    log_flush();
    return started ? EXIT_GOOD : EXIT_FAULT;
}
