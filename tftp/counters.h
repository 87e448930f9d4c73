/*
 * tftp/counters: what the service counts, from its start on.
 * Pure.
 */
#ifndef TFTP_COUNTERS_H
#define TFTP_COUNTERS_H

#include "common/histogram.h"
#include "common/losses.h"
#include "tftp/admission.h"
#include "tftp/end.h"
#include "tftp/refusal.h"

struct tftp_counters {
    uint64_t requests;
    uint64_t transfers; /* begun */
    uint64_t ends[TFTP_END_COUNT];
    uint64_t refused[TFTP_REFUSED_COUNT]; /* requests answered with ERROR, by why */
    uint64_t ignored[TFTP_IGNORED_COUNT]; /* datagrams that nobody answered, by why */
    struct losses lost_requests;          /* to port 69 */
    struct losses lost_data;              /* to data ports */
    uint64_t sent_octets;                 /* of files, repeats included */
    uint64_t resent_blocks;
    uint64_t cold_reads;         /* chunks that had to come from the disk */
    struct histogram durations;  /* seconds, of transfers that came whole */
    struct histogram first_data; /* seconds from the request to the first block sent */
    struct histogram windows;    /* blocks, as a transfer that came whole ended with */
};

#endif
