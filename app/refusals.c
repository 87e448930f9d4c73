#include "app/refusals.h"

#include <string.h>

#include "dhcp/frame.h"
#include "dhcp/packet.h"
#include "dhcp/v6_packet.h"

/* -- names -------------------------------------------------------------------------------- */

const char *control_refused_name(enum control_refused why)
{
    static const char *const names[CONTROL_REFUSED_COUNT] = {
        [CONTROL_NOT_ALLOWED] = "not-allowed",
        [CONTROL_DISPLACED] = "displaced",
        [CONTROL_CROWDED] = "crowded",
        [CONTROL_TOO_LONG] = "too-long",
        [CONTROL_ERROR] = "error",
    };
    return names[why];
}

const char *http_turned_away_name(enum http_turned_away why)
{
    static const char *const names[HTTP_TURNED_AWAY_COUNT] = {
        [HTTP_TOO_MANY] = "too-many-connections",
        [HTTP_TOO_MANY_OF_ONE] = "too-many-of-one-address",
        [HTTP_TOO_SLOW] = "too-slow",
        [HTTP_NAME_TOO_LONG] = "name-too-long",
    };
    return names[why];
}

static const char *verdict(unsigned why)
{
    return dhcp_verdict_name(why);
}

static const char *dropped(unsigned why)
{
    return dhcp_dropped_name(why);
}

static const char *bad_frame(unsigned why)
{
    return frame_fault_name(why);
}

static const char *bad_packet(unsigned why)
{
    return dhcp_fault_name(why);
}

static const char *bad_packet6(unsigned why)
{
    return dhcp6_fault_name(why);
}

static const char *tftp_ignored(unsigned why)
{
    return tftp_ignored_name(why);
}

static const char *tftp_refused(unsigned why)
{
    return tftp_refusal(why)->name;
}

static const char *http_refused(unsigned why)
{
    return http_refused_name(why);
}

static const char *turned_away(unsigned why)
{
    return http_turned_away_name(why);
}

static const char *control_refused(unsigned why)
{
    return control_refused_name(why);
}

/* -- the table ---------------------------------------------------------------------------- */

#define COUNTS(of, member) ((of) ? (of)->member : NULL)

size_t refusals_of(const struct tallies *t, struct refusals out[REFUSALS_LISTS])
{
    /* clang-format off */
    const struct refusals all[] = {
        {"dhcp", "ignored", "pxed_dhcp_ignored_total", "ipv4", verdict,
         DHCP_ANSWERED + 1, DHCP_VERDICT_COUNT, COUNTS(t->dhcp, verdicts)},
        {"dhcp6", "ignored", "pxed_dhcp_ignored_total", "ipv6", verdict,
         DHCP_ANSWERED + 1, DHCP_VERDICT_COUNT, COUNTS(t->dhcp6, verdicts)},
        {"dhcp", "dropped", "pxed_dhcp_dropped_total", "ipv4", dropped,
         0, DHCP_DROPPED_COUNT, COUNTS(t->dhcp, dropped)},
        {"dhcp6", "dropped", "pxed_dhcp_dropped_total", "ipv6", dropped,
         0, DHCP_DROPPED_COUNT, COUNTS(t->dhcp6, dropped)},
        {"dhcp", "frames", "pxed_dhcp_malformed_total", "frame", bad_frame,
         FRAME_OK + 1, FRAME_FAULT_COUNT, COUNTS(t->dhcp, bad_frames)},
        {"dhcp", "malformed", "pxed_dhcp_malformed_total", "dhcp", bad_packet,
         DHCP_OK + 1, DHCP_FAULT_COUNT, COUNTS(t->dhcp, bad_packets)},
        {"dhcp6", "malformed", "pxed_dhcp_malformed_total", "dhcpv6", bad_packet6,
         DHCP6_OK + 1, DHCP6_FAULT_COUNT, COUNTS(t->dhcp6, bad_packets)},
        {"tftp", "ignored", "pxed_tftp_ignored_total", NULL, tftp_ignored,
         TFTP_ADMITTED + 1, TFTP_IGNORED_COUNT, COUNTS(t->tftp, ignored)},
        {"tftp", "refused", "pxed_tftp_refused_total", NULL, tftp_refused,
         0, TFTP_REFUSED_COUNT, COUNTS(t->tftp, refused)},
        {"http", "refused", "pxed_http_refused_total", NULL, http_refused,
         0, HTTP_REFUSED_COUNT, COUNTS(t->http, refusals)},
        {"http", "turned_away", "pxed_http_refused_total", NULL, turned_away,
         0, HTTP_TURNED_AWAY_COUNT, COUNTS(t->http, turned_away)},
        {"control", "refused", "pxed_control_refused_total", NULL, control_refused,
         0, CONTROL_REFUSED_COUNT, t->control},
    };
    /* clang-format on */
    _Static_assert(sizeof all / sizeof all[0] == REFUSALS_LISTS, "the room is too small");
    memcpy(out, all, sizeof all);
    return REFUSALS_LISTS;
}

size_t losses_of(const struct tallies *t, size_t interface_count,
                 const struct losses *out[LOSSES_LISTS])
{
    size_t n = 0;
    for (size_t i = 0; t->dhcp && i < interface_count; i++) {
        out[n++] = &t->dhcp->lost[i];
    }
    if (t->dhcp) {
        out[n++] = &t->dhcp->lost_4011;
    }
    if (t->dhcp6) {
        out[n++] = &t->dhcp6->lost_547;
        out[n++] = &t->dhcp6->lost_4011;
    }
    if (t->tftp) {
        out[n++] = &t->tftp->lost_requests;
        out[n++] = &t->tftp->lost_data;
    }
    return n;
}
