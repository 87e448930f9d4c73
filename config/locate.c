#include "config/locate.h"

#include <stdio.h>
#include <string.h>

/* Onto the value of a member, *key at its key.  False: s is anywhere in the object. */
static bool enter_member(struct scan *s, const char *name, size_t *key)
{
    struct scan found = {0};
    size_t len = strlen(name);

    if (!scan_eat(s, '{')) {
        return false;
    }
    while (scan_peek(s) == '"') {
        size_t quote = s->at;
        scan_string(s);
        bool hit = s->at - quote == len + 2 && !memcmp(s->text + quote + 1, name, len);
        if (!scan_eat(s, ':')) {
            break;
        }
        if (hit) {
            found = *s;
            *key = quote;
        }
        scan_value(s);
        if (!scan_eat(s, ',')) {
            break;
        }
    }
    if (!found.text) {
        return false;
    }
    *s = found;
    return true;
}

static bool enter_item(struct scan *s, size_t index)
{
    if (!scan_eat(s, '[')) {
        return false;
    }
    while (index-- > 0) {
        scan_value(s);
        if (!scan_eat(s, ',')) {
            return false;
        }
    }
    return scan_peek(s) != ']';
}

/*
 * False: something on the way could not be told apart, s is at the value around it.
 * Recursion goes as deep as the path, which the schema bounds.
 */
static bool walk(struct scan *s, const struct json_path *path, size_t *key)
{
    if (path && path->offset > 0) {
        s->at = path->offset;
        return true;
    }
    if (!path || !walk(s, path->up, key)) {
        return !path;
    }
    (void)scan_peek(s);
    struct scan here = *s;
    bool found = path->key ? enter_member(s, path->key, key) : enter_item(s, path->index);
    if (!found) {
        *s = here;
    }
    return found;
}

size_t json_locate(const char *text, size_t len, const struct json_path *path)
{
    struct scan s = {text, len, 0};
    size_t key;
    (void)walk(&s, path, &key);
    (void)scan_peek(&s);
    return s.at;
}

size_t json_locate_key(const char *text, size_t len, const struct json_path *path)
{
    if (!path || !path->key) {
        return json_locate(text, len, path);
    }
    struct json_path fresh = *path; /* a known offset says nothing about the key */
    fresh.offset = 0;
    struct scan s = {text, len, 0};
    size_t key = 0;
    bool found = walk(&s, &fresh, &key);
    (void)scan_peek(&s);
    return found ? key : s.at;
}

struct scan json_items(const char *text, size_t len, size_t list)
{
    struct scan s = {text, len, list};
    (void)scan_eat(&s, '[');
    return s;
}

size_t json_items_next(struct scan *items)
{
    (void)scan_peek(items);
    size_t at = items->at;
    scan_value(items);
    (void)scan_eat(items, ',');
    return at;
}

void json_path_print(const struct json_path *path, char *buf, size_t size)
{
    if (!path) {
        buf[0] = '\0';
        return;
    }
    json_path_print(path->up, buf, size);
    size_t used = strlen(buf);
    if (path->key) {
        snprintf(buf + used, size - used, "%s%s", used > 0 ? "." : "", path->key);
    } else {
        snprintf(buf + used, size - used, "[%zu]", path->index);
    }
}

void json_lines_init(struct json_lines *lines, const char *text, size_t len)
{
    lines->text = text;
    lines->len = len;
    lines->known = 1;
    lines->recent = (struct json_mark){0};
    lines->mark[0] = (struct json_mark){0};
}

/* Count line breaks from a mark on. */
static struct json_mark advance(const struct json_lines *lines, struct json_mark m,
                                size_t to)
{
    const char *end = lines->text + to;
    const char *p = lines->text + m.at;
    while (p < end && (p = memchr(p, '\n', (size_t)(end - p)))) {
        p++;
        m.line++;
        m.start = (uint32_t)(p - lines->text);
    }
    m.at = (uint32_t)to;
    return m;
}

struct json_place json_place(struct json_lines *lines, size_t offset)
{
    size_t at = offset < lines->len ? offset : lines->len;
    size_t step = at / JSON_LINES_STEP;
    for (; lines->known <= step; lines->known++) {
        lines->mark[lines->known] =
            advance(lines, lines->mark[lines->known - 1], lines->known * JSON_LINES_STEP);
    }
    struct json_mark from = lines->mark[step];
    if (lines->recent.at > from.at && lines->recent.at <= at) {
        from = lines->recent;
    }
    lines->recent = advance(lines, from, at);
    return (struct json_place){(int)lines->recent.line + 1,
                               (int)(at - lines->recent.start) + 1};
}
