#include "config/scan.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_mark(char c)
{
    return c == '{' || c == '}' || c == '[' || c == ']' || c == ',' || c == ':';
}

char scan_peek(struct scan *s)
{
    while (s->at < s->len && is_blank(s->text[s->at])) {
        s->at++;
    }
    if (s->at == s->len) {
        return '\0';
    }
    return s->text[s->at];
}

bool scan_eat(struct scan *s, char c)
{
    if (scan_peek(s) != c || s->at == s->len) {
        return false;
    }
    s->at++;
    return true;
}

void scan_string(struct scan *s)
{
    s->at++; /* opening quote */
    while (s->at < s->len && s->text[s->at] != '"') {
        s->at += s->text[s->at] == '\\' && s->len - s->at > 1 ? 2 : 1;
    }
    s->at += s->at < s->len;
}

bool scan_token(struct scan *s)
{
    char c = scan_peek(s);
    if (s->at == s->len) {
        return false;
    }
    if (c == '"') {
        scan_string(s);
    } else if (is_mark(c)) {
        s->at++;
    } else {
        while (s->at < s->len && !is_blank(s->text[s->at]) && !is_mark(s->text[s->at]) &&
               s->text[s->at] != '"') {
            s->at++;
        }
    }
    return true;
}

void scan_value(struct scan *s)
{
    size_t depth = 0;
    do {
        char c = scan_peek(s);
        if (c == '{' || c == '[') {
            depth++;
        } else if ((c == '}' || c == ']') && depth > 0) {
            depth--;
        }
        if (!scan_token(s)) {
            return;
        }
    } while (depth > 0);
}
