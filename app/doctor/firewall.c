#include "app/doctor/firewall.h"

#include <stdio.h>
#include <string.h>

enum truth { NO, MAYBE, YES };

/* -- building ----------------------------------------------------------------------------- */

size_t firewall_chain(const struct firewall *f, const char *family, const char *table,
                      const char *name)
{
    for (size_t i = 0; i < f->chains; i++) {
        const struct firewall_chain *c = &f->chain[i];
        if (strcmp(c->family, family) == 0 && strcmp(c->table, table) == 0 &&
            strcmp(c->name, name) == 0) {
            return i;
        }
    }
    return FIREWALL_CHAINS;
}

struct firewall_chain *firewall_add_chain(struct firewall *f, const char *family,
                                          const char *table, const char *name)
{
    if (f->chains == FIREWALL_CHAINS) {
        f->cut = true;
        return NULL;
    }
    struct firewall_chain *c = &f->chain[f->chains++];
    *c = (struct firewall_chain){.input = false};
    snprintf(c->family, sizeof c->family, "%s", family);
    snprintf(c->table, sizeof c->table, "%s", table);
    snprintf(c->name, sizeof c->name, "%s", name);
    return c;
}

struct firewall_rule *firewall_add_rule(struct firewall *f, size_t chain)
{
    if (f->rules == FIREWALL_RULES || chain >= FIREWALL_CHAINS) {
        f->cut = true;
        return NULL;
    }
    struct firewall_rule *r = &f->rule[f->rules++];
    memset(r, 0, sizeof *r);
    r->chain = (uint16_t)chain;
    r->target = FIREWALL_CHAINS;
    return r;
}

struct firewall_match *firewall_add_match(struct firewall_rule *r,
                                          enum firewall_field field, bool negated)
{
    if (r->count == FIREWALL_MATCHES) {
        r->match[0] = (struct firewall_match){.field = FIREWALL_OTHER};
        return NULL;
    }
    struct firewall_match *m = &r->match[r->count++];
    *m = (struct firewall_match){.field = field, .negated = negated};
    return m;
}

void firewall_add_range(struct firewall_match *m, uint64_t from, uint64_t to)
{
    if (m->count == FIREWALL_RANGES || to > UINT16_MAX || from > to) {
        m->cut = true;
        return;
    }
    m->range[m->count++] = (struct firewall_range){(uint16_t)from, (uint16_t)to};
}

void firewall_add_name(struct firewall_match *m, const char *name)
{
    if (m->count == FIREWALL_NAMES) {
        m->cut = true;
        return;
    }
    snprintf(m->name[m->count++], sizeof m->name[0], "%s", name);
}

/* -- one rule ----------------------------------------------------------------------------- */

static bool is_interface(const char *pattern, const char *name)
{
    size_t len = strlen(pattern);
    if (len > 0 && (pattern[len - 1] == '*' || pattern[len - 1] == '+')) {
        return strncmp(pattern, name, len - 1) == 0;
    }
    return strcmp(pattern, name) == 0;
}

static bool holds_name(const struct firewall_match *m, const char *name)
{
    for (size_t i = 0; i < m->count; i++) {
        if (is_interface(m->name[i], name)) {
            return true;
        }
    }
    return false;
}

static bool holds_number(const struct firewall_match *m, unsigned number)
{
    for (size_t i = 0; i < m->count; i++) {
        if (number >= m->range[i].from && number <= m->range[i].to) {
            return true;
        }
    }
    return false;
}

static enum truth ask_match(const struct firewall_match *m,
                            const struct firewall_packet *p)
{
    bool holds;
    switch (m->field) {
    case FIREWALL_PROTOCOL:
        holds = holds_number(m, p->protocol);
        break;
    case FIREWALL_TO_PORT:
        holds = holds_number(m, p->port);
        break;
    case FIREWALL_STATE:
        holds = holds_number(m, p->state);
        break;
    case FIREWALL_FAMILY:
        holds = holds_number(m, p->ipv6 ? 6 : 4);
        break;
    case FIREWALL_INTERFACE:
        holds = holds_name(m, p->interface);
        break;
    case FIREWALL_NEVER:
        holds = false;
        break;
    default:
        return MAYBE;
    }
    if (!holds && m->cut) {
        return MAYBE;
    }
    return holds != m->negated ? YES : NO;
}

static enum truth ask_rule(const struct firewall_rule *r, const struct firewall_packet *p)
{
    enum truth all = YES;
    for (size_t i = 0; i < r->count && all != NO; i++) {
        enum truth one = ask_match(&r->match[i], p);
        all = one < all ? one : all;
    }
    return all;
}

/* -- chains ------------------------------------------------------------------------------- */

struct walk {
    const struct firewall *f;
    const struct firewall_packet *packet;
    bool may_accept;
    bool may_drop;
    unsigned walks; /* chains gone through so far */
};

static void note(struct walk *w, enum firewall_verdict verdict)
{
    w->may_accept |= verdict != FIREWALL_DROP && verdict != FIREWALL_CONTINUE;
    w->may_drop |= verdict != FIREWALL_ACCEPT && verdict != FIREWALL_CONTINUE;
}

static enum firewall_verdict walk_chain(struct walk *w, size_t chain, unsigned depth);

/* What a rule that holds leads to; CONTINUE: on to the next. */
static enum firewall_verdict follow(struct walk *w, const struct firewall_rule *r,
                                    unsigned depth)
{
    if (r->verdict != FIREWALL_JUMP && r->verdict != FIREWALL_GOTO) {
        return r->verdict;
    }
    if (depth == FIREWALL_DEPTH || r->target >= w->f->chains ||
        w->walks == FIREWALL_WALKS) {
        return FIREWALL_ANYTHING;
    }
    w->walks++;
    enum firewall_verdict verdict = walk_chain(w, r->target, depth + 1);
    return verdict == FIREWALL_CONTINUE && r->verdict == FIREWALL_GOTO ? FIREWALL_RETURN
                                                                       : verdict;
}

/* ACCEPT, DROP, or CONTINUE: its end was reached. */
static enum firewall_verdict walk_chain(struct walk *w, size_t chain, unsigned depth)
{
    for (size_t i = 0; i < w->f->rules; i++) {
        const struct firewall_rule *r = &w->f->rule[i];
        if (r->chain != chain || r->verdict == FIREWALL_CONTINUE) {
            continue;
        }
        enum truth holds = ask_rule(r, w->packet);
        enum firewall_verdict verdict =
            holds == NO ? FIREWALL_CONTINUE : follow(w, r, depth);
        if (holds == MAYBE || verdict == FIREWALL_ANYTHING) {
            note(w, verdict);
        } else if (verdict == FIREWALL_RETURN) {
            return FIREWALL_CONTINUE;
        } else if (verdict != FIREWALL_CONTINUE) {
            return verdict;
        }
    }
    return FIREWALL_CONTINUE;
}

static bool is_passed(const struct firewall_chain *c, const struct firewall_packet *p)
{
    return c->input && strcmp(c->family, p->ipv6 ? "ip" : "ip6") != 0;
}

enum firewall_outcome firewall_ask(const struct firewall *f,
                                   const struct firewall_packet *packet,
                                   const struct firewall_chain **where)
{
    enum firewall_outcome worst = FIREWALL_PASSES;
    for (size_t i = 0; i < f->chains; i++) {
        const struct firewall_chain *c = &f->chain[i];
        struct walk w = {.f = f, .packet = packet};
        if (!is_passed(c, packet)) {
            continue;
        }
        enum firewall_verdict verdict = walk_chain(&w, i, 0);
        bool drops = verdict == FIREWALL_CONTINUE ? c->drops : verdict == FIREWALL_DROP;
        enum firewall_outcome outcome = drops ? FIREWALL_STOPS : FIREWALL_PASSES;
        if ((drops ? w.may_accept : w.may_drop) || f->cut) {
            outcome = FIREWALL_UNSURE;
        }
        if (outcome > worst) {
            worst = outcome;
            *where = c;
        }
    }
    return worst;
}
