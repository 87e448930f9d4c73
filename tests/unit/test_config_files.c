#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/hosts.h"
#include "tests/unit/quoted.h"
#include "tests/unit/starve.h"
#include "tests/unit/suites.h"

#define DATA "tests/data/config/"

static char *slurp(const char *path, size_t *len)
{
    FILE *from = fopen(path, "rb");
    ck_assert_msg(from != NULL, "%s: run from the top of the source tree", path);
    char *text = calloc(1, 65536);
    *len = fread(text, 1, 65535, from);
    (void)fclose(from);
    return text;
}

START_TEST(five_faults_in_one_run)
{
    size_t len;
    struct faults f = {0};
    char *text = slurp(DATA "bad/five-faults.json", &len);
    ck_assert_ptr_null(config_load(text, len, &f));
    char *got = faults_in_lines(&f);
    ck_assert_str_eq(
        got,
        "6:23: tftp.max_block_size: 70000 is outside 8..65464\n"
        "7:5: tftp.max_windw_size: unknown key; did you mean \"max_window_size\"?\n"
        "10:61: profiles.default.x86-bios: expected a string, got a number\n"
        "13:32: hosts[0].mac: expected a MAC address such as \"52:54:00:12:34:56\" or "
        "the beginning of one such as \"52:54:00:*\"\n"
        "14:64: hosts[1].profile: there is no profile \"defualt\"; did you mean "
        "\"default\"?");
    free(got);
    faults_done(&f);
    free(text);
}
END_TEST

static struct snapshot *load_good(char **text, size_t *len)
{
    struct faults f = {0};
    *text = slurp(DATA "good/laboratory.json", len);
    struct snapshot *s = config_load(*text, *len, &f);
    ck_assert_ptr_nonnull(s);
    ck_assert_uint_eq(f.count, 0);
    faults_done(&f);
    return s;
}

START_TEST(a_good_file_says_what_it_says)
{
    char *text;
    size_t len;
    struct snapshot *s = load_good(&text, &len);
    ck_assert_uint_eq(s->interface_count, 2);
    ck_assert_str_eq(s->interfaces[1].name, "br-lab");
    ck_assert(ip4_equal(s->interfaces[1].address, (struct ip4){{10, 0, 5, 2}}));
    ck_assert_str_eq(s->tftp.root, "/srv/tftp");
    ck_assert_uint_eq(s->tftp.root_line, 7);
    ck_assert_uint_eq(s->tftp.max_transfers, 500);
    ck_assert_uint_eq(s->tftp.data_port_first, 40000);
    ck_assert_uint_eq(s->tftp.data_port_last, 40003);
    ck_assert(s->dhcp.enabled && s->dhcp.ipv6);
    ck_assert(s->tftp.enabled && !s->tftp.single_port);
    ck_assert_uint_eq(hosts_count(s->hosts), 4);
    ck_assert_uint_eq(hosts_at(s->hosts, 0)->line, 25);
    ck_assert_int_eq(hosts_at(s->hosts, 2)->action, HOST_IGNORE);
    ck_assert_uint_eq(hosts_at(s->hosts, 1)->max_window_size, 16);
    ck_assert_uint_eq(hosts_at(s->hosts, 1)->max_block_size, 512);
    ck_assert_uint_eq(hosts_at(s->hosts, 0)->max_window_size, 0);
    ck_assert_uint_eq(s->unknown.profile, 1);
    ck_assert_uint_eq(s->unknown.line, 31);
    ck_assert_uint_eq(s->file_count, 3);
    ck_assert_str_eq(s->files[0].template, "boot.ipxe.in");
    ck_assert_int_eq(s->files[0].kind, TEMPLATE_IPXE);
    ck_assert_str_eq(s->files[1].name, "pxelinux.cfg/01-${mac-dash}");
    ck_assert_str_eq(s->files[1].file, "menus/${vars.role:-any}.cfg");
    ck_assert_uint_eq(s->files[1].line, 34);
    ck_assert_int_eq(s->files[2].kind, TEMPLATE_GRUB);
    ck_assert(hosts_at(s->hosts, 0)->once && !hosts_at(s->hosts, 1)->once);
    ck_assert_str_eq(snapshot_var(s, 0, hosts_at(s->hosts, 0), "role"), "db");
    ck_assert_str_eq(snapshot_var(s, 0, NULL, "role"), "any");
    ck_assert_str_eq(s->profiles[0].done_when, "vmlinuz");
    ck_assert_str_eq(s->control, "/run/lab.sock");
    ck_assert(!s->state_dir && s->watch);
    snapshot_free(s);
    free(text);
}
END_TEST

START_TEST(profiles_inherit_what_they_leave_open)
{
    char *text;
    size_t len;
    struct snapshot *s = load_good(&text, &len);
    const struct profile *rescue = &s->profiles[0];
    ck_assert_str_eq(rescue->name, "rescue");
    ck_assert_int_eq(rescue->parent, 1);
    ck_assert_str_eq(rescue->boot[SLOT_IPXE].file, "rescue.ipxe");
    ck_assert_uint_eq(rescue->boot[SLOT_IPXE].profile, 0);
    ck_assert_str_eq(rescue->boot[ARCH_X64_UEFI].file, "x64/shimx64.efi");
    ck_assert_uint_eq(rescue->boot[ARCH_X64_UEFI].profile, 1);
    ck_assert_uint_eq(rescue->boot[ARCH_X64_UEFI].line, 17);
    ck_assert_uint_eq(rescue->boot[ARCH_X64_UEFI].column, 19);
    ck_assert(ip4_equal(rescue->answer.next_server, (struct ip4){{10, 0, 5, 9}}));
    ck_assert(ip4_is_any(s->profiles[1].answer.next_server));
    ck_assert_str_eq(plan_arch(rescue, NULL, ARCH_EBC)->file, "x64/shimx64.efi");
    ck_assert_ptr_null(plan_arch(rescue, NULL, ARCH_X86_UEFI));
    ck_assert_ptr_null(plan_arch(rescue, NULL, 0xffff));
    snapshot_free(s);
    free(text);
}
END_TEST

START_TEST(a_host_is_told_by_all_that_it_names)
{
    char *text;
    size_t len;
    struct snapshot *s = load_good(&text, &len);
    const struct host_match *m = hosts_at(s->hosts, 3)->match;
    ck_assert_ptr_nonnull(m);
    ck_assert_uint_eq(m->archs, 1 << 7 | 1 << 11);
    ck_assert(m->has_relay && m->relay_bits == 24);
    ck_assert(ip4_equal(m->relay, (struct ip4){{10, 0, 6, 0}}));
    ck_assert_uint_eq(m->circuit_id.len, 2);
    ck_assert_mem_eq(m->circuit_id.octets, "\1\2", 2);
    ck_assert(m->circuit_id.open && m->vendor_class.open && !m->user_class.open);
    ck_assert_uint_eq(m->vendor_class.len, 9);
    ck_assert_str_eq(m->interface, "eth0");
    ck_assert_ptr_null(hosts_at(s->hosts, 0)->match);
    snapshot_free(s);
    free(text);
}
END_TEST

/* "rescue" is profile 0 and extends "default", which is 1. */
START_TEST(variables_of_the_host_come_before_those_of_its_profiles)
{
    char *text;
    size_t len;
    struct snapshot *s = load_good(&text, &len);
    const struct host *h = hosts_at(s->hosts, 3);
    ck_assert_str_eq(snapshot_var(s, 1, h, "role"), "db");
    ck_assert_str_eq(snapshot_var(s, 1, h, "disk"), "sda");
    ck_assert_str_eq(snapshot_var(s, 1, NULL, "role"), "any");
    ck_assert_str_eq(snapshot_var(s, 1, h, "mode"), "install");
    ck_assert_str_eq(snapshot_var(s, 0, h, "mode"), "rescue");
    ck_assert_str_eq(snapshot_var(s, 0, NULL, "role"), "any");
    ck_assert_ptr_null(snapshot_var(s, 0, h, "Role"));
    ck_assert_ptr_null(snapshot_var(s, 99, NULL, "role"));
    snapshot_free(s);
    free(text);
}
END_TEST

START_TEST(options_are_inherited_only_where_they_are_not_said)
{
    static const char text[] =
        "{\"interfaces\":[\"a\"],\"tftp\":{\"root\":\"/t\",\"msft_window\":true},"
        "\"profiles\":{\"c\":{\"extends\":\"b\",\"ipxe_override\":false},"
        "\"b\":{\"extends\":\"a\",\"msft_window\":false},"
        "\"a\":{\"7\":\"x\",\"offer\":\"both\",\"ipxe_override\":true,"
        "\"next_server\":\"10.0.0.1\"}}}";
    struct faults f = {0};
    struct snapshot *s = config_load(text, sizeof text - 1, &f);
    ck_assert_ptr_nonnull(s);
    ck_assert_int_eq(s->profiles[0].answer.offer, OFFER_BOTH);
    ck_assert(!s->profiles[0].answer.ipxe_override);
    ck_assert(s->profiles[1].answer.ipxe_override);
    ck_assert(ip4_equal(s->profiles[0].answer.next_server, (struct ip4){{10, 0, 0, 1}}));
    ck_assert(!s->profiles[0].msft_window && !s->profiles[1].msft_window);
    ck_assert(s->profiles[2].msft_window);            /* that of tftp */
    ck_assert_int_eq(s->unknown.action, HOST_IGNORE); /* no profile is named default */
    ck_assert_uint_eq(s->unknown.line, 0);
    snapshot_free(s);
    faults_done(&f);
}
END_TEST

START_TEST(a_draft_is_handed_over_despite_faults)
{
    size_t len;
    struct faults f = {0};
    char *text = slurp(DATA "bad/five-faults.json", &len);
    struct snapshot *s = config_read(text, len, &f);
    ck_assert_ptr_nonnull(s);
    ck_assert_uint_eq(f.errors, 5);
    ck_assert_str_eq(s->profiles[0].boot[ARCH_X64_UEFI].file, "x64/shimx64.efi");
    snapshot_free(s);
    faults_done(&f);
    free(text);
}
END_TEST

/* -- when things break -------------------------------------------------------------------- */

#define STARVED 3

static void starve_on(const char *file)
{
    size_t len;
    char *text = slurp(file, &len);
    unsigned fed = 0;
    for (unsigned n = 0; !fed; n++) {
        struct faults f = {0};
        starve_after(n);
        struct snapshot *s = config_load(text, len, &f);
        fed = !starve_end();
        ck_assert_msg(s || f.errors > 0, "allocation %u: refused without a word", n);
        ck_assert_msg(!s || f.errors == 0, "allocation %u: accepted with faults", n);
        snapshot_free(s);
        faults_done(&f);
        ck_assert_uint_lt(n, 5000);
    }
    free(text);
}

START_TEST(survives_any_failed_allocation)
{
    static const char *const files[STARVED] = {DATA "good/laboratory.json",
                                               DATA "good/overrides.json",
                                               DATA "bad/five-faults.json"};
    starve_on(files[_i]);
}
END_TEST

static unsigned seed;

static unsigned dice(unsigned sides)
{
    seed = seed * 1103515245 + 12345;
    return (seed >> 16) % sides;
}

static bool inside(const char *text, size_t len, const struct fault *f)
{
    const char *p = text;
    const char *end = text + len;
    for (int line = 1; line < f->line && p; line++) {
        p = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
        p = p ? p + 1 : NULL;
    }
    return p && f->line >= 1 && f->column >= 1 && p + f->column - 1 <= end;
}

static void damage(char *text, size_t *len)
{
    static const char marks[] = "{}[],:\"'\\/*#0 \n\x01\xff";
    for (unsigned n = 1 + dice(3); n > 0; n--) {
        size_t at = dice((unsigned)*len);
        size_t cut = 1 + dice(20);
        switch (dice(3)) {
        case 0:
            text[at] = marks[dice(sizeof marks - 1)];
            break;
        case 1:
            text[at] = (char)dice(256);
            break;
        default:
            cut = cut < *len - at ? cut : *len - at;
            memmove(text + at, text + at + cut, *len - at - cut);
            *len -= cut;
            break;
        }
    }
}

START_TEST(random_damage_is_refused_at_a_place)
{
    size_t whole;
    char *good = slurp(DATA "good/laboratory.json", &whole);
    seed = (unsigned)_i + 1;
    for (unsigned n = 0; n < 500; n++) {
        struct faults f = {0};
        size_t len = whole;
        char *text = malloc(len);
        memcpy(text, good, len);
        damage(text, &len);
        struct snapshot *s = config_load(text, len, &f);
        ck_assert(!s == (f.errors > 0));
        for (size_t i = 0; i < f.count; i++) {
            ck_assert_msg(inside(text, len, &f.list[i]) && f.list[i].text[0],
                          "%d:%d is not in the text: %s", f.list[i].line,
                          f.list[i].column, f.list[i].text);
        }
        snapshot_free(s);
        faults_done(&f);
        free(text);
    }
    free(good);
}
END_TEST

START_TEST(a_hundred_thousand_hosts)
{
    struct faults f = {0};
    char *text = NULL;
    size_t len = 0;
    FILE *to = open_memstream(&text, &len);
    fprintf(to, "{\"interfaces\":[\"eth0\"],\"tftp\":{\"root\":\"/t\"},\n"
                "\"profiles\":{\"default\":{\"7\":\"a\"}},\n\"hosts\":[\n");
    for (unsigned i = 0; i < 100000; i++) {
        fprintf(to, "{\"name\":\"h%u\",\"mac\":\"52:54:00:%02x:%02x:%02x\"}%s\n", i,
                i >> 16, i >> 8 & 255, i & 255, i < 99999 ? "," : "");
    }
    fprintf(to, "]}\n");
    (void)fclose(to);
    struct snapshot *s = config_load(text, len, &f);
    ck_assert_ptr_nonnull(s);
    struct mac mac = {{0x52, 0x54, 0x00, 0x01, 0x86, 0x9f}};
    const struct host *last = hosts_find(s->hosts, &(struct host_facts){.mac = &mac});
    ck_assert_str_eq(last->name, "h99999");
    ck_assert_uint_eq(last->line, 100003);
    snapshot_free(s);
    free(text);
}
END_TEST

Suite *suite_config_files(void)
{
    Suite *s = suite_create("config/load, whole files");
    TCase *tc = tcase_create("files");
    tcase_add_test(tc, five_faults_in_one_run);
    tcase_add_test(tc, a_good_file_says_what_it_says);
    tcase_add_test(tc, profiles_inherit_what_they_leave_open);
    tcase_add_test(tc, a_host_is_told_by_all_that_it_names);
    tcase_add_test(tc, variables_of_the_host_come_before_those_of_its_profiles);
    tcase_add_test(tc, options_are_inherited_only_where_they_are_not_said);
    tcase_add_test(tc, a_draft_is_handed_over_despite_faults);
    tcase_add_loop_test(tc, survives_any_failed_allocation, 0, STARVED);
    tcase_add_loop_test(tc, random_damage_is_refused_at_a_place, 0, 10);
    tcase_add_test(tc, a_hundred_thousand_hosts);
    tcase_set_timeout(tc, 60);
    suite_add_tcase(s, tc);
    return s;
}
