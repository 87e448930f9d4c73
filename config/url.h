/*
 * config/url: how the host of a URL is written.
 *
 * Spec: RFC 3986 section 3.2.2.  Pure.
 */
#ifndef CONFIG_URL_H
#define CONFIG_URL_H

enum url_host {
    URL_HOST_NAME, /* whoever loads it needs a DNS server; what is no URL as well */
    URL_HOST_IP4,
    URL_HOST_IP6, /* in brackets */
};

enum url_host url_host(const char *url);

#endif
