#include "sim/app/roce/linux/roce_end.h"

#include <stdlib.h>
#include <string.h>

#include "sim/app/roce/linux/roce_counters.h"

enum { DOMAIN = 1, FIRST_QP = 2 /* as in the chip: 1 is for datagrams */, QUEUE = 128, POSTED = 64, DATAGRAMS = 64 };
enum { DATA = 0x10000000, BUFFERS = 0x40000000, OF_A_QP = 0x1000000 }; /* addresses of the NIC in C */

struct roce_end {
    sim *sim;
    roce_system *system; /* of the chip; or NULL, and */
    rnic *nic;
    rnic_port *port;
    uint8_t *memory;
    uint32_t key;
    unsigned next_qp;
    roce_end_qp *first, *datagrams; /* of all QPs; QP 1 of the NIC in C, as soon as it is wanted */
    uint64_t base;
};

struct roce_end_qp {
    roce_end *end;
    roce_end_qp *next;
    rn_qp *chip; /* or NULL, and */
    rnic_qp *nic;
    uint8_t *buffers;
    uint32_t key, number;
    unsigned count, bytes; /* of receive buffers, which the copies of sent data follow */
    unsigned inside;       /* of these, the next */
    rnic_completion done[2][QUEUE];
    unsigned put[2], got[2]; /* of sends, and of receives */
    rnic_status failure;
};

static int fail(roce_end *e, const char *what)
{
    const char *why = e->system && e->system->device ? rn_last_error(e->system->device) : "";
    sim_fail(e->sim, "%s: %s", what, why);
    return -1;
}

/* ---- life */

roce_end *roce_end_of_chip(roce_system *y)
{
    roce_end *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->sim = y->sim;
    e->system = y;
    return e;
}

roce_end *roce_end_of_nic(sim *s, sim_clock *clock, ethernet_wire *wire, char error[ROCE_SYSTEM_ERROR])
{
    roce_end *e = calloc(1, sizeof *e);
    const rnic_params params = roce_system_nic(s, 0);
    snprintf(error, ROCE_SYSTEM_ERROR, "no memory left");
    if (!e) return NULL;
    e->sim = s;
    e->next_qp = FIRST_QP;
    e->base = DATA;
    if ((e->memory = calloc(1, ROCE_END_MEMORY)) && (e->nic = rnic_new(&params, error)) &&
        (e->port = rnic_port_new(s, clock, e->nic, wire, 0)) &&
        (e->key = rnic_register(e->nic, DOMAIN, e->memory, DATA, ROCE_END_MEMORY, RNIC_LOCAL_WRITE)))
        return e;
    roce_end_free(e);
    return NULL;
}

void roce_end_free(roce_end *e)
{
    if (!e) return;
    while (e->first) roce_end_qp_free(e->first);
    rnic_port_free(e->port);
    rnic_free(e->nic);
    free(e->memory);
    free(e);
}

int roce_end_line_make(roce_end_line *n, sim *s, uint64_t seed, const char *pcap, char error[ROCE_SYSTEM_ERROR])
{
    const sim_clock_params clock = {.name = "nic_clk", .period = 6400};
    ethernet_wire_params params;
    ethernet_wire_params_default(&params);
    params.seed = seed;
    snprintf(error, ROCE_SYSTEM_ERROR, "no memory left");
    if (!(n->wire = ethernet_wire_new(&params, error)) || !(n->clock = sim_clock_new(s, &clock)) ||
        (pcap && (!(n->pcap = pcap_writer_new(pcap, error)) || pcap_attach(n->pcap, n->wire, ETHERNET_SENT))))
        return -1;
    return (n->end = roce_end_of_nic(s, n->clock, n->wire, error)) ? 0 : -1;
}

int roce_end_line_free(roce_end_line *n, char error[ETHERNET_ERROR])
{
    uint64_t frames;
    int result = pcap_close(n->pcap, &frames, error);
    roce_end_free(n->end);
    ethernet_wire_free(n->wire);
    return result;
}

int roce_end_open(roce_end *e)
{
    if (!e->system) return 0;
    if (roce_system_open(e->system)) return -1;
    const struct nx_platform *p = &e->system->platform;
    return (e->base = p->alloc(p->self, ROCE_END_MEMORY, 4096)) ? 0 : fail(e, "memory for data");
}

void roce_end_close(roce_end *e)
{
    while (e->first) roce_end_qp_free(e->first);
    if (e->system) roce_system_close(e->system);
}

/* ---- memory */

uint64_t roce_end_memory(const roce_end *e) { return e->base; }

void roce_end_write(roce_end *e, uint64_t at, const uint8_t *from, size_t length)
{
    if (e->system) memory_write(e->system->board->bytes_of, at, from, length);
    else memcpy(e->memory + (at - e->base), from, length);
}

void roce_end_read(roce_end *e, uint64_t at, uint8_t *to, size_t length)
{
    if (e->system) memory_read(e->system->board->bytes_of, at, to, length);
    else memcpy(to, e->memory + (at - e->base), length);
}

/* ---- queue pairs */

static uint64_t buffers_of(const roce_end_qp *qp) { return BUFFERS + (uint64_t)qp->number * OF_A_QP; }

static int give_buffer(roce_end_qp *qp, uint64_t id)
{
    return rnic_post_receive(qp->nic, &(rnic_receive){id, buffers_of(qp) + id * qp->bytes, qp->key, qp->bytes});
}

static int make_nic_qp(roce_end_qp *qp)
{
    roce_end *e = qp->end;
    char error[RNIC_ERROR];
    const rnic_qp_params params = {.number = qp->number,
                                   .type = qp->number == 1 ? RNIC_UD : RNIC_RC,
                                   .domain = DOMAIN,
                                   .sends = POSTED,
                                   .receives = QUEUE};
    uint64_t bytes = (uint64_t)qp->count * qp->bytes + (uint64_t)POSTED * RN_MAD;
    if (!(qp->nic = rnic_qp_new(e->nic, &params, error))) return fail(e, error);
    if (!(qp->buffers = calloc(1, bytes)) ||
        !(qp->key = rnic_register(e->nic, DOMAIN, qp->buffers, buffers_of(qp), bytes, RNIC_LOCAL_WRITE)))
        return fail(e, "memory for receive buffers");
    for (unsigned i = 0; i < qp->count; i++)
        if (give_buffer(qp, i)) return fail(e, "a receive is not taken");
    return 0;
}

static int make_chip_qp(roce_end_qp *qp)
{
    rn_qp_params params = rn_qp_params_default();
    params.send_depth = POSTED + 1;
    params.receive_depth = qp->count + 1;
    params.receive_bytes = qp->bytes;
    if (rn_qp_create(qp->end->system->device, &params, &qp->chip)) return fail(qp->end, "a new QP");
    qp->number = rn_qp_number(qp->chip);
    return 0;
}

static roce_end_qp *new_qp(roce_end *e, uint32_t number, unsigned buffers, unsigned bytes)
{
    roce_end_qp *qp = calloc(1, sizeof *qp);
    if (!qp) {
        fail(e, "no memory left");
        return NULL;
    }
    *qp = (roce_end_qp){.end = e, .next = e->first, .number = number, .count = buffers, .bytes = bytes};
    e->first = qp;
    if (!(e->system ? make_chip_qp(qp) : make_nic_qp(qp))) return qp;
    roce_end_qp_free(qp);
    return NULL;
}

roce_end_qp *roce_end_qp_new(roce_end *e, unsigned buffers, unsigned bytes)
{
    return new_qp(e, e->next_qp++, buffers, bytes);
}

int roce_end_qp_disable(roce_end_qp *qp)
{
    if (qp->chip) return rn_qp_disable(qp->chip) ? fail(qp->end, "to disable a QP") : 0;
    rnic_reset(qp->nic);
    return 0;
}

void roce_end_qp_free(roce_end_qp *qp)
{
    roce_end_qp **at = &qp->end->first;
    while (*at != qp) at = &(*at)->next;
    *at = qp->next;
    if (qp->chip) {
        if (rn_qp_destroy(qp->chip)) fail(qp->end, "to destroy a QP");
    }
    if (qp->nic) rnic_qp_free(qp->nic);
    if (qp->key) rnic_deregister(qp->end->nic, qp->key);
    free(qp->buffers);
    free(qp);
}

unsigned roce_end_qp_number(const roce_end_qp *qp) { return qp->number; }

static rnic_address nic_address(const rn_address *a)
{
    rnic_address n;
    memcpy(n.mac, a->mac, sizeof n.mac);
    if (a->ipv6) memcpy(n.ip, a->ip, sizeof n.ip);
    else rnic_set_ipv4(n.ip, rn_get32(a->ip));
    return n;
}

int roce_end_connect(roce_end_qp *qp, const rn_connection *c)
{
    char error[RNIC_ERROR];
    if (qp->chip) return rn_qp_modify(qp->chip, c) ? fail(qp->end, "to connect") : 0;
    rnic_connection n;
    rnic_connection_default(&n);
    n.peer = nic_address(&c->peer);
    n.qp = c->qp;
    n.pmtu = c->pmtu;
    n.send_psn = c->send_psn;
    n.receive_psn = c->receive_psn;
    n.timeout = c->timeout;
    n.retries = c->retries;
    n.rnr_retries = c->rnr_retries;
    n.rnr_timer = c->rnr_timer;
    n.reads = c->reads_outstanding;
    return rnic_connect(qp->nic, &n, error) ? fail(qp->end, error) : 0;
}

/* Data to send are copied: there is a place for each entry of the queue. */
static void put_inside(roce_end_qp *qp, rnic_send *s, const void *bytes, uint32_t length)
{
    uint64_t at = (uint64_t)qp->count * qp->bytes + (uint64_t)(qp->inside++ % POSTED) * RN_MAD;
    memcpy(qp->buffers + at, bytes, length);
    s->address = buffers_of(qp) + at;
    s->key = qp->key;
    s->length = length;
}

int roce_end_post(roce_end_qp *qp, const rn_work *w)
{
    if (qp->chip) return rn_post(qp->chip, w) ? fail(qp->end, "to post") : 0;
    rnic_send s = {.id = w->id,
                   .operation = w->opcode == RN_SEND    ? RNIC_SEND
                                : w->opcode == RN_WRITE ? RNIC_WRITE
                                                        : RNIC_READ,
                   .address = w->local,
                   .key = qp->end->key,
                   .length = w->length,
                   .remote = w->remote,
                   .rkey = w->rkey};
    if (w->inside) put_inside(qp, &s, w->inside, w->length);
    return rnic_post_send(qp->nic, &s) ? fail(qp->end, "to post") : 0;
}

/* Hands completions to their QPs. */
static void sort_completions(roce_end *e)
{
    rnic_completion c;
    while (rnic_poll(e->nic, &c))
        for (roce_end_qp *qp = e->first; qp; qp = qp->next)
            if (qp->number == c.qp) qp->done[c.receive][qp->put[c.receive]++ % QUEUE] = c;
}

int roce_end_poll(roce_end_qp *qp, rn_completion *c)
{
    if (qp->chip) {
        int n = rn_poll(qp->chip, c, 1);
        return n < 0 ? fail(qp->end, "to poll") : n;
    }
    sort_completions(qp->end);
    if (qp->got[0] == qp->put[0]) return 0;
    const rnic_completion *d = &qp->done[0][qp->got[0]++ % QUEUE];
    if (d->status != RNIC_SUCCESS && qp->failure == RNIC_SUCCESS) qp->failure = d->status;
    *c = (rn_completion){.id = (uint16_t)d->id,
                         .opcode = d->operation == RNIC_SEND    ? RN_SEND
                                   : d->operation == RNIC_WRITE ? RN_WRITE
                                                                : RN_READ,
                         .error = d->status != RNIC_SUCCESS};
    return 1;
}

int roce_end_receive(roce_end_qp *qp, uint8_t *to, size_t size, uint32_t *length)
{
    if (qp->chip) {
        rn_message m;
        int n = rn_receive(qp->chip, &m);
        if (n <= 0) return n ? fail(qp->end, "to receive") : 0;
        *length = m.length;
        memory_read(qp->end->system->board->bytes_of, m.address, to, m.length < size ? m.length : size);
        return rn_release(qp->chip) ? fail(qp->end, "to give a buffer back") : 1;
    }
    sort_completions(qp->end);
    if (qp->got[1] == qp->put[1]) return 0;
    const rnic_completion *d = &qp->done[1][qp->got[1]++ % QUEUE];
    *length = d->length;
    memcpy(to, qp->buffers + d->id * qp->bytes, d->length < size ? d->length : size);
    return d->status != RNIC_SUCCESS || give_buffer(qp, d->id) ? fail(qp->end, rnic_status_name(d->status)) : 1;
}

int roce_end_failed(roce_end_qp *qp, unsigned *syndrome, unsigned *code)
{
    *code = 0;
    if (qp->chip) {
        rn_qp_status s;
        if (rn_qp_get_status(qp->chip, &s)) return fail(qp->end, "its status");
        *syndrome = s.syndrome;
        for (rn_error x; rn_error_next(qp->end->system->device, &x) > 0;)
            if (x.qp == qp->number) *code = x.code;
        return s.fatal;
    }
    *syndrome = qp->failure == RNIC_REMOTE_INVALID     ? RNIC_NAK_INVALID
                : qp->failure == RNIC_REMOTE_ACCESS    ? RNIC_NAK_ACCESS
                : qp->failure == RNIC_REMOTE_OPERATION ? RNIC_NAK_OPERATION
                                                       : 0;
    return rnic_qp_state(qp->nic) == RNIC_FAILED;
}

/* ---- datagrams of the NIC in C */

static roce_end_qp *datagrams(roce_end *e)
{
    if (!e->datagrams) e->datagrams = new_qp(e, 1, DATAGRAMS, RN_MAD);
    return e->datagrams;
}

int roce_end_mad_send(roce_end *e, const rn_address *to, const uint8_t mad[RN_MAD])
{
    roce_end_qp *qp = datagrams(e);
    rn_completion gone;
    rnic_send s = {.operation = RNIC_SEND, .peer = nic_address(to), .qp = 1};
    if (!qp) return -1;
    while (roce_end_poll(qp, &gone)) {
    }
    put_inside(qp, &s, mad, RN_MAD);
    return rnic_post_send(qp->nic, &s) ? fail(e, "to post a datagram") : 0;
}

int roce_end_mad_receive(roce_end *e, rn_address *from, uint8_t mad[RN_MAD])
{
    roce_end_qp *qp = datagrams(e);
    if (!qp) return -1;
    sort_completions(e);
    if (qp->got[1] == qp->put[1]) return 0;
    const rnic_completion *d = &qp->done[1][qp->got[1]++ % QUEUE];
    int whole = d->status == RNIC_SUCCESS && d->length == RN_MAD && d->source_qp == 1;
    *from = (rn_address){.ipv6 = !rnic_is_ipv4(d->from.ip)};
    memcpy(from->mac, d->from.mac, sizeof from->mac);
    memcpy(from->ip, d->from.ip + (from->ipv6 ? 0 : 12), from->ipv6 ? 16 : 4);
    memcpy(mad, qp->buffers + d->id * qp->bytes, RN_MAD);
    if (give_buffer(qp, d->id)) return fail(e, "a receive is not taken");
    return whole ? 1 : NX_ERROR_PROTOCOL;
}

/* ---- counters */

int roce_end_count(roce_end *e, roce_end_counters *c)
{
    roce_counters r;
    const uint32_t *v = r.value;
    if (!e->system) {
        const rnic_counters *n = rnic_get_counters(e->nic);
        *c = (roce_end_counters){.packets_in = (uint16_t)(n->rcvd_pkts + n->bad_icrc),
                                 .packets_out = (uint16_t)n->sent_pkts,
                                 .naks_in = (uint16_t)(n->rcvd_rnr_err + n->rcvd_seq_err + n->naks_received),
                                 .sequence_naks_out = (uint16_t)n->out_of_seq_request,
                                 .rnr_naks_out = (uint16_t)n->send_rnr_err,
                                 .sent_again = (uint16_t)n->resent_pkts,
                                 .duplicates = (uint16_t)(n->duplicate_request + n->ghosts)};
        return 0;
    }
    if (roce_counters_read(e->system->device, &r)) return fail(e, "a counter");
    *c = (roce_end_counters){.packets_in = (uint16_t)v[ROCE_PACKETS_IN],
                             .packets_out = (uint16_t)(v[ROCE_SENDS_OUT] + v[ROCE_READS_WRITES_OUT] + v[ROCE_ACKS_OUT] +
                                                       v[ROCE_MADS_OUT] + v[ROCE_NAKS_OUT]),
                             .naks_in = (uint16_t)v[ROCE_NAKS_IN],
                             .sequence_naks_out = (uint16_t)(v[ROCE_NAKS_OUT] - v[ROCE_RNR_OUT]),
                             .rnr_naks_out = (uint16_t)v[ROCE_RNR_OUT],
                             .sent_again = (uint16_t)v[ROCE_SENT_AGAIN],
                             .duplicates = (uint16_t)v[ROCE_DUPLICATES],
                             .dropped = (uint16_t)v[ROCE_DROPPED],
                             .early_too = 1};
    return 0;
}

const rnic_counters *roce_end_nic_counters(const roce_end *e) { return rnic_get_counters(e->nic); }
