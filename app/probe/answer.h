/*
 * app/probe/answer: what a server's answer to a boot client says.
 *
 * Spec: RFC 2132, PXE 2.1 section 2 (option 43), RFC 4578, iPXE's option 175.
 * Ownership: values only; texts are a peer's own octets up to a NUL: escape them before they
 * are shown.
 * Errors: what is missing or malformed is not there.  Pure.
 */
#ifndef APP_PROBE_ANSWER_H
#define APP_PROBE_ANSWER_H

#include "common/clock.h"
#include "dhcp/packet.h"

#define ANSWERS_MAX      24
#define ANSWER_TEXT      256
#define ANSWER_ITEMS     24 /* of a menu: EDK2 shows no more */
#define ANSWER_ITEM_TEXT 48

enum answer_kind { ANSWER_ADDRESS, ANSWER_PROXY, ANSWER_BOTH };

struct answer_item {
    uint16_t type;
    char text[ANSWER_ITEM_TEXT];
};

/* The first server of a menu item's kind, in 43.8. */
struct answer_boot_server {
    uint16_t type;
    struct ip4 ip;
};

/* Option 43 of a PXE server. */
struct answer_pxe {
    bool is_there;
    bool rules;      /* holds any of the sub-options 6 to 10 */
    bool mtftp;      /* holds all of 1 to 5 */
    uint8_t control; /* 43.6 */
    bool has_prompt; /* 43.10 */
    uint8_t timeout; /* of the prompt, seconds */
    bool pi;         /* holds the words "Raspberry Pi Boot" */
    bool has_item;   /* 43.71 */
    uint16_t item;   /* of it */
    uint8_t items;   /* 43.9 */
    uint8_t servers; /* 43.8 */
    struct answer_item item_list[ANSWER_ITEMS];
    struct answer_boot_server server_list[ANSWER_ITEMS];
};

struct answer {
    struct mac mac; /* of the frame, or of nobody: zeros */
    struct ip4 from;
    uint16_t from_port;
    usec_t after;     /* what it answers was sent */
    unsigned count;   /* how often it came */
    bool at_4011;     /* it answers a question on port 4011 ... */
    struct ip4 asked; /* ... put to this server */

    enum dhcp_message type;
    struct ip4 address;     /* yiaddr */
    struct ip4 server;      /* option 54; 0.0.0.0: none */
    struct ip4 next_server; /* siaddr */
    bool ends;              /* with END, as it must */
    bool has_dns;           /* option 6 */
    bool is_pxe;            /* option 60 begins with PXEClient */
    bool is_http;           /* ... or with HTTPClient */
    bool has_option_67;
    bool no_proxy;                /* iPXE's 175.176 */
    int8_t priority;              /* iPXE's 175.1 */
    char file[DHCP_FILE_LEN + 1]; /* of the header, unless it holds options; "": none */
    char option_67[ANSWER_TEXT];
    struct answer_pxe pxe;
};

/* Everything but what stands before `type`, which is the caller's. */
void answer_read(const struct dhcp_packet *in, struct answer *out);

enum answer_kind answer_kind(const struct answer *a);

/* Says the same, whenever it came; of option 43 only its outline is compared. */
bool answer_same(const struct answer *a, const struct answer *b);

/* Who it is: option 54, else siaddr, else where it came from. */
struct ip4 answer_server(const struct answer *a);

#endif
