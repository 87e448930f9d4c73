/*
 * app/evidence_store: recordings of boots that failed, as files, or in memory where there is no
 * place for files.
 *
 *     evidence_store_put()     keep it; written in another thread
 *     evidence_store_get()     for whoever downloads one
 *
 * A file appears whole, under its name, or not at all (mode 0640).  The oldest go first, by their
 * names, which begin with the time.  What cannot be written stays in memory, EVIDENCE_MEMORY
 * octets of it at the most, and is told once.
 *
 * Ownership: all its own.  Errors: false; a full disk harms nothing.
 * Shell: the loop's threads, files, common/log.
 */
#ifndef APP_EVIDENCE_STORE_H
#define APP_EVIDENCE_STORE_H

#include "app/loop.h"
#include "config/snapshot.h"

#define EVIDENCE_NAME   64
#define EVIDENCE_MEMORY (2u << 20)

struct evidence_store;

/* directory: NULL: memory alone.  loop outlives it; its last work is done before. */
struct evidence_store *evidence_store_new(struct loop *loop, const char *directory);
/* After loop_free().  NULL is fine. */
void evidence_store_free(struct evidence_store *s);

/* "20261130-100000-525400123456.pcap": nothing else is a name here. */
bool evidence_name_is_good(const char *name);

/* False: as many wait for the disk as there may be files, so put() would refuse one more. */
bool evidence_store_has_room(const struct evidence_store *s,
                             const struct evidence_conf *limits);

/* Takes over octets (malloc'd), which becomes smaller.  False: too much waits already. */
bool evidence_store_put(struct evidence_store *s, const char *name, void *octets,
                        size_t len, const struct evidence_conf *limits);

/* *fd is a regular file, or -1 and *octets a malloc'd copy.  False: there is none such. */
bool evidence_store_get(const struct evidence_store *s, const char *name, int *fd,
                        void **octets, size_t *len);

#endif
