#include "common/log_format.h"

#include <string.h>

/* One for each event, never to be changed; docs/monitoring.md has the same table. */
static const struct {
    const char *event;
    const char *id;
} messages[] = {
    {"pxed ready", "076ffd4122114f97804ef9acdbfcdf4e"},
    {"pxed reloaded", "4ccdd1e9a1d24467ac992c7ab4d8b69d"},
    {"reload refused", "6f3c97a241604011916018d10d046241"},
    {"interface serves", "b675d3ba7efb4041a9b88bc82d5f80ae"},
    {"dhcp offer", "b7c2f216e95a449183a22174a7a8df79"},
    {"dhcp ack", "c357e5dd1b7945ae890eda20371a72f1"},
    {"dhcp silent", "214f3bdeb3244a9b8f1430b7965e00e4"},
    {"dhcp malformed", "77b9f780e9a8425fb30eabfec18b25b7"},
    {"dhcp conflict", "5ba0221f184e4844a585cca936270dfd"},
    {"dhcp6 advertise", "84d034de96284574bd99d378d725ceb5"},
    {"dhcp6 reply", "c1ed42b4de604a05add4a1d12f7f97a9"},
    {"dhcp6 silent", "f7468226e79a450a90daea63809b4fc6"},
    {"dhcp6 malformed", "0ee4ff2dac2b4f32b177c091d22695a4"},
    {"tftp done", "da1c0dbca6054a3491022d610ab48228"},
    {"tftp failed", "4fb41d451bbc42b0a68465fe0b2a5288"},
    {"tftp refused", "89c90fd4aac94ab8a86639df7528645e"},
    {"tftp silent", "d7022a4f782e42d1ad31cfc977c3f5d9"},
    {"packets lost", "c5d9ecaadc9c43869f7c11ed4f8b3e15"},
    {"boot done", "72df5be7a2e14360813df43a887fbe13"},
    {"boot stopped", "2d0a4f6030b3498f8cee86a9eb116428"},
    {"boot left alone", "029b3bef99ae4f1e8b5eccad5a8fed85"},
    {"http done", "c881ac8108ff468899c7f5d38c69e23e"},
    {"http failed", "5bc22be50ea446449218ac9b12fe57c3"},
    {"http refused", "8e660411f86e43098df0c5b622d511e9"},
    {"http page", "56004986088b44d1beb1ac031fa6ca17"},
    {"host approved", "74956aa1d94242569169a84df1523449"},
    {"host reset", "9ffb506f6119416484574cc3e6ea6f10"},
};

const char *log_message_id(const struct log_line *l)
{
    for (size_t i = 0; l->event && i < sizeof messages / sizeof messages[0]; i++) {
        if (strcmp(messages[i].event, l->event) == 0) {
            return messages[i].id;
        }
    }
    return NULL;
}

/* -- levels ------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int priority;
} levels[] = {
    [LOG_ERROR] = {"error", 3},
    [LOG_WARNING] = {"warning", 4},
    [LOG_INFO] = {"info", 6},
    [LOG_DEBUG] = {"debug", 7},
};

const char *log_level_name(enum log_level level)
{
    return levels[level].name;
}

int log_priority(enum log_level level)
{
    return levels[level].priority;
}

/* -- text --------------------------------------------------------------------------------- */

/* With a backslash in front of every one of these octets. */
static void say_escaped(struct text *out, const char *value, const char *special)
{
    while (*value) {
        size_t plain = strcspn(value, special);
        text_say(out, "%.*s", (int)plain, value);
        value += plain;
        if (*value) {
            text_say(out, "\\%c", *value++);
        }
    }
}

static void say_pair(struct text *out, const char *key, const char *value)
{
    bool quote = value[0] == '\0' || value[strcspn(value, " \"=")] != '\0';
    text_say(out, quote ? " %s=\"" : " %s=", key);
    say_escaped(out, value, "\"");
    text_say(out, quote ? "\"" : "");
}

static void say_message(struct text *out, const struct log_line *l)
{
    text_say(out, "%s", l->event ? l->event : l->values);
    for (unsigned i = 0; i < l->count; i++) {
        say_pair(out, l->field[i].key, log_value(l, i));
    }
    if (l->repeated == 1) {
        text_say(out, " (repeated once)");
    } else if (l->repeated > 1) {
        text_say(out, " (repeated %u times)", l->repeated);
    }
}

void log_as_text(const struct log_line *l, const char *head, bool show_level,
                 struct text *out)
{
    bool named = show_level && l->level != LOG_INFO;
    text_say(out, "%s%s%s", head, named ? levels[l->level].name : "", named ? ": " : "");
    say_message(out, l);
}

/* -- JSON --------------------------------------------------------------------------------- */

/* Line ends and the like are no part of a value any more. */
static void say_member(struct text *out, const char *key, const char *value)
{
    text_say(out, ", \"%s\": \"", key);
    say_escaped(out, value, "\"\\");
    text_say(out, "\"");
}

/* "nan" is none, nor is a number whose end did not fit. */
static bool is_json_number(const char *value)
{
    size_t digits = 0;
    size_t dots = 0;
    size_t i = value[0] == '-';
    for (; value[i]; i++) {
        bool dot = value[i] == '.';
        if (!dot && (value[i] < '0' || value[i] > '9')) {
            return false;
        }
        dots += dot;
        digits += !dot;
    }
    return digits > 0 && dots <= 1 && value[i - 1] != '.';
}

void log_as_json(const struct log_line *l, const char *time, struct text *out)
{
    const char *id = log_message_id(l);
    text_say(out, "{\"time\": \"%s\", \"level\": \"%s\"", time, levels[l->level].name);
    say_member(out, "event", l->event ? l->event : "note");
    if (id) {
        say_member(out, "id", id);
    }
    if (!l->event) {
        say_member(out, "note", l->values);
    }
    for (unsigned i = 0; i < l->count; i++) {
        const char *value = log_value(l, i);
        if (l->field[i].number && is_json_number(value)) {
            text_say(out, ", \"%s\": %s", l->field[i].key, value);
        } else {
            say_member(out, l->field[i].key, value);
        }
    }
    if (l->repeated) {
        text_say(out, ", \"repeated\": %u", l->repeated);
    }
    text_say(out, "}");
}

/* -- journal ------------------------------------------------------------------------------ */

static void say_field(struct text *out, const char *key, const char *value)
{
    text_say(out, "PXE_");
    for (; *key; key++) {
        text_say(out, "%c", *key >= 'a' && *key <= 'z' ? *key - 'a' + 'A' : *key);
    }
    text_say(out, "=%s\n", value);
}

void log_as_journal(const struct log_line *l, struct text *out)
{
    const char *id = log_message_id(l);
    text_say(out, "MESSAGE=");
    say_message(out, l);
    text_say(out, "\nPRIORITY=%d\nSYSLOG_IDENTIFIER=pxed\n", levels[l->level].priority);
    if (id) {
        text_say(out, "MESSAGE_ID=%s\n", id);
    }
    for (unsigned i = 0; i < l->count; i++) {
        say_field(out, l->field[i].key, log_value(l, i));
    }
    if (l->repeated) {
        text_say(out, "PXE_REPEATED=%u\n", l->repeated);
    }
}
