/*
 * app/http_name: whether a browser that asks for a page means this host.
 *
 * A name of somebody else's can be made to lead here (DNS rebinding): then scripts of that
 * somebody's page, in a browser that may see ours, ask under that name, and the browser lets
 * them read the answer.  It also says the name.
 *
 * Spec: RFC 9110 section 7.2 (Host), RFC 6761 section 6.3 (localhost).
 * Pure.
 */
#ifndef APP_HTTP_NAME_H
#define APP_HTTP_NAME_H

#include "config/snapshot.h"

/*
 * host: the field, NULL: what asks is no browser; own: the name of this host.  True for an
 * address, which is nobody's name, "localhost", and the names that are ours, in any case.
 */
bool http_name_is_ours(const char *host, const char *own, const struct http_names *names);

#endif
