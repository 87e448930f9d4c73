/*
 * dhcp/url: what a URL of ours is made of.
 *
 * Spec: RFC 3986 section 2.1 (percent-encoding), 3.3 (path).  Pure.
 */
#ifndef DHCP_URL_H
#define DHCP_URL_H

#include "common/bytes.h"
#include "config/snapshot.h"

/* The path, without a NUL; what may not stand in a URL is percent-encoded. */
void url_write_path(struct wr *w, const char *path);

/*
 * "http://10.0.0.1:8069/path" and a NUL: where our own HTTP server gives this file.  own, and
 * false: as for http_base() (config/http_base.h); *w is as before then.
 */
bool url_write_own(struct wr *w, const struct http_conf *http, const struct endpoint *own,
                   const char *file);

#endif
