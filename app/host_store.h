/*
 * app/host_store: changes one file in the directory of host files, whole or not at all.
 *
 * Whoever reads meanwhile sees the old file or the new one; so does whoever comes after the
 * power fails.  Writers wait for each other.
 *
 * Errors: 0 or a descriptor, else -errno.  Shell: files.
 */
#ifndef APP_HOST_STORE_H
#define APP_HOST_STORE_H

#include <stddef.h>

/* The directory, locked until it is closed; it is made when it is not there. */
int host_store_open(const char *dir);

/* A new file gets mode 0644, one that is there keeps its own. */
int host_store_put(int dir, const char *name, const char *text, size_t len);
int host_store_remove(int dir, const char *name);

#endif
