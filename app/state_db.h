/*
 * app/state_db: machines in an SQLite file.
 *
 * One thread at a time.  Errors: 0 or an SQLite result code; state_db_explain() has words.
 * Shell: SQLite.
 */
#ifndef APP_STATE_DB_H
#define APP_STATE_DB_H

#include "config/states.h"

struct state_db;

/* Opens or makes it, and hands over every row.  *out is set even on failure. */
int state_db_open(const char *path, struct state_db **out,
                  void (*row)(void *context, const struct state_row *row), void *context);
void state_db_close(struct state_db *db); /* NULL is fine */

/*
 * All rows or none.  *anew: the file was taken away meanwhile and another was made, which holds
 * no more than these.
 */
int state_db_write(struct state_db *db, const struct state_row *rows, size_t count,
                   bool *anew);
/* Keeps this many machines that are neither approved nor done, those seen last. */
int state_db_prune(struct state_db *db, size_t keep);

const char *state_db_explain(int code);

#endif
