/*
 * app/http_answer: what an HTTP client gets, as a value.
 *
 * A body is one of these: malloc'd octets, a part of an open file, or the words of `text`.
 *
 * Spec: RFC 9110 section 13.2 (conditions in order), 14.2 (ranges), 15 (status codes).
 * Units: octets.
 * Ownership: octets and fd belong to the server once the answer is given; type stays with
 * whoever has it, for good (a literal).  Pure.
 */
#ifndef APP_HTTP_ANSWER_H
#define APP_HTTP_ANSWER_H

#include "app/http_request.h"
#include "tftp/stamp.h"

#define HTTP_HEADERS_MAX 8
#define HTTP_VALUE_SIZE  320 /* a Content-Security-Policy is long */

struct http_header {
    const char *name; /* a literal */
    char value[HTTP_VALUE_SIZE];
};

struct http_quest;

struct http_answer {
    unsigned status;
    const char *type;   /* of the body: "text/html; charset=utf-8"; NULL: text/plain */
    void *octets;       /* malloc'd, or NULL */
    int fd;             /* a regular file, or -1; read from `offset` on */
    struct stamp stamp; /* its version: another one breaks off */
    uint64_t offset;
    uint64_t len;   /* of octets, or of the part of the file */
    char text[120]; /* when there is neither */
    struct http_header header[HTTP_HEADERS_MAX];
    size_t header_count;
    bool closes;              /* the connection ends with this answer */
    void *transfer;           /* NULL, or what app/http.c is told the end of */
    struct http_quest *quest; /* no answer yet: to be looked for first (app/http_files) */
    bool tell_whole;          /* the end is told once the client has acknowledged all */
};

/* Why a request got no more than a sentence; names as in documents and metrics. */
enum http_refused {
    HTTP_BAD_REQUEST,
    HTTP_FORBIDDEN,
    HTTP_NOT_FOUND,
    HTTP_READ_ONLY,
    HTTP_NO_SUCH_PART, /* of a file */
    HTTP_FAILED,
    HTTP_UNAVAILABLE, /* it may be better in a moment */
    HTTP_REFUSED_COUNT,
};

enum http_refused http_refused_of(unsigned status);
const char *http_refused_name(enum http_refused why);

/* 200 without a body: what every answer begins as. */
struct http_answer http_answer_new(void);

/* A value that is too long, or one field more than there is room for, is left out. */
void http_answer_add(struct http_answer *a, const char *name, const char *value);

/* Instead of a body: one sentence. */
void http_answer_refuse(struct http_answer *a, unsigned status, const char *why);

/* True: GET or HEAD.  False: *a says what may be asked. */
bool http_answer_method(const struct http_request *q, struct http_answer *a);

/*
 * All of the file, a part of it, or that the client has it already (304), or that the part
 * is not there (416): status, header fields, offset and len.
 */
void http_answer_file(const struct http_request *q, const struct stamp *f,
                      struct http_answer *a);

/* By the ending of its name; firmware goes by this type or by that ending. */
const char *http_type_of(const char *name);

#define HTTP_DATE_SIZE 32
/* "Mon, 30 Nov 2026 10:00:00 GMT" (RFC 9110 section 5.6.7).  Returns buf. */
char *http_date(int64_t seconds, char buf[HTTP_DATE_SIZE]);

#endif
