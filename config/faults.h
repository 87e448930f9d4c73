/*
 * config/faults: what is wrong with a configuration, with the place of each.
 *
 * Lines and columns count from 1; columns count octets.  Line 0: the file as a whole.
 * Faults are in the configuration file, or in one of `sources` (host files).
 * In the order of adding until faults_sort() puts them in order of place.
 * Ownership: the list owns its entries; faults_done() frees them.
 * Errors: when memory is out the fault is counted in `lost` and `errors`, never dropped
 * silently.
 */
#ifndef CONFIG_FAULTS_H
#define CONFIG_FAULTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum fault_severity { FAULT_ERROR, FAULT_WARNING };

/* A file beside the configuration file, by its name and its own text, comments and all. */
struct fault_source {
    const char *name;
    const char *text;
    size_t len;
};

struct fault {
    enum fault_severity severity;
    uint32_t file; /* 0: the configuration file, else faults.sources[file - 1] */
    int line;
    int column;
    size_t order;   /* of adding, from 0 */
    char path[128]; /* "hosts[3].mac"; "" for the whole file; no control characters */
    char text[256]; /* never empty; no control characters */
};

struct faults {
    struct fault *list;
    size_t count;
    size_t room;
    size_t errors; /* of severity FAULT_ERROR, lost ones included */
    size_t lost;
    uint32_t file;                      /* in which the faults are that will be added */
    const struct fault_source *sources; /* the caller's, as long as faults are printed */
};

void faults_add(struct faults *f, enum fault_severity severity, int line, int column,
                const char *path, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));

/* What was a warning is an error from now on. */
void faults_harden(struct faults *f);

/* By file and place; those of one place stay in the order they were added. */
void faults_sort(struct faults *f);

/*
 * In the order of the list: FILE:LINE:COLUMN: path: message, the source line, a caret.
 * text is that of the configuration file, comments and all; NULL: no source lines.
 */
void faults_print(const struct faults *f, const char *file, const char *text, size_t len,
                  FILE *to);

/* The name of the file that a fault is in; file: that of the configuration file. */
const char *fault_file(const struct faults *f, const struct fault *fault,
                       const char *file);

/* "FILE:LINE:COLUMN: PATH: TEXT", as much of it as fits.  Returns buf. */
char *fault_say(const struct faults *f, const struct fault *fault, const char *file,
                char *buf, size_t size);

void faults_done(struct faults *f);

#endif
