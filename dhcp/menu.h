/*
 * dhcp/menu: the boot menu that PXE firmware shows itself, as option 43.
 *
 * The client shows the prompt (43.10) and the items (43.9), asks the servers listed for the
 * chosen type (43.8) on port 4011 with that type in 43.71, and loads what the ACK names.
 * 43.6 is 7: neither multicast nor broadcast, listed servers alone, the menu is not to be
 * skipped.  Other values break clients: 0 alone ends EDK2 with PXE-E21, 8 beside 43.8 makes it
 * load from the list's first server, broadcast discovery ends in PXE-E99.
 *
 * Spec: PXE 2.1 section 2.4.2 to 2.4.7; firmware.md 2.4.
 * Ownership: views into the snapshot.
 * Errors: what does not fit one option latches the writer.  Pure.
 */
#ifndef DHCP_MENU_H
#define DHCP_MENU_H

#include "config/snapshot.h"
#include "dhcp/packet.h"

#define MENU_TYPE_LOCAL 0
#define MENU_TYPE_FIRST 0x8000 /* of items that load something; below: others' types */

/* A menu as one client sees it. */
struct dhcp_menu {
    const struct menu *conf;
    uint16_t arch;
    uint32_t shown;         /* bit n: item n */
    struct ip4 server;      /* us: who is asked on port 4011 */
    struct ip4 next_server; /* siaddr of the ACK for items that name none */
};

void dhcp_menu_write(struct wr *w, const struct dhcp_menu *menu);

/* The type of the item at this place in the configuration. */
uint16_t dhcp_menu_type(const struct dhcp_menu *menu, size_t index);
/* The shown item of this type that loads something, or NULL. */
const struct menu_item *dhcp_menu_item(const struct dhcp_menu *menu, uint16_t type);
/* The shown one that is taken unasked: the first. */
const struct menu_item *dhcp_menu_default(const struct dhcp_menu *menu);

#endif
