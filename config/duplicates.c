#include "config/duplicates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/scan.h"

struct key {
    const char *at; /* behind the opening quote */
    size_t len;
};

/* Keys of all objects that are open, the innermost object's last. */
struct search {
    struct scan scan;
    struct key *keys;
    size_t count;
    size_t room;
    char path[128];
    size_t path_len; /* as if path had no end */
    void (*found)(void *arg, const struct duplicate *d);
    void *arg;
    bool no_memory;
};

static int by_spelling(const void *left, const void *right)
{
    const struct key *a = left;
    const struct key *b = right;
    int order = memcmp(a->at, b->at, a->len < b->len ? a->len : b->len);
    if (order != 0) {
        return order;
    }
    if (a->len != b->len) {
        return a->len < b->len ? -1 : 1;
    }
    return a->at < b->at ? -1 : a->at > b->at;
}

static void add_key(struct search *s, struct key key)
{
    if (s->count == s->room) {
        size_t room = s->room ? 2 * s->room : 64;
        struct key *keys = realloc(s->keys, room * sizeof *keys);
        if (!keys) {
            s->no_memory = true;
            return;
        }
        s->keys = keys;
        s->room = room;
    }
    s->keys[s->count++] = key;
}

/* Longer paths than the buffer are cut. */
static void push(struct search *s, const char *dot, const char *name, size_t len)
{
    size_t used = s->path_len < sizeof s->path ? s->path_len : sizeof s->path - 1;
    snprintf(s->path + used, sizeof s->path - used, "%s%.*s", used > 0 ? dot : "",
             len < 128 ? (int)len : 128, name);
    s->path_len = strlen(s->path);
}

static void pop(struct search *s, size_t path_len)
{
    s->path_len = path_len;
    s->path[path_len] = '\0';
}

/* Tell every key of the object that was there before, and forget its keys. */
static void close_object(struct search *s, size_t base)
{
    if (s->count - base > 1) {
        qsort(s->keys + base, s->count - base, sizeof *s->keys, by_spelling);
    }
    const struct key *first = s->keys + base;
    for (size_t i = base + 1; i < s->count; i++) {
        const struct key *k = &s->keys[i];
        if (k->len != first->len || memcmp(k->at, first->at, k->len) != 0) {
            first = k;
            continue;
        }
        size_t path_len = s->path_len;
        push(s, ".", k->at, k->len);
        s->found(s->arg,
                 &(struct duplicate){(size_t)(first->at - 1 - s->scan.text),
                                     (size_t)(k->at - 1 - s->scan.text), s->path});
        pop(s, path_len);
    }
    s->count = base;
}

static void search_value(struct search *s);

static void search_object(struct search *s)
{
    size_t base = s->count;
    size_t path_len = s->path_len;
    while (scan_peek(&s->scan) == '"') {
        size_t quote = s->scan.at;
        scan_string(&s->scan);
        struct key key = {s->scan.text + quote + 1, s->scan.at - quote - 2};
        add_key(s, key);
        (void)scan_eat(&s->scan, ':');
        push(s, ".", key.at, key.len);
        search_value(s);
        pop(s, path_len);
        (void)scan_eat(&s->scan, ',');
    }
    (void)scan_eat(&s->scan, '}');
    close_object(s, base);
}

static void search_list(struct search *s)
{
    size_t path_len = s->path_len;
    for (size_t i = 0; scan_peek(&s->scan) != ']' && s->scan.at < s->scan.len; i++) {
        char index[32];
        snprintf(index, sizeof index, "[%zu]", i);
        push(s, "", index, strlen(index));
        search_value(s);
        pop(s, path_len);
        (void)scan_eat(&s->scan, ',');
    }
    (void)scan_eat(&s->scan, ']');
}

/* Recursion goes as deep as the values do, which the JSON library has bounded (2048). */
static void search_value(struct search *s)
{
    if (scan_eat(&s->scan, '{')) {
        search_object(s);
    } else if (scan_eat(&s->scan, '[')) {
        search_list(s);
    } else {
        (void)scan_token(&s->scan);
    }
}

bool duplicates_find(const char *text, size_t len,
                     void (*found)(void *arg, const struct duplicate *d), void *arg)
{
    struct search s = {.scan = {text, len, 0}, .found = found, .arg = arg};
    search_value(&s);
    free(s.keys);
    return !s.no_memory;
}
