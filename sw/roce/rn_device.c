/* The device as a whole: opening, errors, interrupts, datagrams of QP 1. See rn.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "rn_internal.h"

rn_params rn_params_default(void)
{
    return (rn_params){.qps = 8,
                       .clock_khz = 156250,
                       .udp_source = 0xc001,
                       .errors = 64,
                       .mads = 32,
                       .ttl = 64,
                       .pkey = 0xffff,
                       .timeout_ns = 10000000};
}

int rn_fail(rn_device *dev, int error, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(dev->error, sizeof dev->error, format, list);
    va_end(list);
    return error;
}

const char *rn_last_error(const rn_device *dev) { return dev ? dev->error : "out of memory"; }

const rn_params *rn_parameters(const rn_device *dev) { return &dev->params; }

const struct nx_platform *rn_platform(const rn_device *dev) { return dev->platform; }

int rn_register_read(rn_device *dev, unsigned offset, uint32_t *value)
{
    if (dev->platform->read32(dev->platform->self, dev->platform->window_base + offset, value) >= 0) return NX_OK;
    return rn_fail(dev, NX_ERROR_BUS, "register 0x%04x cannot be read", offset);
}

int rn_register_write(rn_device *dev, unsigned offset, uint32_t value)
{
    if (dev->platform->write32(dev->platform->self, dev->platform->window_base + offset, value) >= 0) return NX_OK;
    return rn_fail(dev, NX_ERROR_BUS, "register 0x%04x cannot be written", offset);
}

int rn_allocate(rn_device *dev, rn_memory *m, size_t size, size_t alignment, const char *what)
{
    const struct nx_platform *p = dev->platform;
    m->size = size;
    m->at = p->alloc(p->self, size, alignment);
    if (!m->at) return rn_fail(dev, NX_ERROR_NO_SPACE, "no bus memory left for %s, %zu bytes", what, size);
    static const uint8_t zeros[64];
    for (size_t i = 0; i < size; i += sizeof zeros)
        p->mem_write(p->self, m->at + i, zeros, size - i < sizeof zeros ? size - i : sizeof zeros);
    return NX_OK;
}

void rn_free(rn_device *dev, rn_memory *m)
{
    if (m->at) dev->platform->release(dev->platform->self, m->at, m->size);
    m->at = 0;
}

uint32_t rn_memory_word(rn_device *dev, uint64_t address)
{
    uint8_t b[4];
    dev->platform->mem_read(dev->platform->self, address, b, 4);
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static int check(rn_device *dev)
{
    const rn_params *p = &dev->params;
    if (p->qps < 2 || p->qps > RN_QPS)
        return rn_fail(dev, NX_ERROR_ARGUMENT, "qps is %u, expected 2..%d", p->qps, RN_QPS);
    if (p->clock_khz < 1000 || p->clock_khz > 7000000)
        return rn_fail(dev, NX_ERROR_ARGUMENT, "clock_khz is %u, expected 1000..7000000", p->clock_khz);
    if (p->udp_source > 0xffff)
        return rn_fail(dev, NX_ERROR_ARGUMENT, "udp_source is %u, expected 0..65535", p->udp_source);
    if (p->ack_mode > 2) return rn_fail(dev, NX_ERROR_ARGUMENT, "ack_mode is %u, expected 0..2", p->ack_mode);
    if (p->errors < 2 || p->errors > 0xffff)
        return rn_fail(dev, NX_ERROR_ARGUMENT, "errors is %u, expected 2..65535", p->errors);
    if (p->mads < 2 || p->mads > 1024) return rn_fail(dev, NX_ERROR_ARGUMENT, "mads is %u, expected 2..1024", p->mads);
    if (p->mac[0] & 1)
        return rn_fail(dev, NX_ERROR_ARGUMENT, "mac %02x:... is a group's, expected that of a host", p->mac[0]);
    return NX_OK;
}

/* TXBUFBA has no effect but keeps its value; so does SQBA of the last QP. */
static int probe(rn_device *dev)
{
    unsigned last = ROCE_SQBA + RN_QP_STRIDE * (dev->params.qps - 1);
    uint32_t conf, value, other;
    int result;
    if ((result = rn_register_write(dev, ROCE_XRNICCONF, 0)) ||
        (result = rn_register_read(dev, ROCE_XRNICCONF, &conf)) ||
        (result = rn_register_write(dev, ROCE_TXBUFBA, 0x5aa5c33c)) ||
        (result = rn_register_read(dev, ROCE_TXBUFBA, &value)) || (result = rn_register_write(dev, ROCE_TXBUFBA, 0)) ||
        (result = rn_register_read(dev, ROCE_TXBUFBA, &other)))
        return result;
    if (conf != 0 || value != 0x5aa5c33c || other != 0)
        return rn_fail(dev, NX_ERROR_NO_DEVICE, "TXBUFBA reads 0x%08x, expected 0x5aa5c33c as written", value);
    for (unsigned i = 1; i <= dev->params.qps; i++)
        if ((result = rn_register_write(dev, ROCE_QPCONF + RN_QP_STRIDE * (i - 1), 0))) return result;
    for (unsigned i = dev->params.qps; i >= 1; i--)
        if ((result = rn_wait_quiet(dev, i))) return result;
    if ((result = rn_register_write(dev, last, 0x12345660)) || (result = rn_register_read(dev, last, &value)))
        return result;
    if (value != 0x12345660) return rn_fail(dev, NX_ERROR_ARGUMENT, "qps is %u, the device has fewer", dev->params.qps);
    return NX_OK;
}

/* log2 of the clocks that are 4.096 us, rounded up. */
static uint32_t tick_of(unsigned clock_khz)
{
    uint64_t clocks_e6 = (uint64_t)clock_khz * 4096;
    uint32_t log2 = 0;
    while (((uint64_t)1000000 << log2) < clocks_e6) log2++;
    return log2;
}

static int set_up(rn_device *dev)
{
    const rn_params *p = &dev->params;
    int result;
    if ((result = rn_allocate(dev, &dev->errors, (size_t)p->errors * RN_ERROR_ENTRY, 64, "error status")) ||
        (result = rn_allocate(dev, &dev->illegals, (size_t)p->errors * RN_WQE, 64, "illegal WQEs")) ||
        (result = rn_allocate(dev, &dev->dropped, (size_t)p->errors * RN_DROPPED_ENTRY, 256, "headers of packets")))
        return result;
    const struct {
        unsigned offset;
        uint32_t value;
    } writes[] = {
        {ROCE_XRNICADCONF, tick_of(p->clock_khz) << ROCE_XRNICADCONF_TICK_SHIFT |
                               (p->retry_for_ever ? ROCE_XRNICADCONF_RETRY_FOR_EVER_MASK : 0) |
                               (p->any_source_mac ? ROCE_XRNICADCONF_ANY_SOURCE_MAC_MASK : 0)},
        {ROCE_MACXADDLSB, rn_get32(p->mac + 2)},
        {ROCE_MACXADDMSB, rn_get16(p->mac)},
        {ROCE_IPV6XADD1, rn_get32(p->ipv6 + 12)},
        {ROCE_IPV6XADD2, rn_get32(p->ipv6 + 8)},
        {ROCE_IPV6XADD3, rn_get32(p->ipv6 + 4)},
        {ROCE_IPV6XADD4, rn_get32(p->ipv6)},
        {ROCE_IPV4XADD, rn_get32(p->ipv4)},
        {ROCE_ERRBUFBA, (uint32_t)dev->dropped.at},
        {ROCE_ERRBUFSZ, p->errors | (uint32_t)RN_DROPPED_ENTRY << ROCE_ERRBUFSZ_SIZE_SHIFT},
        {ROCE_OPKTERRQBA, (uint32_t)dev->illegals.at},
        {ROCE_OPKTERRQSZ, p->errors},
        {ROCE_IPKTERRQBA, (uint32_t)dev->errors.at},
        {ROCE_IPKTERRQSZ, p->errors},
        {ROCE_INTSTS, 0xff},
        {ROCE_INTEN, p->interrupts},
        {ROCE_XRNICCONF, ROCE_XRNICCONF_ENABLE_MASK | p->ack_mode << ROCE_XRNICCONF_ACK_SHIFT |
                             (p->all_errors ? ROCE_XRNICCONF_ALL_ERRORS_MASK : 0) | p->qps << ROCE_XRNICCONF_QPS_SHIFT |
                             p->udp_source << ROCE_XRNICCONF_UDP_SOURCE_SHIFT},
    };
    for (size_t i = 0; i < sizeof writes / sizeof writes[0]; i++)
        if ((result = rn_register_write(dev, writes[i].offset, writes[i].value))) return result;
    /* the chip may have been in use: what it wrote before is not ours */
    if ((result = rn_register_read(dev, ROCE_IPKTERRQWPTR, &dev->error_at)) ||
        (result = rn_register_read(dev, ROCE_OPKTERRQWPTR, &dev->illegal_at)) ||
        (result = rn_register_read(dev, ROCE_ERRBUFWPTR, &dev->dropped_at)))
        return result;
    dev->error_at %= p->errors;
    dev->illegal_at %= p->errors;
    dev->dropped_at %= p->errors;
    return NX_OK;
}

static int open_management(rn_device *dev)
{
    rn_qp_params q = rn_qp_params_default();
    q.send_depth = 2;
    q.receive_depth = dev->params.mads;
    q.receive_bytes = RN_MAD_FRAME;
    q.receive_interrupt = 1;
    q.traffic_class = dev->params.traffic_class;
    q.ttl = dev->params.ttl;
    q.pkey = dev->params.pkey;
    int result = rn_queues_create(dev, 1, &q, &dev->qp[1]);
    if (result) return result;
    if ((result = rn_allocate(dev, &dev->qp[1]->mad, RN_MAD, 64, "a management datagram"))) return result;
    return rn_qp_enable(dev->qp[1]);
}

int rn_open(const struct nx_platform *platform, const rn_params *params, rn_device **out)
{
    rn_device *dev = *out = calloc(1, sizeof *dev);
    int result;
    if (!dev) return NX_ERROR_NO_MEMORY;
    dev->platform = platform;
    dev->params = *params;
    if ((result = check(dev)) || (result = probe(dev)) || (result = set_up(dev))) return result;
    return open_management(dev);
}

int rn_close(rn_device *dev)
{
    int result;
    if (!dev) return NX_OK;
    for (unsigned i = 1; i <= RN_QPS; i++)
        if (dev->qp[i]) rn_qp_disable(dev->qp[i]);
    if (dev->errors.at) rn_register_write(dev, ROCE_XRNICCONF, 0);
    for (unsigned i = RN_QPS; i >= 1; i--)
        if ((dev->qp[i] || (i == 1 && dev->errors.at)) && (result = rn_wait_quiet(dev, i))) return result;
    for (unsigned i = 1; i <= RN_QPS; i++)
        if (dev->qp[i]) rn_queues_free(dev->qp[i]);
    rn_free(dev, &dev->dropped);
    rn_free(dev, &dev->illegals);
    rn_free(dev, &dev->errors);
    free(dev);
    return NX_OK;
}

/* ---- datagrams */

int rn_mad_send(rn_device *dev, const rn_address *to, const uint8_t mad[RN_MAD])
{
    const struct nx_platform *p = dev->platform;
    rn_qp *qp = dev->qp[1];
    uint64_t from = p->now(p->self);
    rn_completion done;
    int result;
    if (!dev->mad_to_known || memcmp(to, &dev->mad_to, sizeof *to)) {
        dev->mad_to_known = 0;
        if ((result = rn_qp_point(qp, to, 1))) return result;
        qp->conf = to->ipv6 ? qp->conf | ROCE_QPCONF_IPV6_MASK : qp->conf & ~ROCE_QPCONF_IPV6_MASK;
        if ((result = rn_qp_write(qp, ROCE_QPCONF, qp->conf | ROCE_QPCONF_ENABLE_MASK))) return result;
        dev->mad_to = *to;
        dev->mad_to_known = 1;
    }
    p->mem_write(p->self, qp->mad.at, mad, RN_MAD);
    if ((result = rn_post(qp, &(rn_work){.opcode = RN_SEND, .local = qp->mad.at, .length = RN_MAD}))) return result;
    while ((result = rn_poll(qp, &done, 1)) == 0) {
        if (p->now(p->self) - from > dev->params.timeout_ns)
            return rn_fail(dev, NX_ERROR_TIMEOUT, "a management datagram has not left QP 1 after %llu ns",
                           (unsigned long long)dev->params.timeout_ns);
        p->wait(p->self);
    }
    return result < 0   ? result
           : done.error ? rn_fail(dev, NX_ERROR_DEVICE, "QP 1 refused a management datagram")
                        : NX_OK;
}

int rn_mad_receive(rn_device *dev, uint8_t *frame, unsigned size)
{
    rn_message m;
    int result = rn_receive(dev->qp[1], &m);
    if (result <= 0) return result;
    if (m.length < size) size = m.length;
    dev->platform->mem_read(dev->platform->self, m.address, frame, size);
    result = rn_release(dev->qp[1]);
    return result ? result : (int)size;
}

/* ---- errors */

/* Where the next entry stands, and past it: 1, 0 or negative. */
static int next_entry(rn_device *dev, unsigned pointer, unsigned *at, const rn_memory *queue, unsigned entry,
                      uint64_t *address)
{
    uint32_t value;
    int result = rn_register_read(dev, pointer, &value);
    if (result) return result;
    if (value >= dev->params.errors)
        return rn_fail(dev, NX_ERROR_DEVICE, "register 0x%04x reads %u, expected a place below %u", pointer, value,
                       dev->params.errors);
    if (value == *at) return 0;
    *address = queue->at + (uint64_t)*at * entry;
    *at = (*at + 1) % dev->params.errors;
    return 1;
}

int rn_error_next(rn_device *dev, rn_error *e)
{
    uint64_t at;
    int result = next_entry(dev, ROCE_IPKTERRQWPTR, &dev->error_at, &dev->errors, RN_ERROR_ENTRY, &at);
    if (result <= 0) return result;
    uint32_t low = rn_memory_word(dev, at), high = rn_memory_word(dev, at + 4);
    *e = (rn_error){.qp = low & 0xffff,
                    .code = low >> 16 & 31,
                    .opcode = low >> 24,
                    .psn = high & 0xffffff,
                    .syndrome = high >> 24};
    return 1;
}

int rn_illegal_next(rn_device *dev, rn_illegal *e)
{
    uint64_t at;
    int result = next_entry(dev, ROCE_OPKTERRQWPTR, &dev->illegal_at, &dev->illegals, RN_WQE, &at);
    if (result <= 0) return result;
    uint32_t first = rn_memory_word(dev, at), fifth = rn_memory_word(dev, at + 16);
    *e = (rn_illegal){.id = first & 0xffff, .qp = first >> 16, .opcode = fifth & 0xff, .reason = fifth >> 8};
    return 1;
}

int rn_dropped_next(rn_device *dev, uint32_t *checks, uint8_t *headers, unsigned size)
{
    uint64_t at;
    int result = next_entry(dev, ROCE_ERRBUFWPTR, &dev->dropped_at, &dev->dropped, RN_DROPPED_ENTRY, &at);
    if (result <= 0) return result;
    *checks = rn_memory_word(dev, at);
    dev->platform->mem_read(dev->platform->self, at + 4, headers, size < RN_DROPPED_BYTES ? size : RN_DROPPED_BYTES);
    return 1;
}

/* ---- interrupts */

static int read_and_clear(rn_device *dev, unsigned offset, uint32_t *value)
{
    int result = rn_register_read(dev, offset, value);
    return result || !*value ? result : rn_register_write(dev, offset, *value);
}

int rn_interrupts(rn_device *dev, uint32_t *sources) { return read_and_clear(dev, ROCE_INTSTS, sources); }

static int of_qps(rn_device *dev, unsigned first, uint32_t qps[8])
{
    int result = NX_OK;
    memset(qps, 0, 8 * sizeof qps[0]);
    for (unsigned i = 0; i <= dev->params.qps / 32 && !result; i++)
        result = read_and_clear(dev, first + 4 * i, &qps[i]);
    return result;
}

int rn_receive_interrupts(rn_device *dev, uint32_t qps[8]) { return of_qps(dev, ROCE_RQINTSTS1, qps); }

int rn_completion_interrupts(rn_device *dev, uint32_t qps[8]) { return of_qps(dev, ROCE_CQINTSTS1, qps); }
