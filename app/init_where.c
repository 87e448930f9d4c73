#include "app/init_where.h"

#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "common/text.h"

static struct ip4 address_of(const struct ifaddrs *a)
{
    const struct sockaddr_in *in = (const void *)a->ifa_addr;
    struct ip4 ip;
    memcpy(&ip, &in->sin_addr, sizeof ip);
    return ip;
}

/* An Ethernet-like interface that is up, and asked for or at least not excluded. */
static bool is_candidate(const struct ifaddrs *a, const char *interface,
                         struct ip4 address)
{
    unsigned flags = IFF_UP | IFF_BROADCAST;
    if (!a->ifa_addr || a->ifa_addr->sa_family != AF_INET) {
        return false;
    }
    if (interface) {
        return strcmp(a->ifa_name, interface) == 0;
    }
    if (!ip4_is_any(address)) {
        return ip4_equal(address_of(a), address);
    }
    return (a->ifa_flags & flags) == flags && !(a->ifa_flags & IFF_LOOPBACK);
}

static bool take(struct init_where *out, const char *interface, struct ip4 address)
{
    snprintf(out->interface, sizeof out->interface, "%s", interface);
    out->address = address;
    return true;
}

/* How many interfaces would do; out: the first; names: all of them. */
static unsigned look(const struct ifaddrs *list, const char *interface,
                     struct ip4 address, struct init_where *out, struct text *names)
{
    unsigned found = 0;
    char last[IF_NAMESIZE] = "";
    char buf[IP4_TEXT];
    for (const struct ifaddrs *a = list; a; a = a->ifa_next) {
        if (!is_candidate(a, interface, address) || strcmp(a->ifa_name, last) == 0) {
            continue; /* further addresses of one interface are no further interface */
        }
        snprintf(last, sizeof last, "%s", a->ifa_name);
        text_say(names, "%s%s (%s)", found ? ", " : "", a->ifa_name,
                 ip4_print(address_of(a), buf));
        found++;
        if (found == 1) {
            (void)take(out, a->ifa_name, address_of(a));
        }
    }
    return found;
}

static bool none_found(const char *interface, struct ip4 address, char *why, size_t size)
{
    char buf[IP4_TEXT];
    if (interface) {
        snprintf(why, size, "%s has no IPv4 address here: say which with --address",
                 interface);
    } else if (!ip4_is_any(address)) {
        snprintf(why, size, "no interface here has %s: say which with --interface",
                 ip4_print(address, buf));
    } else {
        snprintf(why, size,
                 "no interface has an IPv4 address: say which with --interface "
                 "and --address");
    }
    return false;
}

bool init_where_find(const char *interface, struct ip4 address, struct init_where *out,
                     char *why, size_t size)
{
    struct ifaddrs *list = NULL;
    char octets[256] = "";
    struct text names = {octets, sizeof octets, 0};

    if (interface && !ip4_is_any(address)) {
        return take(out, interface, address);
    }
    if (getifaddrs(&list) != 0) {
        snprintf(why, size, "the interfaces cannot be listed: %s", strerror(errno));
        return false;
    }
    unsigned found = look(list, interface, address, out, &names);
    freeifaddrs(list);
    if (found == 0) {
        return none_found(interface, address, why, size);
    }
    if (found > 1) {
        snprintf(why, size, "which interface? Say --interface, of: %s", octets);
    }
    return found == 1;
}
