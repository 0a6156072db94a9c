#include "mock_roce.h"

#include <string.h>

#include "test.h"

CLEANUP(memory_free);
CLEANUP(rn_close);

static int access_fails(mock_roce *m, uint64_t address)
{
    m->now_ns += 100;
    ck_assert(address >= MOCK_ROCE_BASE && address < MOCK_ROCE_BASE + 0x10000 && address % 4 == 0);
    if (m->accesses_left == 0) return m->failed++, 1;
    m->accesses_left--;
    return 0;
}

static int is_there(const mock_roce *m, unsigned offset) { return offset < 0x200 + 0x100 * m->qps; }

static int read32(void *self, uint64_t address, uint32_t *value)
{
    mock_roce *m = self;
    unsigned offset = (unsigned)(address - MOCK_ROCE_BASE);
    *value = UINT32_MAX;
    if (access_fails(m, address)) return -1;
    *value = is_there(m, offset) ? m->reg[offset / 4] : 0;
    m->reads++;
    return 0;
}

static int write32(void *self, uint64_t address, uint32_t value)
{
    mock_roce *m = self;
    unsigned offset = (unsigned)(address - MOCK_ROCE_BASE);
    if (access_fails(m, address)) return -1;
    ck_assert_uint_lt(m->write_count, MOCK_ROCE_WRITES);
    m->writes[m->write_count].offset = offset;
    m->writes[m->write_count++].value = value;
    int clears = offset == 0x184 || (offset >= 0x190 && offset < 0x1d0);
    m->reg[offset / 4] = clears ? m->reg[offset / 4] & ~value : value;
    if (m->on_write) m->on_write(m, offset, value);
    return 0;
}

static void mem_read(void *self, uint64_t address, void *to, size_t size)
{
    memory_read(((mock_roce *)self)->memory, address, to, size);
}

static void mem_write(void *self, uint64_t address, const void *from, size_t size)
{
    memory_write(((mock_roce *)self)->memory, address, from, size);
}

static uint64_t alloc(void *self, size_t size, size_t alignment)
{
    mock_roce *m = self;
    if (m->allocs_left == 0) return 0;
    m->allocs_left--;
    uint64_t at = (m->next_free + alignment - 1) / alignment * alignment;
    m->next_free = at + size;
    m->allocated += size;
    return at;
}

static void release(void *self, uint64_t address, size_t size)
{
    mock_roce *m = self;
    ck_assert_uint_ne(address, 0);
    m->allocated -= size;
}

static void wait_a_little(void *self) { ((mock_roce *)self)->now_ns += 500; }

static uint64_t now(void *self) { return ((mock_roce *)self)->now_ns; }

mock_roce *mock_roce_new(void)
{
    mock_roce *m = test_memory(sizeof *m);
    m->memory = memory_new();
    after_test(memory_free_cleanup, m->memory);
    m->qps = MOCK_ROCE_QPS;
    m->allocs_left = m->accesses_left = UINT32_MAX;
    m->next_free = 0x100000;
    m->platform = (struct nx_platform){.self = m,
                                       .read32 = read32,
                                       .write32 = write32,
                                       .mem_read = mem_read,
                                       .mem_write = mem_write,
                                       .alloc = alloc,
                                       .release = release,
                                       .wait = wait_a_little,
                                       .now = now,
                                       .window_base = MOCK_ROCE_BASE,
                                       .window_size = 0x10000};
    return m;
}

rn_params mock_roce_params(void)
{
    rn_params p = rn_params_default();
    memcpy(p.mac, (uint8_t[]){2, 0, 0, 0, 0, 1}, 6);
    memcpy(p.ipv4, (uint8_t[]){10, 0, 0, 1}, 4);
    memcpy(p.ipv6, (uint8_t[]){0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 16);
    return p;
}

rn_device *mock_roce_open(mock_roce *m, const rn_params *params)
{
    rn_device *dev;
    int result = rn_open(&m->platform, params, &dev);
    ck_assert_msg(result == NX_OK, "%s", rn_last_error(dev));
    after_test(rn_close_cleanup, dev);
    return dev;
}

void mock_roce_forget(mock_roce *m) { m->write_count = m->reads = 0; }

uint32_t mock_roce_word(mock_roce *m, uint64_t address)
{
    uint8_t b[4];
    memory_read(m->memory, address, b, 4);
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

void mock_roce_put(mock_roce *m, uint64_t address, uint32_t value)
{
    uint8_t b[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};
    memory_write(m->memory, address, b, 4);
}

uint32_t mock_roce_written(const mock_roce *m, unsigned offset)
{
    for (unsigned i = m->write_count; i--;)
        if (m->writes[i].offset == offset) return m->writes[i].value;
    ck_abort_msg("nothing was written to 0x%03x", offset);
}

/* ---- a chip that answers */

static uint32_t of_qp(const mock_roce *m, unsigned qp, unsigned offset)
{
    return m->reg[(offset + 0x100 * (qp - 1)) / 4];
}

static void set_of_qp(mock_roce *m, unsigned qp, unsigned offset, uint32_t value)
{
    m->reg[(offset + 0x100 * (qp - 1)) / 4] = value;
}

static void complete(mock_roce *m, unsigned offset, uint32_t value)
{
    unsigned qp = (offset - 0x200) / 0x100 + 1;
    void (*sent)(mock_roce *, unsigned, const uint8_t[64]) = (void (*)(mock_roce *, unsigned, const uint8_t[64]))m->arg;
    if (offset < 0x200) return;
    if (offset % 0x100 == 0 && !(value & 1)) { /* QPCONF: off; its indices are 0 when it is on again */
        set_of_qp(m, qp, 0x230, 0);
        set_of_qp(m, qp, 0x29c, 0);
    }
    if (offset % 0x100 != 0x38) return; /* SQPI */
    for (uint32_t at = of_qp(m, qp, 0x230); at != value;) {
        uint8_t wqe[64];
        memory_read(m->memory, of_qp(m, qp, 0x210) + 64 * at, wqe, 64);
        mock_roce_put(m, of_qp(m, qp, 0x218) + 4 * at,
                      wqe[0] | (uint32_t)wqe[1] << 8 | (uint32_t)wqe[16] << 16 | (m->failing && qp > 1 ? 1u << 24 : 0));
        at = (at + 1) % (of_qp(m, qp, 0x23c) & 0xffff);
        set_of_qp(m, qp, 0x230, at);
        if (of_qp(m, qp, 0x200) & 0x10) mock_roce_put(m, of_qp(m, qp, 0x228), at);
        if (sent) sent(m, qp, wqe);
    }
}

void mock_roce_complete_at_once(mock_roce *m, void (*sent)(mock_roce *m, unsigned qp, const uint8_t wqe[64]))
{
    m->on_write = complete;
    m->arg = (void *)sent;
}

void mock_roce_arrive(mock_roce *m, unsigned qp, const void *data, unsigned size)
{
    uint32_t at = of_qp(m, qp, 0x29c), depth = of_qp(m, qp, 0x23c) >> 16, buffer = (of_qp(m, qp, 0x200) >> 16) * 256;
    ck_assert_uint_le(size, buffer);
    ck_assert_msg(of_qp(m, qp, 0x200) & 1, "a SEND for QP %u, which is off", qp);
    ck_assert_msg((at + 1) % depth != of_qp(m, qp, 0x234), "the receive queue of QP %u is full", qp);
    memory_write(m->memory, of_qp(m, qp, 0x208) + (uint64_t)at * buffer, data, size);
    mock_roce_put(m, of_qp(m, qp, 0x2a0) + 4 * at, size);
    at = (at + 1) % depth;
    set_of_qp(m, qp, 0x29c, at);
    if (of_qp(m, qp, 0x200) & 0x10) mock_roce_put(m, of_qp(m, qp, 0x220), at);
}
