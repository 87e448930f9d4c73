/*
 * dhcp/pxe: what a request says of its boot client, and the PXE options of a reply.
 *
 * Spec: PXE 2.1 section 2 (option 43 and its sub-options), RFC 4578 (93, 94, 97),
 * RFC 3004 (77), iPXE's option 175 (firmware.md 1.3).
 * Ownership: values only.
 * Errors: nothing fails; what is missing or malformed is simply not there.  Pure.
 */
#ifndef DHCP_PXE_H
#define DHCP_PXE_H

#include "dhcp/packet.h"

enum pxe_class {
    PXE_NO_CLIENT,  /* option 60 is missing or says something else */
    PXE_PXECLIENT,  /* boots by TFTP */
    PXE_HTTPCLIENT, /* UEFI HTTP Boot */
};

#define PXE_ARCHS_MAX 8 /* more codes than this in one request are not looked at */

/* Feature bits an iPXE reports in option 175 (its sub-option number). */
enum { IPXE_HTTP = 0x13, IPXE_HTTPS = 0x14, IPXE_TFTP = 0x15 };

struct pxe_request {
    enum pxe_class class;
    bool ipxe;              /* iPXE is already running */
    bool ipxe_tells;        /* option 175 was there: ipxe_features means something */
    uint64_t ipxe_features; /* bit n: sub-option n */
    uint16_t arch[PXE_ARCHS_MAX]; /* option 93, else the digits of option 60 */
    unsigned arch_count;
    bool has_uuid;
    uint8_t uuid[16];  /* as sent in option 97 */
    bool raspberry_pi; /* a boot ROM that calls itself x86 BIOS */
    bool has_item;     /* option 43.71: a menu item is asked for */
    uint16_t item_type;
    uint16_t item_layer;
};

struct pxe_request pxe_read(const struct dhcp_packet *p);

/*
 * Class and architectures alone, from the values of options 60 and 93, or of DHCPv6's 16 and
 * 61, which are alike.
 */
void pxe_read_class(struct pxe_request *r, struct rd class, struct rd archs);

bool pxe_has_feature(const struct pxe_request *r, unsigned feature);

/* Option 43 = 06 01 08 ff: boot the file of this very packet, ask nobody else. */
void pxe_write_boot_at_once(struct wr *w);
/* Option 43 = 47 04 type layer ff: the item that was asked for. */
void pxe_write_item(struct wr *w, uint16_t type, uint16_t layer);
/* Option 43 with the menu text a Raspberry Pi boot ROM looks for (firmware.md 1.4). */
void pxe_write_raspberry_pi(struct wr *w);

const char *pxe_class_word(enum pxe_class class); /* "PXEClient", "HTTPClient" */

#endif
