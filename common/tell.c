#include "common/tell.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/text.h"

#define WIDEST 4 /* octets of "\xNN" */

static void say_shown(struct text *out, char *text)
{
    for (size_t len; *text; text += len) {
        len = strcspn(text, "\n\t");
        char end = text[len];
        text[len] = '\0';
        text_say_safe(out, text);
        if (end) {
            text_say(out, "%c", end);
            len++;
        }
    }
}

void tell(FILE *to, const char *fmt, ...)
{
    AUTO(free) char *text = NULL;
    va_list ap;
    va_start(ap, fmt);
    int len = vasprintf(&text, fmt, ap);
    va_end(ap);
    if (len < 0) {
        text = NULL; /* its content is undefined */
    }
    size_t size = text ? (size_t)len * WIDEST + 1 : 0;
    char *octets = text ? malloc(size) : NULL;
    if (octets) {
        struct text shown = {octets, size, 0};
        octets[0] = '\0';
        say_shown(&shown, text);
    }
    fputs(octets ? octets : "out of memory\n", to);
    free(octets);
}
