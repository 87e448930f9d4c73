/*
 * app/http_journal: one log line for one file that was fetched by HTTP, or was refused.
 * Shell: common/log.
 */
#ifndef APP_HTTP_JOURNAL_H
#define APP_HTTP_JOURNAL_H

#include "app/http_host.h"
#include "tftp/hooks.h"
#include "tftp/misses.h"

/* A file on its way to a client; the name as it asked, printable. */
struct http_transfer {
    struct http_transfer *next;
    struct endpoint peer;
    char shown[128];
    unsigned repairs; /* enum tftp_repair */
    uint64_t size;    /* of the file */
    uint64_t from;    /* the part that was asked for */
    uint64_t len;
    usec_t began;
    bool tell_whole;
    uint64_t tag;      /* of the timeline */
    enum http_end end; /* once it has ended */
};

/* hooks: those of TFTP, which know whose an address is. */
void http_journal_transfer(const struct tftp_hooks *hooks, const struct http_transfer *x,
                           uint64_t sent, usec_t now);
/* A connection that was turned away; equal lines are folded by the log. */
void http_journal_refusal(const struct endpoint *peer, const char *why);
/* A page that was looked at; told with `pxed run -v` only. */
void http_journal_page(const struct endpoint *peer, const char *target, unsigned status);
/* What one client asked for in vain, each as "404 /name". */
void http_journal_misses(const struct tftp_hooks *hooks, const struct tftp_miss *sum);

#endif
