#include "app/request.h"

#include <stdio.h>

#include "config/arch.h"

#define MAGIC_COOKIE 0x63825363u
#define BROADCAST    0x8000

static void write_header(struct wr *w, const struct request_terms *t)
{
    wr_u8(w, BOOTREQUEST);
    wr_u8(w, 1); /* Ethernet */
    wr_u8(w, sizeof t->mac.octet);
    wr_u8(w, ip4_is_any(t->relay) ? 0 : 1);
    wr_u32(w, 1); /* xid: any will do */
    wr_u16(w, 0);
    wr_u16(w, t->type == DHCP_DISCOVER ? BROADCAST : 0);
    wr_put(w, t->client.octet, sizeof t->client.octet);
    wr_zero(w, 8); /* yiaddr, siaddr */
    wr_put(w, t->relay.octet, sizeof t->relay.octet);
    wr_put(w, t->mac.octet, sizeof t->mac.octet);
    wr_zero(w, DHCP_CHADDR_LEN - sizeof t->mac.octet);
    wr_zero(w, DHCP_SNAME_LEN + DHCP_FILE_LEN);
    wr_u32(w, MAGIC_COOKIE);
}

static void write_machine(struct wr *w, const struct request_terms *t)
{
    const uint8_t arch[2] = {(uint8_t)(t->arch >> 8), (uint8_t)t->arch};
    static const uint8_t ndi[3] = {1, 3, 16}; /* UNDI 3.16 */
    char class[48];
    uint8_t id[17] = {0};
    snprintf(class, sizeof class, "%s:Arch:%05u:UNDI:003016",
             arch_is_http(t->arch) ? "HTTPClient" : "PXEClient", t->arch);
    const char *said = t->class ? t->class : class;
    dhcp_option_write(w, DHCP_VENDOR_CLASS, said, strlen(said));
    dhcp_option_write(w, DHCP_ARCH, arch, sizeof arch);
    dhcp_option_write(w, DHCP_NDI, ndi, sizeof ndi);
    if (t->has_uuid) {
        memcpy(id + 1, t->uuid, sizeof t->uuid);
        dhcp_option_write(w, DHCP_MACHINE_ID, id, sizeof id);
    }
    if (t->ipxe) {
        dhcp_option_write(w, DHCP_USER_CLASS, "iPXE", 4);
    }
}

size_t request_write(const struct request_terms *t, uint8_t buf[REQUEST_SIZE])
{
    static const uint8_t size[2] = {1472 >> 8, 1472 & 0xff};
    static const uint8_t wanted[] = {1, 3, 43, 54, 60, 66, 67, 97};
    struct wr w = wr_over(buf, REQUEST_SIZE);
    uint8_t type = (uint8_t)t->type;
    write_header(&w, t);
    dhcp_option_write(&w, DHCP_MSG_TYPE, &type, 1);
    dhcp_option_write(&w, DHCP_MAX_SIZE, size, sizeof size);
    dhcp_option_write(&w, (enum dhcp_code)55, wanted, sizeof wanted);
    write_machine(&w, t);
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
    if (t->ipxe) {
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
