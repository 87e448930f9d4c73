/*
 * config/faults: what is wrong with a configuration, with the place of each.
 *
 * Lines and columns count from 1; columns count octets.  Kept in order of place.
 * Ownership: the list owns its entries; faults_done() frees them.
 * Errors: when memory is out the fault is counted in `lost` and `errors`, never dropped
 * silently.
 */
#ifndef CONFIG_FAULTS_H
#define CONFIG_FAULTS_H

#include <stddef.h>
#include <stdio.h>

enum fault_severity { FAULT_ERROR, FAULT_WARNING };

struct fault {
    enum fault_severity severity;
    int line;
    int column;
    char path[128]; /* "hosts[3].mac"; "" for the whole file */
    char text[256]; /* never empty */
};

struct faults {
    struct fault *list;
    size_t count;
    size_t room;
    size_t errors; /* of severity FAULT_ERROR, lost ones included */
    size_t lost;
};

void faults_add(struct faults *f, enum fault_severity severity, int line, int column,
                const char *path, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));

/* Sorted by place: FILE:LINE:COLUMN: path: message, the source line, a caret. */
void faults_print(const struct faults *f, const char *file, const char *text, size_t len,
                  FILE *to);

void faults_done(struct faults *f);

#endif
