#include "dhcp/v6_show.h"

#include "common/text.h"
#include "dhcp/v6_packet.h"

struct out {
    struct text text;
    int depth; /* of relays */
};

static void say_hex(struct out *o, struct rd octets)
{
    text_say_hex(&o->text, octets.p, rd_left(&octets), " ");
}

static void say_string(struct out *o, struct rd octets)
{
    text_say_quoted(&o->text, octets.p, rd_left(&octets));
}

static void say_numbers(struct out *o, struct rd octets)
{
    const char *gap = "";
    while (rd_left(&octets) >= 2) {
        text_say(&o->text, "%s%u", gap, rd_u16(&octets));
        gap = " ";
    }
    say_hex(o, octets);
}

/* Strings, each after its length of two octets. */
static void say_strings(struct out *o, struct rd octets)
{
    const char *gap = "";
    while (rd_left(&octets) > 0) {
        struct rd one = rd_sub(&octets, rd_u16(&octets));
        if (!rd_ok(&one)) {
            text_say(&o->text, "%scut short", gap);
            return;
        }
        text_say(&o->text, "%s", gap);
        say_string(o, one);
        gap = " ";
    }
}

enum form { FORM_HEX, FORM_STRING, FORM_NUMBERS, FORM_STRINGS, FORM_CLASS };

static const struct meaning {
    const char *name;
    enum form form;
    uint16_t code;
} meanings[] = {
    {"client identifier", FORM_HEX, DHCP6_CLIENT_ID},
    {"server identifier", FORM_HEX, DHCP6_SERVER_ID},
    {"address", FORM_HEX, DHCP6_IA_NA},
    {"temporary address", FORM_HEX, DHCP6_IA_TA},
    {"option request", FORM_NUMBERS, 6},
    {"preference", FORM_HEX, 7},
    {"elapsed time", FORM_NUMBERS, 8},
    {"status", FORM_HEX, DHCP6_STATUS},
    {"user class", FORM_STRINGS, DHCP6_USER_CLASS},
    {"vendor class", FORM_CLASS, DHCP6_VENDOR_CLASS},
    {"interface identifier", FORM_HEX, DHCP6_INTERFACE_ID},
    {"prefix", FORM_HEX, DHCP6_IA_PD},
    {"boot file", FORM_STRING, DHCP6_BOOT_URL},
    {"boot file parameters", FORM_STRINGS, 60},
    {"client architecture", FORM_NUMBERS, DHCP6_ARCH},
    {"network device interface", FORM_HEX, 62},
    {"client link-layer address", FORM_HEX, DHCP6_CLIENT_LINK_LAYER},
};

static const struct meaning *meaning_of(uint16_t code)
{
    static const struct meaning unknown = {"option", FORM_HEX, 0};
    for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++) {
        if (meanings[i].code == code) {
            return &meanings[i];
        }
    }
    return &unknown;
}

static void say_value(struct out *o, enum form form, struct rd value)
{
    switch (form) {
    case FORM_STRING:
        say_string(o, value);
        break;
    case FORM_NUMBERS:
        say_numbers(o, value);
        break;
    case FORM_CLASS:
        text_say(&o->text, "enterprise %u ", (unsigned)rd_u32(&value));
        say_strings(o, value);
        break;
    case FORM_STRINGS:
        say_strings(o, value);
        break;
    case FORM_HEX:
    default:
        say_hex(o, value);
        break;
    }
}

/* All options but the message a relay carries, which is handed out (empty: there is none). */
static struct rd say_options(struct out *o, struct rd options)
{
    struct rd inner = rd_nothing();
    struct dhcp6_option opt;
    while (dhcp6_option_next(&options, &opt)) {
        if (opt.code == DHCP6_RELAY_MESSAGE) {
            inner = opt.value;
            continue;
        }
        const struct meaning *m = meaning_of(opt.code);
        text_say(&o->text, "%*s%u %s: ", 2 * o->depth, "", opt.code, m->name);
        say_value(o, m->form, opt.value);
        text_say(&o->text, "\n");
    }
    if (!rd_ok(&options)) {
        text_say(&o->text, "%*san option runs past the end\n", 2 * o->depth, "");
    }
    return inner;
}

static void say_ip6(struct out *o, const char *label, struct rd *r)
{
    struct ip6 ip = {{0}};
    char shown[IP_TEXT];
    const uint8_t *at = rd_take(r, sizeof ip.octet);
    if (at) {
        memcpy(ip.octet, at, sizeof ip.octet);
    }
    text_say(&o->text, " %s %s", label, ip6_print(&ip, shown));
}

/* The header and options of one message; what it carries is handed out. */
static struct rd say_message(struct out *o, struct rd r)
{
    uint8_t type = rd_u8(&r);
    text_say(&o->text, "%*s%s", 2 * o->depth, "", dhcp6_message_name(type));
    if (type == DHCP6_RELAY_FORW || type == DHCP6_RELAY_REPL) {
        text_say(&o->text, " hops %u", rd_u8(&r));
        say_ip6(o, "link", &r);
        say_ip6(o, "peer", &r);
    } else {
        unsigned high = rd_u8(&r);
        text_say(&o->text, " xid %02x%04x", high, rd_u16(&r));
    }
    text_say(&o->text, "\n");
    return say_options(o, r);
}

void dhcp6_show(const void *dgram, size_t len, char *text, size_t size)
{
    struct out o = {{text, size, 0}, 0};
    struct rd r = rd_over(dgram, len);
    text[0] = '\0';
    while (rd_left(&r) > 0 && o.depth <= DHCP6_RELAYS_MAX) {
        r = say_message(&o, r);
        o.depth++;
    }
}
