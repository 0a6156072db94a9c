/* The responder of a connection: execution of a request, and its answer. IBA 9.7.2 to 9.7.5, 9.9.3. Datagrams: 9.8.3.
 */
#include <string.h>

#include "sim/model/rnic/rnic_internal.h"

void responder_start(rnic_qp *qp)
{
    qp->expected = qp->c.receive_psn;
    qp->msn = 0;
    qp->nak_sent = 0;
    qp->message = BETWEEN;
    responder_forget(qp);
}

void responder_forget(rnic_qp *qp)
{
    for (; qp->answer_count; qp->answer_count--) qp->nic->acks -= qp->answers[qp->answer_count - 1].kind == ANSWER_ACK;
}

static rnic_receive *first_receive(const rnic_qp *qp) { return &qp->receives[qp->receive_head % qp->params.receives]; }

static void complete(rnic_qp *qp, rnic_status status, uint32_t length, const rnic_packet *datagram)
{
    rnic_completion c = {
        .id = first_receive(qp)->id, .qp = qp->params.number, .receive = 1, .status = status, .length = length};

    if (datagram) {
        c.from = datagram->from;
        c.source_qp = datagram->source_qp;
    }
    qp->receive_head++;
    qp->nic->counters.rdma_recvs += status == RNIC_SUCCESS;
    rnic_complete(qp->nic, &c);
}

void responder_flush(rnic_qp *qp)
{
    while (qp->receive_head < qp->receive_tail) complete(qp, RNIC_FLUSHED, 0, NULL);
    qp->message = BETWEEN;
}

int rnic_post_receive(rnic_qp *qp, const rnic_receive *work)
{
    if (qp->receive_tail - qp->receive_head == qp->params.receives) return -1;
    qp->receives[qp->receive_tail++ % qp->params.receives] = *work;
    if (qp->state == RNIC_FAILED) responder_flush(qp);
    return 0;
}

/* ---- pending answers ---- */

/* NULL: there is no room, and the peer will ask again. */
static answer *add_answer(rnic_qp *qp)
{
    if (qp->answer_count == ANSWERS) return NULL;
    qp->nic->pending = 1;
    return &qp->answers[qp->answer_count++];
}

static void remove_answer(rnic_qp *qp, unsigned index)
{
    qp->nic->acks -= qp->answers[index].kind == ANSWER_ACK;
    qp->answer_count--;
    memmove(&qp->answers[index], &qp->answers[index + 1], (qp->answer_count - index) * sizeof *qp->answers);
}

/* An ACK or a NAK. One that waits already becomes this one: it says all that the older one would have. */
static void acknowledge(rnic_qp *qp, uint8_t syndrome, uint32_t psn)
{
    uint64_t now = rnic_now(qp->nic), due = syndrome == RNIC_ACK ? now + qp->c.ack_delay : now;
    answer *a = qp->answer_count ? &qp->answers[qp->answer_count - 1] : NULL;

    if (a && a->kind == ANSWER_ACK && a->syndrome == RNIC_ACK) {
        if (a->due < due) due = a->due;
    } else {
        a = add_answer(qp);
        qp->nic->acks += a != NULL;
    }
    if (!a) return;
    *a = (answer){.kind = ANSWER_ACK, .psn = psn, .syndrome = syndrome, .msn = qp->msn, .due = due};
    if (due > now) rnic_timer(qp->nic, due);
    qp->nic->pending = 1;
}

static void refuse(rnic_qp *qp, uint8_t syndrome, uint32_t psn)
{
    qp->nic->counters.naks_sent++;
    acknowledge(qp, syndrome, psn);
    rnic_fail(qp, RNIC_FLUSHED);
}

static void answer_read(rnic_qp *qp, const rnic_packet *p)
{
    answer *a = qp->answer_count ? &qp->answers[qp->answer_count - 1] : NULL;
    uint32_t end = psn_add(p->psn, rnic_packets(qp, p->dma_length));

    if (a) a->due = 0; /* an ACK in front of it waits no longer */
    a = add_answer(qp);
    if (!a) return;
    *a = (answer){.kind = ANSWER_READ,
                  .psn = p->psn,
                  .first = p->psn,
                  .stop = end,
                  .end = end,
                  .address = p->address,
                  .rkey = p->rkey,
                  .length = p->dma_length,
                  .msn = qp->msn};
}

/* A READ is asked for again: data from its PSN on will be requested again, too. */
static void forget_answers(rnic_qp *qp, uint32_t from)
{
    for (unsigned i = qp->answer_count; i--;) {
        answer *a = &qp->answers[i];

        if (psn_diff(a->psn, from) >= 0) remove_answer(qp, i);
        else if (a->kind == ANSWER_READ && psn_diff(a->stop, from) > 0) a->stop = from;
    }
}

static unsigned reads_waiting(const rnic_qp *qp)
{
    unsigned count = 0;

    for (unsigned i = 0; i < qp->answer_count; i++) count += qp->answers[i].kind == ANSWER_READ;
    return count;
}

/* ---- requests ---- */

static int may_access(const rnic_qp *qp, uint32_t key, uint64_t address, uint32_t length, unsigned access)
{
    return !length ||
           ((qp->c.access & access) && rnic_memory(qp->nic, qp->params.domain, key, address, length, access));
}

static void take_read(rnic_qp *qp, const rnic_packet *p)
{
    uint32_t packets;

    if (p->length || p->dma_length > MOST_BYTES || reads_waiting(qp) >= qp->c.answers) {
        refuse(qp, RNIC_NAK_INVALID, p->psn);
        return;
    }
    if (!may_access(qp, p->rkey, p->address, p->dma_length, RNIC_REMOTE_READ)) {
        refuse(qp, RNIC_NAK_ACCESS, p->psn);
        return;
    }
    packets = rnic_packets(qp, p->dma_length);
    qp->expected = psn_add(qp->expected, packets);
    qp->msn = psn_add(qp->msn, 1);
    answer_read(qp, p);
}

/* Behind the one that is expected: it has been executed, and only its answer may have been lost (IBA 9.7.4.1.3). */
static void take_duplicate(rnic_qp *qp, const rnic_packet *p)
{
    qp->nic->counters.duplicate_request++;
    if (p->opcode != RNIC_READ_REQUEST) acknowledge(qp, RNIC_ACK, psn_add(qp->expected, RNIC_PSNS - 1));
    else if (p->dma_length <= MOST_BYTES &&
             psn_diff(psn_add(p->psn, rnic_packets(qp, p->dma_length)), qp->expected) <= 0 &&
             may_access(qp, p->rkey, p->address, p->dma_length, RNIC_REMOTE_READ)) {
        forget_answers(qp, p->psn);
        answer_read(qp, p);
    }
}

enum { FIRST = 1, MIDDLE = 2, LAST = 4 };

/* The part of a SEND or WRITE that an opcode is, 0: of none. */
static unsigned part_of(uint8_t opcode, int *write)
{
    *write = opcode >= RNIC_WRITE_FIRST;
    switch (opcode) {
    case RNIC_SEND_FIRST:
    case RNIC_WRITE_FIRST:
        return FIRST;
    case RNIC_SEND_MIDDLE:
    case RNIC_WRITE_MIDDLE:
        return MIDDLE;
    case RNIC_SEND_LAST:
    case RNIC_WRITE_LAST:
        return LAST;
    case RNIC_SEND_ONLY:
    case RNIC_WRITE_ONLY:
        return FIRST | LAST;
    default:
        return 0;
    }
}

/* Lengths that each part may have (IBA 9.7.4.1.6, 9.7.4.2.2). */
static int length_fits(const rnic_qp *qp, const rnic_packet *p, unsigned part)
{
    if (!(part & LAST)) return p->length == qp->c.pmtu && !p->pad;
    return p->length <= qp->c.pmtu && (part & FIRST || p->length);
}

/* Where a part of a SEND goes; NULL: it has been answered with a NAK. */
static uint8_t *place_in_receive(rnic_qp *qp, const rnic_packet *p)
{
    static uint8_t nowhere;
    const rnic_receive *w = first_receive(qp);
    uint8_t *memory;

    if (p->length > w->length - qp->received) {
        complete(qp, RNIC_LOCAL_LENGTH, 0, NULL);
        refuse(qp, RNIC_NAK_INVALID, p->psn);
        return NULL;
    }
    if (!p->length) return &nowhere;
    memory = rnic_memory(qp->nic, qp->params.domain, w->key, w->address + qp->received, p->length, RNIC_LOCAL_WRITE);
    if (!memory) {
        complete(qp, RNIC_LOCAL_PROTECTION, 0, NULL);
        refuse(qp, RNIC_NAK_OPERATION, p->psn);
    }
    return memory;
}

/* The same of a WRITE. */
static uint8_t *place_in_region(rnic_qp *qp, const rnic_packet *p, unsigned part)
{
    static uint8_t nowhere;
    uint8_t *memory = &nowhere;

    if (part & FIRST) {
        qp->write_address = p->address;
        qp->write_key = p->rkey;
        qp->write_length = p->dma_length;
        if (p->dma_length <= MOST_BYTES && !may_access(qp, p->rkey, p->address, p->dma_length, RNIC_REMOTE_WRITE))
            memory = NULL;
    }
    if (qp->write_length > MOST_BYTES || p->length > qp->write_length - qp->received ||
        !(part & LAST) != (p->length < qp->write_length - qp->received)) {
        refuse(qp, RNIC_NAK_INVALID, p->psn);
        return NULL;
    }
    if (memory && p->length)
        memory = rnic_memory(qp->nic, qp->params.domain, qp->write_key, qp->write_address + qp->received, p->length,
                             RNIC_REMOTE_WRITE);
    if (!memory) refuse(qp, RNIC_NAK_ACCESS, p->psn);
    return memory;
}

static void take_message(rnic_qp *qp, const rnic_packet *p, unsigned part, int write)
{
    uint8_t *memory;

    if (part & FIRST) {
        if (!write && qp->receive_head == qp->receive_tail) {
            qp->nic->counters.send_rnr_err++;
            qp->nak_sent = 1;
            acknowledge(qp, (uint8_t)(RNIC_RNR_NAK | qp->c.rnr_timer), p->psn);
            return;
        }
        qp->received = 0;
    }
    memory = write ? place_in_region(qp, p, part) : place_in_receive(qp, p);
    if (!memory) return;
    if (p->length) memcpy(memory, p->payload, p->length);
    qp->received += p->length;
    qp->expected = psn_add(qp->expected, 1);
    qp->message = part & LAST ? BETWEEN : write ? IN_WRITE : IN_SEND;
    if (part & LAST) {
        qp->msn = psn_add(qp->msn, 1);
        if (!write) complete(qp, RNIC_SUCCESS, qp->received, NULL);
    }
    if (p->ack_request) acknowledge(qp, RNIC_ACK, p->psn);
}

void responder_take(rnic_qp *qp, const rnic_packet *p)
{
    int32_t ahead = psn_diff(p->psn, qp->expected);
    int write;
    unsigned part = part_of(p->opcode, &write);

    if (ahead < 0) {
        take_duplicate(qp, p);
        return;
    }
    if (ahead > 0) {
        if (qp->nak_sent) return;
        qp->nak_sent = 1;
        qp->nic->counters.out_of_seq_request++;
        acknowledge(qp, RNIC_NAK_SEQUENCE, qp->expected);
        return;
    }
    qp->nak_sent = 0;
    if (p->opcode == RNIC_READ_REQUEST && qp->message == BETWEEN) take_read(qp, p);
    else if (!part || !length_fits(qp, p, part) ||
             (part & FIRST ? qp->message != BETWEEN : qp->message != (write ? IN_WRITE : IN_SEND)))
        refuse(qp, RNIC_NAK_INVALID, p->psn);
    else take_message(qp, p, part, write);
}

void responder_take_datagram(rnic_qp *qp, const rnic_packet *p)
{
    const rnic_receive *w = first_receive(qp);
    uint8_t *memory = NULL;

    if (p->qkey != qp->params.qkey) {
        qp->nic->counters.bad_key++;
        return;
    }
    if (qp->receive_head < qp->receive_tail && p->length <= w->length)
        memory = rnic_memory(qp->nic, qp->params.domain, w->key, w->address, p->length, RNIC_LOCAL_WRITE);
    if (!memory) {
        qp->nic->counters.no_receive++;
        return;
    }
    memcpy(memory, p->payload, p->length);
    complete(qp, RNIC_SUCCESS, p->length, p);
}

/* ---- answers to send ---- */

static int give_response(rnic_qp *qp, answer *a, rnic_packet *p)
{
    uint32_t position = (a->psn - a->first) & (RNIC_PSNS - 1), done = position * qp->c.pmtu, rest = a->length - done;
    int begins = a->psn == a->first, ends = psn_add(a->psn, 1) == a->end;

    p->psn = a->psn;
    p->length = rest < qp->c.pmtu ? rest : qp->c.pmtu;
    if (p->length) {
        p->payload = rnic_memory(qp->nic, qp->params.domain, a->rkey, a->address + done, p->length, RNIC_REMOTE_READ);
        if (!p->payload) { /* the region has gone meanwhile */
            responder_forget(qp);
            refuse(qp, RNIC_NAK_ACCESS, p->psn);
            return 0;
        }
    }
    p->opcode = begins && ends ? RNIC_RESPONSE_ONLY
                : begins       ? RNIC_RESPONSE_FIRST
                : ends         ? RNIC_RESPONSE_LAST
                               : RNIC_RESPONSE_MIDDLE;
    p->syndrome = RNIC_ACK;
    p->msn = a->msn;
    a->psn = psn_add(a->psn, 1);
    if (a->psn == a->stop) remove_answer(qp, 0);
    return 1;
}

int responder_give(rnic_qp *qp, rnic_packet *p)
{
    answer *a = qp->answers;

    if (!qp->answer_count || a->due > rnic_now(qp->nic)) return 0;
    if (a->kind == ANSWER_READ) return give_response(qp, a, p);
    p->opcode = RNIC_ACKNOWLEDGE;
    p->psn = a->psn;
    p->syndrome = a->syndrome;
    p->msn = a->msn;
    remove_answer(qp, 0);
    return 1;
}

void responder_timers(rnic_qp *qp, uint64_t now)
{
    if (!qp->answer_count) return;
    if (qp->answers[0].due <= now) qp->nic->pending = 1;
    else rnic_timer(qp->nic, qp->answers[0].due);
}
