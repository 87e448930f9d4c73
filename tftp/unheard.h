/*
 * tftp/unheard: clients of which nothing was heard yet, so that their address may be somebody
 * else's: what they cost (tftp/budget), and when they are heard.
 *
 *     tftp_unheard_is_too_many()   a request: is it left alone?
 *     tftp_unheard_begin()         its first packet leaves
 *     tftp_unheard_may_repeat()    it asks once more from the same port
 *     tftp_unheard_answers()       it is there
 *
 * Shell: common/log; asks the process who it is.
 */
#ifndef TFTP_UNHEARD_H
#define TFTP_UNHEARD_H

#include "tftp/engine.h"

enum tftp_trust tftp_unheard_trust(const struct tftp_engine *e,
                                   const struct endpoint *peer, usec_t now);

/*
 * False: its hardware address would have to be searched for, and that of too many others was.
 * Whoever has answered lately is there.
 */
bool tftp_unheard_may_reach(const struct tftp_engine *e, const struct net_path *path,
                            enum tftp_trust trust);
/* So many have gone unanswered that this one is left alone; it was counted. */
bool tftp_unheard_is_too_many(struct tftp_engine *e, const struct net_path *path,
                              usec_t now);
void tftp_unheard_begin(struct tftp_engine *e, struct tftp_transfer *x, usec_t now);
/*
 * More first packets than TFTP_FIRST_SENDS are paid for, one for each request that is
 * repeated.
 */
bool tftp_unheard_may_repeat(const struct tftp_engine *e, const struct tftp_transfer *x,
                             usec_t now);
void tftp_unheard_pay(struct tftp_engine *e, struct tftp_transfer *x, usec_t now);
/* It has sent a packet that answers the first of ours. */
void tftp_unheard_answers(struct tftp_engine *e, struct tftp_transfer *x, usec_t now);

#endif
