#include "app/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/boot_rules.h"
#include "app/boots.h"

struct timeline {
    struct boots boots;
    struct timeline_totals totals;
};

struct timeline *timeline_new(size_t boots, uint64_t octets, const struct hash_seed *seed)
{
    struct timeline *t = calloc(1, sizeof *t);
    if (t && !boots_init(&t->boots, boots, octets, seed)) {
        timeline_free(t);
        return NULL;
    }
    return t;
}

void timeline_free(struct timeline *t)
{
    if (t) {
        boots_done(&t->boots);
        free(t);
    }
}

/* -- what changes a boot ------------------------------------------------------------------ */

static void note(struct timeline *t, struct boot *b, enum boot_event_kind kind,
                 const char *text, const struct endpoint *server, usec_t now)
{
    size_t before = boot_size(b);
    boot_note(b, kind, text, server, now);
    boots_changed(&t->boots, b, before);
}

static usec_t patience(const struct boot *b)
{
    const struct boot_facts *f = &b->facts;
    if (f->running > 0) {
        return USEC_NEVER;
    }
    if (f->loads == 0) {
        return TIMELINE_QUIET;
    }
    if (f->good.times == 0 || f->good.at < f->moved) {
        return TIMELINE_QUIET;
    }
    if (boot_is_at_grub(b)) {
        return TIMELINE_STUCK;
    }
    return f->last_whole ? TIMELINE_SETTLE : TIMELINE_LOADED;
}

/* It was heard: its silence begins anew. */
static void hear(struct timeline *t, struct boot *b, usec_t now)
{
    usec_t wait = patience(b);
    boots_heard(&t->boots, b, now, wait == USEC_NEVER ? USEC_NEVER : now + wait);
}

static uint64_t *total_of(struct timeline *t, enum boot_state state)
{
    return state == BOOT_BOOTED    ? &t->totals.booted
           : state == BOOT_STOPPED ? &t->totals.stopped
                                   : &t->totals.silent;
}

static void end(struct timeline *t, struct boot *b, usec_t now)
{
    if (now >= b->heard + USEC_PER_SEC) {
        note(t, b, BOOT_SILENCE, "nothing more was heard", NULL, now);
    }
    b->verdict = boot_judge(b);
    b->state = boot_rule_state(b->verdict);
    note(t, b, BOOT_VERDICT, boot_rule_name(b->verdict), NULL, now);
    ++*total_of(t, b->state);
    boots_ended(&t->boots, b, now);
}

static void open_again(struct timeline *t, struct boot *b, usec_t now)
{
    --*total_of(t, b->state);
    b->state = BOOT_BOOTING;
    boots_open(&t->boots, b);
    hear(t, b, now);
}

/* -- who it is ---------------------------------------------------------------------------- */

static bool key_of(const struct timeline_who *who, struct boot_key *out)
{
    *out = (struct boot_key){{0}};
    if (who->has_mac) {
        memcpy(out->octets, who->mac.octet, sizeof who->mac.octet);
        return true;
    }
    memcpy(out->octets, who->address.ip, sizeof who->address.ip);
    memcpy(out->octets + sizeof who->address.ip, &who->address.scope,
           sizeof who->address.scope);
    return who->has_address;
}

static void learn(struct boot *b, const struct timeline_who *who)
{
    if (who->has_mac) {
        b->has_mac = true;
        b->mac = who->mac;
    }
    if (who->has_address) {
        b->has_address = true;
        b->address = who->address;
        b->address.port = 0;
    }
}

static struct boot *begin(struct timeline *t, const struct boot_key *key,
                          const struct timeline_who *who, usec_t now)
{
    struct boot *b = boots_begin(&t->boots, key, now);
    if (b) {
        learn(b, who);
    }
    return b;
}

/* Its boot under way; NULL: it has none. */
static struct boot *active(struct timeline *t, const struct timeline_who *who)
{
    struct boot_key key;
    struct boot *b = key_of(who, &key) ? boots_find(&t->boots, &key) : NULL;
    return b && !b->ended ? b : NULL;
}

/* -- DHCP --------------------------------------------------------------------------------- */

/* Does this request of a machine begin another boot than the one under way? */
static bool begins_anew(const struct boot *b, const struct timeline_request *r)
{
    const struct boot_facts *f = &b->facts;
    if (r->kind != TIMELINE_DISCOVER) {
        return false;
    }
    if (f->discovers == 0 || r->client == BOOT_CLIENT_IPXE) {
        return false;
    }
    if (r->ipv6 != f->ipv6 || r->client != b->client) {
        return true; /* the firmware's next boot option */
    }
    /* Quirk: what a Raspberry Pi's boot ROM loads asks again, as the ROM does. */
    return f->loads > 0 && r->client != BOOT_CLIENT_PI;
}

/* It had loaded nothing, and asks once more after a longer pause than most firmware makes. */
static struct boot *take_up(struct timeline *t, const struct boot_key *key,
                            const struct timeline_request *r, usec_t now)
{
    struct boot *b = boots_find(&t->boots, key);
    if (!b || !b->ended || r->kind != TIMELINE_DISCOVER || b->client != r->client ||
        b->facts.ipv6 != r->ipv6 || b->facts.loads > 0 || b->facts.refusals > 0 ||
        now >= b->began + TIMELINE_RETRIES) {
        return NULL;
    }
    open_again(t, b, now);
    return b;
}

static struct boot *boot_of_request(struct timeline *t, const struct timeline_who *who,
                                    const struct timeline_request *r, usec_t now)
{
    struct boot_key key;
    struct boot *b = active(t, who);
    if (b && begins_anew(b, r)) {
        b->facts.again = b->facts.ipv6 == r->ipv6;
        end(t, b, now);
        b = NULL;
    }
    if (b || !r->boots || r->kind == TIMELINE_REQUEST || !key_of(who, &key)) {
        return b;
    }
    b = take_up(t, &key, r, now);
    return b ? b : begin(t, &key, who, now);
}

static void note_discover(struct boot *b, const struct timeline_request *r, usec_t now)
{
    struct boot_facts *f = &b->facts;
    if (f->discovers++ == 0) {
        f->first_discover = now;
        f->ipv6 = r->ipv6;
        b->client = r->client;
    }
    f->firmware += r->client == b->client;
    f->last_discover = now;
    if (f->loads > 0) {
        b->stage = BOOT_STAGE_SECOND;
    }
}

static void note_request(struct boot *b, const struct timeline_request *r)
{
    struct boot_facts *f = &b->facts;
    if (r->kind == TIMELINE_REQUEST) {
        f->requests++;
        f->lease_server = r->server;
    } else {
        f->asks_4011++;
    }
    if (b->stage < BOOT_STAGE_REQUESTED) {
        b->stage = BOOT_STAGE_REQUESTED;
    }
}

void timeline_request(struct timeline *t, const struct timeline_who *who,
                      const struct timeline_request *request, usec_t now)
{
    static const enum boot_event_kind kinds[] = {
        [TIMELINE_DISCOVER] = BOOT_DISCOVER,
        [TIMELINE_REQUEST] = BOOT_REQUEST,
        [TIMELINE_4011] = BOOT_ASK_4011,
    };
    bool other_use = !request->boots && request->kind == TIMELINE_DISCOVER;
    struct boot *b = other_use ? NULL : boot_of_request(t, who, request, now);
    if (!b) {
        return; /* of the UEFI shell, of GRUB, of an operating system, ... */
    }
    learn(b, who);
    snprintf(b->interface, sizeof b->interface, "%s", request->interface);
    b->facts.deaf = request->deaf;
    if (request->has_arch && !b->has_arch) {
        b->has_arch = true;
        b->arch = request->arch;
    }
    if (request->kind == TIMELINE_DISCOVER) {
        note_discover(b, request, now);
    } else {
        note_request(b, request);
    }
    struct endpoint server = endpoint_ip4(request->server, 0);
    note(t, b, kinds[request->kind], request->words,
         ip4_is_any(request->server) ? NULL : &server, now);
    hear(t, b, now);
}

static void keep(char *out, size_t size, const char *text)
{
    if (text) {
        snprintf(out, size, "%s", text);
    }
}

static void note_answer(struct timeline *t, struct boot *b,
                        const struct timeline_answer *a, usec_t now)
{
    char text[BOOT_TEXT];
    struct boot_facts *f = &b->facts;
    if (!a->answered) {
        note(t, b, BOOT_SILENT, dhcp_verdict_name(a->reason), NULL, now);
        return;
    }
    f->answers++;
    f->elsewhere = a->elsewhere;
    f->form = a->offer ? a->form : f->form;
    if (b->stage == BOOT_STAGE_DISCOVER) {
        b->stage = BOOT_STAGE_OFFERED;
    }
    const char *file = a->file ? a->file : "the disk";
    snprintf(text, sizeof text, "%.70s%s%s", file, a->offer && a->form ? ", form " : "",
             a->offer && a->form ? a->form : "");
    note(t, b, a->offer ? BOOT_OFFER : BOOT_ACK, text, NULL, now);
}

void timeline_answer(struct timeline *t, const struct timeline_who *who,
                     const struct timeline_answer *answer, usec_t now)
{
    struct boot *b = active(t, who);
    if (!b) {
        return;
    }
    keep(b->host, sizeof b->host, answer->host);
    keep(b->profile, sizeof b->profile, answer->profile);
    keep(b->facts.file, sizeof b->facts.file, answer->file);
    b->facts.silence = answer->answered ? DHCP_ANSWERED : answer->reason;
    if (answer->in_table) {
        boots_known(&t->boots, b);
    }
    note_answer(t, b, answer, now);
}

static void keep_offer(struct boot_other *o, const struct timeline_offer *offer,
                       usec_t now)
{
    if (!ip4_is_any(o->server) && (o->pxe || o->file[0]) && !offer->pxe &&
        !offer->file[0]) {
        return; /* the one that stands in our way is worth more */
    }
    if (!ip4_equal(o->server, offer->server)) {
        *o = (struct boot_other){.server = offer->server, .at = now};
    }
    o->pxe = offer->pxe;
    o->no_pxe = offer->no_pxe;
    o->next_server = offer->next_server;
    snprintf(o->file, sizeof o->file, "%s", offer->file);
}

void timeline_other_offer(struct timeline *t, const struct timeline_who *who,
                          const struct timeline_offer *offer, usec_t now)
{
    char text[BOOT_TEXT];
    char ip[IP4_TEXT];
    struct boot *b = active(t, who);
    if (!b) {
        return;
    }
    struct endpoint server = endpoint_ip4(offer->server, 0);
    snprintf(text, sizeof text, "%s from %s%s%s%.30s",
             offer->has_address ? "an address" : "a boot file",
             ip4_print(offer->server, ip), offer->pxe ? ", as a PXE server" : "",
             offer->file[0] ? ", names " : "", offer->file);
    note(t, b, BOOT_OTHER_OFFER, text, &server, now);
    keep_offer(offer->has_address ? &b->facts.lease : &b->facts.proxy, offer, now);
}

void timeline_elsewhere(struct timeline *t, const struct timeline_who *who,
                        struct ip4 server, bool tftp, const char *name, usec_t now)
{
    struct boot *b = active(t, who);
    if (!b) {
        return;
    }
    struct endpoint at = endpoint_ip4(server, tftp ? 69 : 4011);
    note(t, b, tftp ? BOOT_OTHER_TFTP : BOOT_OTHER_4011, name, &at, now);
    if (tftp) {
        b->facts.asked_tftp = server;
        b->facts.asked_at = now;
        snprintf(b->facts.asked_name, sizeof b->facts.asked_name, "%s", name);
    } else {
        b->facts.asked_4011 = server;
    }
    hear(t, b, now);
}

void timeline_address(struct timeline *t, const struct mac *mac,
                      const struct endpoint *address)
{
    struct timeline_who who = {
        .has_mac = true, .mac = *mac, .has_address = true, .address = *address};
    struct boot *b = active(t, &who);
    if (b) {
        learn(b, &who);
    }
}

/* -- files -------------------------------------------------------------------------------- */

/* A place in the table, the number of a file there, and the low half of the boot's id. */
static timeline_tag tag_of(const struct boot *b, uint16_t number)
{
    return (uint64_t)b->slot << 48 | (uint64_t)number << 32 | (uint32_t)b->id;
}

static struct boot *boot_of_tag(const struct timeline *t, timeline_tag tag)
{
    size_t slot = tag >> 48;
    struct boot *b = slot < t->boots.used ? &t->boots.slots[slot] : NULL;
    return tag != 0 && b && b->id > 0 && (uint32_t)b->id == (uint32_t)tag ? b : NULL;
}

const struct boot *timeline_of_file(const struct timeline *t, timeline_tag tag)
{
    return boot_of_tag(t, tag);
}

static struct boot *boot_of_load(struct timeline *t, const struct timeline_who *who,
                                 usec_t now)
{
    struct boot_key key;
    if (!key_of(who, &key)) {
        return NULL;
    }
    struct boot *b = boots_find(&t->boots, &key);
    if (b && b->ended && now < b->ended + TIMELINE_REOPEN) {
        open_again(t, b, now);
    } else if (!b || b->ended) {
        b = begin(t, &key, who, now);
    }
    if (b) {
        learn(b, who);
    }
    return b;
}

timeline_tag timeline_file_began(struct timeline *t, const struct timeline_who *who,
                                 const struct boot_load *load)
{
    struct boot *b = boot_of_load(t, who, load->began);
    if (!b) {
        return 0;
    }
    size_t before = boot_size(b);
    const struct boot_load *new = boot_begin_file(b, load);
    uint16_t number = new ? new->number : 0;
    boots_changed(&t->boots, b, before);
    t->totals.files++;
    hear(t, b, load->began);
    return number > 0 ? tag_of(b, number) : 0;
}

static struct boot_load *load_of_tag(struct boot *b, timeline_tag tag)
{
    struct boot_load *load = b ? boot_find_file(b, (uint16_t)(tag >> 32)) : NULL;
    return load && load->end == BOOT_FILE_RUNS ? load : NULL;
}

void timeline_file_progress(struct timeline *t, timeline_tag tag,
                            const struct boot_progress *progress)
{
    struct boot_load *load = load_of_tag(boot_of_tag(t, tag), tag);
    if (load) {
        load->progress = *progress;
    }
}

void timeline_file_ended(struct timeline *t, timeline_tag tag,
                         const struct boot_progress *progress, enum boot_file_end how,
                         usec_t now)
{
    struct boot *b = boot_of_tag(t, tag);
    struct boot_load *load = load_of_tag(b, tag);
    t->totals.octets += progress->sent;
    t->totals.resent += progress->resent;
    if (!load) {
        return;
    }
    load->progress = *progress;
    size_t before = boot_size(b);
    boot_end_file(b, load, how, now);
    boots_changed(&t->boots, b, before);
    if (b->ended) {
        return; /* the machine has started over meanwhile */
    }
    if (boot_file_whole(how)) {
        boots_known(&t->boots, b);
    }
    hear(t, b, now);
    if (boot_is_over(b)) {
        end(t, b, now);
    }
}

void timeline_file_refused(struct timeline *t, const struct timeline_who *who,
                           const struct boot_load *load, usec_t now)
{
    struct boot *b = boot_of_load(t, who, now);
    if (!b) {
        return;
    }
    size_t before = boot_size(b);
    boot_refuse_file(b, load, now);
    boots_changed(&t->boots, b, before);
    hear(t, b, now);
}

/* -- time, and what there is ---------------------------------------------------------------- */

usec_t timeline_deadline(const struct timeline *t)
{
    return timers_next(&t->boots.timers);
}

void timeline_timeout(struct timeline *t, usec_t now)
{
    struct boot *b;
    while ((b = boots_due(&t->boots, now)) != NULL) {
        end(t, b, now);
    }
}

const struct boot *timeline_after(const struct timeline *t, uint64_t turn)
{
    return boots_after(&t->boots, turn);
}

void timeline_keep(struct timeline *t, const struct boot *b, const char *name)
{
    struct boot *own = &t->boots.slots[b - t->boots.slots];
    snprintf(own->evidence, sizeof own->evidence, "%s", name);
}

uint64_t timeline_turn(const struct timeline *t)
{
    return t->boots.turn;
}

size_t timeline_room(const struct timeline *t)
{
    return t->boots.used;
}

const struct boot *timeline_at(const struct timeline *t, size_t index)
{
    const struct boot *b = &t->boots.slots[index];
    return b->id > 0 ? b : NULL;
}

const struct timeline_totals *timeline_totals(const struct timeline *t)
{
    return &t->totals;
}

uint64_t timeline_bound(const struct timeline *t)
{
    /* Lists may pass the limit by those of the one boot that is being written to. */
    return t->boots.room * sizeof *t->boots.slots + t->boots.octets_max + BOOT_LISTS_MAX;
}

uint64_t timeline_size(const struct timeline *t)
{
    return t->boots.used * sizeof *t->boots.slots + t->boots.octets;
}
