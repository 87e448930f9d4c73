/*
 * tftp/engine: what all transfers of a process share.
 *
 * Made and ended by tftp/transfer, which says who owns what.
 */
#ifndef TFTP_ENGINE_H
#define TFTP_ENGINE_H

#include "tftp/budget.h"
#include "tftp/counters.h"
#include "tftp/hooks.h"
#include "tftp/sender.h"
#include "tftp/window.h"

struct tftp_engine {
    struct tftp_table *table;
    struct tftp_budget *budget;
    struct tftp_windows *windows; /* what they have carried, for the next transfer */
    struct timers timers;
    struct timer **timer_slots;
    struct tftp_hooks hooks;
    struct tftp_counters counters;
    struct sender sender;
    uint64_t serials;     /* given out so far */
    uint64_t no_segments; /* interfaces that refuse UDP_SEGMENT: bit ifindex % 64 */
};

#endif
