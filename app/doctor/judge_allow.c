#include <string.h>

#include "app/doctor/judge.h"
#include "config/hosts.h"

static bool may_ask(const struct snapshot *s, const struct subnet *attached, size_t count,
                    const struct endpoint *e)
{
    const struct tftp_allow *allow = &s->tftp.allow;
    return subnets_hold(allow->subnets.list, allow->subnets.count, e) ||
           (allow->attached && subnets_hold(attached, count, e));
}

static struct endpoint first_of(const struct subnet *subnet)
{
    struct endpoint e = {.port = 0};
    memcpy(e.ip, subnet->ip, sizeof e.ip);
    return e;
}

/* "attached" is not said, and this subnet is not named either. */
static bool judge_attached(const struct snapshot *s, const struct subnet *attached,
                           size_t count, struct findings *out)
{
    for (size_t i = 0; i < count; i++) {
        char text[ENDPOINT_TEXT];
        struct endpoint e = first_of(&attached[i]);
        struct ip6 ip;
        memcpy(ip.octet, e.ip, sizeof ip.octet);
        if (ip6_is_link_local(&ip) || may_ask(s, attached, count, &e)) {
            continue;
        }
        struct finding *f = finding_add(
            out, FINDING_WARNING, "allow",
            "machines of the attached subnet %s/%d get no file: \"tftp.allow\" does not "
            "name it",
            endpoint_print_ip(&e, text),
            endpoint_is_ip4(&e) ? attached[i].bits - 96 : attached[i].bits);
        finding_remedy(f, "add it, or \"attached\"");
        return false;
    }
    return true;
}

/* A host that is known by a relay is on the relay's subnet, which is seldom attached. */
static bool judge_relays(const struct snapshot *s, const struct subnet *attached,
                         size_t count, struct findings *out)
{
    for (size_t i = 0; i < hosts_count(s->hosts); i++) {
        const struct host *h = hosts_at(s->hosts, i);
        char ip[IP4_TEXT];
        if (!h->match || !h->match->has_relay || h->action == HOST_IGNORE ||
            h->action == HOST_LOCAL) {
            continue;
        }
        struct endpoint relay = endpoint_ip4(h->match->relay, 0);
        if (may_ask(s, attached, count, &relay)) {
            continue;
        }
        struct finding *f = finding_add(
            out, FINDING_WARNING, "allow",
            "host \"%s\" is told by relay %s, on no attached subnet: its machines get no "
            "file by TFTP",
            h->name ? h->name : "?", ip4_print(h->match->relay, ip));
        finding_remedy(f, "name the subnet of the machines in \"tftp.allow\", beside "
                          "\"attached\"");
        return false;
    }
    return true;
}

void judge_allow(const struct snapshot *s, const struct subnet *attached, size_t count,
                 struct findings *out)
{
    if (!s->tftp.enabled) {
        return;
    }
    bool good = judge_attached(s, attached, count, out);
    if (judge_relays(s, attached, count, out) && good && count > 0) {
        finding_add(out, FINDING_GOOD, "allow", "the attached subnets may load files%s",
                    s->tftp.allow.subnets.count > 0 ? ", and others" : "");
    }
}
