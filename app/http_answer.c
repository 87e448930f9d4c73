#include "app/http_answer.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

struct http_answer http_answer_new(void)
{
    return (struct http_answer){.status = 200, .fd = -1};
}

void http_answer_add(struct http_answer *a, const char *name, const char *value)
{
    if (a->header_count == HTTP_HEADERS_MAX || strlen(value) >= HTTP_VALUE_SIZE) {
        return;
    }
    struct http_header *h = &a->header[a->header_count++];
    h->name = name;
    snprintf(h->value, sizeof h->value, "%s", value);
}

void http_answer_refuse(struct http_answer *a, unsigned status, const char *why)
{
    a->status = status;
    snprintf(a->text, sizeof a->text, "%s\n", why);
}

enum http_refused http_refused_of(unsigned status)
{
    switch (status) {
    case 400:
        return HTTP_BAD_REQUEST;
    case 403:
        return HTTP_FORBIDDEN;
    case 404:
        return HTTP_NOT_FOUND;
    case 405:
        return HTTP_READ_ONLY;
    case 416:
        return HTTP_NO_SUCH_PART;
    case 503:
        return HTTP_UNAVAILABLE;
    default:
        return HTTP_FAILED;
    }
}

const char *http_refused_name(enum http_refused why)
{
    static const char *const names[HTTP_REFUSED_COUNT] = {
        [HTTP_BAD_REQUEST] = "bad-request",   [HTTP_FORBIDDEN] = "forbidden",
        [HTTP_NOT_FOUND] = "not-found",       [HTTP_READ_ONLY] = "read-only",
        [HTTP_NO_SUCH_PART] = "no-such-part", [HTTP_FAILED] = "failed",
        [HTTP_UNAVAILABLE] = "unavailable",
    };
    return names[why];
}

bool http_answer_method(const struct http_request *q, struct http_answer *a)
{
    if (strcmp(q->method, "GET") == 0 || strcmp(q->method, "HEAD") == 0) {
        return true;
    }
    http_answer_refuse(a, 405, "this server is read only");
    http_answer_add(a, "Allow", "GET, HEAD");
    a->closes = true;
    return false;
}

/* -- dates -------------------------------------------------------------------------------- */

#define DAY INT64_C(86400)

/* Days since 1970 as a date: eras of 400 years, each beginning on the first of March. */
static void date_of(int64_t days, int64_t *year, unsigned *month, unsigned *day)
{
    int64_t from_0000 = days + 719468;
    int64_t era = from_0000 / 146097;
    unsigned of_era = (unsigned)(from_0000 - era * 146097);
    unsigned years = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    unsigned of_year = of_era - (365 * years + years / 4 - years / 100);
    unsigned from_march = (5 * of_year + 2) / 153;
    *day = of_year - (153 * from_march + 2) / 5 + 1;
    *month = from_march < 10 ? from_march + 3 : from_march - 9;
    *year = (int64_t)years + era * 400 + (*month <= 2);
}

char *http_date(int64_t seconds, char buf[HTTP_DATE_SIZE])
{
    static const char names[] = "ThuFriSatSunMonTueWed";
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    int64_t year;
    unsigned month;
    unsigned day;
    seconds = seconds < 0 ? 0 : seconds; /* no file is that old, and no client minds */
    int64_t days = seconds / DAY;
    unsigned of_day = (unsigned)(seconds % DAY);
    date_of(days, &year, &month, &day);
    snprintf(buf, HTTP_DATE_SIZE, "%.3s, %02u %.3s %04u %02u:%02u:%02u GMT",
             names + 3 * (days % 7), day, months + (size_t)3 * (month - 1),
             (unsigned)(year % 10000), of_day / 3600, of_day / 60 % 60, of_day % 60);
    return buf;
}

/* -- files -------------------------------------------------------------------------------- */

const char *http_type_of(const char *name)
{
    static const struct {
        const char *ending;
        const char *type;
    } rows[] = {
        {"efi", "application/efi"}, /* UEFI 2.10 section 24.7.3.2: these three */
        {"iso", "application/vnd.efi-iso"},
        {"img", "application/vnd.efi-img"},
        {"ipxe", "text/plain"},
        {"cfg", "text/plain"},
        {"txt", "text/plain"},
        {"json", "application/json"},
        {"xml", "application/xml"},
        {"html", "text/html"},
    };
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof rows / sizeof rows[0]; i++) {
        if (strcasecmp(dot + 1, rows[i].ending) == 0) {
            return rows[i].type;
        }
    }
    return "application/octet-stream";
}

#define ETAG_SIZE 64

/* What tells one version of the file from another. */
struct validators {
    char etag[ETAG_SIZE];
    char date[HTTP_DATE_SIZE];
};

static struct validators validators_of(const struct stamp *f)
{
    struct validators v;
    /* Images that are built to be the same each time have the same time, too. */
    snprintf(v.etag, sizeof v.etag, "\"%llx.%llx-%llx\"", (unsigned long long)f->written,
             (unsigned long long)f->changed, (unsigned long long)f->size);
    (void)http_date(f->written / NSEC_PER_SEC, v.date);
    return v;
}

/*
 * RFC 9110 section 13.2.2: If-None-Match, where it is, decides alone.  A date is compared as
 * text: a client sends back the one it was given.
 */
static bool has_it(const struct http_request *q, const struct validators *v)
{
    if (q->if_none_match) {
        return strcmp(q->if_none_match, "*") == 0 || strstr(q->if_none_match, v->etag);
    }
    return q->if_modified_since && strcmp(q->if_modified_since, v->date) == 0;
}

/* A client that would go on with another version of the file gets all of it anew. */
static bool may_go_on(const struct http_request *q, const struct validators *v)
{
    return !q->if_range || strcmp(q->if_range, v->etag) == 0 ||
           strcmp(q->if_range, v->date) == 0;
}

static void put_part(const struct http_request *q, const struct stamp *f,
                     struct http_answer *a)
{
    char range[80];
    switch (http_range_read(q->range, f->size, &a->offset, &a->len)) {
    case HTTP_RANGE_WHOLE:
        break;
    case HTTP_RANGE_PART:
        a->status = 206;
        snprintf(
            range, sizeof range, "bytes %llu-%llu/%llu", (unsigned long long)a->offset,
            (unsigned long long)(a->offset + a->len - 1), (unsigned long long)f->size);
        http_answer_add(a, "Content-Range", range);
        break;
    case HTTP_RANGE_NONE:
        http_answer_refuse(a, 416, "the file is not that long");
        snprintf(range, sizeof range, "bytes */%llu", (unsigned long long)f->size);
        http_answer_add(a, "Content-Range", range);
        a->len = 0;
        break;
    }
}

void http_answer_file(const struct http_request *q, const struct stamp *f,
                      struct http_answer *a)
{
    struct validators v = validators_of(f);
    a->offset = 0;
    a->len = f->size;
    http_answer_add(a, "Accept-Ranges", "bytes");
    http_answer_add(a, "Last-Modified", v.date);
    http_answer_add(a, "ETag", v.etag);
    if (has_it(q, &v)) {
        a->status = 304;
        a->len = 0;
    } else if (q->range && may_go_on(q, &v)) {
        put_part(q, f, a);
    }
}
