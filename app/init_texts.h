/*
 * app/init_texts: the texts that `pxed init` writes: menus of the loaders, the configuration.
 *
 * Ownership: everything is written into the caller's struct text.
 * Errors: a text that did not fit has used == size - 1.  Pure.
 */
#ifndef APP_INIT_TEXTS_H
#define APP_INIT_TEXTS_H

#include "app/init_parts.h"
#include "common/netaddr.h"
#include "common/text.h"

#define INIT_TEXT_SIZE 8192

struct init_terms {
    const char *interface; /* no quotes or control characters in it */
    struct ip4 address;    /* of this server, as clients are told */
    bool address_said; /* it is not just the interface's own: the configuration says it */
    const char *root;  /* of the boot files, as the configuration is to name it */
    enum init_loader preferred;
    const bool *there; /* by part */
};

/* The menu of this target, an INIT_MENU part. */
void init_menu(struct text *t, const char *target, const struct init_terms *terms);

/* What the signed GRUB on a disk image does: take an address, go on at this server. */
void init_disk_menu(struct text *t, const struct init_terms *terms);

/* Whether a chain works only if the DHCP server names this one as its next server. */
bool init_needs_next_server(const struct init_terms *terms);

/* The configuration of pxed. */
void init_configuration(struct text *t, const struct init_terms *terms);

#endif
