#include "app/page.h"

#include "app/embed.h"

EMBED(page, "app/page/index.html");

/* The hashes are those of the page's <style> and <script>; `make page-test` tells new ones. */
#define PAGE_POLICY                                                                      \
    "default-src 'none'; "                                                               \
    "style-src 'sha256-58BgTcAlN+jQfOloUiCpPR1FOn2Z2pA7g8tZnpvQmwM='; "                  \
    "script-src 'sha256-sDlLYknagCxeMf1wCNqEj/WJm4JIS5UFZdkeIaReb9k='; "                 \
    "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "           \
    "frame-ancestors 'none'"

const char *page_text(size_t *len)
{
    *len = page_len;
    return page_octets;
}

const char *page_policy(void)
{
    return PAGE_POLICY;
}
