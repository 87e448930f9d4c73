/*
 * What other DHCP servers say, as it passes by.
 *
 * A list of {length16, octets}: an empty one stands for a request that is heard, any other for a
 * reply, as a datagram or in a frame.
 *
 * Properties: the memory is bounded, each kind of event is told once as news, and what is said
 * of it is printable whatever the server sent.
 */
#include "dhcp/frame.h"
#include "dhcp/radar.h"
#include "tests/fuzz/fuzz.h"

/* What goes into a log line is printable, whatever a server sent. */
static void check_text(const char *text)
{
    must(strlen(text) > 0 && strlen(text) < RADAR_TEXT);
    for (const char *p = text; *p; p++) {
        must(*p >= 0x20 && *p < 0x7f);
    }
}

static void see(struct radar *r, struct rd payload, const struct identity *us, usec_t now)
{
    const struct radar_event *fresh[RADAR_KIND_COUNT];
    struct radar_reply reply = {.ip = {{10, 0, 0, 9}}, .us = us};
    struct dhcp_packet packet;
    struct frame frame;
    char text[RADAR_TEXT];
    if (frame_parse(payload.p, rd_left(&payload), &frame) == FRAME_OK) {
        payload = frame.payload;
        reply.ip = frame.ip_from;
        reply.mac = frame.from;
    }
    const struct radar_event *e =
        radar_asks(r, &reply.mac, &reply.mac, reply.ip, payload, now);
    if (e) {
        check_text(radar_say(e, text));
    }
    if (dhcp_parse(payload.p, rd_left(&payload), &packet) != DHCP_OK) {
        return;
    }
    reply.packet = &packet;
    size_t count = radar_see(r, &reply, now, fresh);
    must(count < RADAR_KIND_COUNT && r->count <= RADAR_EVENTS_MAX);
    for (size_t i = 0; i < count; i++) {
        must(fresh[i]->count == 1 && fresh[i]->first == now && fresh[i]->last == now);
        check_text(radar_say(fresh[i], text));
        must(radar_kind_name(fresh[i]->kind)[0] != '\0');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct radar r;
    struct identity us = {.offered = {{10, 0, 0, 1}}};
    struct rd all = rd_over(data, size);
    identity_add(&us, us.offered, (struct ip4){{255, 255, 255, 0}});
    memset(&r, 0, sizeof r);
    for (usec_t now = 1; rd_left(&all) >= 2; now++) {
        size_t len = rd_u16(&all);
        if (len == 0) {
            struct radar_request request = {.xid = rd_u32(&all), .ours = now & 1};
            radar_heard(&r, &request);
        } else if (len <= rd_left(&all)) {
            see(&r, rd_sub(&all, len), &us, now);
        } else {
            break;
        }
    }
    return 0;
}
