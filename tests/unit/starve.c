#include "tests/unit/starve.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* NOLINTBEGIN: the linker makes these names, --wrap=malloc and so on */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
/* NOLINTEND */

static bool active;
static bool failed;
static bool failed_there; /* in the JSON library */
static unsigned left;

static bool refuse(void)
{
    if (!active || failed || left-- > 0) {
        return false;
    }
    failed = true;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return refuse() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refuse() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return refuse() ? NULL : __real_realloc(old, size);
}

char *__wrap_strdup(const char *text)
{
    return refuse() ? NULL : __real_strdup(text);
}

/*
 * Quirk: jansson 2.14 overlooks that its text buffer could not grow and writes past a copy
 * of it if the next allocation succeeds again.  So for it memory stays out, as it would.
 */
static void *malloc_of_jansson(size_t size)
{
    failed_there = failed_there || refuse();
    return failed_there ? NULL : __real_malloc(size);
}

void starve_after(unsigned count)
{
    json_set_alloc_funcs(malloc_of_jansson, free);
    left = count;
    failed = false;
    failed_there = false;
    active = true;
}

int starve_end(void)
{
    json_set_alloc_funcs(malloc, free);
    active = false;
    return failed;
}
