#include "dhcp/show.h"

#include "common/text.h"
#include "dhcp/packet.h"

static void say_hex(struct text *t, struct rd octets, const char *between)
{
    text_say_hex(t, octets.p, rd_left(&octets), between);
}

static void say_string(struct text *t, struct rd octets)
{
    text_say_quoted(t, octets.p, rd_left(&octets));
}

static void say_ip4(struct text *t, struct rd *r)
{
    struct ip4 ip = IP4_ANY;
    char shown[IP4_TEXT];
    const uint8_t *at = rd_take(r, sizeof ip.octet);
    if (at) {
        memcpy(ip.octet, at, sizeof ip.octet);
    }
    text_say(t, "%s", ip4_print(ip, shown));
}

/* -- options ------------------------------------------------------------------------------ */

enum form { FORM_HEX, FORM_STRING, FORM_IP4, FORM_MESSAGE, FORM_NUMBER };

static const struct meaning {
    const char *name;
    enum form form;
} meanings[256] = {
    [12] = {"host name", FORM_STRING},
    [DHCP_VENDOR_SPECIFIC] = {"vendor options", FORM_HEX},
    [DHCP_REQUESTED_ADDRESS] = {"requested address", FORM_IP4},
    [DHCP_MSG_TYPE] = {"message type", FORM_MESSAGE},
    [DHCP_SERVER_ID] = {"server identifier", FORM_IP4},
    [55] = {"parameter request list", FORM_HEX},
    [DHCP_MAX_SIZE] = {"maximum message size", FORM_NUMBER},
    [DHCP_VENDOR_CLASS] = {"vendor class", FORM_STRING},
    [61] = {"client identifier", FORM_HEX},
    [DHCP_TFTP_SERVER] = {"TFTP server", FORM_STRING},
    [DHCP_BOOT_FILE] = {"boot file", FORM_STRING},
    [DHCP_USER_CLASS] = {"user class", FORM_STRING},
    [DHCP_RELAY_AGENT] = {"relay agent information", FORM_HEX},
    [DHCP_ARCH] = {"client architecture", FORM_NUMBER},
    [DHCP_NDI] = {"network device interface", FORM_HEX},
    [DHCP_MACHINE_ID] = {"machine identifier", FORM_HEX},
    [DHCP_ETHERBOOT] = {"iPXE", FORM_HEX},
};

static void say_value(struct text *t, enum form form, struct rd value)
{
    switch (form) {
    case FORM_STRING:
        say_string(t, value);
        break;
    case FORM_IP4:
        if (rd_left(&value) == 4) {
            say_ip4(t, &value);
            break;
        }
        say_hex(t, value, " ");
        break;
    case FORM_MESSAGE:
        text_say(t, "%s", dhcp_message_name((enum dhcp_message)rd_u8(&value)));
        break;
    case FORM_NUMBER:
        text_say(t, "%u", rd_u16(&value));
        while (rd_left(&value) >= 2) {
            text_say(t, " %u", rd_u16(&value));
        }
        break;
    case FORM_HEX:
    default:
        say_hex(t, value, " ");
        break;
    }
}

static bool all_zero(struct rd octets)
{
    while (rd_left(&octets) > 0) {
        if (rd_u8(&octets) != 0) {
            return false;
        }
    }
    return true;
}

static void say_options(struct text *t, struct rd field)
{
    struct dhcp_option opt;
    while (dhcp_option_next(&field, &opt)) {
        const struct meaning *m = &meanings[opt.code];
        text_say(t, "%u %s: ", opt.code, m->name ? m->name : "option");
        say_value(t, m->form, opt.value);
        text_say(t, "\n");
    }
    if (!rd_ok(&field)) {
        text_say(t, "an option runs past the end\n");
    } else if (rd_left(&field) == 0 && field.p[-1] != DHCP_END) {
        text_say(t, "no END\n");
    } else if (all_zero(field)) {
        text_say(t, "END and %zu octets of padding\n", rd_left(&field));
    } else {
        text_say(t, "END, then ");
        say_hex(t, field, " ");
        text_say(t, "\n");
    }
}

/* -- the fixed part ----------------------------------------------------------------------- */

static struct rd without_padding(const uint8_t *at, size_t len)
{
    while (len > 0 && at[len - 1] == 0) {
        len--;
    }
    return rd_over(at, len);
}

static void say_header(struct text *t, struct rd *r)
{
    static const char *const addresses[] = {"ciaddr ", " yiaddr ", " siaddr ",
                                            " giaddr "};
    text_say(t, "op %u ", rd_u8(r));
    text_say(t, "htype %u ", rd_u8(r));
    text_say(t, "hlen %u ", rd_u8(r));
    text_say(t, "hops %u ", rd_u8(r));
    text_say(t, "xid %08x ", (unsigned)rd_u32(r));
    text_say(t, "secs %u ", rd_u16(r));
    text_say(t, "flags %04x\n", rd_u16(r));
    for (unsigned i = 0; i < 4; i++) {
        text_say(t, "%s", addresses[i]);
        say_ip4(t, r);
    }
    text_say(t, "\nchaddr ");
    say_hex(t, rd_sub(r, DHCP_CHADDR_LEN), "");
    text_say(t, "\nsname ");
    say_string(t, without_padding(rd_take(r, DHCP_SNAME_LEN), DHCP_SNAME_LEN));
    text_say(t, "\nfile ");
    say_string(t, without_padding(rd_take(r, DHCP_FILE_LEN), DHCP_FILE_LEN));
    text_say(t, "\n");
    (void)rd_u32(r); /* magic cookie */
}

void dhcp_show(const void *dgram, size_t len, char *text, size_t size)
{
    struct text t = {text, size, 0};
    struct rd r = rd_over(dgram, len);
    text[0] = '\0';
    if (len < DHCP_HEADER_LEN) {
        text_say(&t, "too short for a DHCP message: ");
        say_hex(&t, r, " ");
        text_say(&t, "\n");
        return;
    }
    say_header(&t, &r);
    say_options(&t, r);
}
