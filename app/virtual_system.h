/*
 * app/virtual_system: what is made of "boot" for each loader, and the script that leads an
 * iPXE back to us.
 *
 * Ownership: what was made is the caller's.  Takes memory; no system call.
 */
#ifndef APP_VIRTUAL_SYSTEM_H
#define APP_VIRTUAL_SYSTEM_H

#include "app/virtual_parts.h"

/* TFTP_VIRTUAL_NONE: it is no such name, or this client has none. */
enum tftp_virtual virtual_system(const struct virtual_question *q,
                                 struct tftp_answer *out);

#endif
