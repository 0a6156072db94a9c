/* The window of registers of the coherent node: each by the map, both ports, what is answered with an error;
 * interrupts; software reset. */
#include "cni_bench.h"

#include <string.h>

/* Bits that a program may write and read back. */
static uint32_t kept(const struct cni_register *r)
{
    uint32_t mask = 0;
    int fields = 0;
    for (unsigned i = 0; i < CNI_FIELD_TABLE_COUNT; i++) {
        const struct cni_field *f = &cni_fields[i];
        if (f->offset != r->offset) continue;
        fields = 1;
        if (r->offset == CNI_CONTROL && f->lsb == 4) continue; /* SOFT_RESET */
        mask |= (uint32_t)((2ull << f->msb) - (1ull << f->lsb));
    }
    return fields ? mask : ~0u;
}

static int known(unsigned offset)
{
    for (unsigned i = 0; i < CNI_REGISTER_TABLE_COUNT; i++)
        if (cni_registers[i].offset == offset) return 1;
    return 0;
}

TEST_CASE("window", .timeout = 60);

TEST(each_register_by_the_map)
{
    cni_bench *b = cni_bench_new(0);
    for (unsigned i = 0; i < CNI_REGISTER_TABLE_COUNT; i++) {
        const struct cni_register *r = &cni_registers[i];
        if (!strcmp(r->access, "rw") && r->offset != CNI_CONTROL)
            ck_assert_msg(cni_read(b, r->offset) == r->reset, "%s", r->name);
    }
    for (int round = 0; round < 3; round++)
        for (unsigned i = 0; i < CNI_REGISTER_TABLE_COUNT; i++) {
            const struct cni_register *r = &cni_registers[i];
            uint32_t value = (uint32_t)cni_random(b), was = 0, now;
            if (!strcmp(r->access, "rw")) {
                if (r->offset == CNI_SEND0_CONTROL || r->offset == CNI_SEND1_CONTROL || r->offset == CNI_CONTROL)
                    value &= ~0x1fu;
                cni_write(b, r->offset, value);
                ck_assert_msg((cni_read(b, r->offset) & kept(r)) == (value & kept(r)), "%s", r->name);
            } else if (!strcmp(r->access, "ro")) {
                cni_try(b, 0, 0, r->offset, &was);
                now = ~was;
                ck_assert_msg(cni_try(b, 1, 1, r->offset, &now) == 1, "%s", r->name);
                cni_try(b, 1, 0, r->offset, &now);
                ck_assert_uint_eq(now, was);
            }
        }
}

/* No register, a store to what is read only: error acknowledge, and nothing changes. */
TEST(other_places_are_errors)
{
    cni_bench *b = cni_bench_new(0);
    for (unsigned offset = 0; offset < 0x400; offset += 4) {
        uint32_t value = 0;
        ck_assert_msg(cni_try(b, 0, 0, offset, &value) == !known(offset), "0x%x", offset);
    }
    static const struct {
        unsigned offset;
        int load, store;
    } rows[] = {{0x414, 0, 1},  {0x418, 1, 1},  {0x840, 0, 1},   {0xc20, 0, 0},  {0x1ffc, 0, 1}, {0x2000, 0, 0},
                {0x23fc, 0, 0}, {0x2400, 1, 1}, {0x3ffc, 1, 1},  {0x4000, 0, 1}, {0x4ffc, 0, 1}, {0x5000, 1, 1},
                {0x7ffc, 1, 1}, {0x8000, 1, 1}, {0x80000, 1, 1}, {0xffffc, 1, 1}};
    for (int i = 0; i < COUNT(rows); i++)
        for (unsigned port = 0; port < 2; port++) {
            uint32_t value = 0;
            ck_assert_msg(cni_try(b, port, 0, rows[i].offset, &value) == rows[i].load, "load 0x%x", rows[i].offset);
            ck_assert_msg(cni_try(b, port, 1, rows[i].offset, &value) == rows[i].store, "store 0x%x", rows[i].offset);
        }
}

/* Both ports at once: each gets its own answer. */
TEST(ports_take_turns)
{
    cni_bench *b = cni_bench_new(0);
    for (unsigned n = 0; n < 200; n++) {
        uint32_t value = (uint32_t)cni_random(b);
        for (unsigned p = 0; p < 2; p++) {
            b->access[p].valid = b->access[p].write = 1;
            b->access[p].done = 0;
            b->access[p].address = p ? CNI_WINDOW0_LAST : CNI_WINDOW1_LAST;
            b->access[p].data = p ? ~value : value;
        }
        for (unsigned i = 0; !(b->access[0].done && b->access[1].done); i++) {
            ck_assert_uint_lt(i, 20);
            cni_run(b, 1);
        }
        ck_assert_uint_eq(cni_read(b, CNI_WINDOW1_LAST) >> 5, (value & 0xfffffe0) >> 5 | (value >> 28 << 23));
        ck_assert_uint_eq(cni_read(b, CNI_WINDOW0_LAST) & 0xfffffe0, ~value & 0xfffffe0);
    }
}

/* STATUS interrupts the processors that have enabled it, until it is cleared. */
TEST(interrupts)
{
    cni_bench *b = cni_bench_new(1);
    uint64_t word = 1;
    cni_write(b, CNI_IRQ1_ENABLE, CNI_STATUS_ARRIVED_MASK);
    cni_packet(b, 1, 0, 0x2000, &word, 1, 0);
    cni_settle(b, 1000);
    ck_assert_uint_eq(*b->m->irq, 0);
    cni_packet(b, 1, CNI_IRQ, 0x2008, &word, 1, 0);
    while (!*b->m->irq) {
        cni_run(b, 1);
        ck_assert(b->memory[0x2008 / 8] == 1 || !*b->m->irq); /* its data are in memory */
    }
    ck_assert_uint_eq(*b->m->irq, 2);
    cni_write(b, CNI_STATUS, CNI_STATUS_ARRIVED_MASK);
    cni_run(b, 2);
    ck_assert_uint_eq(*b->m->irq, 0);
    cni_write(b, CNI_IRQ0_ENABLE, CNI_STATUS_OBJECT_MASK);
    cni_write(b, SYNC_COUNTER_BASE_LOW, 0x8000 | 1);
    uint64_t arm = 3ull << 62 | 0;
    cni_packet(b, 1, 0, cni_operation(9, 2, 0), &arm, 1, 0);
    cni_settle(b, 1000);
    ck_assert_uint_eq(*b->m->irq, 1);
    ck_assert_uint_eq(b->memory[0x8000 / 8 + 9] >> 63, 1);
}

/* A hardware reset in traffic: registers have their reset values, receive memory is 0, and traffic starts anew. */
TEST(hardware_reset, .to = 6)
{
    cni_bench *b = cni_bench_new(1);
    uint64_t data[62];
    for (unsigned i = 0; i < 62; i++) data[i] = cni_random(b);
    for (unsigned round = 0; round < 4; round++) {
        cni_write(b, CNI_QUEUE_MODES_LOW, 0xb9);
        for (unsigned q = 0; q < 2; q++) {
            cni_write(b, SYNC_QUEUE_BASE_LOW + 32 * q, 0x10000 + 0x8000 * q);
            cni_write(b, SYNC_QUEUE_SOURCES + 32 * q, 0xffff);
            cni_write(b, SYNC_QUEUE_SETUP + 32 * q, 1u << 31 | 3 << 4 | 3);
            b->memory[(0x20000 + 0x8000 * q) / 8] = cni_descriptor(1 + q, 0, 500, 0x3000, 1);
            b->memory[(0x20000 + 0x8000 * q) / 8 + 1] = 0x40000;
            cni_write(b, CNI_SEND0_BASE + 32 * q, 0x20000 + 0x8000 * q);
            cni_write(b, CNI_SEND0_CONTROL + 32 * q, 4 << 8 | 6 << 4 | 1);
        }
        for (unsigned n = 0; n < 8; n++) {
            cni_packet(b, 1, CNI_NOTIFY, 0x2000, data, 62, 0);
            cni_packet(b, 2, 0, cni_operation(n & 1, 0, 0), data, 60, 0);
        }
        cni_run(b, 60 + 131 * (unsigned)_i + 17 * round);
        cni_reset(b, 0);
        for (unsigned i = 0; i < CNI_REGISTER_TABLE_COUNT; i++) {
            const struct cni_register *r = &cni_registers[i];
            if (r->offset != CNI_BUILD) ck_assert_msg(cni_read(b, r->offset) == r->reset, "%s", r->name);
        }
        for (unsigned i = 0; i < 4096; i += 4 * 61) ck_assert_uint_eq(cni_read(b, 0x4000 + i), 0);
        cni_write(b, CNI_CONTROL, 1);
        b->memory[0x2000 / 8] = 0;
        cni_packet(b, 1, 0, 0x2000, data, 1, 0);
        cni_settle(b, 2000);
        ck_assert_uint_eq(b->memory[0x2000 / 8], data[0]);
        ck_assert_uint_eq(cni_read(b, CNI_STATUS), 0);
    }
}

/* A software reset in traffic ends, whatever waits: N2H is empty, the queues are off until MODE has been 0, and traffic
 * afterwards is as ever, its losses told. */
TEST(software_reset, .to = 12)
{
    cni_bench *b = cni_bench_new(1);
    uint64_t data[62] = {0};
    b->pace = 1;
    cni_write(b, CNI_REMOTE_NOTIFY, 0x7000);
    cni_write(b, SYNC_QUEUE_BASE_LOW, 0x10000);
    cni_write(b, SYNC_QUEUE_SOURCES, 0xffff);
    cni_write(b, SYNC_QUEUE_SETUP, 1u << 31 | 3 << 4 | 3);
    b->blocked = 1u << 1;
    for (unsigned q = 0; q < 2; q++) {
        for (unsigned n = 0; n < 16; n++) {
            b->memory[(0x20000 + 0x8000 * q) / 8 + 8 * n] = cni_descriptor(q ? 2 : 1, 0, 500, 0x3000, 1);
            b->memory[(0x20000 + 0x8000 * q) / 8 + 8 * n + 1] = 0x40000;
        }
        cni_write(b, CNI_SEND0_BASE + 32 * q, 0x20000 + 0x8000 * q);
        cni_write(b, CNI_SEND0_CONTROL + 32 * q, 4 << 8 | 6 << 4 | 1);
    }
    for (unsigned n = 0; n < 30; n++)
        if (n % 3) cni_packet(b, 1, CNI_NOTIFY, 0x2000, data, 1 + 2 * n, 0);
        else cni_packet(b, 2, 0, cni_operation(0, 0, 0), data, 60, 0);
    cni_run(b, 40 + 97 * (unsigned)_i);
    cni_write(b, CNI_CONTROL, 1 << 4 | 1);
    unsigned clocks = 0;
    while (cni_read(b, CNI_CONTROL) & 1 << 4) ck_assert_uint_lt(clocks++, 1500);
    ck_assert(b->n2h_got == b->n2h_put && !b->shown);
    b->blocked = 0;
    unsigned sent = b->sent_count;
    cni_settle(b, 3000);
    ck_assert_uint_eq(b->sent_count, sent);
    ck_assert_uint_eq(cni_read(b, CNI_SEND1_CONTROL) & 3, 1);
    /* the next notification of a source whose packets were dropped tells it */
    b->memory[0x7000 / 8 + 1] = b->memory[0x7000 / 8 + 2] = 0;
    cni_packet(b, 1, CNI_NOTIFY, 0x2000, data, 1, 0);
    cni_settle(b, 3000);
    ck_assert_uint_ne(b->memory[0x7000 / 8 + 1], 0);
    cni_packet(b, 1, CNI_NOTIFY, 0x2000, data, 1, 0);
    cni_settle(b, 3000);
    ck_assert_uint_eq(b->memory[0x7000 / 8 + 1] >> 63, 0);
    cni_write(b, CNI_SEND1_CONTROL, 0);
    cni_write(b, CNI_SEND1_CONTROL, 4 << 8 | 6 << 4 | 1);
    cni_settle(b, 60000);
    ck_assert_uint_ge(b->sent_count, sent + 16 * 9);
}
