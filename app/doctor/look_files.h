/*
 * app/doctor/look_files: small files of the kernel's, and what other programs print.
 *
 * Errors: false, NULL.  Shell: files, fork(2), execvp(3).
 */
#ifndef APP_DOCTOR_LOOK_FILES_H
#define APP_DOCTOR_LOOK_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The beginning of a file, as text. */
bool look_text(const char *path, char *out, size_t size);
bool look_number(const char *path, uint64_t *out);

/* Is there such a program on the usual path of root? */
bool look_finds(const char *program);

/*
 * What it prints on standard output, 16 MiB and 10 seconds at most; malloc'd, NUL-terminated.
 * NULL: it did not run, or did not end.
 */
char *look_run(const char *const argv[], size_t *len, int *status);

#endif
