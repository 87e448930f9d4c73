#include "dhcp/menu.h"

enum {
    SUB_DISCOVERY_CONTROL = 6,
    SUB_BOOT_SERVERS = 8,
    SUB_BOOT_MENU = 9,
    SUB_MENU_PROMPT = 10,
};

enum {
    NO_BROADCAST = 1 << 0,
    NO_MULTICAST = 1 << 1,
    LISTED_SERVERS_ONLY = 1 << 2,
};

static bool is_shown(const struct dhcp_menu *menu, size_t index)
{
    return index < menu->conf->item_count && (menu->shown >> index & 1);
}

uint16_t dhcp_menu_type(const struct dhcp_menu *menu, size_t index)
{
    return menu->conf->item[index].local ? MENU_TYPE_LOCAL
                                         : (uint16_t)(MENU_TYPE_FIRST + index);
}

const struct menu_item *dhcp_menu_item(const struct dhcp_menu *menu, uint16_t type)
{
    size_t index = (size_t)type - MENU_TYPE_FIRST; /* too large for lower types */
    return is_shown(menu, index) && !menu->conf->item[index].local
               ? &menu->conf->item[index]
               : NULL;
}

const struct menu_item *dhcp_menu_default(const struct dhcp_menu *menu)
{
    size_t index = 0;
    while (!is_shown(menu, index)) {
        index++;
    }
    return &menu->conf->item[index];
}

/* A sub-option whose length is known once it has been written. */
static uint8_t *begin(struct wr *w, uint8_t code)
{
    wr_u8(w, code);
    uint8_t *length = w->p;
    wr_u8(w, 0);
    return length;
}

static void end(struct wr *w, uint8_t *length)
{
    size_t len = wr_ok(w) ? (size_t)(w->p - length) - 1 : 0;
    if (len > 255) {
        w->full = true;
    } else if (wr_ok(w)) {
        *length = (uint8_t)len;
    }
}

/* The ACK's siaddr must be in the list too, or EDK2 takes no notice of it. */
static void write_servers(struct wr *w, const struct dhcp_menu *menu, size_t index)
{
    const struct menu_item *item = &menu->conf->item[index];
    struct ip4 files =
        ip4_is_any(item->next_server) ? menu->next_server : item->next_server;
    bool elsewhere = !ip4_equal(files, menu->server);
    wr_u16(w, dhcp_menu_type(menu, index));
    wr_u8(w, elsewhere ? 2 : 1);
    wr_put(w, menu->server.octet, sizeof menu->server.octet);
    if (elsewhere) {
        wr_put(w, files.octet, sizeof files.octet);
    }
}

static void write_item(struct wr *w, const struct dhcp_menu *menu, size_t index)
{
    const char *name = menu->conf->item[index].name;
    size_t len = strlen(name);
    wr_u16(w, dhcp_menu_type(menu, index));
    wr_u8(w, (uint8_t)len);
    wr_put(w, name, len);
}

void dhcp_menu_write(struct wr *w, const struct dhcp_menu *menu)
{
    uint8_t value[MENU_SIZE_MAX];
    struct wr v = wr_over(value, sizeof value);
    const struct menu *conf = menu->conf;
    const char *prompt = conf->prompt ? conf->prompt : MENU_PROMPT;

    wr_u8(&v, SUB_DISCOVERY_CONTROL);
    wr_u8(&v, 1);
    wr_u8(&v, NO_BROADCAST | NO_MULTICAST | LISTED_SERVERS_ONLY);
    uint8_t *length = begin(&v, SUB_BOOT_SERVERS);
    for (size_t i = 0; i < conf->item_count; i++) {
        if (is_shown(menu, i) && !conf->item[i].local) {
            write_servers(&v, menu, i);
        }
    }
    end(&v, length);
    length = begin(&v, SUB_BOOT_MENU);
    for (size_t i = 0; i < conf->item_count; i++) {
        if (is_shown(menu, i)) {
            write_item(&v, menu, i);
        }
    }
    end(&v, length);
    length = begin(&v, SUB_MENU_PROMPT);
    wr_u8(&v, (uint8_t)conf->timeout);
    wr_put(&v, prompt, strlen(prompt));
    end(&v, length);
    wr_u8(&v, DHCP_END);
    if (!wr_ok(&v)) {
        w->full = true;
        return;
    }
    dhcp_option_write(w, DHCP_VENDOR_SPECIFIC, value, wr_len(&v));
}
