#include "common/neighbours.h"

#include <errno.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/cleanup.h"

#define ANSWERS_MAX 4 /* left over from before, the kernel's own, and an end */

/* NUD_NOARP: the interface knows no hardware addresses. */
#define KNOWN (NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE | NUD_PERMANENT)

struct question {
    struct nlmsghdr head;
    struct ndmsg about;
    struct rtattr attribute;
    uint8_t ip[16];
};

int neighbours_open(int *fd)
{
    AUTO(close)
    int s = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (s < 0) {
        return -errno;
    }
    *fd = take_fd(&s);
    return 0;
}

static bool send_question(int fd, unsigned ifindex, const struct endpoint *address,
                          uint32_t serial)
{
    bool v4 = endpoint_is_ip4(address);
    size_t len = v4 ? 4 : 16;
    struct question q = {
        .head = {.nlmsg_type = RTM_GETNEIGH,
                 .nlmsg_flags = NLM_F_REQUEST,
                 .nlmsg_seq = serial},
        .about = {.ndm_family = v4 ? AF_INET : AF_INET6, .ndm_ifindex = (int)ifindex},
        .attribute = {.rta_type = NDA_DST, .rta_len = (uint16_t)RTA_LENGTH(len)},
    };
    memcpy(q.ip, address->ip + sizeof address->ip - len, len);
    q.head.nlmsg_len = (uint32_t)(offsetof(struct question, ip) + len);
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    return sendto(fd, &q, q.head.nlmsg_len, 0, (const struct sockaddr *)&kernel,
                  sizeof kernel) == (ssize_t)q.head.nlmsg_len;
}

static bool is_machine(const struct mac *mac)
{
    static const struct mac none;
    return !mac_equal(mac, &none) && !(mac->octet[0] & 1);
}

static enum neighbour take_mac(const struct nlmsghdr *head, struct mac *out)
{
    const struct ndmsg *about = NLMSG_DATA(head);
    size_t left = head->nlmsg_len - NLMSG_LENGTH(sizeof *about);
    const struct rtattr *a =
        (const struct rtattr *)((const char *)about + NLMSG_ALIGN(sizeof *about));
    if (!(about->ndm_state & KNOWN)) {
        return NEIGHBOUR_UNTOLD;
    }
    for (; RTA_OK(a, left); a = RTA_NEXT(a, left)) {
        if (a->rta_type == NDA_LLADDR && RTA_PAYLOAD(a) == sizeof out->octet) {
            struct mac mac;
            memcpy(&mac, RTA_DATA(a), sizeof mac);
            if (is_machine(&mac)) {
                *out = mac;
                return NEIGHBOUR_KNOWN;
            }
        }
    }
    return NEIGHBOUR_UNTOLD;
}

static enum neighbour read_answer(const struct nlmsghdr *head, struct mac *out)
{
    if (head->nlmsg_type == RTM_NEWNEIGH &&
        head->nlmsg_len >= NLMSG_LENGTH(sizeof(struct ndmsg))) {
        return take_mac(head, out);
    }
    const struct nlmsgerr *refusal = NLMSG_DATA(head);
    bool none = head->nlmsg_type == NLMSG_ERROR &&
                head->nlmsg_len >= NLMSG_LENGTH(sizeof *refusal) &&
                refusal->error == -ENOENT;
    return none ? NEIGHBOUR_ABSENT : NEIGHBOUR_UNTOLD;
}

enum neighbour neighbours_ask(int fd, unsigned ifindex, const struct endpoint *address,
                              struct mac *out)
{
    static uint32_t serials;
    uint32_t serial = ++serials;
    if (ifindex == 0 || !send_question(fd, ifindex, address, serial)) {
        return NEIGHBOUR_UNTOLD;
    }
    for (unsigned i = 0; i < ANSWERS_MAX; i++) {
        union {
            struct nlmsghdr head;
            uint8_t octets[1024];
        } answer;
        ssize_t n = recv(fd, &answer, sizeof answer, MSG_DONTWAIT);
        if (n < 0 && errno != EINTR) {
            return NEIGHBOUR_UNTOLD;
        }
        if (n >= (ssize_t)sizeof answer.head && answer.head.nlmsg_len <= (size_t)n &&
            answer.head.nlmsg_seq == serial) {
            return read_answer(&answer.head, out);
        }
    }
    return NEIGHBOUR_UNTOLD;
}
