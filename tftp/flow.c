#include "tftp/flow.h"

#define BACKOFF_MAX 16
#define LATE_EIGHTH 8  /* a round trip and an eighth of it is late */
#define PART_MARGIN 50 /* microseconds for the client */
#define APART_FIRST 26 /* blocks between two losses, to begin with */
#define PARTS_APART 4  /* times the first round trip, as long as no other is known */
#define GROW_AFTER  4  /* times the usual run without a loss: try more */

static usec_t min_time(usec_t a, usec_t b)
{
    return a < b ? a : b;
}

static usec_t max_time(usec_t a, usec_t b)
{
    return a > b ? a : b;
}

/* Three quarters of the blocks between two losses: the rest is rarely wasted. */
static void fit_reach(struct tftp_flow *f)
{
    uint64_t reach = f->apart * 3 / 4;
    reach = reach > TFTP_REACH_MIN ? reach : TFTP_REACH_MIN;
    f->reach = reach < f->window ? (uint32_t)reach : f->window;
}

void tftp_flow_init(struct tftp_flow *f, uint32_t window, usec_t rto_max)
{
    *f = (struct tftp_flow){
        .rto_max = rto_max,
        .window = window,
        .apart = window > APART_FIRST / 2 ? 2 * (uint64_t)window : APART_FIRST,
    };
    tftp_pace_init(&f->pace);
    fit_reach(f);
}

void tftp_flow_know(struct tftp_flow *f, const struct tftp_wire *wire)
{
    if (wire->srtt == 0) {
        return;
    }
    f->known = *wire;
    f->apart = wire->apart;
    f->pace = wire->pace;
    if (f->window > TFTP_BURST_FIRST && f->pace.burst <= TFTP_BURST_FIRST) {
        f->pace.burst = TFTP_BURST_PACED; /* a window of that size was one burst */
    }
    fit_reach(f);
}

struct tftp_wire tftp_flow_wire(const struct tftp_flow *f)
{
    return (struct tftp_wire){
        .srtt = f->measured ? f->srtt : 0,
        .rttvar = f->rttvar,
        .apart = f->apart,
        .pace = f->pace,
    };
}

void tftp_flow_resize(struct tftp_flow *f, uint32_t window)
{
    f->window = window;
    fit_reach(f);
}

static void restart(struct tftp_flow *f, usec_t rtt)
{
    f->srtt = max_time(rtt, 1);
    f->rttvar = rtt / 2;
}

void tftp_flow_first_trip(struct tftp_flow *f, usec_t rtt)
{
    f->backoff = 0;
    restart(f, rtt);
    tftp_pace_trip(&f->pace, rtt);
    if (f->known.srtt >
        rtt) { /* that of windows, which take longer than a first packet */
        f->srtt = f->known.srtt;
        f->rttvar = max_time(f->known.rttvar, f->srtt / 4);
        f->measured = true;
    }
}

/* RFC 6298 section 2. */
void tftp_flow_trip(struct tftp_flow *f, usec_t rtt)
{
    f->backoff = 0;
    tftp_pace_trip(&f->pace, rtt);
    if (!f->measured) {
        f->measured = true;
        restart(f, rtt);
        return;
    }
    usec_t off = rtt > f->srtt ? rtt - f->srtt : f->srtt - rtt;
    f->rttvar = (3 * f->rttvar + off) / 4;
    f->srtt = max_time((7 * f->srtt + rtt) / 8, 1);
}

void tftp_flow_trip_at_least(struct tftp_flow *f, usec_t rtt)
{
    if (!f->measured && rtt > f->srtt) {
        f->srtt = min_time(rtt, f->rto_max);
        f->rttvar = f->srtt / 8;
    }
}

usec_t tftp_flow_rto(const struct tftp_flow *f)
{
    usec_t base = f->srtt ? f->srtt + 4 * f->rttvar : TFTP_RTO_FIRST;
    base = min_time(max_time(base, TFTP_RTO_MIN), f->rto_max);
    return min_time(base << (f->backoff < BACKOFF_MAX ? f->backoff : BACKOFF_MAX),
                    f->rto_max);
}

usec_t tftp_flow_probe_time(const struct tftp_flow *f)
{
    usec_t rto = tftp_flow_rto(f);
    if (!f->measured || f->backoff > 0) {
        return rto;
    }
    return min_time(rto, max_time(2 * f->srtt + 4 * f->rttvar, TFTP_PROBE_MIN));
}

usec_t tftp_flow_late(const struct tftp_flow *f, unsigned repeats)
{
    usec_t late = f->srtt + max_time(f->srtt / LATE_EIGHTH, 2 * f->rttvar);
    if (f->srtt == 0 || (!f->measured && f->doubtful)) {
        late = tftp_flow_rto(f);
    }
    return min_time(late << (repeats < BACKOFF_MAX ? repeats : BACKOFF_MAX),
                    max_time(f->rto_max, late));
}

usec_t tftp_flow_part_time(const struct tftp_flow *f)
{
    /* What is only known to be a bound may be a client's timer: not for every part. */
    usec_t most = f->pace.base > 0 && !f->measured ? PARTS_APART * f->pace.base : f->srtt;
    usec_t trip = min_time(f->srtt, most);
    return trip + trip / LATE_EIGHTH + PART_MARGIN;
}

void tftp_flow_arrived(struct tftp_flow *f, uint64_t blocks, bool at_once)
{
    f->run += blocks;
    if (at_once && f->run > GROW_AFTER * f->apart) {
        f->apart += f->apart / 8 + 1;
        fit_reach(f);
    }
}

void tftp_flow_lost(struct tftp_flow *f)
{
    /* A loss after a long run is the price of growing: no reason to grow further. */
    f->apart = f->run > f->apart ? f->apart - f->apart / 16 : (3 * f->apart + f->run) / 4;
    f->run = 0;
    f->doubtful = true;
    tftp_pace_lost(&f->pace);
    fit_reach(f);
}
