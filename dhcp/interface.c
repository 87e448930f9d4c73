#include "dhcp/interface.h"

#include <errno.h>
#include <ifaddrs.h>
#include <limits.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <netpacket/packet.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NAMED_MAX 8 /* interfaces listed in a complaint */

/* An interface's own entry; one without a hardware address may have no address at all. */
static bool is_link(const struct ifaddrs *a)
{
    return !a->ifa_addr || a->ifa_addr->sa_family == AF_PACKET;
}

static void read_link(const struct ifaddrs *a, struct interface_facts *out)
{
    struct sockaddr_ll link;
    out->ifindex = if_nametoindex(a->ifa_name);
    out->up = a->ifa_flags & IFF_UP;
    if (!a->ifa_addr) {
        return;
    }
    memcpy(&link, a->ifa_addr, sizeof link);
    /* capturing on the loopback interface gives Ethernet frames as well */
    out->ethernet = link.sll_hatype == ARPHRD_ETHER || link.sll_hatype == ARPHRD_LOOPBACK;
    if (link.sll_halen == sizeof out->mac.octet) {
        memcpy(out->mac.octet, link.sll_addr, sizeof out->mac.octet);
    }
}

static struct ip4 ip_of(const struct sockaddr *address)
{
    struct sockaddr_in in;
    struct ip4 ip = IP4_ANY;
    if (address) {
        memcpy(&in, address, sizeof in);
        memcpy(ip.octet, &in.sin_addr, sizeof ip.octet);
    }
    return ip;
}

/* The wanted address is offered, or the first. */
static void read_address(const struct ifaddrs *a, struct ip4 wanted, struct identity *out)
{
    struct ip4 ip = ip_of(a->ifa_addr);
    identity_add(out, ip, ip_of(a->ifa_netmask));
    if (ip4_is_any(wanted) ? ip4_is_any(out->offered) : ip4_equal(ip, wanted)) {
        out->offered = ip;
    }
}

/* Also what is listed under an alias of the old kind, "eth0:1". */
static bool is_of(const struct ifaddrs *a, const char *name)
{
    size_t len = strlen(name);
    return strncmp(a->ifa_name, name, len) == 0 &&
           (a->ifa_name[len] == '\0' || a->ifa_name[len] == ':');
}

static void read_own(const struct ifaddrs *list, const struct interface_conf *conf,
                     struct interface_facts *out)
{
    for (const struct ifaddrs *a = list; a; a = a->ifa_next) {
        if (!is_of(a, conf->name)) {
            continue;
        }
        if (is_link(a)) {
            read_link(a, out);
        } else if (a->ifa_addr->sa_family == AF_INET) {
            read_address(a, conf->address, &out->identity);
        }
    }
}

/* The host's addresses elsewhere: a relay may know us by one of them, as the kernel does. */
static void read_others(const struct ifaddrs *list, const struct interface_conf *conf,
                        struct interface_facts *out)
{
    for (const struct ifaddrs *a = list; a; a = a->ifa_next) {
        if (a->ifa_addr && a->ifa_addr->sa_family == AF_INET && !is_of(a, conf->name)) {
            identity_add(&out->identity, ip_of(a->ifa_addr), IP4_BROADCAST);
        }
    }
}

static void list_names(const struct ifaddrs *list, char *out, size_t size)
{
    size_t used = 0;
    unsigned count = 0;
    for (const struct ifaddrs *a = list; a && used < size; a = a->ifa_next) {
        if (is_link(a)) {
            if (count++ == NAMED_MAX) {
                snprintf(out + used, size - used, ", ...");
                return;
            }
            used += (size_t)snprintf(out + used, size - used, "%s%s",
                                     count > 1 ? ", " : "", a->ifa_name);
        }
    }
}

int interface_read(const struct interface_conf *conf, struct interface_facts *out,
                   char why[INTERFACE_WHY_SIZE])
{
    struct interface_facts facts = {0};
    struct ifaddrs *list;
    if (getifaddrs(&list) != 0) {
        int error = errno;
        snprintf(why, INTERFACE_WHY_SIZE, "cannot list interfaces: %s", strerror(error));
        return -error;
    }
    read_own(list, conf, &facts);
    read_others(list, conf, &facts);
    if (facts.ifindex == 0) {
        char names[160] = "none";
        list_names(list, names, sizeof names);
        snprintf(why, INTERFACE_WHY_SIZE, "there is no interface \"%s\"; there are: %s",
                 conf->name, names);
    } else {
        *out = facts;
    }
    freeifaddrs(list);
    return facts.ifindex == 0 ? -ENODEV : 0;
}

int interface_ready(const struct interface_conf *conf,
                    const struct interface_facts *facts, char why[INTERFACE_WHY_SIZE])
{
    char ip[IP4_TEXT];
    if (!facts->ethernet) {
        snprintf(why, INTERFACE_WHY_SIZE,
                 "interface %s is not an Ethernet interface, so no client can boot there",
                 conf->name);
        return -EOPNOTSUPP;
    }
    if (!facts->up) {
        snprintf(why, INTERFACE_WHY_SIZE, "interface %s is down", conf->name);
        return -ENETDOWN;
    }
    if (!ip4_is_any(facts->identity.offered)) {
        return 0;
    }
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

/* The address without the bits that do not count; false: of no family we serve. */
static bool read_subnet(const struct sockaddr *address, const struct sockaddr *mask,
                        struct subnet *out)
{
    struct sockaddr_in6 ip6;
    struct endpoint e = {.port = 0};
    uint8_t bits[16];
    *out = (struct subnet){.bits = 0};
    memset(bits, 0xff, sizeof bits);
    if (!address || !mask) {
        return false;
    }
    if (address->sa_family == AF_INET) {
        struct ip4 mask4 = ip_of(mask);
        e = endpoint_ip4(ip_of(address), 0);
        memcpy(bits + 12, mask4.octet, sizeof mask4.octet);
    } else if (address->sa_family == AF_INET6) {
        memcpy(&ip6, address, sizeof ip6);
        memcpy(e.ip, &ip6.sin6_addr, sizeof e.ip);
        memcpy(&ip6, mask, sizeof ip6);
        memcpy(bits, &ip6.sin6_addr, sizeof bits);
    } else {
        return false;
    }
    for (size_t i = 0; i < sizeof bits; i++) {
        out->ip[i] = e.ip[i] & bits[i];
        out->bits += (uint8_t)__builtin_popcount(bits[i]);
    }
    return true;
}

static bool is_listed(const struct subnet *list, size_t count, const struct subnet *s)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].bits == s->bits && memcmp(list[i].ip, s->ip, sizeof s->ip) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_of_any(const struct ifaddrs *a, const struct interface_conf *list,
                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (is_of(a, list[i].name)) {
            return true;
        }
    }
    return false;
}

/* Of one address: its subnet, and the one at the other end of a point-to-point link. */
static size_t add_subnets(const struct ifaddrs *a, struct subnet *out, size_t n,
                          size_t room)
{
    const struct sockaddr *ends[] = {a->ifa_addr, a->ifa_dstaddr};
    for (size_t i = 0; i < 2 && n < room; i++) {
        if (read_subnet(ends[i], a->ifa_netmask, &out[n]) &&
            !is_listed(out, n, &out[n])) {
            n++;
        }
    }
    return n;
}

int interface_subnets(const struct interface_conf *list, size_t count, struct subnet *out,
                      size_t room, size_t *found)
{
    struct ifaddrs *all;
    size_t n = 0;
    if (getifaddrs(&all) != 0) {
        return -errno;
    }
    for (const struct ifaddrs *a = all; a; a = a->ifa_next) {
        if (!is_link(a) && is_of_any(a, list, count)) {
            n = add_subnets(a, out, n, room);
        }
    }
    freeifaddrs(all);
    *found = n;
    return 0;
}

bool interface_master(const char *name, char out[16])
{
    char path[64];
    char target[PATH_MAX];
    snprintf(path, sizeof path, "/sys/class/net/%s/master", name);
    ssize_t len = readlink(path, target, sizeof target - 1);
    if (len < 0) {
        return false;
    }
    target[len] = '\0';
    const char *slash = strrchr(target, '/');
    snprintf(out, 16, "%.15s", slash ? slash + 1 : target);
    return true;
}

static bool has(const char *name, const char *what)
{
    char path[64];
    snprintf(path, sizeof path, "/sys/class/net/%s/%s", name, what);
    return access(path, F_OK) == 0;
}

bool interface_is_an_end(const char *name)
{
    return !has(name, "device") && !has(name, "bridge");
}
