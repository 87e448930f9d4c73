#include <stdlib.h>
#include <string.h>

#include "config/hosts.h"
#include "config/load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int truth)
{
    if (!truth) {
        abort();
    }
}

static int inside(const char *text, size_t size, const struct fault *f)
{
    const char *p = text;
    const char *end = text + size;
    for (int line = 1; line < f->line && p; line++) {
        p = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
        p = p ? p + 1 : NULL;
    }
    return p && f->line >= 1 && f->column >= 1 && p + f->column - 1 <= end;
}

static void try_plan_of(const struct snapshot *s, const struct profile *p,
                        const struct host *h)
{
    for (unsigned n = 0; n < SLOT_COUNT; n++) {
        const struct boot_entry *e =
            n < ARCH_COUNT ? plan_arch(p, h, (uint16_t)n) : plan_boot(p, h, n);
        const struct menu *menu = plan_menu(p, h, (uint16_t)n);
        check(!e || (strlen(e->file) <= BOOT_URL_MAX &&
                     (e->profile < s->profile_count || (h && e->profile == OF_HOST))));
        check(!menu || menu_size(menu, (uint16_t)n) <= MENU_SIZE_MAX);
    }
    (void)plan_done_when(s, p, h);
}

static void try_plan(const struct snapshot *s, const struct host *h)
{
    if (h->profile < s->profile_count) {
        try_plan_of(s, &s->profiles[h->profile], h);
    }
}

/* Whatever was accepted can be used: every host is found again by what names it. */
static void use(const struct snapshot *s)
{
    for (size_t i = 0; i < hosts_count(s->hosts); i++) {
        const struct host *h = hosts_at(s->hosts, i);
        struct host_facts facts = {.mac = h->mac_len == 6 ? &h->mac : NULL,
                                   .uuid = h->has_uuid ? h->uuid : NULL};
        bool exact = (h->mac_len == 6 || (h->has_uuid && h->mac_len == 0)) && !h->match;
        const struct host *found = hosts_find(s->hosts, &facts);
        check(!exact || (found && hosts_index(s->hosts, found) <= i));
        check(h->action != HOST_BOOT || h->profile < s->profile_count);
        try_plan(s, h);
    }
    for (size_t i = 0; i < s->profile_count; i++) {
        try_plan_of(s, &s->profiles[i], NULL);
    }
}

/* A refusal always has words, and a place in the text; printing survives any text. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static FILE *nowhere;
    const char *text = (const char *)data;
    struct faults f = {0};
    struct snapshot *s = config_load(text, size, &f);

    check(!s == (f.errors > 0));
    for (size_t i = 0; i < f.count; i++) {
        check(f.list[i].text[0] != '\0' && inside(text, size, &f.list[i]));
    }
    if (s) {
        use(s);
    }
    if (!nowhere) {
        nowhere = fopen("/dev/null", "w");
    }
    if (nowhere) {
        faults_print(&f, "fuzz", text, size, nowhere);
    }
    faults_done(&f);
    snapshot_free(s);
    return 0;
}
