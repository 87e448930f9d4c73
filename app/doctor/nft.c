#include "app/doctor/nft.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUE_DEPTH 4

/* -- room --------------------------------------------------------------------------------- */

bool firewall_room(struct firewall *f)
{
    *f = (struct firewall){.rule = calloc(FIREWALL_RULES, sizeof *f->rule)};
    return f->rule != NULL;
}

void firewall_done(struct firewall *f)
{
    free(f->rule);
    f->rule = NULL;
}

/* -- values ------------------------------------------------------------------------------- */

struct reader {
    const json_t *list; /* "nftables" */
    struct firewall *f;
    const json_t *rule; /* the one at hand */
};

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* Words that stand for numbers. */
static bool number_of(enum firewall_field field, const char *word, uint64_t *out)
{
    static const struct {
        enum firewall_field field;
        const char *word;
        uint64_t number;
    } words[] = {
        {FIREWALL_PROTOCOL, "tcp", 6},
        {FIREWALL_PROTOCOL, "udp", 17},
        {FIREWALL_PROTOCOL, "icmp", 1},
        {FIREWALL_PROTOCOL, "ipv6-icmp", 58},
        {FIREWALL_STATE, "new", FIREWALL_NEW},
        {FIREWALL_STATE, "established", FIREWALL_ESTABLISHED},
        {FIREWALL_STATE, "related", FIREWALL_ANOTHER_STATE},
        {FIREWALL_STATE, "invalid", FIREWALL_ANOTHER_STATE},
        {FIREWALL_STATE, "untracked", FIREWALL_ANOTHER_STATE},
        {FIREWALL_FAMILY, "ipv4", 4},
        {FIREWALL_FAMILY, "ip", 4},
        {FIREWALL_FAMILY, "ipv6", 6},
        {FIREWALL_FAMILY, "ip6", 6},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (words[i].field == field && strcmp(words[i].word, word) == 0) {
            *out = words[i].number;
            return true;
        }
    }
    return false;
}

/* The elements of a set by its name, "@ports". */
static const json_t *named_set(const struct reader *r, const char *name)
{
    for (size_t i = 0; i < json_array_size(r->list); i++) {
        const json_t *set = json_object_get(json_array_get(r->list, i), "set");
        if (set && strcmp(text_of(set, "name"), name) == 0 &&
            strcmp(text_of(set, "table"), text_of(r->rule, "table")) == 0 &&
            strcmp(text_of(set, "family"), text_of(r->rule, "family")) == 0) {
            return json_object_get(set, "elem");
        }
    }
    return NULL;
}

static void add_value(const struct reader *r, const json_t *value, unsigned depth,
                      struct firewall_match *m);

static void add_values(const struct reader *r, const json_t *list, unsigned depth,
                       struct firewall_match *m)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        add_value(r, json_array_get(list, i), depth + 1, m);
    }
}

static void add_text(const struct reader *r, const char *text, unsigned depth,
                     struct firewall_match *m)
{
    uint64_t number;
    if (text[0] == '@') {
        const json_t *set = named_set(r, text + 1);
        m->cut |= set == NULL;
        add_values(r, set, depth, m);
    } else if (m->field == FIREWALL_INTERFACE) {
        firewall_add_name(m, text);
    } else if (number_of(m->field, text, &number)) {
        firewall_add_range(m, number, number);
    } else {
        m->cut = true;
    }
}

/* A number, a word, a range, a set of these, or the name of a set. */
static void add_value(const struct reader *r, const json_t *value, unsigned depth,
                      struct firewall_match *m)
{
    const json_t *range = json_object_get(value, "range");
    const json_t *set = json_object_get(value, "set");
    const json_t *elem =
        json_object_get(value, "elem"); /* with a time-out or a counter */
    if (depth <= VALUE_DEPTH && json_is_integer(value)) {
        uint64_t number = (uint64_t)json_integer_value(value);
        firewall_add_range(m, number, number);
    } else if (depth <= VALUE_DEPTH && json_is_string(value)) {
        add_text(r, json_string_value(value), depth, m);
    } else if (depth <= VALUE_DEPTH && json_is_array(value)) {
        add_values(r, value, depth, m);
    } else if (depth <= VALUE_DEPTH && set) {
        add_value(r, set, depth + 1, m);
    } else if (depth <= VALUE_DEPTH && elem) {
        add_value(r, json_object_get(elem, "val"), depth + 1, m);
    } else if (json_array_size(range) == 2 && json_is_integer(json_array_get(range, 0))) {
        firewall_add_range(m, (uint64_t)json_integer_value(json_array_get(range, 0)),
                           (uint64_t)json_integer_value(json_array_get(range, 1)));
    } else {
        m->cut = true;
    }
}

/* -- matches ------------------------------------------------------------------------------ */

static bool is_one_of(const char *word, const char *const *words)
{
    for (; *words; words++) {
        if (strcmp(word, *words) == 0) {
            return true;
        }
    }
    return false;
}

/* Ports stand in a header of one protocol, which then must be that. */
static enum firewall_field payload_field(const json_t *payload,
                                         struct firewall_rule *rule)
{
    static const char *const others[] = {"icmp", "icmpv6", "igmp", "esp", "ah",
                                         "sctp", "dccp",   "arp",  NULL};
    const char *protocol = text_of(payload, "protocol");
    const char *field = text_of(payload, "field");
    bool udp = strcmp(protocol, "udp") == 0;
    if (udp || strcmp(protocol, "tcp") == 0) {
        struct firewall_match *m = firewall_add_match(rule, FIREWALL_PROTOCOL, false);
        if (m) {
            firewall_add_range(m, udp ? 17 : 6, udp ? 17 : 6);
        }
    }
    if (is_one_of(protocol, others)) {
        return FIREWALL_NEVER;
    }
    if (strcmp(field, "dport") == 0) {
        return FIREWALL_TO_PORT;
    }
    if (strcmp(field, "sport") == 0) {
        return FIREWALL_FROM_PORT;
    }
    return strcmp(field, "protocol") == 0 || strcmp(field, "nexthdr") == 0
               ? FIREWALL_PROTOCOL
               : FIREWALL_OTHER;
}

static enum firewall_field field_of(const json_t *left, struct firewall_rule *rule)
{
    const json_t *payload = json_object_get(left, "payload");
    const json_t *meta = json_object_get(left, "meta");
    const json_t *ct = json_object_get(left, "ct");
    const char *key = text_of(meta ? meta : ct, "key");
    if (payload) {
        return payload_field(payload, rule);
    }
    if (ct) {
        return strcmp(key, "state") == 0 ? FIREWALL_STATE : FIREWALL_OTHER;
    }
    if (strcmp(key, "iifname") == 0 || strcmp(key, "iif") == 0) {
        return FIREWALL_INTERFACE;
    }
    if (strcmp(key, "l4proto") == 0) {
        return FIREWALL_PROTOCOL;
    }
    return strcmp(key, "nfproto") == 0 || strcmp(key, "protocol") == 0 ? FIREWALL_FAMILY
                                                                       : FIREWALL_OTHER;
}

static void add_match(const struct reader *r, const json_t *left, const json_t *right,
                      const char *op, struct firewall_rule *rule)
{
    bool plain = strcmp(op, "==") == 0 || strcmp(op, "!=") == 0 || strcmp(op, "in") == 0;
    enum firewall_field field = plain ? field_of(left, rule) : FIREWALL_OTHER;
    struct firewall_match *m =
        firewall_add_match(rule, field, strcmp(op, "!=") == 0 && field != FIREWALL_NEVER);
    if (m && field != FIREWALL_OTHER && field != FIREWALL_NEVER) {
        add_value(r, right, 0, m);
    }
}

/* -- rules -------------------------------------------------------------------------------- */

static void set_target(const struct reader *r, const json_t *jump,
                       struct firewall_rule *rule)
{
    rule->target =
        (uint16_t)firewall_chain(r->f, text_of(r->rule, "family"),
                                 text_of(r->rule, "table"), text_of(jump, "target"));
}

/* False: the expression is no verdict. */
static bool read_verdict(const struct reader *r, const json_t *expr,
                         struct firewall_rule *rule)
{
    const json_t *jump = json_object_get(expr, "jump");
    const json_t *go = json_object_get(expr, "goto");
    if (json_object_get(expr, "accept")) {
        rule->verdict = FIREWALL_ACCEPT;
    } else if (json_object_get(expr, "drop") || json_object_get(expr, "reject")) {
        rule->verdict = FIREWALL_DROP;
    } else if (json_object_get(expr, "return")) {
        rule->verdict = FIREWALL_RETURN;
    } else if (jump || go) {
        rule->verdict = jump ? FIREWALL_JUMP : FIREWALL_GOTO;
        set_target(r, jump ? jump : go, rule);
    } else {
        return false;
    }
    return true;
}

/* `key vmap { value : verdict, ... }` is a rule for each pair, on top of what was asked so far. */
static void read_map(const struct reader *r, const json_t *vmap,
                     struct firewall_rule *rule)
{
    const struct firewall_rule begun = *rule;
    const json_t *set = json_object_get(json_object_get(vmap, "data"), "set");
    if (!json_is_array(set)) {
        rule->verdict = FIREWALL_ANYTHING;
        return;
    }
    for (size_t i = 0; i < json_array_size(set); i++) {
        const json_t *pair = json_array_get(set, i);
        struct firewall_rule *one = i == 0 ? rule : firewall_add_rule(r->f, begun.chain);
        if (!one) {
            return;
        }
        *one = begun;
        add_match(r, json_object_get(vmap, "key"), json_array_get(pair, 0), "==", one);
        if (!read_verdict(r, json_array_get(pair, 1), one)) {
            one->verdict = FIREWALL_CONTINUE;
        }
    }
}

/* What neither asks nor decides. */
static bool is_harmless(const json_t *expr)
{
    return json_object_get(expr, "counter") || json_object_get(expr, "log") ||
           json_object_get(expr, "mangle") || json_object_get(expr, "notrack") ||
           json_object_get(expr, "ct helper") || json_object_get(expr, "set");
}

static void read_expression(const struct reader *r, const json_t *expr,
                            struct firewall_rule *rule)
{
    const json_t *match = json_object_get(expr, "match");
    const json_t *vmap = json_object_get(expr, "vmap");
    if (match) {
        add_match(r, json_object_get(match, "left"), json_object_get(match, "right"),
                  text_of(match, "op"), rule);
    } else if (vmap) {
        read_map(r, vmap, rule);
    } else if (json_object_get(expr, "queue") || json_object_get(expr, "tproxy")) {
        rule->verdict = FIREWALL_ANYTHING;
    } else if (json_object_get(expr, "xt")) { /* of iptables: may ask or decide */
        rule->verdict = FIREWALL_ANYTHING;
        (void)firewall_add_match(rule, FIREWALL_OTHER, false);
    } else if (!read_verdict(r, expr, rule) && !is_harmless(expr)) {
        (void)firewall_add_match(rule, FIREWALL_OTHER, false); /* a limit, a quota */
    }
}

static void read_rule(struct reader *r, const json_t *json)
{
    const json_t *list = json_object_get(json, "expr");
    struct firewall_rule *rule = firewall_add_rule(
        r->f, firewall_chain(r->f, text_of(json, "family"), text_of(json, "table"),
                             text_of(json, "chain")));
    r->rule = json;
    for (size_t i = 0; rule && i < json_array_size(list); i++) {
        read_expression(r, json_array_get(list, i), rule);
    }
}

static bool is_of_ip(const json_t *json)
{
    const char *family = text_of(json, "family");
    return strcmp(family, "ip") == 0 || strcmp(family, "ip6") == 0 ||
           strcmp(family, "inet") == 0;
}

static void read_chain(const struct reader *r, const json_t *json)
{
    struct firewall_chain *c = firewall_add_chain(
        r->f, text_of(json, "family"), text_of(json, "table"), text_of(json, "name"));
    if (c) {
        const char *hook = text_of(json, "hook");
        c->input = strcmp(text_of(json, "type"), "filter") == 0 &&
                   (strcmp(hook, "input") == 0 || strcmp(hook, "prerouting") == 0);
        c->drops = strcmp(text_of(json, "policy"), "drop") == 0;
    }
}

bool nft_read(const char *text, size_t len, struct firewall *f)
{
    json_auto_t *root = json_loadb(text, len, 0, NULL);
    struct reader r = {.list = json_object_get(root, "nftables"), .f = f};
    size_t count = json_array_size(r.list);
    for (size_t i = 0; i < count; i++) {
        const json_t *chain = json_object_get(json_array_get(r.list, i), "chain");
        if (chain && is_of_ip(chain)) {
            read_chain(&r, chain);
        }
    }
    for (size_t i = 0; i < count; i++) {
        const json_t *rule = json_object_get(json_array_get(r.list, i), "rule");
        if (rule && is_of_ip(rule)) {
            read_rule(&r, rule);
        }
    }
    return json_is_array(r.list);
}
