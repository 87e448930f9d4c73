#include <stdio.h>
#include <string.h>

#include "app/doctor/judge.h"
#include "common/text.h"

#define YEAR_2026     INT64_C(1767225600)
#define DAY           INT64_C(86400)
#define FILES_WANTED  1024
#define BUFFER_WANTED (208 << 10)

static void judge_clock(const struct system_facts *facts, struct findings *out)
{
    struct finding *f = NULL;
    if (facts->now < YEAR_2026) {
        f = finding_add(out, FINDING_WARNING, "clock", "the clock stands before 2026");
    } else if (facts->config_time > facts->now + DAY) {
        f = finding_add(out, FINDING_WARNING, "clock",
                        "the clock stands before the configuration was written");
    }
    if (f) {
        finding_remedy(f,
                       "set it (timedatectl set-ntp true): the times of logs are wrong");
    } else {
        finding_add(out, FINDING_GOOD, "clock", "the clock is plausible");
    }
}

static void judge_limits(const struct system_facts *facts, const struct snapshot *s,
                         struct findings *out)
{
    if (facts->files < FILES_WANTED) {
        struct finding *f = finding_add(out, FINDING_WARNING, "limits",
                                        "a process may open %llu files only",
                                        (unsigned long long)facts->files);
        finding_remedy(
            f, "LimitNOFILE=4096 in the unit, --ulimit nofile=4096 for a container");
    }
    if (facts->receive_buffer > 0 && facts->receive_buffer < BUFFER_WANTED &&
        s->tftp.enabled) {
        char size[16];
        struct finding *f =
            finding_add(out, FINDING_NOTE, "limits", "receive buffers are limited to %s",
                        text_bytes(facts->receive_buffer, size, sizeof size));
        finding_remedy(f, "many clients at once: sysctl net.core.rmem_max=4194304");
    }
}

static void judge_rights(const struct system_facts *facts, const struct snapshot *s,
                         struct findings *out)
{
    bool capture = false;
    for (size_t i = 0; i < s->interface_count; i++) {
        capture |= s->dhcp.enabled && s->interfaces[i].listen == LISTEN_CAPTURE;
    }
    if (!facts->rights_known) {
        return;
    }
    if ((capture && !facts->may_capture) || !facts->may_bind) {
        struct finding *f = finding_add(out, FINDING_NOTE, "rights",
                                        "started as this user pxed could not %s",
                                        facts->may_bind ? "capture" : "open its ports");
        finding_remedy(f, "start it as root, by its unit, or with %s",
                       facts->may_bind ? "CAP_NET_RAW"
                                       : "CAP_NET_RAW and CAP_NET_BIND_SERVICE");
    } else {
        finding_add(out, FINDING_GOOD, "rights",
                    "the rights to capture and to open ports "
                    "are there");
    }
}

static void judge_security(const struct system_facts *facts, struct findings *out)
{
    if (strcmp(facts->selinux, "enforcing") == 0) {
        struct finding *f = finding_add(
            out, FINDING_NOTE, "security",
            "SELinux is enforcing: boot files need a type that a service may read");
        finding_remedy(f,
                       "semanage fcontext -a -t tftpdir_t 'ROOT(/.*)?' and restorecon -R "
                       "ROOT; ausearch -m avc tells what was refused");
    }
    if (strcmp(facts->apparmor, "enforce") == 0) {
        struct finding *f = finding_add(out, FINDING_NOTE, "security",
                                        "AppArmor confines pxed: a boot root elsewhere "
                                        "than in its profile is refused");
        finding_remedy(f, "add the root to /etc/apparmor.d/local/usr.sbin.pxed");
    }
}

void judge_system(const struct system_facts *facts, const struct snapshot *s,
                  struct findings *out)
{
    judge_clock(facts, out);
    judge_limits(facts, s, out);
    judge_rights(facts, s, out);
    judge_security(facts, out);
}

void judge_state_dir(const struct directory_facts *d, struct findings *out)
{
    enum { OWNER = 0300, GROUP = 0030, OTHERS = 0003 };
    if (!d->exists) {
        finding_add(out, FINDING_GOOD, "state", "%s is made at the first start", d->path);
        return;
    }
    unsigned needed = d->owner == d->user         ? OWNER
                      : d->group == d->user_group ? GROUP
                                                  : OTHERS;
    if (!d->user_known || (d->mode & needed) == needed) {
        finding_add(out, FINDING_GOOD, "state", "%s is there", d->path);
        return;
    }
    struct finding *f =
        finding_add(out, FINDING_WARNING, "state",
                    "user \"%s\" may not write into %s: nothing is remembered across "
                    "restarts",
                    d->user_name, d->path);
    finding_remedy(f, "chown -R %s %s", d->user_name, d->path);
}

/* -- the wire ----------------------------------------------------------------------------- */

static bool names_file(const struct answer *a)
{
    return a->file[0] || (a->has_option_67 && a->option_67[0]);
}

static void judge_lease_server(const char *interface, const struct answer *a,
                               struct findings *out)
{
    char ip[IP4_TEXT];
    struct finding *f;
    (void)ip4_print(answer_server(a), ip);
    if (a->is_pxe || a->is_http) {
        f = finding_add(
            out, FINDING_FAULT, "wire",
            "the DHCP server %s on %s says option 60 in its address offers: UEFI "
            "clients ask it alone for a boot file, and pass over this server",
            ip, interface);
        finding_remedy(f, "take option 60 out of its configuration");
    }
    if (names_file(a)) {
        f = finding_add(
            out, FINDING_WARNING, "wire",
            "the DHCP server %s on %s names a boot file: iPXE and shim take that "
            "one",
            ip, interface);
        finding_remedy(f,
                       "take the file name (option 67) out of its configuration, or set "
                       "\"ipxe_override\"");
    }
    if (a->no_proxy) {
        f = finding_add(
            out, FINDING_FAULT, "wire",
            "the DHCP server %s on %s forbids iPXE to look at proxies (option "
            "175.176)",
            ip, interface);
        finding_remedy(f, "take that option out of its configuration");
    }
}

void judge_wire(const char *interface, const struct choice_facts *facts, struct ip4 own,
                struct findings *out)
{
    char ip[IP4_TEXT];
    size_t leases = 0;
    for (size_t i = 0; i < facts->count; i++) {
        const struct answer *a = &facts->answer[i];
        if (ip4_equal(answer_server(a), own)) {
            continue;
        }
        if (answer_kind(a) != ANSWER_PROXY) {
            leases++;
            finding_add(out, FINDING_GOOD, "wire",
                        "the DHCP server %s gives addresses on %s",
                        ip4_print(answer_server(a), ip), interface);
            judge_lease_server(interface, a, out);
            continue;
        }
        struct finding *f = finding_add(
            out, FINDING_WARNING, "wire",
            "another PXE server, %s, answers on %s: UEFI clients take whichever is first",
            ip4_print(answer_server(a), ip), interface);
        finding_remedy(f, "let one of the two ignore the other's machines");
    }
    if (leases == 0) {
        struct finding *f =
            finding_add(out, FINDING_WARNING, "wire",
                        "no DHCP server elsewhere gives an address on %s", interface);
        finding_remedy(f,
                       "without an address no client boots; one on this very host is not "
                       "heard from here: try pxed probe from another machine");
    }
}
