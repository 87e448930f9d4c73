#include "dhcp/pxe.h"

#include "config/arch.h"

enum {
    SUB_DISCOVERY_CONTROL = 6,
    SUB_BOOT_MENU = 9,
    SUB_MENU_PROMPT = 10,
    SUB_BOOT_ITEM = 71
};

static bool starts_with(const struct rd *value, const char *word)
{
    size_t len = strlen(word);
    return rd_left(value) >= len && memcmp(value->p, word, len) == 0;
}

const char *pxe_class_word(enum pxe_class class)
{
    return class == PXE_HTTPCLIENT ? "HTTPClient" : "PXEClient";
}

/*
 * "PXEClient:Arch:00007:UNDI:003016": five decimal digits.  Only for firmware that sends no
 * option 93 (firmware.md section 6).
 */
static bool digits_of_class(struct rd value, uint16_t *out)
{
    static const char mark[] = ":Arch:";
    size_t len = rd_left(&value);
    const uint8_t *colon = len > 0 ? memchr(value.p, ':', len) : NULL;
    if (!colon) {
        return false;
    }
    (void)rd_take(&value, (size_t)(colon - value.p));
    if (!starts_with(&value, mark)) {
        return false;
    }
    (void)rd_take(&value, sizeof mark - 1);
    unsigned arch = 0;
    for (int i = 0; i < 5; i++) {
        uint8_t c = rd_u8(&value);
        if (c < '0' || c > '9') {
            return false;
        }
        arch = arch * 10 + (unsigned)(c - '0');
    }
    if (arch > UINT16_MAX) {
        return false;
    }
    *out = (uint16_t)arch;
    return true;
}

void pxe_read_class(struct pxe_request *r, struct rd class, struct rd archs)
{
    if (starts_with(&class, pxe_class_word(PXE_PXECLIENT))) {
        r->class = PXE_PXECLIENT;
    } else if (starts_with(&class, pxe_class_word(PXE_HTTPCLIENT))) {
        r->class = PXE_HTTPCLIENT;
    }
    while (rd_left(&archs) >= 2 && r->arch_count < PXE_ARCHS_MAX) {
        r->arch[r->arch_count++] = rd_u16(&archs);
    }
    if (r->arch_count == 0 && digits_of_class(class, &r->arch[0])) {
        r->arch_count = 1;
    }
}

static void read_class(const struct dhcp_packet *p, struct pxe_request *r)
{
    uint8_t class_buf[DHCP_OPTION_MAX];
    uint8_t arch_buf[DHCP_OPTION_MAX];
    struct rd class;
    struct rd archs = rd_nothing();
    if (dhcp_find(p, DHCP_VENDOR_CLASS, class_buf, &class)) {
        (void)dhcp_find(p, DHCP_ARCH, arch_buf, &archs);
        pxe_read_class(r, class, archs);
    }
}

/*
 * iPXE says "iPXE" in option 77 without RFC 3004's length octets; a list in RFC 3004's form
 * is read too.
 */
static bool is_ipxe_class(struct rd value)
{
    static const char word[] = "iPXE";
    if (rd_left(&value) == sizeof word - 1 && starts_with(&value, word)) {
        return true;
    }
    while (rd_left(&value) > 0) {
        struct rd item = rd_sub(&value, rd_u8(&value));
        if (rd_ok(&item) && rd_left(&item) == sizeof word - 1 &&
            starts_with(&item, word)) {
            return true;
        }
    }
    return false;
}

static void read_ipxe(const struct dhcp_packet *p, struct pxe_request *r)
{
    uint8_t buf[DHCP_OPTION_MAX];
    struct rd value;
    if (dhcp_find(p, DHCP_USER_CLASS, buf, &value)) {
        r->ipxe = is_ipxe_class(value);
    }
    if (!dhcp_find(p, DHCP_ETHERBOOT, buf, &value)) {
        return;
    }
    r->ipxe = true;
    r->ipxe_tells = true;
    struct dhcp_option sub;
    while (dhcp_option_next(&value, &sub)) {
        if (sub.code < 64 && rd_u8(&sub.value) != 0) {
            r->ipxe_features |= UINT64_C(1) << sub.code;
        }
    }
}

/* Quirk: Raspberry Pi boot ROM: calls itself x86 BIOS. */
uint16_t pxe_arch(const struct pxe_request *r, unsigned i)
{
    bool pi = r->raspberry_pi && r->arch[i] == ARCH_X86_BIOS;
    return pi ? ARCH_ARM_RPIBOOT : r->arch[i];
}

bool pxe_has_feature(const struct pxe_request *r, unsigned feature)
{
    return r->ipxe_features >> feature & 1;
}

/* Option 97: a type octet, 0 for a UUID, then 16 octets. */
static void read_machine_id(const struct dhcp_packet *p, struct pxe_request *r)
{
    uint8_t buf[DHCP_OPTION_MAX];
    struct rd value;
    if (!dhcp_find(p, DHCP_MACHINE_ID, buf, &value)) {
        return;
    }
    if (rd_left(&value) == 17 && rd_u8(&value) == 0) {
        memcpy(r->uuid, value.p, sizeof r->uuid);
        r->has_uuid = true;
    }
}

static void read_item(const struct dhcp_packet *p, struct pxe_request *r)
{
    uint8_t buf[DHCP_OPTION_MAX];
    struct rd value;
    if (!dhcp_find(p, DHCP_VENDOR_SPECIFIC, buf, &value)) {
        return;
    }
    struct dhcp_option sub;
    while (dhcp_option_next(&value, &sub)) {
        if (sub.code == SUB_BOOT_ITEM && rd_left(&sub.value) >= 4) {
            r->has_item = true;
            r->item_type = rd_u16(&sub.value);
            r->item_layer = rd_u16(&sub.value);
            return;
        }
    }
}

/* Address blocks of Raspberry Pi Ltd and the Foundation (IEEE registry). */
static const uint8_t raspberry_pi_ouis[][3] = {
    {0xb8, 0x27, 0xeb}, {0xdc, 0xa6, 0x32}, {0xe4, 0x5f, 0x01},
    {0x28, 0xcd, 0xc1}, {0xd8, 0x3a, 0xdd}, {0x2c, 0xcf, 0x67},
};

static bool is_raspberry_pi(const struct dhcp_packet *p, const struct pxe_request *r)
{
    if (r->has_uuid && memcmp(r->uuid, "RPi", 3) == 0) {
        return true; /* Pi 4 and 5: "RPi4", board revision, MAC, serial number */
    }
    for (size_t i = 0; i < sizeof raspberry_pi_ouis / sizeof raspberry_pi_ouis[0]; i++) {
        if (p->hlen == 6 && memcmp(p->chaddr, raspberry_pi_ouis[i], 3) == 0) {
            return true;
        }
    }
    return false;
}

struct pxe_request pxe_read(const struct dhcp_packet *p)
{
    struct pxe_request r = {0};
    read_class(p, &r);
    read_ipxe(p, &r);
    read_machine_id(p, &r);
    read_item(p, &r);
    /* Only the boot ROM needs other treatment; UEFI or U-Boot on a Pi says what it is. */
    r.raspberry_pi =
        !r.ipxe && r.arch_count > 0 && r.arch[0] == 0 && is_raspberry_pi(p, &r);
    return r;
}

void pxe_write_boot_at_once(struct wr *w)
{
    static const uint8_t value[] = {SUB_DISCOVERY_CONTROL, 1, 0x08, DHCP_END};
    dhcp_option_write(w, DHCP_VENDOR_SPECIFIC, value, sizeof value);
}

void pxe_write_item(struct wr *w, uint16_t type, uint16_t layer)
{
    uint8_t value[7];
    struct wr v = wr_over(value, sizeof value);
    wr_u8(&v, SUB_BOOT_ITEM);
    wr_u8(&v, 4);
    wr_u16(&v, type);
    wr_u16(&v, layer);
    wr_u8(&v, DHCP_END);
    dhcp_option_write(w, DHCP_VENDOR_SPECIFIC, value, wr_len(&v));
}

void pxe_write_raspberry_pi(struct wr *w)
{
    static const char prompt[] = "PXE";
    static const char item[] = "Raspberry Pi Boot";
    uint8_t value[64];
    struct wr v = wr_over(value, sizeof value);
    wr_u8(&v, SUB_DISCOVERY_CONTROL);
    wr_u8(&v, 1);
    wr_u8(&v, 0x03);
    wr_u8(&v, SUB_MENU_PROMPT);
    wr_u8(&v, sizeof prompt); /* the text and its time-out octet */
    wr_u8(&v, 0);
    wr_put(&v, prompt, sizeof prompt - 1);
    wr_u8(&v, SUB_BOOT_MENU);
    wr_u8(&v, 3 + sizeof item - 1);
    wr_u16(&v, 0);
    wr_u8(&v, sizeof item - 1);
    wr_put(&v, item, sizeof item - 1);
    wr_u8(&v, DHCP_END);
    dhcp_option_write(w, DHCP_VENDOR_SPECIFIC, value, wr_len(&v));
}
