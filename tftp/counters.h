/*
 * tftp/counters: what the service counts, from its start on.
 * Pure.
 */
#ifndef TFTP_COUNTERS_H
#define TFTP_COUNTERS_H

#include <stdint.h>

struct tftp_counters {
    uint64_t requests;
    uint64_t transfers; /* begun */
    uint64_t done;      /* ended well, size probes not counted */
    uint64_t probes;
    uint64_t failed;      /* began and did not end well */
    uint64_t refused;     /* requests answered with ERROR */
    uint64_t ignored;     /* datagrams nobody answered */
    uint64_t sent_octets; /* of files, repeats included */
    uint64_t resent_blocks;
    uint64_t cold_reads; /* chunks that had to come from the disk */
};

#endif
