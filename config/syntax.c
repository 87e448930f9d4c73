#include "config/syntax.h"

#include <string.h>

#include "config/comments.h"
#include "config/duplicates.h"
#include "config/scan.h"

/* What stands where the parser gave up. */
struct trouble {
    size_t token;  /* where the word, mark or string begins */
    size_t read;   /* the last octet that was read */
    size_t next;   /* the octet after that */
    char first;    /* of the token; NUL at the end of the text */
    char previous; /* last octet before the token that is no blank; NUL: none */
    bool at_end;
    bool host_file;
};

/* The parser counts what it has read, so its position lies in or behind the token. */
static struct trouble find_trouble(const struct reader *r, const json_error_t *e)
{
    size_t read = e->position > 0 ? (size_t)e->position : 1;
    struct scan s = {r->text, r->len, 0};
    struct trouble t = {.host_file = r->host_file};
    size_t behind = 0; /* the last token so far */

    while (scan_peek(&s), t.token = s.at, scan_token(&s)) {
        if (s.at >= read) {
            t.first = r->text[t.token];
            break;
        }
        behind = s.at;
    }
    if (behind > 0) {
        t.previous = r->text[behind - 1];
    }
    t.read = read - 1 < r->len ? read - 1 : r->len;
    t.next = read < r->len ? read : r->len;
    t.at_end = t.first == '\0' || (t.first != '"' && strstr(e->text, "near end of file"));
    if (t.at_end) {
        t.token = t.first ? s.at : behind;
    }
    return t;
}

static const char *unexpected_words(const struct trouble *t)
{
    if (t->previous == ',' && strchr("]},", t->first)) {
        return "the comma before this is one too many";
    }
    if (t->first == ']' || t->first == '}' || t->first == ',' || t->first == ':') {
        return "a value is missing before this";
    }
    return "a value is expected here";
}

static const char *token_words(const struct trouble *t)
{
    switch (t->first) {
    case '#':
        return "this is no JSON; a comment begins with //";
    case '\'':
        return "this is no JSON; strings stand in double quotes";
    default:
        return "this is no JSON: a value is a string in double quotes, a number, true, "
               "false, a list [ ] or an object { }";
    }
}

static const char *key_words(const struct trouble *t)
{
    if (t->previous == ',' && (t->first == '}' || t->first == ',')) {
        return "the comma before this is one too many";
    }
    if (t->first == '#' || t->first == '\'') {
        return token_words(t);
    }
    return "a key in double quotes is expected here";
}

static const char *begin_words(const struct trouble *t)
{
    if (t->first == '#') {
        return token_words(t);
    }
    return t->host_file ? "a host file holds one host { ... } or a list [ ... ] of them"
                        : "the configuration must be one object { ... }";
}

static const char *missing_end_words(const struct trouble *t)
{
    return t->previous ? "the text ends here, but something is still open: a \"}\" or "
                         "\"]\" is missing"
                       : "there is nothing in this file";
}

/* clang-format off */
static const struct words {
    const char *parser; /* how the JSON library begins its message */
    enum {
        TOKEN, /* all of it is wrong */
        READ,  /* the octet that was read last is */
        NEXT,  /* the octet that was not taken is */
    } where;
    const char *ours;
    const char *(*choose)(const struct trouble *t); /* instead of ours */
} words[] = {
    {"'}' expected", TOKEN, "a comma or \"}\" is missing before this", NULL},
    {"']' expected", TOKEN, "a comma or \"]\" is missing before this", NULL},
    {"':' expected", TOKEN, "a colon is missing between the key and this", NULL},
    {"string or '}' expected", TOKEN, NULL, key_words},
    {"unexpected token", TOKEN, NULL, unexpected_words},
    {"invalid token", TOKEN, NULL, token_words},
    {"'[' or '{' expected", TOKEN, NULL, begin_words},
    {"end of file expected", TOKEN,
     "nothing may follow the end of the object; is a brace above closed too early?", NULL},
    {"premature end of input", TOKEN, "this string is not closed", NULL},
    {"unexpected newline", TOKEN, "this string is not closed on its line", NULL},
    {"control character", NEXT, "a control character in a string", NULL},
    {"invalid escape", READ, "unknown escape; a backslash itself is written \\\\", NULL},
    {"invalid Unicode", TOKEN, "a \\u escape in this string stands for no character", NULL},
    {"unable to decode", NEXT, "this is not UTF-8 text", NULL},
    {"too big", TOKEN, "this number is too big", NULL},
    {"real number overflow", TOKEN, "this number is too big", NULL},
    {"maximum parsing depth", TOKEN, "nested too deeply", NULL},
    {"NUL byte in object key", TOKEN, "a key may not hold \\u0000", NULL},
};
/* clang-format on */

static void complain_syntax(struct reader *r, const json_error_t *e)
{
    struct trouble t = find_trouble(r, e);

    if (e->text[0] == '\0' || json_error_code(e) == json_error_out_of_memory) {
        complain_at(r, 0, "", "out of memory");
        return;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const struct words *w = &words[i];
        if (strncmp(e->text, w->parser, strlen(w->parser)) != 0) {
            continue;
        }
        const char *text = w->choose ? w->choose(&t) : w->ours;
        if (t.at_end && w->where == TOKEN) {
            text = missing_end_words(&t);
        }
        const size_t places[] = {[TOKEN] = t.token, [READ] = t.read, [NEXT] = t.next};
        complain_at(r, places[w->where], "", "%s", text);
        return;
    }
    complain_at(r, t.token, "", "%s", e->text);
}

static void complain_duplicate(void *arg, const struct duplicate *d)
{
    struct reader *r = arg;
    complain_at(r, d->again, d->path, "the same key again; it stands already on line %d",
                json_place(&r->lines, d->first).line);
}

static void complain_duplicates(struct reader *r, const json_error_t *e)
{
    size_t before = r->faults->errors;
    if (!duplicates_find(r->text, r->len, complain_duplicate, r)) {
        no_memory(r, NULL);
    }
    if (r->faults->errors == before) { /* one of the two is spelled with escapes */
        complain_at(r, find_trouble(r, e).token, "", "the same key again in one object");
    }
}

static bool blank_comments(struct reader *r, char *text)
{
    size_t at = 0;
    switch (comments_blank(text, r->len, &at)) {
    case COMMENTS_OK:
        return true;
    case COMMENTS_BYTE_ORDER_MARK:
        complain_at(r, at, "",
                    "the file begins with a byte order mark (an invisible U+FEFF "
                    "that some editors add); save it as UTF-8 without one");
        break;
    case COMMENTS_UTF16:
        complain_at(r, at, "", "the file is UTF-16 text; save it as UTF-8");
        break;
    case COMMENTS_UNTERMINATED:
        complain_at(r, at, "", "this comment has no end; \"*/\" is missing");
        break;
    }
    return false;
}

json_t *syntax_read(struct reader *r, char *text)
{
    json_error_t e;

    if (!blank_comments(r, text)) {
        return NULL;
    }
    /* NUL in strings is let through: the reader of the value can say where it stands. */
    json_t *root = json_loadb(text, r->len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &e);
    if (root) {
        return root;
    }
    if (json_error_code(&e) != json_error_duplicate_key) {
        complain_syntax(r, &e);
        return NULL;
    }
    json_error_t other;
    root = json_loadb(text, r->len, JSON_ALLOW_NUL, &other);
    if (!root) {
        complain_syntax(r, &other);
        return NULL;
    }
    complain_duplicates(r, &e);
    return root;
}
