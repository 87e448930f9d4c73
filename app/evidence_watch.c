#include "app/evidence_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "app/boot_watch.h"
#include "app/evidence.h"
#include "app/evidence_store.h"
#include "common/cleanup.h"
#include "common/text.h"

#define PATH      "/evidence/"
#define PCAP_TYPE "application/vnd.tcpdump.pcap"
#define DIRECTORY "/evidence"

struct evidence_watch {
    const struct appliance *appliance;
    struct evidence *packets;
    struct evidence_store *store; /* NULL: not started */
};

struct evidence_watch *evidence_watch_new(const struct appliance *a)
{
    struct hash_seed seed;
    struct evidence_watch *w = calloc(1, sizeof *w);
    if (!w) {
        return NULL;
    }
    w->appliance = a;
    if (getrandom(&seed, sizeof seed, 0) == sizeof seed) {
        w->packets = evidence_new(EVIDENCE_CLIENTS, &seed);
    }
    if (!w->packets) {
        free(w);
        return NULL;
    }
    return w;
}

void evidence_watch_free(struct evidence_watch *w)
{
    if (w) {
        evidence_free(w->packets);
        evidence_store_free(w->store);
        free(w);
    }
}

/* -- packets ------------------------------------------------------------------------------ */

static bool is_on(const struct appliance *a)
{
    return a->evidence && a->config.snapshot->evidence.enabled;
}

static void on_dhcp_packet(void *context, const struct seen_client *who,
                           const struct seen_packet *packet, bool begins)
{
    const struct appliance *a = context;
    if (is_on(a)) {
        evidence_note(a->evidence->packets, who, packet, EVIDENCE_DHCP, begins,
                      clock_now());
    }
}

static void on_tftp_packet(void *context, const struct seen_packet *packet)
{
    const struct appliance *a = context;
    if (!is_on(a)) {
        return;
    }
    usec_t now = clock_now();
    struct seen_client who = {.has_address = true,
                              .address = packet->sent ? packet->to : packet->from};
    const struct machine *m = machines_find(a->machines, &who.address, now);
    if (m) {
        who.has_mac = true;
        who.mac = m->mac;
    }
    evidence_note(a->evidence->packets, &who, packet, EVIDENCE_FILE, true, now);
}

void evidence_watch_dhcp(struct dhcp_hooks *hooks)
{
    hooks->packet = on_dhcp_packet;
}

void evidence_watch_tftp(struct tftp_hooks *hooks)
{
    hooks->packet = on_tftp_packet;
}

/* -- boots that have ended ---------------------------------------------------------------- */

static void print_name(const struct boot *b, char out[EVIDENCE_NAME])
{
    time_t now = time(NULL);
    struct tm tm = {0};
    const uint8_t *who = b->has_mac ? b->mac.octet : b->address.ip;
    size_t len = b->has_mac ? sizeof b->mac.octet : sizeof b->address.ip;
    if (!b->has_mac && endpoint_is_ip4(&b->address)) {
        who += len - 4;
        len = 4;
    }
    (void)gmtime_r(&now, &tm);
    struct text t = {out, EVIDENCE_NAME, 0};
    t.used = strftime(out, EVIDENCE_NAME, "%Y%m%d-%H%M%S-", &tm);
    text_say_hex(&t, who, len, "");
    text_say(&t, ".pcap");
}

static bool keep(struct evidence_watch *w, const struct boot *b,
                 const struct seen_client *who, char name[EVIDENCE_NAME])
{
    const struct evidence_conf *limits = &w->appliance->config.snapshot->evidence;
    if (!evidence_store_has_room(w->store, limits)) {
        return false; /* a storm: the first ones tell enough */
    }
    void *octets = malloc(EVIDENCE_PCAP_MAX);
    size_t len =
        octets ? evidence_write(w->packets, who, clock_epoch(), octets, EVIDENCE_PCAP_MAX)
               : 0;
    if (len == 0) {
        free(octets);
        return false;
    }
    print_name(b, name);
    return evidence_store_put(w->store, name, octets, len, limits);
}

/* A boot that went well, or not at all on purpose, leaves nothing. */
static bool on_end(void *context, const struct boot *b, char name[EVIDENCE_NAME])
{
    struct evidence_watch *w = context;
    struct seen_client who = {.has_mac = b->has_mac,
                              .mac = b->mac,
                              .has_address = b->has_address,
                              .address = b->address};
    bool kept = b->state == BOOT_STOPPED && is_on(w->appliance) && keep(w, b, &who, name);
    evidence_forget(w->packets, &who);
    return kept;
}

bool evidence_watch_start(struct evidence_watch *w)
{
    const struct appliance *a = w->appliance;
    const char *state_dir = a->config.snapshot->state_dir;
    AUTO(free) char *directory = NULL;
    if (state_dir && asprintf(&directory, "%s%s", state_dir, DIRECTORY) < 0) {
        directory = NULL;
        return false;
    }
    w->store = evidence_store_new(a->loop, directory);
    if (w->store) {
        boot_watch_keep(a->boots, on_end, w);
    }
    return w->store != NULL;
}

/* -- downloads ---------------------------------------------------------------------------- */

static void on_request(void *context, const struct http_request *q,
                       struct http_answer *out)
{
    const struct evidence_watch *w = context;
    char path[HTTP_PATH_SIZE];
    char disposition[EVIDENCE_NAME + 32];
    size_t len = 0;
    const char *name = http_path(q, path) ? path + strlen(PATH) : "";
    if (!w->store || !evidence_store_get(w->store, name, &out->fd, &out->octets, &len)) {
        http_answer_refuse(out, 404, "no such recording; the oldest are deleted");
        return;
    }
    out->type = PCAP_TYPE;
    out->len = len;
    snprintf(disposition, sizeof disposition, "attachment; filename=\"%.*s\"",
             EVIDENCE_NAME - 1, name);
    http_answer_add(out, "Content-Disposition", disposition);
}

bool evidence_watch_serve(struct evidence_watch *w, struct http *http)
{
    return http_serve(http, PATH, on_request, w);
}
