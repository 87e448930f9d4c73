/*
 * app/process: what the kernel says of this process, for the metrics.
 *
 * The files of /proc are opened at the start and read anew each time, since later they may be
 * out of reach.
 *
 * Ownership: its own descriptors.  What cannot be read is 0.
 * Shell: /proc, getrusage, getrlimit.
 */
#ifndef APP_PROCESS_H
#define APP_PROCESS_H

#include <stdint.h>

struct process {
    int memory_fd; /* /proc/self/statm; -1: none */
    int files_fd;  /* /proc/self/fd; -1: none */
    double started;
};

struct process_facts {
    double cpu_seconds;
    double started;      /* seconds since 1970 */
    uint64_t resident;   /* octets */
    uint64_t virtual;    /* octets */
    uint64_t open_files; /* descriptors */
    uint64_t max_files;
};

void process_open(struct process *p);
void process_close(struct process *p);
void process_read(const struct process *p, struct process_facts *out);

#endif
