/*
 * config/http_base: where our own HTTP server gives files, as the beginning of a URL.
 * Pure.
 */
#ifndef CONFIG_HTTP_BASE_H
#define CONFIG_HTTP_BASE_H

#include "config/snapshot.h"

#define HTTP_BASE_SIZE (ENDPOINT_TEXT + 8)

/*
 * "http://10.0.0.1:8069".  own: our address towards the client (its port does not count), for
 * a server that listens on all of them.  False: no boot files by HTTP, or the server listens
 * on an address of the other family; buf is untouched.
 */
bool http_base(const struct http_conf *http, const struct endpoint *own,
               char buf[HTTP_BASE_SIZE]);

#endif
