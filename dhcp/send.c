#include "dhcp/send.h"

#include <errno.h>

#include "common/net.h"
#include "dhcp/frame.h"

static int inject(const struct port *p, const struct way *way,
                  const struct dhcp_reply *reply)
{
    static const struct mac everybody = {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};
    uint8_t octets[FRAME_OVERHEAD + DHCP_MAX_LEN];
    struct wr w = wr_over(octets, sizeof octets);
    struct frame answer = {
        .to = ip4_equal(reply->to, IP4_BROADCAST) ? everybody : way->asker,
        .from = p->facts.mac,
        .ip_to = reply->to,
        .ip_from = way->us,
        .to_port = reply->to_port,
        .from_port = reply->from_port,
        .payload = rd_over(reply->packet, reply->len),
    };
    frame_write(&w, &answer);
    return capture_send(p->capture, octets, wr_len(&w));
}

static int send_datagram(const struct port *p, const struct way *way,
                         const struct dhcp_reply *reply)
{
    struct iovec part = {(void *)reply->packet, reply->len};
    struct net_path path = {.peer = endpoint_ip4(reply->to, reply->to_port),
                            .local = endpoint_ip4(way->us, 0),
                            .ifindex = p->facts.ifindex};
    return net_send(p->udp_fd, &path, &part, 1, 0, true);
}

int dhcp_send(const struct port *p, const struct way *way, const struct dhcp_reply *reply)
{
    if (p->capture) {
        return inject(p, way, reply);
    }
    return p->udp_fd >= 0 ? send_datagram(p, way, reply) : -ENODEV;
}
