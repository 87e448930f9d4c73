#include "app/page.h"

/* As with the schema, the assembler copies the file in. */
__asm__(".section .rodata\n"
        "page_begin: .incbin \"app/page/index.html\"\n"
        "page_end:\n"
        ".previous\n");
extern const char page_begin[];
extern const char page_end[];

/* The hashes are those of the page's <style> and <script>; `make page-test` tells new ones. */
#define PAGE_POLICY                                                                      \
    "default-src 'none'; "                                                               \
    "style-src 'sha256-58BgTcAlN+jQfOloUiCpPR1FOn2Z2pA7g8tZnpvQmwM='; "                  \
    "script-src 'sha256-5wKP7F+ccQAt38w7dotNta9lW2PzO5u7gVrn61+9gf8='; "                 \
    "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "           \
    "frame-ancestors 'none'"

const char *page_text(size_t *len)
{
    *len = (size_t)(page_end - page_begin);
    return page_begin;
}

const char *page_policy(void)
{
    return PAGE_POLICY;
}
