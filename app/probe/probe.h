/*
 * app/probe/probe: what came of playing a boot client, as it is printed.
 *
 * Ownership: pointers are to what outlives it.
 */
#ifndef APP_PROBE_PROBE_H
#define APP_PROBE_PROBE_H

#include "app/probe/download.h"
#include "app/probe/exchange.h"

#define PROBE_SENTENCE 800

struct probe_terms {
    const char *interface;
    const char *profile; /* as it was named */
    struct request_terms client;
    usec_t patience;
    uint32_t block; /* 0: as the client asks */
    uint32_t window;
    bool lease;
    bool download;
    bool verify;
    char sha256[SHA256_TEXT]; /* with verify */
};

struct probe {
    const struct probe_terms *terms;
    struct exchange exchange;
    struct choice_facts facts;
    struct choice choice;
    char failed[EXCHANGE_WHY_SIZE]; /* what could not be done here; "": nothing */
    enum dhcp_message leased; /* what a REQUEST led to; 0: nothing, or not asked for */
    struct answer lease;
    bool downloaded;  /* it was tried */
    const char *file; /* which one */
    struct download download;
    bool fits; /* of the download, as the next */
    char why_not[128];

    bool beside_pxed; /* one runs on this host, which does not hear what is sent here */

    bool boots;
    char sentence[PROBE_SENTENCE];
    char screen[CHOICE_SCREEN]; /* "": nothing, or not known */
};

/* app/probe/verdict: fills in the last three.  Pure. */
void probe_judge(struct probe *p);

/* app/probe/report. */
void probe_print(const struct probe *p, const struct terminal *t);
bool probe_print_json(const struct probe *p);
/* What a server says, in words; escaped. */
char *probe_say(const struct answer *a, char *buf, size_t size);

#endif
