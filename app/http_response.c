#include "app/http_response.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file's body. */
struct sending {
    struct http_body body;
    enum http_body_end *end;
};

static ssize_t read_body(void *context, uint64_t at, char *buf, size_t room)
{
    struct sending *s = context;
    ssize_t n = http_body_read(&s->body, at, buf, room);
    *s->end = s->body.end;
    return n < 0 ? MHD_CONTENT_READER_END_WITH_ERROR : n;
}

static void free_body(void *context)
{
    struct sending *s = context;
    (void)close(s->body.fd);
    free(s);
}

static struct MHD_Response *of_file(const struct http_answer *a, enum http_body_end *end)
{
    struct sending *s = malloc(sizeof *s);
    if (!s) {
        return NULL;
    }
    s->body = (struct http_body){a->fd, a->stamp, a->offset, HTTP_BODY_GOOD};
    s->end = end;
    size_t piece = a->len < HTTP_BODY_PIECE ? (size_t)a->len : HTTP_BODY_PIECE;
    struct MHD_Response *r =
        MHD_create_response_from_callback(a->len, piece, read_body, s, free_body);
    if (!r) {
        free(s);
    }
    return r;
}

/* What the response holds the answer does no more. */
static struct MHD_Response *of_body(struct http_answer *a, enum http_body_end *end)
{
    struct MHD_Response *r = NULL;
    if (a->fd >= 0 && a->len > 0) {
        r = of_file(a, end);
        a->fd = r ? -1 : a->fd;
    } else if (a->octets) {
        r = MHD_create_response_from_buffer((size_t)a->len, a->octets,
                                            MHD_RESPMEM_MUST_FREE);
        a->octets = r ? NULL : a->octets;
    } else {
        r = MHD_create_response_from_buffer(strlen(a->text), a->text,
                                            MHD_RESPMEM_MUST_COPY);
    }
    return r;
}

static void add_fields(struct MHD_Response *r, const struct http_answer *a)
{
    if (a->status != 304) {
        (void)MHD_add_response_header(r, "Content-Type",
                                      a->type ? a->type : "text/plain");
    }
    for (size_t i = 0; i < a->header_count; i++) {
        (void)MHD_add_response_header(r, a->header[i].name, a->header[i].value);
    }
    if (a->closes) {
        (void)MHD_add_response_header(r, "Connection", "close");
    }
}

struct MHD_Response *http_response_make(struct http_answer *a, enum http_body_end *end)
{
    struct MHD_Response *r = of_body(a, end);
    if (a->fd >= 0) {
        (void)close(a->fd);
    }
    free(a->octets);
    if (r) {
        add_fields(r, a);
    }
    return r;
}
