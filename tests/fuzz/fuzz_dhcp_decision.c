#include <stdlib.h>

#include "config/load.h"
#include "dhcp/decision.h"
#include "dhcp/frame.h"
#include "dhcp/show.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char json[] =
    "{\"interfaces\": [\"eth0\"], \"tftp\": {\"root\": \"/srv/tftp\"}, \"profiles\": {"
    "\"default\": {\"x86-bios\": \"a\", \"x64-uefi\": \"b\", \"arm64-uefi\": \"c\","
    "\"x64-uefi-http\": \"http://10.0.0.1/d\", \"arm-rpiboot\": \"e\", \"ipxe\": \"f\","
    "\"offer\": \"both\", \"ipxe_override\": true},"
    "\"auto\": {\"extends\": \"default\", \"offer\": \"auto\", \"delay_ms\": 9,"
    "\"after_requests\": 2, \"fields\": {\"sname\": true, \"option_66\": true,"
    "\"option_67\": true}, \"options\": {\"252\": \"B\", \"250\": \"hex:00ff\"}},"
    "\"menu\": {\"extends\": \"auto\", \"after_requests\": 1, \"menu\": {\"items\": ["
    "{\"name\": \"disk\", \"action\": \"local\"}, {\"name\": \"one\", \"file\": \"g\"},"
    "{\"name\": \"two\", \"file\": {\"7\": \"h\", \"0\": \"i\"},"
    "\"next_server\": \"10.0.0.9\"}]}}},"
    "\"hosts\": [{\"mac\": \"52:54:00:*\", \"profile\": \"auto\"},"
    "{\"mac\": \"52:54:01:*\", \"profile\": \"menu\"},"
    "{\"mac\": \"52:54:02:*\", \"action\": \"local\"},"
    "{\"circuit_id\": \"a*\",\"relay\": \"10.0.0.0/8\", \"vendor_class\": \"PXE\"},"
    "{\"user_class\": \"a*\"}, {\"arch\": [\"arm-rpiboot\", 0], \"interface\": "
    "\"eth0\"}]}";

static void check(int truth)
{
    if (!truth) {
        abort();
    }
}

static void check_option(const struct dhcp_packet *p, enum dhcp_code code)
{
    uint8_t buf[DHCP_OPTION_MAX];
    struct rd value;
    check(dhcp_find(p, code, buf, &value) && rd_left(&value) > 0);
}

/* A menu has prompt, items and servers, and never a discovery control that breaks clients. */
static void check_menu(struct rd value)
{
    struct dhcp_option sub;
    uint64_t seen = 0;
    bool skips = false;
    while (dhcp_option_next(&value, &sub)) {
        seen |= sub.code < 64 ? UINT64_C(1) << sub.code : 0;
        skips |= sub.code == 6 && sub.value.p[0] & 8;
        check(sub.code != 6 || sub.value.p[0] != 0);
    }
    check(rd_ok(&value));
    bool servers = seen >> 8 & 1;
    check(!servers || (!skips && seen >> 9 & 1 && seen >> 10 & 1));
}

/* What we send is a good reply, whatever came in. */
static void check_reply(const struct dhcp_reply *r, const struct dhcp_packet *in)
{
    static char text[20000];
    struct dhcp_packet p;
    check(r->len >= DHCP_MIN_LEN && r->len <= DHCP_MAX_LEN);
    check(dhcp_parse(r->packet, r->len, &p) == DHCP_OK);
    check(p.op == BOOTREPLY && p.xid == in->xid && p.htype == in->htype);
    check(ip4_is_any(p.yiaddr) && !ip4_is_any(p.siaddr));
    check(memcmp(p.chaddr, in->chaddr, DHCP_CHADDR_LEN) == 0);
    uint8_t buf[DHCP_OPTION_MAX];
    struct rd vendor;
    if (dhcp_find(&p, DHCP_VENDOR_SPECIFIC, buf, &vendor)) {
        check_menu(vendor);
    }
    check_option(&p, DHCP_MSG_TYPE);
    check_option(&p, DHCP_SERVER_ID);
    check_option(&p, DHCP_VENDOR_CLASS);
    dhcp_show(r->packet, r->len, text, sizeof text);
    check(strstr(text, "END") != NULL);
}

/* The first octet says which port, form and number of DISCOVERs; the rest is the datagram, or a frame around it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct snapshot *config;
    static struct dhcp_decision d;
    struct faults faults = {0};
    struct dhcp_packet in;
    struct frame frame;
    if (!config) {
        config = config_load(json, sizeof json - 1, &faults);
        check(config != NULL);
    }
    if (size < 1) {
        return 0;
    }
    static const enum offer_form forms[] = {OFFER_AUTO, OFFER_PXE, OFFER_BARE,
                                            OFFER_BOTH};
    const struct dhcp_site site = {.config = config,
                                   .address = {{10, 0, 0, 1}},
                                   .interface = "eth0",
                                   .form = forms[data[0] >> 1 & 3],
                                   .asked = data[0] >> 3 & 3};
    struct dhcp_arrival at = {
        data[0] & 1 ? DHCP_PXE_PORT : DHCP_SERVER_PORT, {{10, 0, 0, 2}}, 68};
    struct rd payload = rd_over(data + 1, size - 1);
    if (frame_parse(payload.p, rd_left(&payload), &frame) == FRAME_OK) {
        payload = frame.payload;
    }
    if (dhcp_parse(payload.p, rd_left(&payload), &in) != DHCP_OK) {
        return 0;
    }
    enum dhcp_verdict verdict = dhcp_decide(&site, &at, &in, &d);
    check((verdict == DHCP_ANSWERED) == (d.reply_count > 0));
    check(dhcp_verdict_name(verdict)[0] != '\0');
    for (unsigned i = 0; i < d.reply_count; i++) {
        check_reply(&d.reply[i], &in);
    }
    return 0;
}
