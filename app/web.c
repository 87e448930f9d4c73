#include "app/web.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/boot_watch.h"
#include "app/commands.h"
#include "app/counts_json.h"
#include "app/json.h"
#include "app/metrics.h"
#include "app/page.h"
#include "app/timeline_json.h"

#define JSON_TYPE    "application/json"
#define STATUS_KEEPS (200 * USEC_PER_MSEC) /* one document serves all who ask meanwhile */

struct web {
    const struct appliance *appliance;
    struct process process;
    char *status; /* the status document as text; NULL: none yet */
    size_t status_len;
    usec_t status_at;
};

/* -- answers ------------------------------------------------------------------------------ */

static void give(struct http_answer *out, const char *type, void *octets, size_t len)
{
    if (!octets) {
        http_answer_refuse(out, 503, "out of memory");
        return;
    }
    out->type = type;
    out->octets = octets;
    out->len = len;
}

static void give_copy(struct http_answer *out, const char *type, const char *text,
                      size_t len)
{
    void *copy = malloc(len);
    if (copy) {
        memcpy(copy, text, len);
    }
    give(out, type, copy, len);
}

static void on_page(void *context, const struct http_request *q, struct http_answer *out)
{
    (void)context;
    (void)q;
    size_t len;
    const char *text = page_text(&len);
    give_copy(out, PAGE_TYPE, text, len);
    http_answer_add(out, "Content-Security-Policy", page_policy());
    http_answer_add(out, "X-Frame-Options", "DENY");
    http_answer_add(out, "Referrer-Policy", "no-referrer");
}

/* -- documents ---------------------------------------------------------------------------- */

static void give_json(struct http_answer *out, json_t *document)
{
    char *text = document ? json_dumps(document, JSON_COMPACT | JSON_DIGITS) : NULL;
    json_decref(document);
    give(out, JSON_TYPE, text, text ? strlen(text) : 0);
}

static void give_status(struct web *w, struct http_answer *out)
{
    usec_t now = clock_now();
    if (!w->status || now - w->status_at >= STATUS_KEEPS) {
        json_auto_t *document = status_json(w->appliance, BOOT_WITH_FILES);
        free(w->status);
        w->status = document ? json_dumps(document, JSON_COMPACT | JSON_DIGITS) : NULL;
        w->status_len = w->status ? strlen(w->status) : 0;
        w->status_at = now;
    }
    if (!w->status) {
        http_answer_refuse(out, 503, "out of memory");
        return;
    }
    give_copy(out, JSON_TYPE, w->status, w->status_len);
}

static void give_boots(const struct web *w, const struct http_request *q,
                       struct http_answer *out)
{
    char text[HTTP_TARGET_SIZE];
    struct mac mac;
    struct boots_wanted wanted = {.mac = NULL};
    if (http_query(q, "mac", text, sizeof text)) {
        if (!mac_parse(text, &mac)) {
            http_answer_refuse(out, 400, "mac must be such as 52:54:00:12:34:56");
            return;
        }
        wanted.mac = &mac;
    }
    if (http_query(q, "id", text, sizeof text) && !text_decimal(text, &wanted.id)) {
        http_answer_refuse(out, 400, "id must be a number");
        return;
    }
    give_json(out, boots_json(w->appliance, &wanted));
}

static void on_api(void *context, const struct http_request *q, struct http_answer *out)
{
    char path[HTTP_PATH_SIZE];
    if (!http_path(q, path)) {
        http_answer_refuse(out, 404, "no such document");
    } else if (strcmp(path, "/api/status") == 0) {
        give_status(context, out);
    } else if (strcmp(path, "/api/boots") == 0) {
        give_boots(context, q, out);
    } else {
        http_answer_refuse(out, 404,
                           "no such document; there are /api/status and /api/boots");
    }
}

/* -- metrics ------------------------------------------------------------------------------ */

/* The clock of the world at a time of the loop's. */
static double world_time(usec_t at)
{
    return (double)(clock_epoch() + (int64_t)at) / (double)USEC_PER_SEC;
}

static size_t count_booting(const struct timeline *t)
{
    size_t count = 0;
    for (size_t i = 0; i < timeline_room(t); i++) {
        const struct boot *b = timeline_at(t, i);
        count += b && b->state == BOOT_BOOTING;
    }
    return count;
}

static void collect(const struct web *w, struct metrics_sources *out)
{
    const struct appliance *a = w->appliance;
    const struct reload_outcome *reload = reload_last(a->reload);
    *out = (struct metrics_sources){
        .version = PXED_VERSION,
        .of = tallies_of(a),
        .interfaces = a->network.interfaces,
        .interface_count = a->network.interface_count,
        .hosts = hosts_count(a->config.snapshot->hosts),
        .reload_good = reload->at == 0 || reload->good,
        .reload_time = world_time(a->loaded),
    };
    if (a->dhcp) {
        out->radar = dhcp_service_radar(a->dhcp);
    }
    if (a->tftp) {
        out->tftp_running = tftp_service_running(a->tftp);
        out->tftp_half_open = tftp_service_half_open(a->tftp);
    }
    out->boots = boot_watch_tally(a->boots);
    out->booting = count_booting(boot_watch_timeline(a->boots));
    process_read(&w->process, &out->process);
}

static void on_metrics(void *context, const struct http_request *q,
                       struct http_answer *out)
{
    const struct web *w = context;
    struct metrics_sources sources;
    char *text = malloc(METRICS_TEXT_MAX);
    (void)q;
    if (!text) {
        http_answer_refuse(out, 503, "out of memory");
        return;
    }
    struct exposition e = exposition_over(text, METRICS_TEXT_MAX);
    collect(w, &sources);
    if (!metrics_write(&sources, &e)) {
        free(text);
        http_answer_refuse(out, 500, "the metrics do not fit");
        return;
    }
    give(out, EXPOSITION_TYPE, text, e.text.used);
}

/* -- start and end ------------------------------------------------------------------------ */

int web_new(const struct appliance *a, struct web **out)
{
    struct web *w = calloc(1, sizeof *w);
    if (!w) {
        return -ENOMEM;
    }
    w->appliance = a;
    process_open(&w->process);
    *out = w;
    return 0;
}

void web_free(struct web *w)
{
    if (w) {
        process_close(&w->process);
        free(w->status);
        free(w);
    }
}

bool web_serve(struct web *w, struct http *http)
{
    return http_serve(http, "/", on_page, w) && http_serve(http, "/api/", on_api, w) &&
           http_serve(http, "/metrics", on_metrics, w);
}
