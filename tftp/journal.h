/*
 * tftp/journal: the log lines of the TFTP side, one for each finished thing.
 * Shell: common/log.
 */
#ifndef TFTP_JOURNAL_H
#define TFTP_JOURNAL_H

#include "common/log.h"
#include "tftp/hooks.h"
#include "tftp/misses.h"
#include "tftp/table.h"

/* The field "mac", if hooks know whose address it is. */
void tftp_journal_machine(struct log_line *l, const struct tftp_hooks *hooks,
                          const struct endpoint *peer);

/* A transfer that has ended. */
void tftp_journal_transfer(const struct tftp_hooks *hooks, const struct tftp_transfer *x,
                           usec_t now);
/* A request that was answered with ERROR. */
void tftp_journal_refusal(const struct tftp_hooks *hooks, const struct net_path *path,
                          struct tftp_text name, const char *why);

/* A datagram that was met with silence: a line for each reason, whoever sends how many. */
void tftp_journal_ignored(const struct net_path *path, enum tftp_ignored why);

/* What a client asked for in vain. */
void tftp_journal_misses(const struct tftp_hooks *hooks, const struct tftp_miss *sum);

/* Ends that are no failure: everything arrived, or the client only asked for the size. */
bool tftp_ended_well(enum tftp_end end);

#endif
