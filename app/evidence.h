/*
 * app/evidence: the last packets of each client, as a recording (pcap) of them.
 *
 *     evidence_note()     a packet came or went
 *     evidence_write()    a recording of what a client's rings hold
 *     evidence_forget()   its boot went well
 *
 * A client has two rings, so that neither pushes out the other: one for DHCP, one for the heads of
 * packets of files.  What a socket gave gets Ethernet, IP and UDP headers as the wire had them;
 * hardware addresses that are not known are zeros, and so is the checksum of a datagram of which
 * the head alone is kept.
 *
 * Bounded: EVIDENCE_CLIENTS, a fixed number of octets each.  Clients that load files and are known
 * by their MAC address have half of the room for themselves: forged DISCOVERs cannot push
 * them out.  Otherwise the client heard longest ago goes.
 *
 * Ownership: all its own; packets are copied.
 * Errors: evidence_new() gives NULL when memory is out; a packet without memory is not kept.
 * Pure but for its memory.
 */
#ifndef APP_EVIDENCE_H
#define APP_EVIDENCE_H

#include "common/clock.h"
#include "common/hash.h"
#include "common/seen.h"

#define EVIDENCE_CLIENTS   1024
#define EVIDENCE_DHCP_RING 12288 /* octets: some 20 packets */
#define EVIDENCE_FILE_RING 8192  /* some 40 heads */
#define EVIDENCE_KEPT_MAX  2048  /* octets kept of a packet at the most */
#define EVIDENCE_DATA_HEAD 128   /* and of one of data, headers included */
#define EVIDENCE_PCAP_MAX  (24 + 2 * (EVIDENCE_DHCP_RING + EVIDENCE_FILE_RING))

enum evidence_part { EVIDENCE_DHCP, EVIDENCE_FILE, EVIDENCE_PARTS };

struct evidence;

struct evidence *evidence_new(size_t clients, const struct hash_seed *seed);
void evidence_free(struct evidence *e); /* NULL is fine */
/* The most octets that its rings will ever take. */
size_t evidence_bound(size_t clients);

/* begins: a client that is not known is remembered from now on, else its packet is not. */
void evidence_note(struct evidence *e, const struct seen_client *who,
                   const struct seen_packet *packet, enum evidence_part part, bool begins,
                   usec_t now);

/*
 * Its packets in their order, at most EVIDENCE_PCAP_MAX octets; 0: nothing is kept of it.
 * epoch: what is added to a time for it to count from 1970.
 */
size_t evidence_write(const struct evidence *e, const struct seen_client *who,
                      int64_t epoch, void *buf, size_t room);
void evidence_forget(struct evidence *e, const struct seen_client *who);

size_t evidence_clients(const struct evidence *e);

#endif
