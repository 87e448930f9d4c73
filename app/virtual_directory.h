/*
 * app/virtual_directory: files that are not where a machine asks for them, in its profile's or
 * its own "directory".
 *
 * Ownership: values.  No system call.
 */
#ifndef APP_VIRTUAL_DIRECTORY_H
#define APP_VIRTUAL_DIRECTORY_H

#include "app/virtual_parts.h"

/* TFTP_VIRTUAL_FILE: the name to look for; TFTP_VIRTUAL_NONE: there is no such directory. */
enum tftp_virtual virtual_directory(const struct virtual_question *q,
                                    struct tftp_answer *out);

#endif
