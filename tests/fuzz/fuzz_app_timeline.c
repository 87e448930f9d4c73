/*
 * Boots of several machines, in any order of events, as app/boot_watch tells them.
 *
 * Properties: the timeline never takes more than its bound, nor more boots than its room; a
 * boot that has ended has a verdict of the table and one that runs has none to wait for
 * longer than its deadline; its lists stay within their bounds; each sentence, remedy and
 * event is plain text without a word left in braces; turns only rise, and every end is found
 * by its turn; a tag tells of the boot it was given for, or of none.
 */
#include "app/boot_rules.h"
#include "app/boot_words.h"
#include "app/timeline.h"
#include "tests/fuzz/fuzz.h"

#define ROOM     6
#define OCTETS   60000
#define TAGS     8
#define MACHINES 12

struct world {
    struct timeline *t;
    usec_t now;
    uint64_t turn;
    timeline_tag tag[TAGS];
    size_t tags;
};

static struct timeline_who who_of(struct rd *in)
{
    uint8_t n = rd_u8(in);
    uint8_t machine = n % MACHINES;
    return (struct timeline_who){
        .has_mac = n<200, .mac = {{2, 0, 0, 0, 0, machine}}, .has_address = n> 100,
        .address = endpoint_ip4((struct ip4){{10, 0, 0, machine}}, 2000),
    };
}

/* What a shell hands in is printable already. */
static const char *name_of(struct rd *in)
{
    static const char *const names[] = {
        "boot.efi",
        "grub.cfg",
        "pxelinux.cfg/default",
        "grubx64.efi",
        "initrd",
        "boot.wim",
        "autoexec.ipxe",
        "grub.cfg-01-02",
        "revocations.efi",
        "bootmgfw.efi",
        "start4.elf",
        "a name with {file} in it",
        "undionly.kpxe",
        "snponly.efi",
        "kernel8.img",
        "",
    };
    return names[fuzz_below(in, sizeof names / sizeof names[0])];
}

static struct ip4 server_of(struct rd *in)
{
    uint8_t n = rd_u8(in);
    return n < 100 ? IP4_ANY : (struct ip4){{10, 0, 0, n}};
}

/* -- events ------------------------------------------------------------------------------- */

static void request(struct world *w, struct rd *in)
{
    struct timeline_who who = who_of(in);
    uint8_t what = rd_u8(in);
    struct timeline_request r = {
        .kind = (enum timeline_request_kind)(what % 3),
        .words = "DISCOVER, x64-uefi",
        .interface = "eth0",
        .boots = what & 4,
        .client = (enum boot_client)fuzz_below(in, BOOT_CLIENT_COUNT),
        .has_arch = what & 8,
        .arch = what & 16 ? 7 : 0,
        .ipv6 = what & 32,
        .deaf = what & 64,
        .server = server_of(in),
    };
    timeline_request(w->t, &who, &r, w->now);
}

static void answer(struct world *w, struct rd *in)
{
    static const char *const forms[] = {NULL, "pxe", "binl", "both", "bare"};
    struct timeline_who who = who_of(in);
    uint8_t what = rd_u8(in);
    struct timeline_answer a = {
        .answered = what & 1,
        .offer = what & 2,
        .reason = what & 1
                      ? DHCP_ANSWERED
                      : (enum dhcp_verdict)(1 + fuzz_below(in, DHCP_VERDICT_COUNT - 1)),
        .form = forms[fuzz_below(in, sizeof forms / sizeof forms[0])],
        .file = what & 4 ? name_of(in) : NULL,
        .host = what & 8 ? "lab-01" : NULL,
        .profile = what & 16 ? "default" : NULL,
        .in_table = what & 32,
        .elsewhere = what & 64,
    };
    timeline_answer(w->t, &who, &a, w->now);
}

static void other(struct world *w, struct rd *in)
{
    struct timeline_who who = who_of(in);
    uint8_t what = rd_u8(in);
    struct timeline_offer o = {
        .server = server_of(in),
        .has_address = what & 1,
        .pxe = what & 2,
        .no_pxe = what & 4,
        .next_server = server_of(in),
        .file = what & 8 ? name_of(in) : "",
    };
    if (what & 16) {
        timeline_elsewhere(w->t, &who, o.server, what & 1, name_of(in), w->now);
    } else if (what & 32) {
        timeline_address(w->t, &who.mac, &who.address);
    } else {
        timeline_other_offer(w->t, &who, &o, w->now);
    }
}

static struct boot_progress progress_of(struct rd *in)
{
    uint64_t size = rd_u16(in);
    return (struct boot_progress){
        .size = size > 60000 ? UINT64_MAX : size,
        .sent = size * rd_u8(in) / 255,
        .block = rd_u8(in) & 1 ? 1468 : 0,
        .window = rd_u8(in) % 65,
        .resent = rd_u8(in),
        .heard = fuzz_bool(in),
    };
}

static struct boot_load load_of(const struct world *w, struct rd *in)
{
    uint8_t what = rd_u8(in);
    struct boot_load load = {
        .door = (enum boot_door)(what % BOOT_DOOR_COUNT),
        .peer = endpoint_ip4((struct ip4){{10, 0, 0, 9}}, 2000),
        .port = what & 2 ? 40000 : 0,
        .asked = {{"blksize", 1468}, {"windowsize", 4}},
        .asked_count = what >> 2 & 1 ? 2 : 0,
        .progress = progress_of(in),
        .began = w->now,
        .last_file = what & 8,
    };
    snprintf(load.name, sizeof load.name, "%s", name_of(in));
    snprintf(load.reason, sizeof load.reason, "%s", what & 16 ? "not-found" : "access");
    return load;
}

static void file(struct world *w, struct rd *in)
{
    struct timeline_who who = who_of(in);
    struct boot_load load = load_of(w, in);
    uint8_t what = rd_u8(in);
    if (what < 90) {
        timeline_file_refused(w->t, &who, &load, w->now);
        return;
    }
    timeline_tag tag = timeline_file_began(w->t, &who, &load);
    const struct boot *b = timeline_of_file(w->t, tag);
    must(tag == 0 ? b == NULL : b != NULL && b->facts.loads > 0);
    if (tag != 0) {
        w->tag[w->tags++ % TAGS] = tag;
    }
}

static void file_goes_on(struct world *w, struct rd *in)
{
    timeline_tag *tag = &w->tag[fuzz_below(in, TAGS)];
    struct boot_progress progress = progress_of(in);
    uint8_t what = rd_u8(in);
    if (what < 60) {
        timeline_file_progress(w->t, *tag, &progress);
        return;
    }
    enum boot_file_end how = (enum boot_file_end)(1 + what % (BOOT_FILE_REFUSED - 1));
    timeline_file_ended(w->t, *tag, &progress, how, w->now);
    *tag = 0;
}

static void wait(struct world *w, struct rd *in)
{
    uint8_t what = rd_u8(in);
    usec_t due = timeline_deadline(w->t);
    w->now += (usec_t)what * what * 20 * USEC_PER_MSEC;
    if (what >= 200 && due != USEC_NEVER) {
        w->now = due > w->now ? due : w->now;
    }
    timeline_timeout(w->t, w->now);
    must(timeline_deadline(w->t) > w->now);
}

/* -- what holds afterwards ---------------------------------------------------------------- */

/* Of our own words; the names of files may have braces. */
static void check_words(const struct boot *b)
{
    struct boot_words words;
    for (unsigned rule = 0; rule < boot_rule_count(); rule++) {
        boot_say(b, rule, &words);
        must(words.sentence[0] != '\0' && fuzz_is_plain(words.sentence));
        must(fuzz_is_plain(words.remedy) &&
             (!words.screen || fuzz_is_plain(words.screen)));
        for (const char *at = words.sentence; (at = strchr(at, '{')); at++) {
            must(strncmp(at, "{file}", 6) == 0);
        }
    }
}

static void check_boot(struct world *w, const struct boot *b)
{
    must(b->event_count <= BOOT_EVENTS_MAX && b->file_count <= BOOT_FILES_MAX);
    must(boot_size(b) <= BOOT_LISTS_MAX);
    must(b->stage < BOOT_STAGE_COUNT && b->client < BOOT_CLIENT_COUNT);
    must((b->ended > 0) == (b->state != BOOT_BOOTING));
    must(b->facts.running <= b->facts.loads);
    unsigned rule = boot_judge(b);
    must(rule < boot_rule_count() && boot_rule_name(rule)[0] != '\0');
    for (uint32_t i = 0; i < b->event_count; i++) {
        const struct boot_event *e = &b->events[i];
        must(e->kind < BOOT_EVENT_KIND_COUNT && fuzz_is_plain(e->text));
        must(e->last >= e->at && e->last <= w->now);
    }
    if (b->ended > 0) {
        must(b->turn >= 1 && b->turn <= timeline_turn(w->t));
        must(b->verdict < boot_rule_count());
        must(boot_rule_state(b->verdict) == b->state);
    }
}

static void check_all(struct world *w, bool words)
{
    size_t count = 0;
    uint64_t turn = 0;
    must(timeline_size(w->t) <= timeline_bound(w->t));
    for (size_t i = 0; i < timeline_room(w->t); i++) {
        const struct boot *b = timeline_at(w->t, i);
        if (b) {
            count++;
            check_boot(w, b);
            if (words) {
                check_words(b);
            }
        }
    }
    must(count <= ROOM && timeline_turn(w->t) >= w->turn);
    w->turn = timeline_turn(w->t);
    for (const struct boot *b; (b = timeline_after(w->t, turn));) {
        must(b->turn > turn && b->ended > 0);
        turn = b->turn;
    }
}

static void keep(struct world *w)
{
    const struct boot *b = timeline_after(w->t, 0);
    if (b) {
        timeline_keep(w->t, b, "20261130-100000.pcap");
        must(b->evidence[0] != '\0');
    }
}

static void step(struct world *w, struct rd *in)
{
    static void (*const events[])(struct world *, struct rd *) = {
        request, request, answer, other, file, file, file_goes_on, wait};
    uint8_t what = rd_u8(in);
    events[what % (sizeof events / sizeof events[0])](w, in);
    if (what > 250) {
        keep(w);
    }
    check_all(w, false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct hash_seed seed = {1, 2};
    struct rd in = rd_over(data, size);
    struct world w = {.t = timeline_new(ROOM, OCTETS, &seed), .now = USEC_PER_SEC};
    must(w.t != NULL);
    while (rd_left(&in) > 0) {
        step(&w, &in);
    }
    check_all(&w, true);
    w.now += 100 * TIMELINE_RETRIES;
    timeline_timeout(w.t, w.now);
    timeline_free(w.t);
    return 0;
}
