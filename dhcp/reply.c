#include "dhcp/reply.h"

#include <stdio.h>

#include "dhcp/url.h"

#define IP_UDP_HEADERS 28

/* RFC 2132 section 9.10 counts the IP and UDP headers; a request without it takes 576. */
static size_t largest_reply(const struct dhcp_packet *in)
{
    uint8_t buf[DHCP_OPTION_MAX];
    struct rd value;
    if (!dhcp_find(in, DHCP_MAX_SIZE, buf, &value)) {
        return DHCP_DEFAULT_LEN;
    }
    size_t asked = rd_u16(&value);
    if (asked < DHCP_DEFAULT_LEN + IP_UDP_HEADERS) {
        return DHCP_DEFAULT_LEN;
    }
    asked -= IP_UDP_HEADERS;
    return asked < DHCP_MAX_LEN ? asked : DHCP_MAX_LEN;
}

static void echo(struct wr *w, const struct dhcp_packet *in, enum dhcp_code code)
{
    uint8_t buf[DHCP_OPTION_MAX];
    struct rd value;
    if (!dhcp_find(in, code, buf, &value)) {
        return;
    }
    do { /* RFC 3396: what is longer than 255 octets goes on in a further instance */
        size_t len = rd_left(&value) < 255 ? rd_left(&value) : 255;
        dhcp_option_write(w, code, rd_take(&value, len), len);
    } while (rd_left(&value) > 0);
}

/*
 * iPXE takes a name relative to whichever server it holds for the next one, which may be the
 * DHCP server's; a whole URL leaves no doubt, and what the script loads follows it.
 */
static void name_for_ipxe(const struct dhcp_reply_terms *terms, char out[DHCP_FILE_LEN])
{
    struct wr w = wr_over(out, DHCP_FILE_LEN);
    char ip[IP4_TEXT];
    const char *scheme = "tftp://";
    wr_put(&w, scheme, strlen(scheme));
    ip4_print(terms->next_server, ip);
    wr_put(&w, ip, strlen(ip));
    wr_u8(&w, '/');
    url_write_path(&w, terms->file[0] == '/' ? terms->file + 1 : terms->file);
    wr_u8(&w, 0);
    if (!wr_ok(&w)) {
        snprintf(out, DHCP_FILE_LEN, "%s",
                 terms->file); /* too long for the field as a URL */
    }
}

/* The `file` field; a URL that does not fit goes into option 67 alone. */
static const char *header_file(const struct dhcp_reply_terms *terms,
                               const struct pxe_request *client, char buf[DHCP_FILE_LEN])
{
    if (strlen(terms->file) >= DHCP_FILE_LEN) {
        return "";
    }
    if (client->ipxe && !strstr(terms->file, "://")) {
        name_for_ipxe(terms, buf);
        return buf;
    }
    return terms->file;
}

static void write_vendor_options(struct wr *w, const struct dhcp_reply_terms *terms,
                                 const struct pxe_request *client)
{
    bool offer = terms->type == DHCP_OFFER;
    if (client->class == PXE_HTTPCLIENT) {
        return;
    }
    if (terms->raspberry_pi) {
        pxe_write_raspberry_pi(w);
    } else if (client->has_item) {
        pxe_write_item(w, client->item_type, client->item_layer);
    } else if (offer && terms->form != OFFER_PXE) {
        return; /* what it needs it hears on port 4011 */
    } else if (terms->menu) {
        dhcp_menu_write(w, terms->menu);
    } else if (offer) {
        pxe_write_boot_at_once(w);
    }
}

/* As the configuration has them: the path of a BCD, what a WDS program is to be told. */
static void write_raw_options(struct wr *w, const struct raw_options *options)
{
    for (size_t i = 0; options && i < options->count; i++) {
        const struct raw_option *one = &options->list[i];
        dhcp_option_write(w, one->code, one->value, one->len);
    }
}

static bool has_option(const struct raw_options *options, unsigned code)
{
    for (size_t i = 0; options && i < options->count; i++) {
        if (options->list[i].code == code) {
            return true;
        }
    }
    return false;
}

/*
 * Quirk: some boot ROMs read option 67 as a C string and run on into whatever follows, END
 * included ("undionly.kpxe\xff"), so its NUL counts and a pad follows.  A Raspberry Pi's ROM
 * in its turn does not skip pads, and wdsmgfw.efi, which option 250 is for, fails on one.
 */
static void write_boot_file(struct wr *w, const struct dhcp_reply_terms *terms,
                            const char *file)
{
    dhcp_option_write(w, DHCP_BOOT_FILE, file, strlen(file) + 1);
    if (!terms->raspberry_pi && !has_option(terms->options, DHCP_WDS)) {
        wr_u8(w, DHCP_PAD);
    }
}

/* file: as it stands in the header. */
static void write_options(struct wr *w, const struct dhcp_reply_terms *terms,
                          const struct dhcp_packet *in, const struct pxe_request *client,
                          const char *file)
{
    static const uint8_t priority[] = {1, 1, 1, DHCP_END};
    const char *class = pxe_class_word(client->class);
    uint8_t type = (uint8_t)terms->type;
    char ip[IP4_TEXT];

    dhcp_option_write(w, DHCP_MSG_TYPE, &type, 1);
    dhcp_option_write(w, DHCP_SERVER_ID, terms->server.octet, sizeof terms->server.octet);
    dhcp_option_write(w, DHCP_VENDOR_CLASS, class, strlen(class));
    echo(w, in, DHCP_MACHINE_ID);
    if (client->class == PXE_HTTPCLIENT) {
        dhcp_option_write(w, DHCP_BOOT_FILE, terms->file, strlen(terms->file));
    } else if (terms->repeat.option_67 && file[0] != '\0') {
        write_boot_file(w, terms, file);
    }
    /* Quirk: Raspberry Pi: its ROM reads the server's address from option 66 only. */
    if (terms->raspberry_pi || terms->repeat.option_66) {
        ip4_print(terms->next_server, ip);
        dhcp_option_write(w, DHCP_TFTP_SERVER, ip, strlen(ip));
    }
    write_vendor_options(w, terms, client);
    write_raw_options(w, terms->options);
    if (terms->ipxe_override) {
        dhcp_option_write(w, DHCP_ETHERBOOT, priority, sizeof priority);
    }
    echo(w, in, DHCP_RELAY_AGENT);
    dhcp_write_end(w);
}

/*
 * RFC 2131 section 4.1: by way of the relay when there is one; port 4011 answers whoever
 * asked; a client without an address is reached by broadcast, whatever its flag says.
 */
static void address(const struct dhcp_arrival *at, const struct dhcp_packet *in,
                    struct dhcp_reply *out)
{
    out->from_port = at->port;
    if (at->port == DHCP_PXE_PORT) {
        out->to = at->from;
        out->to_port = at->from_port;
    } else if (!ip4_is_any(in->giaddr)) {
        out->to = in->giaddr;
        out->to_port = DHCP_SERVER_PORT;
    } else {
        out->to = ip4_is_any(in->ciaddr) ? IP4_BROADCAST : in->ciaddr;
        out->to_port = DHCP_CLIENT_PORT;
    }
}

bool dhcp_reply_write(const struct dhcp_reply_terms *terms, const struct dhcp_arrival *at,
                      const struct dhcp_packet *in, const struct pxe_request *client,
                      struct dhcp_reply *out)
{
    char buf[DHCP_FILE_LEN];
    char ip[IP4_TEXT];
    struct wr w = wr_over(out->packet, largest_reply(in));
    bool bare = terms->type == DHCP_OFFER && terms->form == OFFER_BARE;
    const char *file = bare ? "" : header_file(terms, client, buf);
    const char *sname = terms->repeat.sname ? ip4_print(terms->next_server, ip) : "";
    dhcp_write_reply(&w, in, terms->type == DHCP_ACK, terms->next_server, sname, file);
    write_options(&w, terms, in, client, file);
    out->len = wr_len(&w);
    out->form = terms->form;
    address(at, in, out);
    return wr_ok(&w);
}
