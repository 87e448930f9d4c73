/*
 * Any datagram on port 69.
 *
 * Properties: it parses or is refused, and what is refused leaves the outcome alone; texts lie
 * within the datagram; never more is agreed than was asked, and nothing that was not; the OACK
 * we would answer parses to itself again.
 */
#include "tests/fuzz/fuzz.h"
#include "tftp/options.h"
#include "tftp/packet.h"

static bool inside(const uint8_t *data, size_t size, struct tftp_text t)
{
    const uint8_t *at = (const uint8_t *)t.at;
    return t.len == 0 || (at >= data && at + t.len <= data + size);
}

/* What a name became: in place, without a NUL. */
static void check_texts(const uint8_t *data, size_t size, const struct tftp_packet *p)
{
    if (p->op == TFTP_RRQ || p->op == TFTP_WRQ) {
        must(p->file.len >= 1 && p->file.len <= TFTP_NAME_MAX);
        must(inside(data, size, p->file) && !memchr(p->file.at, 0, p->file.len));
        must(p->mode == TFTP_OCTET || p->mode == TFTP_NETASCII);
    } else if (p->op == TFTP_ERROR) {
        must(inside(data, size, p->message));
    }
}

/* Never more than was asked, nothing that was not asked. */
static void check_agreed(const struct tftp_opts *asked, const struct tftp_opts *agreed)
{
    must((agreed->has & ~asked->has) == 0 && agreed->count <= asked->count);
    if (tftp_opts_has(agreed, TFTP_BLKSIZE)) {
        must(agreed->val[TFTP_BLKSIZE] >= 8 && agreed->val[TFTP_BLKSIZE] <= 65464);
        must(agreed->val[TFTP_BLKSIZE] <= asked->val[TFTP_BLKSIZE]);
    }
    if (tftp_opts_has(agreed, TFTP_WINDOWSIZE)) {
        must(agreed->val[TFTP_WINDOWSIZE] >= 1);
        must(agreed->val[TFTP_WINDOWSIZE] <= asked->val[TFTP_WINDOWSIZE]);
    }
    if (tftp_opts_has(agreed, TFTP_TIMEOUT)) {
        must(agreed->val[TFTP_TIMEOUT] == asked->val[TFTP_TIMEOUT]);
    }
}

/* Any datagram parses or is refused; the OACK we would answer parses to itself again. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tftp_packet p = {.block = 0xbeef};
    if (tftp_parse(data, size, &p) != TFTP_OK) {
        must(p.block == 0xbeef && p.op == 0);
        return 0;
    }
    check_texts(data, size, &p);
    if (p.op != TFTP_RRQ) {
        return 0;
    }
    const struct tftp_limits limits = {.max_block_size = 1468, .max_window_size = 64};
    struct tftp_opts asked = tftp_opts_parse(p.options);
    struct tftp_opts agreed = tftp_opts_agree(&asked, &limits, UINT64_C(5) << 30);
    check_agreed(&asked, &agreed);

    uint8_t oack[512];
    struct wr w = wr_over(oack, sizeof oack);
    tftp_opts_write(&agreed, &w);
    struct tftp_packet again;
    must(wr_ok(&w) && tftp_parse(oack, wr_len(&w), &again) == TFTP_OK);
    must(again.op == TFTP_OACK);
    struct tftp_opts read = tftp_opts_parse(again.options);
    must(read.has == agreed.has && read.count == agreed.count);
    for (int i = 0; i < TFTP_OPT_COUNT; i++) {
        must(!tftp_opts_has(&read, (enum tftp_opt)i) || read.val[i] == agreed.val[i]);
    }
    return 0;
}
