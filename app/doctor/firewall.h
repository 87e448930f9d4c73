/*
 * app/doctor/firewall: does this host's packet filter let a packet in?
 *
 * Rules are read by app/doctor/nft and app/doctor/iptables into struct firewall; here they are
 * walked as the kernel would.  What is not understood makes the outcome FIREWALL_UNSURE where
 * it could matter: nothing is guessed.
 *
 * Ownership: the arrays are the caller's (firewall_room(), firewall_done()).  Pure but for
 * these two, which are in app/doctor/nft.c.
 */
#ifndef APP_DOCTOR_FIREWALL_H
#define APP_DOCTOR_FIREWALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FIREWALL_CHAINS  256
#define FIREWALL_RULES   4096
#define FIREWALL_MATCHES 6
#define FIREWALL_RANGES  12
#define FIREWALL_NAMES   4
#define FIREWALL_DEPTH   16
#define FIREWALL_WALKS                                                                   \
    1000 /* chains gone through for one answer: they may fork at each rule */

enum firewall_field {
    FIREWALL_PROTOCOL, /* 6, 17 */
    FIREWALL_TO_PORT,
    FIREWALL_FROM_PORT,
    FIREWALL_STATE,  /* enum firewall_state */
    FIREWALL_FAMILY, /* 4, 6 */
    FIREWALL_INTERFACE,
    FIREWALL_OTHER, /* something that cannot be told here: may hold or not */
    FIREWALL_NEVER, /* does not hold for what is asked here */
};

enum firewall_state { FIREWALL_NEW = 1, FIREWALL_ESTABLISHED, FIREWALL_ANOTHER_STATE };

struct firewall_range {
    uint16_t from;
    uint16_t to;
};

struct firewall_match {
    enum firewall_field field;
    bool negated;
    bool cut; /* there are more values than are kept */
    uint8_t count;
    struct firewall_range range[FIREWALL_RANGES];
    char name[FIREWALL_NAMES][17]; /* of interfaces; a closing * for any end */
};

enum firewall_verdict {
    FIREWALL_CONTINUE,
    FIREWALL_ACCEPT,
    FIREWALL_DROP,
    FIREWALL_RETURN,
    FIREWALL_JUMP,
    FIREWALL_GOTO,
    FIREWALL_ANYTHING, /* a verdict that is not understood */
};

struct firewall_rule {
    uint16_t chain; /* it stands in */
    enum firewall_verdict verdict;
    uint16_t target; /* of JUMP and GOTO; FIREWALL_CHAINS: not known */
    uint8_t count;
    struct firewall_match match[FIREWALL_MATCHES];
};

struct firewall_chain {
    char family[8]; /* "ip", "ip6", "inet" */
    char table[32];
    char name[32];
    bool input; /* packets for this host pass it */
    bool drops; /* its policy */
};

struct firewall {
    struct firewall_chain chain[FIREWALL_CHAINS];
    size_t chains;
    struct firewall_rule *rule; /* FIREWALL_RULES of them, in order */
    size_t rules;
    bool cut; /* there are more than are kept */
};

struct firewall_packet {
    const char *interface;
    bool ipv6;
    uint8_t protocol; /* 6 TCP, 17 UDP */
    uint16_t port;    /* it is sent to */
    enum firewall_state state;
};

enum firewall_outcome { FIREWALL_PASSES, FIREWALL_UNSURE, FIREWALL_STOPS };

/* *where: the chain that stops it, or may; else untouched. */
enum firewall_outcome firewall_ask(const struct firewall *f,
                                   const struct firewall_packet *packet,
                                   const struct firewall_chain **where);

/* The number of a chain of this table; FIREWALL_CHAINS: there is none. */
size_t firewall_chain(const struct firewall *f, const char *family, const char *table,
                      const char *name);
/* NULL: no room. */
struct firewall_chain *firewall_add_chain(struct firewall *f, const char *family,
                                          const char *table, const char *name);
struct firewall_rule *firewall_add_rule(struct firewall *f, size_t chain);
/* NULL: no room; the rule then holds for nobody knows what. */
struct firewall_match *firewall_add_match(struct firewall_rule *r,
                                          enum firewall_field field, bool negated);
void firewall_add_range(struct firewall_match *m, uint64_t from, uint64_t to);
void firewall_add_name(struct firewall_match *m, const char *name);

/* False: out of memory. */
bool firewall_room(struct firewall *f);
void firewall_done(struct firewall *f);

#endif
