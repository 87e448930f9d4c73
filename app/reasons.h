/*
 * app/reasons: why a decision is what it is, in words with lines of the configuration.
 *
 * Ownership: texts are the caller's values.  Pure.
 */
#ifndef APP_REASONS_H
#define APP_REASONS_H

#include "app/boot_files.h"
#include "dhcp/decision.h"

#define REASONS_MAX 24

struct reason {
    uint32_t line;    /* 0: none */
    uint32_t file;    /* where that is, as in struct host; 0: the configuration file */
    const char *rule; /* a stable word: "host", "profile", "arch"... */
    char text[320];
};

struct reasons {
    size_t count;
    struct reason list[REASONS_MAX];
};

/* One sentence for the verdict, without a full stop. */
char *reasons_verdict(const struct dhcp_decision *d, char *buf, size_t size);

/* The rules that led there, in order. */
void reasons_rules(const struct snapshot *s, const struct dhcp_decision *d,
                   struct reasons *out);

/* What may go wrong nevertheless. */
void reasons_warnings(const struct snapshot *s, const struct boot_file_list *files,
                      const struct host_facts *facts, const struct dhcp_decision *d,
                      struct reasons *out);

#endif
