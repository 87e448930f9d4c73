/*
 * app/when: the times of the documents that pxed tells, as people read them.
 * Spec: RFC 3339, in UTC, as docs/control.md has it.  Shell: the time zone.
 */
#ifndef APP_WHEN_H
#define APP_WHEN_H

#include <stdbool.h>
#include <stddef.h>

/* Seconds since 1970.  NULL or no such time: false. */
bool when_parse(const char *text, double *out);
/* "17:04:05" of today, "2026-11-29 17:04:05" of another day, by the local clock; "-". */
char *when_show(const char *text, const char *now, char *buf, size_t size);
/* Seconds from one to the other; -1: not known. */
double when_between(const char *from, const char *to);

#endif
