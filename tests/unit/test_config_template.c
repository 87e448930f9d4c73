#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/template.h"
#include "tests/unit/quoted.h"
#include "tests/unit/suites.h"

static const char configuration[] =
    "{'interfaces':['eth0'],'tftp':{'root':'/t'},"
    "'profiles':{'base':{'7':'a','vars':{'role':'none','size':'7'}},"
    "            'default':{'extends':'base','vars':{'size':'8'}}},"
    "'hosts':[{'name':'lab-01','mac':'52:54:00:12:34:56','vars':{'role':'db',"
    "          'args':'quiet x=$1;y \\\"z\\\" it~s \\\\','evil':'${net0/mac}'}}]}";

static struct snapshot *config;
static struct machine machine = {
    .mac = {{0x52, 0x54, 0, 0xab, 0x34, 0x56}},
    .has_uuid = true,
    .uuid = {0x44, 0x33, 0x22, 0x11, 0x66, 0x55, 0x88, 0x77, 0x99, 0xaa, 0xbb, 0xcc, 0xdd,
             0xee, 0xff, 0},
    .has_arch = true,
    .arch = ARCH_X64_UEFI,
};

static void read_configuration(void)
{
    config = config_of(configuration);
}

static void free_configuration(void)
{
    snapshot_free(config);
}

static struct template_client known_client(void)
{
    return (struct template_client){
        .config = config,
        .host = hosts_at(config->hosts, 0),
        .profile = 1,
        .machine = &machine,
        .address = endpoint_ip4((struct ip4){{10, 0, 5, 200}}, 2071),
        .server = endpoint_ip4((struct ip4){{10, 0, 5, 2}}, 0),
    };
}

static const struct {
    const char *text;
    const char *rendered;
    enum template_kind kind;
} rows[] = {
    {"", "", TEMPLATE_PLAIN},
    {"no variable $ { } $x", "no variable $ { } $x", TEMPLATE_PLAIN},
    {"${mac}", "52:54:00:ab:34:56", TEMPLATE_PLAIN},
    {"01-${mac-dash}", "01-52-54-00-ab-34-56", TEMPLATE_PLAIN},
    {"${uuid}!", "44332211-6655-8877-99aa-bbccddeeff00!", TEMPLATE_PLAIN},
    {"${ip}/${ip-hex}", "10.0.5.200/0A0005C8", TEMPLATE_PLAIN},
    {"${arch}${host}", "x64-uefilab-01", TEMPLATE_PLAIN},
    {"${profile} ${server}", "default 10.0.5.2", TEMPLATE_PLAIN},
    {"${vars.role} ${vars.size}", "db 8", TEMPLATE_PLAIN},
    {"${vars.none:-d e}|${vars.none:-}|${host:-x}", "d e||lab-01", TEMPLATE_PLAIN},
    {"$${net0/mac} $$${mac}", "${net0/mac} $${mac}", TEMPLATE_IPXE},
    {"a $${", "a ${", TEMPLATE_PLAIN},
    {"${vars.args}", "quiet x=$1;y \"z\" it's \\", TEMPLATE_IPXE},
    {"append ${vars.args}", "append quiet x=$1;y \"z\" it's \\", TEMPLATE_PXELINUX},
    {"linux /k ${vars.args}", "linux /k quiet x=\\$1\\;y \\\"z\\\" it\\'s \\\\",
     TEMPLATE_GRUB},
    {"set a=\"${vars.args}\"", "set a=\"quiet x=\\$1;y \\\"z\\\" it's \\\\\"",
     TEMPLATE_GRUB},
    {"set a='${vars.args}'", "set a='quiet x=$1;y \"z\" it'\\''s \\'", TEMPLATE_GRUB},
    {"echo \\\"'\"' ${vars.role}'", "echo \\\"'\"' db'", TEMPLATE_GRUB},
};
#define ROWS (sizeof rows / sizeof rows[0])

START_TEST(what_variables_become)
{
    char out[256];
    struct template_place place;
    struct template_client client = known_client();
    const char *text = rows[_i].text;
    struct template_source source = {text, strlen(text), rows[_i].kind};
    struct wr w = wr_over(out, sizeof out);
    enum template_fault fault = template_render(&client, &source, &w, &place);
    size_t used = wr_len(&w);
    ck_assert_msg(fault == TEMPLATE_OK, "%s: fault %d", text, (int)fault);
    ck_assert_msg(used == strlen(rows[_i].rendered) &&
                      memcmp(out, rows[_i].rendered, used) == 0,
                  "%s: got %.*s, want %s", text, (int)used, out, rows[_i].rendered);
    size_t from = 0;
    ck_assert_int_eq(template_check(config, text, strlen(text), &from, &place),
                     TEMPLATE_OK);
}
END_TEST

/* A line each: LINE:COLUMN words */
static const struct {
    const char *text;
    const char *faults;
} bad[] = {
    {"${hots}", "1:1 unknown variable ${hots}; did you mean ${host}?"},
    {"a\nb ${net0/ip}\n${}", "2:3 unknown variable ${net0/ip}; write $${ where \"${\" "
                             "itself is meant\n3:1 unknown variable ${}; write $${ where "
                             "\"${\" itself is meant"},
    {"x ${mac\n}", "1:3 \"${\" is not closed on its line; $${ stands for it itself"},
    {"${", "1:1 \"${\" is not closed on its line; $${ stands for it itself"},
    {"${vars.rolle}", "1:1 no host or profile has \"rolle\" among its \"vars\""},
    {"x ${http}", "1:3 ${http} needs \"boot_files\" of \"http\" to be true"},
    {"${hots:-x}", "1:1 unknown variable ${hots}; did you mean ${host}?"},
};

START_TEST(faults_have_their_place)
{
    char all[1024] = "";
    size_t from = 0;
    struct template_place place;
    enum template_fault fault;
    while ((fault = template_check(config, bad[_i].text, strlen(bad[_i].text), &from,
                                   &place)) != TEMPLATE_OK) {
        char words[200];
        size_t len = strlen(all);
        snprintf(all + len, sizeof all - len, "%s%d:%d %s", len ? "\n" : "", place.line,
                 place.column, template_explain(fault, &place, words, sizeof words));
    }
    ck_assert_str_eq(all, bad[_i].faults);
}
END_TEST

static enum template_fault render(const struct template_client *client, const char *text,
                                  enum template_kind kind, size_t room)
{
    char out[256];
    struct template_place place;
    struct template_source source = {text, strlen(text), kind};
    struct wr w = wr_over(out, room);
    return template_render(client, &source, &w, &place);
}

START_TEST(the_http_server_has_a_base_url)
{
    char out[256] = "";
    struct template_place place;
    struct template_client client = known_client();
    struct template_source source = {"${http}/x", 9, TEMPLATE_IPXE};
    struct wr w = wr_over(out, sizeof out);
    size_t from = 0;
    config->http.boot_files = true;
    config->http.listen = (struct endpoint){.port = 8069};
    ck_assert_int_eq(template_check(config, "${http}", 7, &from, &place), TEMPLATE_OK);
    ck_assert_int_eq(template_render(&client, &source, &w, &place), TEMPLATE_OK);
    ck_assert_str_eq(out, "http://10.0.5.2:8069/x");
    client.server = (struct endpoint){.ip = {0xfe, 0x80, [15] = 1}, .scope = 3};
    w = wr_over(out, sizeof out);
    ck_assert_int_eq(template_render(&client, &source, &w, &place), TEMPLATE_OK);
    ck_assert_str_eq(out, "http://[fe80::1]:8069/x");
    config->http.listen = endpoint_ip4(IP4_ANY, 80);
    ck_assert_int_eq(template_render(&client, &source, &w, &place), TEMPLATE_EMPTY);
}
END_TEST

START_TEST(what_is_not_known_is_a_fault_not_an_empty_text)
{
    static const char *const texts[] = {"${mac}",  "${mac-dash}",  "${uuid}",   "${arch}",
                                        "${host}", "${vars.role}", "${profile}"};
    struct template_client stranger = known_client();
    stranger.host = NULL;
    stranger.machine = NULL;
    stranger.profile = config->profile_count;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        ck_assert_int_eq(render(&stranger, texts[i], TEMPLATE_PLAIN, 256),
                         TEMPLATE_EMPTY);
    }
    memset(stranger.address.ip, 0xfd, sizeof stranger.address.ip);
    ck_assert_int_eq(render(&stranger, "${ip-hex}", TEMPLATE_PLAIN, 256), TEMPLATE_EMPTY);
    ck_assert_int_eq(render(&stranger, "${ip}", TEMPLATE_PLAIN, 256), TEMPLATE_OK);
}
END_TEST

START_TEST(what_ipxe_would_expand_is_not_put_into_its_scripts)
{
    struct template_client client = known_client();
    ck_assert_int_eq(render(&client, "${vars.evil}", TEMPLATE_IPXE, 256), TEMPLATE_UNFIT);
    ck_assert_int_eq(render(&client, "${vars.evil}", TEMPLATE_PXELINUX, 256),
                     TEMPLATE_OK);
}
END_TEST

START_TEST(the_outcome_is_bounded)
{
    struct template_client client = known_client();
    ck_assert_int_eq(render(&client, "1234${vars.role}", TEMPLATE_PLAIN, 6), TEMPLATE_OK);
    ck_assert_int_eq(render(&client, "1234${vars.role}", TEMPLATE_PLAIN, 5),
                     TEMPLATE_LONG);
}
END_TEST

static const struct {
    const char *pattern;
    const char *name;
    bool may_be;
} names[] = {
    {"boot.ipxe", "boot.ipxe", true},         {"boot.ipxe", "boot.ipx", false},
    {"boot.ipxe", "boot.ipxee", false},       {"01-${mac-dash}", "01-52-54", true},
    {"01-${mac-dash}", "01-", false},         {"${host}.cfg", "a.cfg", true},
    {"${host}.cfg", ".cfg", false},           {"${host}.cfg", "a.cfg.cfg", true},
    {"${host}.cfg", "a.cfgx", false},         {"a/${host}/b/${mac}", "a/x/b/y", true},
    {"a/${host}/b/${mac}", "a/x/c/y", false},
};

START_TEST(which_names_a_pattern_may_become)
{
    ck_assert_msg(template_may_be(names[_i].pattern, names[_i].name) == names[_i].may_be,
                  "%s, %s", names[_i].pattern, names[_i].name);
}
END_TEST

Suite *suite_config_template(void)
{
    Suite *s = suite_create("config/template");
    TCase *tc = tcase_create("template");
    tcase_add_checked_fixture(tc, read_configuration, free_configuration);
    tcase_add_loop_test(tc, what_variables_become, 0, ROWS);
    tcase_add_loop_test(tc, faults_have_their_place, 0, sizeof bad / sizeof bad[0]);
    tcase_add_test(tc, the_http_server_has_a_base_url);
    tcase_add_test(tc, what_is_not_known_is_a_fault_not_an_empty_text);
    tcase_add_test(tc, what_ipxe_would_expand_is_not_put_into_its_scripts);
    tcase_add_test(tc, the_outcome_is_bounded);
    tcase_add_loop_test(tc, which_names_a_pattern_may_become, 0,
                        sizeof names / sizeof names[0]);
    suite_add_tcase(s, tc);
    return s;
}
