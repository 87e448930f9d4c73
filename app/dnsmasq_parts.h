/*
 * app/dnsmasq_parts: what the parts of dnsmasq_convert() share.
 *
 *     app/dnsmasq_rules    which line means what, and lines of one setting
 *     app/dnsmasq_boot     lines that name boot files and menus
 *     app/dnsmasq_write    into the configuration; each value has its line with it
 *
 * Ownership: d->config owns what is written; the rest are views into the lines, but for the
 * files of services.  Errors: d->no_memory.
 */
#ifndef APP_DNSMASQ_PARTS_H
#define APP_DNSMASQ_PARTS_H

#include "app/dnsmasq_tags.h"

#define DNSMASQ_SERVICES 48

/* A pxe-service line: an item of a menu, or the only file there is. */
struct dnsmasq_service {
    const struct dnsmasq_line *line;
    struct dnsmasq_who who;
    uint16_t arch;
    const char *title;
    char *file;         /* NULL: from disk */
    const char *server; /* "": ours */
};

struct dnsmasq_conversion {
    struct dnsmasq *d;
    struct dnsmasq_tags tags;
    json_t *host_by_name; /* "mac 52:54:00:00:00:01", in small letters */
    struct dnsmasq_service service[DNSMASQ_SERVICES];
    size_t services;
    const struct dnsmasq_line *prompt;
    const struct dnsmasq_line *line; /* at hand */
    bool tftp;
    unsigned proxies; /* subnets that it was the proxy of */
};

/* -- app/dnsmasq_write -------------------------------------------------------------------- */

/* They take the value. */
void dnsmasq_put(struct dnsmasq_conversion *c, json_t *object, const char *key,
                 json_t *value);
void dnsmasq_append(struct dnsmasq_conversion *c, json_t *list, json_t *value);

/* The member of that name, made by json_object() or json_array() if it is missing. */
json_t *dnsmasq_member(struct dnsmasq_conversion *c, json_t *object, const char *key,
                       json_t *(*make)(void));
json_t *dnsmasq_section(struct dnsmasq_conversion *c, const char *key);

/* A machine for the table, unless it stands there already. */
json_t *dnsmasq_host(struct dnsmasq_conversion *c, const char *key, const char *value);
/* A member of each host of a group of machines. */
void dnsmasq_say_of_group(struct dnsmasq_conversion *c, const char *group,
                          const char *key, const char *value);
/* The profile of a group of machines; making it gives them to it. */
json_t *dnsmasq_profile(struct dnsmasq_conversion *c, const char *group);

/* -- app/dnsmasq_boot --------------------------------------------------------------------- */

void dnsmasq_on_boot(struct dnsmasq_conversion *c, const struct dnsmasq_line *l);
void dnsmasq_on_service(struct dnsmasq_conversion *c, const struct dnsmasq_line *l);

/* A file without a word for whom: by its name it is for one family of machines only. */
void dnsmasq_set_by_name(struct dnsmasq_conversion *c, const struct dnsmasq_line *l,
                         json_t *profile, const char *file);
void dnsmasq_set_server(struct dnsmasq_conversion *c, const struct dnsmasq_line *l,
                        json_t *profile, const char *server);

/* After the last line: menus of what can be chosen, files of what cannot. */
void dnsmasq_place_services(struct dnsmasq_conversion *c);

#endif
