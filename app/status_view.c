#include "app/status_view.h"

#include <stdio.h>
#include <string.h>

#include "app/orders.h"
#include "app/when.h"

const json_t *view_member(const json_t *object, const char *key)
{
    return json_object_get(object, key);
}

const char *view_said(const json_t *object, const char *key)
{
    const char *text = answer_text(object, key);
    return *text ? text : "-";
}

double view_number(const json_t *object, const char *key, double missing)
{
    const json_t *value = view_member(object, key);
    return json_is_number(value) ? json_number_value(value) : missing;
}

uint64_t view_count(const json_t *object, const char *key)
{
    double value = view_number(object, key, 0);
    return value > 0 ? (uint64_t)value : 0;
}

struct view_words view_duration(double seconds)
{
    struct view_words w = {""};
    struct text t = {w.text, sizeof w.text, 0};
    human_duration(&t, seconds);
    return w;
}

struct view_words view_age(const struct view *v, const json_t *object, const char *key)
{
    struct view_words w = {""};
    struct text t = {w.text, sizeof w.text, 0};
    double seconds = when_between(answer_text(object, key), v->now);
    human_duration(&t, seconds);
    text_say(&t, seconds >= 0 ? " ago" : "");
    return w;
}

void view_part(struct view *v, enum tone tone, const char *title)
{
    fprintf(v->to->out, "%s%s%s%s\n", v->begun ? "\n" : "", terminal_tone(v->to, tone),
            title, terminal_tone(v->to, TONE_PLAIN));
    v->begun = true;
}

void view_note(const struct view *v, const char *label, enum tone tone, const char *words)
{
    char text[4096] = "";
    char shown[2 * sizeof text] = "";
    struct text t = {shown, sizeof shown, 0};
    struct human_room room = v->to->room;
    const unsigned indent = 12;
    snprintf(text, sizeof text, "%s", words);
    human_wrap(&t, text, room, indent);
    fprintf(v->to->out, "  %s%-9s%s %s\n", terminal_tone(v->to, tone), label,
            terminal_tone(v->to, TONE_PLAIN), shown);
}

const char *boot_who(const json_t *boot)
{
    const char *mac = answer_text(boot, "mac");
    return *mac ? mac : view_said(boot, "ip");
}

enum tone boot_tone(const json_t *boot)
{
    const char *state = answer_text(boot, "state");
    return strcmp(state, "booted") == 0    ? TONE_GOOD
           : strcmp(state, "stopped") == 0 ? TONE_BAD
                                           : TONE_DIM;
}
