/*
 * tests/fuzz/fuzz: what the fuzz targets have in common.
 *
 *     must(truth)          a property; the run stops where one does not hold
 *     fuzz_config(json)    the target's configuration
 *     fuzz_below(), ...    the input as a script: values for machines that raw octets would
 *                          hardly ever move; zeros once it is at its end
 *
 * Each target's head comment says which properties hold for whatever input, and its functions
 * assert these.  A target keeps nothing from one input to the next but what is immutable.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/bytes.h"
#include "config/load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline _Noreturn void fuzz_broken(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
    abort();
}

#define must(truth) ((truth) ? (void)0 : fuzz_broken(__FILE__, __LINE__, #truth))

/* Read the first time it is called, and kept: one text for each target. */
static inline struct snapshot *fuzz_config(const char *json)
{
    static struct snapshot *config;
    struct faults faults = {0};
    if (!config) {
        config = config_load(json, strlen(json), &faults);
        must(config != NULL);
        faults_done(&faults);
    }
    return config;
}

/* 0 .. n - 1; n > 0. */
static inline uint32_t fuzz_below(struct rd *in, uint32_t n)
{
    uint32_t value = n <= UINT8_MAX + 1    ? rd_u8(in)
                     : n <= UINT16_MAX + 1 ? rd_u16(in)
                                           : rd_u32(in);
    return value % n;
}

static inline bool fuzz_bool(struct rd *in)
{
    return rd_u8(in) & 1;
}

static inline uint64_t fuzz_u64(struct rd *in)
{
    uint64_t high = rd_u32(in);
    return high << 32 | rd_u32(in);
}

/* Up to max octets, behind their number. */
static inline struct rd fuzz_octets(struct rd *in, size_t max)
{
    size_t len = max > UINT8_MAX ? rd_u16(in) : rd_u8(in);
    len = len < max ? len : max;
    len = len < rd_left(in) ? len : rd_left(in);
    return rd_sub(in, len);
}

/* The same as a string, cut at its first NUL.  Returns buf. */
static inline char *fuzz_text(struct rd *in, char *buf, size_t size)
{
    struct rd octets = fuzz_octets(in, size - 1);
    size_t len = rd_left(&octets);
    if (len > 0) {
        memcpy(buf, octets.p, len);
    }
    buf[len] = '\0';
    return buf;
}

/* Fills what is there; zeros for the rest. */
static inline void fuzz_fill(struct rd *in, void *out, size_t len)
{
    size_t there = len < rd_left(in) ? len : rd_left(in);
    memset(out, 0, len);
    if (there > 0) {
        memcpy(out, rd_take(in, there), there);
    }
}

/* Nothing that could forge a line, a terminal or a page: printable ASCII alone. */
static inline bool fuzz_is_plain(const char *text)
{
    for (; *text; text++) {
        if (*text < 0x20 || *text > 0x7e) {
            return false;
        }
    }
    return true;
}

/* A copy of exactly that many octets, so that a sanitizer sees what goes beyond; free() it. */
static inline void *fuzz_exact(struct rd octets)
{
    size_t len = rd_left(&octets);
    void *copy = malloc(len > 0 ? len : 1);
    must(copy != NULL);
    if (len > 0) {
        memcpy(copy, octets.p, len);
    }
    return copy;
}

#endif
