#include <string.h>

#include "sim/app/roce/linux/roce_verbs_rows_internal.h"

#define QUIET 0.02 /* [s] on the wall */

/* ---- packets on the line */

static int is_answer(const rnic_packet *p, unsigned kind)
{
    return p->opcode == RNIC_ACKNOWLEDGE && (p->syndrome & 0x60) == kind;
}

/* The flow that a packet from that end belongs to; NULL: none. */
static roce_flow *flow_of(roce_verbs_rows *i, int from, const rnic_packet *p)
{
    for (unsigned k = 0; k < i->connections_open; k++)
        if (i->flow[k][0] && p->qp == (from ? roce_end_qp_number(i->connections[k].qp) : i->connections[k].guest))
            return i->flow[k][roce_flow_is_answer(p) ? !from : from];
    return NULL;
}

static void sent(void *self, int from, sim_time time, const uint8_t *frame, size_t length, int bad_fcs)
{
    roce_verbs_rows *i = self;
    rnic_packet p;
    const char *why;
    (void)bad_fcs;
    if (i->pcap) pcap_write(i->pcap, time, frame, length);
    if (rnic_packet_read(&p, frame, length, &why) != RNIC_GOOD) return;
    roce_flow *flow = flow_of(i, from, &p);
    if (flow) roce_flow_sent(flow, &p);
    i->line[from].sent++;
    i->line[from].rnr_naks_sent += is_answer(&p, RNIC_RNR_NAK);
    i->line[from].sequence_naks_sent += is_answer(&p, RNIC_NAK_SEQUENCE & 0x60) && p.syndrome == RNIC_NAK_SEQUENCE;
}

static void arrived(void *self, int from, sim_time time, const uint8_t *frame, size_t length, int bad_fcs)
{
    roce_verbs_rows *i = self;
    tally *t = &i->line[from];
    rnic_packet p;
    const char *why;
    (void)time, (void)bad_fcs;
    i->seen_at_all++;
    rnic_verdict verdict = rnic_packet_read(&p, frame, length, &why);
    t->arrived += verdict != RNIC_OTHER;
    if (verdict != RNIC_GOOD) return;
    roce_flow *flow = flow_of(i, from, &p);
    if (flow) roce_flow_arrived(flow, &p);
    t->good++;
    t->rnr_naks += is_answer(&p, RNIC_RNR_NAK);
    t->naks += is_answer(&p, RNIC_RNR_NAK) || is_answer(&p, RNIC_NAK_SEQUENCE & 0x60);
    t->sequence_naks += p.opcode == RNIC_ACKNOWLEDGE && p.syndrome == RNIC_NAK_SEQUENCE;
}

int verbs_watch_line(roce_verbs_rows *i)
{
    return ethernet_wire_observe(i->wire, ETHERNET_SENT, sent, i) ||
                   ethernet_wire_observe(i->wire, ETHERNET_ARRIVED, arrived, i)
               ? -1
               : 0;
}

/* ---- counters of both ends against that */

/* Until nothing more is on its way to Linux or in it, by its clock: the same counters twice, and none moves on the line
 * meanwhile. */
static int settle(roce_verbs_rows *i, roce_exchange_counters *l)
{
    roce_exchange_counters was;
    uint64_t seen;
    if (roce_exchange_count(&i->x, l)) return -1;
    do {
        was = *l;
        seen = i->seen_at_all;
        for (double from = sim_wall(); sim_wall() - from < QUIET; sim_wait_cycles(i->x.clock, 1000))
            if (*sim_error(i->x.sim)) return -1;
        if (roce_exchange_count(&i->x, l)) return -1;
    } while (memcmp(&was, l, sizeof was) || seen != i->seen_at_all);
    return 0;
}

void verbs_flows_free(roce_verbs_rows *i)
{
    for (unsigned k = 0; k < CONNECTIONS; k++)
        for (int end = 0; end < 2; end++) {
            roce_flow_free(i->flow[k][end]);
            i->flow[k][end] = NULL;
        }
}

int verbs_count_from_here(roce_verbs_rows *i)
{
    verbs_flows_free(i);
    for (unsigned k = 0; k < i->connections_open; k++)
        for (int end = 0; end < 2; end++)
            if (!(i->flow[k][end] = roce_flow_new(i->connections[k].psn, i->connections[k].pmtu)))
                return roce_exchange_fails(&i->x, "no memory left");
    if (settle(i, &i->linux_from)) return -1;
    memset(i->line, 0, sizeof i->line);
    return roce_end_count(i->x.end, &i->end_from);
}

static int same(roce_verbs_rows *i, const char *who, const char *what, uint32_t is, uint32_t on_the_line)
{
    if ((is & 0xffff) == (on_the_line & 0xffff)) return 0;
    return roce_exchange_fails(&i->x, "%s counted %u %s, %u were on the line", who, is & 0xffff, what,
                               on_the_line & 0xffff);
}

/* It may not have seen them: 64 bytes per clock, and short packets without a pause. */
static int with_drops(roce_verbs_rows *i, unsigned dropped)
{
    size_t n = strlen(i->x.why);
    if (dropped) snprintf(i->x.why + n, sizeof i->x.why - n, "; it has dropped %u that came", dropped);
    return -1;
}

/* Of all connections, by the end that requests. Linux is not quiet behind an RNR NAK. */
static int sum(roce_verbs_rows *i, roce_flow_counts all[2])
{
    memset(all, 0, 2 * sizeof *all);
    for (unsigned k = 0; k < i->connections_open; k++)
        for (int end = 0; end < 2; end++) {
            roce_flow_counts c;
            if (roce_flow_count(i->flow[k][end], end, &c)) return roce_exchange_fails(&i->x, "no memory left");
            all[end].again += c.again;
            all[end].outside += c.outside;
            all[end].early += c.early;
            all[end].news += c.news;
            all[end].duplicates += c.duplicates;
            all[end].gaps += c.gaps;
        }
    return 0;
}

int verbs_counters_agree(roce_verbs_rows *i)
{
    roce_end_counters e;
    roce_exchange_counters l;
    const tally *to = &i->line[1], *from = &i->line[0]; /* to and from the end */
    const roce_end_counters *e0 = &i->end_from;
    const roce_exchange_counters *l0 = &i->linux_from;
    roce_flow_counts flows[2];
    const roce_flow_counts *ours = &flows[0], *theirs = &flows[1]; /* requests of the end, and of Linux */
    if (settle(i, &l) || roce_end_count(i->x.end, &e) || sum(i, flows)) return -1;
    if (same(i, "Linux", "packets out", l.sent - l0->sent, to->sent) ||
        same(i, "Linux", "packets in", l.received - l0->received, from->good) ||
        same(i, "Linux", "duplicates", l.duplicates - l0->duplicates, ours->duplicates) ||
        same(i, "Linux", "gaps", l.sequence_naks_out - l0->sequence_naks_out, ours->gaps) ||
        same(i, "Linux", "NAK-sequence out", l.sequence_naks_out - l0->sequence_naks_out, to->sequence_naks_sent) ||
        same(i, "Linux", "RNR NAKs out", l.rnr_naks_out - l0->rnr_naks_out, to->rnr_naks_sent) ||
        same(i, "Linux", "RNR NAKs in", l.rnr_naks_in - l0->rnr_naks_in, from->rnr_naks))
        return -1;
    /* A NAK that comes between a timeout of Linux, by its own clock, and the first packet of its retry is dropped by it
     * without counting: that is not to be seen on the line. It never counts one more. */
    uint32_t counted = l.sequence_naks_in - l0->sequence_naks_in;
    if (counted > theirs->news) return same(i, "Linux", "NAK-sequence in", counted, theirs->news);
    i->overlooked += theirs->news - counted;
    if (same(i, "the end", "packets out", (uint32_t)(e.packets_out - e0->packets_out), from->sent) ||
        same(i, "the end", "packets in", (uint32_t)(e.packets_in - e0->packets_in), to->arrived) ||
        same(i, "the end", "NAKs in", (uint32_t)(e.naks_in - e0->naks_in), to->naks) ||
        same(i, "the end", "packets sent again", (uint32_t)(e.sent_again - e0->sent_again), ours->again) ||
        same(i, "the end", "duplicates", (uint32_t)(e.duplicates - e0->duplicates),
             theirs->duplicates + ours->outside + (e.early_too ? ours->early : 0)) ||
        same(i, "the end", "gaps", (uint32_t)(e.sequence_naks_out - e0->sequence_naks_out), theirs->gaps) ||
        same(i, "the end", "NAK-sequence out", (uint32_t)(e.sequence_naks_out - e0->sequence_naks_out),
             from->sequence_naks_sent) ||
        same(i, "the end", "RNR NAKs out", (uint32_t)(e.rnr_naks_out - e0->rnr_naks_out), from->rnr_naks_sent))
        return with_drops(i, (uint16_t)(e.dropped - e0->dropped));
    return 0;
}
