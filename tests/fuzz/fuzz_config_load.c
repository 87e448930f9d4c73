/*
 * Any text as a configuration, with files of hosts beside it, which begin at octets 0xff.
 *
 * Properties: what is refused has a fault; each fault has words and a place in its text;
 * printing faults survives any text; whatever was accepted can be used: each host is
 * found again by what names it, each plan names files that fit and profiles that are there.
 */
#include "config/hosts.h"
#include "config/load.h"
#include "tests/fuzz/fuzz.h"

#define FILES_MAX 4

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
        must(!e || (strlen(e->file) <= BOOT_URL_MAX &&
                    (e->profile < s->profile_count || (h && e->profile == OF_HOST))));
        must(!menu || menu_size(menu, (uint16_t)n) <= MENU_SIZE_MAX);
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
        must(!exact || (found && hosts_index(s->hosts, found) <= i));
        must(h->action != HOST_BOOT || h->profile < s->profile_count);
        try_plan(s, h);
    }
    for (size_t i = 0; i < s->profile_count; i++) {
        try_plan_of(s, &s->profiles[i], NULL);
    }
}

/* A fault is in one of the texts, and has words. */
static void check_faults(const struct faults *f, struct rd text,
                         const struct fault_source *files, size_t count)
{
    for (size_t i = 0; i < f->count; i++) {
        const struct fault *one = &f->list[i];
        must(one->text[0] != '\0' && one->file <= count);
        if (one->file == 0) {
            must(inside((const char *)text.p, rd_left(&text), one));
        } else {
            const struct fault_source *file = &files[one->file - 1];
            must(inside(file->text, file->len, one));
        }
    }
}

static void print(const struct faults *f, struct rd text)
{
    static FILE *nowhere;
    nowhere = nowhere ? nowhere : fopen("/dev/null", "we");
    must(nowhere != NULL);
    faults_print(f, "fuzz", (const char *)text.p, rd_left(&text), nowhere);
}

/* The files of hosts behind the configuration: at each octet 0xff, which no JSON has, one begins. */
static size_t cut_up(struct rd *in, struct fault_source files[FILES_MAX])
{
    size_t count = 0;
    while (rd_left(in) > 0 && count < FILES_MAX) {
        (void)rd_u8(in);
        const uint8_t *cut = rd_left(in) ? memchr(in->p, 0xff, rd_left(in)) : NULL;
        struct rd part = rd_sub(in, cut ? (size_t)(cut - in->p) : rd_left(in));
        files[count++] = (struct fault_source){.name = "hosts.d/a.json",
                                               .text = (const char *)part.p,
                                               .len = rd_left(&part)};
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fault_source files[FILES_MAX];
    struct faults f = {0};
    struct rd in = rd_over(data, size);
    const uint8_t *cut = size > 0 ? memchr(data, 0xff, size) : NULL;
    struct rd text = rd_sub(&in, cut ? (size_t)(cut - data) : size);
    size_t count = cut_up(&in, files);
    struct snapshot *s = config_read((const char *)text.p, rd_left(&text), &f);
    must(s != NULL || f.errors > 0);
    if (s && count > 0) {
        config_read_hosts(s, files, count, &f);
        must(s->host_path_count == count);
    }
    check_faults(&f, text, files, count);
    if (s && f.errors == 0) {
        use(s);
    }
    print(&f, text);
    faults_done(&f);
    snapshot_free(s);
    return 0;
}
