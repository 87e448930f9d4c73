/*
 * app/page: the web page, and what a browser is told to allow it.
 *
 * The page is one file, app/page/index.html, copied into the program.  It asks /api/ for the
 * document of docs/control.md and shows it.
 *
 * Ownership: constants.  Pure.
 */
#ifndef APP_PAGE_H
#define APP_PAGE_H

#include <stddef.h>

#define PAGE_TYPE "text/html; charset=utf-8"

/* The octets of the page. */
const char *page_text(size_t *len);

/* Its Content-Security-Policy: this style, this script, answers of this server, nothing else. */
const char *page_policy(void);

#endif
