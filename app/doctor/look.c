#include "app/doctor/look.h"

#include <dirent.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "app/doctor/iptables.h"
#include "app/doctor/look_files.h"
#include "app/doctor/nft.h"
#include "common/text.h"
#include "dhcp/interface.h"

/* -- interfaces --------------------------------------------------------------------------- */

static bool has_attribute(const char *name, const char *what)
{
    char path[96];
    snprintf(path, sizeof path, "/sys/class/net/%s/%s", name, what);
    return access(path, F_OK) == 0;
}

static bool is_vlan(const char *name)
{
    char path[96];
    char text[256];
    snprintf(path, sizeof path, "/sys/class/net/%s/uevent", name);
    return look_text(path, text, sizeof text) && strstr(text, "DEVTYPE=vlan") != NULL;
}

/* The first interface for a VLAN that stands on this one; left alone when there is none. */
static void find_vlan(const char *name, char out[16])
{
    static const char upper[] = "upper_";
    char path[96];
    snprintf(path, sizeof path, "/sys/class/net/%s", name);
    DIR *d = opendir(path);
    for (const struct dirent *e; d && (e = readdir(d));) {
        const char *above = e->d_name + sizeof upper - 1;
        if (strncmp(e->d_name, upper, sizeof upper - 1) == 0 && is_vlan(above)) {
            snprintf(out, 16, "%s", above);
            break;
        }
    }
    if (d) {
        (void)closedir(d);
    }
}

static bool has_ipv6(const char *name)
{
    struct ifaddrs *list;
    bool found = false;
    if (getifaddrs(&list) != 0) {
        return true; /* not known */
    }
    for (const struct ifaddrs *a = list; a; a = a->ifa_next) {
        found |= a->ifa_addr && a->ifa_addr->sa_family == AF_INET6 &&
                 strcmp(a->ifa_name, name) == 0;
    }
    freeifaddrs(list);
    return found;
}

static bool is_container(void)
{
    return access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0 ||
           getenv("container") != NULL;
}

void look_at_interface(const struct interface_conf *conf, struct interface_state *out)
{
    char path[96];
    char why[INTERFACE_WHY_SIZE];
    struct interface_facts facts;
    uint64_t number;
    *out = (struct interface_state){.name = conf->name, .wanted = conf->address};
    if (interface_read(conf, &facts, why) != 0) {
        return;
    }
    out->exists = true;
    out->ethernet = facts.ethernet;
    out->up = facts.up;
    out->address = facts.identity.offered;
    out->has_address = !ip4_is_any(facts.identity.offered);
    snprintf(path, sizeof path, "/sys/class/net/%s/carrier", conf->name);
    out->carrier = !facts.up || !look_number(path, &number) || number != 0;
    snprintf(path, sizeof path, "/sys/class/net/%s/mtu", conf->name);
    out->mtu = look_number(path, &number) ? (unsigned)number : 0;
    out->is_port = interface_master(conf->name, out->master);
    find_vlan(conf->name, out->vlan);
    out->is_wireless = has_attribute(conf->name, "wireless");
    out->is_veth = interface_is_an_end(conf->name);
    out->in_container = is_container();
    out->has_ipv6 = has_ipv6(conf->name);
}

static int rp_filter(const char *name)
{
    char path[96];
    uint64_t number;
    snprintf(path, sizeof path, "/proc/sys/net/ipv4/conf/%s/rp_filter", name);
    return look_number(path, &number) ? (int)number : -1;
}

size_t look_at_subnets(const struct snapshot *s, struct subnet *out, size_t room)
{
    size_t found = 0;
    (void)interface_subnets(s->interfaces, s->interface_count, out, room, &found);
    return found;
}

void look_at_rp_filter(const char *interface, int *of_all, int *of_it)
{
    *of_all = rp_filter("all");
    *of_it = rp_filter(interface);
}

/* -- the packet filter -------------------------------------------------------------------- */

static const char *read_nft(struct firewall *rules)
{
    static const char *const argv[] = {"nft", "-j", "list", "ruleset", NULL};
    size_t len;
    int status;
    char *text = look_run(argv, &len, &status);
    const char *why = !text                         ? "nft does not run"
                      : status != 0                 ? "nft may not list them"
                      : !nft_read(text, len, rules) ? "nft tells them in no known form"
                                                    : NULL;
    free(text);
    return why;
}

/* Those of the old kind, which nft does not show. */
static void read_iptables(const char *program, bool ipv6, struct firewall *rules)
{
    const char *const argv[] = {program, NULL};
    size_t len;
    int status;
    char *text = look_run(argv, &len, &status);
    if (text && status == 0) {
        iptables_read(text, len, ipv6, rules);
    }
    free(text);
}

static void read_port_range(struct firewall_facts *out)
{
    char text[64];
    unsigned first = 32768;
    unsigned last = 60999;
    if (look_text("/proc/sys/net/ipv4/ip_local_port_range", text, sizeof text)) {
        char *end;
        first = (unsigned)strtoul(text, &end, 10);
        last = (unsigned)strtoul(end, NULL, 10);
    }
    out->data_first = (uint16_t)first;
    out->data_last = (uint16_t)last;
}

void look_at_firewall(struct firewall *rules, struct firewall_facts *out)
{
    *out = (struct firewall_facts){.rules = rules};
    read_port_range(out);
    bool has_nft = look_finds("nft");
    bool has_old = look_finds("iptables-legacy-save");
    out->why_not = has_nft ? read_nft(rules) : NULL;
    if (!out->why_not && has_old) {
        read_iptables("iptables-legacy-save", false, rules);
        read_iptables("ip6tables-legacy-save", true, rules);
    } else if (!has_nft && look_finds("iptables-save")) {
        read_iptables("iptables-save", false, rules);
        read_iptables("ip6tables-save", true, rules);
    } else if (!has_nft) {
        out->why_not = "neither nft nor iptables-save is installed";
    }
    out->known = out->why_not == NULL;
    out->any = rules->rules > 0 || rules->chains > 0;
}

/* -- the rest ----------------------------------------------------------------------------- */

static bool is_permitted(cap_t caps, cap_value_t right)
{
    cap_flag_value_t value = CAP_CLEAR;
    return cap_get_flag(caps, right, CAP_PERMITTED, &value) == 0 && value == CAP_SET;
}

static void read_rights(struct system_facts *out)
{
    cap_t caps = cap_get_proc();
    if (caps) {
        out->rights_known = true;
        out->may_capture = is_permitted(caps, CAP_NET_RAW);
        out->may_bind = is_permitted(caps, CAP_NET_BIND_SERVICE);
        (void)cap_free(caps);
    }
}

static void read_security(struct system_facts *out)
{
    char text[8192];
    uint64_t enforcing;
    if (look_number("/sys/fs/selinux/enforce", &enforcing)) {
        snprintf(out->selinux, sizeof out->selinux, "%s",
                 enforcing ? "enforcing" : "permissive");
    }
    if (look_text("/sys/kernel/security/apparmor/profiles", text, sizeof text)) {
        const char *at = strstr(text, "pxed (");
        if (at) {
            snprintf(out->apparmor, sizeof out->apparmor, "%.*s",
                     (int)strcspn(at + 6, ")\n"), at + 6);
        }
    }
}

void look_at_system(const char *path, struct system_facts *out)
{
    struct rlimit limit;
    struct stat st;
    *out = (struct system_facts){.now = time(NULL), .files = UINT64_MAX};
    if (stat(path, &st) == 0) {
        out->config_time = st.st_mtime;
    }
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        out->files = limit.rlim_max;
    }
    (void)look_number("/proc/sys/net/core/rmem_max", &out->receive_buffer);
    read_rights(out);
    read_security(out);
}

void look_at_directory(const char *path, const char *user, struct directory_facts *out)
{
    struct stat st;
    const struct passwd *who = getpwnam(user ? user : "pxed");
    *out = (struct directory_facts){.path = path, .user_name = user ? user : "pxed"};
    if (!who) {
        who = getpwnam("nobody");
        out->user_name = "nobody";
    }
    if (who) {
        out->user_known = geteuid() == 0;
        out->user = who->pw_uid;
        out->user_group = who->pw_gid;
    }
    if (stat(path, &st) == 0) {
        out->exists = true;
        out->mode = st.st_mode & 0777;
        out->owner = st.st_uid;
        out->group = st.st_gid;
    }
}
