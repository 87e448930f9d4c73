#include "tftp/misses.h"

#include <stdio.h>
#include <string.h>

static bool same_address(const struct endpoint *a, const struct endpoint *b)
{
    return a->scope == b->scope && memcmp(a->ip, b->ip, sizeof a->ip) == 0;
}

bool tftp_misses_note(struct tftp_misses *m, const struct endpoint *peer,
                      const char *shown, usec_t now)
{
    for (unsigned i = 0; i < m->count; i++) {
        struct tftp_miss *c = &m->client[i];
        if (same_address(&c->peer, peer)) {
            c->folded++;
            c->newest = now;
            snprintf(c->last, sizeof c->last, "%s", shown);
            return false;
        }
    }
    if (m->count < TFTP_MISSES_MAX) {
        m->client[m->count++] = (struct tftp_miss){.peer = *peer, .newest = now};
    }
    return true;
}

bool tftp_misses_due(struct tftp_misses *m, usec_t now, struct tftp_miss *out)
{
    for (unsigned i = 0; i < m->count;) {
        if (now < m->client[i].newest + TFTP_MISSES_QUIET) {
            i++;
            continue;
        }
        struct tftp_miss quiet = m->client[i];
        m->client[i] = m->client[--m->count];
        if (quiet.folded > 0) {
            *out = quiet;
            return true;
        }
    }
    return false;
}

usec_t tftp_misses_deadline(const struct tftp_misses *m)
{
    usec_t first = USEC_NEVER;
    for (unsigned i = 0; i < m->count; i++) {
        usec_t due = m->client[i].newest + TFTP_MISSES_QUIET;
        first = due < first ? due : first;
    }
    return first;
}
