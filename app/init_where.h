/*
 * app/init_where: on which interface a new configuration is to serve, and as which address.
 *
 * Errors: false with a sentence in why.  Shell: getifaddrs(3).
 */
#ifndef APP_INIT_WHERE_H
#define APP_INIT_WHERE_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/netaddr.h"

struct init_where {
    char interface[IF_NAMESIZE];
    struct ip4 address;
};

/*
 * interface, address: what was asked for; NULL, 0.0.0.0: look.  Both together are taken as
 * they are, for a machine that is yet to be.  Of several that would do none is chosen.
 */
bool init_where_find(const char *interface, struct ip4 address, struct init_where *out,
                     char *why, size_t size);

#endif
