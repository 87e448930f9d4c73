/*
 * app/http_response: an answer as libmicrohttpd sends it.
 *
 * Ownership: the response is the caller's, and holds what the answer held.
 * Errors: NULL.  Shell: libmicrohttpd; a body is read in the thread that sends it.
 */
#ifndef APP_HTTP_RESPONSE_H
#define APP_HTTP_RESPONSE_H

#include <microhttpd.h>

#include "app/http_answer.h"
#include "app/http_body.h"

/*
 * Octets and descriptor of the answer are taken over, or freed and closed.  *end is kept up to
 * how the body of a file ends, and lives as long as the response.  NULL: no memory.
 */
struct MHD_Response *http_response_make(struct http_answer *a, enum http_body_end *end);

#endif
