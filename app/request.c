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
