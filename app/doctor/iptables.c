#include "app/doctor/iptables.h"

#include <stdio.h>
#include <string.h>

#include "common/text.h"

#define LINE_MAX_SIZE 1024
#define WORDS         64

struct reader {
    struct firewall *f;
    const char *family;
    char table[32];
};

/* One rule's words, as far as they are read. */
struct words {
    char *word[WORDS];
    size_t count;
    size_t at;
};

static const char *next_word(struct words *w)
{
    return w->at < w->count ? w->word[w->at++] : "";
}

static void split(char *line, struct words *out)
{
    *out = (struct words){.count = 0};
    for (char *at = line; *at && out->count < WORDS;) {
        out->word[out->count++] = at;
        at += strcspn(at, " ");
        if (*at) {
            *at++ = '\0';
        }
    }
}

static size_t find(const struct reader *r, const char *name)
{
    return firewall_chain(r->f, r->family, r->table, name);
}

/* -- values ------------------------------------------------------------------------------- */

static void add_port(struct firewall_match *m, char *text)
{
    uint64_t from;
    uint64_t to;
    char *colon = strchr(text, ':');
    if (colon) {
        *colon = '\0';
    }
    if (text_decimal(text, &from) && text_decimal(colon ? colon + 1 : text, &to)) {
        firewall_add_range(m, from, to);
    } else {
        m->cut = true;
    }
}

static void add_state(struct firewall_match *m, char *text)
{
    uint64_t state = strcmp(text, "NEW") == 0           ? FIREWALL_NEW
                     : strcmp(text, "ESTABLISHED") == 0 ? FIREWALL_ESTABLISHED
                                                        : FIREWALL_ANOTHER_STATE;
    firewall_add_range(m, state, state);
}

static void add_protocol(struct firewall_match *m, char *text)
{
    uint64_t number = strcmp(text, "udp") == 0   ? 17
                      : strcmp(text, "tcp") == 0 ? 6
                                                 : 255; /* none that is asked for */
    firewall_add_range(m, number, number);
}

static void add_list(struct firewall_match *m, const char *list,
                     void (*add)(struct firewall_match *m, char *text))
{
    char one[32];
    for (const char *at = list; *at;) {
        size_t len = strcspn(at, ",");
        if (len >= sizeof one) {
            m->cut = true;
            return;
        }
        memcpy(one, at, len);
        one[len] = '\0';
        add(m, one);
        at += len + (at[len] == ',');
    }
}

/* -- rules -------------------------------------------------------------------------------- */

static const struct {
    const char *word;
    enum firewall_field field;
    void (*add)(struct firewall_match *m, char *text);
} options[] = {
    {"-p", FIREWALL_PROTOCOL, add_protocol},  {"--dport", FIREWALL_TO_PORT, add_port},
    {"--dports", FIREWALL_TO_PORT, add_port}, {"--ctstate", FIREWALL_STATE, add_state},
    {"--state", FIREWALL_STATE, add_state},
};

static void read_target(const struct reader *r, const char *word, bool go,
                        struct firewall_rule *rule)
{
    static const char *const harmless[] = {"LOG",      "NFLOG", "MARK",
                                           "CONNMARK", "TRACE", "ULOG"};
    if (strcmp(word, "ACCEPT") == 0) {
        rule->verdict = FIREWALL_ACCEPT;
    } else if (strcmp(word, "DROP") == 0 || strcmp(word, "REJECT") == 0) {
        rule->verdict = FIREWALL_DROP;
    } else if (strcmp(word, "RETURN") == 0) {
        rule->verdict = FIREWALL_RETURN;
    } else if (find(r, word) < FIREWALL_CHAINS) {
        rule->verdict = go ? FIREWALL_GOTO : FIREWALL_JUMP;
        rule->target = (uint16_t)find(r, word);
    } else {
        rule->verdict = FIREWALL_ANYTHING;
    }
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++) {
        if (strcmp(word, harmless[i]) == 0) {
            rule->verdict = FIREWALL_CONTINUE;
        }
    }
}

/* True: the word was one of those above. */
static bool read_option(struct words *w, const char *word, bool negated,
                        struct firewall_rule *rule)
{
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (strcmp(options[i].word, word) == 0) {
            const char *value = next_word(w);
            struct firewall_match *m =
                firewall_add_match(rule, options[i].field, negated);
            if (m) {
                add_list(m, value, options[i].add);
            }
            return true;
        }
    }
    return false;
}

static void read_word(const struct reader *r, struct words *w, const char *word,
                      struct firewall_rule *rule)
{
    bool negated = strcmp(word, "!") == 0;
    word = negated ? next_word(w) : word;
    if (strcmp(word, "-i") == 0) {
        struct firewall_match *m = firewall_add_match(rule, FIREWALL_INTERFACE, negated);
        if (m) {
            firewall_add_name(m, next_word(w));
        }
    } else if (strcmp(word, "-j") == 0 || strcmp(word, "-g") == 0) {
        read_target(r, next_word(w), word[1] == 'g', rule);
        w->at = w->count; /* what follows belongs to the target */
    } else if (strcmp(word, "-m") == 0) {
        (void)next_word(w); /* its options say what it asks */
    } else if (strcmp(word, "--comment") == 0) {
        const char *text = next_word(w);
        size_t len = strlen(text);
        bool open = text[0] == '"' && (len < 2 || text[len - 1] != '"');
        while (open && w->at < w->count) {
            text = next_word(w);
            len = strlen(text);
            open = len == 0 || text[len - 1] != '"';
        }
    } else if (!read_option(w, word, negated, rule)) {
        (void)firewall_add_match(rule, FIREWALL_OTHER, false);
    }
}

static void read_rule(const struct reader *r, char *line)
{
    struct words w;
    split(line, &w);
    (void)next_word(&w); /* -A */
    size_t chain = find(r, next_word(&w));
    struct firewall_rule *rule = firewall_add_rule(r->f, chain);
    while (rule && w.at < w.count) {
        read_word(r, &w, next_word(&w), rule);
    }
    if (rule && w.count == WORDS) {
        (void)firewall_add_match(rule, FIREWALL_OTHER, false);
    }
}

/* ":INPUT DROP [0:0]" */
static void read_chain(const struct reader *r, char *line)
{
    struct words w;
    split(line + 1, &w);
    const char *name = next_word(&w);
    const char *policy = next_word(&w);
    struct firewall_chain *c = firewall_add_chain(r->f, r->family, r->table, name);
    if (c) {
        c->input = strcmp(name, "INPUT") == 0 ||
                   (strcmp(name, "PREROUTING") == 0 && strcmp(r->table, "nat") != 0);
        c->drops = strcmp(policy, "DROP") == 0;
    }
}

static void read_line(struct reader *r, char *line)
{
    if (line[0] == '*') {
        snprintf(r->table, sizeof r->table, "%.31s", line + 1);
    } else if (line[0] == ':') {
        read_chain(r, line);
    } else if (strncmp(line, "-A ", 3) == 0) {
        read_rule(r, line);
    }
}

void iptables_read(const char *text, size_t len, bool ipv6, struct firewall *f)
{
    char line[LINE_MAX_SIZE];
    struct reader r = {.f = f, .family = ipv6 ? "ip6" : "ip"};
    for (size_t at = 0; at < len;) {
        const char *stop = memchr(text + at, '\n', len - at);
        size_t n = stop ? (size_t)(stop - (text + at)) : len - at;
        if (n < sizeof line) {
            memcpy(line, text + at, n);
            line[n] = '\0';
            read_line(&r, line);
        } else {
            f->cut = true;
        }
        at += n + 1;
    }
}
