/*
 * config/variables: what ${name} stands for, for one client.
 *
 * mac is aa:bb:cc:dd:ee:ff, mac-dash aa-bb-cc-dd-ee-ff; uuid as the client sends it, in the
 * order of its octets (as PXELINUX and GRUB ask); ip-hex eight capital digits, IPv4 only;
 * host the name of its row in the host table; server our address where the client asked;
 * http where our HTTP server gives boot files, "http://10.0.0.2:8069".
 *
 * Ownership: a value is a view into the snapshot or the caller's buffer.  Pure.
 */
#ifndef CONFIG_VARIABLES_H
#define CONFIG_VARIABLES_H

#include "config/hosts.h"
#include "config/machines.h"

#define VARIABLE_MAX 128 /* octets of a value that is not from `vars` */

/* Who asks. */
struct template_client {
    const struct snapshot *config;
    const struct host *host;       /* NULL: not in the table */
    size_t profile;                /* index; >= profile_count: none */
    const struct machine *machine; /* NULL: nobody knows who has this address */
    struct endpoint address;
    struct endpoint server;
};

bool variable_exists(const char *name); /* "vars.x" apart */
/* NAME of "vars.NAME"; NULL: it is none of these. */
const char *variable_is_var(const char *name);
/* The variable that was probably meant, or NULL. */
const char *variable_nearest(const char *name);

/* NULL: there is none for this client. */
const char *variable_value(const struct template_client *c, const char *name,
                           char buf[VARIABLE_MAX]);

#endif
