/*
 * app/read_file: whole files, and where they are.
 *
 * Errors: 0 or -errno.  Shell: files.
 */
#ifndef APP_READ_FILE_H
#define APP_READ_FILE_H

#include <stddef.h>

/*
 * The whole file, at most so many octets (-EFBIG); *text is the caller's to free in every
 * case.
 */
int read_file(const char *path, size_t most, char **text, size_t *len);
/* The same by way of a directory, or of an open file whose size is about `room`. */
int read_file_at(int dir, const char *path, size_t most, char **text, size_t *len);
int read_open_file(int fd, size_t room, size_t most, char **text, size_t *len);
/* For whoever reads by pieces: a descriptor, also of a pipe that somebody writes to. */
int open_to_read(const char *path);

/*
 * Why that cannot be opened or read, in words; error: -errno.  What its mode and owner allow
 * is refused by what confines the process, and by nothing of the file.
 */
const char *read_fault(const char *path, int error);

/*
 * A name in a configuration as a path: relative ones begin where the file lies, links to it
 * being followed.  malloc'd; NULL: memory out, or no such configuration.
 */
char *path_beside(const char *path, const char *name);

#endif
