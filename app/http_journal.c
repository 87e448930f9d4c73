#include "app/http_journal.h"

#include <string.h>

#include "common/log.h"
#include "tftp/journal.h"
#include "tftp/path.h"

void http_journal_transfer(const struct tftp_hooks *hooks, const struct http_transfer *x,
                           uint64_t sent, usec_t now)
{
    static const char *const ends[] = {
        [HTTP_END_DONE] = "done",
        [HTTP_END_ABORTED] = "aborted",
        [HTTP_END_STALLED] = "stalled",
        [HTTP_END_CLOSED] = "closed",
        [HTTP_END_CHANGED] = "file-changed",
        [HTTP_END_UNREADABLE] = "unreadable",
    };
    char peer[ENDPOINT_TEXT];
    char names[64];
    struct log_line l;
    bool whole = sent == x->len;
    log_begin(&l, whole ? LOG_INFO : LOG_WARNING, whole ? "http done" : "http failed");
    log_text(&l, "peer", endpoint_print(&x->peer, peer));
    log_text(&l, "file", x->shown);
    if (x->repairs) {
        log_text(&l, "repaired", tftp_repairs_print(x->repairs, names, sizeof names));
    }
    log_number(&l, "size", x->size);
    if (x->len != x->size) {
        log_number(&l, "from", x->from);
    }
    log_number(&l, "sent", sent);
    if (!whole) {
        log_text(&l, "end", ends[x->end]);
    }
    log_decimal(&l, "seconds", (double)(now - x->began) / (double)USEC_PER_SEC, 3);
    tftp_journal_machine(&l, hooks, &x->peer);
    log_end(&l);
}

void http_journal_refusal(const struct endpoint *peer, const char *why)
{
    char client[ENDPOINT_TEXT];
    struct log_line l;
    log_begin(&l, LOG_INFO, "http refused");
    log_text(&l, "peer", endpoint_print_ip(peer, client));
    log_text(&l, "reason", why);
    log_end(&l);
}

void http_journal_page(const struct endpoint *peer, const char *target, unsigned status)
{
    char text[ENDPOINT_TEXT];
    struct log_line l;
    log_begin(&l, LOG_DEBUG, "http page");
    log_text(&l, "peer", endpoint_print(peer, text));
    log_peer(&l, "page", target, strlen(target));
    log_number(&l, "status", status);
    log_end(&l);
}

void http_journal_misses(const struct tftp_hooks *hooks, const struct tftp_miss *sum)
{
    char client[ENDPOINT_TEXT];
    struct log_line l;
    log_begin(&l, LOG_INFO, "http refused");
    log_text(&l, "peer", endpoint_print_ip(&sum->peer, client));
    log_text(&l, "request", sum->first);
    if (sum->count > 1) {
        log_number(&l, "count", sum->count);
        log_text(&l, "last", sum->last);
    }
    tftp_journal_machine(&l, hooks, &sum->peer);
    log_end(&l);
}
