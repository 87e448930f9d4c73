#include <stdio.h>
#include <stdlib.h>

#include "dhcp/ladder.h"
#include "tests/unit/judge.h"
#include "tests/unit/quoted.h"
#include "tests/unit/suites.h"

/*
 * The ladder against models of clients, on virtual time.  A model knows when it asks and which
 * offers it takes; it decides as its firmware does: at the end of each wait.
 */
#define SEC USEC_PER_SEC
static const char automatic[] = CONFIG(PROFILE_C0, "");

static struct ladder *ladder;

static void set_up(void)
{
    ladder = calloc(1, sizeof *ladder);
    ck_assert_ptr_nonnull(ladder);
    ladder->seed = (struct hash_seed){1, 2};
}

static void tear_down(void)
{
    free(ladder);
}

/* -- models ------------------------------------------------------------------------------- */

enum {
    TAKES_WHOLE = 1 << 0, /* an offer with 43.6 = 8 and a file */
    TAKES_BINL = 1 << 1,  /* one without option 43: asks on 4011 */
    TAKES_PAIR = 1 << 2,  /* either, but only when both came at once */
};

struct model {
    const char *name;
    unsigned wait[6]; /* seconds after each DISCOVER; 0: gives up */
    unsigned takes;
    uint16_t arch;
    const char *user_class;
    bool decides_at_once; /* does not collect offers until its wait is over */
};

static const struct model edk2 = {
    .name = "EDK2", .wait = {4, 8, 16, 32}, .takes = TAKES_WHOLE | TAKES_BINL, .arch = 7};
static const struct model ipxe = {.name = "iPXE",
                                  .wait = {1, 2, 4, 8, 10},
                                  .takes = TAKES_WHOLE | TAKES_BINL,
                                  .arch = 0,
                                  .user_class = "iPXE",
                                  .decides_at_once = true};
static const struct model bios = {.name = "BIOS ROM",
                                  .wait = {4, 8, 16, 32},
                                  .takes = TAKES_WHOLE,
                                  .arch = 0,
                                  .decides_at_once = true};
static const struct model hp_pair = {
    .name = "HP, both only", .wait = {4, 8, 16, 32}, .takes = TAKES_PAIR, .arch = 7};
static const struct model hp_binl = {
    .name = "HP, binl only", .wait = {4, 8, 16, 32}, .takes = TAKES_BINL, .arch = 7};

/* What became of one boot. */
struct boot {
    unsigned asked; /* DISCOVERs */
    char forms[80]; /* that were offered: "pxe pxe bare" */
    bool whole;     /* took an offer that says all */
    bool binl;      /* went to 4011 */
    usec_t took;    /* from the first DISCOVER to the choice */
};

struct world {
    usec_t now;
    usec_t address_after; /* its address server answers this long after the boot began */
    uint8_t mac;          /* last octet */
    uint32_t xid;
    const char *json;
};

static const char *ask(const struct world *w, const struct request *r, uint16_t port,
                       unsigned *kinds)
{
    static struct dhcp_decision d;
    uint8_t buf[1500];
    struct dhcp_packet in = packet_of(r, buf);
    struct snapshot *s = config_of(w->json ? w->json : automatic);
    struct dhcp_site site = {.config = s, .address = us};
    struct dhcp_arrival at = port == 67 ? by_broadcast : by_4011(4011);
    (void)ladder_decide(ladder, &site, &at, &in, w->now, &d);
    snapshot_free(s);
    unsigned seen = 0;
    for (unsigned i = 0; i < d.reply_count; i++) {
        struct dhcp_packet p = parsed(&d.reply[i]);
        uint8_t value_buf[DHCP_OPTION_MAX];
        struct rd value;
        bool whole = dhcp_find(&p, DHCP_VENDOR_SPECIFIC, value_buf, &value) && *p.file;
        seen |= whole ? TAKES_WHOLE : TAKES_BINL;
    }
    *kinds = seen == (TAKES_WHOLE | TAKES_BINL) ? seen | TAKES_PAIR : seen;
    return d.reply_count > 0 ? offer_form_name(d.form) : "-";
}

static void load(const struct world *w, const struct request *r)
{
    struct mac mac;
    memcpy(mac.octet, r->mac, sizeof mac.octet);
    ladder_loads(ladder, &mac, w->now);
}

static bool has_come(struct world *w, const struct model *m, struct request *r,
                     unsigned held, struct boot *b)
{
    unsigned seen;
    b->whole = held & m->takes & (TAKES_WHOLE | TAKES_PAIR);
    b->binl = !b->whole && held & m->takes & TAKES_BINL;
    if (b->binl) {
        struct request again = request_4011(m->arch);
        memcpy(again.mac, r->mac, sizeof again.mac);
        ck_assert_str_ne(ask(w, &again, 4011, &seen), "-");
    }
    if (b->whole || b->binl) {
        load(w, r);
    }
    return b->whole || b->binl;
}

/* One boot of one machine, as its firmware does it. */
static struct boot boot(struct world *w, const struct model *m)
{
    struct boot b = {0};
    struct request r = discover(m->arch);
    usec_t start = w->now;
    unsigned held = 0; /* offers are kept from one wait to the next */
    r.mac[5] = w->mac;
    r.xid = ++w->xid;
    if (m->user_class) {
        request_add(&r, 77, m->user_class, strlen(m->user_class));
    }
    for (size_t i = 0; i < 6 && m->wait[i] > 0; i++) {
        unsigned seen;
        const char *form = ask(w, &r, 67, &seen);
        size_t used = strlen(b.forms);
        snprintf(b.forms + used, sizeof b.forms - used, "%s%s", i > 0 ? " " : "", form);
        held |= seen;
        b.asked++;
        if (!m->decides_at_once || w->now - start < w->address_after) {
            w->now += m->wait[i] * SEC;
        }
        if (w->now - start >= w->address_after && has_come(w, m, &r, held, &b)) {
            break;
        }
    }
    b.took = w->now - start;
    return b;
}

/* -- clients that work are not disturbed -------------------------------------------------- */

static const struct {
    const struct model *model;
    unsigned address_after; /* seconds */
    const char *forms;
    bool binl; /* by way of 4011 */
} works_rows[] = {
    {&edk2, 0, "pxe", false},
    {&edk2, 3, "pxe", false},
    {&edk2, 10, "pxe pxe", false},
    {&edk2, 20, "pxe pxe bare", false}, /* it has kept the first */
    {&edk2, 40, "pxe pxe bare both", false},
    {&ipxe, 0, "pxe", false},
    {&ipxe, 2, "pxe pxe", false},
    {&ipxe, 6, "pxe pxe pxe", false},
    {&ipxe, 14, "pxe pxe pxe pxe", false}, /* iPXE takes pxe always: no ladder */
    {&bios, 0, "pxe", false},
    {&bios, 10, "pxe pxe", false},
    {&bios, 40, "pxe pxe bare both", false},
};

START_TEST(who_boots_today_boots_as_before)
{
    struct world w = {.now = 100 * SEC, .mac = 1};
    w.address_after = works_rows[_i].address_after * SEC;
    const struct model *m = works_rows[_i].model;
    for (int again = 0; again < 5; again++) { /* and again, minutes or seconds later */
        struct boot b = boot(&w, m);
        ck_assert_msg(b.whole || b.binl, "%s, boot %d: no boot after %s", m->name, again,
                      b.forms);
        if (again == 0) {
            ck_assert_msg(!strcmp(b.forms, works_rows[_i].forms), "%s: got %s", m->name,
                          b.forms);
        }
        ck_assert_msg(b.binl == works_rows[_i].binl, "%s, boot %d: %s", m->name, again,
                      b.forms);
        w.now += (again % 2 ? 20 : 300) * SEC;
    }
}
END_TEST

/* B05: a laptop that refuses the usual form, and the second boot of it and of its sister. */
static const struct {
    const struct model *model;
    const char *first;
    const char *later;
} hp_rows[] = {
    {&hp_pair, "pxe pxe bare both", "both"},
    {&hp_binl, "pxe pxe bare", "bare"},
};

START_TEST(b05_another_form_for_who_keeps_asking)
{
    struct world w = {.now = 100 * SEC, .mac = 1};
    struct boot b = boot(&w, hp_rows[_i].model);
    ck_assert_str_eq(b.forms, hp_rows[_i].first);
    ck_assert(b.whole || b.binl);
    w.now += 600 * SEC;
    b = boot(&w, hp_rows[_i].model);
    ck_assert_str_eq(b.forms, hp_rows[_i].later);
    w.mac = 2; /* a sister, never seen */
    b = boot(&w, hp_rows[_i].model);
    ck_assert_str_eq(b.forms, hp_rows[_i].later);
    const struct ladder_kind *k = ladder_kind_at(ladder, 0);
    ck_assert_str_eq(k->class, "PXEClient:Arch::UNDI:");
    ck_assert_uint_eq(k->arch, 7);
    ck_assert_str_eq(offer_form_name(ladder_first(k)), hp_rows[_i].later);
    ck_assert_ptr_null(ladder_kind_at(ladder, 1));
}
END_TEST

/* One odd machine changes nothing for a fleet; a fleet of odd ones does. */
START_TEST(a_stray_changes_nothing_for_the_others)
{
    struct world w = {.now = 100 * SEC};
    for (uint8_t i = 0; i < 20; i++) {
        w.mac = i;
        ck_assert_str_eq(boot(&w, &edk2).forms, "pxe");
    }
    w.mac = 100;
    ck_assert_str_eq(boot(&w, &hp_binl).forms, "pxe pxe bare");
    w.mac = 101;
    ck_assert_str_eq(boot(&w, &edk2).forms, "pxe");
    w.mac = 100; /* the odd one itself is known */
    w.now += 600 * SEC;
    ck_assert_str_eq(boot(&w, &hp_binl).forms, "bare");
    for (uint8_t i = 102; i < 115; i++) {
        w.mac = i;
        (void)boot(&w, &hp_binl);
    }
    w.mac = 150;
    ck_assert_str_eq(boot(&w, &hp_binl).forms, "bare");
    /* EDK2 then goes by 4011, which works; and the fleet comes back to pxe by its own boots */
    struct boot b = boot(&w, &edk2);
    ck_assert(b.binl || b.whole);
}
END_TEST

/* -- the mechanism ------------------------------------------------------------------------ */

static const char *ask_at(usec_t now, uint8_t mac)
{
    struct world w = {.now = now};
    struct request r = discover(7);
    unsigned seen;
    r.mac[5] = mac;
    return ask(&w, &r, 67, &seen);
}

/* The form of each DISCOVER of one client. */
static const struct {
    const char *name;
    const char *asks; /* seconds; T: it then loads; q: it goes to 4011, then loads;
                         r: another relay brings it too; n: a new transaction */
    const char *forms;
} steps[] = {
    {"B05: 0, 4, 12, 28", "0 4 12 28", "pxe pxe bare both"},
    {"around", "0 4 12 28 60 64 72 88 120", "pxe pxe bare both pxe pxe bare both pxe"},
    {"B05: a transfer freezes the form", "0 4T 12 28 60 90", "pxe pxe pxe pxe pxe pxe"},
    {"4011 freezes it too", "0 4 12q 28 60", "pxe pxe bare bare bare"},
    {"a transfer after bare alone is due to an earlier offer", "0 4 12T 28 60",
     "pxe pxe bare pxe pxe"},
    {"frozen for two minutes", "0T 100 119 121 125 133", "pxe pxe pxe pxe pxe bare"},
    {"two minutes of silence begin anew", "0 4 125 129 137", "pxe pxe pxe pxe bare"},
    {"what worked comes first ever after", "0 4 12q 600 604 612 628",
     "pxe pxe bare bare bare pxe both"},
    {"two relays bring it twice", "0r 4r 12r 28", "pxe pxe pxe pxe bare bare both"},
    {"single tries begin anew", "0n 10n 20n 30n 40n", "pxe pxe pxe pxe pxe"},
    {"so do tries at once", "0 0 10n 10 20n", "pxe pxe pxe pxe pxe"},
    {"tries in vain go on in the next transaction", "0 4 20n 24 40n",
     "pxe pxe bare both pxe"},
    {"in one transaction it counts however soon", "0 0 1 1", "pxe pxe bare both"},
};

/* One DISCOVER; then, by the letter, nothing, a REQUEST on 4011 or a transfer. */
static void step(struct world *w, char letter, char *got, size_t size)
{
    struct request r = discover(7);
    struct request late = request_4011(7);
    unsigned seen;
    size_t used = strlen(got);
    w->xid += letter == 'n';
    r.xid = w->xid;
    snprintf(got + used, size - used, "%s%s", used ? " " : "", ask(w, &r, 67, &seen));
    w->now += SEC / 10;
    if (letter == 'r') {
        used = strlen(got);
        r.giaddr.octet[0] = 10;
        snprintf(got + used, size - used, " %s", ask(w, &r, 67, &seen));
    }
    if (letter == 'q') {
        (void)ask(w, &late, 4011, &seen);
        w->now += SEC;
    }
    if (letter == 'q' || letter == 'T') {
        load(w, &r);
    }
}

START_TEST(steps_of_the_ladder)
{
    struct world w = {0};
    char got[200] = "";
    const char *p = steps[_i].asks;
    while (*p) {
        char *end;
        unsigned long seconds = strtoul(p, &end, 10);
        w.now = (1000 + seconds) * SEC;
        step(&w, *end, got, sizeof got);
        p = end + strspn(end, "Tqrn ");
    }
    ck_assert_msg(!strcmp(got, steps[_i].forms), "%s: got %s, want %s", steps[_i].name,
                  got, steps[_i].forms);
}
END_TEST

/* An explicit form switches it off, and nothing is credited then. */
START_TEST(an_explicit_form_stays)
{
    struct world w = {
        .now = SEC, .mac = 1, .json = CONFIG(PROFILE_C0 ", 'offer': 'pxe'", "")};
    struct boot b = boot(&w, &hp_binl);
    ck_assert_str_eq(b.forms, "pxe pxe pxe pxe");
    ck_assert(!b.binl && !b.whole);
    b = boot(&w, &edk2);
    ck_assert_str_eq(b.forms, "pxe");
    ck_assert_uint_eq(ladder_kind_at(ladder, 0)->came[OFFER_PXE], 0);
}
END_TEST

START_TEST(secs_do_not_drive_it)
{
    struct world w = {.now = SEC};
    struct request r = discover(7);
    uint8_t buf[1500];
    static struct dhcp_decision d;
    struct snapshot *s = config_of(automatic);
    struct dhcp_site site = {.config = s, .address = us};
    (void)request_bytes(&r, buf);
    memcpy(buf + 8, "\xff\xff", 2);
    struct dhcp_packet in;
    ck_assert_int_eq(dhcp_parse(buf, 400, &in), DHCP_OK);
    ck_assert_uint_eq(in.secs, 0xffff);
    (void)ladder_decide(ladder, &site, &by_broadcast, &in, w.now, &d);
    ck_assert_int_eq(d.form, OFFER_PXE);
    snapshot_free(s);
}
END_TEST

START_TEST(after_requests_counts_what_is_not_answered_too)
{
    struct world w = {
        .now = SEC, .mac = 1, .json = CONFIG(PROFILE_C0 ", 'after_requests': 3", "")};
    struct boot b = boot(&w, &edk2);
    ck_assert_str_eq(b.forms, "- - pxe"); /* the first offer is the ladder's first step */
    ck_assert(b.whole);
    w.now += 30 * SEC; /* the next boot counts from the start */
    b = boot(&w, &edk2);
    ck_assert_str_eq(b.forms, "- - pxe");
}
END_TEST

/* A ROM and the iPXE it loads have one card, and each its own count. */
START_TEST(the_ipxe_of_a_card_is_another_client)
{
    struct request r = discover(7);
    struct request script = discover(7);
    uint8_t a[1500];
    uint8_t b[1500];
    struct ladder_key key;
    request_add(&script, 77, "iPXE", 4);
    struct dhcp_packet in = packet_of(&r, a);
    struct dhcp_packet chained = packet_of(&script, b);
    struct pxe_request client = pxe_read(&in);
    ck_assert(ladder_key_of(&in, &client, &key));
    ck_assert_uint_eq(ladder_asks(ladder, &key, SEC).asked, 1);
    ck_assert_uint_eq(ladder_asks(ladder, &key, 2 * SEC).asked, 2);
    client = pxe_read(&chained);
    ck_assert(ladder_key_of(&chained, &client, &key));
    ck_assert_uint_eq(ladder_asks(ladder, &key, 3 * SEC).asked, 1);
}
END_TEST

START_TEST(a_client_without_address_is_not_remembered)
{
    struct request r = discover(7);
    struct ladder_key key;
    uint8_t buf[1500];
    r.hlen = 0;
    struct dhcp_packet in = packet_of(&r, buf);
    struct pxe_request client = pxe_read(&in);
    ck_assert(!ladder_key_of(&in, &client, &key));
    r.hlen = 16;
    in = packet_of(&r, buf);
    ck_assert(ladder_key_of(&in, &client, &key));
}
END_TEST

/* Any number of clients and kinds: the newest are known, nothing breaks. */
START_TEST(it_is_bounded)
{
    struct ladder_key key = {.arch = 7};
    for (uint32_t i = 0; i < 100000; i++) {
        memcpy(key.chaddr, &i, sizeof i);
        snprintf(key.class, sizeof key.class, "PXEClient%c%c", 'a' + i % 26,
                 'a' + i / 26 % 26);
        struct ladder_advice advice = ladder_asks(ladder, &key, i);
        ck_assert_uint_eq(advice.asked, 1);
        ladder_offered(ladder, &key, advice.form);
        ladder_reached(ladder, &key, LADDER_4011, i);
    }
    ck_assert_ptr_nonnull(ladder_kind_at(ladder, LADDER_KINDS - 1));
    ck_assert_ptr_null(ladder_kind_at(ladder, LADDER_KINDS));
    ck_assert_str_eq(ask_at(SEC, 1), "pxe");
    ladder_forget(ladder);
    ck_assert_ptr_null(ladder_kind_at(ladder, 0));
    ck_assert_uint_eq(ladder->seed.k1, 2);
}
END_TEST

/* Kinds that were credited outlive ones that only asked. */
START_TEST(what_works_is_not_crowded_out_by_noise)
{
    struct world w = {.now = SEC, .mac = 1};
    (void)boot(&w, &hp_binl);
    struct ladder_key key = {.arch = 7};
    for (uint32_t i = 0; i < 500; i++) {
        memcpy(key.chaddr, &i, sizeof i);
        snprintf(key.class, sizeof key.class, "noise%c%c", 'a' + i % 26, 'a' + i / 26);
        (void)ladder_asks(ladder, &key, w.now + i);
    }
    w.mac = 2;
    ck_assert_str_eq(boot(&w, &hp_binl).forms, "bare");
}
END_TEST

/* A class of any octets is shown as printable ones, cut. */
START_TEST(classes_of_kinds_are_printable)
{
    struct request r = discover(7);
    struct ladder_key key;
    uint8_t buf[1500];
    char class[200] = "PXEClient:\x1b[2J \xff 0123";
    memset(class + strlen(class), 'x', 100);
    request_set(&r, 60, class, strlen(class));
    struct dhcp_packet in = packet_of(&r, buf);
    struct pxe_request client = pxe_read(&in);
    ck_assert(ladder_key_of(&in, &client, &key));
    ck_assert_uint_eq(strlen(key.class), LADDER_CLASS_LEN - 1);
    ck_assert_mem_eq(key.class, "PXEClient:?[J???xxx", 19);
}
END_TEST

#define COUNT(list) (int)(sizeof(list) / sizeof(list)[0])

Suite *suite_dhcp_ladder(void)
{
    Suite *s = suite_create("dhcp/ladder");
    TCase *tc = tcase_create("ladder");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_loop_test(tc, who_boots_today_boots_as_before, 0, COUNT(works_rows));
    tcase_add_loop_test(tc, b05_another_form_for_who_keeps_asking, 0, COUNT(hp_rows));
    tcase_add_test(tc, a_stray_changes_nothing_for_the_others);
    tcase_add_loop_test(tc, steps_of_the_ladder, 0, COUNT(steps));
    tcase_add_test(tc, an_explicit_form_stays);
    tcase_add_test(tc, secs_do_not_drive_it);
    tcase_add_test(tc, after_requests_counts_what_is_not_answered_too);
    tcase_add_test(tc, the_ipxe_of_a_card_is_another_client);
    tcase_add_test(tc, a_client_without_address_is_not_remembered);
    tcase_add_test(tc, it_is_bounded);
    tcase_add_test(tc, what_works_is_not_crowded_out_by_noise);
    tcase_add_test(tc, classes_of_kinds_are_printable);
    suite_add_tcase(s, tc);
    return s;
}
