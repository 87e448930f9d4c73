/*
 * app/http_boots: files by HTTP, told to the timeline of boots as those by TFTP are.
 *
 * A part that was asked for (Range) is a file of that size.
 *
 * Ownership: both are borrowed, and must last as long as the server serves.
 * Shell: app/http, app/boot_watch.
 */
#ifndef APP_HTTP_BOOTS_H
#define APP_HTTP_BOOTS_H

#include "app/boot_watch.h"
#include "app/http.h"

/* False: no room. */
bool http_boots_watch(struct http *http, struct boot_watch *boots);

#endif
