/*
 * tftp/budget: how many packets go to addresses that may be forged: first packets of
 * transfers, and ERRORs.
 *
 *     trust = tftp_budget_trust(b, &peer, known, now)
 *     if (tftp_budget_has(b, TFTP_FIRST, &peer, trust, now)) ...
 *     tftp_budget_take(...)                the packet leaves
 *     tftp_budget_answered(...)            its client has answered: it cost nothing
 *
 * Each address has a bucket, and so have all together; a first packet that is answered goes
 * back into both, so that honest clients never meet a limit, however many share an address.
 * What is limited is what stays unanswered.
 *
 * Those that have answered lately, those that are known by their DHCP, and strangers are not
 * counted together: a flood from addresses that nobody knows takes nothing from the others,
 * and forged DHCP nothing from those that load files.  To be forgotten makes an address's
 * bucket full, so that a flood of addresses starves none; who has answered is forgotten only
 * for others that have.
 *
 * Ownership: the budget owns its tables.
 * Errors: NULL when memory is out.  When it is out for a bucket of an address, those of all
 * decide.  Pure but for the memory of the tables (common/recent).
 */
#ifndef TFTP_BUDGET_H
#define TFTP_BUDGET_H

#include "common/clock.h"
#include "common/hash.h"
#include "common/netaddr.h"

#define TFTP_ANSWERED_LIFE (UINT64_C(3600) * USEC_PER_SEC)

enum tftp_spending { TFTP_FIRST, TFTP_REFUSAL, TFTP_SPENDINGS };
enum tftp_trust { TFTP_STRANGER, TFTP_BY_DHCP, TFTP_ANSWERED, TFTP_TRUSTS };

struct tftp_budget;

/* crowd: transfers at once, which bursts are made for. */
struct tftp_budget *tftp_budget_new(size_t crowd, const struct hash_seed *seed);
void tftp_budget_free(struct tftp_budget *b); /* NULL is fine */

/* known: by its DHCP.  Of an endpoint the port does not count, here and below. */
enum tftp_trust tftp_budget_trust(const struct tftp_budget *b, const struct endpoint *to,
                                  bool known, usec_t now);

bool tftp_budget_has(const struct tftp_budget *b, enum tftp_spending what,
                     const struct endpoint *to, enum tftp_trust trust, usec_t now);
void tftp_budget_take(struct tftp_budget *b, enum tftp_spending what,
                      const struct endpoint *to, enum tftp_trust trust, usec_t now);

/* `count` first packets that were taken with this trust, lately. */
void tftp_budget_answered(struct tftp_budget *b, const struct endpoint *from,
                          enum tftp_trust trust, unsigned count, usec_t now);

/* What they allow of a crowd of this size, for tests and documents: at once, each second. */
struct tftp_allowance {
    unsigned burst;
    unsigned per_second;
};
struct tftp_allowance tftp_budget_of_one(enum tftp_spending what, size_t crowd);
struct tftp_allowance tftp_budget_of_all(enum tftp_spending what, size_t crowd);

#endif
