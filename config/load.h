/*
 * config/load: JSON text to a snapshot, or every fault in it.
 *
 *     boot.json:7:14: tftp.max_block_size: 70000 is outside 8..65464
 *
 * Comments (// and slash-star) are allowed and keep positions exact.
 *
 * Ownership: the snapshot is the caller's; faults go into the caller's list
 * (config/faults.h), which is left sorted by place.
 * Errors: NULL when there is at least one fault of severity FAULT_ERROR.
 * Reads no file and opens nothing: the caller brings the text.  Shell: jansson, malloc.
 */
#ifndef CONFIG_LOAD_H
#define CONFIG_LOAD_H

#include "config/faults.h"
#include "config/snapshot.h"

struct snapshot *config_load(const char *text, size_t len, struct faults *faults);

/*
 * The same, but what could be read is handed over even when there are faults, for looking
 * only; NULL when that is nothing (no JSON, memory out).
 */
struct snapshot *config_read(const char *text, size_t len, struct faults *faults);

/*
 * Adds the hosts of more files, each of which holds one host or a list of them; those
 * without text are passed over.  Faults are in files[fault.file - 1].  Texts and faults come
 * from the caller as with config_read(), which must have been called before.
 */
void config_read_hosts(struct snapshot *s, const struct fault_source *files, size_t count,
                       struct faults *faults);

#endif
