#include "config/gate.h"

struct gate gate_ask(const struct snapshot *config, const struct mac *mac,
                     const uint8_t uuid[16], const struct host_state *state)
{
    struct gate g = {.host = hosts_find(config->hosts, mac, uuid)};
    enum host_action action = g.host ? g.host->action : config->unknown.action;
    g.profile = g.host ? g.host->profile : config->unknown.profile;
    if (action == HOST_IGNORE) {
        g.verdict = g.host ? GATE_HOST_IGNORED : GATE_UNKNOWN_HOST;
    } else if (action == HOST_LOCAL) {
        g.verdict = GATE_LOCAL;
    } else if (action == HOST_HOLD && !(state && state->approved)) {
        g.verdict = GATE_HELD;
    } else if (g.host && g.host->once && state && state->done) {
        g.verdict = GATE_DONE;
    }
    return g;
}

bool gate_gives_files(const struct gate *g)
{
    return g->verdict == GATE_BOOT || g->verdict == GATE_DONE;
}
