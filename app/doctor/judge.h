/*
 * app/doctor/judge: what facts of this machine mean for booting others; one function a check.
 *
 * Facts are gathered by app/doctor/look.  Each function adds its findings, a good one when all
 * is well.  Pure.
 */
#ifndef APP_DOCTOR_JUDGE_H
#define APP_DOCTOR_JUDGE_H

#include "app/doctor/finding.h"
#include "app/doctor/firewall.h"
#include "app/probe/choice.h"
#include "config/snapshot.h"

/* -- ports -------------------------------------------------------------------------------- */

#define PORT_HOLDERS_MAX 64
#define PROCESS_NAME     32

/* A socket on a port that matters. */
struct port_holder {
    bool tcp;
    bool everywhere; /* bound to no address in particular */
    uint16_t port;
    uint64_t inode;
    int pid; /* 0: not known */
    char process[PROCESS_NAME];
};

/* A line of /proc/net/udp, udp6, tcp or tcp6; false: it tells of no listening socket. */
bool port_read(const char *line, bool tcp, struct port_holder *out);

/* One port that pxed binds to. */
struct port_need {
    bool tcp;
    uint16_t port;
    const char *purpose; /* what cannot be done without it */
};
#define PORT_NEEDS_MAX 4

/* The ports that this configuration binds to; how many. */
size_t port_needs(const struct snapshot *s, struct port_need out[PORT_NEEDS_MAX]);

void judge_port(const struct port_need *need, const struct port_holder *list,
                size_t count, struct findings *out);
/* Port 67, of which requests are captured, or heard by a socket of our own. */
void judge_port_67(bool by_udp, const struct port_holder *list, size_t count,
                   struct findings *out);

/* -- interfaces --------------------------------------------------------------------------- */

struct interface_state {
    const char *name;
    bool exists;
    bool ethernet;
    bool up;
    bool carrier;
    bool has_address;  /* an IPv4 address, and the one that is configured */
    struct ip4 wanted; /* the one that is configured; 0.0.0.0: any */
    struct ip4 address;
    unsigned mtu;
    bool is_port;
    char master[16]; /* with is_port */
    char vlan[16];   /* an interface for one VLAN on top of it; "": none */
    bool is_wireless;
    bool has_ipv6;
    bool in_container; /* the process sees no more than a network of its own */
    bool is_veth;
};

void judge_interface(const struct interface_state *i, uint32_t max_block_size,
                     bool hotplug, bool ipv6, struct findings *out);

/*
 * Does "tftp.allow" leave machines out that are to boot here?  attached: the subnets of the
 * served interfaces.
 */
void judge_allow(const struct snapshot *s, const struct subnet *attached, size_t count,
                 struct findings *out);

/* -- the packet filter -------------------------------------------------------------------- */

struct firewall_facts {
    bool known;          /* the rules could be read */
    bool any;            /* there are some */
    const char *why_not; /* not known */
    const struct firewall *rules;
    uint16_t data_first; /* what sockets get when they ask for no port */
    uint16_t data_last;
};

void judge_firewall(const struct firewall_facts *facts, const struct snapshot *s,
                    struct findings *out);

/* -- the rest ----------------------------------------------------------------------------- */

struct system_facts {
    int64_t now;             /* seconds since 1970 */
    int64_t config_time;     /* when the configuration was changed; 0: not known */
    uint64_t files;          /* RLIMIT_NOFILE */
    uint64_t receive_buffer; /* net.core.rmem_max; 0: not known */
    bool rights_known;
    bool may_capture;  /* CAP_NET_RAW */
    bool may_bind;     /* CAP_NET_BIND_SERVICE */
    char selinux[16];  /* "enforcing", "permissive"; "": none */
    char apparmor[32]; /* the mode of the profile "pxed"; "": none */
};

void judge_system(const struct system_facts *facts, const struct snapshot *s,
                  struct findings *out);

/* /proc/sys/net/ipv4/conf/.../rp_filter: of all and of this interface; negative: not known. */
void judge_rp_filter(const char *interface, int of_all, int of_it, struct findings *out);

/* A directory that the service's user is to write into. */
struct directory_facts {
    const char *path;
    bool exists;
    unsigned mode;
    unsigned owner;
    unsigned group;
    bool user_known;
    unsigned user;
    unsigned user_group;
    const char *user_name;
};

void judge_state_dir(const struct directory_facts *d, struct findings *out);

/* What others on the wire answered to a boot client. */
void judge_wire(const char *interface, const struct choice_facts *facts, struct ip4 own,
                struct findings *out);

#endif
