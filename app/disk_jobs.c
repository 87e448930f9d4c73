#include "app/disk_jobs.h"

#include <stdlib.h>

#define FAR_AT_ONCE (LOOP_THREADS / 2)

struct chore {
    struct disk_jobs *jobs;
    struct chore *next; /* of the far ones that wait */
    bool far;
    void (*work)(void *job);
    void (*done)(void *job, usec_t now);
    void *job;
};

struct disk_jobs {
    struct loop *loop;
    size_t count[2]; /* given and not done yet: near, far */
    size_t far_running;
    struct chore *first;
    struct chore *last;
    bool closed;
};

struct disk_jobs *disk_jobs_new(struct loop *loop)
{
    struct disk_jobs *j = calloc(1, sizeof *j);
    if (j) {
        j->loop = loop;
    }
    return j;
}

void disk_jobs_free(struct disk_jobs *j)
{
    free(j);
}

void disk_jobs_close(struct disk_jobs *j)
{
    if (j) {
        j->closed = true;
    }
}

static void work(void *job)
{
    struct chore *c = job;
    c->work(c->job);
}

static void done(void *job, usec_t now);

static bool start(struct chore *c)
{
    bool started = loop_work(c->jobs->loop, work, done, c) == 0;
    c->jobs->far_running += started && c->far;
    return started;
}

/* Memory may be out: then the next one that ends looks again. */
static void start_next(struct disk_jobs *j)
{
    struct chore *c = j->first;
    if (c && start(c)) {
        j->first = c->next;
        j->last = j->first ? j->last : NULL;
    }
}

static void done(void *job, usec_t now)
{
    struct chore *c = job;
    struct disk_jobs *j = c->jobs;
    j->count[c->far]--;
    j->far_running -= c->far;
    c->done(c->job, now);
    free(c);
    if (j->far_running < FAR_AT_ONCE) {
        start_next(j);
    }
}

bool disk_jobs_run(struct disk_jobs *j, bool far, void (*work_on)(void *job),
                   void (*tell)(void *job, usec_t now), void *job)
{
    struct chore *c =
        !j->closed && j->count[far] < DISK_JOBS_MAX ? malloc(sizeof *c) : NULL;
    if (!c) {
        return false;
    }
    *c = (struct chore){.jobs = j, .far = far, .work = work_on, .done = tell, .job = job};
    bool waits = far && j->far_running >= FAR_AT_ONCE;
    if (waits) {
        if (j->last) {
            j->last->next = c;
        } else {
            j->first = c;
        }
        j->last = c;
    } else if (!start(c)) {
        free(c);
        return false;
    }
    j->count[far]++;
    return true;
}
