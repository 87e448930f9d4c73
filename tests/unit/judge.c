#include "tests/unit/judge.h"

#include <stdio.h>

#include "tests/unit/quoted.h"

struct dhcp_arrival by_4011(uint16_t port)
{
    return (struct dhcp_arrival){4011, {{10, 77, 0, 9}}, port};
}

struct dhcp_packet packet_of(const struct request *r, uint8_t buf[1500])
{
    struct dhcp_packet p;
    ck_assert_int_eq(dhcp_parse(buf, request_bytes(r, buf), &p), DHCP_OK);
    return p;
}

/* d is static: too large for comfort on the stack. */
struct dhcp_decision *decide_in(const char *json, struct dhcp_site site,
                                const struct dhcp_arrival *at, const struct request *r)
{
    static struct dhcp_decision d;
    static char file[256];
    uint8_t buf[1500];
    struct dhcp_packet pkt = packet_of(r, buf);
    struct snapshot *s = config_of(json);
    site.config = s;
    site.address = us;
    (void)dhcp_decide(&site, at, &pkt, &d);
    if (d.file) { /* the snapshot goes, the name stays */
        snprintf(file, sizeof file, "%s", d.file);
        d.file = file;
    }
    d.host = NULL;
    d.profile = NULL;
    snapshot_free(s);
    return &d;
}

struct dhcp_decision *decide_at(const char *json, const struct dhcp_arrival *at,
                                const struct request *r)
{
    return decide_in(json, (struct dhcp_site){0}, at, r);
}

struct dhcp_packet parsed(const struct dhcp_reply *reply)
{
    struct dhcp_packet p;
    ck_assert_int_eq(dhcp_parse(reply->packet, reply->len, &p), DHCP_OK);
    return p;
}

struct dhcp_packet reply_of(const struct dhcp_decision *d)
{
    ck_assert_msg(d->verdict == DHCP_ANSWERED, "got silence: %s",
                  dhcp_verdict_name(d->verdict));
    return parsed(&d->reply[0]);
}

void assert_option(const struct dhcp_packet *p, enum dhcp_code code, const void *want,
                   size_t len)
{
    uint8_t buf[DHCP_OPTION_MAX];
    struct rd value;
    ck_assert_msg(dhcp_find(p, code, buf, &value), "option %d is missing", code);
    ck_assert_msg(rd_left(&value) == len && !memcmp(value.p, want, len),
                  "option %d: %zu octets, not as wanted", code, rd_left(&value));
}

void assert_no_option(const struct dhcp_packet *p, enum dhcp_code code)
{
    uint8_t buf[DHCP_OPTION_MAX];
    struct rd value;
    ck_assert_msg(!dhcp_find(p, code, buf, &value), "option %d is there", code);
}
