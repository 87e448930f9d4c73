/*
 * sim/client: a TFTP client as a state machine without I/O, like tftp/session.
 *
 * What real clients do differently is data: a struct sim_model per client, in models.c.
 *
 *     sim_client_arrive() / sim_client_timeout()    something happened
 *     while (sim_client_next()) ...                 it sends these
 *     sim_client_deadline()                         wake it then
 *
 * Units: usec_t for time, blocks for windows.
 */
#ifndef TESTS_SIM_CLIENT_H
#define TESTS_SIM_CLIENT_H

#include "tests/sim/link.h"
#include "tftp/session.h"

/* A block came that is not the next one, but a later one. */
enum sim_on_gap {
    SIM_GAP_SILENT,   /* dropped */
    SIM_GAP_ACK_EACH, /* dropped, the last block in order acknowledged, for each */
    SIM_GAP_ACK_ONCE, /* the same, once per gap */
    SIM_GAP_KEEP,     /* kept in silence */
    SIM_GAP_KEEP_ACK, /* kept, and the last block in order acknowledged */
};

/* A block came that it already has. */
enum sim_on_old {
    SIM_OLD_SILENT,
    SIM_OLD_ACK_LAST, /* the last block in order is acknowledged */
    SIM_OLD_ACK_ONCE, /* once until there is progress, gaps included */
    SIM_OLD_ECHO,     /* the old number itself is acknowledged */
};

struct sim_model {
    const char *name;
    uint32_t window; /* what it usually asks for, 0: knows no windows */
    enum sim_on_gap on_gap;
    enum sim_on_old on_old;
    bool acks_every_block;    /* though a window was agreed */
    bool needs_oack;          /* DATA as a first answer is ignored */
    bool numbers_do_not_wrap; /* 65535 counts as later than 0 */
    bool no_nack_for_first;   /* a gap before block 1 is not reported */
    bool no_nack_over_32767;  /* nor one while the number is 32768 or more */
    bool repeats_last_ack;    /* its timer repeats the ACK it sent, not what it has got */
    bool timer_recounts;      /* after its timer's ACK a new window begins */
    bool timer_on_progress;   /* the timer restarts with blocks, not with what it sends */
    bool lingers;             /* still answers after the end */
    bool refuses;             /* ERROR 8 instead of ACK 0: a size probe */
    bool varies;           /* msftwindow: each ACK says how many blocks it wants next */
    bool wedges;           /* hears nothing more once its ring was full */
    bool lies;             /* random ACKs beside the honest ones */
    usec_t retry;          /* its timer */
    unsigned retry_growth; /* percent, 100: constant */
    usec_t retry_max;
    unsigned retries;     /* without progress, then it gives up */
    unsigned ring;        /* packets that can wait for it, 0: no limit that matters */
    usec_t packet_cost;   /* time to work on a packet */
    usec_t block_cost;    /* more for a block that is new: flash writing */
    unsigned pause_every; /* new blocks, 0: never */
    usec_t pause;
};

enum sim_client_state { SIM_ASKING, SIM_AGREED, SIM_READING, SIM_WHOLE, SIM_GAVE_UP };

#define SIM_INBOX    1024
#define SIM_OUTBOX   1024
#define SIM_KEPT     256
#define SIM_NO_BLOCK UINT64_MAX

struct sim_client {
    const struct sim_model *model;
    uint32_t window;
    uint32_t blksize;
    enum sim_client_state state;
    uint64_t got;       /* blocks in order */
    uint64_t bytes;     /* octets in order */
    uint64_t base;      /* the window it counts began behind this block */
    uint64_t last_ack;  /* number of the ACK it sent last */
    uint64_t nacked;    /* the gap behind this block was reported */
    uint64_t deaf_from; /* it vanishes after so many packets heard */
    uint64_t heard;
    usec_t progress_at;   /* when a block was last accepted */
    usec_t longest_stall; /* between two accepted blocks */
    usec_t wake_at;
    usec_t retry;
    unsigned tries;
    uint64_t overflowed; /* packets that found the ring full */
    const char *fault;   /* what it got was wrong, NULL: nothing was */
    struct sim_random random;
    bool kept[SIM_KEPT];
    uint32_t kept_len[SIM_KEPT];
    struct sim_packet inbox[SIM_INBOX];
    unsigned inbox_head;
    unsigned inbox_count;
    usec_t served_at; /* when the packet at the head of the inbox is done with */
    struct sim_packet outbox[SIM_OUTBOX];
    unsigned outbox_head;
    unsigned outbox_count;
};

/* The request itself is taken to have arrived at time now. */
void sim_client_init(struct sim_client *c, const struct sim_model *model,
                     const struct tftp_terms *terms, uint64_t seed, usec_t now);
void sim_client_arrive(struct sim_client *c, const struct sim_packet *p, usec_t now);
void sim_client_timeout(struct sim_client *c, usec_t now);
usec_t sim_client_deadline(const struct sim_client *c);
bool sim_client_next(struct sim_client *c, struct sim_packet *out);

/* The models, by number below sim_model_count, or by name (never NULL: aborts). */
extern const struct sim_model sim_models[];
extern const unsigned sim_model_count;
const struct sim_model *sim_model(const char *name);

#endif
