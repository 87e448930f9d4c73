/*
 * tests/unit/judge: a configuration, a request and the decision, in few words.
 *
 *     const struct dhcp_decision *d = decide_at(c0, &by_broadcast, &r);
 *     struct dhcp_packet p = reply_of(d);
 *     assert_option(&p, DHCP_SERVER_ID, us.octet, 4);
 *
 * Configurations are written as tests/unit/quoted says.  Configuration C0 of the bug reports: 10.77.0.1;
 * files for 0, 7, 11 and a URL for 16; nothing for 10 and 27.
 */
#ifndef TESTS_UNIT_JUDGE_H
#define TESTS_UNIT_JUDGE_H

#include <check.h>

#include "tests/unit/request.h"

#define PROFILE_C0                                                                       \
    "'x86-bios': 'bios.0', 'x64-uefi': 'x64.efi', 'arm64-uefi': 'aa64.efi',"             \
    "'x64-uefi-http': 'http://10.77.0.1/x64.efi'"
#define CONFIG(profile, hosts)                                                           \
    "{'interfaces': ['eth0'], 'tftp': {'root': '/srv/tftp'}, 'profiles': {'default': "   \
    "{" profile "}}, 'hosts': [" hosts "]}"

static const struct ip4 us = {{10, 77, 0, 1}};
static const struct dhcp_arrival by_broadcast = {67, {{0, 0, 0, 0}}, 68};

/* From 10.77.0.9 and this port. */
struct dhcp_arrival by_4011(uint16_t port);

struct dhcp_packet packet_of(const struct request *r, uint8_t buf[1500]);

/* Decides as the service does; file is a copy, host and profile are not handed on. */
struct dhcp_decision *decide_at(const char *json, const struct dhcp_arrival *at,
                                const struct request *r);
/* The same with a site whose configuration and address are filled in here. */
struct dhcp_decision *decide_in(const char *json, struct dhcp_site site,
                                const struct dhcp_arrival *at, const struct request *r);

struct dhcp_packet reply_of(const struct dhcp_decision *d);
struct dhcp_packet parsed(const struct dhcp_reply *reply);
void assert_option(const struct dhcp_packet *p, enum dhcp_code code, const void *want,
                   size_t len);
void assert_no_option(const struct dhcp_packet *p, enum dhcp_code code);

#endif
