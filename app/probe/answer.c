#include "app/probe/answer.h"

#include "dhcp/pxe.h"

enum {
    OPTION_DNS = 6,
    SUB_CONTROL = 6,
    SUB_SERVERS = 8,
    SUB_MENU = 9,
    SUB_PROMPT = 10,
    SUB_ITEM = 71,
    IPXE_PRIORITY = 1,
    IPXE_NO_PXEDHCP = 176,
};

/* Up to a NUL, cut to what fits. */
static void copy_text(struct rd value, char *out, size_t size)
{
    size_t len = rd_left(&value) < size - 1 ? rd_left(&value) : size - 1;
    if (len > 0) {
        memcpy(out, value.p, len);
    }
    out[len] = '\0';
}

static struct ip4 take_ip(struct rd *value)
{
    struct ip4 ip = IP4_ANY;
    const uint8_t *at = rd_take(value, sizeof ip.octet);
    if (at) {
        memcpy(ip.octet, at, sizeof ip.octet);
    }
    return ip;
}

static bool find(const struct dhcp_packet *in, unsigned code,
                 uint8_t buf[DHCP_OPTION_MAX], struct rd *out)
{
    return dhcp_find(in, (enum dhcp_code)code, buf, out);
}

static bool begins(const struct rd *value, const char *word)
{
    return rd_left(value) >= strlen(word) && memcmp(value->p, word, strlen(word)) == 0;
}

/* -- option 43 ---------------------------------------------------------------------------- */

static void read_servers(struct rd value, struct answer_pxe *out)
{
    while (rd_left(&value) >= 7 && out->servers < ANSWER_ITEMS) {
        uint16_t type = rd_u16(&value);
        uint8_t count = rd_u8(&value);
        struct rd list = rd_sub(&value, (size_t)count * 4);
        if (count > 0 && rd_ok(&value)) {
            out->server_list[out->servers++] =
                (struct answer_boot_server){type, take_ip(&list)};
        }
    }
}

static void read_menu(struct rd value, struct answer_pxe *out)
{
    while (rd_left(&value) >= 3 && out->items < ANSWER_ITEMS) {
        struct answer_item *item = &out->item_list[out->items];
        item->type = rd_u16(&value);
        struct rd text = rd_sub(&value, rd_u8(&value));
        if (rd_ok(&value)) {
            copy_text(text, item->text, sizeof item->text);
            out->items++;
        }
    }
}

static void read_sub_option(const struct dhcp_option *sub, struct answer_pxe *out)
{
    struct rd value = sub->value;
    switch (sub->code) {
    case SUB_CONTROL:
        out->control = rd_u8(&value);
        break;
    case SUB_SERVERS:
        read_servers(value, out);
        break;
    case SUB_MENU:
        read_menu(value, out);
        break;
    case SUB_PROMPT:
        out->has_prompt = true;
        out->timeout = rd_u8(&value);
        break;
    case SUB_ITEM:
        out->item = rd_u16(&value);
        out->has_item = rd_ok(&value);
        break;
    default:
        break;
    }
}

/* The words a Raspberry Pi looks for, wherever they stand. */
static bool has_words(struct rd value, const char *words)
{
    size_t len = strlen(words);
    for (; rd_left(&value) >= len; (void)rd_u8(&value)) {
        if (memcmp(value.p, words, len) == 0) {
            return true;
        }
    }
    return false;
}

static void read_pxe(struct rd value, struct answer_pxe *out)
{
    struct dhcp_option sub;
    unsigned seen = 0; /* bit n: sub-option n */
    out->is_there = true;
    out->pi = has_words(value, "Raspberry Pi Boot");
    while (dhcp_option_next(&value, &sub)) {
        seen |= sub.code <= SUB_PROMPT ? 1u << sub.code : 0;
        read_sub_option(&sub, out);
    }
    out->rules = seen & 0x7c0; /* 6 to 10 */
    out->mtftp = (seen & 0x3e) == 0x3e;
}

/* -- the rest ----------------------------------------------------------------------------- */

static void read_ipxe(struct rd field, struct answer *out)
{
    struct dhcp_option sub;
    while (dhcp_option_next(&field, &sub)) {
        if (sub.code == IPXE_PRIORITY) {
            out->priority = (int8_t)rd_u8(&sub.value);
        } else if (sub.code == IPXE_NO_PXEDHCP) {
            out->no_proxy = rd_u8(&sub.value) != 0;
        }
    }
}

static bool has_end(const struct dhcp_packet *in)
{
    struct rd field = in->fields[0];
    struct dhcp_option option;
    const uint8_t *start = field.p;
    while (dhcp_option_next(&field, &option)) {
    }
    return field.p > start && field.p[-1] == DHCP_END;
}

static void read_file(const struct dhcp_packet *in, struct answer *out)
{
    uint8_t buf[DHCP_OPTION_MAX];
    struct rd value;
    bool overloaded = find(in, DHCP_OVERLOAD, buf, &value) && (rd_u8(&value) & 1);
    if (!overloaded) {
        copy_text(rd_over(in->file, DHCP_FILE_LEN), out->file, sizeof out->file);
    }
    if (find(in, DHCP_BOOT_FILE, buf, &value)) {
        out->has_option_67 = true;
        copy_text(value, out->option_67, sizeof out->option_67);
    }
}

void answer_read(const struct dhcp_packet *in, struct answer *out)
{
    uint8_t buf[DHCP_OPTION_MAX];
    struct rd value;
    out->type = in->type;
    out->address = in->yiaddr;
    out->next_server = in->siaddr;
    out->ends = has_end(in);
    out->has_dns = find(in, OPTION_DNS, buf, &value);
    if (find(in, DHCP_SERVER_ID, buf, &value)) {
        out->server = take_ip(&value);
    }
    if (find(in, DHCP_VENDOR_CLASS, buf, &value)) {
        out->is_pxe = begins(&value, pxe_class_word(PXE_PXECLIENT));
        out->is_http = begins(&value, pxe_class_word(PXE_HTTPCLIENT));
    }
    if (find(in, DHCP_VENDOR_SPECIFIC, buf, &value)) {
        read_pxe(value, &out->pxe);
    }
    if (find(in, DHCP_ETHERBOOT, buf, &value)) {
        read_ipxe(value, out);
    }
    read_file(in, out);
}

enum answer_kind answer_kind(const struct answer *a)
{
    if (ip4_is_any(a->address)) {
        return ANSWER_PROXY;
    }
    return a->is_pxe || a->is_http ? ANSWER_BOTH : ANSWER_ADDRESS;
}

static bool same_sender(const struct answer *a, const struct answer *b)
{
    return mac_equal(&a->mac, &b->mac) && ip4_equal(a->from, b->from) &&
           a->from_port == b->from_port && a->at_4011 == b->at_4011 &&
           ip4_equal(a->asked, b->asked);
}

static bool same_pxe(const struct answer_pxe *a, const struct answer_pxe *b)
{
    return a->is_there == b->is_there && a->rules == b->rules &&
           a->control == b->control && a->items == b->items && a->servers == b->servers &&
           a->item == b->item;
}

bool answer_same(const struct answer *a, const struct answer *b)
{
    return same_sender(a, b) && a->type == b->type && ip4_equal(a->address, b->address) &&
           ip4_equal(a->server, b->server) && ip4_equal(a->next_server, b->next_server) &&
           strcmp(a->file, b->file) == 0 && strcmp(a->option_67, b->option_67) == 0 &&
           same_pxe(&a->pxe, &b->pxe);
}

struct ip4 answer_server(const struct answer *a)
{
    if (!ip4_is_any(a->server)) {
        return a->server;
    }
    return ip4_is_any(a->next_server) ? a->from : a->next_server;
}
