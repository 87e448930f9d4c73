#include "app/probe/http_head.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/text.h"

static bool copy(const char *from, size_t len, char *to, size_t size)
{
    if (len == 0 || len >= size) {
        return false;
    }
    memcpy(to, from, len);
    to[len] = '\0';
    return true;
}

bool http_url_read(const char *url, struct http_url *out)
{
    static const char scheme[] = "http://";
    uint64_t port;
    if (strncmp(url, scheme, sizeof scheme - 1) != 0) {
        return false;
    }
    const char *at = url + sizeof scheme - 1;
    bool bracket = *at == '[';
    at += bracket;
    size_t len = strcspn(at, bracket ? "]" : ":/");
    if (!copy(at, len, out->host, sizeof out->host) || (bracket && at[len] != ']')) {
        return false;
    }
    at += len + bracket;
    snprintf(out->port, sizeof out->port, "80");
    if (*at == ':') {
        len = strcspn(++at, "/");
        if (!copy(at, len, out->port, sizeof out->port) ||
            !text_decimal(out->port, &port) || port == 0 || port > 65535) {
            return false;
        }
        at += len;
    }
    if (*at == '\0') {
        at = "/";
    }
    for (const char *c = at; *c; c++) {
        if (*c <= ' ' || *c > '~') { /* else it would end up in the request as it is */
            return false;
        }
    }
    return *at == '/' && copy(at, strlen(at), out->path, sizeof out->path);
}

/* The value of a field; NULL: the line holds another one. */
static const char *value_of(const char *line, const char *name)
{
    size_t len = strlen(name);
    if (strncasecmp(line, name, len) != 0 || line[len] != ':') {
        return NULL;
    }
    line += len + 1;
    while (*line == ' ' || *line == '\t') {
        line++;
    }
    return line;
}

/* False: a number that is none. */
static bool read_field(const char *line, struct http_head *out)
{
    const char *length = value_of(line, "Content-Length");
    const char *coding = value_of(line, "Transfer-Encoding");
    if (length) {
        out->has_length = true;
        return text_decimal(length, &out->length);
    }
    if (coding) {
        out->chunked = true;
    }
    return true;
}

static bool read_status(const char *line, struct http_head *out)
{
    char digits[4];
    uint64_t status;
    if (strncmp(line, "HTTP/1.", 7) != 0 || strlen(line) < 12 || line[8] != ' ' ||
        !copy(line + 9, 3, digits, sizeof digits) || !text_decimal(digits, &status)) {
        return false;
    }
    out->status = (unsigned)status;
    return true;
}

enum http_read http_head_read(const char *text, size_t len, struct http_head *out)
{
    char line[512] = "";
    const char *end = text + len;
    *out = (struct http_head){0};
    for (const char *at = text; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) {
            return HTTP_MORE;
        }
        size_t n = (size_t)(stop - at);
        n -= n > 0 && at[n - 1] == '\r';
        if (n == 0 && at > text) {
            out->len = (size_t)(stop + 1 - text);
            return HTTP_WHOLE;
        }
        size_t kept = n < sizeof line ? n : sizeof line - 1;
        memcpy(line, at, kept);
        line[kept] = '\0';
        if (at == text ? !read_status(line, out) : !read_field(line, out)) {
            return HTTP_BROKEN;
        }
        at = stop + 1;
    }
    return HTTP_MORE;
}
