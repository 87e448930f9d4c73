#include "dhcp/v6_decision.h"

#include <stdio.h>

#include "config/url.h"
#include "dhcp/url.h"

#define ENTERPRISE_INTEL 343 /* whose number the class of a boot client carries */

enum { DUID_LLT = 1, DUID_LL = 3, DUID_UUID = 4 };
enum { HARDWARE_ETHERNET = 1 };

/*
 * RFC 8415 section 11.5: a UUID, of RFC 9562's free form (version 8), made of our name and
 * the MAC.  Not the MAC's own DUID-LL: a DHCPv6 server on this host may have that one, and
 * clients would take the two of us for one.
 */
void dhcp6_duid(const struct mac *mac, uint8_t out[DHCP6_DUID_LEN])
{
    static const uint8_t head[] = {0, DUID_UUID, 'p',  'x', 'e',  'd',
                                   0, 0,         0x80, 0,   0x80, 0};
    struct wr w = wr_over(out, DHCP6_DUID_LEN);
    wr_put(&w, head, sizeof head);
    wr_put(&w, mac->octet, sizeof mac->octet);
}

/* -- who is it? --------------------------------------------------------------------------- */

static bool take_mac(struct rd address, struct mac *out)
{
    if (rd_left(&address) != sizeof out->octet) {
        return false;
    }
    memcpy(out->octet, address.p, sizeof out->octet);
    return true;
}

/* The client's identifier may hold a MAC, or the UUID of the machine. */
static bool mac_of_duid(struct rd duid, struct mac *out)
{
    uint16_t type = rd_u16(&duid);
    if ((type != DUID_LLT && type != DUID_LL) || rd_u16(&duid) != HARDWARE_ETHERNET) {
        return false;
    }
    if (type == DUID_LLT) {
        (void)rd_u32(&duid); /* when it was made */
    }
    return take_mac(duid, out);
}

static bool uuid_of_duid(struct rd duid, uint8_t out[16])
{
    if (rd_u16(&duid) != DUID_UUID || rd_left(&duid) != 16) {
        return false;
    }
    memcpy(out, duid.p, 16);
    return true;
}

/* RFC 4291 appendix A: a link-local address that is made of the MAC. */
static bool mac_of_address(const struct ip6 *ip, struct mac *out)
{
    const uint8_t *o = ip->octet;
    if (!ip6_is_link_local(ip) || o[11] != 0xff || o[12] != 0xfe) {
        return false;
    }
    *out = (struct mac){{o[8] ^ 2, o[9], o[10], o[13], o[14], o[15]}};
    return true;
}

/*
 * The relay next to the client sees it best, then it tells itself, then its address does;
 * last comes what it told before.
 */
static bool find_mac(const struct dhcp6_arrival *at, const struct dhcp6_packet *in,
                     struct mac *out)
{
    struct rd value;
    const struct ip6 *client = &at->from;
    if (in->relay_count > 0) {
        const struct dhcp6_relay *nearest = &in->relay[in->relay_count - 1];
        client = &nearest->peer;
        if (dhcp6_find(nearest->options, DHCP6_CLIENT_LINK_LAYER, &value) &&
            rd_u16(&value) == HARDWARE_ETHERNET && take_mac(value, out)) {
            return true;
        }
    }
    if (dhcp6_find(in->options, DHCP6_CLIENT_ID, &value) && mac_of_duid(value, out)) {
        return true;
    }
    if (mac_of_address(client, out)) {
        return true;
    }
    *out = at->mac;
    return at->has_mac;
}

/* Option 16 may hold several texts, and may stand there once for each enterprise. */
static void read_vendor_class(const struct dhcp6_packet *in, struct pxe_request *client)
{
    struct rd options = in->options;
    struct rd archs = rd_nothing();
    struct dhcp6_option opt;
    (void)dhcp6_find(in->options, DHCP6_ARCH, &archs);
    while (client->class == PXE_NO_CLIENT && dhcp6_option_next(&options, &opt)) {
        if (opt.code != DHCP6_VENDOR_CLASS || rd_u32(&opt.value) != ENTERPRISE_INTEL) {
            continue;
        }
        while (client->class == PXE_NO_CLIENT && rd_left(&opt.value) > 0) {
            struct rd text = rd_sub(&opt.value, rd_u16(&opt.value));
            if (rd_ok(&text)) {
                client->arch_count = 0;
                pxe_read_class(client, text, archs);
            }
        }
    }
}

static bool is_ipxe(const struct dhcp6_packet *in)
{
    static const char word[] = "iPXE";
    struct rd classes;
    if (!dhcp6_find(in->options, DHCP6_USER_CLASS, &classes)) {
        return false;
    }
    while (rd_left(&classes) > 0) {
        struct rd one = rd_sub(&classes, rd_u16(&classes));
        if (rd_left(&one) == sizeof word - 1 && !memcmp(one.p, word, sizeof word - 1)) {
            return true;
        }
    }
    return false;
}

static struct pxe_request read_client(const struct dhcp6_packet *in)
{
    struct pxe_request client = {.ipxe = is_ipxe(in)};
    struct rd value;
    read_vendor_class(in, &client);
    if (client.class == PXE_NO_CLIENT && client.ipxe) {
        client.class = PXE_PXECLIENT; /* some builds send the user class alone */
        struct rd archs = rd_nothing();
        (void)dhcp6_find(in->options, DHCP6_ARCH, &archs);
        client.arch_count = 0;
        pxe_read_class(&client, rd_nothing(), archs);
    }
    if (dhcp6_find(in->options, DHCP6_CLIENT_ID, &value)) {
        client.has_uuid = uuid_of_duid(value, client.uuid);
    }
    return client;
}

/* -- is this ours to answer? -------------------------------------------------------------- */

static bool has_ia(const struct dhcp6_packet *in)
{
    struct rd value;
    return dhcp6_find(in->options, DHCP6_IA_NA, &value) ||
           dhcp6_find(in->options, DHCP6_IA_TA, &value) ||
           dhcp6_find(in->options, DHCP6_IA_PD, &value);
}

static bool is_servers_message(uint8_t type)
{
    return type == DHCP6_ADVERTISE || type == DHCP6_REPLY || type == DHCP6_RECONFIGURE ||
           type == DHCP6_RELAY_REPL;
}

/*
 * Whatever asks for a lease, a SOLICIT apart, is talk with the address server.  Port 4011 is
 * for PXE alone: an HTTP client has its URL from the ADVERTISE.  On port 547 clients ask by
 * multicast only (RFC 8415 section 16), relays as they like.
 */
static bool is_our_message(const struct dhcp6_arrival *at, const struct dhcp6_packet *in,
                           enum pxe_class class)
{
    if (at->port == DHCP_PXE_PORT) {
        bool asks = in->type == DHCP6_REQUEST || in->type == DHCP6_INFORMATION_REQUEST;
        return asks && class == PXE_PXECLIENT && !has_ia(in) && in->relay_count == 0;
    }
    if (in->relay_count == 0 && !ip6_is_multicast(&at->to)) {
        return false;
    }
    return in->type == DHCP6_SOLICIT ||
           (in->type == DHCP6_INFORMATION_REQUEST && !has_ia(in));
}

static enum dhcp_verdict admit_server(const struct dhcp6_site *site,
                                      const struct dhcp6_packet *in)
{
    struct rd id;
    if (!dhcp6_find(in->options, DHCP6_SERVER_ID, &id)) {
        return DHCP_ANSWERED;
    }
    /* RFC 8415 section 16.2: a SOLICIT names none */
    bool ours = in->type != DHCP6_SOLICIT && rd_left(&id) == sizeof site->duid &&
                !memcmp(id.p, site->duid, sizeof site->duid);
    return ours ? DHCP_ANSWERED : DHCP_OTHER_SERVER;
}

static enum dhcp_verdict admit(const struct dhcp6_site *site,
                               const struct dhcp6_arrival *at,
                               const struct dhcp6_packet *in, enum pxe_class class)
{
    struct rd id;
    if (is_servers_message(in->type)) {
        return DHCP_A_REPLY;
    }
    if (class == PXE_NO_CLIENT) {
        return DHCP_NOT_PXE;
    }
    if (!is_our_message(at, in, class)) {
        return DHCP_NOT_OURS;
    }
    if (in->type != DHCP6_INFORMATION_REQUEST &&
        !dhcp6_find(in->options, DHCP6_CLIENT_ID, &id)) {
        return DHCP_NO_CLIENT_ID;
    }
    return admit_server(site, in);
}

/* -- what does it load, and from where? --------------------------------------------------- */

static bool same_network(const struct ip6 *a, const struct ip6 *b)
{
    return memcmp(a->octet, b->octet, 8) == 0; /* the /64 that nearly all networks are */
}

static const struct ip6 *find_address(const struct dhcp6_site *site, bool link_local,
                                      const struct ip6 *near)
{
    for (size_t i = 0; i < site->address_count; i++) {
        const struct ip6 *ip = &site->address[i];
        if (ip6_is_link_local(ip) == link_local && (!near || same_network(ip, near))) {
            return ip;
        }
    }
    return NULL;
}

/*
 * Where the client finds our files.  At the address it asked, for that is proven; else at one
 * of its own network; else at any global one: a SOLICIT comes from a link-local address, yet
 * its sender is about to get another.  A link-local address is the last choice, as loaders
 * that come later cannot use one, and none at all behind a relay.
 */
static const struct ip6 *choose_address(const struct dhcp6_site *site,
                                        const struct dhcp6_arrival *at,
                                        const struct dhcp6_packet *in)
{
    if (in->relay_count > 0) {
        return find_address(site, false, NULL);
    }
    if (!ip6_is_multicast(&at->to)) {
        return &at->to;
    }
    const struct ip6 *best = find_address(site, false, &at->from);
    best = best ? best : find_address(site, false, NULL);
    return best ? best : find_address(site, true, NULL);
}

/* DHCPv6 shows no menu: of one that IPv4 would show the default item is taken. */
static struct ip4 next_server(const struct dhcp_decision *d)
{
    const struct menu_item *item = d->menu.conf ? dhcp_menu_default(&d->menu) : NULL;
    return item && !ip4_is_any(item->next_server) ? item->next_server
                                                  : d->answer.next_server;
}

static enum dhcp_verdict write_http_url(const struct dhcp6_site *site,
                                        const struct ip6 *address,
                                        struct dhcp6_decision *d)
{
    struct endpoint own = {.port = 0};
    struct wr w = wr_over(d->url, sizeof d->url);
    memcpy(own.ip, address->octet, sizeof own.ip);
    if (!url_write_own(&w, &site->config->http, &own, d->gate.file)) {
        d->url[0] = '\0';
        return DHCP_NO_ADDRESS;
    }
    return wr_ok(&w) ? DHCP_ANSWERED : DHCP_TOO_LARGE;
}

static enum dhcp_verdict write_url(const struct dhcp6_site *site,
                                   const struct dhcp6_arrival *at,
                                   const struct dhcp6_packet *in,
                                   struct dhcp6_decision *d)
{
    char ip[IP_TEXT];
    const char *file = d->gate.file;
    struct wr w = wr_over(d->url, sizeof d->url);
    if (!file) {
        return DHCP_HOST_LOCAL; /* the menu's default is the disk */
    }
    if (strstr(file, "://")) {
        wr_cstr(&w, file);
        /* Of no use to a client that speaks IPv6 alone. */
        return url_host(file) == URL_HOST_IP4 ? DHCP_IPV4_ONLY : DHCP_ANSWERED;
    }
    bool http = d->gate.client.class == PXE_HTTPCLIENT;
    if (!http && !ip4_is_any(next_server(&d->gate))) {
        return DHCP_IPV4_ONLY;
    }
    const struct ip6 *address = choose_address(site, at, in);
    if (!address) {
        return DHCP_NO_ADDRESS;
    }
    if (http) {
        return write_http_url(site, address, d);
    }
    ip6_print(address, ip);
    wr_put(&w, "tftp://[", 8);
    wr_put(&w, ip, strlen(ip));
    wr_put(&w, "]/", 2);
    url_write_path(&w, file[0] == '/' ? file + 1 : file);
    wr_u8(&w, 0);
    return wr_ok(&w) ? DHCP_ANSWERED : DHCP_TOO_LARGE;
}

/* -- the answer --------------------------------------------------------------------------- */

static void write_class(struct wr *w, enum pxe_class class)
{
    const char *word = pxe_class_word(class);
    uint8_t value[32];
    struct wr v = wr_over(value, sizeof value);
    wr_u32(&v, ENTERPRISE_INTEL);
    wr_u16(&v, (uint16_t)strlen(word));
    wr_put(&v, word, strlen(word));
    dhcp6_option_write(w, DHCP6_VENDOR_CLASS, value, wr_len(&v));
}

/*
 * No IA, no status code, no preference: an ADVERTISE of this kind is the address server's
 * shadow, and must never be chosen in its place.
 */
static bool write_reply(const struct dhcp6_site *site, const struct dhcp6_packet *in,
                        struct dhcp6_decision *d)
{
    uint8_t message[DHCP6_MAX_LEN];
    struct wr m = wr_over(message, sizeof message);
    struct wr w = wr_over(d->reply.packet, sizeof d->reply.packet);
    struct rd id;
    dhcp6_header_write(&m, d->type, in->xid);
    if (dhcp6_find(in->options, DHCP6_CLIENT_ID, &id)) {
        dhcp6_option_write(&m, DHCP6_CLIENT_ID, id.p, rd_left(&id));
    }
    dhcp6_option_write(&m, DHCP6_SERVER_ID, site->duid, sizeof site->duid);
    dhcp6_option_write(&m, DHCP6_BOOT_URL, d->url, strlen(d->url));
    write_class(&m, d->gate.client.class);
    dhcp6_relayed_write(&w, in, message, wr_len(&m));
    d->reply.len = wr_len(&w);
    return wr_ok(&m) && wr_ok(&w);
}

/* Clients listen on 546 whatever port they ask from, relays on 547; 4011 goes back. */
static uint16_t port_of(const struct dhcp6_arrival *at, const struct dhcp6_packet *in)
{
    if (at->port == DHCP_PXE_PORT) {
        return at->from_port;
    }
    return in->relay_count > 0 ? DHCP6_SERVER_PORT : DHCP6_CLIENT_PORT;
}

static enum dhcp_verdict answer(const struct dhcp6_site *site,
                                const struct dhcp6_arrival *at,
                                const struct dhcp6_packet *in, struct dhcp6_decision *d)
{
    enum dhcp_verdict verdict = write_url(site, at, in, d);
    if (verdict != DHCP_ANSWERED) {
        return verdict;
    }
    d->reply.to_port = port_of(at, in);
    return write_reply(site, in, d) ? DHCP_ANSWERED : DHCP_TOO_LARGE;
}

/* The first text of option 16. */
static struct rd vendor_class(const struct dhcp6_packet *in)
{
    struct rd value;
    if (!dhcp6_find(in->options, DHCP6_VENDOR_CLASS, &value)) {
        return rd_nothing();
    }
    (void)rd_u32(&value); /* the enterprise */
    return rd_sub(&value, rd_u16(&value));
}

/* Relays of IPv6 tell link addresses and interface ids, which the host table has no keys for. */
struct host_facts dhcp6_facts(const struct dhcp6_site *site,
                              const struct dhcp6_packet *in,
                              const struct dhcp6_decision *d)
{
    const struct pxe_request *client = &d->gate.client;
    struct host_facts facts = {
        .mac = d->has_mac ? &d->mac : NULL,
        .uuid = client->has_uuid ? client->uuid : NULL,
        .vendor_class = vendor_class(in),
        .wide_classes = true,
        .archs = client->arch,
        .arch_count = client->arch_count,
        .interface = site->interface,
    };
    (void)dhcp6_find(in->options, DHCP6_USER_CLASS, &facts.user_classes);
    return facts;
}

enum dhcp_verdict dhcp6_decide(const struct dhcp6_site *site,
                               const struct dhcp6_arrival *at,
                               const struct dhcp6_packet *in, struct dhcp6_decision *out)
{
    struct dhcp_decision *d = &out->gate;
    struct pxe_request client = read_client(in);
    dhcp_gate_begin(&client, d);
    out->type = in->type == DHCP6_SOLICIT ? DHCP6_ADVERTISE : DHCP6_REPLY;
    d->type =
        at->port == DHCP6_SERVER_PORT ? DHCP_OFFER : DHCP_ACK; /* what it stands for */
    out->url[0] = '\0';
    out->reply.len = 0;
    out->has_mac = find_mac(at, in, &out->mac);
    d->verdict = admit(site, at, in, client.class);
    if (d->verdict != DHCP_ANSWERED) {
        return d->verdict;
    }
    struct dhcp_site gate = {
        .config = site->config,
        .has_file = site->has_file,
        .state = site->state,
        .context = site->context,
    };
    struct host_facts facts = dhcp6_facts(site, in, out);
    if (!dhcp_gate(&gate, &facts, d)) {
        return d->verdict;
    }
    bool offer = at->port == DHCP6_SERVER_PORT;
    if (offer && site->asked > 0 && site->asked < d->answer.after_requests) {
        d->verdict = DHCP_TOO_EARLY;
        return d->verdict;
    }
    d->verdict = answer(site, at, in, out);
    d->delay_ms = offer ? d->answer.delay_ms : 0;
    return d->verdict;
}
