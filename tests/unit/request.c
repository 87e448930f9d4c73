#include "tests/unit/request.h"

#include <assert.h>
#include <stdio.h>

void request_add(struct request *r, uint8_t code, const void *value, size_t len)
{
    assert(r->count < sizeof r->option / sizeof r->option[0] && len <= 255);
    r->option[r->count].code = code;
    r->option[r->count].len = (uint8_t)len;
    if (len > 0) {
        memcpy(r->option[r->count].value, value, len);
    }
    r->count++;
}

void request_without(struct request *r, uint8_t code)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < r->count; i++) {
        if (r->option[i].code != code) {
            r->option[kept++] = r->option[i];
        }
    }
    r->count = kept;
}

void request_set(struct request *r, uint8_t code, const void *value, size_t len)
{
    request_without(r, code);
    request_add(r, code, value, len);
}

static struct request base(uint8_t type, uint16_t arch)
{
    static const uint8_t uuid[17] = {0,    0x33, 0x22, 0x11, 0x00, 0x55, 0x44, 0x77, 0x66,
                                     0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0x01};
    const uint8_t code[2] = {(uint8_t)(arch >> 8), (uint8_t)arch};
    char class[40];
    struct request r = {
        .mac = {0x52, 0x54, 0, 0x12, 0x34, 0x56}, .hlen = 6, .xid = 0x01020304};
    bool http = arch_is_http(arch);
    snprintf(class, sizeof class, "%s:Arch:%05u:UNDI:003016",
             http ? "HTTPClient" : "PXEClient", arch);
    request_add(&r, 53, &type, 1);
    request_add(&r, 57, "\x05\xc0", 2);
    request_add(&r, 55, "\x01\x02\x03\x0c\x0f\x2b\x36\x3c\x42\x43\x61", 11);
    request_add(&r, 97, uuid, sizeof uuid);
    request_add(&r, 94, "\x01\x03\x10", 3);
    request_add(&r, 93, code, sizeof code);
    request_add(&r, 60, class, strlen(class));
    return r;
}

struct request discover(uint16_t arch)
{
    struct request r = base(DHCP_DISCOVER, arch);
    r.flags = 0x8000;
    return r;
}

struct request request_4011(uint16_t arch)
{
    struct request r = base(DHCP_REQUEST, arch);
    r.ciaddr = (struct ip4){{10, 77, 0, 9}};
    r.xid = 0x0a0b0c0d;
    return r;
}

size_t request_bytes(const struct request *r, uint8_t buf[1500])
{
    struct wr w = wr_over(buf, 1500);
    wr_u8(&w, BOOTREQUEST);
    wr_u8(&w, 1);
    wr_u8(&w, r->hlen);
    wr_u8(&w, 0);
    wr_u32(&w, r->xid);
    wr_u16(&w, 4);
    wr_u16(&w, r->flags);
    wr_put(&w, &r->ciaddr, 4);
    wr_zero(&w, 8);
    wr_put(&w, &r->giaddr, 4);
    wr_put(&w, r->mac, sizeof r->mac);
    wr_zero(&w, 10 + 64 + 128);
    wr_u32(&w, 0x63825363);
    for (unsigned i = 0; i < r->count; i++) {
        wr_u8(&w, r->option[i].code);
        wr_u8(&w, r->option[i].len);
        wr_put(&w, r->option[i].value, r->option[i].len);
    }
    wr_u8(&w, DHCP_END);
    if (wr_len(&w) < DHCP_MIN_LEN) {
        wr_zero(&w, DHCP_MIN_LEN - wr_len(&w));
    }
    assert(wr_ok(&w));
    return wr_len(&w);
}
