#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/system.h"
#include "tests/unit/quoted.h"
#include "tests/unit/suites.h"

static const char configuration[] =
    "{'interfaces':['eth0'],'tftp':{'root':'/t'},"
    "'profiles':{'default':{'7':'a','vars':{'role':'none'},"
    "  'boot':{'kernel':'/deb/linux','initrd':['deb/i.gz','own.cpio'],"
    "          'args':'role=${vars.role} t=\\\"a  b\\\" ${vars.more:-} $x;y'}},"
    "  'next':{'extends':'default','ipxe':'mine.ipxe'},"
    "  'above':{'7':'a','ipxe':'theirs.ipxe'},"
    "  'win':{'boot':{'kernel':'win/wimboot','initrd':['Boot/BCD','x/boot.wim'],"
    "   'args':'gui'}},"
    "  'tiny':{'extends':'above','boot':{'kernel':'k-${arch}'}}},"
    "'hosts':[{'mac':'52:54:00:12:34:56','vars':{'role':'db'}},"
    "  {'mac':'52:54:00:12:34:57','vars':{'more':'it~s'}},"
    "  {'mac':'52:54:00:12:34:58','vars':{'more':'&& reboot'}},"
    "  {'mac':'52:54:00:12:34:59','vars':{'more':'${net0/mac}'}},"
    "  {'mac':'52:54:00:12:34:60','profile':'next','boot':{'kernel':'${vars.k}/linux'},"
    "   'vars':{'k':'a b'}}]}";

static struct snapshot *config;
static const struct machine machine = {.has_arch = true, .arch = ARCH_X64_UEFI};

static void read_configuration(void)
{
    config = config_of(configuration);
}

static void free_configuration(void)
{
    snapshot_free(config);
}

/* host: index; -1: not in the table. */
static enum template_fault render(const char *profile, int host, enum template_kind kind,
                                  const char *server, size_t room, char out[1024])
{
    size_t index = 0;
    struct template_place place;
    while (strcmp(config->profiles[index].name, profile) != 0) {
        index++;
    }
    struct template_client client = {
        .config = config,
        .profile = index,
        .host = host < 0 ? NULL : hosts_at(config->hosts, (size_t)host),
        .machine = &machine,
        .address = endpoint_ip4((struct ip4){{10, 0, 5, 200}}, 2071),
    };
    struct wr w = wr_over(out, room);
    const struct system_conf *system =
        plan_system(config, &config->profiles[index], client.host);
    ck_assert_ptr_nonnull(system);
    char url[64];
    snprintf(url, sizeof url, "tftp://%s", server);
    struct system_server from = {server, url};
    enum template_fault fault = system_render(&client, system, kind, &from, &w, &place);
    out[fault == TEMPLATE_OK ? wr_len(&w) : 0] = '\0';
    return fault;
}

static const struct {
    const char *profile;
    int host;
    enum template_kind kind;
    const char *server;
    const char *text;
} rows[] = {
    {"default", 0, TEMPLATE_IPXE, "10.0.5.2",
     "#!ipxe\n"
     "kernel tftp://10.0.5.2/deb/linux initrd=i.gz initrd=own.cpio "
     "role=db t=\"a  b\"  $x;y\n"
     "initrd tftp://10.0.5.2/deb/i.gz\n"
     "initrd tftp://10.0.5.2/own.cpio\n"
     "boot\n"},
    {"next", 0, TEMPLATE_PXELINUX, "10.0.5.2",
     "DEFAULT pxed\nPROMPT 0\nLABEL pxed\n"
     "  LINUX 10.0.5.2::deb/linux\n"
     "  INITRD 10.0.5.2::deb/i.gz,10.0.5.2::own.cpio\n"
     "  APPEND role=db t=\"a  b\"  $x;y\n"},
    {"default", -1, TEMPLATE_GRUB, "10.0.5.2",
     "linux (tftp,10.0.5.2)/deb/linux 'role=none' 't=a  b' '$x;y'\n"
     "initrd (tftp,10.0.5.2)/deb/i.gz (tftp,10.0.5.2)/own.cpio\n"
     "boot\n"},
    {"default", 2, TEMPLATE_GRUB, "10.0.5.2",
     "linux (tftp,10.0.5.2)/deb/linux 'role=none' 't=a  b' '&&' 'reboot' '$x;y'\n"
     "initrd (tftp,10.0.5.2)/deb/i.gz (tftp,10.0.5.2)/own.cpio\n"
     "boot\n"},
    {"tiny", -1, TEMPLATE_IPXE, "[fd77::1]",
     "#!ipxe\nkernel tftp://[fd77::1]/k-x64-uefi\nboot\n"},
    {"win", -1, TEMPLATE_IPXE, "10.0.5.2",
     "#!ipxe\nkernel tftp://10.0.5.2/win/wimboot gui\n"
     "initrd tftp://10.0.5.2/Boot/BCD\ninitrd tftp://10.0.5.2/x/boot.wim\nboot\n"},
    {"tiny", -1, TEMPLATE_GRUB, "[fd77::1]", "linux (tftp,fd77::1)/k-x64-uefi\nboot\n"},
    {"tiny", -1, TEMPLATE_PXELINUX, "10.0.5.2",
     "DEFAULT pxed\nPROMPT 0\nLABEL pxed\n  LINUX 10.0.5.2::k-x64-uefi\n"},
};

START_TEST(each_loader_gets_its_own_words)
{
    char out[1024];
    ck_assert_int_eq(render(rows[_i].profile, rows[_i].host, rows[_i].kind,
                            rows[_i].server, sizeof out, out),
                     TEMPLATE_OK);
    ck_assert_str_eq(out, rows[_i].text);
}
END_TEST

START_TEST(what_a_loader_cannot_hand_on_is_a_fault)
{
    char out[1024];
    for (enum template_kind kind = TEMPLATE_IPXE; kind <= TEMPLATE_PXELINUX; kind++) {
        bool ipxe = kind == TEMPLATE_IPXE;
        ck_assert_int_eq(render("default", 1, kind, "h", 1024, out), TEMPLATE_UNFIT);
        ck_assert_int_eq(render("default", 2, kind, "h", 1024, out),
                         ipxe ? TEMPLATE_UNFIT : TEMPLATE_OK);
        ck_assert_int_eq(render("default", 3, kind, "h", 1024, out),
                         ipxe ? TEMPLATE_UNFIT : TEMPLATE_OK);
        ck_assert_int_eq(render("default", 4, kind, "h", 1024, out), TEMPLATE_UNFIT);
        ck_assert_int_eq(render("default", 0, kind, "h", 40, out), TEMPLATE_LONG);
    }
}
END_TEST

START_TEST(who_says_nearest_says_what_an_ipxe_gets)
{
    static const char *const wanted[] = {SYSTEM_SCRIPT, "mine.ipxe", "theirs.ipxe",
                                         SYSTEM_SCRIPT, SYSTEM_SCRIPT};
    for (size_t i = 0; i < config->profile_count; i++) {
        ck_assert_str_eq(plan_boot(&config->profiles[i], NULL, SLOT_IPXE)->file,
                         wanted[i]);
    }
    ck_assert_str_eq(
        plan_boot(&config->profiles[1], hosts_at(config->hosts, 4), SLOT_IPXE)->file,
        SYSTEM_SCRIPT);
}
END_TEST

START_TEST(the_last_file_is_the_last_initrd_or_the_kernel)
{
    char out[SYSTEM_NAME_MAX + 1];
    struct template_client client = {.config = config, .machine = &machine};
    ck_assert(system_last_file(&client, config->profiles[0].system, out));
    ck_assert_str_eq(out, "own.cpio");
    ck_assert(system_last_file(&client, config->profiles[4].system, out));
    ck_assert_str_eq(out, "k-x64-uefi");
    client.machine = NULL;
    ck_assert(!system_last_file(&client, config->profiles[4].system, out));
}
END_TEST

static const struct {
    const char *name;
    enum template_kind kind;
    bool has_mac;
} names[] = {
    {"pxelinux.cfg/default", TEMPLATE_PXELINUX, false},
    {"bios/pxelinux.cfg/01-52-54-00-12-34-5a", TEMPLATE_PXELINUX, true},
    {"pxelinux.cfg/01-52-54-00-12-34", TEMPLATE_PLAIN, false},
    {"pxelinux.cfg/06-52-54-00-12-34-5a", TEMPLATE_PLAIN, false},
    {"pxelinux.cfg/01-52:54:00:12:34:5a", TEMPLATE_PXELINUX, true},
    {"pxelinux.cfg/0A4D", TEMPLATE_PLAIN, false},
    {"pxelinux.cfg/44332211-6655-8877-99aa-bbccddeeff00", TEMPLATE_PLAIN, false},
    {"my-pxelinux.cfg/default", TEMPLATE_PLAIN, false},
    {"default", TEMPLATE_PLAIN, false},
    {"pxelinux.cfg", TEMPLATE_PLAIN, false},
    {"grub/grub.cfg", TEMPLATE_GRUB, false},
    {"EFI/debian/grub.cfg", TEMPLATE_GRUB, false},
    {"grub.cfg-01-52-54-00-12-34-5A", TEMPLATE_GRUB, true},
    {"grub.cfg-0A4D0064", TEMPLATE_PLAIN, false},
    {"grub.cfg.sig", TEMPLATE_PLAIN, false},
    {"auto.ipxe", TEMPLATE_IPXE, false},
    {"x64/auto.ipxe", TEMPLATE_IPXE, false},
    {"autoexec.ipxe", TEMPLATE_PLAIN, false},
};

START_TEST(which_names_are_a_loaders)
{
    static const struct mac mac = {{0x52, 0x54, 0, 0x12, 0x34, 0x5a}};
    struct system_name n = system_name_read(names[_i].name);
    ck_assert_msg(n.kind == names[_i].kind, "%s: %d", names[_i].name, (int)n.kind);
    ck_assert_msg(n.has_mac == names[_i].has_mac, "%s", names[_i].name);
    ck_assert(!n.has_mac || memcmp(&n.mac, &mac, sizeof mac) == 0);
}
END_TEST

Suite *suite_config_system(void)
{
    Suite *s = suite_create("config/system");
    TCase *tc = tcase_create("system");
    tcase_add_checked_fixture(tc, read_configuration, free_configuration);
    tcase_add_loop_test(tc, each_loader_gets_its_own_words, 0,
                        sizeof rows / sizeof rows[0]);
    tcase_add_test(tc, what_a_loader_cannot_hand_on_is_a_fault);
    tcase_add_test(tc, who_says_nearest_says_what_an_ipxe_gets);
    tcase_add_test(tc, the_last_file_is_the_last_initrd_or_the_kernel);
    tcase_add_loop_test(tc, which_names_are_a_loaders, 0, sizeof names / sizeof names[0]);
    suite_add_tcase(s, tc);
    return s;
}
