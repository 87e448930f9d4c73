#include "tftp/unheard.h"

#include "tftp/journal.h"

enum tftp_trust tftp_unheard_trust(const struct tftp_engine *e,
                                   const struct endpoint *peer, usec_t now)
{
    struct mac mac;
    const struct tftp_hooks *hooks = &e->hooks;
    bool known = hooks->machine && hooks->machine(hooks->context, peer, &mac);
    return tftp_budget_trust(e->budget, peer, known, now);
}

bool tftp_unheard_may_reach(const struct tftp_engine *e, const struct net_path *path,
                            enum tftp_trust trust)
{
    const struct tftp_hooks *hooks = &e->hooks;
    return trust == TFTP_ANSWERED || !hooks->may_reach ||
           hooks->may_reach(hooks->context, &path->peer, path->ifindex);
}

bool tftp_unheard_is_too_many(struct tftp_engine *e, const struct net_path *path,
                              usec_t now)
{
    enum tftp_trust trust = tftp_unheard_trust(e, &path->peer, now);
    if (tftp_budget_has(e->budget, TFTP_FIRST, &path->peer, trust, now) &&
        tftp_unheard_may_reach(e, path, trust)) {
        return false;
    }
    e->counters.ignored[TFTP_TOO_MANY]++;
    tftp_journal_ignored(path, TFTP_TOO_MANY);
    return true;
}

void tftp_unheard_pay(struct tftp_engine *e, struct tftp_transfer *x, usec_t now)
{
    tftp_budget_take(e->budget, TFTP_FIRST, &x->path.peer, (enum tftp_trust)x->trust,
                     now);
    x->paid++;
}

void tftp_unheard_begin(struct tftp_engine *e, struct tftp_transfer *x, usec_t now)
{
    x->trust = (uint8_t)tftp_unheard_trust(e, &x->path.peer, now);
    tftp_unheard_pay(e, x, now);
}

bool tftp_unheard_may_repeat(const struct tftp_engine *e, const struct tftp_transfer *x,
                             usec_t now)
{
    return x->session.state != TFTP_OFFERED ||
           x->session.first_sends < TFTP_FIRST_SENDS ||
           tftp_budget_has(e->budget, TFTP_FIRST, &x->path.peer,
                           (enum tftp_trust)x->trust, now);
}

void tftp_unheard_answers(struct tftp_engine *e, struct tftp_transfer *x, usec_t now)
{
    tftp_table_heard(e->table, x);
    tftp_budget_answered(e->budget, &x->path.peer, (enum tftp_trust)x->trust, x->paid,
                         now);
}
