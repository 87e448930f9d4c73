#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/commands.h"
#include "dhcp/frame.h"
#include "tests/unit/judge.h"
#include "tests/unit/quoted.h"
#include "tests/unit/suites.h"

/* The command as a whole: its output, its exit code.  Each test is a process of its own. */
static char folder[] = "/tmp/pxed-explain-XXXXXX";

static const char config[] = /* the lines count */
    "{'interfaces': [{'name': 'eth0', 'address': '10.77.0.1'}],\n"
    " 'tftp': {'root': 'root'},\n"
    " 'profiles': {\n"
    "  'default': {'x86-bios': 'bios.0', 'ipxe': 'boot.ipxe',\n"
    "   'x64-uefi': 'grubx64.efi',\n"
    "   'arm64-uefi': 'bios.0',\n"
    "   'x64-uefi-http': 'http://boot.example/a.efi'},\n"
    "  'late': {'extends': 'default', 'delay_ms': 5, 'after_requests': 2},\n"
    "  'menu': {'x86-bios': 'bios.0', 'x64-uefi-http': 'http://[fd77::2]/a.efi',"
    "   'menu': {'items': [\n"
    "   {'name': 'One', 'file': 'bios.0'}, {'name': 'Disk', 'action': 'local'}]}}},\n"
    " 'hosts': [\n"
    "  {'name': 'first', 'mac': '52:54:00:*'},\n"
    "  {'name': 'hidden', 'mac': '52:54:00:01:*', 'profile': 'menu'},\n"
    "  {'name': 'late', 'mac': '52:54:01:00:00:01', 'profile': 'late', 'offer': "
    "'both'},\n"
    "  {'name': 'menu', 'mac': '52:54:01:00:00:02', 'profile': 'menu'},\n"
    "  {'name': 'away', 'uuid': '00112233-4455-6677-8899-aabbccddee07', 'action': "
    "'local'}]}\n";

static void put(const char *name, const void *octets, size_t len)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wbe");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(octets, 1, len, f), len);
    (void)fclose(f);
}

/* The smallest thing that passes for an EFI application for x64, without a signature. */
static void put_efi(const char *name)
{
    uint8_t pe[512] = "MZ";
    pe[60] = 64;
    memcpy(pe + 64, "PE\0\0\x64\x86", 6);
    pe[64 + 20] = 240;
    memcpy(pe + 88, "\x0b\x02", 2);
    pe[88 + 68] = 10;
    put(name, pe, sizeof pe);
}

static void set_up(void)
{
    char path[200];
    char *text = quoted(config);
    ck_assert_ptr_nonnull(mkdtemp(folder));
    put("pxed.json", text, strlen(text));
    free(text);
    snprintf(path, sizeof path, "%s/root", folder);
    ck_assert_int_eq(mkdir(path, 0755), 0);
    put("root/bios.0", "\xeb\xfe", 2);
    put("root/boot.ipxe", "#!ipxe\n", 7);
    put_efi("root/grubx64.efi");
}

static void tear_down(void)
{
    char command[200];
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0); /* NOLINT(cert-env33-c): a name of our own */
}

/* What the command prints, and its exit code; arguments are divided by blanks. */
static char *explain(const char *arguments, int *code)
{
    static char out[60000];
    char path[200];
    char conf[200];
    char words[400];
    char *argv[24] = {(char *)"explain", (char *)"-c", conf};
    int argc = 3;
    snprintf(conf, sizeof conf, "%s/pxed.json", folder);
    snprintf(path, sizeof path, "%s/out", folder);
    snprintf(words, sizeof words, "%s", arguments);
    for (char *w = strtok(words, " "); w; w = strtok(NULL, " ")) {
        argv[argc++] = w;
    }
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    int old = dup(STDOUT_FILENO);        /* NOLINT(android-cloexec-dup): for a moment */
    int old_errors = dup(STDERR_FILENO); /* NOLINT(android-cloexec-dup): likewise */
    (void)fflush(stdout);
    ck_assert_int_ge(dup2(fd, STDOUT_FILENO), 0);
    ck_assert_int_ge(dup2(nowhere, STDERR_FILENO), 0);
    optind = 1;
    *code = command_explain(argc, argv);
    (void)fflush(stdout);
    (void)dup2(old, STDOUT_FILENO);
    (void)dup2(old_errors, STDERR_FILENO);
    (void)close(old);
    (void)close(old_errors);
    (void)close(nowhere);
    ssize_t len = pread(fd, out, sizeof out - 1, 0);
    (void)close(fd);
    ck_assert_int_ge(len, 0);
    out[len] = '\0';
    return out;
}

/* Lines that must be there, in this order, @ standing for the configuration file. */
static const struct {
    const char *arguments;
    const char *lines[10];
} rows[] = {
    {"--mac 52:54:00:01:02:03 --arch x64-uefi",
     {"DISCOVER of 52:54:00:01:02:03, x64-uefi, to port 67 of eth0 (10.77.0.1)",
      "  answered with an OFFER: grubx64.efi, all in the offer",
      "    @:12: host first, by the beginning of its MAC address",
      "    @:4: profile default", "    @:5: \"x64-uefi\" of profile default",
      "    \"offer\": \"auto\", and here pxe",
      "    @:13: host hidden matches too, but the host on line 12 comes first", /* B63 */
      "    @:5: \"grubx64.efi\" is not signed: it will not start with Secure Boot",
      "  reply from port 67 to 255.255.255.255:68, 300 octets"}},
    {"--mac 52:54:00:01:02:03 --arch 11",
     {"    @:6: \"arm64-uefi\" of profile default", "    @:6: \"bios.0\" is "}},
    {"--mac 52:54:01:00:00:01 --arch 0",
     {"  not answered (too-early)", "    @:14: host late, by its MAC address",
      "    @:8: \"after_requests\": 2"}},
    {"--mac 52:54:01:00:00:01 --arch 0 --asked 2",
     {"  answered with an OFFER: bios.0, twice, with and without option 43",
      "    @:14: \"offer\": \"both\"", "    @:8: goes out 5 ms later",
      "  reply from port 67", "  reply from port 67"}},
    {"--mac 52:54:01:00:00:02 --arch 0",
     {"  answered with an OFFER and a menu: bios.0", "    @:15: host menu",
      "    @:9: the menu of profile menu, for x86-bios"}},
    {"--mac 52:54:01:00:00:02 --arch 0 --ipxe --relay 10.9.0.1",
     {"x86-bios, iPXE, to port 67", "  answered with an OFFER: bios.0, all in the offer",
      "  reply from port 67 to 10.9.0.1:67"}},
    {"--mac 52:54:02:00:00:01 --uuid 00112233-4455-6677-8899-aabbccddee07",
     {"  not answered (host-local): the action is \"local\"",
      "    @:16: host away, by its UUID"}},
    {"--mac 52:54:02:00:00:01 --arch x64-uefi-http -p 67",
     {"    not in the host table; \"unknown_hosts\" is not set",
      "    @:7: \"x64-uefi-http\" of profile default", "    the URL names its server"}},
    {"--mac 52:54:02:00:00:01 --arch 0 --port 4011",
     {"REQUEST of 52:54:02:00:00:01, x86-bios, to port 4011",
      "  answered with an ACK: bios.0", "  reply from port 4011 to 192.0.2.9:4011"}},
    {"--mac 52:54:02:00:00:01 --class MSFT",
     {"  not answered (not-pxe): it is no boot client"}},
    {"--mac 52:54:02:00:00:01 --arch 0 --asked 3",
     {"  answered with an OFFER: bios.0, without option 43 and file",
      "    \"offer\": \"auto\", and here bare"}},
};

START_TEST(an_answer_and_the_lines_that_led_to_it)
{
    char line[300];
    int code;
    const char *out = explain(rows[_i].arguments, &code);
    const char *at = out;
    ck_assert_int_eq(code, EXIT_GOOD);
    for (size_t i = 0; i < 10 && rows[_i].lines[i]; i++) {
        const char *mark = strchr(rows[_i].lines[i], '@');
        size_t head = mark ? (size_t)(mark - rows[_i].lines[i]) : 0;
        snprintf(line, sizeof line, "%.*s%s%s%s", (int)head, rows[_i].lines[i],
                 mark ? folder : "", mark ? "/pxed.json" : "",
                 rows[_i].lines[i] + (mark ? head + 1 : 0));
        const char *found = strstr(at, line);
        ck_assert_msg(found != NULL, "%s: \"%s\" is not in\n%s", rows[_i].arguments, line,
                      out);
        at = found + strlen(line);
    }
}
END_TEST

static const char *const wrong[] = {
    "",
    "--mac 52:54:00",
    "--mac 52:54:00:01:02:03 --arch z80",
    "--mac 52:54:00:01:02:03 --pcap a",
    "--mac 52:54:00:01:02:03 more",
    "--mac 52:54:00:01:02:03 --uuid 0011",
    "--mac 52:54:00:01:02:03 --uuid 00112233-4455-6677-8899-aabbccddee0",
    "--mac 52:54:00:01:02:03 --port 68",
    "--mac 52:54:00:01:02:03 --asked 0",
    "--mac 52:54:00:01:02:03 --relay x",
    "--colour",
};

START_TEST(wrong_usage_is_told)
{
    int code;
    (void)explain(wrong[_i], &code);
    ck_assert_msg(code == EXIT_USAGE, "\"%s\": %d", wrong[_i], code);
}
END_TEST

START_TEST(what_cannot_be_used_is_a_fault)
{
    int code;
    (void)explain("--mac 52:54:00:01:02:03 --interface eth7", &code);
    ck_assert_int_eq(code, EXIT_FAULT);
    (void)explain("--pcap /nonexistent", &code);
    ck_assert_int_eq(code, EXIT_FAULT);
    put("pxed.json", "{}", 2);
    (void)explain("--mac 52:54:00:01:02:03", &code);
    ck_assert_int_eq(code, EXIT_FAULT);
    (void)explain("--help", &code);
    ck_assert_int_eq(code, EXIT_GOOD);
}
END_TEST

START_TEST(json_says_the_same)
{
    int code;
    const char *out = explain("--mac 52:54:00:01:02:03 --json", &code);
    static const char *const parts[] = {
        "\"packet\": null",
        "\"message\": \"DISCOVER\"",
        "\"architecture\": \"x64-uefi\"",
        "\"verdict\": \"answered\"",
        "\"form\": \"pxe\"",
        "\"file\": \"grubx64.efi\"",
        "\"host\": \"first\"",
        "\"profile\": \"default\"",
        "\"rule\": \"shadowed\"",
        "\"rule\": \"file-unsigned\"",
        "\"to\": \"255.255.255.255\"",
        "\"hex\": \"02010600",
        "\"43 vendor options: 06 01 08 ff\"",
    };
    ck_assert_int_eq(code, EXIT_GOOD);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        ck_assert_msg(strstr(out, parts[i]) != NULL, "%s is not in\n%s", parts[i], out);
    }
}
END_TEST

/* -- recordings --------------------------------------------------------------------------- */

struct tape {
    uint8_t octets[20000];
    struct wr w;
};

static void u32_le(struct wr *w, uint32_t v)
{
    wr_u8(w, (uint8_t)v);
    wr_u8(w, (uint8_t)(v >> 8));
    wr_u8(w, (uint8_t)(v >> 16));
    wr_u8(w, (uint8_t)(v >> 24));
}

/* link: 1 Ethernet, 113 Linux "cooked". */
static void begin(struct tape *t, uint32_t link)
{
    static const uint8_t head[] = {0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0};
    t->w = wr_over(t->octets, sizeof t->octets);
    wr_put(&t->w, head, sizeof head);
    u32_le(&t->w, 0);
    u32_le(&t->w, 0);
    u32_le(&t->w, 65535);
    u32_le(&t->w, link);
}

static void record(struct tape *t, uint32_t second, uint16_t port, struct rd payload,
                   bool cooked)
{
    uint8_t octets[2000];
    struct wr w = wr_over(octets, sizeof octets);
    struct frame f = {.from = {{0x52, 0x54, 0, 0x12, 0x34, 0x56}},
                      .ip_to = IP4_BROADCAST,
                      .to_port = port,
                      .from_port = 68,
                      .payload = payload};
    frame_write(&w, &f);
    size_t skip = cooked ? 14 : 0;
    size_t extra = cooked ? 16 : 0;
    u32_le(&t->w, second);
    u32_le(&t->w, 5);
    u32_le(&t->w, (uint32_t)(wr_len(&w) - skip + extra));
    u32_le(&t->w, (uint32_t)(wr_len(&w) - skip + extra));
    wr_zero(&t->w, extra);
    wr_put(&t->w, octets + skip, wr_len(&w) - skip);
}

/* The forms along a recording: the third DISCOVER in vain has another one, a transfer ends it. */
START_TEST(a_recording_is_judged_as_it_went)
{
    struct tape *t = calloc(1, sizeof *t);
    struct request r = discover(0);
    uint8_t buf[1500];
    char arguments[200];
    int code;
    bool cooked = _i == 1;
    ck_assert_ptr_nonnull(t);
    size_t len = request_bytes(&r, buf);
    begin(t, cooked ? 113 : 1);
    record(t, 1000, 67, rd_over(buf, len), cooked);
    record(t, 1004, 67, rd_over(buf, len), cooked);
    record(t, 1005, 68, rd_over(buf, len), cooked); /* not ours to judge */
    record(t, 1006, 67, rd_over(buf, 100), cooked); /* no DHCP message */
    record(t, 1012, 67, rd_over(buf, len), cooked);
    record(t, 1013, 69, rd_over("\0\1a\0octet", 10), cooked);
    record(t, 1028, 67, rd_over(buf, len), cooked);
    put("a.pcap", t->octets, wr_len(&t->w));
    snprintf(arguments, sizeof arguments, "--pcap %s/a.pcap", folder);
    const char *out = explain(arguments, &code);
    ck_assert_int_eq(code, EXIT_GOOD);
    static const char *const forms[2][4] = {{"pxe", "pxe", "bare", "pxe"},
                                            {"pxe", "pxe", "bare", "both"}};
    const char *at = out;
    for (size_t i = 0; i < 4; i++) {
        char line[100];
        at = strstr(at, "\"auto\", and here ");
        ck_assert_msg(at != NULL, "DISCOVER %zu in\n%.3000s", i, out);
        snprintf(line, sizeof line, "\"auto\", and here %s\n", forms[_i][i]);
        ck_assert_msg(!strncmp(at, line, strlen(line)), "DISCOVER %zu\n%s", i, out);
        at++;
    }
    ck_assert_ptr_nonnull(strstr(out, "packet 7, 1970-01-01T00:17:08.000005Z: DISCOVER"));
    ck_assert_ptr_null(strstr(at, "\"auto\", and here "));
    free(t);
}
END_TEST

START_TEST(an_address_of_ipv6_needs_no_dns)
{
    int code;
    const char *out = explain("--mac 52:54:01:00:00:02 --arch x64-uefi-http", &code);
    ck_assert_int_eq(code, EXIT_GOOD);
    ck_assert_ptr_nonnull(strstr(out, "http://[fd77::2]/a.efi"));
    ck_assert_ptr_null(strstr(out, "the URL names its server"));
}
END_TEST

#define COUNT(list) (int)(sizeof(list) / sizeof(list)[0])

Suite *suite_app_explain(void)
{
    Suite *s = suite_create("app/explain");
    TCase *tc = tcase_create("explain");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_loop_test(tc, an_answer_and_the_lines_that_led_to_it, 0, COUNT(rows));
    tcase_add_loop_test(tc, wrong_usage_is_told, 0, COUNT(wrong));
    tcase_add_test(tc, what_cannot_be_used_is_a_fault);
    tcase_add_test(tc, json_says_the_same);
    tcase_add_test(tc, an_address_of_ipv6_needs_no_dns);
    tcase_add_loop_test(tc, a_recording_is_judged_as_it_went, 0, 2);
    suite_add_tcase(s, tc);
    return s;
}
