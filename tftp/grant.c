#include "tftp/grant.h"

#include "common/minmax.h"
#include "config/snapshot.h"

static uint32_t ahead_for(const struct tftp_shape *shape,
                          const struct tftp_limits *limits, uint32_t learned)
{
    if (limits->send_ahead != SEND_AHEAD_AUTO) {
        return learned > 1 ? limits->send_ahead : 1;
    }
    if (!tftp_kind_takes_ahead(shape->kind)) {
        return 1;
    }
    return (uint32_t)lesser(learned, lesser(limits->max_window_size, SEND_AHEAD_MAX));
}

static struct tftp_terms terms_for(const struct tftp_opts *agreed, uint64_t size)
{
    usec_t timeout = tftp_opts_get(agreed, TFTP_TIMEOUT, UINT8_MAX) * USEC_PER_SEC;
    return (struct tftp_terms){
        .file_size = size,
        .blksize = (uint32_t)tftp_opts_get(agreed, TFTP_BLKSIZE, 512),
        .window = (uint32_t)tftp_opts_get(agreed, TFTP_WINDOWSIZE, 1),
        .msft_window = tftp_opts_has(agreed, TFTP_MSFTWINDOW),
        .oack = agreed->count > 0,
        .rto_max = timeout < TFTP_RTO_MAX ? timeout : TFTP_RTO_MAX,
        .patience = TFTP_PATIENCE,
    };
}

void tftp_grant(struct tftp_windows *windows, const struct tftp_wish *wish, usec_t now,
                struct tftp_grant *out)
{
    struct tftp_limits fitting = wish->limits;
    struct tftp_wire wire;
    out->shape = tftp_shape_of(&wish->asked);
    uint32_t learned = tftp_windows_ask(windows, &wish->client, &out->shape, now, &wire);
    uint64_t largest = greater(learned, TFTP_WINDOW_SMALL);
    fitting.max_window_size = (uint32_t)lesser(largest, fitting.max_window_size);
    out->agreed = tftp_opts_agree(&wish->asked, &fitting, wish->file_size);
    out->terms = terms_for(&out->agreed, wish->file_size);
    out->terms.ahead = ahead_for(&out->shape, &wish->limits, learned);
    out->terms.wire = wire;
}

void tftp_grant_told(struct tftp_windows *windows, const struct endpoint *client,
                     const struct tftp_shape *shape, const struct tftp_session *s,
                     usec_t now)
{
    const struct tftp_carried how = {
        .granted = s->terms.ahead > 1 ? s->terms.ahead : s->terms.window,
        .blocks = s->acked,
        .resent = s->stats.resent_blocks,
        .stalled = s->state != TFTP_ENDED || s->end == TFTP_END_STALLED,
        .refused = s->ahead.refused,
        .wire = tftp_flow_wire(&s->flow),
    };
    if (s->state != TFTP_ENDED || s->end != TFTP_END_NO_ANSWER) {
        tftp_windows_tell(windows, client, shape, &how, now);
    }
}
