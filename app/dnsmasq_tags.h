/*
 * app/dnsmasq_tags: whom the tags of a dnsmasq line mean.
 *
 * Ownership: views into the lines; the list of tags is its owner's to free().  Pure but for
 * that memory.
 */
#ifndef APP_DNSMASQ_TAGS_H
#define APP_DNSMASQ_TAGS_H

#include <stdint.h>

#include "app/dnsmasq.h"

#define DNSMASQ_ARCHS 16
#define DNSMASQ_WHO   64

enum tag_kind { TAG_ARCH, TAG_IPXE, TAG_MACHINE };

/* One way to get a tag. */
struct dnsmasq_tag {
    const char *name;
    enum tag_kind kind;
    const struct dnsmasq_line *line; /* that sets it */
    uint16_t arch;                   /* TAG_ARCH */
    const char *key;                 /* TAG_MACHINE: of a host in our table, */
    const char *value;               /* and what it must be */
};

struct dnsmasq_tags {
    struct dnsmasq_tag *tag; /* malloc'd */
    size_t count;
};

/* Reads what sets tags out of this line; false: it sets none. */
bool dnsmasq_tags_read(struct dnsmasq_tags *t, struct dnsmasq *d, struct dnsmasq_line *l);

/* Whom a line means, by its tags. */
struct dnsmasq_who {
    bool ipxe;
    bool known;        /* "tag:!known" is the only one: who is in no dhcp-host */
    const char *group; /* the tag of machines; NULL: all of them */
    uint16_t arch[DNSMASQ_ARCHS];
    size_t archs; /* 0: whatever it is */
};

/*
 * Takes the tags off the front of the line; *first is the first field after them.  False:
 * there is no saying that in our table, and a note was made.
 */
bool dnsmasq_tags_resolve(const struct dnsmasq_tags *t, struct dnsmasq *d,
                          const struct dnsmasq_line *l, struct dnsmasq_who *out,
                          size_t *first);

/* "tag:x", "net:x", "set:x" without the prefix. */
const char *dnsmasq_tag_name(const char *field);

#endif
