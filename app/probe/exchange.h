/*
 * app/probe/exchange: the DHCP side of a boot client that is played on an interface.
 *
 *     exchange_open()     the interface, a capture of what servers say
 *     exchange_offers()   DISCOVERs, and all that answers within a time
 *     exchange_ask()      a question on port 4011
 *     exchange_lease()    takes the offered address, and gives it back
 *
 * Requests go out as frames with the card's own hardware address: a made-up one would be
 * learned by switches, and some shut a port for it.
 *
 * Ownership: answers go into the caller's facts.
 * Errors: 0 or -errno with the reason in words.  Shell: dhcp/capture, sockets.  Needs
 * CAP_NET_RAW.
 */
#ifndef APP_PROBE_EXCHANGE_H
#define APP_PROBE_EXCHANGE_H

#include "app/probe/choice.h"
#include "dhcp/capture.h"
#include "dhcp/interface.h"

#define EXCHANGE_WHY_SIZE INTERFACE_WHY_SIZE

struct exchange {
    const char *interface;
    struct capture *capture;
    struct mac card;
    struct ip4 address;         /* of the interface; 0.0.0.0: it has none */
    struct request_terms terms; /* of a DISCOVER: who is played */
    unsigned sent;              /* DISCOVERs */
    unsigned unread;            /* answers that are no DHCP messages */
};

/* terms: manner, mac, uuid, arch. */
int exchange_open(struct exchange *x, const char *interface,
                  const struct request_terms *terms, char why[EXCHANGE_WHY_SIZE]);
void exchange_close(struct exchange *x);

/* What came within `patience`. */
int exchange_offers(struct exchange *x, usec_t patience, struct choice_facts *facts,
                    char why[EXCHANGE_WHY_SIZE]);

/* The question and its answer, if one came, are added to the facts. */
int exchange_ask(struct exchange *x, const struct choice_question *question,
                 struct choice_facts *facts, char why[EXCHANGE_WHY_SIZE]);

/* What a REQUEST for the address of this offer led to: DHCP_ACK, DHCP_NAK, or 0: nothing. */
enum dhcp_message exchange_lease(struct exchange *x, const struct answer *offer,
                                 struct answer *reply);

#endif
