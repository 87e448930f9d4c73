/*
 * dhcp/reply: the octets of an answer, once it is decided what to answer.
 *
 * Spec: RFC 2131 section 4.1 (where it goes), PXE 2.1; firmware.md section 8, R6-R17.
 * Ownership: values in, the reply is the caller's.
 * Errors: false when the reply would not fit what the client takes; *out is then undefined.
 * Pure.
 */
#ifndef DHCP_REPLY_H
#define DHCP_REPLY_H

#include "config/snapshot.h"
#include "dhcp/menu.h"
#include "dhcp/pxe.h"

#define DHCP_SERVER_PORT 67
#define DHCP_CLIENT_PORT 68
#define DHCP_PXE_PORT    4011

/* How the request reached us. */
struct dhcp_arrival {
    uint16_t port;   /* DHCP_SERVER_PORT or DHCP_PXE_PORT */
    struct ip4 from; /* UDP source */
    uint16_t from_port;
};

/* Where a reply goes. */
struct dhcp_reply {
    struct ip4 to;
    uint16_t to_port;
    uint16_t from_port;
    enum offer_form form; /* as in the terms; of an OFFER */
    size_t len;
    uint8_t packet[DHCP_MAX_LEN];
};

struct dhcp_reply_terms {
    enum dhcp_message type; /* DHCP_OFFER or DHCP_ACK */
    struct ip4 server;      /* option 54 */
    struct ip4 next_server; /* siaddr, never 0.0.0.0 */
    const char *file;     /* name relative to the root, or a URL; "" beside a menu only */
    enum offer_form form; /* OFFER_PXE, OFFER_BINL or OFFER_BARE */
    bool ipxe_override;
    bool raspberry_pi;
    struct repeat_conf repeat;
    const struct raw_options *options; /* NULL: none */
    const struct dhcp_menu *menu;      /* NULL: none is to be shown */
};

bool dhcp_reply_write(const struct dhcp_reply_terms *terms, const struct dhcp_arrival *at,
                      const struct dhcp_packet *in, const struct pxe_request *client,
                      struct dhcp_reply *out);

#endif
