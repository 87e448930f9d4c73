#include <stdio.h>
#include <stdlib.h>

#include "app/boot_rules.h"
#include "app/timeline.h"
#include "tests/unit/suites.h"

/*
 * A boot as a script, a step a word:
 *
 *     discover, ipxe, bios, http, solicit   a request of such a client
 *     offer=FILE, ack=FILE, other=FILE      our answer; other: on another server
 *     silent=REASON                         none, and why
 *     lease=IP[,pxe][,no-pxe][,FILE]        another server offers an address
 *     lease=IP,next                         and names itself as next server
 *     proxy=IP                              another proxy offers
 *     request=IP, 4011                      the lease is taken; port 4011 is asked
 *     asks-4011=IP, asks-tftp=IP,NAME       another server is asked
 *     get=NAME, last=NAME                   a file comes whole; last: the profile's last one
 *     begin=NAME                            and stays under way
 *     NAME of an end =NAME                  a file that ends so: probe, stalled, ...
 *     unheard=NAME, mtu=NAME                first packet never answered; first block lost
 *     refused=NAME                          not found
 *     turned-away=NAME                      met with silence
 *     wait=SECONDS
 */
struct play {
    struct timeline *t;
    struct timeline_who who;
    usec_t now;
};

static void say_request(struct play *p, enum timeline_request_kind kind,
                        enum boot_client client, struct ip4 server, bool ipv6)
{
    struct timeline_request r = {.kind = kind,
                                 .words = "DISCOVER",
                                 .interface = "eth0",
                                 .boots = true,
                                 .client = client,
                                 .has_arch = true,
                                 .arch = client == BOOT_CLIENT_BIOS ? 0 : 7,
                                 .server = server,
                                 .ipv6 = ipv6,
                                 .deaf = ipv6};
    timeline_request(p->t, &p->who, &r, p->now);
}

static bool play_request(struct play *p, const char *step, const char *value)
{
    static const struct {
        const char *step;
        enum boot_client client;
    } clients[] = {
        {"discover", BOOT_CLIENT_UEFI}, {"ipxe", BOOT_CLIENT_IPXE},
        {"bios", BOOT_CLIENT_BIOS},     {"http", BOOT_CLIENT_HTTP},
        {"solicit", BOOT_CLIENT_UEFI},
    };
    struct ip4 ip = IP4_ANY;
    for (unsigned i = 0; i < sizeof clients / sizeof clients[0]; i++) {
        if (strcmp(step, clients[i].step) == 0) {
            say_request(p, TIMELINE_DISCOVER, clients[i].client, ip,
                        strcmp(step, "solicit") == 0);
            return true;
        }
    }
    bool lease = strcmp(step, "request") == 0;
    if (!lease && strcmp(step, "4011") != 0) {
        return false;
    }
    ck_assert(!lease || ip4_parse(value, &ip));
    say_request(p, lease ? TIMELINE_REQUEST : TIMELINE_4011, BOOT_CLIENT_UEFI, ip, false);
    return true;
}

static bool play_answer(struct play *p, const char *step, const char *value)
{
    bool offer = strcmp(step, "offer") == 0 || strcmp(step, "other") == 0;
    struct timeline_answer a = {.answered = true,
                                .offer = offer,
                                .form = "pxe",
                                .file = value,
                                .profile = "default",
                                .elsewhere = strcmp(step, "other") == 0};
    if (strcmp(step, "silent") == 0) {
        a.answered = false;
        a.file = "x64.efi";
        while (strcmp(dhcp_verdict_name(a.reason), value) != 0) {
            a.reason++;
            ck_assert_msg(a.reason < DHCP_VERDICT_COUNT, "no reason %s", value);
        }
    } else if (!offer && strcmp(step, "ack") != 0) {
        return false;
    }
    timeline_answer(p->t, &p->who, &a, p->now);
    return true;
}

static bool play_others(struct play *p, const char *step, char *value)
{
    char *rest = NULL;
    bool lease = strcmp(step, "lease") == 0;
    bool tftp = strcmp(step, "asks-tftp") == 0;
    struct timeline_offer o = {.has_address = lease, .file = ""};
    if (!lease && !tftp && strcmp(step, "proxy") != 0 && strcmp(step, "asks-4011") != 0) {
        return false;
    }
    ck_assert(ip4_parse(strtok_r(value, ",", &rest), &o.server));
    char *word = strtok_r(NULL, ",", &rest);
    if (tftp || strcmp(step, "asks-4011") == 0) {
        timeline_elsewhere(p->t, &p->who, o.server, tftp, word ? word : "", p->now);
        return true;
    }
    for (; word; word = strtok_r(NULL, ",", &rest)) {
        o.pxe = o.pxe || strcmp(word, "pxe") == 0;
        o.no_pxe = o.no_pxe || strcmp(word, "no-pxe") == 0;
        o.file = strchr(word, '.') ? word : o.file;
        o.next_server = strcmp(word, "next") == 0 ? o.server : o.next_server;
    }
    timeline_other_offer(p->t, &p->who, &o, p->now);
    return true;
}

/* How a file goes. */
struct course {
    const char *step;
    enum boot_file_end end;
    bool last;
    bool heard;
    uint64_t sent;
};

static void play_file(struct play *p, const char *name, const struct course *c)
{
    struct boot_progress progress = {
        .size = 1000000, .block = 1468, .window = 4, .heard = c->heard};
    struct boot_load load = {
        .progress = progress, .began = p->now, .last_file = c->last, .port = 40001};
    snprintf(load.name, sizeof load.name, "%s", name);
    timeline_tag tag = timeline_file_began(p->t, &p->who, &load);
    ck_assert_uint_ne(tag, 0);
    progress.sent = c->sent;
    p->now += USEC_PER_SEC;
    if (c->end != BOOT_FILE_RUNS) {
        timeline_file_ended(p->t, tag, &progress, c->end, p->now);
    }
}

static bool play_load(struct play *p, const char *step, const char *value)
{
    static const struct course loads[] = {
        {"get", BOOT_FILE_DONE, false, true, 1000000},
        {"last", BOOT_FILE_DONE, true, true, 1000000},
        {"begin", BOOT_FILE_RUNS, false, true, 0},
        {"probe", BOOT_FILE_PROBE, false, true, 0},
        {"aborted", BOOT_FILE_ABORTED, false, true, 300000},
        {"stalled", BOOT_FILE_STALLED, false, true, 300000},
        {"closed", BOOT_FILE_CLOSED, false, true, 300000},
        {"unreachable", BOOT_FILE_UNREACHABLE, false, false, 0},
        {"unheard", BOOT_FILE_NO_ANSWER, false, false, 0},
        {"mtu", BOOT_FILE_STALLED, false, true, 0},
    };
    for (unsigned i = 0; i < sizeof loads / sizeof loads[0]; i++) {
        if (strcmp(step, loads[i].step) == 0) {
            play_file(p, value, &loads[i]);
            return true;
        }
    }
    struct boot_load refused = {.reason = "file not found"};
    snprintf(refused.name, sizeof refused.name, "%s", value ? value : "");
    if (strcmp(step, "refused") == 0) {
        timeline_file_refused(p->t, &p->who, &refused, p->now);
        return true;
    }
    if (strcmp(step, "turned-away") == 0) {
        refused.unanswered = true;
        snprintf(refused.reason, sizeof refused.reason, "10.9.0.5 is not in tftp.allow");
        timeline_file_refused(p->t, &p->who, &refused, p->now);
        return true;
    }
    return false;
}

static void play_step(struct play *p, char *word)
{
    char *value = strchr(word, '=');
    if (value) {
        *value++ = '\0';
    }
    if (strcmp(word, "wait") == 0) {
        usec_t until = p->now + strtoul(value, NULL, 10) * USEC_PER_SEC;
        while (timeline_deadline(p->t) <= until) {
            p->now = timeline_deadline(p->t);
            timeline_timeout(p->t, p->now);
        }
        p->now = until;
        return;
    }
    bool known = play_request(p, word, value) || play_answer(p, word, value) ||
                 play_others(p, word, value) || play_load(p, word, value);
    ck_assert_msg(known, "no step \"%s\"", word);
    p->now += USEC_PER_SEC / 10;
}

static void play(struct play *p, const char *script)
{
    static const struct hash_seed seed = {1, 2};
    char text[600];
    char *rest = NULL;
    p->t = timeline_new(64, 1 << 20, &seed);
    p->who = (struct timeline_who){.has_mac = true, .mac = {{0x52, 0x54, 0, 0, 0, 1}}};
    p->now = 1000 * USEC_PER_SEC;
    snprintf(text, sizeof text, "%s wait=100", script);
    for (char *word = strtok_r(text, " ", &rest); word;
         word = strtok_r(NULL, " ", &rest)) {
        play_step(p, word);
    }
}

/* clang-format off */
static const struct {
    const char *script;
    const char *verdict;   /* of the boot that ended first */
    const char *sentence;  /* is in it, as the next two in theirs; NULL: is not looked at */
    const char *screen;
    const char *remedy;
} rows[] = {
    /* silence */
    {"discover silent=host-ignored", "host-ignored", "asked once and was not answered: the host table says \"ignore\"", "PXE-E18", "\"action\""},
    {"bios silent=host-ignored lease=10.0.0.9 request=10.0.0.9", "host-ignored", NULL, "PXE-E53: No boot filename received.", NULL},
    {"bios silent=unknown-host", "unknown-host", "not in the host table", "PXE-E51", "\"mac\": \"52:54:00:00:00:01\""},
    {"bios silent=host-local bios silent=host-local", "host-local", "asked 2 times and was left to its disk", NULL, NULL},
    {"bios silent=host-held", "host-held", "waits for approval", NULL, "pxed approve 52:54:00:00:00:01"},
    {"bios silent=host-done", "host-done", "boots once, and has done so", NULL, "pxed reset 52:54:00:00:00:01"},
    {"discover silent=no-file lease=10.0.0.9", "no-file-for-arch", "profile \"default\" has none for x64-uefi", "PXE-E16: No valid offer received.", "Add \"x64-uefi\""},
    {"bios silent=file-missing lease=10.0.0.9", "file-missing", "\"x64.efi\" is not there", "PXE-E53", "beneath the TFTP root"},
    {"bios silent=unknown-arch", "unknown-arch", "architecture", NULL, NULL},
    {"bios silent=no-arch", "unknown-arch", NULL, NULL, NULL},
    {"discover offer=x lease=10.0.0.9 request=10.0.0.9 4011 silent=no-item", "no-request-for-file", NULL, NULL, NULL},
    {"4011 silent=no-item", "no-item", "menu", NULL, NULL},
    {"bios silent=too-early lease=10.0.0.9", "too-early", "after_requests", NULL, NULL},
    {"bios silent=too-large", "too-large", "does not fit", NULL, NULL},
    {"solicit silent=no-address", "no-ipv6-address", "no-address", NULL, "interface eth0"},
    {"solicit silent=ipv4-only", "no-ipv6-address", NULL, NULL, NULL},
    {"bios silent=no-client-id", "not-answered", "no-client-id", NULL, NULL},

    /* files */
    {"bios offer=a.kpxe request=10.0.0.9 get=a.kpxe ipxe get=a.kpxe ipxe get=a.kpxe", "loop", "loaded \"a.kpxe\" 3 times in a row", NULL, "\"ipxe\" entry"},
    {"discover offer=shim.efi request=10.0.0.9 last=shim.efi asks-tftp=10.0.0.9,grubx64.efi", "second-stage-elsewhere", "asked TFTP server 10.0.0.9 (port 69) for \"grubx64.efi\"", NULL, "next server"},
    {"discover offer=x.efi request=10.0.0.9 unheard=x.efi unheard=x.efi", "reply-path-blocked", "first packet to it from UDP port 40001 was never acknowledged", "PXE-E18", "data_ports"},
    {"bios offer=x.efi request=10.0.0.9 unheard=x.efi", "reply-path-blocked", NULL, "PXE-E32", NULL},
    {"discover offer=x.efi request=10.0.0.9 probe=x.efi mtu=x.efi", "block-above-mtu", "blocks of 1468 octets for \"x.efi\"", NULL, "1360 or less"},
    {"discover offer=x.efi request=10.0.0.9 aborted=x.efi", "transfer-aborted", "ended the transfer of \"x.efi\"", NULL, NULL},
    {"discover offer=x.efi request=10.0.0.9 closed=x.efi", "transfer-closed", "pxed ended the transfer", NULL, NULL},
    {"discover offer=x.efi request=10.0.0.9 stalled=x.efi", "transfer-stalled", "stopped answering after 300kB of 1.0MB", NULL, NULL},
    {"discover offer=x.efi request=10.0.0.9 unreachable=x.efi", "transfer-stalled", "unreachable", NULL, NULL},
    {"discover offer=x.efi request=10.0.0.9 begin=x.efi discover wait=30", "reset-in-transfer", "while \"x.efi\" was still being loaded", NULL, NULL},
    {"discover offer=x.efi request=10.0.0.9 probe=x.efi", "size-probe", "size of \"x.efi\" (1.0MB)", NULL, "Secure Boot"},
    {"discover offer=x.efi request=10.0.0.9 refused=x.efi", "file-refused", "asked for \"x.efi\", got \"file not found\"", "PXE-E23", NULL},
    {"discover offer=x.efi request=10.0.0.9 turned-away=x.efi turned-away=x.efi", "not-allowed", "asked for \"x.efi\" and got no answer: 10.9.0.5 is not in tftp.allow", "PXE-E18", "\"tftp.allow\""},
    {"discover offer=x.efi request=10.0.0.9 refused=x.efi turned-away=y.efi last=x.efi", "loaded", NULL, NULL, NULL},
    {"discover offer=x.efi request=10.0.0.9 last=boot.ipxe refused=vmlinuz", "file-refused", "\"vmlinuz\"", NULL, NULL},
    {"bios offer=lpxelinux.0 last=lpxelinux.0 refused=pxelinux.cfg/01-52 refused=pxelinux.cfg/default", "file-refused", "pxelinux.cfg/default", NULL, NULL},
    {"discover offer=x.efi request=10.0.0.9 last=x.efi wait=5 discover", "did-not-start", "its firmware asked anew", NULL, "Secure Boot"},
    {"discover offer=g request=10.0.0.9 get=shimx64.efi refused=revocations.efi last=grubx64.efi refused=/grub/x86_64-efi/command.lst", "booted", NULL, NULL, NULL},
    {"discover offer=g request=10.0.0.9 get=shimx64.efi last=grubx64.efi", "grub-silent", "loaded \"grubx64.efi\" and asked for nothing more", "grub>", "pxed init"},
    {"discover offer=g request=10.0.0.9 last=shimx64.efi get=grubx64.efi get=/grub/grub.cfg get=/grub/fonts/unicode.pf2", "booted", NULL, NULL, NULL},
    {"discover offer=g lease=10.0.0.9,next request=10.0.0.9 get=shimx64.efi get=grubx64.efi", "grub-elsewhere", "the next server that DHCP server 10.0.0.9 names, 10.0.0.9.", NULL, "Let 10.0.0.9 name this host as next server"},
    {"http offer=g lease=10.0.0.9,next request=10.0.0.9 get=shimx64.efi get=grubx64.efi", "grub-by-http", "cannot read by HTTP", NULL, "secure.img"},
    {"http offer=g lease=10.0.0.9,next request=10.0.0.9 get=x64/secure.img get=/grub/grub.cfg get=/grub/linux", "booted", NULL, NULL, NULL},
    {"discover offer=g lease=10.0.0.9 request=10.0.0.9 last=shimx64.efi", "shim-silent", "did not ask here for what comes next", NULL, "next server"},
    {"discover offer=ipxe.efi request=10.0.0.9 get=ipxe.efi", "loader-silent", "loaded \"ipxe.efi\" whole and was not heard again", NULL, "snponly.efi"},

    /* good ends */
    {"discover offer=ipxe.efi request=10.0.0.9 get=ipxe.efi refused=autoexec.ipxe ipxe offer=boot.ipxe request=10.0.0.9 last=boot.ipxe", "booted", "loaded 2 files, the last \"boot.ipxe\", in 2.", NULL, NULL},
    {"bios offer=a.0 last=pxelinux.0 refused=pxelinux.cfg/01-52 refused=pxelinux.cfg/C0 get=pxelinux.cfg/default get=vmlinuz refused=autoexec.ipxe", "booted", NULL, NULL, NULL},
    {"discover offer=x.efi request=10.0.0.9 probe=x.efi last=x.efi", "loaded", "loaded \"x.efi\" whole", NULL, "Access Denied"},
    {"bios offer=x.0 request=10.0.0.9 last=x.0", "booted", NULL, NULL, NULL},
    {"discover other=http://10.0.0.7/x.efi request=10.0.0.9", "handed-over", "was sent to \"http://10.0.0.7/x.efi\"", NULL, NULL},

    /* nothing was asked for */
    {"discover offer=x.efi lease=10.0.0.9,pxe request=10.0.0.9", "asked-other-4011", "asks 10.0.0.9 on port 4011", "PXE-E16", "option 60"},
    {"bios offer=x.efi asks-4011=10.0.0.8", "asked-other-4011", "asks 10.0.0.8 on port 4011", "PXE-E55", NULL},
    {"ipxe offer=x.ipxe lease=10.0.0.9,no-pxe request=10.0.0.9", "ipxe-no-proxy", "10.0.0.9 tells iPXE", NULL, "option 175"},
    {"ipxe offer=x.ipxe lease=10.0.0.9,evil.ipxe request=10.0.0.9", "other-server-won", "follows DHCP server 10.0.0.9, which names a boot file (\"evil.ipxe\")", NULL, NULL},
    {"discover offer=x.efi proxy=10.0.0.8 lease=10.0.0.9 request=10.0.0.9", "other-server-won", "PXE server 10.0.0.8", NULL, NULL},
    {"discover offer=x.efi request=10.0.0.9 asks-tftp=10.0.0.9,y.efi", "other-server-won", "TFTP server 10.0.0.9", NULL, NULL},
    {"discover offer=x.efi lease=10.0.0.9 request=10.0.0.9", "no-request-for-file", "has an address from 10.0.0.9 and knows \"x.efi\"", "PXE-E18", "UDP port 69"},
    {"http offer=http://10.0.0.1/x.efi request=10.0.0.9", "no-request-for-file", "no request for it came to the port of its URL", NULL, NULL},
    {"discover offer=x.efi wait=4 http offer=y.efi", "only-us", "asked once", NULL, NULL},
    {"bios offer=x.0 request=10.0.0.9 4011 ack=x.0", "no-request-for-file", NULL, "PXE-E32", NULL},
    {"discover offer=x.efi wait=12 lease=10.0.0.9", "dhcp-server-slow", "only 12 s after", NULL, NULL},
    {"discover offer=x.efi lease=10.0.0.9 wait=4 discover offer=x.efi", "offer-not-taken", "it took neither", NULL, "\"binl\""},
    {"bios offer=x.0 wait=4 bios offer=x.0", "only-us", "asked 2 times, and only pxed answered", "PXE-E52: proxyDHCP offers were received. No DHCP offers were received.", "free addresses"},
    {"discover offer=x.efi", "only-us", NULL, "PXE-E16", NULL},
    {"solicit offer=x.efi", "went-silent", "was answered, and was not heard again", NULL, NULL},
};
/* clang-format on */

#define ROWS (sizeof rows / sizeof rows[0])

static void check_has(const char *script, const char *what, const char *part,
                      const char *text)
{
    if (part) {
        ck_assert_msg(text && strstr(text, part), "%s: %s is \"%s\", without \"%s\"",
                      script, what, text ? text : "none", part);
    }
}

START_TEST(the_verdict_and_its_words)
{
    struct play p;
    struct boot_words words;
    play(&p, rows[_i].script);
    const struct boot *b = timeline_after(p.t, 0);
    ck_assert_msg(b, "%s: has not ended", rows[_i].script);
    ck_assert_msg(strcmp(boot_rule_name(b->verdict), rows[_i].verdict) == 0,
                  "%s: got %s, want %s", rows[_i].script, boot_rule_name(b->verdict),
                  rows[_i].verdict);
    boot_say(b, b->verdict, &words);
    check_has(rows[_i].script, "the sentence", rows[_i].sentence, words.sentence);
    check_has(rows[_i].script, "the screen", rows[_i].screen, words.screen);
    check_has(rows[_i].script, "the remedy", rows[_i].remedy, words.remedy);
    ck_assert_msg(!strpbrk(words.sentence, "{}") && !strpbrk(words.remedy, "{}"),
                  "%s: a word is not known: %s %s", rows[_i].script, words.sentence,
                  words.remedy);
    ck_assert_str_eq(words.sentence + strlen(words.sentence) - 1, ".");
    timeline_free(p.t);
}
END_TEST

START_TEST(every_rule_has_its_row)
{
    for (unsigned rule = 0; rule < boot_rule_count(); rule++) {
        bool found = false;
        for (unsigned i = 0; i < ROWS; i++) {
            found = found || strcmp(rows[i].verdict, boot_rule_name(rule)) == 0;
        }
        ck_assert_msg(found, "no row for %s", boot_rule_name(rule));
    }
}
END_TEST

Suite *suite_app_boot_rules(void)
{
    Suite *s = suite_create("app/boot_rules, app/boot_words");
    TCase *tc = tcase_create("verdicts");
    tcase_add_loop_test(tc, the_verdict_and_its_words, 0, ROWS);
    tcase_add_test(tc, every_rule_has_its_row);
    suite_add_tcase(s, tc);
    return s;
}
