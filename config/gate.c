#include "config/gate.h"

struct gate gate_ask(const struct snapshot *config, const struct mac *mac,
                     const uint8_t uuid[16])
{
    struct gate g = {.host = hosts_find(config->hosts, mac, uuid)};
    enum host_action action = g.host ? g.host->action : config->unknown.action;
    g.profile = g.host ? g.host->profile : config->unknown.profile;
    if (action == HOST_IGNORE) {
        g.verdict = g.host ? GATE_HOST_IGNORED : GATE_UNKNOWN_HOST;
    } else if (action == HOST_LOCAL) {
        g.verdict = GATE_LOCAL;
    }
    return g;
}
