/*
 * Places in a JSON text: config/comments, config/scan and config/locate, on text that is JSON
 * and on text that is not.
 *
 * Properties: blanking comments keeps length and line ends and is done once for all; each step
 * over a text goes forward and stays within; in a text that the JSON library takes, each value
 * is found where it stands: read alone from there it is the same value; an offset is the same
 * place whichever was asked for before.
 */
#include <jansson.h>

#include "config/comments.h"
#include "config/locate.h"
#include "tests/fuzz/fuzz.h"

static size_t count_lines(const char *text, size_t len)
{
    size_t lines = 0;
    for (size_t i = 0; i < len; i++) {
        lines += text[i] == '\n';
    }
    return lines;
}

static bool blank(char *text, size_t len)
{
    size_t at = SIZE_MAX;
    size_t lines = count_lines(text, len);
    enum comments_fault fault = comments_blank(text, len, &at);
    must((fault == COMMENTS_OK) == (at == SIZE_MAX) && count_lines(text, len) == lines);
    if (fault != COMMENTS_OK) {
        must(at <= len);
        return false;
    }
    char *once = fuzz_exact(rd_over(text, len));
    must(comments_blank(text, len, &at) == COMMENTS_OK && memcmp(once, text, len) == 0);
    free(once);
    return true;
}

static void scan_all(const char *text, size_t len)
{
    struct scan s = {text, len, 0};
    size_t last = 0;
    while (scan_token(&s)) {
        must(s.at > last && s.at <= len);
        last = s.at;
    }
    s.at = 0;
    scan_value(&s);
    must(s.at <= len);
}

/* What stands there is this value. */
static void check_value(const char *text, size_t len, size_t at, const json_t *value)
{
    json_t *again =
        json_loadb(text + at, len - at, JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK, NULL);
    must(again != NULL && json_equal(again, value));
    json_decref(again);
}

/* A key without escapes can be found by its text. */
static bool is_plain_key(const char *text, size_t len, const char *key)
{
    (void)text;
    (void)len;
    for (const char *p = key; *p; p++) {
        if (*p < 0x20 || *p == '"' || *p == '\\' || *p == '/' || *p == 0x7f) {
            return false;
        }
    }
    return true;
}

static void locate(const char *text, size_t len, const struct json_path *path,
                   const json_t *value, unsigned depth)
{
    char name[128];
    size_t at = json_locate(text, len, path);
    must(at < len);
    check_value(text, len, at, value);
    json_path_print(path, name, sizeof name);
    must(strnlen(name, sizeof name) < sizeof name &&
         json_locate_key(text, len, path) <= at);
    if (depth == 0) {
        return;
    }
    const char *key;
    json_t *member;
    json_object_foreach ((json_t *)value, key, member) {
        const struct json_path one = {path, key, 0, 0};
        if (is_plain_key(text, len, key)) {
            locate(text, len, &one, member, depth - 1);
        }
    }
    for (size_t i = 0; i < json_array_size(value) && i < 8; i++) {
        const struct json_path one = {path, NULL, i, 0};
        locate(text, len, &one, json_array_get(value, i), depth - 1);
    }
}

static void check_places(const char *text, size_t len)
{
    static struct json_lines one;
    static struct json_lines two;
    json_lines_init(&one, text, len);
    for (size_t i = 0; i <= len; i += 1 + len / 7) {
        json_lines_init(&two, text, len);
        struct json_place a = json_place(&one, len - i);
        struct json_place b = json_place(&two, len - i);
        must(a.line == b.line && a.column == b.column && a.line >= 1 && a.column >= 1);
        must((size_t)a.line == 1 + count_lines(text, len - i));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_exact(rd_over(data, size));
    if (blank(text, size)) {
        scan_all(text, size);
        check_places(text, size);
        bool escapes = size > 0 && memchr(text, '\\', size);
        json_t *root = json_loadb(text, size, 0, NULL);
        if (root && !escapes) {
            locate(text, size, NULL, root, 6);
        }
        json_decref(root);
    }
    free(text);
    return 0;
}
