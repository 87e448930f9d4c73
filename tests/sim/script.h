/*
 * sim/script: a conversation with tftp/session, written as text.
 *
 * Steps are separated by ';':
 *
 *     < OACK                 the session sends this next
 *     < DATA 3..6            and these
 *     > ACK 2                the client sends this
 *     > ACK 2 w 9            with a fifth octet (msftwindow)
 *     > ERROR 8
 *     > RRQ                  the request again: it belongs to this transfer
 *     > RRQ new              the request again: the client has started over
 *     + 5 ms                 time goes by; what falls due is done
 *     wait 20..60 ms         until the session's deadline, which must be so far away
 *     play 65530             whole windows are acknowledged up to this block
 *     close                  the owner ends it
 *     = done                 this is how it ended;  = open: it has not
 *
 * Whatever the session sends beyond the "<" steps is a failure.
 */
#ifndef TESTS_SIM_SCRIPT_H
#define TESTS_SIM_SCRIPT_H

#include "tftp/session.h"

/* True: it went as written.  False: complaint says which step did not, and why. */
bool sim_script(const struct tftp_terms *terms, const char *script, char *complaint,
                size_t room);

#endif
