/*
 * For the comparison of tests/bench/observing.py: pxed linked without the hooks that feed the
 * timeline of boots and the recordings of their packets (ld --wrap).
 */
#include "app/boot_watch.h"
#include "app/evidence_watch.h"

void __wrap_boot_watch_dhcp(struct dhcp_hooks *hooks);
void __wrap_boot_watch_tftp(struct tftp_hooks *hooks);
void __wrap_evidence_watch_dhcp(struct dhcp_hooks *hooks);
void __wrap_evidence_watch_tftp(struct tftp_hooks *hooks);

void __wrap_boot_watch_dhcp(struct dhcp_hooks *hooks)
{
    (void)hooks;
}

void __wrap_boot_watch_tftp(struct tftp_hooks *hooks)
{
    (void)hooks;
}

void __wrap_evidence_watch_dhcp(struct dhcp_hooks *hooks)
{
    (void)hooks;
}

void __wrap_evidence_watch_tftp(struct tftp_hooks *hooks)
{
    (void)hooks;
}
