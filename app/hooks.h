/*
 * app/hooks: what the services ask of the process, and tell it.
 *
 * DHCP knows machines, TFTP knows addresses: here the two meet, with the host table and with
 * what is remembered.
 */
#ifndef APP_HOOKS_H
#define APP_HOOKS_H

#include "app/appliance.h"

/* a must outlive the services. */
struct tftp_hooks hooks_for_tftp(struct appliance *a);
struct dhcp_hooks hooks_for_dhcp(struct appliance *a);

#endif
