/* The requester of a connection: sends, the responses to them, and going back. IBA 9.7.5.1, 9.7.6 to 9.7.8, 9.9.2. */
#include <string.h>

#include "sim/model/rnic/rnic_internal.h"

#define TICK UINT64_C(4096000) /* [ps] */

/* IBA table 45 [10 us]. */
static const uint32_t rnr_times[32] = {65536, 1,    2,    3,    4,    6,     8,     12,    16,    24,   32,
                                       48,    64,   96,   128,  192,  256,   384,   512,   768,   1024, 1536,
                                       2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};

static request *entry(const rnic_qp *qp, uint64_t index) { return &qp->sends[index % qp->params.sends]; }

static uint32_t last_psn(const request *q) { return psn_add(q->first, q->packets - 1); }

void requester_start(rnic_qp *qp)
{
    qp->head = qp->sending = qp->tail = 0;
    qp->unacknowledged = qp->next_psn = qp->sent_to = qp->posted_to = qp->c.send_psn;
    qp->retries = qp->c.retries;
    qp->rnr_retries = qp->c.rnr_retries;
    qp->gap = qp->refused = 0;
    qp->timeout_at = qp->rnr_until = RNIC_NEVER;
}

int rnic_post_send(rnic_qp *qp, const rnic_send *work)
{
    request *q = entry(qp, qp->tail);
    int datagram = qp->params.type == RNIC_UD;

    if (qp->state != RNIC_READY || qp->tail - qp->head == qp->params.sends) return -1;
    if (work->length > (datagram ? RNIC_PAYLOAD : MOST_BYTES) || (datagram && work->operation != RNIC_SEND)) return -1;
    *q = (request){.work = *work, .first = qp->posted_to, .packets = datagram ? 1 : rnic_packets(qp, work->length)};
    qp->posted_to = psn_add(q->first, q->packets);
    qp->tail++;
    qp->nic->pending = 1;
    return 0;
}

/* ---- the end of a request ---- */

static void complete(rnic_qp *qp, rnic_status status)
{
    const request *q = entry(qp, qp->head++);

    if (qp->sending < qp->head) qp->sending = qp->head;
    qp->nic->counters.rdma_sends += q->work.operation == RNIC_SEND && status == RNIC_SUCCESS;
    rnic_complete(qp->nic, &(rnic_completion){.id = q->work.id,
                                              .qp = qp->params.number,
                                              .operation = q->work.operation,
                                              .status = status,
                                              .length = q->work.length});
}

void requester_flush(rnic_qp *qp, rnic_status status)
{
    for (; qp->head < qp->tail; status = RNIC_FLUSHED) complete(qp, status);
    qp->timeout_at = qp->rnr_until = RNIC_NEVER;
}

/* ---- time ---- */

static void set_timeout(rnic_qp *qp, uint64_t now)
{
    qp->timeout_at = qp->c.timeout ? now + (TICK << qp->c.timeout) : RNIC_NEVER;
    rnic_timer(qp->nic, qp->timeout_at);
}

/* Something has been acknowledged: all before this PSN. */
static void progress(rnic_qp *qp, uint32_t to)
{
    qp->unacknowledged = to;
    qp->retries = qp->c.retries;
    qp->rnr_retries = qp->c.rnr_retries;
    qp->gap = qp->refused = 0;
    qp->rnr_until = RNIC_NEVER;
    if (psn_diff(qp->next_psn, to) < 0) qp->next_psn = to; /* it went back, and need not have */
    if (qp->next_psn == to) qp->timeout_at = RNIC_NEVER;
    else set_timeout(qp, rnic_now(qp->nic));
    qp->nic->pending = 1;
}

/* Sends again from the oldest packet that is not acknowledged. */
static void go_back(rnic_qp *qp)
{
    qp->next_psn = qp->unacknowledged;
    qp->sending = qp->head;
    qp->timeout_at = RNIC_NEVER; /* until the first packet has gone */
    qp->nic->pending = 1;
}

/* 0: there is no retry left, and the QP has failed. */
static int retry(rnic_qp *qp)
{
    if (qp->c.retries == RNIC_FOREVER || qp->retries--) {
        qp->nic->counters.completer_retry_err++;
        return 1;
    }
    qp->nic->counters.retry_exceeded_err++;
    rnic_fail(qp, RNIC_RETRIES_OUT);
    return 0;
}

void requester_timers(rnic_qp *qp, uint64_t now)
{
    if (qp->rnr_until <= now) {
        qp->rnr_until = RNIC_NEVER;
        qp->nic->pending = 1;
    }
    if (qp->timeout_at <= now) {
        qp->nic->counters.timeouts++;
        qp->gap = qp->refused = 0;
        if (retry(qp)) go_back(qp);
    }
    rnic_timer(qp->nic, qp->rnr_until);
    rnic_timer(qp->nic, qp->timeout_at);
}

/* ---- answers ---- */

/* Everything up to this PSN has been executed. 1: a READ among it has not been answered, so an answer has been lost
 * (IBA 9.7.5.1.1). */
static int acknowledge(rnic_qp *qp, uint32_t psn)
{
    while (qp->head < qp->tail) {
        const request *q = entry(qp, qp->head);

        if (psn_diff(psn, q->first) < 0) return 0;
        if (q->work.operation == RNIC_READ) return 1;
        if (psn_diff(psn, last_psn(q)) < 0) {
            if (psn_diff(psn, qp->unacknowledged) >= 0) progress(qp, psn_add(psn, 1));
            return 0;
        }
        progress(qp, psn_add(last_psn(q), 1));
        complete(qp, RNIC_SUCCESS);
    }
    return 0;
}

/* The next answer of the oldest request, a READ, is missing: it is asked for again, once. */
static void ask_again(rnic_qp *qp)
{
    qp->nic->counters.gaps++;
    if (qp->gap || !retry(qp)) return;
    go_back(qp);
    qp->gap = 1;
}

static void take_nak(rnic_qp *qp, const rnic_packet *p)
{
    static const rnic_status status[] = {RNIC_SUCCESS, RNIC_REMOTE_INVALID, RNIC_REMOTE_ACCESS, RNIC_REMOTE_OPERATION};
    unsigned code = p->syndrome & 31;
    int lost = acknowledge(qp, psn_add(p->psn, RNIC_PSNS - 1));

    if (p->syndrome >> 5 == RNIC_RNR_NAK >> 5) {
        qp->nic->counters.rcvd_rnr_err++;
        if (lost) ask_again(qp);
        else if (qp->c.rnr_retries != 7 && !qp->rnr_retries--) {
            qp->nic->counters.retry_rnr_exceeded_err++;
            rnic_fail(qp, RNIC_RNR_RETRIES_OUT);
        } else {
            go_back(qp);
            qp->refused = 1;
            qp->rnr_until = rnic_now(qp->nic) + rnr_times[code] * UINT64_C(10000000);
            rnic_timer(qp->nic, qp->rnr_until);
        }
    } else if (p->syndrome == RNIC_NAK_SEQUENCE) {
        qp->nic->counters.rcvd_seq_err++;
        if (lost) ask_again(qp);
        else if (!qp->refused && retry(qp)) go_back(qp);
    } else if (p->syndrome >> 5 == RNIC_NAK_SEQUENCE >> 5 && code <= 3) {
        qp->nic->counters.naks_received++;
        rnic_fail(qp, status[code]);
    } else qp->nic->counters.ghosts++; /* a reserved syndrome */
}

/* A response where one of these PSNs is due: whether its opcode and length are right (IBA 9.7.5.1.3). */
static int is_due(const rnic_qp *qp, const request *q, const rnic_packet *p)
{
    uint32_t position = (p->psn - q->first) & (RNIC_PSNS - 1), rest = q->work.length - position * qp->c.pmtu;
    int last = position == q->packets - 1, begins = p->opcode == RNIC_RESPONSE_FIRST || p->opcode == RNIC_RESPONSE_ONLY,
        ends = p->opcode == RNIC_RESPONSE_LAST || p->opcode == RNIC_RESPONSE_ONLY, started = 0;

    for (unsigned i = 0; i < q->starts; i++) started |= q->start[i] == p->psn;
    if (begins ? !started : position == 0) return 0;
    if (ends != last || p->length != (last ? rest : qp->c.pmtu)) return 0;
    return p->opcode == RNIC_RESPONSE_MIDDLE || p->syndrome >> 5 == RNIC_ACK >> 5;
}

static void take_response(rnic_qp *qp, const rnic_packet *p)
{
    const request *q;
    uint8_t *memory;
    uint64_t address;

    if (!acknowledge(qp, psn_add(p->psn, RNIC_PSNS - 1))) {
        if (qp->head == qp->tail || entry(qp, qp->head)->work.operation != RNIC_READ) {
            rnic_fail(qp, RNIC_BAD_RESPONSE);
            return;
        }
    }
    q = entry(qp, qp->head); /* a READ that begins at this PSN or before */
    if (p->psn != qp->unacknowledged) {
        ask_again(qp);
        return;
    }
    if (!is_due(qp, q, p)) {
        rnic_fail(qp, RNIC_BAD_RESPONSE);
        return;
    }
    address = q->work.address + (uint64_t)((p->psn - q->first) & (RNIC_PSNS - 1)) * qp->c.pmtu;
    memory = rnic_memory(qp->nic, qp->params.domain, q->work.key, address, p->length, RNIC_LOCAL_WRITE);
    if (!memory) {
        rnic_fail(qp, RNIC_LOCAL_PROTECTION);
        return;
    }
    memcpy(memory, p->payload, p->length);
    progress(qp, psn_add(p->psn, 1));
    if (p->psn == last_psn(q)) complete(qp, RNIC_SUCCESS);
}

void requester_take(rnic_qp *qp, const rnic_packet *p)
{
    if (psn_diff(p->psn, qp->unacknowledged) < 0 || psn_diff(p->psn, qp->sent_to) >= 0) qp->nic->counters.ghosts++;
    else if (p->opcode != RNIC_ACKNOWLEDGE) take_response(qp, p);
    else if (p->syndrome >> 5 != RNIC_ACK >> 5) take_nak(qp, p);
    else if (acknowledge(qp, p->psn)) ask_again(qp);
}

/* ---- packets to send ---- */

static unsigned reads_outstanding(const rnic_qp *qp)
{
    unsigned count = 0;

    for (uint64_t i = qp->head; i < qp->sending; i++) count += entry(qp, i)->work.operation == RNIC_READ;
    return count;
}

static uint8_t opcode_of(const request *q, uint32_t position)
{
    int first = !position, last = position == q->packets - 1, write = q->work.operation == RNIC_WRITE;

    if (first && last) return write ? RNIC_WRITE_ONLY : RNIC_SEND_ONLY;
    if (first) return write ? RNIC_WRITE_FIRST : RNIC_SEND_FIRST;
    if (last) return write ? RNIC_WRITE_LAST : RNIC_SEND_LAST;
    return write ? RNIC_WRITE_MIDDLE : RNIC_SEND_MIDDLE;
}

static void ask_to_read(rnic_qp *qp, request *q, uint32_t position, rnic_packet *p)
{
    uint32_t done = position * qp->c.pmtu;

    for (unsigned i = STARTS - 1; i; i--) q->start[i] = q->start[i - 1];
    q->start[0] = qp->next_psn;
    q->starts += q->starts < STARTS;
    p->opcode = RNIC_READ_REQUEST;
    p->address = q->work.remote + done;
    p->rkey = q->work.rkey;
    p->dma_length = q->work.length - done;
    p->ack_request = 1;
    qp->next_psn = psn_add(q->first, q->packets);
}

static void send_part(rnic_qp *qp, const request *q, uint32_t position, const uint8_t *memory, rnic_packet *p)
{
    uint32_t done = position * qp->c.pmtu, rest = q->work.length - done;

    p->opcode = opcode_of(q, position);
    p->payload = memory + done;
    p->length = rest < qp->c.pmtu ? rest : qp->c.pmtu;
    /* at the end, from time to time, and where the window ends */
    p->ack_request = position == q->packets - 1 || (position + 1) % qp->c.ack_every == 0 ||
                     (uint32_t)psn_diff(qp->next_psn, qp->unacknowledged) + 1 >= qp->c.window;
    p->address = q->work.remote;
    p->rkey = q->work.rkey;
    p->dma_length = q->work.length;
    qp->next_psn = psn_add(qp->next_psn, 1);
}

static int give_datagram(rnic_qp *qp, rnic_packet *p)
{
    const request *q = entry(qp, qp->head);
    const uint8_t *memory = rnic_memory(qp->nic, qp->params.domain, q->work.key, q->work.address, q->work.length, 0);

    if (!memory) {
        complete(qp, RNIC_LOCAL_PROTECTION);
        return qp->head == qp->tail ? 0 : give_datagram(qp, p);
    }
    p->opcode = RNIC_UD_SEND_ONLY;
    p->to = q->work.peer;
    p->qp = q->work.qp;
    p->psn = q->first;
    p->qkey = qp->params.qkey;
    p->source_qp = qp->params.number;
    p->payload = memory;
    p->length = q->work.length;
    complete(qp, RNIC_SUCCESS);
    return 1;
}

int requester_give(rnic_qp *qp, rnic_packet *p)
{
    uint64_t now = rnic_now(qp->nic);
    request *q;
    uint8_t *memory;
    uint32_t position;
    int again, read;

    if (qp->state != RNIC_READY || qp->sending == qp->tail) return 0;
    if (qp->params.type == RNIC_UD) return give_datagram(qp, p);
    if (qp->rnr_until != RNIC_NEVER) return 0;
    if ((uint32_t)psn_diff(qp->next_psn, qp->unacknowledged) >= qp->c.window) return 0;
    while (psn_diff(qp->next_psn, last_psn(entry(qp, qp->sending))) > 0)
        if (++qp->sending == qp->tail) return 0;
    q = entry(qp, qp->sending);
    read = q->work.operation == RNIC_READ;
    if (read && reads_outstanding(qp) >= qp->c.reads) return 0;
    memory = rnic_memory(qp->nic, qp->params.domain, q->work.key, q->work.address, q->work.length,
                         read ? RNIC_LOCAL_WRITE : 0);
    if (!memory) { /* earlier work ends first */
        if (qp->sending == qp->head) rnic_fail(qp, RNIC_LOCAL_PROTECTION);
        return 0;
    }
    again = psn_diff(qp->next_psn, qp->sent_to) < 0;
    qp->nic->counters.resent_pkts += (unsigned)again;
    p->psn = qp->next_psn;
    position = (qp->next_psn - q->first) & (RNIC_PSNS - 1);
    if (read) ask_to_read(qp, q, position, p);
    else send_part(qp, q, position, memory, p);
    if (qp->next_psn == psn_add(q->first, q->packets)) qp->sending++;
    if (psn_diff(qp->next_psn, qp->sent_to) > 0) qp->sent_to = qp->next_psn;
    if (qp->timeout_at == RNIC_NEVER) set_timeout(qp, now);
    return 1;
}
