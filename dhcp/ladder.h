/*
 * dhcp/ladder: which form of offer a client gets when the configuration says "auto".
 *
 * A client that likes its offer comes to port 4011 or begins a transfer.  One that asks again
 * and again without coming gets another form: twice the one that is expected to work, then
 * the two others, then from the start:
 *
 *     pxe, pxe, bare, both, pxe, pxe, ...
 *
 * "bare" is binl without a file name: nothing there that a client could mistake; it has to ask
 * on port 4011.  A try is a DISCOVER that comes again in its transaction, not its copy by another
 * relay; a new transaction goes on where the last one ended if that one did try again, for some
 * seconds, and else begins anew.  A client that comes keeps its form, and its kind (words of
 * its vendor class, architecture) is credited: others of that kind begin with the form that has
 * worked most, of late.  Never driven by `secs`, which several clients fill with something else.
 *
 *     ladder_key_of()     who is it?  only a boot client can be told
 *     ladder_asks()       a DISCOVER came: the form to offer, the how-manieth it is
 *     ladder_offered()    that form did go out
 *     ladder_reached()    the client came
 *     ladder_decide()     all of these around dhcp_decide(), as the service needs it
 *
 * Ownership: all of it is in struct ladder, whoever asks: the least recent are forgotten.
 * Large: belongs on the heap.  Zeros and a seed are a good start.
 * Errors: none.  Pure.
 */
#ifndef DHCP_LADDER_H
#define DHCP_LADDER_H

#include "common/clock.h"
#include "common/hash.h"
#include "config/snapshot.h"
#include "dhcp/decision.h"

#define LADDER_BUCKETS   512
#define LADDER_WAYS      8 /* clients of one bucket */
#define LADDER_KINDS     64
#define LADDER_CLASS_LEN 48 /* octets of a kind's words, closing NUL included */
#define LADDER_MEMORY    (120 * USEC_PER_SEC) /* since it was last heard, or came */
#define LADDER_SCORE_MAX 8
#define LADDER_RETRY     (3 * USEC_PER_SEC) /* no firmware tries again sooner */

struct ladder_key {
    uint8_t chaddr[DHCP_CHADDR_LEN]; /* zeros behind hlen octets */
    bool ipxe; /* the same card, but a client of other habits than its ROM */
    uint16_t arch;
    char class[LADDER_CLASS_LEN]; /* "PXEClient:Arch::UNDI:", printable */
    uint32_t xid; /* this and the next are the packet's, not the client's */
    struct ip4 relay;
};

struct ladder_client {
    uint8_t chaddr[DHCP_CHADDR_LEN];
    bool used;
    bool named; /* by a host of the table: makes no room for one that is not */
    bool ipxe;
    bool came;     /* within LADDER_MEMORY of `since` its form does not change */
    bool counts;   /* the offer for its last DISCOVER is a step of the ladder */
    uint8_t first; /* enum offer_form: where its ladder begins */
    uint8_t last;  /* the one offered last; OFFER_AUTO: none yet */
    uint16_t arch;
    uint16_t asked;   /* since it came, or was forgotten */
    uint16_t offered; /* likewise */
    uint32_t xid;     /* of its last DISCOVER, as the next three */
    struct ip4 relay;
    usec_t heard;
    usec_t began; /* when that transaction was heard first */
    uint64_t kind;
    usec_t since;
};

struct ladder_kind {
    bool used;
    uint16_t arch;
    char class[LADDER_CLASS_LEN];
    uint64_t id;
    uint8_t score[OFFER_FORM_COUNT]; /* pxe, both, bare; 0..LADDER_SCORE_MAX */
    uint32_t came[OFFER_FORM_COUNT]; /* clients that came after an offer of this form */
    usec_t heard;
};

struct ladder {
    struct hash_seed seed;
    struct ladder_client client[LADDER_BUCKETS][LADDER_WAYS];
    struct ladder_kind kind[LADDER_KINDS];
};

struct ladder_advice {
    enum offer_form form;
    unsigned asked; /* this one included */
};

/* Where a client comes to. */
enum ladder_door { LADDER_4011, LADDER_TFTP };

/* False: it has no hardware address, so nothing can be remembered of it. */
bool ladder_key_of(const struct dhcp_packet *in, const struct pxe_request *client,
                   struct ladder_key *out);

struct ladder_advice ladder_asks(struct ladder *l, const struct ladder_key *key,
                                 usec_t now);
void ladder_offered(struct ladder *l, const struct ladder_key *key, enum offer_form form);
void ladder_reached(struct ladder *l, const struct ladder_key *key, enum ladder_door door,
                    usec_t now);
/* The same for a transfer, of which only the hardware address is known. */
void ladder_loads(struct ladder *l, const struct mac *mac, usec_t now);

/*
 * dhcp_decide() with the ladder's advice, and what comes of it remembered.  site: form and
 * asked are filled in here.
 */
enum dhcp_verdict ladder_decide(struct ladder *l, struct dhcp_site *site,
                                const struct dhcp_arrival *at,
                                const struct dhcp_packet *in, usec_t now,
                                struct dhcp_decision *out);

/* Where a kind begins that was heard of; NULL behind the last. */
const struct ladder_kind *ladder_kind_at(const struct ladder *l, size_t index);
enum offer_form ladder_first(const struct ladder_kind *kind);

/* All clients and kinds; the seed stays. */
void ladder_forget(struct ladder *l);

#endif
