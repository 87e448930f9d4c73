/*
 * config/template: text in which ${name} stands for something about the client who asks.
 *
 *     ${mac} ${mac-dash} ${uuid} ${ip} ${ip-hex} ${arch} ${host} ${profile} ${server}
 *     ${http}
 *     ${vars.NAME}            the host's, else the profile's
 *     ${name:-text}           the text when there is nothing under that name
 *     $${                     stands for ${ itself
 *
 * Escaping, by kind: in grub.cfg what the shell there would take as its own is escaped as
 * the quotes around demand (blanks separate words outside quotes, as always).  iPXE knows no
 * escapes: a value with "${" cannot be put into its scripts.  The others have no syntax that
 * a value without line breaks could break.
 *
 * Ownership: all in the caller's memory.  Errors: enum template_fault, with its place.  Pure.
 */
#ifndef CONFIG_TEMPLATE_H
#define CONFIG_TEMPLATE_H

#include "common/bytes.h"
#include "config/variables.h"

#define TEMPLATE_TEXT_MAX     (64u << 10)  /* octets of a template */
#define TEMPLATE_RENDERED_MAX (256u << 10) /* and of what comes out */
#define TEMPLATE_NAME_MAX     80           /* of a variable, "vars." included */

enum template_fault {
    TEMPLATE_OK = 0,
    TEMPLATE_OPEN,    /* "${" without "}" on its line */
    TEMPLATE_UNKNOWN, /* no such variable */
    TEMPLATE_NO_VAR,  /* vars.NAME, which nobody in the configuration sets */
    TEMPLATE_NO_HTTP, /* ${http}, and no boot files by HTTP */
    TEMPLATE_EMPTY,   /* there is none for this client */
    TEMPLATE_UNFIT,   /* cannot be written in this kind of file */
    TEMPLATE_LONG,    /* the outcome has no room */
};

/* Where a fault is, and about which variable. */
struct template_place {
    size_t offset; /* of "${" */
    int line;
    int column;
    char name[TEMPLATE_NAME_MAX + 1];
};

/* What is rendered. */
struct template_source {
    const char *text;
    size_t len;
    enum template_kind kind;
};

/*
 * The next fault at or behind *from that every client would meet; *from goes behind it.
 * TEMPLATE_OK: no more.
 */
enum template_fault template_check(const struct snapshot *config, const char *text,
                                   size_t len, size_t *from, struct template_place *out);

/* The first fault that this host would meet. */
enum template_fault template_check_host(const struct snapshot *config,
                                        const struct host *host, const char *text,
                                        struct template_place *out);

/* Into the caller's room; what stands there after a fault means nothing. */
enum template_fault template_render(const struct template_client *client,
                                    const struct template_source *from, struct wr *out,
                                    struct template_place *place);

/* Could the pattern, a name with variables, become this name for some client? */
bool template_may_be(const char *pattern, const char *name);

bool template_is_plain(const char *text); /* holds no variable */

/* "unknown variable ${hots}; did..." in words, for people.  Returns buf. */
char *template_explain(enum template_fault fault, const struct template_place *place,
                       char *buf, size_t size);

#endif
