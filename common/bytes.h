/*
 * bytes: bounds-checked big-endian reader and writer over caller-owned memory.
 *
 * Both latch their first fault: after it every read returns zero/NULL and every write is
 * dropped, so a parser reads all its fields in a straight line and asks rd_ok() once.
 *
 * Units: octets.  Byte order: wire is big-endian, values are host order.
 * Ownership: nothing is copied or freed; pointers handed out live as long as the buffer.
 * Errors: rd.bad / wr.full, never a return code.  Pure: no allocation, no system call.
 */
#ifndef COMMON_BYTES_H
#define COMMON_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct rd {
    const uint8_t *p;
    const uint8_t *end;
    bool bad;
};

struct wr {
    uint8_t *start;
    uint8_t *p;
    uint8_t *end;
    bool full;
};

static inline struct rd rd_over(const void *buf, size_t len)
{
    const uint8_t *at = buf; /* NULL is fine for nothing, but not to be added to */
    return (struct rd){.p = at, .end = len > 0 ? at + len : at};
}

static inline struct rd rd_nothing(void)
{
    return (struct rd){0};
}

static inline size_t rd_left(const struct rd *r)
{
    return r->bad ? 0 : (size_t)(r->end - r->p);
}

/* True while no read has run past the end. */
static inline bool rd_ok(const struct rd *r)
{
    return !r->bad;
}

/* The next len octets, or NULL (and latched) when fewer are left. */
static inline const uint8_t *rd_take(struct rd *r, size_t len)
{
    if (r->bad || len > (size_t)(r->end - r->p)) {
        r->bad = true;
        return NULL;
    }
    const uint8_t *at = r->p;
    r->p += len;
    return at;
}

static inline uint8_t rd_u8(struct rd *r)
{
    const uint8_t *at = rd_take(r, 1);
    return at ? at[0] : 0;
}

static inline uint16_t rd_u16(struct rd *r)
{
    const uint8_t *at = rd_take(r, 2);
    return at ? (uint16_t)(at[0] << 8 | at[1]) : 0;
}

static inline uint32_t rd_u32(struct rd *r)
{
    uint32_t hi = rd_u16(r);
    uint32_t lo = rd_u16(r);
    return rd_ok(r) ? hi << 16 | lo : 0;
}

/* A reader over the next len octets; the outer reader moves past them. */
static inline struct rd rd_sub(struct rd *r, size_t len)
{
    const uint8_t *at = rd_take(r, len);
    struct rd sub = rd_over(at ? at : r->end, at ? len : 0);
    sub.bad = !at;
    return sub;
}

/* A NUL-terminated string in place, or NULL (and latched) when no NUL is left. */
static inline const char *rd_cstr(struct rd *r)
{
    const uint8_t *nul = rd_left(r) ? memchr(r->p, 0, rd_left(r)) : NULL;
    if (!nul) {
        r->bad = true;
        return NULL;
    }
    return (const char *)rd_take(r, (size_t)(nul - r->p) + 1);
}

static inline struct wr wr_over(void *buf, size_t len)
{
    return (struct wr){.start = buf, .p = buf, .end = (uint8_t *)buf + len};
}

static inline bool wr_ok(const struct wr *w)
{
    return !w->full;
}

static inline size_t wr_len(const struct wr *w)
{
    return (size_t)(w->p - w->start);
}

static inline void wr_put(struct wr *w, const void *src, size_t len)
{
    if (w->full || len > (size_t)(w->end - w->p)) {
        w->full = true;
        return;
    }
    if (len > 0) {
        memcpy(w->p, src, len);
    }
    w->p += len;
}

static inline void wr_u8(struct wr *w, uint8_t v)
{
    wr_put(w, &v, 1);
}

static inline void wr_u16(struct wr *w, uint16_t v)
{
    const uint8_t be[2] = {(uint8_t)(v >> 8), (uint8_t)v};
    wr_put(w, be, sizeof be);
}

static inline void wr_u32(struct wr *w, uint32_t v)
{
    wr_u16(w, (uint16_t)(v >> 16));
    wr_u16(w, (uint16_t)v);
}

static inline void wr_zero(struct wr *w, size_t len)
{
    if (w->full || len > (size_t)(w->end - w->p)) {
        w->full = true;
        return;
    }
    memset(w->p, 0, len);
    w->p += len;
}

static inline void wr_cstr(struct wr *w, const char *s)
{
    wr_put(w, s, strlen(s) + 1);
}

#endif
