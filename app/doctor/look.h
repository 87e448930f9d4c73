/*
 * app/doctor/look: the facts that app/doctor/judge judges, as this machine tells them.
 *
 * Errors: what cannot be read is "not known" in the facts.  Shell: procfs, sysfs, getifaddrs(3),
 * nft(8), iptables-save(8), libcap.
 */
#ifndef APP_DOCTOR_LOOK_H
#define APP_DOCTOR_LOOK_H

#include "app/doctor/judge.h"

/* The sockets on these ports, and their processes; how many. */
size_t look_at_ports(const struct port_need *needs, size_t count,
                     struct port_holder out[PORT_HOLDERS_MAX]);

void look_at_interface(const struct interface_conf *conf, struct interface_state *out);

/* The subnets attached to the served interfaces; 0: none, or not known. */
size_t look_at_subnets(const struct snapshot *s, struct subnet *out, size_t room);

/* of_all and of_it of judge_rp_filter(). */
void look_at_rp_filter(const char *interface, int *of_all, int *of_it);

/* rules: has room. */
void look_at_firewall(struct firewall *rules, struct firewall_facts *out);

/* path: of the configuration. */
void look_at_system(const char *path, struct system_facts *out);

/* user: whom pxed becomes, if this process is root. */
void look_at_directory(const char *path, const char *user, struct directory_facts *out);

#endif
