/*
 * app/disk_jobs: work that waits for disks and servers of files, in threads of the loop's pool.
 *
 * Jobs that may wait for a server that does not answer ("far") never have more than half of the
 * threads, so that what needs a disk of this host, a reload, the state and recordings go on.
 *
 * Bounded: DISK_JOBS_MAX of either kind at once; more are refused.
 * Ownership: a job is its giver's, who has it back with done().
 * Errors: NULL when memory is out.  Shell: app/loop.
 */
#ifndef APP_DISK_JOBS_H
#define APP_DISK_JOBS_H

#include "app/loop.h"

#define DISK_JOBS_MAX 1024

struct disk_jobs;

struct disk_jobs *disk_jobs_new(struct loop *loop);
/* After loop_free().  NULL is fine. */
void disk_jobs_free(struct disk_jobs *j);

/* work(job) in another thread, then done(job) in this one.  False: neither is called. */
bool disk_jobs_run(struct disk_jobs *j, bool far, void (*work)(void *job),
                   void (*done)(void *job, usec_t now), void *job);

/* No more are taken: the loop is about to be freed. */
void disk_jobs_close(struct disk_jobs *j);

#endif
