/*
 * dhcp/url: what a URL of ours is made of.
 *
 * Spec: RFC 3986 section 2.1 (percent-encoding), 3.3 (path).  Pure.
 */
#ifndef DHCP_URL_H
#define DHCP_URL_H

#include "common/bytes.h"

/* The path, without a NUL; what may not stand in a URL is percent-encoded. */
void url_write_path(struct wr *w, const char *path);

#endif
