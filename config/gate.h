/*
 * config/gate: may this machine boot, and by which host and profile?
 *
 * The one gate of every door: DHCP on ports 67 and 4011, DHCPv6, TFTP.
 *
 * Ownership: views into the snapshot.  Pure.
 */
#ifndef CONFIG_GATE_H
#define CONFIG_GATE_H

#include "config/hosts.h"
#include "config/states.h"

enum gate_verdict {
    GATE_BOOT,
    GATE_HOST_IGNORED, /* the host's action is "ignore" */
    GATE_UNKNOWN_HOST, /* not in the table, and unknown hosts are ignored */
    GATE_LOCAL,        /* the action is "local": the machine boots from disk */
    GATE_HELD,         /* the action is "hold", and nobody has approved it yet */
    GATE_DONE,         /* its one boot is done: it is left to its disk */
};

struct gate {
    enum gate_verdict verdict;
    const struct host *host; /* NULL: an unknown host */
    size_t profile;          /* index; meaningful for GATE_BOOT and GATE_DONE */
};

/*
 * mac and uuid (as sent in option 97) may be NULL, as may what is remembered of the machine:
 * then it is nothing.
 */
struct gate gate_ask(const struct snapshot *config, const struct mac *mac,
                     const uint8_t uuid[16], const struct host_state *state);

/*
 * May it have files?  One whose boot is done may: it asks for what that boot goes on with,
 * and could only know of it by an answer it got before.
 */
bool gate_gives_files(const struct gate *g);

#endif
