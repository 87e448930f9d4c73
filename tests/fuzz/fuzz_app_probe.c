/*
 * What pxed probe is told by servers: a DHCP answer and the choice that comes of it, or TFTP
 * packets, or the head of an HTTP answer, or a URL.  The first octet says which, and who is
 * played.
 *
 * Properties: a choice is made in at most CHOICE_ASKED questions, with words within their room;
 * the octets that are handed on are those that are counted; a load that has ended waits for
 * nothing, one that failed says why; a head lies within what came; a URL's parts within theirs.
 */
#include "app/probe/choice.h"
#include "app/probe/fetch.h"
#include "app/probe/http_head.h"
#include "dhcp/reply.h"
#include "tests/fuzz/fuzz.h"

static void offer(enum request_manner manner, const uint8_t *data, size_t size)
{
    static struct choice_facts facts;
    static struct choice choice;
    struct dhcp_packet in;
    if (dhcp_parse(data, size, &in) != DHCP_OK) {
        return;
    }
    memset(&facts, 0, sizeof facts);
    facts.manner = manner;
    facts.arch = size % 2 ? 7 : 16;
    facts.count = 3;
    for (size_t i = 0; i < facts.count;
         i++) { /* as an offer, beside a lease, on port 4011 */
        struct answer *a = &facts.answer[i];
        a->from_port = DHCP_SERVER_PORT;
        answer_read(&in, a);
        a->type = DHCP_OFFER;
        a->ends = true;
    }
    facts.answer[1].address = (struct ip4){{10, 0, 0, 9}};
    facts.answer[2].at_4011 = true;
    facts.answer[2].asked = answer_server(&facts.answer[0]);
    for (facts.asked_count = 0; facts.asked_count < CHOICE_ASKED; facts.asked_count++) {
        choice_make(&facts, &choice);
        must(strlen(choice.why) < CHOICE_WHY && strlen(choice.file) < ANSWER_TEXT);
        if (choice.step != CHOICE_ASK) {
            return;
        }
        facts.asked[facts.asked_count] =
            (struct choice_question){choice.server, choice.has_item, choice.item};
    }
}

/* Each packet behind its length. */
static void load(enum request_manner manner, bool size_only, struct rd packets)
{
    static uint8_t out[FETCH_PACKET_SIZE];
    struct fetch f;
    const struct fetch_terms terms = {manner, "boot.efi", 0, 0, size_only};
    uint64_t octets = 0;
    usec_t now = 1;
    fetch_init(&f, &terms, now);
    while (rd_left(&packets) >= 2 && f.state < FETCH_DONE) {
        size_t len = rd_u16(&packets);
        len = len < rd_left(&packets) ? len : rd_left(&packets);
        struct rd one = rd_sub(&packets, len);
        struct rd got = fetch_input(&f, one.p, rd_left(&one), ++now);
        octets += rd_left(&got);
        while (fetch_next(&f, out, now) > 0) {
        }
        must(octets == f.octets);
        must((fetch_deadline(&f) == USEC_NEVER) == (f.state >= FETCH_DONE));
        must(f.state != FETCH_FAILED || f.fault[0]);
    }
}

static void read_url(const char *text, size_t len)
{
    char url[900];
    struct http_url parts;
    snprintf(url, sizeof url, "%.*s", (int)(len < 800 ? len : 800), text);
    if (http_url_read(url, &parts)) {
        must(parts.host[0] != '\0' && parts.path[0] == '/');
        must(strnlen(parts.host, sizeof parts.host) < sizeof parts.host);
        must(strnlen(parts.port, sizeof parts.port) < sizeof parts.port);
        must(strnlen(parts.path, sizeof parts.path) < sizeof parts.path);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct http_head head;
    if (size == 0) {
        return 0;
    }
    enum request_manner manner = (enum request_manner)(data[0] / 4 % REQUEST_MANNERS);
    switch (data[0] % 4) {
    case 0:
        offer(manner, data + 1, size - 1);
        break;
    case 1:
    case 2:
        load(manner, data[0] % 4 == 2 && fetch_asks_size_first(manner),
             rd_over(data + 1, size - 1));
        break;
    default:
        read_url((const char *)data + 1, size - 1);
        if (http_head_read((const char *)data + 1, size - 1, &head) == HTTP_WHOLE) {
            must(head.len <= size - 1);
        }
        break;
    }
    return 0;
}
