#include "app/virtual_directory.h"

#include <stdio.h>
#include <string.h>

#define HEX "0123456789abcdefABCDEF"

/*
 * A Raspberry Pi asks in a directory of its own first: its serial number (8 digits), or its MAC
 * address ("dc-a6-32-01-36-c2").  What is shared by many has no such part.
 */
static const char *without_own(const char *name)
{
    size_t serial = strspn(name, HEX);
    size_t mac = strspn(name, HEX "-");
    bool dashes = mac == 17;
    for (size_t i = 0; dashes && i < 17; i++) {
        dashes = (name[i] == '-') == (i % 3 == 2);
    }
    size_t own = dashes ? 17 : serial == 8 ? 8 : 0;
    return own > 0 && name[own] == '/' ? name + own + 1 : name;
}

enum tftp_virtual virtual_directory(const struct virtual_question *q,
                                    struct tftp_answer *out)
{
    const struct plan plan = virtual_plan(q);
    const char *pattern =
        plan.profile ? plan_directory(q->config, plan.profile, plan.host) : NULL;
    if (!pattern) {
        return TFTP_VIRTUAL_NONE;
    }
    char directory[SYSTEM_NAME_MAX + 1];
    struct template_place place;
    struct template_client client = virtual_client(q);
    enum template_fault fault = system_render_name(&client, pattern, directory, &place);
    if (fault != TEMPLATE_OK) {
        return virtual_refuse_fault(out, "directory", fault, &place);
    }
    int len =
        snprintf(out->file, sizeof out->file, "%s/%s", directory, without_own(q->name));
    return (size_t)len < sizeof out->file ? TFTP_VIRTUAL_FILE : TFTP_VIRTUAL_NONE;
}
