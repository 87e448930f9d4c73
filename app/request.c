#include "app/request.h"

#include <stdio.h>

#include "config/arch.h"

#define MAGIC_COOKIE 0x63825363u
#define BROADCAST    0x8000
#define SIZE_OF_UEFI 1472

/* Options that only requests carry. */
enum { PARAMETER_LIST = 55, CLIENT_ID = 61 };

struct octets {
    uint8_t len;
    uint8_t at[48];
};

/* How a client writes; an option of `order` is left out when there is nothing to say. */
struct habit {
    const char *undi; /* the end of option 60 */
    const char *file; /* in the header */
    uint16_t flags;
    uint16_t flags_4011;
    uint16_t max_size; /* 0: option 57 is not sent */
    uint8_t order[14];
    uint8_t order_4011[14];
    uint8_t ndi[3];
    bool always_id; /* option 97 is sent without a UUID, too: zeros */
    struct octets wanted;
};

static const struct octets wanted_http = {
    /* the entry before 67 is never set by EDK2: whatever stood there */
    27,
    {1,  2,  3,  4,  5,  6,  12, 13, 15, 17, 18,   22, 23, 28,
     40, 41, 42, 43, 50, 51, 54, 58, 59, 60, 0xeb, 67, 97}};

/* clang-format off */
static const struct habit habits[REQUEST_MANNERS] = {
    [REQUEST_EDK2] = {
        .order = {53, 54, 50, 57, 55, 97, 94, 93, 60},
        .order_4011 = {43, 53, 55, 57, 60, 93, 94, 97},
        .flags = BROADCAST, .max_size = SIZE_OF_UEFI,
        .ndi = {1, 3, 0}, .undi = "003000", .file = "", .always_id = true,
        .wanted = {35, {1, 2, 3, 4, 5, 6, 12, 13, 15, 17, 18, 22, 23, 28, 40, 41, 42, 43, 50,
                        51, 54, 58, 59, 60, 66, 67, 97, 128, 129, 130, 131, 132, 133, 134, 135}}},
    [REQUEST_IPXE] = {
        .order = {53, 57, 93, 94, 60, 77, 55, 175, 61, 97, 54, 50, 43},
        .order_4011 = {53, 57, 93, 94, 60, 77, 55, 175, 61, 97, 54, 50, 43},
        .flags_4011 = BROADCAST, .max_size = 1472,
        .ndi = {1, 2, 1}, .undi = "002001", .file = "",
        .wanted = {23, {1, 3, 6, 7, 12, 15, 17, 26, 43, 60, 66, 67, 119, 128, 129, 130, 131,
                        132, 133, 134, 135, 175, 203}}},
    [REQUEST_BIOS] = {
        .order = {53, 54, 50, 55, 57, 97, 93, 94, 60, 43},
        .order_4011 = {53, 54, 50, 55, 57, 97, 93, 94, 60, 43},
        .flags = BROADCAST, .max_size = 1260,
        .ndi = {1, 2, 1}, .undi = "002001", .file = "", .always_id = true,
        .wanted = {24, {1, 2, 3, 5, 6, 11, 12, 13, 15, 16, 17, 18, 43, 54, 60, 67, 128, 129,
                        130, 131, 132, 133, 134, 135}}},
    [REQUEST_UBOOT] = {
        .order = {53, 57, 54, 50, 93, 94, 60, 55, 97},
        .order_4011 = {53, 57, 54, 50, 93, 94, 60, 55, 97},
        .max_size = 576,
        .ndi = {1, 0, 0}, .undi = "003000", .file = "boot.scr.uimg",
        .wanted = {5, {1, 3, 6, 12, 17}}},
    [REQUEST_PI] = {
        .order = {53, 54, 50, 55, 93, 94, 97, 60},
        .order_4011 = {53, 54, 50, 55, 93, 94, 97, 60},
        .ndi = {1, 2, 1}, .undi = "002001", .file = "", .always_id = true,
        .wanted = {12, {43, 60, 67, 128, 129, 130, 131, 132, 133, 134, 135, 66}}},
};

/* Option 175: the card on its bus, the version, then what this iPXE can do. */
static const struct octets ipxe_of_bios = {48,
    {0xb1, 5, 1, 0x1a, 0xf4, 0x10, 0, 0xeb, 3, 1, 0, 0, 0x17, 1, 1, 0x22, 1, 1, 0x13, 1, 1,
     0x11, 1, 1, 0x27, 1, 1, 0x19, 1, 1, 0x29, 1, 1, 0x10, 1, 2, 0x21, 1, 1, 0x15, 1, 1,
     0x18, 1, 1, 0x12, 1, 1}};
static const struct octets ipxe_of_uefi = {36,
    {0xb1, 5, 1, 0x1a, 0xf4, 0x10, 0, 0xeb, 3, 1, 0, 0, 0x17, 1, 1, 0x24, 1, 1, 0x13, 1, 1,
     0x11, 1, 1, 0x27, 1, 1, 0x29, 1, 1, 0x15, 1, 1, 0x12, 1, 1}};
/* clang-format on */

enum request_manner request_manner_of(uint16_t arch)
{
    return arch == ARCH_X86_BIOS ? REQUEST_BIOS : REQUEST_EDK2;
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool request_read_uuid(const char *text, struct request_terms *out)
{
    static const uint8_t place[16] = {3, 2, 1,  0,  5,  4,  7,  6,
                                      8, 9, 10, 11, 12, 13, 14, 15};
    unsigned n = 0;
    while (*text && n < 16) {
        text += *text == '-';
        int high = digit_of(text[0]);
        int low = high < 0 ? -1 : digit_of(text[1]);
        if (low < 0) {
            return false;
        }
        out->uuid[place[n++]] = (uint8_t)(high << 4 | low);
        text += 2;
    }
    out->has_uuid = true;
    return n == 16 && *text == '\0';
}

static void write_header(struct wr *w, const struct request_terms *t)
{
    const struct habit *h = &habits[t->manner];
    size_t file = strlen(h->file);
    wr_u8(w, BOOTREQUEST);
    wr_u8(w, 1); /* Ethernet */
    wr_u8(w, sizeof t->mac.octet);
    wr_u8(w, ip4_is_any(t->relay) ? 0 : 1);
    wr_u32(w, t->xid);
    wr_u16(w, t->secs);
    wr_u16(w, t->at_4011 ? h->flags_4011 : h->flags);
    wr_put(w, t->client.octet, sizeof t->client.octet);
    wr_zero(w, 8); /* yiaddr, siaddr */
    wr_put(w, t->relay.octet, sizeof t->relay.octet);
    wr_put(w, t->mac.octet, sizeof t->mac.octet);
    wr_zero(w, DHCP_CHADDR_LEN - sizeof t->mac.octet);
    wr_zero(w, DHCP_SNAME_LEN);
    wr_put(w, h->file, file);
    wr_zero(w, DHCP_FILE_LEN - file);
    wr_u32(w, MAGIC_COOKIE);
}

/* iPXE on UEFI says what the firmware below it is. */
static bool is_ipxe_of_uefi(const struct request_terms *t)
{
    return t->manner == REQUEST_IPXE && t->arch != ARCH_X86_BIOS;
}

static void write_class(struct wr *w, const struct request_terms *t)
{
    char class[48];
    snprintf(class, sizeof class, "%s:Arch:%05u:UNDI:%s",
             arch_is_http(t->arch) ? "HTTPClient" : "PXEClient", t->arch,
             is_ipxe_of_uefi(t) ? "003010" : habits[t->manner].undi);
    const char *said = t->class ? t->class : class;
    dhcp_option_write(w, DHCP_VENDOR_CLASS, said, strlen(said));
}

/* Quirk: EDK2's PXE sets its limit in the DISCOVER alone; the rest is a default. */
static void write_max_size(struct wr *w, const struct request_terms *t)
{
    uint16_t size = habits[t->manner].max_size;
    if (t->manner == REQUEST_EDK2 && t->type == DHCP_REQUEST && !t->at_4011 &&
        !arch_is_http(t->arch)) {
        size = 0xff00;
    }
    const uint8_t value[2] = {(uint8_t)(size >> 8), (uint8_t)size};
    if (size > 0) {
        dhcp_option_write(w, DHCP_MAX_SIZE, value, sizeof value);
    }
}

static void write_machine_id(struct wr *w, const struct request_terms *t)
{
    uint8_t id[17] = {0};
    if (t->has_uuid) {
        memcpy(id + 1, t->uuid, sizeof t->uuid);
    }
    if (t->has_uuid || habits[t->manner].always_id) {
        dhcp_option_write(w, DHCP_MACHINE_ID, id, sizeof id);
    }
}

static void write_item(struct wr *w, const struct request_terms *t)
{
    const uint8_t value[] = {71, 4,       (uint8_t)(t->item >> 8), (uint8_t)t->item, 0,
                             0,  DHCP_END};
    if (t->has_item) {
        dhcp_option_write(w, DHCP_VENDOR_SPECIFIC, value, sizeof value);
    }
}

static void write_ip(struct wr *w, enum dhcp_code code, struct ip4 ip)
{
    if (!ip4_is_any(ip)) {
        dhcp_option_write(w, code, ip.octet, sizeof ip.octet);
    }
}

static void write_ndi(struct wr *w, const struct request_terms *t)
{
    static const uint8_t of_uefi[3] = {1, 3, 10};
    dhcp_option_write(w, DHCP_NDI, is_ipxe_of_uefi(t) ? of_uefi : habits[t->manner].ndi,
                      3);
}

static void write_octets(struct wr *w, unsigned code, const struct octets *value)
{
    dhcp_option_write(w, (enum dhcp_code)code, value->at, value->len);
}

/* What iPXE alone says; the order of others does not name these. */
static void write_of_ipxe(struct wr *w, unsigned code, const struct request_terms *t)
{
    uint8_t id[7] = {1};
    switch (code) {
    case DHCP_USER_CLASS:
        dhcp_option_write(w, DHCP_USER_CLASS, "iPXE", 4);
        break;
    case DHCP_ETHERBOOT:
        write_octets(w, code, is_ipxe_of_uefi(t) ? &ipxe_of_uefi : &ipxe_of_bios);
        break;
    case CLIENT_ID:
        memcpy(id + 1, t->mac.octet, sizeof t->mac.octet);
        dhcp_option_write(w, (enum dhcp_code)CLIENT_ID, id, sizeof id);
        break;
    default:
        break;
    }
}

static void write_option(struct wr *w, unsigned code, const struct request_terms *t)
{
    const uint8_t type = (uint8_t)t->type;
    const uint8_t arch[2] = {(uint8_t)(t->arch >> 8), (uint8_t)t->arch};
    switch (code) {
    case DHCP_MSG_TYPE:
        dhcp_option_write(w, DHCP_MSG_TYPE, &type, 1);
        break;
    case DHCP_SERVER_ID:
        write_ip(w, DHCP_SERVER_ID, t->server);
        break;
    case DHCP_REQUESTED_ADDRESS:
        write_ip(w, DHCP_REQUESTED_ADDRESS, t->wanted);
        break;
    case DHCP_MAX_SIZE:
        write_max_size(w, t);
        break;
    case PARAMETER_LIST:
        write_octets(w, code,
                     arch_is_http(t->arch) ? &wanted_http : &habits[t->manner].wanted);
        break;
    case DHCP_MACHINE_ID:
        write_machine_id(w, t);
        break;
    case DHCP_NDI:
        write_ndi(w, t);
        break;
    case DHCP_ARCH:
        dhcp_option_write(w, DHCP_ARCH, arch, sizeof arch);
        break;
    case DHCP_VENDOR_CLASS:
        write_class(w, t);
        break;
    case DHCP_VENDOR_SPECIFIC:
        write_item(w, t);
        break;
    default:
        write_of_ipxe(w, code, t);
        break;
    }
}

size_t request_write(const struct request_terms *t, uint8_t buf[REQUEST_SIZE])
{
    const struct habit *h = &habits[t->manner];
    const uint8_t *order = t->at_4011 ? h->order_4011 : h->order;
    struct wr w = wr_over(buf, REQUEST_SIZE);
    write_header(&w, t);
    for (size_t i = 0; i < sizeof h->order && order[i] != 0; i++) {
        write_option(&w, order[i], t);
    }
    dhcp_write_end(&w);
    return wr_len(&w);
}

/* -- over IPv6 ---------------------------------------------------------------------------- */

enum { DUID_LL = 3, DUID_UUID = 4, ENTERPRISE_INTEL = 343 };
enum { OPTION_REQUEST = 6, ELAPSED_TIME = 8, INTERFACE_KIND = 62 };

struct ip6 request6_address(const struct mac *mac)
{
    const uint8_t *m = mac->octet;
    return (struct ip6){
        {0xfe, 0x80, [8] = m[0] ^ 2, m[1], m[2], 0xff, 0xfe, m[3], m[4], m[5]}};
}

struct ip6 request6_group(void)
{
    return (struct ip6){{0xff, 0x02, [13] = 1, 0, 2}};
}

static void write_duid(struct wr *w, const struct request_terms *t)
{
    uint8_t value[2 + 16];
    struct wr v = wr_over(value, sizeof value);
    wr_u16(&v, t->has_uuid ? DUID_UUID : DUID_LL);
    if (t->has_uuid) {
        wr_put(&v, t->uuid, sizeof t->uuid);
    } else {
        wr_u16(&v, 1); /* Ethernet */
        wr_put(&v, t->mac.octet, sizeof t->mac.octet);
    }
    dhcp6_option_write(w, DHCP6_CLIENT_ID, value, wr_len(&v));
}

/* As many options as EDK2 sends; a 16-bit length stands before each class. */
static void write_classes(struct wr *w, const struct request_terms *t)
{
    char usual[48];
    uint8_t value[6 + 256];
    struct wr v = wr_over(value, sizeof value);
    snprintf(usual, sizeof usual, "%s:Arch:%05u:UNDI:003016",
             arch_is_http(t->arch) ? "HTTPClient" : "PXEClient", t->arch);
    const char *said = t->class ? t->class : usual;
    wr_u32(&v, ENTERPRISE_INTEL);
    wr_u16(&v, (uint16_t)strlen(said));
    wr_put(&v, said, strlen(said));
    dhcp6_option_write(w, DHCP6_VENDOR_CLASS, value, wr_len(&v));
    if (t->manner == REQUEST_IPXE) {
        static const uint8_t class[] = {0, 4, 'i', 'P', 'X', 'E'};
        dhcp6_option_write(w, DHCP6_USER_CLASS, class, sizeof class);
    }
}

size_t request6_write(const struct request_terms *t, bool to_4011,
                      uint8_t buf[REQUEST_SIZE])
{
    static const uint8_t elapsed[2];
    static const uint8_t lease[12] = {0, 0, 0, 1}; /* an identifier, and no wishes */
    static const uint8_t wanted[] = {0, DHCP6_BOOT_URL, 0, 60};
    static const uint8_t kind[] = {1, 3, 16}; /* UNDI 3.16 */
    const uint8_t arch[2] = {(uint8_t)(t->arch >> 8), (uint8_t)t->arch};
    struct wr w = wr_over(buf, REQUEST_SIZE);
    dhcp6_header_write(&w, to_4011 ? DHCP6_REQUEST : DHCP6_SOLICIT, 1);
    write_duid(&w, t);
    dhcp6_option_write(&w, (enum dhcp6_code)ELAPSED_TIME, elapsed, sizeof elapsed);
    if (!to_4011) {
        dhcp6_option_write(&w, DHCP6_IA_NA, lease, sizeof lease);
    }
    dhcp6_option_write(&w, (enum dhcp6_code)OPTION_REQUEST, wanted, sizeof wanted);
    dhcp6_option_write(&w, (enum dhcp6_code)INTERFACE_KIND, kind, sizeof kind);
    dhcp6_option_write(&w, DHCP6_ARCH, arch, sizeof arch);
    write_classes(&w, t);
    return wr_len(&w);
}
