/*
 * app/boot_json: a boot and its files as docs/control.md has them, and the values that the
 * documents around them are made of.
 *
 * Ownership: what is returned is the caller's.  Without memory a value is left out.
 * Shell: jansson, clock.
 */
#ifndef APP_BOOT_JSON_H
#define APP_BOOT_JSON_H

#include <jansson.h>

#include "app/boot.h"

/* When the document is made: the times of boots are told as wall times from it. */
struct moment {
    usec_t now;
    int64_t epoch; /* as clock_epoch() */
};

struct moment moment_now(void);

json_t *wall_json(int64_t milliseconds);
json_t *time_json(const struct moment *m, usec_t at);
double seconds_of(usec_t time);
json_t *number_json(uint64_t n);
json_t *text_or_null(const char *text); /* NULL and "" are null */
/* Takes the value. */
void json_put(json_t *o, const char *key, json_t *value);

json_t *file_json(const struct boot_load *f, const struct moment *m);
/* What a boot is told with. */
enum boot_parts {
    BOOT_ALONE = 0,
    BOOT_WITH_FILES = 1,
    BOOT_WITH_EVENTS = 2,
};

json_t *boot_json(const struct boot *b, const struct moment *m, unsigned parts);

/* As many octets as it takes in a document, or a few more; NULL: memory was out. */
size_t json_octets(const json_t *value);

#endif
