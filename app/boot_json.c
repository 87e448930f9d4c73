#include "app/boot_json.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "app/boot_rules.h"
#include "app/json.h"
#include "app/loop.h"
#include "config/arch.h"

#define TIME_TEXT 32
struct moment moment_now(void)
{
    return (struct moment){clock_now(), clock_epoch()};
}

/* -- values ------------------------------------------------------------------------------- */

json_t *wall_json(int64_t milliseconds)
{
    char text[TIME_TEXT];
    char out[TIME_TEXT + 8];
    struct tm tm;
    time_t seconds = (time_t)(milliseconds / 1000);
    gmtime_r(&seconds, &tm);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(out, sizeof out, "%s.%03dZ", text, (int)(milliseconds % 1000));
    return json_string(out);
}

json_t *time_json(const struct moment *m, usec_t at)
{
    return wall_json((m->epoch + (int64_t)at) / 1000);
}

json_t *number_json(uint64_t n)
{
    return json_integer((json_int_t)n);
}

double seconds_of(usec_t time)
{
    return (double)time / (double)USEC_PER_SEC;
}

json_t *text_or_null(const char *text)
{
    return text && text[0] ? json_text(text) : json_null();
}

void json_put(json_t *o, const char *key, json_t *value)
{
    (void)json_object_set_new_nocheck(o, key, value); /* a constant */
}

/* -- a file ------------------------------------------------------------------------------- */

static json_t *asked_json(const struct boot_load *f)
{
    json_t *o = json_object();
    for (unsigned i = 0; i < f->asked_count; i++) {
        json_put(o, f->asked[i].name, number_json(f->asked[i].value));
    }
    return o;
}

static void add_speed(json_t *o, const struct boot_load *f, const struct moment *m)
{
    const struct boot_progress *p = &f->progress;
    bool runs = f->end == BOOT_FILE_RUNS;
    usec_t took = (runs ? m->now : f->ended) - f->began;
    double rate = took > 0 ? (double)p->sent / seconds_of(took) : 0;
    bool tells = runs && rate > 0 && p->size != UINT64_MAX;
    json_put(o, "seconds", json_real(seconds_of(took)));
    json_put(o, "rate", json_integer((json_int_t)rate));
    json_put(o, "left",
             tells  ? json_real((double)(p->size - p->sent) / rate)
             : runs ? json_null()
                    : json_real(0));
}

static void add_wire(json_t *o, const struct boot_progress *p)
{
    json_put(o, "block", p->block > 0 ? number_json(p->block) : json_null());
    json_put(o, "window", p->window > 0 ? number_json(p->window) : json_null());
    json_put(o, "rtt", p->rtt > 0 ? json_real(seconds_of(p->rtt)) : json_null());
    json_put(o, "resent", number_json(p->resent));
}

json_t *file_json(const struct boot_load *f, const struct moment *m)
{
    char peer[ENDPOINT_TEXT];
    json_t *o = json_object();
    bool refused = f->end == BOOT_FILE_REFUSED;
    json_put(o, "door", json_string(boot_door_name(f->door)));
    json_put(o, "name", json_text(f->name));
    json_put(o, "served",
             refused ? json_null() : json_text(f->served[0] ? f->served : f->name));
    json_put(o, "peer", json_string(endpoint_print(&f->peer, peer)));
    json_put(o, "size",
             f->progress.size == UINT64_MAX ? json_null()
                                            : number_json(f->progress.size));
    json_put(o, "sent", number_json(f->progress.sent));
    json_put(o, "asked", asked_json(f));
    add_wire(o, &f->progress);
    json_put(o, "began", time_json(m, f->began));
    add_speed(o, f, m);
    json_put(o, "end",
             f->end == BOOT_FILE_RUNS ? json_null()
                                      : json_string(boot_file_end_name(f->end)));
    if (refused) {
        json_put(o, "reason", json_text(f->reason));
        json_put(o, "repeats", number_json(f->repeats + 1));
    }
    return o;
}

static json_t *files_json(const struct boot *b, const struct moment *m)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < b->file_count; i++) {
        (void)json_array_append_new(list, file_json(&b->files[i], m));
    }
    return list;
}

/* -- a boot ------------------------------------------------------------------------------- */

static json_t *event_json(const struct boot *b, const struct boot_event *e)
{
    char server[ENDPOINT_TEXT];
    json_t *o = json_object();
    json_put(o, "at", json_real(seconds_of(e->at - b->began)));
    json_put(o, "kind", json_string(boot_event_kind_name(e->kind)));
    json_put(o, "text", json_text(e->text));
    json_put(o, "repeats", number_json(e->repeats));
    if (e->repeats > 1) {
        json_put(o, "last", json_real(seconds_of(e->last - b->began)));
    }
    if (e->kind == BOOT_SILENT) {
        json_put(o, "reason", json_text(e->text));
    }
    if (e->has_server) {
        json_put(o, "server",
                 json_string(e->server.port ? endpoint_print(&e->server, server)
                                            : endpoint_print_ip(&e->server, server)));
    }
    return o;
}

static json_t *events_json(const struct boot *b)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < b->event_count; i++) {
        (void)json_array_append_new(list, event_json(b, &b->events[i]));
    }
    return list;
}

static void add_machine(json_t *o, const struct boot *b)
{
    char text[ENDPOINT_TEXT];
    const char *arch = b->has_arch ? arch_name(b->arch) : NULL;
    const char *client = boot_client_name(b->client);
    json_put(o, "mac", b->has_mac ? json_string(mac_print(&b->mac, text)) : json_null());
    json_put(o, "ip",
             b->has_address ? json_string(endpoint_print_ip(&b->address, text))
                            : json_null());
    json_put(o, "host", text_or_null(b->host));
    json_put(o, "profile", text_or_null(b->profile));
    json_put(o, "arch", text_or_null(arch));
    json_put(o, "client", text_or_null(client));
    json_put(o, "interface", text_or_null(b->interface));
}

static void add_verdict(json_t *o, const struct boot *b)
{
    struct boot_words words = {.screen = NULL};
    if (b->ended) {
        boot_say(b, b->verdict, &words);
    }
    json_put(o, "verdict", text_or_null(b->ended ? boot_rule_name(b->verdict) : NULL));
    json_put(o, "sentence", text_or_null(words.sentence));
    json_put(o, "screen", text_or_null(words.screen));
    json_put(o, "remedy", text_or_null(words.remedy));
    json_put(o, "evidence", text_or_null(b->ended ? b->evidence : NULL));
}

json_t *boot_json(const struct boot *b, const struct moment *m, unsigned parts)
{
    json_t *o = json_object();
    json_put(o, "id", number_json(b->id));
    add_machine(o, b);
    json_put(o, "began", time_json(m, b->began));
    json_put(o, "ended", b->ended ? time_json(m, b->ended) : json_null());
    json_put(o, "seconds",
             json_real(seconds_of((b->ended ? b->heard : m->now) - b->began)));
    json_put(o, "state", json_string(boot_state_name(b->state)));
    json_put(o, "stage", json_string(boot_stage_name(b->stage)));
    add_verdict(o, b);
    if (parts & BOOT_WITH_FILES) {
        json_put(o, "files", files_json(b, m));
    }
    if (parts & BOOT_WITH_EVENTS) {
        json_put(o, "events", events_json(b));
    }
    json_put(o, "forgotten", number_json(b->forgotten));
    return o;
}

/* -- how much there is -------------------------------------------------------------------- */

#define REAL_OCTETS 24

static size_t string_octets(const char *text, size_t len)
{
    size_t octets = len + 2;
    for (size_t i = 0; i < len; i++) {
        octets += text[i] == '"' || text[i] == '\\' ? 1 : 0;
        octets += (unsigned char)text[i] < ' ' ? 5 : 0;
    }
    return octets;
}

static size_t integer_octets(json_int_t n)
{
    size_t octets = n < 0 ? 2 : 1;
    while (n > 9 || n < -9) {
        n /= 10;
        octets++;
    }
    return octets;
}

static size_t list_octets(const json_t *list)
{
    size_t octets = 2;
    for (size_t i = 0; i < json_array_size(list); i++) {
        octets += json_octets(json_array_get(list, i)) + 1;
    }
    return octets;
}

static size_t object_octets(const json_t *object)
{
    json_t *all = (json_t *)object; /* it is read only */
    size_t octets = 2;
    for (void *at = json_object_iter(all); at; at = json_object_iter_next(all, at)) {
        const char *key = json_object_iter_key(at); /* ours: nothing to escape */
        octets += strlen(key) + 4 + json_octets(json_object_iter_value(at));
    }
    return octets;
}

size_t json_octets(const json_t *value)
{
    switch (value ? json_typeof(value) : JSON_NULL) {
    case JSON_OBJECT:
        return object_octets(value);
    case JSON_ARRAY:
        return list_octets(value);
    case JSON_STRING:
        return string_octets(json_string_value(value), json_string_length(value));
    case JSON_INTEGER:
        return integer_octets(json_integer_value(value));
    case JSON_REAL:
        return REAL_OCTETS;
    default:
        return 5;
    }
}
