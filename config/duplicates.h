/*
 * config/duplicates: keys that one object of a JSON text holds twice.
 *
 * Compares keys as they are spelled; one that hides behind an escape is not found.
 *
 * Precondition: valid JSON, as for config/locate.
 * Ownership: path and key are valid during the call only.
 * Errors: false when memory is out; what was found until then has been told.
 */
#ifndef CONFIG_DUPLICATES_H
#define CONFIG_DUPLICATES_H

#include <stdbool.h>
#include <stddef.h>

/* Offsets of both keys; path is that of the member, as json_path_print() has it. */
struct duplicate {
    size_t first;
    size_t again;
    const char *path;
};

bool duplicates_find(const char *text, size_t len,
                     void (*found)(void *arg, const struct duplicate *d), void *arg);

#endif
