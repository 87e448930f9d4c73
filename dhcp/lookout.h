/*
 * dhcp/lookout: what the radar is told, from the packets that the service has in hand; each
 * new event becomes a line in the log.
 *
 * Shell: common/log, by dhcp/journal.
 */
#ifndef DHCP_LOOKOUT_H
#define DHCP_LOOKOUT_H

#include "dhcp/decision.h"
#include "dhcp/frame.h"
#include "dhcp/ports.h"
#include "dhcp/radar.h"

/* A request on port 67 was decided. */
void lookout_request(struct radar *r, const struct dhcp_packet *in,
                     const struct dhcp_decision *d);

/* Some other server's word to a client. */
void lookout_reply(struct radar *r, const struct port *p, const struct radar_reply *reply,
                   usec_t now);

/* A machine asks for a file by TFTP; who asks us is none of its business. */
void lookout_read_request(struct radar *r, const struct port *p, const struct frame *f,
                          usec_t now);

#endif
