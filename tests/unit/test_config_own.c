/* What a host says over its profile: boot files, menu, fields, the end of a boot. */
#include <string.h>

#include "config/hosts.h"
#include "tests/unit/judge.h"
#include "tests/unit/quoted.h"
#include "tests/unit/suites.h"

#define MAC_OF_US "02:00:00:00:00:01"
#define OWN(keys) CONFIG(PROFILE, "{'mac': '" MAC_OF_US "'," keys "}")
#define PROFILE                                                                          \
    PROFILE_C0 ", 'ipxe': 'p.ipxe', 'fields': {'option_66': true}, 'msft_window': true," \
               "'done_when': 'p.done'"
#define MENU                                                                             \
    "'menu': {'items': [{'name': 'one', 'file': 'm.efi'}, {'name': 'two', 'file': "      \
    "'n.efi'}]}"

static const struct mac mac = {{2, 0, 0, 0, 0, 1}};

static const char *file_for(const struct snapshot *s, uint16_t arch)
{
    const struct boot_entry *e = plan_arch(&s->profiles[0], hosts_at(s->hosts, 0), arch);
    return e ? e->file : NULL;
}

START_TEST(a_host_says_its_own_files_over_the_profiles)
{
    struct snapshot *s = config_of(OWN("'x86-bios': 'h.0', 'ipxe': 'h.ipxe'"));
    const struct host *h = hosts_at(s->hosts, 0);
    ck_assert_str_eq(file_for(s, ARCH_X86_BIOS), "h.0");
    ck_assert_str_eq(file_for(s, ARCH_X64_UEFI), "x64.efi");
    ck_assert_str_eq(plan_boot(&s->profiles[0], h, SLOT_IPXE)->file, "h.ipxe");
    ck_assert_str_eq(plan_boot(&s->profiles[0], NULL, SLOT_IPXE)->file, "p.ipxe");
    ck_assert_uint_eq(plan_boot(&s->profiles[0], h, SLOT_IPXE)->profile, OF_HOST);
    ck_assert_ptr_null(plan_arch(&s->profiles[0], h, 0xffff));
    snapshot_free(s);
}
END_TEST

/* Whichever of 7 and 9 the host names, it means 64-bit UEFI, whatever the profile says. */
START_TEST(old_and_new_number_stand_in_for_each_other)
{
    struct snapshot *s = config_of(_i ? OWN("'7': 'h.efi'") : OWN("'9': 'h.efi'"));
    ck_assert_str_eq(file_for(s, ARCH_X64_UEFI), "h.efi");
    ck_assert_str_eq(file_for(s, ARCH_EBC), "h.efi");
    snapshot_free(s);
}
END_TEST

START_TEST(all_other_words_too)
{
    struct snapshot *s = config_of(
        OWN("'fields': {'sname': true}, 'msft_window': false, 'done_when': 'h.done'"));
    const struct profile *p = &s->profiles[0];
    const struct host *h = hosts_at(s->hosts, 0);
    ck_assert(plan_repeat(p, h).sname && !plan_repeat(p, h).option_66);
    ck_assert(plan_repeat(p, NULL).option_66);
    ck_assert(!plan_msft_window(p, h) && plan_msft_window(p, NULL));
    ck_assert_str_eq(plan_done_when(s, p, h), "h.done");
    ck_assert_str_eq(plan_done_when(s, p, NULL), "p.done");
    snapshot_free(s);
}
END_TEST

/* A host that says nothing of this costs a pointer. */
START_TEST(one_that_says_nothing_has_nothing)
{
    struct snapshot *s = config_of(OWN("'offer': 'binl', 'vars': {'a': 'b'}"));
    const struct host *h = hosts_at(s->hosts, 0);
    ck_assert_ptr_null(h->own);
    ck_assert_ptr_eq(plan_boot(&s->profiles[0], h, SLOT_IPXE),
                     &s->profiles[0].boot[SLOT_IPXE]);
    snapshot_free(s);
}
END_TEST

static const struct {
    const char *config;
    const char *file;
    enum dhcp_rule rule; /* the last one */
    uint16_t whose;
} answers[] = {
    {OWN("'7': 'h.efi'"), "h.efi", RULE_ARCH, OF_HOST},
    {OWN("'0': 'h.0'"), "x64.efi", RULE_ARCH, 0},
    {OWN(MENU), "m.efi", RULE_MENU, OF_HOST},
    {OWN("'7': 'h.efi'," MENU), "m.efi", RULE_MENU, OF_HOST},
    {CONFIG(PROFILE_C0 "," MENU, "{'mac': '" MAC_OF_US "', '7': 'h.efi'}"), "h.efi",
     RULE_ARCH, OF_HOST},
    {CONFIG(PROFILE_C0 "," MENU, "{'mac': '" MAC_OF_US "', '0': 'h.0'}"), "m.efi",
     RULE_MENU, 0},
};

START_TEST(the_answer_follows_the_host)
{
    struct request r = discover(ARCH_X64_UEFI);
    memcpy(r.mac, mac.octet, sizeof r.mac);
    const struct dhcp_decision *d = decide_at(answers[_i].config, &by_broadcast, &r);
    ck_assert_str_eq(d->file, answers[_i].file);
    const struct dhcp_step *last = &d->step[d->step_count - 1];
    ck_assert_int_eq(last->rule, answers[_i].rule);
    ck_assert_uint_eq(last->index, answers[_i].whose);
}
END_TEST

Suite *suite_config_own(void)
{
    Suite *s = suite_create("config/load_own");
    TCase *tc = tcase_create("a host over its profile");
    tcase_add_test(tc, a_host_says_its_own_files_over_the_profiles);
    tcase_add_loop_test(tc, old_and_new_number_stand_in_for_each_other, 0, 2);
    tcase_add_test(tc, all_other_words_too);
    tcase_add_test(tc, one_that_says_nothing_has_nothing);
    tcase_add_loop_test(tc, the_answer_follows_the_host, 0,
                        sizeof answers / sizeof answers[0]);
    suite_add_tcase(s, tc);
    return s;
}
