#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/hosts.h"
#include "tests/unit/quoted.h"
#include "tests/unit/starve.h"
#include "tests/unit/suites.h"

/* Faults of menus and of what a host may say; the menu begins on line 2, a host on line 3. */
#define MENU(menu)                                                                       \
    "{'interfaces':['a'],'tftp':{'root':'/t'},'profiles':{'p':{\n'menu':" menu "}}}"
#define HOST(keys)                                                                       \
    "{'interfaces':['a'],'tftp':{'root':'/t'},'profiles':\n{'default':{'7':'a'}},"       \
    "'hosts':[\n{'mac':'52:*'," keys "}]}"
#define TWO "{'name':'a','file':'a'},{'name':'b','action':'local'}"
#define N40 "0123456789012345678901234567890123456789"

static const struct {
    const char *json;
    const char *faults;
} rows[] = {
    {MENU("{'items':[" TWO "]}"), ""},
    {MENU("{'prompt':'x','timeout':255,'items':[{'name':'a','file':{'7':'a','x86-bios':"
          "'b'},'next_server':'10.0.0.1'}," TWO "]}"),
     ""},
    {MENU("7"), "warning: 1:58: profiles.p: gives no boot file to anybody\n"
                "2:8: profiles.p.menu: expected an object { ... }, got a number"},
    {MENU("{}"), "2:8: profiles.p.menu: \"items\" is missing"},
    {MENU("{'items':7}"),
     "2:17: profiles.p.menu.items: expected a list [ ... ] of items, got a number"},
    {MENU("{'items':[{'name':'a','file':'a'}]}"),
     "2:17: profiles.p.menu.items: a menu of 1 items is none, and some firmware fails on "
     "it; name the one file in the profile itself"},
    {MENU("{'items':[7," TWO "]}"), "2:18: profiles.p.menu.items[0]: expected an object "
                                    "{ ... } about one item, got a number"},
    {MENU("{'timeout':256,'prompt':'','itms':1,'items':[" TWO "]}"),
     "2:19: profiles.p.menu.timeout: 256 is outside 0..255\n"
     "2:32: profiles.p.menu.prompt: is empty\n"
     "2:35: profiles.p.menu.itms: unknown key; did you mean \"items\"?"},
    {MENU("{'items':[{'name':'a'}," TWO "]}"),
     "2:18: profiles.p.menu.items[0]: neither \"file\" nor \"action\": an item loads a "
     "file or boots from disk"},
    {MENU("{'items':[{'name':'a','file':'x','action':'local'}," TWO "]}"),
     "2:18: profiles.p.menu.items[0]: both \"file\" and \"action\": an item loads a file "
     "or boots from disk"},
    {MENU("{'items':[{'name':'a','action':'boot'}," TWO "]}"),
     "2:39: profiles.p.menu.items[0].action: expected \"local\", got \"boot\""},
    {MENU("{'items':[{'name':'a','action':'local','next_server':'10.0.0.1'}," TWO "]}"),
     "2:18: profiles.p.menu.items[0]: \"next_server\" has no meaning where nothing is "
     "loaded"},
    {MENU("{'items':[{'name':'a','file':7}," TWO "]}"),
     "2:37: profiles.p.menu.items[0].file: expected a file, or an object { ... } with "
     "one for each architecture, got a number"},
    {MENU("{'items':[{'name':'a','file':{}}," TWO "]}"),
     "2:37: profiles.p.menu.items[0].file: is empty: name a file for an architecture"},
    {MENU("{'items':[{'name':'a','file':{'x86':'a','16':'b','7':'../c','11':9}}," TWO
          "]}"),
     "2:38: profiles.p.menu.items[0].file.x86: unknown key; it is no architecture such "
     "as \"x64-uefi\"\n"
     "2:48: profiles.p.menu.items[0].file.16: clients that boot by HTTP know no menus\n"
     "2:61: profiles.p.menu.items[0].file.7: \"..\" leads out of tftp.root: give a file "
     "beneath it\n"
     "2:73: profiles.p.menu.items[0].file.11: expected a string, got a number"},
    {MENU("{'items':[{'name':'a','file':'http://h/a'}," TWO "]}"),
     "2:37: profiles.p.menu.items[0].file: clients of this architecture load by TFTP: "
     "give a file beneath tftp.root, not a URL"},
    {MENU("{'items':[{'name':'" N40 N40 "','file':'a'}," TWO "]}"),
     "2:26: profiles.p.menu.items[0].name: is 80 octets long, which is outside 1..70"},
    {MENU("{'prompt':'" N40 N40 N40 "','items':[{'name':'" N40
          "','file':'a'},{'name':'" N40 "','file':'a'},{'name':'" N40 "','file':'a'}]}"),
     "2:8: profiles.p.menu: needs 281 octets on x86-bios and option 43 holds 255: "
     "shorten names and prompt, or leave items out"},
    {HOST("'offer':'binl','next_server':'10.0.0.9','ipxe_override':true,'delay_ms':10000,"
          "'after_requests':100,'action':'local'"),
     ""},
    {HOST("'delay_ms':10001"), "3:26: hosts[0].delay_ms: 10001 is outside 0..10000"},
    {HOST("'after_requests':0"), "3:32: hosts[0].after_requests: 0 is outside 1..100"},
    {HOST("'offer':'bare'"), "3:23: hosts[0].offer: expected \"auto\", \"pxe\", \"binl\" "
                             "or \"both\", got \"bare\""},
    {HOST("'x64-uefi':'../x','ipxe':7,'menu':{'items':[]},'fields':{'snam':true}"),
     "3:26: hosts[0].x64-uefi: \"..\" leads out of tftp.root: give a file beneath it\n"
     "3:40: hosts[0].ipxe: expected a string, got a number\n"
     "3:58: hosts[0].menu.items: a menu of 0 items is none, and some firmware fails on "
     "it; name the one file in the profile itself\n"
     "3:72: hosts[0].fields.snam: unknown key; did you mean \"sname\"?"},
    {HOST("'7':'a','9':'b','x64-uefi':'c','extends':'d'"),
     "3:31: hosts[0].x64-uefi: the same architecture as \"7\" beside it\n"
     "3:46: hosts[0].extends: unknown key; it is no architecture such as \"x64-uefi\" or "
     "\"7\"; also known here: \"ipxe\", \"name\", \"mac\", \"uuid\", \"profile\", "
     "\"action\", \"offer\", \"next_server\", \"ipxe_override\", ..."},
    {HOST("'ofer':'pxe'"), "3:15: hosts[0].ofer: unknown key; did you mean \"offer\"?"},
};
#define ROWS ((int)(sizeof rows / sizeof rows[0]))

START_TEST(every_fault_at_its_place)
{
    struct faults f = {0};
    char *text = quoted(rows[_i].json);
    struct snapshot *s = config_load(text, strlen(text), &f);
    char *got = faults_in_lines(&f);
    ck_assert_msg(!strcmp(got, rows[_i].faults), "%s\ngot\n%s\nwant\n%s", rows[_i].json,
                  got, rows[_i].faults);
    ck_assert(!s == (f.errors > 0));
    snapshot_free(s);
    faults_done(&f);
    free(got);
    free(text);
}
END_TEST

static const char family[] =
    "{'interfaces': ['a'], 'tftp': {'root': '/t'}, 'profiles': {"
    "'child': {'extends': 'parent', 'delay_ms': 7, 'x86-bios': 'c'},"
    "'grandchild': {'extends': 'child', 'offer': 'both', 'fields': {'sname': true}},"
    "'parent': {'x64-uefi': 'p', 'offer': 'binl', 'delay_ms': 5, 'after_requests': 2,"
    " 'fields': {'option_66': true}, 'menu': {'items': ["
    "{'name': 'one', 'file': 'f'}, {'name': 'disk', 'action': 'local'}]}}},"
    "'hosts': [{'mac': '52:54:00:00:00:01', 'profile': 'grandchild', 'delay_ms': 0,"
    " 'next_server': '10.0.0.8'}]}";

START_TEST(what_is_said_nearest_counts)
{
    struct snapshot *s = config_of(family);
    const struct profile *child = &s->profiles[0];
    const struct profile *grandchild = &s->profiles[1];
    ck_assert_int_eq(child->answer.offer, OFFER_BINL);
    ck_assert_uint_eq(child->answer.delay_ms, 7);
    ck_assert_uint_eq(child->answer.after_requests, 2);
    ck_assert(child->repeat.option_66 && !child->repeat.sname);
    ck_assert_int_eq(grandchild->answer.offer, OFFER_BOTH);
    ck_assert_uint_eq(grandchild->answer.delay_ms, 7);
    ck_assert(grandchild->repeat.sname && !grandchild->repeat.option_66);
    ck_assert_ptr_eq(grandchild->menu, s->profiles[2].menu);
    ck_assert_str_eq(grandchild->menu->item[0].name, "one");
    ck_assert_uint_eq(grandchild->menu->profile, 2);
    ck_assert_uint_eq(grandchild->menu->timeout, 10);
    struct answer_conf a = plan_answer(grandchild, hosts_at(s->hosts, 0));
    ck_assert_int_eq(a.offer, OFFER_BOTH);
    ck_assert_uint_eq(a.delay_ms, 0);
    ck_assert(a.said & SAYS_DELAY);
    ck_assert(ip4_equal(a.next_server, (struct ip4){{10, 0, 0, 8}}));
    a = plan_answer(child, NULL);
    ck_assert(ip4_is_any(a.next_server));
    snapshot_free(s);
}
END_TEST

/* The owner of a menu may stand before those that inherit it, or behind. */
START_TEST(a_menu_is_freed_once_by_its_owner)
{
    static const char first[] =
        "{'interfaces': ['a'], 'tftp': {'root': '/t'}, 'profiles': {"
        "'parent': {'x64-uefi': 'p', 'menu': {'items': ["
        "{'name': 'one', 'file': 'f'}, {'name': 'disk', 'action': 'local'}]}},"
        "'child': {'extends': 'parent', 'x86-bios': 'c'},"
        "'grandchild': {'extends': 'child'}}}";
    struct snapshot *s = config_of(first);
    for (size_t i = 0; i < s->profile_count; i++) {
        ck_assert_ptr_eq(s->profiles[i].menu, s->profiles[0].menu);
        ck_assert_uint_eq(s->profiles[i].menu->profile, 0);
    }
    snapshot_free(s); /* the sanitizer build watches it */
}
END_TEST

START_TEST(memory_may_run_out_anywhere)
{
    char *text = quoted(family);
    bool starved = true;
    for (int n = 0; starved; n++) {
        struct faults f = {0};
        ck_assert_int_lt(n, 1000);
        starve_after(n);
        struct snapshot *s = config_load(text, strlen(text), &f);
        starved = starve_end();
        ck_assert_msg(!s == (f.errors > 0), "allocation %d", n);
        snapshot_free(s);
        faults_done(&f);
    }
    free(text);
}
END_TEST

Suite *suite_config_menu(void)
{
    Suite *s = suite_create("config/load_menu");
    TCase *tc = tcase_create("menus");
    tcase_add_loop_test(tc, every_fault_at_its_place, 0, ROWS);
    tcase_add_test(tc, what_is_said_nearest_counts);
    tcase_add_test(tc, a_menu_is_freed_once_by_its_owner);
    tcase_add_test(tc, memory_may_run_out_anywhere);
    suite_add_tcase(s, tc);
    return s;
}
