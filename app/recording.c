#include "app/recording.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/read_file.h"
#include "common/cleanup.h"
#include "dhcp/reply.h"
#include "dhcp/v6_packet.h"

#define ETHERNET_HEADER 14
#define FRAME_SIZE      65536

struct recording {
    pcap_t *pcap;
    int link; /* how much stands before the IP packet, and whether its type is told */
    uint64_t count;
    uint8_t frame[FRAME_SIZE]; /* of a recording that has no Ethernet headers */
};

/* Link types without Ethernet headers: how many octets stand before the IP packet. */
static const struct {
    int link;
    size_t header;
} links[] = {
    {DLT_RAW, 0},         {DLT_IPV4, 0},       {DLT_IPV6, 0},
    {DLT_NULL, 4},        {DLT_LINUX_SLL, 16}, /* "tcpdump -i any" */
#ifdef DLT_LINUX_SLL2
    {DLT_LINUX_SLL2, 20},
#endif
};

static bool header_of(int link, size_t *out)
{
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        if (links[i].link == link) {
            *out = links[i].header;
            return true;
        }
    }
    return false;
}

/* 0 or -errno; a file that libpcap does not take is closed. */
static int open_pcap(struct recording *r, const char *path, char error[PCAP_ERRBUF_SIZE])
{
    bool named = strcmp(path, "-") != 0;
    AUTO(close) int fd = named ? open_to_read(path) : -1;
    if (named && fd < 0) {
        return fd;
    }
    FILE *from = named ? fdopen(fd, "r") : stdin;
    if (!from) {
        return -errno;
    }
    (void)take_fd(&fd); /* the stream's now */
    r->pcap = pcap_fopen_offline(from, error);
    if (!r->pcap && named) {
        (void)fclose(from);
    }
    return 0;
}

struct recording *recording_open(const char *path, char why[RECORDING_WHY_SIZE])
{
    char error[PCAP_ERRBUF_SIZE] = "";
    size_t header;
    struct recording *r = calloc(1, sizeof *r);
    snprintf(why, RECORDING_WHY_SIZE, "out of memory");
    if (!r) {
        return NULL;
    }
    int failed = open_pcap(r, path, error);
    if (!r->pcap) {
        snprintf(why, RECORDING_WHY_SIZE, "%s",
                 failed != 0 ? read_fault(path, failed) : error);
        recording_close(r);
        return NULL;
    }
    r->link = pcap_datalink(r->pcap);
    if (r->link != DLT_EN10MB && !header_of(r->link, &header)) {
        const char *name = pcap_datalink_val_to_name(r->link);
        snprintf(why, RECORDING_WHY_SIZE, "its packets are of link type %s, not Ethernet",
                 name ? name : "?");
        recording_close(r);
        return NULL;
    }
    return r;
}

void recording_close(struct recording *r)
{
    if (r && r->pcap) {
        pcap_close(r->pcap);
    }
    free(r);
}

/* A header of zeros takes the place of whatever stood before the IP packet. */
static size_t as_ethernet(struct recording *r, const uint8_t **octets, size_t len)
{
    size_t header = 0;
    if (r->link == DLT_EN10MB) {
        return len;
    }
    (void)header_of(r->link, &header);
    if (len < header || len - header > FRAME_SIZE - ETHERNET_HEADER) {
        return 0;
    }
    memset(r->frame, 0, ETHERNET_HEADER);
    bool ipv6 = len > header && (*octets)[header] >> 4 == 6;
    r->frame[12] = ipv6 ? 0x86 : 0x08;
    r->frame[13] = ipv6 ? 0xdd : 0x00;
    memcpy(r->frame + ETHERNET_HEADER, *octets + header, len - header);
    *octets = r->frame;
    return ETHERNET_HEADER + len - header;
}

static bool parse_either(const uint8_t *octets, size_t len, struct recorded *out)
{
    out->ipv6 = false;
    if (frame_parse(octets, len, &out->frame) == FRAME_OK) {
        out->to_port = out->frame.to_port;
        return true;
    }
    out->ipv6 = frame6_parse(octets, len, &out->frame6) == FRAME_OK;
    out->to_port = out->ipv6 ? out->frame6.to_port : 0;
    return out->ipv6;
}

static bool is_ours(uint16_t port)
{
    return port == DHCP_SERVER_PORT || port == DHCP_PXE_PORT ||
           port == DHCP6_SERVER_PORT || port == RECORDING_TFTP;
}

int recording_next(struct recording *r, struct recorded *out,
                   char why[RECORDING_WHY_SIZE])
{
    struct pcap_pkthdr *info;
    const uint8_t *octets;
    int status;
    while ((status = pcap_next_ex(r->pcap, &info, &octets)) == 1) {
        r->count++;
        size_t len = as_ethernet(r, &octets, info->caplen);
        if (!parse_either(octets, len, out) || !is_ours(out->to_port)) {
            continue;
        }
        out->number = r->count;
        out->has_macs = r->link == DLT_EN10MB;
        out->time = (usec_t)info->ts.tv_sec * USEC_PER_SEC + (usec_t)info->ts.tv_usec;
        return 1;
    }
    if (status == PCAP_ERROR) {
        snprintf(why, RECORDING_WHY_SIZE, "%s", pcap_geterr(r->pcap));
        return -1;
    }
    return 0;
}
