/* The part of `pxed status` that needs somebody: nothing is printed when nobody is needed. */
#include <stdio.h>

#include "app/orders.h"
#include "app/status_view.h"

#define ATTENTION_MOST 5

static void print_failure(const struct view *v, const json_t *boot)
{
    char line[2048];
    const char *host = answer_text(boot, "host");
    const char *sentence = answer_text(boot, "sentence");
    snprintf(line, sizeof line, "%s%s%s, %s, %s: %s", boot_who(boot), *host ? " " : "",
             host, view_said(boot, "arch"), view_age(v, boot, "ended").text,
             *sentence ? sentence : view_said(boot, "verdict"));
    view_note(v, "stopped", TONE_BAD, line);
    if (*answer_text(boot, "screen")) {
        view_note(v, " screen", TONE_DIM, answer_text(boot, "screen"));
    }
    if (*answer_text(boot, "remedy")) {
        view_note(v, " remedy", TONE_GOOD, answer_text(boot, "remedy"));
    }
    if (*answer_text(boot, "evidence")) {
        view_note(v, " packets", TONE_DIM, answer_text(boot, "evidence"));
    }
}

static void need_attention(struct view *v, bool *any)
{
    if (!*any) {
        view_part(v, TONE_BAD, "NEEDS ATTENTION");
        *any = true;
    }
}

static void print_failures(struct view *v, bool *any)
{
    const json_t *recent = view_member(v->document, "recent");
    size_t shown = 0;
    size_t more = 0;
    for (size_t i = 0; i < json_array_size(recent); i++) {
        const json_t *boot = json_array_get(recent, i);
        if (!json_is_true(view_member(boot, "attention"))) {
            continue;
        }
        need_attention(v, any);
        if (shown == ATTENTION_MOST) {
            more++;
            continue;
        }
        print_failure(v, boot);
        shown++;
    }
    if (more > 0) {
        char line[64];
        snprintf(line, sizeof line, "%zu more machines: `pxed log` has all", more);
        view_note(v, "stopped", TONE_BAD, line);
    }
}

static void print_refused_reload(struct view *v, bool *any)
{
    const json_t *reload =
        view_member(view_member(v->document, "configuration"), "reload");
    char line[2048];
    if (!json_is_false(view_member(reload, "ok"))) {
        return;
    }
    need_attention(v, any);
    snprintf(line, sizeof line, "%s, %llu faults, the old configuration stays: %s",
             view_age(v, reload, "time").text,
             (unsigned long long)view_count(reload, "faults"),
             view_said(reload, "first"));
    view_note(v, "reload", TONE_BAD, line);
}

static void print_conflicts(struct view *v, bool *any)
{
    size_t i;
    const json_t *one;
    json_array_foreach (view_member(v->document, "conflicts"), i, one) {
        char line[2048];
        need_attention(v, any);
        snprintf(line, sizeof line, "%s (%llu times)", view_said(one, "sentence"),
                 (unsigned long long)view_count(one, "count"));
        view_note(v, "conflict", TONE_WARN, line);
    }
}

static void print_lost(struct view *v, bool *any)
{
    size_t i;
    const json_t *one;
    json_array_foreach (view_member(v->document, "lost"), i, one) {
        char line[2048];
        need_attention(v, any);
        snprintf(line, sizeof line, "%s, %s", view_age(v, one, "last").text,
                 view_said(one, "sentence"));
        view_note(v, "lost", TONE_WARN, line);
        view_note(v, " remedy", TONE_GOOD, view_said(one, "remedy"));
    }
}

static void print_held(struct view *v, bool *any)
{
    size_t i;
    const json_t *one;
    json_array_foreach (view_member(v->document, "held"), i, one) {
        char line[512];
        const char *host = answer_text(one, "host");
        need_attention(v, any);
        snprintf(line, sizeof line,
                 "%s%s%s, last seen %s: `pxed approve %s` lets it boot",
                 view_said(one, "mac"), *host ? " " : "", host,
                 view_age(v, one, "last_seen").text, view_said(one, "mac"));
        view_note(v, "held", TONE_WARN, line);
    }
}

void view_attention(struct view *v)
{
    bool any = false;
    print_refused_reload(v, &any);
    print_failures(v, &any);
    print_conflicts(v, &any);
    print_lost(v, &any);
    print_held(v, &any);
}
