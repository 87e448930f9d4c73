/*
 * dhcp/admission: is this request ours to answer, by its kind and by whom it names?
 *
 * Spec: RFC 2131 section 4.3.2, PXE 2.1 section 2.2; firmware.md section 8, R1 and R16.
 * Pure.
 */
#ifndef DHCP_ADMISSION_H
#define DHCP_ADMISSION_H

#include "dhcp/reply.h"
#include "dhcp/verdict.h"

/* DHCP_ANSWERED: go on; else why not.  `us` is the address it was sent to, or ours there. */
enum dhcp_verdict dhcp_admit(const struct dhcp_packet *in, uint16_t port, struct ip4 us,
                             const struct pxe_request *client);

#endif
