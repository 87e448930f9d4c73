#include "config/comments.h"

#include <string.h>

struct cursor {
    char *text;
    size_t len;
    size_t at;
};

static int next_two(const struct cursor *c, const char *pair)
{
    return c->len - c->at >= 2 && !memcmp(c->text + c->at, pair, 2);
}

/* To behind the closing quote; a string that was left open ends with its line. */
static void skip_string(struct cursor *c)
{
    c->at++; /* opening quote */
    while (c->at < c->len && c->text[c->at] != '"' && c->text[c->at] != '\n') {
        c->at += c->text[c->at] == '\\' && c->len - c->at > 1 ? 2 : 1;
    }
    c->at += c->at < c->len;
}

/* Line breaks of both kinds stay where they are. */
static void blank(struct cursor *c, size_t count)
{
    for (size_t end = c->at + count; c->at < end; c->at++) {
        if (c->text[c->at] != '\n' && c->text[c->at] != '\r') {
            c->text[c->at] = ' ';
        }
    }
}

static void blank_line(struct cursor *c)
{
    const char *from = c->text + c->at;
    const char *end = memchr(from, '\n', c->len - c->at);
    blank(c, end ? (size_t)(end - from) : c->len - c->at);
}

static int blank_block(struct cursor *c)
{
    struct cursor end = *c;
    for (end.at += 2; end.at < end.len; end.at++) {
        if (next_two(&end, "*/")) {
            blank(c, end.at + 2 - c->at);
            return 1;
        }
    }
    return 0;
}

enum comments_fault comments_blank(char *text, size_t len, size_t *at)
{
    struct cursor c = {text, len, 0};

    if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {
        *at = 0;
        return COMMENTS_BYTE_ORDER_MARK;
    }
    if (len >= 2 && (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2))) {
        *at = 0;
        return COMMENTS_UTF16;
    }
    while (c.at < len) {
        if (text[c.at] == '"') {
            skip_string(&c);
        } else if (next_two(&c, "//")) {
            blank_line(&c);
        } else if (next_two(&c, "/*")) {
            if (!blank_block(&c)) {
                *at = c.at;
                return COMMENTS_UNTERMINATED;
            }
        } else {
            c.at++;
        }
    }
    return COMMENTS_OK;
}
