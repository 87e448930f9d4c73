#include "dhcp/radar.h"

#include <stdio.h>
#include <string.h>

#include "common/text.h"

enum { IPXE_NO_PXEDHCP = 176 };

#define OBJECT_TEXT 201 /* a file name or an address, escaped and cut */

/* -- requests ----------------------------------------------------------------------------- */

enum whose { NOT_HEARD, OURS, OTHERS };

/* 1 is the latest; NULL: not remembered so far back. */
static const struct radar_request *heard(const struct radar *r, size_t back)
{
    bool known = back <= r->heard_count && back <= RADAR_HEARD_MAX;
    return known ? &r->heard[(r->heard_count - back) % RADAR_HEARD_MAX] : NULL;
}

static const struct radar_request *latest_of_xid(const struct radar *r, uint32_t xid)
{
    const struct radar_request *q = heard(r, 1);
    for (size_t back = 2; q && q->xid != xid; back++) {
        q = heard(r, back);
    }
    return q;
}

static const struct radar_request *latest_of_client(const struct radar *r,
                                                    const struct mac *client)
{
    const struct radar_request *q = heard(r, 1);
    for (size_t back = 2; q && !mac_equal(&q->client, client); back++) {
        q = heard(r, back);
    }
    return q;
}

/* The REQUEST that takes another server's lease is of the transaction that we answered. */
void radar_heard(struct radar *r, const struct radar_request *request)
{
    const struct radar_request *known = latest_of_xid(r, request->xid);
    if (request->ours || !known || !known->ours ||
        !mac_equal(&known->client, &request->client)) {
        r->heard[r->heard_count++ % RADAR_HEARD_MAX] = *request;
    }
}

static enum whose whose_request(const struct radar *r, uint32_t xid)
{
    const struct radar_request *q = latest_of_xid(r, xid);
    return !q ? NOT_HEARD : (q->ours ? OURS : OTHERS);
}

/* -- what a reply says -------------------------------------------------------------------- */

static bool has_class(const struct dhcp_packet *p, const char *word)
{
    uint8_t buf[DHCP_OPTION_MAX];
    struct rd value;
    size_t len = strlen(word);
    return dhcp_find(p, DHCP_VENDOR_CLASS, buf, &value) && rd_left(&value) >= len &&
           memcmp(value.p, word, len) == 0;
}

static bool file_is_overloaded(const struct dhcp_packet *p)
{
    uint8_t buf[DHCP_OPTION_MAX];
    struct rd value;
    return dhcp_find(p, DHCP_OVERLOAD, buf, &value) && (rd_u8(&value) & 1);
}

/* Option 67, else the header's field; false: no file is named. */
static bool read_file(const struct dhcp_packet *p, char out[DHCP_FILE_LEN])
{
    uint8_t buf[DHCP_OPTION_MAX];
    struct rd value = rd_over(p->file, DHCP_FILE_LEN);
    if (!dhcp_find(p, DHCP_BOOT_FILE, buf, &value) && file_is_overloaded(p)) {
        return false;
    }
    size_t len = rd_left(&value) < DHCP_FILE_LEN ? rd_left(&value) : DHCP_FILE_LEN - 1;
    memcpy(out, value.p, len);
    out[len] = '\0';
    return out[0] != '\0';
}

static bool tells_ipxe_no_proxy(const struct dhcp_packet *p)
{
    uint8_t buf[DHCP_OPTION_MAX];
    struct rd field;
    struct dhcp_option sub;
    if (!dhcp_find(p, DHCP_ETHERBOOT, buf, &field)) {
        return false;
    }
    while (dhcp_option_next(&field, &sub)) {
        if (sub.code == IPXE_NO_PXEDHCP) {
            return rd_left(&sub.value) > 0 && rd_u8(&sub.value) != 0;
        }
    }
    return false;
}

static bool is_own(const struct identity *us, struct ip4 ip)
{
    for (size_t i = 0; i < us->count; i++) {
        if (ip4_equal(us->list[i].ip, ip)) {
            return true;
        }
    }
    return false;
}

static struct ip4 server_of(const struct radar_reply *reply)
{
    uint8_t buf[DHCP_OPTION_MAX];
    struct rd id;
    struct ip4 server = reply->ip;
    if (dhcp_find(reply->packet, DHCP_SERVER_ID, buf, &id) &&
        rd_left(&id) == sizeof server.octet) {
        memcpy(server.octet, id.p, sizeof server.octet);
    }
    return server;
}

bool radar_read_offer(const struct radar_reply *reply, struct radar_offer *out)
{
    const struct dhcp_packet *p = reply->packet;
    if (p->op != BOOTREPLY || p->type != DHCP_OFFER) {
        return false;
    }
    *out = (struct radar_offer){
        .server = server_of(reply),
        .has_address = !ip4_is_any(p->yiaddr),
        .pxe = has_class(p, "PXEClient") || has_class(p, "HTTPClient"),
        .no_pxe = tells_ipxe_no_proxy(p),
        .next_server = p->siaddr,
    };
    out->ours = !out->has_address && is_own(reply->us, out->server);
    if (!read_file(p, out->file)) {
        out->file[0] = '\0';
    }
    return true;
}

/* -- events ------------------------------------------------------------------------------- */

/* NULL: all were seen lately. */
static struct radar_event *free_place(struct radar *r, usec_t now)
{
    if (r->count < RADAR_EVENTS_MAX) {
        return &r->event[r->count++];
    }
    struct radar_event *oldest = &r->event[0];
    for (size_t i = 1; i < r->count; i++) {
        oldest = r->event[i].last < oldest->last ? &r->event[i] : oldest;
    }
    return now >= oldest->last + RADAR_MEMORY ? oldest : NULL;
}

/* Seen now.  NULL: no room. */
static struct radar_event *note(struct radar *r, enum radar_kind kind, struct ip4 server,
                                usec_t now)
{
    struct radar_event *e = NULL;
    r->seen[kind]++;
    for (size_t i = 0; i < r->count && !e; i++) {
        bool same = r->event[i].kind == kind && ip4_equal(r->event[i].server, server);
        e = same ? &r->event[i] : NULL;
    }
    if (!e) {
        e = free_place(r, now);
        if (!e) {
            return NULL;
        }
        *e = (struct radar_event){.kind = kind, .server = server};
    }
    e->count++;
    e->last = now;
    return e;
}

static void fill_in(struct radar_event *e, const struct radar_reply *reply, usec_t now)
{
    e->via = reply->ip;
    e->mac = reply->mac;
    (void)dhcp_mac(reply->packet, &e->client);
    e->next_server = reply->packet->siaddr;
    if (e->kind == RADAR_BOOT_FILE) {
        (void)read_file(reply->packet, e->file);
    }
    e->first = now;
}

/* Which kinds of conflict a lease server's OFFER or ACK shows. */
static void judge_lease(const struct radar_reply *reply, enum whose whose,
                        bool found[RADAR_KIND_COUNT])
{
    char file[DHCP_FILE_LEN];
    const struct dhcp_packet *p = reply->packet;
    found[RADAR_FOREIGN_OPTION60] = has_class(p, "PXEClient");
    found[RADAR_FOREIGN_HTTP] = has_class(p, "HTTPClient");
    found[RADAR_IPXE_NO_PROXY] = tells_ipxe_no_proxy(p);
    if (whose != OTHERS) {
        found[RADAR_BOOT_FILE] = read_file(p, file);
        found[RADAR_NEXT_SERVER] = !found[RADAR_BOOT_FILE] && !ip4_is_any(p->siaddr) &&
                                   !is_own(reply->us, p->siaddr);
    }
}

/* An offer without an address is a proxy's; our own come back by a second interface. */
static void judge_proxy(const struct radar_reply *reply, enum whose whose,
                        bool found[RADAR_KIND_COUNT])
{
    const struct dhcp_packet *p = reply->packet;
    found[RADAR_SECOND_PROXY] = whose == OURS && p->type == DHCP_OFFER &&
                                !is_own(reply->us, server_of(reply)) &&
                                (has_class(p, "PXEClient") || has_class(p, "HTTPClient"));
}

size_t radar_see(struct radar *r, const struct radar_reply *reply, usec_t now,
                 const struct radar_event *fresh[RADAR_KIND_COUNT])
{
    const struct dhcp_packet *p = reply->packet;
    bool found[RADAR_KIND_COUNT] = {false};
    size_t new = 0;
    if (p->op != BOOTREPLY || (p->type != DHCP_OFFER && p->type != DHCP_ACK)) {
        return 0;
    }
    enum whose whose = whose_request(r, p->xid);
    if (ip4_is_any(p->yiaddr)) {
        judge_proxy(reply, whose, found);
    } else {
        judge_lease(reply, whose, found);
    }
    for (unsigned kind = 0; kind < RADAR_KIND_COUNT; kind++) {
        struct radar_event *e =
            found[kind] ? note(r, (enum radar_kind)kind, server_of(reply), now) : NULL;
        if (e && e->count == 1) {
            fill_in(e, reply, now);
            fresh[new ++] = e;
        }
    }
    return new;
}

bool radar_is_elsewhere(const struct radar *r, const struct mac *client,
                        struct ip4 server)
{
    const struct radar_request *q = latest_of_client(r, client);
    return q && q->ours && !ip4_equal(q->next_server, server);
}

const struct radar_event *radar_asks(struct radar *r, const struct mac *client,
                                     const struct mac *to, struct ip4 server,
                                     struct rd request, usec_t now)
{
    if (!radar_is_elsewhere(r, client, server)) {
        return NULL;
    }
    struct radar_event *e = note(r, RADAR_ELSEWHERE, server, now);
    if (!e || e->count > 1) {
        return NULL;
    }
    (void)rd_u16(&request); /* opcode; the name follows, up to its NUL */
    size_t len =
        rd_left(&request) < DHCP_FILE_LEN ? rd_left(&request) : DHCP_FILE_LEN - 1;
    if (len > 0) {
        memcpy(e->file, request.p, len);
    }
    e->via = server;
    e->mac = *to;
    e->client = *client;
    e->first = now;
    return e;
}

/* -- words -------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    bool warning;
    const char *who;  /* before the server's address */
    const char *does; /* behind it; %s: the boot file or the next server, once at most */
    const char *harm;
} kinds[RADAR_KIND_COUNT] = {
    [RADAR_FOREIGN_OPTION60] =
        {"foreign-option60", true, "the DHCP server",
         "says option 60 \"PXEClient\" in its address offers, as if it were the PXE "
         "server",
         "UEFI clients ask it alone for a boot file, pass over this proxy and stop with "
         "PXE-E16 or PXE-E18; take option 60 out of its configuration"},
    [RADAR_FOREIGN_HTTP] = {"foreign-http-class", true, "the DHCP server",
                            "says option 60 \"HTTPClient\" in its address offers",
                            "UEFI HTTP Boot takes the URL from it and not from here; "
                            "take option 60 out of its configuration"},
    [RADAR_BOOT_FILE] =
        {"foreign-boot-file", true, "the DHCP server", "names the boot file \"%s\"",
         "iPXE loads that file unless \"ipxe_override\" is set here, and shim looks for "
         "its second stage beside it; take the file name (option 67) out of its "
         "configuration"},
    [RADAR_NEXT_SERVER] = {"foreign-next-server", false, "the DHCP server",
                           "names the next server %s",
                           "a GRUB loaded from here and iPXE scripts with ${next-server} "
                           "go on there; where "
                           "that matters, let it name this host"},
    [RADAR_SECOND_PROXY] =
        {"second-proxy", true, "another PXE server", "answers clients that we answer",
         "UEFI clients boot from whichever is first, iPXE from the last; let one of the "
         "two ignore them"},
    [RADAR_IPXE_NO_PROXY] =
        {"ipxe-no-proxy", true, "the DHCP server", "sends option 175.176 (no-pxedhcp)",
         "iPXE clients then ignore every proxy, this one too; take it out of its "
         "configuration"},
    [RADAR_ELSEWHERE] =
        {"second-stage-elsewhere", true, "the TFTP server",
         "is asked for \"%s\" by a machine that we answered",
         "GRUB, shim and iPXE scripts follow the next server of the DHCP server and do "
         "not find our files there; let it name this host as next server, and no file"},
};

const char *radar_kind_name(enum radar_kind kind)
{
    return kinds[kind].name;
}

bool radar_is_warning(enum radar_kind kind)
{
    return kinds[kind].warning;
}

/* What stands for the %s of `does`. */
static void print_object(const struct radar_event *e, char out[OBJECT_TEXT])
{
    if (e->kind == RADAR_BOOT_FILE || e->kind == RADAR_ELSEWHERE) {
        (void)text_show(e->file, strlen(e->file), out, OBJECT_TEXT);
    } else {
        (void)ip4_print(e->next_server, out);
    }
}

char *radar_say(const struct radar_event *e, char buf[RADAR_TEXT])
{
    char ip[IP4_TEXT];
    char mac[MAC_TEXT];
    char object[OBJECT_TEXT];
    const char *does = kinds[e->kind].does;
    const char *hole = strstr(does, "%s");
    int before = hole ? (int)(hole - does) : (int)strlen(does);
    print_object(e, object);
    snprintf(buf, RADAR_TEXT, "%s %s (%s) %.*s%s%s: %s", kinds[e->kind].who,
             ip4_print(e->server, ip), mac_print(&e->mac, mac), before, does,
             hole ? object : "", hole ? hole + 2 : "", kinds[e->kind].harm);
    return buf;
}
