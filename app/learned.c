#include "app/learned.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/commands.h"
#include "app/control.h"
#include "app/json.h"
#include "app/options.h"
#include "app/orders.h"
#include "app/timeline_json.h"
#include "common/tell.h"
#include "common/text.h"
#include "dhcp/service.h"
#include "tftp/service.h"
#include "tftp/window.h"

/* -- the verbs ---------------------------------------------------------------------------- */

static json_t *windows_of(const struct tftp_service *tftp)
{
    json_t *list = json_array();
    struct tftp_window w;
    const struct tftp_windows *windows = tftp ? tftp_service_windows(tftp) : NULL;
    for (size_t i = 0; windows && tftp_windows_at(windows, i, &w); i++) {
        char from[ENDPOINT_TEXT];
        json_array_append_new(list,
                              json_pack("{s:s, s:b, s:s, s:I}", "from",
                                        endpoint_print_ip(&w.from, from), "subnet",
                                        w.subnet, "client", tftp_kind_name(w.shape.kind),
                                        "blocks", (json_int_t)w.blocks));
    }
    return list;
}

static json_t *form_of(const struct ladder_kind *kind)
{
    json_t *came = json_object();
    char class[4 * LADDER_CLASS_LEN + 4];
    for (unsigned form = OFFER_PXE; form < OFFER_FORM_COUNT; form++) {
        if (kind->came[form] > 0) {
            json_object_set_new(came, offer_form_name((enum offer_form)form),
                                json_integer(kind->came[form]));
        }
    }
    text_show(kind->class, strnlen(kind->class, sizeof kind->class), class, sizeof class);
    const char *arch = arch_name(kind->arch);
    return json_pack("{s:s, s:s, s:s, s:o}", "class", class, "arch", arch ? arch : "-",
                     "form", offer_form_name(ladder_first(kind)), "came", came);
}

static json_t *forms_of(const struct dhcp_service *dhcp)
{
    json_t *list = json_array();
    const struct ladder *ladder = dhcp ? dhcp_service_ladder(dhcp) : NULL;
    for (size_t i = 0; ladder && i < LADDER_KINDS; i++) {
        const struct ladder_kind *kind = ladder_kind_at(ladder, i);
        if (kind && kind->used) {
            json_array_append_new(list, form_of(kind));
        }
    }
    return list;
}

static void on_learned(void *context, struct control_ticket ticket,
                       const json_t *question)
{
    const struct appliance *a = context;
    (void)question;
    control_answer(ticket,
                   json_pack("{s:o, s:o, s:o}", "windows", windows_of(a->tftp), "forms",
                             forms_of(a->dhcp), "conflicts", conflicts_json(a->dhcp)));
}

static void on_forget(void *context, struct control_ticket ticket, const json_t *question)
{
    const struct appliance *a = context;
    (void)question;
    if (a->tftp) {
        tftp_service_forget_windows(a->tftp);
    }
    if (a->dhcp) {
        dhcp_service_forget_forms(a->dhcp);
    }
    control_answer(ticket, json_object());
}

bool learned_serve(struct appliance *a)
{
    return control_add(a->control, "learned", on_learned, a) &&
           control_add(a->control, "forget", on_forget, a);
}

/* -- the command -------------------------------------------------------------------------- */

static void print_windows(const json_t *list)
{
    size_t i;
    json_t *w;
    tell(stdout, "windows carried\n");
    json_array_foreach (list, i, w) {
        char from[ENDPOINT_TEXT + 8];
        bool subnet = json_is_true(json_object_get(w, "subnet"));
        snprintf(from, sizeof from, "%s%s", answer_text(w, "from"), subnet ? " ..." : "");
        tell(stdout, "  %-24s %-10s %lld blocks\n", from, answer_text(w, "client"),
             (long long)json_integer_value(json_object_get(w, "blocks")));
    }
}

static void print_forms(const json_t *list)
{
    size_t i;
    json_t *form;
    tell(stdout, "forms of offer that worked\n");
    json_array_foreach (list, i, form) {
        const char *name;
        json_t *count;
        tell(stdout, "  %-24s %-12s %s first;", answer_text(form, "class"),
             answer_text(form, "arch"), answer_text(form, "form"));
        json_object_foreach (json_object_get(form, "came"), name, count) {
            tell(stdout, " %s %lld", name, (long long)json_integer_value(count));
        }
        tell(stdout, "\n");
    }
}

static void print_conflicts(const json_t *list)
{
    size_t i;
    json_t *conflict;
    tell(stdout, "conflicts\n");
    json_array_foreach (list, i, conflict) {
        tell(stdout, "  %s (%lld times)\n", answer_text(conflict, "sentence"),
             (long long)json_integer_value(json_object_get(conflict, "count")));
    }
}

static int print_learned(const char *path, bool json)
{
    json_auto_t *answer =
        order(path, json_pack("{s:s}", "verb", "learned"), ORDER_SHORT_MS);
    if (!json_is_true(json_object_get(answer, "ok"))) {
        if (answer) {
            tell(stderr, "pxed: %s\n", answer_text(answer, "error"));
        }
        return EXIT_FAULT;
    }
    if (json) {
        json_object_del(answer, "ok");
        (void)json_print(json_incref(answer));
        return EXIT_GOOD;
    }
    print_windows(json_object_get(answer, "windows"));
    print_forms(json_object_get(answer, "forms"));
    print_conflicts(json_object_get(answer, "conflicts"));
    return EXIT_GOOD;
}

static int forget(const char *path)
{
    json_auto_t *answer =
        order(path, json_pack("{s:s}", "verb", "forget"), ORDER_SHORT_MS);
    if (!json_is_true(json_object_get(answer, "ok"))) {
        return EXIT_FAULT;
    }
    tell(stdout, "windows and forms are forgotten\n");
    return EXIT_GOOD;
}

int command_learned(int argc, char **argv)
{
    struct arguments {
        const char *path;
        bool json;
        bool forget;
    } a = {.path = PXED_CONFIGURATION};
    static const struct option_row rows[] = {
        {"config", 'c', OPTION_TEXT, offsetof(struct arguments, path)},
        {"forget", 0, OPTION_FLAG, offsetof(struct arguments, forget)},
        {"json", 0, OPTION_FLAG, offsetof(struct arguments, json)},
        {NULL, 0, 0, 0},
    };
    if (!options_read(rows, NULL, argc, argv, &a) || optind != argc) {
        tell(stderr, "usage: pxed learned [-c FILE] [--json | --forget]\n");
        return EXIT_USAGE;
    }
    return a.forget ? forget(a.path) : print_learned(a.path, a.json);
}
