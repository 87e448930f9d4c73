#include <string.h>

#include "app/probe/download.h"

void sink_begin(struct sink *s, const struct terminal *terminal, const char *what,
                uint64_t size)
{
    memset(s, 0, sizeof *s);
    sha256_init(&s->digest);
    progress_begin(&s->progress, terminal, what, size, NULL, clock_now());
}

void sink_add(struct sink *s, const void *octets, size_t len)
{
    size_t room = sizeof s->head - s->head_len;
    size_t n = len < room ? len : room;
    if (len == 0) {
        return;
    }
    memcpy(s->head + s->head_len, octets, n);
    s->head_len += n;
    s->octets += len;
    sha256_add(&s->digest, octets, len);
    progress_set(&s->progress, s->octets, clock_now());
}

void sink_end(struct sink *s, struct download *out)
{
    progress_hide(&s->progress);
    out->octets = s->octets;
    out->what = bootfile_look(s->head, s->head_len, s->octets);
    (void)sha256_end(&s->digest, out->sha256);
}
