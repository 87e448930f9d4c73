#include "app/status_print.h"

#include <stdlib.h>
#include <string.h>

#include "app/orders.h"
#include "app/status_view.h"
#include "app/table.h"
#include "app/when.h"

static void print_head(struct view *v)
{
    const json_t *d = v->document;
    const json_t *c = view_member(d, "configuration");
    char line[1024] = "";
    char shown[2048] = "";
    struct text t = {shown, sizeof shown, 0};
    snprintf(line, sizeof line,
             "pxed %s, process %llu, up %s: %s, loaded %s, %llu hosts, %llu profiles",
             view_said(d, "version"), (unsigned long long)view_count(d, "pid"),
             view_duration(view_number(d, "uptime", -1)).text, view_said(c, "path"),
             view_age(v, c, "loaded").text, (unsigned long long)view_count(c, "hosts"),
             (unsigned long long)view_count(c, "profiles"));
    human_wrap(&t, line, v->to->room, 2);
    fprintf(v->to->out, "%s\n", shown);
    v->begun = true;
}

static void print_interfaces(struct view *v)
{
    static const struct column columns[5]; /* without headings */
    const json_t *list = view_member(v->document, "interfaces");
    struct table t;
    size_t i;
    const json_t *one;
    table_begin(&t, columns, 5);
    json_array_foreach (list, i, one) {
        bool serves = strcmp(answer_text(one, "state"), "serving") == 0;
        table_cell(&t, TONE_STRONG, "%s", view_said(one, "name"));
        table_cell(&t, serves ? TONE_GOOD : TONE_WARN, "%s", view_said(one, "state"));
        table_cell(&t, TONE_PLAIN, "%s", answer_text(one, "address"));
        table_cell(&t, TONE_DIM, "%s", answer_text(one, "listen"));
        table_cell(&t, TONE_DIM, "%s", answer_text(one, "why"));
    }
    table_print(&t, v->to, 2);
    table_end(&t);
}

/* -- under way ---------------------------------------------------------------------------- */

static char *transfer_line(const struct view *v, const json_t *file, char *shown,
                           size_t size)
{
    struct text t = {shown, size, 0};
    struct human_room room = v->to->room;
    const unsigned indent = room.width > 0 && room.width < 60 ? 4 : 6;
    struct human_progress p = {
        .what = view_said(file, "name"),
        .done = view_count(file, "sent"),
        .total = view_count(file, "size"),
        .rate = view_number(file, "rate", 0),
        .left = view_number(file, "left", -1),
    };
    uint64_t resent = view_count(file, "resent");
    if (room.width > 0) {
        room.width = room.width > indent ? room.width - indent : 1;
    }
    shown[0] = '\0';
    text_say(&t, "%*s", (int)indent, "");
    human_progress(&t, &p, room);
    if (room.width == 0 && resent > 0) {
        text_say(&t, ", %llu resent", (unsigned long long)resent);
    }
    return shown;
}

/* A file under way, and whose it is. */
struct owned {
    json_int_t boot; /* 0: of no boot */
    size_t place;
    const json_t *file;
    bool shown;
};

/* Those of one boot side by side, so that a crowd is shown in one pass. */
struct owned_files {
    size_t count;
    struct owned *file;
};

static int by_boot(const void *a, const void *b)
{
    const struct owned *x = a;
    const struct owned *y = b;
    if (x->boot != y->boot) {
        return x->boot < y->boot ? -1 : 1;
    }
    return x->place < y->place ? -1 : 1;
}

/* None, when there is no memory. */
static struct owned_files owned_of(const json_t *transfers)
{
    size_t count = json_array_size(transfers);
    struct owned_files all = {.file = count > 0 ? calloc(count, sizeof *all.file) : NULL};
    for (size_t i = 0; i < count && all.file; i++) {
        const json_t *file = json_array_get(transfers, i);
        json_int_t boot = json_integer_value(view_member(file, "boot"));
        all.file[all.count++] = (struct owned){.boot = boot, .place = i, .file = file};
    }
    if (all.count > 0) {
        qsort(all.file, all.count, sizeof *all.file, by_boot);
    }
    return all;
}

/* The place of the first file of the boot, or where it would be. */
static size_t first_of(const struct owned_files *all, json_int_t boot)
{
    size_t low = 0;
    size_t high = all->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (all->file[middle].boot < boot) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void add_boot(const struct view *v, struct table *t, struct owned_files *files,
                     const json_t *boot)
{
    char line[2048];
    json_int_t id = json_integer_value(view_member(boot, "id"));
    table_cell(t, TONE_STRONG, "%s", boot_who(boot));
    table_cell(t, TONE_PLAIN, "%s", answer_text(boot, "host"));
    table_cell(t, TONE_DIM, "%s", answer_text(boot, "ip"));
    table_cell(t, TONE_PLAIN, "%s", answer_text(boot, "arch"));
    table_cell(t, TONE_PLAIN, "%s", answer_text(boot, "client"));
    table_cell(t, TONE_GOOD, "%s", answer_text(boot, "stage"));
    table_cell(t, TONE_PLAIN, "%s", view_duration(view_number(boot, "seconds", -1)).text);
    for (size_t i = first_of(files, id); id > 0 && i < files->count; i++) {
        struct owned *one = &files->file[i];
        if (one->boot != id) {
            return;
        }
        one->shown = true;
        table_line(t, transfer_line(v, one->file, line, sizeof line));
    }
}

static void print_under_way(struct view *v, struct owned_files *files)
{
    static const struct column columns[] = {
        {"MAC", HUMAN_LEFT, 17},  {"HOST", HUMAN_LEFT, 16},   {"ADDRESS", HUMAN_LEFT, 39},
        {"ARCH", HUMAN_LEFT, 16}, {"CLIENT", HUMAN_LEFT, 12}, {"STAGE", HUMAN_LEFT, 12},
        {"FOR", HUMAN_RIGHT, 8},
    };
    const json_t *boots = view_member(v->document, "boots");
    struct table t;
    size_t i;
    const json_t *one;
    char title[64];
    snprintf(title, sizeof title, "BOOTING NOW: %zu", json_array_size(boots));
    view_part(v, TONE_STRONG, title);
    table_begin(&t, columns, 7);
    json_array_foreach (boots, i, one) {
        add_boot(v, &t, files, one);
    }
    table_print(&t, v->to, 2);
    table_end(&t);
}

static void print_peer(const struct view *v, const json_t *file)
{
    char shown[256] = "";
    struct text t = {shown, sizeof shown, 0};
    struct human_room room = v->to->room;
    room.width -= room.width > 2 ? 2 : 0;
    human_fit(&t, view_said(file, "peer"), room, HUMAN_CUT);
    fprintf(v->to->out, "  %s\n", shown);
}

/* Those of no boot under way: a machine that runs already, or one that DHCP never saw. */
static void print_other_transfers(struct view *v, const struct owned_files *files)
{
    bool any = false;
    for (size_t i = 0; i < files->count; i++) {
        char line[2048];
        const struct owned *one = &files->file[i];
        if (one->shown) {
            continue;
        }
        if (!any) {
            view_part(v, TONE_STRONG, "OTHER TRANSFERS");
            any = true;
        }
        print_peer(v, one->file);
        fprintf(v->to->out, "%s\n", transfer_line(v, one->file, line, sizeof line));
    }
}

/* -- what has ended ----------------------------------------------------------------------- */

static void print_recent(struct view *v, size_t most)
{
    static const struct column columns[] = {
        {"ENDED", HUMAN_LEFT, 19}, {"MAC", HUMAN_LEFT, 17},  {"HOST", HUMAN_LEFT, 16},
        {"ARCH", HUMAN_LEFT, 12},  {"TOOK", HUMAN_RIGHT, 8}, {"VERDICT", HUMAN_LEFT, 22},
        {"", HUMAN_LEFT, 0},
    };
    const json_t *recent = view_member(v->document, "recent");
    struct table t;
    if (json_array_size(recent) == 0 || most == 0) {
        return;
    }
    view_part(v, TONE_STRONG, "LATELY");
    table_begin(&t, columns, 7);
    for (size_t i = 0; i < json_array_size(recent) && i < most; i++) {
        const json_t *boot = json_array_get(recent, i);
        char when[32];
        table_cell(&t, TONE_DIM, "%s",
                   when_show(answer_text(boot, "ended"), v->now, when, sizeof when));
        table_cell(&t, TONE_PLAIN, "%s", boot_who(boot));
        table_cell(&t, TONE_PLAIN, "%s", answer_text(boot, "host"));
        table_cell(&t, TONE_PLAIN, "%s", answer_text(boot, "arch"));
        table_cell(&t, TONE_PLAIN, "%s",
                   view_duration(view_number(boot, "seconds", -1)).text);
        table_cell(&t, boot_tone(boot), "%s", view_said(boot, "verdict"));
        table_cell(&t, TONE_PLAIN, "%s", answer_text(boot, "sentence"));
    }
    table_print(&t, v->to, 2);
    table_end(&t);
}

static void print_totals(struct view *v)
{
    const json_t *totals = view_member(v->document, "totals");
    char octets[16];
    char line[256];
    char shown[512] = "";
    struct text t = {shown, sizeof shown, 0};
    if (!json_is_object(totals)) {
        return;
    }
    snprintf(
        line, sizeof line,
        "Since the start: %llu booted, %llu stopped, %llu left alone, %llu files, %s, "
        "%llu blocks resent.",
        (unsigned long long)view_count(totals, "booted"),
        (unsigned long long)view_count(totals, "stopped"),
        (unsigned long long)view_count(totals, "silent"),
        (unsigned long long)view_count(totals, "transfers"),
        text_bytes(view_count(totals, "octets"), octets, sizeof octets),
        (unsigned long long)view_count(totals, "resent"));
    human_wrap(&t, line, v->to->room, 2);
    fprintf(v->to->out, "\n%s%s%s\n", terminal_tone(v->to, TONE_DIM), shown,
            terminal_tone(v->to, TONE_PLAIN));
}

void status_print(const json_t *document, const struct terminal *t, size_t recent)
{
    struct view v = {.to = t, .document = document, .now = answer_text(document, "time")};
    struct owned_files files = owned_of(view_member(document, "transfers"));
    print_head(&v);
    print_interfaces(&v);
    view_attention(&v);
    print_under_way(&v, &files);
    print_other_transfers(&v, &files);
    print_recent(&v, recent);
    print_totals(&v);
    free(files.file);
}
