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
    struct tftp_miss *c = NULL;
    for (unsigned i = 0; i < m->count && !c; i++) {
        c = same_address(&m->client[i].peer, peer) ? &m->client[i] : NULL;
    }
    if (!c && m->count == TFTP_MISSES_MAX) {
        return true;
    }
    if (!c) {
        c = &m->client[m->count++];
        *c = (struct tftp_miss){.peer = *peer, .oldest = now};
        snprintf(c->first, sizeof c->first, "%s", shown);
    }
    c->count++;
    c->newest = now;
    snprintf(c->last, sizeof c->last, "%s", shown);
    return false;
}

static usec_t due(const struct tftp_miss *c)
{
    usec_t quiet = c->newest + TFTP_MISSES_QUIET;
    usec_t over = c->oldest + TFTP_MISSES_SPAN;
    return quiet < over ? quiet : over;
}

bool tftp_misses_due(struct tftp_misses *m, usec_t now, struct tftp_miss *out)
{
    for (unsigned i = 0; i < m->count; i++) {
        if (now >= due(&m->client[i])) {
            *out = m->client[i];
            m->client[i] = m->client[--m->count];
            return true;
        }
    }
    return false;
}

usec_t tftp_misses_deadline(const struct tftp_misses *m)
{
    usec_t first = USEC_NEVER;
    for (unsigned i = 0; i < m->count; i++) {
        usec_t next = due(&m->client[i]);
        first = next < first ? next : first;
    }
    return first;
}
