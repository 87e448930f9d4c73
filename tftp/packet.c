#include "tftp/packet.h"

#include <strings.h>

static enum tftp_fault parse_mode(struct tftp_text text, enum tftp_mode *out)
{
    if (text.len == 5 && strncasecmp(text.at, "octet", 5) == 0) {
        *out = TFTP_OCTET;
        return TFTP_OK;
    }
    if (text.len == 8 && strncasecmp(text.at, "netascii", 8) == 0) {
        *out = TFTP_NETASCII;
        return TFTP_OK;
    }
    return TFTP_BAD_MODE;
}

/* A string that must end in NUL. */
static bool take_text(struct rd *r, struct tftp_text *out)
{
    const char *at = rd_cstr(r);
    *out = (struct tftp_text){at, at ? strlen(at) : 0};
    return at != NULL;
}

static enum tftp_fault parse_request(struct rd *r, struct tftp_packet *pkt)
{
    size_t left = rd_left(r);
    if (!take_text(r, &pkt->file)) {
        return left > TFTP_NAME_MAX ? TFTP_LONG_NAME : TFTP_SHORT;
    }
    if (pkt->file.len == 0) {
        return TFTP_EMPTY_NAME;
    }
    if (pkt->file.len > TFTP_NAME_MAX) {
        return TFTP_LONG_NAME;
    }
    struct tftp_text mode;
    struct rd rest = *r;
    if (!take_text(r, &mode)) {
        /* Quirk: SGI Indigo2 PROM: no NUL behind the mode.  The datagram's end is the end. */
        mode = (struct tftp_text){(const char *)rest.p, rd_left(&rest)};
        *r = rd_over(rest.end, 0);
        if (mode.len == 0) {
            return TFTP_SHORT;
        }
    }
    pkt->options = rd_sub(r, rd_left(r));
    return parse_mode(mode, &pkt->mode);
}

static enum tftp_fault parse_block(struct rd *r, struct tftp_packet *pkt)
{
    pkt->block = rd_u16(r);
    pkt->data = rd_sub(r, rd_left(r));
    return rd_ok(r) ? TFTP_OK : TFTP_SHORT;
}

static enum tftp_fault parse_ack(struct rd *r, struct tftp_packet *pkt)
{
    pkt->block = rd_u16(r);
    if (!rd_ok(r)) {
        return TFTP_SHORT;
    }
    pkt->has_window = rd_left(r) > 0;
    pkt->window = pkt->has_window ? rd_u8(r) : 0;
    return TFTP_OK;
}

static enum tftp_fault parse_error(struct rd *r, struct tftp_packet *pkt)
{
    pkt->error_code = rd_u16(r);
    if (!rd_ok(r)) {
        return TFTP_SHORT;
    }
    /* Quirk: some ROMs send ERROR without the closing NUL; the code is what matters. */
    struct rd rest = *r;
    if (!take_text(r, &pkt->message)) {
        pkt->message = (struct tftp_text){(const char *)rest.p, rd_left(&rest)};
    }
    return TFTP_OK;
}

static enum tftp_fault parse_oack(struct rd *r, struct tftp_packet *pkt)
{
    pkt->options = rd_sub(r, rd_left(r));
    return TFTP_OK;
}

static enum tftp_fault (*const parsers[])(struct rd *, struct tftp_packet *) = {
    [TFTP_RRQ] = parse_request, [TFTP_WRQ] = parse_request, [TFTP_DATA] = parse_block,
    [TFTP_ACK] = parse_ack,     [TFTP_ERROR] = parse_error, [TFTP_OACK] = parse_oack,
};

enum tftp_fault tftp_parse(const void *dgram, size_t len, struct tftp_packet *out)
{
    struct rd r = rd_over(dgram, len);
    uint16_t op = rd_u16(&r);
    if (!rd_ok(&r)) {
        return TFTP_SHORT;
    }
    if (op < TFTP_RRQ || op > TFTP_OACK) {
        return TFTP_UNKNOWN_OP;
    }
    struct tftp_packet pkt = {.op = (enum tftp_op)op};
    enum tftp_fault fault = parsers[op](&r, &pkt);
    if (fault == TFTP_OK) {
        *out = pkt;
    }
    return fault;
}

void tftp_write_data_header(struct wr *w, uint16_t block)
{
    wr_u16(w, TFTP_DATA);
    wr_u16(w, block);
}

void tftp_write_error(struct wr *w, enum tftp_error code, const char *message)
{
    wr_u16(w, TFTP_ERROR);
    wr_u16(w, (uint16_t)code);
    wr_cstr(w, message);
}
