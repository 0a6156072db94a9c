/* Queue pairs: memory, registers, posting, polling, receiving. See rn.h. */
#include <stdlib.h>

#include "rn_internal.h"

rn_qp_params rn_qp_params_default(void)
{
    return (rn_qp_params){.send_depth = 16, .receive_depth = 16, .receive_bytes = 4096, .ttl = 64, .pkey = 0xffff};
}

int rn_qp_read(rn_qp *qp, unsigned offset, uint32_t *value)
{
    return rn_register_read(qp->dev, offset + RN_QP_STRIDE * (qp->number - 1), value);
}

int rn_qp_write(rn_qp *qp, unsigned offset, uint32_t value)
{
    return rn_register_write(qp->dev, offset + RN_QP_STRIDE * (qp->number - 1), value);
}

unsigned rn_qp_number(const rn_qp *qp) { return qp->number; }

rn_device *rn_qp_device(const rn_qp *qp) { return qp->dev; }

rn_qp *rn_qp_of(rn_device *dev, unsigned number) { return number <= RN_QPS ? dev->qp[number] : NULL; }

struct write {
    unsigned offset;
    uint32_t value;
};

static int write_all(rn_qp *qp, const struct write *w, unsigned count)
{
    int result = NX_OK;
    for (unsigned i = 0; i < count && !result; i++) result = rn_qp_write(qp, w[i].offset, w[i].value);
    return result;
}
#define WRITE_ALL(qp, writes) write_all(qp, writes, sizeof(writes) / sizeof(writes)[0])

/* ---- life */

static int check(rn_device *dev, const rn_qp_params *p)
{
    if (p->send_depth < 2 || p->send_depth > 0xffff)
        return rn_fail(dev, NX_ERROR_ARGUMENT, "send_depth is %u, expected 2..65535", p->send_depth);
    if (p->receive_depth < 2 || p->receive_depth > 0xffff)
        return rn_fail(dev, NX_ERROR_ARGUMENT, "receive_depth is %u, expected 2..65535", p->receive_depth);
    if (p->receive_bytes < 256 || p->receive_bytes % 256 || p->receive_bytes / 256 > 0xffff)
        return rn_fail(dev, NX_ERROR_ARGUMENT, "receive_bytes is %u, expected a multiple of 256 up to 65535 * 256",
                       p->receive_bytes);
    if (p->traffic_class > 63 || p->ttl < 1 || p->ttl > 255 || p->pkey > 0xffff)
        return rn_fail(dev, NX_ERROR_ARGUMENT,
                       "traffic_class, ttl, pkey are %u, %u, 0x%x, expected 0..63, 1..255, 16 bits", p->traffic_class,
                       p->ttl, p->pkey);
    return NX_OK;
}

static int allocate_queues(rn_qp *qp)
{
    const rn_qp_params *p = &qp->params;
    rn_device *dev = qp->dev;
    int result;
    if ((result = rn_allocate(dev, &qp->sends, (size_t)p->send_depth * RN_WQE, 64, "a send queue")) ||
        (result = rn_allocate(dev, &qp->completions, (size_t)p->send_depth * 4, 64, "a completion queue")) ||
        (result =
             rn_allocate(dev, &qp->buffers, (size_t)p->receive_depth * p->receive_bytes, 256, "receive buffers")) ||
        (result = rn_allocate(dev, &qp->lengths, (size_t)p->receive_depth * 4, 64, "lengths of messages")))
        return result;
    return rn_allocate(dev, &qp->doorbells, 16, 64, "doorbells");
}

int rn_queues_create(rn_device *dev, unsigned number, const rn_qp_params *params, rn_qp **out)
{
    *out = NULL;
    int result = check(dev, params);
    if (result) return result;
    rn_qp *qp = calloc(1, sizeof *qp);
    if (!qp) return rn_fail(dev, NX_ERROR_NO_MEMORY, "out of memory");
    qp->dev = dev;
    qp->number = number;
    qp->params = *params;
    *out = dev->qp[number] = qp;
    if ((result = allocate_queues(qp))) return result;
    const struct write writes[] = {
        {ROCE_QPCONF, 0},
        {ROCE_QPADVCONF,
         params->traffic_class | params->ttl << ROCE_QPADVCONF_TTL_SHIFT | params->pkey << ROCE_QPADVCONF_PKEY_SHIFT},
        {ROCE_RQBA, (uint32_t)qp->buffers.at},
        {ROCE_SQBA, (uint32_t)qp->sends.at},
        {ROCE_CQBA, (uint32_t)qp->completions.at},
        {ROCE_QDEPTH, params->send_depth | params->receive_depth << ROCE_QDEPTH_RECEIVE_SHIFT},
        {ROCE_RQLENBA, (uint32_t)qp->lengths.at},
    };
    qp->conf = (params->receive_interrupt ? ROCE_QPCONF_RQ_IRQ_MASK : 0) |
               (params->completion_interrupt ? ROCE_QPCONF_CQ_IRQ_MASK : 0) |
               (params->handshake ? 0 : ROCE_QPCONF_HANDSHAKE_OFF_MASK) | ROCE_QPCONF_CQE_MASK |
               params->receive_bytes / 256 << ROCE_QPCONF_RQ_SIZE_SHIFT;
    return WRITE_ALL(qp, writes);
}

int rn_qp_create(rn_device *dev, const rn_qp_params *params, rn_qp **qp)
{
    unsigned number = 2;
    *qp = NULL;
    while (number <= dev->params.qps && dev->qp[number]) number++;
    if (number > dev->params.qps)
        return rn_fail(dev, NX_ERROR_NO_SPACE, "all %u connections are in use", dev->params.qps - 1);
    int result = rn_queues_create(dev, number, params, qp);
    if (result && *qp) {
        rn_qp_destroy(*qp);
        *qp = NULL;
    }
    return result;
}

int rn_wait_quiet(rn_device *dev, unsigned number)
{
    const struct nx_platform *p = dev->platform;
    uint64_t from = p->now(p->self);
    uint32_t value;
    while (!rn_register_read(dev, ROCE_STATQP + RN_QP_STRIDE * (number - 1), &value) && value & ROCE_STATQP_BUSY_MASK) {
        if (p->now(p->self) - from > dev->params.timeout_ns)
            return rn_fail(dev, NX_ERROR_TIMEOUT, "QP %u is disabled and still uses its memory after %llu ns", number,
                           (unsigned long long)dev->params.timeout_ns);
        p->wait(p->self);
    }
    return NX_OK;
}

int rn_qp_destroy(rn_qp *qp)
{
    int result;
    rn_qp_disable(qp);
    if ((result = rn_wait_quiet(qp->dev, qp->number))) return result;
    rn_queues_free(qp);
    return NX_OK;
}

void rn_queues_free(rn_qp *qp)
{
    rn_device *dev = qp->dev;
    dev->qp[qp->number] = NULL;
    rn_free(dev, &qp->mad);
    rn_free(dev, &qp->doorbells);
    rn_free(dev, &qp->lengths);
    rn_free(dev, &qp->buffers);
    rn_free(dev, &qp->completions);
    rn_free(dev, &qp->sends);
    free(qp);
}

int rn_qp_disable(rn_qp *qp)
{
    uint32_t status;
    if (qp->enabled && qp->overlaps) {
        int result = rn_qp_read(qp, ROCE_STATQP, &status);
        if (result) return result;
        qp->overlaps = status == ROCE_STATQP_BUSY_MASK; /* BUSY alone: it has not started */
    }
    qp->enabled = 0;
    return rn_qp_write(qp, ROCE_QPCONF, qp->conf);
}

/* Indices of the chip start at 0 with this. Doorbells of its former life may still be on their way to memory: they go
 * to another place. The life before that has left this place: the chip starts a QP only when its former life is over,
 * and this call waits for one that was disabled before it started. */
int rn_qp_enable(rn_qp *qp)
{
    const struct nx_platform *p = qp->dev->platform;
    static const uint8_t zeros[8];
    uint32_t status;
    int result = qp->overlaps ? rn_wait_quiet(qp->dev, qp->number) : NX_OK;
    if (result || (result = rn_qp_read(qp, ROCE_STATQP, &status))) return result;
    qp->overlaps = (status & ROCE_STATQP_BUSY_MASK) != 0;
    qp->posted = qp->completed = qp->received = qp->released = qp->handed = 0;
    qp->doorbell = qp->doorbell == qp->doorbells.at ? qp->doorbells.at + 8 : qp->doorbells.at;
    p->mem_write(p->self, qp->doorbell, zeros, 8);
    const struct write writes[] = {{ROCE_RQWPTRDBADD, (uint32_t)qp->doorbell},
                                   {ROCE_CQDBADD, (uint32_t)qp->doorbell + 4},
                                   {ROCE_QPCONF, qp->conf | ROCE_QPCONF_ENABLE_MASK}};
    result = WRITE_ALL(qp, writes);
    qp->enabled = !result;
    return result;
}

int rn_qp_point(rn_qp *qp, const rn_address *peer, unsigned number)
{
    const uint8_t *ip = peer->ip;
    const struct write writes[] = {
        {ROCE_DESTQPCONF, number},
        {ROCE_MACDESADDLSB, rn_get32(peer->mac + 2)},
        {ROCE_MACDESADDMSB, rn_get16(peer->mac)},
        {ROCE_IPDESADDR1, rn_get32(peer->ipv6 ? ip + 12 : ip)},
        {ROCE_IPDESADDR2, peer->ipv6 ? rn_get32(ip + 8) : 0},
        {ROCE_IPDESADDR3, peer->ipv6 ? rn_get32(ip + 4) : 0},
        {ROCE_IPDESADDR4, peer->ipv6 ? rn_get32(ip) : 0},
    };
    return WRITE_ALL(qp, writes);
}

int rn_qp_modify(rn_qp *qp, const rn_connection *c)
{
    rn_device *dev = qp->dev;
    unsigned code = 0;
    while (code < 5 && 256u << code != c->pmtu) code++;
    if (code == 5) return rn_fail(dev, NX_ERROR_ARGUMENT, "pmtu is %u, expected 256, 512, 1024, 2048 or 4096", c->pmtu);
    if (c->timeout > 31 || c->retries > 7 || c->rnr_retries > 7 || c->rnr_timer > 31)
        return rn_fail(dev, NX_ERROR_ARGUMENT,
                       "timeout, retries, rnr_retries, rnr_timer are %u, %u, %u, %u, expected up to 31, 7, 7, 31",
                       c->timeout, c->retries, c->rnr_retries, c->rnr_timer);
    if (c->reads_outstanding < 1 || c->reads_outstanding > 16)
        return rn_fail(dev, NX_ERROR_ARGUMENT, "reads_outstanding is %u, expected 1..16", c->reads_outstanding);
    if (c->qp > 0xffffff || c->send_psn > 0xffffff || c->receive_psn > 0xffffff)
        return rn_fail(dev, NX_ERROR_ARGUMENT, "qp, send_psn or receive_psn has more than 24 bits: 0x%x, 0x%x, 0x%x",
                       c->qp, c->send_psn, c->receive_psn);
    const struct write writes[] = {
        {ROCE_SQPSN, c->send_psn},
        {ROCE_LSTRQREQ, (c->receive_psn - 1) & 0xffffff},
        {ROCE_TIMEOUTCONF, c->timeout | c->retries << ROCE_TIMEOUTCONF_RETRIES_SHIFT |
                               c->rnr_retries << ROCE_TIMEOUTCONF_RNR_RETRIES_SHIFT |
                               c->rnr_timer << ROCE_TIMEOUTCONF_RNR_TIMER_SHIFT},
        {ROCE_RDLIMIT, c->reads_outstanding},
    };
    qp->conf &= ~(uint32_t)(ROCE_QPCONF_IPV6_MASK | ROCE_QPCONF_PMTU_MASK);
    qp->conf |= (c->peer.ipv6 ? ROCE_QPCONF_IPV6_MASK : 0) | code << ROCE_QPCONF_PMTU_SHIFT;
    int result;
    if ((result = rn_qp_disable(qp)) || (result = rn_qp_point(qp, &c->peer, c->qp)) || (result = WRITE_ALL(qp, writes)))
        return result;
    return rn_qp_enable(qp);
}

int rn_qp_get_status(rn_qp *qp, rn_qp_status *s)
{
    uint32_t value;
    int result = rn_qp_read(qp, ROCE_STATQP, &value);
    if (result) return result;
#define FIELD(name) ((value & ROCE_STATQP_##name##_MASK) >> ROCE_STATQP_##name##_SHIFT)
    *s = (rn_qp_status){.fatal = FIELD(FATAL),
                        .syndrome = FIELD(SYNDROME),
                        .retries = FIELD(RETRIES),
                        .rnr_retries = FIELD(RNR_RETRIES),
                        .sends_empty = FIELD(SQ_EMPTY),
                        .outstanding_empty = FIELD(OUTSTANDING_EMPTY),
                        .retried = FIELD(RETRIED)};
#undef FIELD
    return NX_OK;
}

/* ---- sending */

static unsigned distance(unsigned from, unsigned to, unsigned depth)
{
    return to >= from ? to - from : to + depth - from;
}

unsigned rn_qp_room(const rn_qp *qp)
{
    return qp->params.send_depth - 1 - distance(qp->completed, qp->posted, qp->params.send_depth);
}

static void little(uint8_t *b, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) b[i] = (uint8_t)(value >> 8 * i);
}

int rn_post(rn_qp *qp, const rn_work *w)
{
    const struct nx_platform *p = qp->dev->platform;
    int inside = w->opcode == RN_SEND && w->length <= RN_INLINE;
    uint8_t wqe[RN_WQE] = {0};
    if (!qp->enabled) return rn_fail(qp->dev, NX_ERROR_ARGUMENT, "QP %u is not enabled", qp->number);
    if (w->opcode != RN_WRITE && w->opcode != RN_SEND && w->opcode != RN_READ)
        return rn_fail(qp->dev, NX_ERROR_ARGUMENT, "opcode %d, expected RN_WRITE, RN_SEND or RN_READ", (int)w->opcode);
    if (w->length > 0x80000000u || (w->length == 0 && w->opcode == RN_SEND))
        return rn_fail(qp->dev, NX_ERROR_ARGUMENT, "length is %u, expected %d..2^31", w->length, w->opcode == RN_SEND);
    if (w->inside && !inside)
        return rn_fail(qp->dev, NX_ERROR_ARGUMENT, "%u bytes inside, expected a SEND of up to %d", w->length,
                       RN_INLINE);
    if (w->local >> 32 || w->local + w->length > UINT64_C(1) << 32)
        return rn_fail(qp->dev, NX_ERROR_ARGUMENT, "data at 0x%llx, expected below 4 GB", (unsigned long long)w->local);
    if (rn_qp_room(qp) == 0) return rn_fail(qp->dev, NX_ERROR_NO_SPACE, "the send queue of QP %u is full", qp->number);
    little(wqe, w->id, 2);
    little(wqe + 4, w->local, 8);
    little(wqe + 12, w->length, 4);
    wqe[16] = (uint8_t)w->opcode;
    little(wqe + 20, w->remote, 8);
    little(wqe + 28, w->rkey, 4);
    if (w->inside) memcpy(wqe + 32, w->inside, w->length);
    else if (inside) p->mem_read(p->self, w->local, wqe + 32, w->length);
    p->mem_write(p->self, qp->sends.at + (uint64_t)qp->posted * RN_WQE, wqe, RN_WQE);
    qp->posted = (qp->posted + 1) % qp->params.send_depth;
    return rn_qp_write(qp, ROCE_SQPI, qp->posted);
}

/* Where a queue of the chip has got to: from memory, or with handshake from the register. */
static int index_of(rn_qp *qp, unsigned doorbell, unsigned offset, unsigned depth, unsigned *index)
{
    uint32_t value;
    int result = NX_OK;
    if (qp->params.handshake) result = rn_qp_read(qp, offset, &value);
    else value = rn_memory_word(qp->dev, qp->doorbell + doorbell);
    if (result) return result;
    if (value >= depth)
        return rn_fail(qp->dev, NX_ERROR_DEVICE, "QP %u: the device's index is %u, expected below %u", qp->number,
                       value, depth);
    *index = value;
    return NX_OK;
}

int rn_poll(rn_qp *qp, rn_completion *c, unsigned most)
{
    unsigned head, count = 0;
    int result = index_of(qp, 4, ROCE_CQHEAD, qp->params.send_depth, &head);
    if (result) return result;
    if (distance(qp->completed, head, qp->params.send_depth) >
        distance(qp->completed, qp->posted, qp->params.send_depth))
        return rn_fail(qp->dev, NX_ERROR_DEVICE, "QP %u: completions up to %u, but work was posted up to %u",
                       qp->number, head, qp->posted);
    while (count < most && qp->completed != head) {
        uint32_t entry = rn_memory_word(qp->dev, qp->completions.at + 4 * qp->completed);
        c[count++] = (rn_completion){
            .id = (uint16_t)entry, .opcode = (rn_opcode)(entry >> 16 & 0xff), .error = entry >> 24 != 0};
        qp->completed = (qp->completed + 1) % qp->params.send_depth;
    }
    return (int)count;
}

/* ---- receiving */

int rn_receive(rn_qp *qp, rn_message *m)
{
    unsigned depth = qp->params.receive_depth;
    if (qp->handed == qp->received) {
        int result = index_of(qp, 0, ROCE_STATRQPIDB, depth, &qp->received);
        if (result) return result;
        if (qp->handed == qp->received) return 0;
    }
    m->address = qp->buffers.at + (uint64_t)qp->handed * qp->params.receive_bytes;
    m->length = rn_memory_word(qp->dev, qp->lengths.at + 4 * qp->handed);
    if (m->length > qp->params.receive_bytes)
        return rn_fail(qp->dev, NX_ERROR_DEVICE, "QP %u: a message of %u bytes in a buffer of %u", qp->number,
                       m->length, qp->params.receive_bytes);
    qp->handed = (qp->handed + 1) % depth;
    return 1;
}

int rn_release(rn_qp *qp)
{
    if (qp->released == qp->handed)
        return rn_fail(qp->dev, NX_ERROR_ARGUMENT, "QP %u: no message to release", qp->number);
    qp->released = (qp->released + 1) % qp->params.receive_depth;
    return rn_qp_write(qp, ROCE_RQCI, qp->released);
}
