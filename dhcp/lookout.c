#include "dhcp/lookout.h"

#include "dhcp/journal.h"

void lookout_request(struct radar *r, const struct dhcp_packet *in,
                     const struct dhcp_decision *d)
{
    struct radar_request request = {.xid = in->xid, .ours = d->reply_count > 0};
    struct dhcp_packet out;
    (void)dhcp_mac(in, &request.client);
    if (request.ours &&
        dhcp_parse(d->reply[0].packet, d->reply[0].len, &out) == DHCP_OK) {
        request.next_server = out.siaddr;
    }
    radar_heard(r, &request);
}

void lookout_reply(struct radar *r, const struct port *p, const struct radar_reply *reply,
                   usec_t now)
{
    const struct radar_event *fresh[RADAR_KIND_COUNT];
    size_t count = radar_see(r, reply, now, fresh);
    for (size_t i = 0; i < count; i++) {
        dhcp_journal_conflict(p->conf.name, fresh[i]);
    }
}

void lookout_read_request(struct radar *r, const struct port *p, const struct frame *f,
                          usec_t now)
{
    struct ip4 us;
    if (identity_answers(&p->facts.identity, f->ip_to, &us)) {
        return;
    }
    const struct radar_event *e =
        radar_asks(r, &f->from, &f->to, f->ip_to, f->payload, now);
    if (e) {
        dhcp_journal_conflict(p->conf.name, e);
    }
}
