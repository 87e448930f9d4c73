/*
 * app/doctor/iptables: the rules that `iptables-save` and `ip6tables-save` tell.
 *
 * Errors: none; what is not understood makes a rule that may hold or not.  Pure.
 */
#ifndef APP_DOCTOR_IPTABLES_H
#define APP_DOCTOR_IPTABLES_H

#include "app/doctor/firewall.h"

/* Adds to f, which has room. */
void iptables_read(const char *text, size_t len, bool ipv6, struct firewall *f);

#endif
