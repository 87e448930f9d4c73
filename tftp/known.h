/*
 * tftp/known: which files are there, for whoever may not wait for an answer (DHCP).
 *
 * What the disk of the root cannot tell, since a server is to be asked (NFS, FUSE), is asked in
 * another thread and remembered for some seconds.  Until then a file is taken to be there.
 *
 * Bounded: KNOWN_FILES names; the one asked for longest ago goes.
 * Ownership: all its own; questions under way keep it until they end.
 * Errors: NULL when memory is out.  Shell: tftp/search, clock_gettime.
 */
#ifndef TFTP_KNOWN_H
#define TFTP_KNOWN_H

#include "tftp/hooks.h"
#include "tftp/search.h"

#define KNOWN_FILES 128

struct known;

/* hooks: stay the caller's, until known_free(). */
struct known *known_new(const struct tftp_hooks *hooks);
void known_free(struct known *k); /* NULL is fine */

/* Is there a regular file under exactly this (clean) name that we may read? */
bool known_has(struct known *k, const struct search_root *root, const char *path);

#endif
