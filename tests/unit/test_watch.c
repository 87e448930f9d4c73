/* dhcp/watch and tftp/watch: which packets are told to whoever keeps some, and as whose. */
#include <string.h>

#include "dhcp/watch.h"
#include "tests/unit/suites.h"
#include "tftp/watch.h"

static struct seen_client whose;
static struct seen_packet seen;
static bool begins;
static unsigned told;

static void on_dhcp(void *context, const struct seen_client *who,
                    const struct seen_packet *packet, bool may_begin)
{
    ck_assert_ptr_eq(context, &told);
    whose = *who;
    seen = *packet;
    begins = may_begin;
    told++;
}

static void on_tftp(void *context, const struct seen_packet *packet)
{
    ck_assert_ptr_eq(context, &told);
    seen = *packet;
    told++;
}

static const struct dhcp_hooks nobody;
static const struct dhcp_hooks hooks = {.packet = on_dhcp, .context = &told};
static const uint8_t chaddr[DHCP_CHADDR_LEN] = {2, 0, 0, 0, 0, 7};

START_TEST(a_message_is_that_of_the_machine_it_names)
{
    struct dhcp_packet in = {.htype = 1, .hlen = 6, .chaddr = chaddr};
    const struct seen_packet packet = {.frame = "x", .frame_len = 1};
    told = 0;
    dhcp_watch_message(&nobody, &in, &packet, true);
    in.hlen = 8; /* no Ethernet address: whose is it? */
    dhcp_watch_message(&hooks, &in, &packet, true);
    ck_assert_uint_eq(told, 0);
    in.hlen = 6;
    dhcp_watch_message(&hooks, &in, &packet, true);
    ck_assert_uint_eq(told, 1);
    ck_assert(whose.has_mac && !whose.has_address && begins);
    ck_assert_mem_eq(whose.mac.octet, chaddr, 6);
    ck_assert_ptr_eq(seen.frame, packet.frame);
}
END_TEST

START_TEST(what_passes_begins_nothing)
{
    const struct mac from = {{2, 0, 0, 0, 0, 9}};
    const struct seen_packet packet = {.frame = "x", .frame_len = 1};
    told = 0;
    dhcp_watch_passing(&nobody, &from, &packet);
    ck_assert_uint_eq(told, 0);
    begins = true;
    dhcp_watch_passing(&hooks, &from, &packet);
    ck_assert_uint_eq(told, 1);
    ck_assert(!begins && mac_equal(&whose.mac, &from));
}
END_TEST

START_TEST(a_reply_is_told_with_its_ends)
{
    static const struct dhcp_reply reply = {
        .to = {{10, 0, 0, 7}}, .to_port = 68, .from_port = 67, .len = 300};
    const struct dhcp_watch_reply r = {.chaddr = chaddr,
                                       .us = {{10, 0, 0, 1}},
                                       .our_mac = {{2, 0, 0, 0, 0, 1}},
                                       .reply = &reply};
    const struct endpoint us = endpoint_ip4((struct ip4){{10, 0, 0, 1}}, 67);
    const struct endpoint client = endpoint_ip4((struct ip4){{10, 0, 0, 7}}, 68);
    told = 0;
    dhcp_watch_reply(&nobody, &r);
    ck_assert_uint_eq(told, 0);
    dhcp_watch_reply(&hooks, &r);
    ck_assert_uint_eq(told, 1);
    ck_assert(seen.sent && endpoint_equal(&seen.from, &us) &&
              endpoint_equal(&seen.to, &client));
    ck_assert_ptr_eq(seen.head, reply.packet);
    ck_assert_uint_eq(seen.head_len, 300);
    ck_assert_mem_eq(whose.mac.octet, chaddr, 6);
    ck_assert(mac_equal(&seen.us, &r.our_mac));
}
END_TEST

START_TEST(a_datagram_came_to_the_port_of_its_socket)
{
    const struct net_dgram d = {
        .data = chaddr,
        .len = 6,
        .path.peer = endpoint_ip4((struct ip4){{10, 0, 0, 7}}, 4011),
        .path.local = endpoint_ip4((struct ip4){{10, 0, 0, 1}}, 0)};
    struct seen_packet p = dhcp_watch_datagram(&d, 4011);
    ck_assert(endpoint_equal(&p.from, &d.path.peer) &&
              endpoint_same_ip(&p.to, &d.path.local));
    ck_assert_uint_eq(p.to.port, 4011);
    ck_assert(!p.sent && p.head_len == 6 && p.head == chaddr);
}
END_TEST

START_TEST(packets_of_port_69_are_told_either_way)
{
    static const struct tftp_hooks deaf;
    static const struct tftp_hooks ears = {.packet = on_tftp, .context = &told};
    const struct net_path path = {.peer = endpoint_ip4((struct ip4){{10, 0, 0, 7}}, 2070),
                                  .local = endpoint_ip4((struct ip4){{10, 0, 0, 1}}, 0)};
    const struct tftp_watched w = {&path, 69, "head", 4, "body", 4};
    told = 0;
    tftp_watch_came(&deaf, &w);
    tftp_watch_went(&deaf, &w);
    ck_assert_uint_eq(told, 0);
    tftp_watch_came(&ears, &w);
    ck_assert(!seen.sent && endpoint_equal(&seen.from, &path.peer));
    ck_assert_uint_eq(seen.to.port, 69);
    tftp_watch_went(&ears, &w);
    ck_assert(seen.sent && endpoint_equal(&seen.to, &path.peer));
    ck_assert_uint_eq(seen.from.port, 69);
    ck_assert_uint_eq(seen.head_len + seen.body_len, 8);
    ck_assert_uint_eq(told, 2);
}
END_TEST

/* The beginning, the end, what is repeated and what answers that; and no more of it than that. */
START_TEST(of_a_clean_transfer_little_is_told)
{
    static struct tftp_transfer x;
    const struct tftp_packet ack = {.op = TFTP_ACK};
    const struct tftp_packet error = {.op = TFTP_ERROR};
    unsigned again = 0;
    memset(&x, 0, sizeof x);
    x.session.last = 100;
    x.session.acked = 1;
    ck_assert(tftp_watch_wants_in(&x, &ack) && tftp_watch_wants_out(&x, 2, false));
    x.session.acked = 50;
    ck_assert(!tftp_watch_wants_in(&x, &ack) && !tftp_watch_wants_out(&x, 51, false));
    ck_assert(tftp_watch_wants_in(&x, &error) && tftp_watch_wants_out(&x, 100, false));
    ck_assert(tftp_watch_wants_out(&x, 51, true));
    for (unsigned i = 0; i < 3; i++) {
        ck_assert(tftp_watch_wants_in(&x, &ack));
    }
    ck_assert(!tftp_watch_wants_in(&x, &ack));
    while (again < 1000 && tftp_watch_wants_out(&x, 51, true)) {
        again++;
    }
    ck_assert_uint_lt(again, 50);
    x.session.silences = 1;
    ck_assert(tftp_watch_wants_out(&x, 51, true) && tftp_watch_wants_in(&x, &ack));
    x.session.silences = 0;
    x.session.acked = 99;
    ck_assert(tftp_watch_wants_in(&x, &ack));
}
END_TEST

Suite *suite_watch(void)
{
    Suite *s = suite_create("dhcp/watch, tftp/watch");
    TCase *tc = tcase_create("watch");
    tcase_add_test(tc, a_message_is_that_of_the_machine_it_names);
    tcase_add_test(tc, what_passes_begins_nothing);
    tcase_add_test(tc, a_reply_is_told_with_its_ends);
    tcase_add_test(tc, a_datagram_came_to_the_port_of_its_socket);
    tcase_add_test(tc, packets_of_port_69_are_told_either_way);
    tcase_add_test(tc, of_a_clean_transfer_little_is_told);
    suite_add_tcase(s, tc);
    return s;
}
