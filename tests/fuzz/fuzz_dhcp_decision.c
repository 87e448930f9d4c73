/*
 * One DHCPv4 datagram, or a frame around it, to port 67 or 4011.
 *
 * The first octet says which port, form and number of DISCOVERs; the rest is the datagram.
 *
 * Properties: a request is answered exactly if there are replies; each reply is a good one
 * (dhcp_reply.h): it parses, is what RFC 2131 and PXE demand, and fits what the client takes.
 */
#include "dhcp/frame.h"
#include "tests/fuzz/dhcp_reply.h"

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

/* Any octets are shown as lines of printable text. */
static void check_shown(struct rd octets)
{
    static char text[20000];
    dhcp_show(octets.p, rd_left(&octets), text, sizeof text);
    must(text[0] != '\0');
    for (const char *p = text; *p; p++) {
        must(*p == '\n' || (*p >= 0x20 && *p < 0x7f));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct snapshot *config = fuzz_config(json);
    static struct dhcp_decision d;
    struct dhcp_packet in;
    struct frame frame;
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
    check_shown(payload);
    if (dhcp_parse(payload.p, rd_left(&payload), &in) != DHCP_OK) {
        return 0;
    }
    enum dhcp_verdict verdict = dhcp_decide(&site, &at, &in, &d);
    must((verdict == DHCP_ANSWERED) == (d.reply_count > 0));
    must(dhcp_verdict_name(verdict)[0] != '\0');
    for (unsigned i = 0; i < d.reply_count; i++) {
        check_reply(&d.reply[i], &at, &in);
    }
    return 0;
}
