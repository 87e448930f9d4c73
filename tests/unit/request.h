/*
 * tests/unit/request: DHCP requests for tests, in the notation of the bug reports.
 *
 *     struct request r = discover(7);             D(7)
 *     struct request r = request_4011(7);         R4011(7)
 *     request_without(&r, 97); request_add(&r, 77, "iPXE", 4);
 *     request_bytes(&r, buf)                      the datagram
 */
#ifndef TESTS_UNIT_REQUEST_H
#define TESTS_UNIT_REQUEST_H

#include "dhcp/decision.h"

struct request {
    uint8_t mac[6];
    uint8_t hlen;
    uint16_t flags;
    uint32_t xid;
    struct ip4 ciaddr;
    struct ip4 giaddr;
    struct {
        uint8_t code;
        uint8_t len;
        uint8_t value[255];
    } option[24];
    unsigned count;
};

struct request discover(uint16_t arch);
struct request request_4011(uint16_t arch);
void request_add(struct request *r, uint8_t code, const void *value, size_t len);
/* Replaces the value of an option that is there, or adds it. */
void request_set(struct request *r, uint8_t code, const void *value, size_t len);
void request_without(struct request *r, uint8_t code);
/* At most 1500 octets; padded to 300. */
size_t request_bytes(const struct request *r, uint8_t buf[1500]);

#endif
