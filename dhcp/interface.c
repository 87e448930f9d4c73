#include "dhcp/interface.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netpacket/packet.h>
#include <stdio.h>
#include <string.h>

static bool read_mac(const struct sockaddr *address, struct mac *out)
{
    struct sockaddr_ll link;
    memcpy(&link, address, sizeof link);
    if (link.sll_halen != sizeof out->octet) {
        return false;
    }
    memcpy(out->octet, link.sll_addr, sizeof out->octet);
    return true;
}

/* The first address, or the one that is wanted. */
static void read_address(const struct sockaddr *address, struct ip4 wanted,
                         struct ip4 *out)
{
    struct sockaddr_in in;
    struct ip4 ip;
    memcpy(&in, address, sizeof in);
    memcpy(ip.octet, &in.sin_addr, sizeof ip.octet);
    if (ip4_is_any(wanted) ? ip4_is_any(*out) : ip4_equal(ip, wanted)) {
        *out = ip;
    }
}

int interface_read(const struct interface_conf *conf, struct interface_facts *out,
                   char why[INTERFACE_WHY_SIZE])
{
    struct interface_facts facts = {.ifindex = if_nametoindex(conf->name)};
    struct ifaddrs *list;
    char ip[IP4_TEXT];
    if (facts.ifindex == 0) {
        snprintf(why, INTERFACE_WHY_SIZE, "there is no interface \"%s\"", conf->name);
        return -ENODEV;
    }
    if (getifaddrs(&list) != 0) {
        snprintf(why, INTERFACE_WHY_SIZE, "cannot list interfaces: %s", strerror(errno));
        return -errno;
    }
    for (const struct ifaddrs *a = list; a; a = a->ifa_next) {
        if (!a->ifa_addr || strcmp(a->ifa_name, conf->name) != 0) {
            continue;
        }
        if (a->ifa_addr->sa_family == AF_PACKET) {
            (void)read_mac(a->ifa_addr, &facts.mac);
        } else if (a->ifa_addr->sa_family == AF_INET) {
            read_address(a->ifa_addr, conf->address, &facts.address);
        }
    }
    freeifaddrs(list);
    if (ip4_is_any(facts.address)) {
        if (ip4_is_any(conf->address)) {
            snprintf(why, INTERFACE_WHY_SIZE,
                     "interface %s has no IPv4 address, so there is none to offer",
                     conf->name);
        } else {
            snprintf(why, INTERFACE_WHY_SIZE, "interface %s does not have the address %s",
                     conf->name, ip4_print(conf->address, ip));
        }
        return -EADDRNOTAVAIL;
    }
    *out = facts;
    return 0;
}
