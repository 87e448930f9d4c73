#include "tests/sim/live.h"

#include <stddef.h>

/* NOLINTBEGIN: the linker makes these names, --wrap=malloc and so on */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
void __real_free(void *old);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *old);
/* NOLINTEND */

static long live;

long live_pieces(void)
{
    return live;
}

void *__wrap_malloc(size_t size)
{
    void *at = __real_malloc(size);
    live += at != NULL;
    return at;
}

void *__wrap_calloc(size_t count, size_t size)
{
    void *at = __real_calloc(count, size);
    live += at != NULL;
    return at;
}

void *__wrap_realloc(void *old, size_t size)
{
    void *at = __real_realloc(old, size);
    live += at != NULL && old == NULL;
    return at;
}

char *__wrap_strdup(const char *text)
{
    char *at = __real_strdup(text);
    live += at != NULL;
    return at;
}

void __wrap_free(void *old)
{
    live -= old != NULL;
    __real_free(old);
}
