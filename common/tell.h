/*
 * common/tell: what commands say to people, with nothing in it that a terminal obeys.
 *
 * Arguments, names of files, keys of a configuration and what another process answers may hold
 * anything: an octet that is not printable is shown as \xNN (common/text).  Line ends and
 * tabs stay, so a format is written as for printf(3).
 *
 * Shell: streams.
 */
#ifndef COMMON_TELL_H
#define COMMON_TELL_H

#include <stdio.h>

__attribute__((format(printf, 2, 3))) void tell(FILE *to, const char *fmt, ...);

#endif
