#include "dhcp/capture.h"

#include <errno.h>
#include <netpacket/packet.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/net.h"

/* A whole Ethernet frame.  Each takes that much of the buffer, and some 80 octets. */
#define SNAP_LEN 1536

/*
 * The kernel keeps tags aside, so that the filters fit tagged frames, too.  dhcp/frame tells a
 * priority (VLAN 0, of converged adapters) from the networks of a trunk, which no filter can say
 * of what comes in; of what goes out "not vlan" is enough, and must stand last, since libpcap
 * shifts its offsets behind it.
 *
 * Read requests to port 69, and questions to port 4011, are looked at for those of our machines
 * that ask other servers.
 *
 * What goes out is looked at for the address offers of servers on this host; our own offers
 * give no address (udp[24:4] is yiaddr), so they do not come back here.  The direction is
 * not part of the filter, as libpcap cannot tell it for the first frames it gets.
 */
static const struct {
    const char *filter;
    pcap_direction_t direction;
    int buffer;
    bool promiscuous;
} kinds[] = {
    [CAPTURE_INCOMING] = {"udp dst port 67 or (udp src port 67 and udp dst port 68) or "
                          "(udp dst port 69 and udp[8:2] = 1) or udp dst port 4011",
                          PCAP_D_IN, 3 << 20, false}, /* a burst of some 1900 requests */
    [CAPTURE_OUTGOING] = {"udp src port 67 and (udp dst port 68 or udp dst port 67) "
                          "and udp[8] = 2 and udp[24:4] != 0 and not vlan",
                          PCAP_D_OUT, 1 << 17, false},
    /* Some servers answer to the hardware address that is played, which is not the card's. */
    [CAPTURE_ANSWERS] = {"(udp src port 67 or udp src port 4011) and udp dst port 68",
                         PCAP_D_IN, 1 << 18, true},
};

struct capture {
    pcap_t *pcap;
    uint32_t lost; /* of which was told */
};

static int explain_right(const char *what, char why[CAPTURE_WHY_SIZE])
{
    snprintf(why, CAPTURE_WHY_SIZE,
             "capturing%s needs CAP_NET_RAW: start as root, or with "
             "AmbientCapabilities=CAP_NET_RAW (systemd), --cap-add=NET_RAW (container)",
             what);
    return -EPERM;
}

static int explain(const char *interface, pcap_t *pcap, int status,
                   char why[CAPTURE_WHY_SIZE])
{
    char on[32];
    switch (status) {
    case PCAP_ERROR_NO_SUCH_DEVICE:
        snprintf(why, CAPTURE_WHY_SIZE, "there is no interface \"%s\"", interface);
        return -ENODEV;
    case PCAP_ERROR_IFACE_NOT_UP:
        snprintf(why, CAPTURE_WHY_SIZE, "interface %s is down", interface);
        return -ENETDOWN;
    case PCAP_ERROR_PERM_DENIED:
        snprintf(on, sizeof on, " on %s", interface);
        return explain_right(on, why);
    default:
        snprintf(why, CAPTURE_WHY_SIZE, "cannot capture on %s: %s", interface,
                 pcap ? pcap_geterr(pcap) : pcap_statustostr(status));
        return -EIO;
    }
}

static int prepare(const char *interface, enum capture_kind kind, pcap_t *pcap,
                   char why[CAPTURE_WHY_SIZE])
{
    char error[PCAP_ERRBUF_SIZE];
    struct bpf_program program;
    pcap_set_snaplen(pcap, SNAP_LEN);
    pcap_set_buffer_size(pcap, kinds[kind].buffer);
    pcap_set_promisc(pcap, kinds[kind].promiscuous);
    /* Else frames wait up to 400 ms for their block to fill. */
    pcap_set_immediate_mode(pcap, 1);
    int status = pcap_activate(pcap);
    if (status < 0) {
        return explain(interface, pcap, status, why);
    }
    if (pcap_datalink(pcap) != DLT_EN10MB) {
        snprintf(why, CAPTURE_WHY_SIZE, "interface %s is not an Ethernet interface",
                 interface);
        return -EOPNOTSUPP;
    }
    if (pcap_setdirection(pcap, kinds[kind].direction) != 0 ||
        pcap_setnonblock(pcap, 1, error) != 0 ||
        pcap_compile(pcap, &program, kinds[kind].filter, 1, PCAP_NETMASK_UNKNOWN) != 0) {
        return explain(interface, pcap, PCAP_ERROR, why);
    }
    status = pcap_setfilter(pcap, &program);
    pcap_freecode(&program);
    return status == 0 ? 0 : explain(interface, pcap, status, why);
}

int capture_open(const char *interface, enum capture_kind kind, struct capture **out,
                 char why[CAPTURE_WHY_SIZE])
{
    char error[PCAP_ERRBUF_SIZE];
    struct capture *c = calloc(1, sizeof *c);
    if (!c) {
        snprintf(why, CAPTURE_WHY_SIZE, "out of memory");
        return -ENOMEM;
    }
    c->pcap = pcap_create(interface, error);
    int result = c->pcap ? prepare(interface, kind, c->pcap, why)
                         : explain(interface, NULL, PCAP_ERROR, why);
    if (result != 0) {
        capture_close(c);
        return result;
    }
    *out = c;
    return 0;
}

void capture_close(struct capture *c)
{
    if (c) {
        if (c->pcap) {
            pcap_close(c->pcap);
        }
        free(c);
    }
}

int capture_permitted(char why[CAPTURE_WHY_SIZE])
{
    int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return errno == EPERM ? explain_right("", why)
                              : 0; /* opening will say the rest */
    }
    (void)close(fd);
    return 0;
}

bool capture_is_on(const struct capture *c, unsigned ifindex)
{
    struct sockaddr_ll link = {0};
    socklen_t len = sizeof link;
    return getsockname(pcap_fileno(c->pcap), (struct sockaddr *)&link, &len) == 0 &&
           link.sll_ifindex == (int)ifindex;
}

int capture_fd(const struct capture *c)
{
    return pcap_get_selectable_fd(c->pcap);
}

int capture_next(struct capture *c, const uint8_t **frame, size_t *len)
{
    struct pcap_pkthdr *header;
    errno = 0;
    int status = pcap_next_ex(c->pcap, &header, frame);
    if (status == 1) {
        *len = header->caplen;
        return 1;
    }
    if (status == 0) {
        return 0;
    }
    return net_is_short(-errno) ? -errno : -ENODEV;
}

uint32_t capture_lost(struct capture *c)
{
    struct pcap_stat stats;
    if (pcap_stats(c->pcap, &stats) != 0) {
        return 0;
    }
    uint32_t more = stats.ps_drop - c->lost;
    c->lost = stats.ps_drop;
    return more;
}

int capture_send(struct capture *c, const uint8_t *frame, size_t len)
{
    errno = EIO;
    return pcap_inject(c->pcap, frame, len) < 0 ? -errno : 0;
}
