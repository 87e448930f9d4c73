#include "app/boot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLD_BACK      6 /* a repeat is looked for that many events back */
#define FORGET_AT_ONCE 8 /* files, when there is no room for another */

void boot_done(struct boot *b)
{
    free(b->events);
    free(b->files);
    b->events = NULL;
    b->files = NULL;
    b->event_room = b->event_count = 0;
    b->file_room = b->file_count = 0;
}

size_t boot_size(const struct boot *b)
{
    return b->event_room * sizeof *b->events + b->file_room * sizeof *b->files;
}

/* The room doubles, up to most; false: it is full, or memory is out. */
static bool grow(void **list, uint32_t *room, uint32_t first, uint32_t most, size_t size)
{
    uint32_t wanted = *room == 0 ? first : *room * 2;
    wanted = wanted < most ? wanted : most;
    if (wanted == *room) {
        return false;
    }
    void *more = realloc(*list, wanted * size);
    if (!more) {
        return false;
    }
    *list = more;
    *room = wanted;
    return true;
}

/* -- events ------------------------------------------------------------------------------- */

static struct boot_event *find_event(struct boot *b, enum boot_event_kind kind,
                                     const char *text)
{
    for (uint32_t back = 1; back <= b->event_count && back <= FOLD_BACK; back++) {
        struct boot_event *e = &b->events[b->event_count - back];
        if (e->kind == kind && strncmp(e->text, text, sizeof e->text - 1) == 0) {
            return e;
        }
    }
    return NULL;
}

static bool make_event_room(struct boot *b)
{
    void *list = b->events;
    bool grown = b->event_count < b->event_room ||
                 grow(&list, &b->event_room, 4, BOOT_EVENTS_MAX, sizeof *b->events);
    b->events = list;
    return grown;
}

/* The last one is always the newest: it says how the boot went on, or ended. */
void boot_note(struct boot *b, enum boot_event_kind kind, const char *text,
               const struct endpoint *server, usec_t now)
{
    struct boot_event *e = find_event(b, kind, text);
    if (e) {
        e->repeats++;
        e->last = now;
        return;
    }
    if (!make_event_room(b)) {
        b->forgotten++;
        if (b->event_count == 0) {
            return;
        }
        b->event_count--;
    }
    e = &b->events[b->event_count++];
    *e = (struct boot_event){.at = now, .last = now, .repeats = 1, .kind = kind};
    e->has_server = server != NULL;
    if (server) {
        e->server = *server;
    }
    snprintf(e->text, sizeof e->text, "%s", text);
}

/* -- files -------------------------------------------------------------------------------- */

/* Refusals and size probes go first, then what came whole; what failed tells most. */
static bool may_go(enum boot_file_end end, unsigned turn)
{
    switch (turn) {
    case 0:
        return end == BOOT_FILE_REFUSED || end == BOOT_FILE_PROBE;
    case 1:
        return boot_file_whole(end);
    default:
        return end != BOOT_FILE_RUNS;
    }
}

/* The oldest few at once, as the others have to move up. */
static uint32_t forget_files(struct boot *b, unsigned turn)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < b->file_count; i++) {
        if (i - kept < FORGET_AT_ONCE && may_go(b->files[i].end, turn)) {
            continue;
        }
        if (kept != i) {
            b->files[kept] = b->files[i];
        }
        kept++;
    }
    uint32_t gone = b->file_count - kept;
    b->file_count = kept;
    b->forgotten += gone;
    return gone;
}

static bool forget_some(struct boot *b)
{
    uint32_t gone = 0;
    for (unsigned turn = 0; gone == 0 && turn < 3; turn++) {
        gone = forget_files(b, turn);
    }
    return gone > 0;
}

static struct boot_load *add_file(struct boot *b, const struct boot_load *load)
{
    void *list = b->files;
    if (b->file_count == b->file_room &&
        !grow(&list, &b->file_room, 2, BOOT_FILES_MAX, sizeof *b->files) &&
        !forget_some(b)) {
        b->forgotten++;
        return NULL;
    }
    b->files = list;
    struct boot_load *new = &b->files[b->file_count++];
    *new = *load;
    b->file_numbers += b->file_numbers == UINT16_MAX ? 2 : 1; /* 0 is none */
    new->number = b->file_numbers;
    return new;
}

static struct boot_load *find_refusal(struct boot *b, const struct boot_load *load)
{
    for (uint32_t i = 0; i < b->file_count; i++) {
        struct boot_load *f = &b->files[i];
        if (f->end == BOOT_FILE_REFUSED && strcmp(f->name, load->name) == 0) {
            return f;
        }
    }
    return NULL;
}

struct boot_load *boot_find_file(struct boot *b, uint16_t number)
{
    for (uint32_t i = 0; i < b->file_count; i++) {
        if (b->files[i].number == number) {
            return &b->files[i];
        }
    }
    return NULL;
}

static void keep_name(struct boot_named *n, const char *name, usec_t now)
{
    if (strcmp(n->name, name) != 0) {
        memcpy(n->name, name, sizeof n->name);
        n->times = 0;
    }
    n->times++;
    n->at = now;
}

struct boot_load *boot_begin_file(struct boot *b, const struct boot_load *load)
{
    struct boot_facts *f = &b->facts;
    f->loads++;
    f->moved = load->began;
    b->stage = f->whole > 0 ? BOOT_STAGE_SECOND : BOOT_STAGE_FILE;
    boot_note(b, BOOT_FILE, load->name, NULL, load->began);
    struct boot_load *new = add_file(b, load);
    f->running += new != NULL;
    return new;
}

static void note_whole(struct boot_facts *f, const struct boot_load *load, usec_t now)
{
    f->whole++;
    f->last_whole = f->last_whole || load->last_file;
    keep_name(&f->good, load->name, now);
    if (f->first.times == 0 || strcmp(f->first.name, load->name) == 0) {
        keep_name(&f->first, load->name, now);
    }
}

void boot_end_file(struct boot *b, struct boot_load *load, enum boot_file_end end,
                   usec_t now)
{
    char text[BOOT_TEXT];
    struct boot_facts *f = &b->facts;
    load->end = end;
    load->ended = now;
    f->running--;
    f->moved = now;
    if (boot_file_whole(end)) {
        note_whole(f, load, now);
    } else if (end == BOOT_FILE_PROBE) {
        f->probes++;
    } else {
        f->failures++;
        f->worst = *load;
    }
    snprintf(text, sizeof text, "%s: %.70s", boot_file_end_name(end), load->name);
    boot_note(b, BOOT_END, text, NULL, now);
}

void boot_refuse_file(struct boot *b, const struct boot_load *load, usec_t now)
{
    struct boot_facts *f = &b->facts;
    struct boot_load *known = find_refusal(b, load);
    f->refusals++;
    f->moved = now;
    keep_name(&f->bad, load->name, now);
    memcpy(f->bad_reason, load->reason, sizeof f->bad_reason);
    f->bad_unanswered = load->unanswered;
    boot_note(b, BOOT_REFUSED, load->name, NULL, now);
    if (known) {
        known->repeats++;
        return;
    }
    struct boot_load *new = add_file(b, load);
    if (new) {
        new->end = BOOT_FILE_REFUSED;
        new->ended = now;
    }
}

bool boot_file_whole(enum boot_file_end end)
{
    return end == BOOT_FILE_DONE || end == BOOT_FILE_NO_FINAL_ACK;
}

/* -- names -------------------------------------------------------------------------------- */

const char *boot_event_kind_name(enum boot_event_kind kind)
{
    static const char *const names[BOOT_EVENT_KIND_COUNT] = {
        [BOOT_DISCOVER] = "discover",
        [BOOT_OFFER] = "offer",
        [BOOT_SILENT] = "silent",
        [BOOT_OTHER_OFFER] = "other-offer",
        [BOOT_REQUEST] = "request",
        [BOOT_ASK_4011] = "ask-4011",
        [BOOT_ACK] = "ack",
        [BOOT_OTHER_4011] = "other-4011",
        [BOOT_OTHER_TFTP] = "other-tftp",
        [BOOT_FILE] = "file",
        [BOOT_REFUSED] = "refused",
        [BOOT_END] = "end",
        [BOOT_SILENCE] = "silence",
        [BOOT_VERDICT] = "verdict",
    };
    return names[kind];
}

const char *boot_file_end_name(enum boot_file_end end)
{
    static const char *const names[BOOT_FILE_END_COUNT] = {
        [BOOT_FILE_RUNS] = "runs",       [BOOT_FILE_DONE] = "done",
        [BOOT_FILE_PROBE] = "probe",     [BOOT_FILE_NO_FINAL_ACK] = "no-final-ack",
        [BOOT_FILE_ABORTED] = "aborted", [BOOT_FILE_NO_ANSWER] = "no-answer",
        [BOOT_FILE_STALLED] = "stalled", [BOOT_FILE_UNREACHABLE] = "unreachable",
        [BOOT_FILE_CLOSED] = "closed",   [BOOT_FILE_REFUSED] = "refused",
    };
    return names[end];
}

const char *boot_door_name(enum boot_door door)
{
    return door == BOOT_HTTP ? "http" : "tftp";
}

const char *boot_client_name(enum boot_client client)
{
    static const char *const names[BOOT_CLIENT_COUNT] = {
        [BOOT_CLIENT_BIOS] = "bios",      [BOOT_CLIENT_UEFI] = "uefi",
        [BOOT_CLIENT_HTTP] = "uefi-http", [BOOT_CLIENT_IPXE] = "ipxe",
        [BOOT_CLIENT_UBOOT] = "u-boot",   [BOOT_CLIENT_PI] = "raspberry-pi",
    };
    return names[client];
}

const char *boot_state_name(enum boot_state state)
{
    static const char *const names[] = {
        [BOOT_BOOTING] = "booting",
        [BOOT_BOOTED] = "booted",
        [BOOT_STOPPED] = "stopped",
        [BOOT_ON_PURPOSE] = "silent",
    };
    return names[state];
}

const char *boot_stage_name(enum boot_stage stage)
{
    static const char *const names[] = {
        [BOOT_STAGE_DISCOVER] = "discover",   [BOOT_STAGE_OFFERED] = "offered",
        [BOOT_STAGE_REQUESTED] = "requested", [BOOT_STAGE_FILE] = "file",
        [BOOT_STAGE_SECOND] = "second-stage",
    };
    return names[stage];
}

static bool is_same_machine(const struct boot *a, const struct boot *b)
{
    return memcmp(&a->key, &b->key, sizeof a->key) == 0;
}

bool boot_failure_stands(const struct boot *const *ended, size_t index,
                         const struct boot *const *under_way, size_t count)
{
    const struct boot *b = ended[index];
    if (b->state != BOOT_STOPPED) {
        return false;
    }
    for (size_t i = 0; i < index; i++) {
        if (is_same_machine(ended[i], b)) {
            return false;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (under_way[i]->stage == BOOT_STAGE_SECOND &&
            is_same_machine(under_way[i], b)) {
            return false;
        }
    }
    return true;
}
