/* The driver of the RoCE chip against registers that keep written values. Offsets, bits and bytes are typed in from S5
 * tables 2-1, 2-2 and 2-7, not taken from the register map. */
#include <stdlib.h>
#include <string.h>

#include "mock_roce.h"
#include "test.h"

static mock_roce *m;
static rn_device *dev;
static rn_qp *qp;

static void must(int result) { ck_assert_msg(result == NX_OK, "%s", rn_last_error(dev)); }

static void open_device(void)
{
    rn_params p = mock_roce_params();
    m = mock_roce_new();
    dev = mock_roce_open(m, &p);
}

static rn_connection connection(void)
{
    return (rn_connection){.peer = {.mac = {0x52, 0x54, 0, 0, 0, 2}, .ip = {10, 0, 0, 2}},
                           .qp = 0x11,
                           .send_psn = 0x7c67ed,
                           .receive_psn = 0,
                           .pmtu = 1024,
                           .timeout = 14,
                           .retries = 7,
                           .rnr_retries = 6,
                           .rnr_timer = 12,
                           .reads_outstanding = 4};
}

/* QP 2, connected. */
static void connect_qp(const rn_qp_params *params)
{
    rn_qp_params p = params ? *params : rn_qp_params_default();
    rn_connection c = connection();
    open_device();
    must(rn_qp_create(dev, &p, &qp));
    must(rn_qp_modify(qp, &c));
}

struct expected {
    unsigned offset;
    uint32_t value;
};

static void check_writes(const struct expected *e, int count)
{
    for (; count--; e++) {
        uint32_t value = mock_roce_written(m, e->offset);
        ck_assert_msg(value == e->value, "0x%03x: 0x%08x was written, expected 0x%08x", e->offset, value, e->value);
    }
}

/* ---- the device */

TEST(open_sets_up_the_chip)
{
    static const struct expected writes[] = {
        {0x000, 0xc0010801}, /* enabled, ACK mode 0, 8 QPs, UDP source c001 */
        {0x004, 0x000a0000}, /* 156.25 MHz: 640 clocks are 4.096 us, so 10 */
        {0x010, 0x00000001},
        {0x014, 0x00000200},
        {0x020, 0x00000001},
        {0x024, 0},
        {0x028, 0},
        {0x02c, 0xfe800000},
        {0x068, 0x01000040}, /* 64 buffers of 256 bytes */
        {0x070, 0x0a000001},
        {0x080, 64},
        {0x090, 64},
        {0x180, 0},
        {0x184, 0xff},
        /* QP 1: 32 buffers of 512 bytes, doorbells in memory, entries written, interrupt for each datagram */
        {0x200, 0x00020035},
        {0x204, 0xffff4000},
        {0x23c, 0x00200002},
    };
    open_device();
    check_writes(writes, COUNT(writes));
    const unsigned bases[] = {0x060, 0x078, 0x088, 0x208, 0x210, 0x218, 0x220, 0x228, 0x2a0};
    for (int i = 0; i < COUNT(bases); i++) ck_assert_uint_ne(mock_roce_written(m, bases[i]), 0);
    ck_assert_uint_eq(m->reg[0x208 / 4] % 256, 0);
    ck_assert_uint_eq(m->writes[m->write_count - 1].offset, 0x200); /* QP 1 is enabled last */
    ck_assert_uint_eq(m->reg[0x30 / 4], 0);
}

/* S5's own examples for XRNICADCONF[19:16]. */
TEST(the_time_base_is_that_of_the_clock, .to = 5)
{
    static const unsigned khz[] = {400000, 200000, 125000, 100000, 250001}, width[] = {11, 10, 9, 9, 11};
    rn_params p = mock_roce_params();
    p.clock_khz = khz[_i];
    m = mock_roce_new();
    dev = mock_roce_open(m, &p);
    ck_assert_uint_eq(mock_roce_written(m, 4) >> 16, width[_i]);
}

static int write_nothing(void *self, uint64_t address, uint32_t value)
{
    (void)self, (void)address, (void)value;
    return 0;
}

TEST(open_refuses_what_is_no_chip_and_what_has_fewer_queue_pairs, .to = 2)
{
    rn_params p = mock_roce_params();
    m = mock_roce_new();
    if (_i) m->qps = 4;
    else m->platform.write32 = write_nothing;
    ck_assert_int_eq(rn_open(&m->platform, &p, &dev), _i ? NX_ERROR_ARGUMENT : NX_ERROR_NO_DEVICE);
    ck_assert_str_eq(rn_last_error(dev), _i ? "qps is 8, the device has fewer"
                                            : "TXBUFBA reads 0x00000000, expected 0x5aa5c33c as written");
    rn_close(dev);
    ck_assert_uint_eq(m->allocated, 0);
}

TEST(open_checks_its_parameters)
{
    static const struct {
        size_t at;
        unsigned value;
        const char *text;
    } wrong[] = {
        {offsetof(rn_params, qps), 1, "qps is 1, expected 2..128"},
        {offsetof(rn_params, qps), 129, "qps is 129, expected 2..128"},
        {offsetof(rn_params, clock_khz), 999, "clock_khz is 999, expected 1000..7000000"},
        {offsetof(rn_params, udp_source), 65536, "udp_source is 65536, expected 0..65535"},
        {offsetof(rn_params, ack_mode), 3, "ack_mode is 3, expected 0..2"},
        {offsetof(rn_params, errors), 1, "errors is 1, expected 2..65535"},
        {offsetof(rn_params, mads), 1, "mads is 1, expected 2..1024"},
    };
    for (int i = 0; i < COUNT(wrong); i++) {
        rn_params p = mock_roce_params();
        memcpy((char *)&p + wrong[i].at, &wrong[i].value, sizeof wrong[i].value);
        m = mock_roce_new();
        ck_assert_int_eq(rn_open(&m->platform, &p, &dev), NX_ERROR_ARGUMENT);
        ck_assert_str_eq(rn_last_error(dev), wrong[i].text);
        rn_close(dev);
        ck_assert_uint_eq(m->write_count, 0);
    }
}

/* Whatever access or allocation fails first: an error that says so, and nothing is left behind. */
TEST(a_failure_anywhere_leaves_nothing_behind, .to = 2)
{
    for (unsigned n = 0;; n++) {
        rn_params p = mock_roce_params();
        rn_qp_params q = rn_qp_params_default();
        rn_connection c = connection();
        m = mock_roce_new();
        *(_i ? &m->allocs_left : &m->accesses_left) = n;
        int result = rn_open(&m->platform, &p, &dev);
        if (!result && !(result = rn_qp_create(dev, &q, &qp))) result = rn_qp_modify(qp, &c);
        ck_assert(result == NX_OK || (result == (_i ? NX_ERROR_NO_SPACE : NX_ERROR_BUS) && rn_last_error(dev)[0]));
        m->accesses_left = UINT32_MAX;
        rn_close(dev);
        ck_assert_uint_eq(m->allocated, 0);
        if (result == NX_OK) {
            ck_assert_uint_gt(n, 10);
            return;
        }
    }
}

/* ---- queue pairs */

TEST(create_and_modify_write_the_registers_of_the_queue_pair)
{
    static const struct expected writes[] = {
        {0x304, 0xffff4000}, {0x33c, 0x00100010}, {0x340, 0x7c67ed}, /* the first PSN to send */
        {0x344, 0xffffff},                                           /* the first one expected is 0 */
        {0x348, 0x11},       {0x34c, 0x000c370e}, /* RNR timer 12, RNR retries 6, retries 7, timeout 14 */
        {0x350, 0x00000002}, {0x354, 0x5254},     {0x360, 0x0a000002}, {0x364, 0}, {0x368, 0},
        {0x36c, 0},          {0x3a4, 4},          {0x300, 0x00100231}, /* 16 * 256 bytes, PMTU 1024, IPv4, entries
                                                                          written, handshake off, enabled */
    };
    connect_qp(NULL);
    ck_assert_uint_eq(rn_qp_number(qp), 2);
    check_writes(writes, COUNT(writes));
    ck_assert_uint_eq(m->writes[m->write_count - 1].offset, 0x300);
}

TEST(modify_of_an_ipv6_peer_and_all_sizes)
{
    rn_connection c = connection();
    connect_qp(&(rn_qp_params){.send_depth = 4,
                               .receive_depth = 300,
                               .receive_bytes = 256,
                               .handshake = 1,
                               .receive_interrupt = 1,
                               .completion_interrupt = 1,
                               .traffic_class = 5,
                               .ttl = 1,
                               .pkey = 0x8001});
    c.peer.ipv6 = 1;
    for (int i = 0; i < 16; i++) c.peer.ip[i] = (uint8_t)(0xa0 + i);
    for (unsigned code = 0; code < 5; code++) {
        c.pmtu = 256u << code;
        mock_roce_forget(m);
        must(rn_qp_modify(qp, &c));
        ck_assert_uint_eq(m->writes[0].offset, 0x300); /* off first */
        ck_assert_uint_eq(m->writes[0].value & 1, 0);
        ck_assert_uint_eq(mock_roce_written(m, 0x300), 0x000100ad | code << 8);
    }
    const struct expected writes[] = {
        {0x360, 0xacadaeaf}, {0x364, 0xa8a9aaab}, {0x368, 0xa4a5a6a7}, {0x36c, 0xa0a1a2a3}};
    check_writes(writes, COUNT(writes));
    ck_assert_uint_eq(m->reg[0x304 / 4], 0x80010105);
    ck_assert_uint_eq(m->reg[0x33c / 4], 300u << 16 | 4);
}

TEST(modify_refuses_what_the_registers_cannot_hold)
{
    connect_qp(NULL);
    mock_roce_forget(m);
#define REFUSED(change, text)                                                                                          \
    do {                                                                                                               \
        rn_connection c = connection();                                                                                \
        change;                                                                                                        \
        ck_assert_int_eq(rn_qp_modify(qp, &c), NX_ERROR_ARGUMENT);                                                     \
        ck_assert_msg(strstr(rn_last_error(dev), text) != NULL, "%s", rn_last_error(dev));                             \
    } while (0)
    REFUSED(c.pmtu = 1500, "pmtu is 1500");
    REFUSED(c.timeout = 32, "are 32, 7, 6, 12");
    REFUSED(c.retries = 8, "are 14, 8, 6, 12");
    REFUSED(c.rnr_retries = 8, "are 14, 7, 8, 12");
    REFUSED(c.rnr_timer = 32, "are 14, 7, 6, 32");
    REFUSED(c.reads_outstanding = 0, "reads_outstanding is 0");
    REFUSED(c.reads_outstanding = 17, "reads_outstanding is 17");
    REFUSED(c.qp = 0x1000000, "more than 24 bits: 0x1000000");
    REFUSED(c.send_psn = 0x1000000, "more than 24 bits");
    ck_assert_uint_eq(m->write_count, 0);
}

TEST(numbers_are_given_again_and_run_out)
{
    rn_qp *all[8];
    rn_qp_params q = rn_qp_params_default(), wrong = q;
    open_device();
    for (unsigned i = 0; i < 7; i++) {
        must(rn_qp_create(dev, &q, &all[i]));
        ck_assert_uint_eq(rn_qp_number(all[i]), i + 2);
        ck_assert_ptr_eq(rn_qp_of(dev, i + 2), all[i]);
    }
    ck_assert_int_eq(rn_qp_create(dev, &q, &all[7]), NX_ERROR_NO_SPACE);
    ck_assert_str_eq(rn_last_error(dev), "all 7 connections are in use");
    rn_qp_destroy(all[3]);
    ck_assert_ptr_eq(rn_qp_of(dev, 5), NULL);
    wrong.receive_bytes = 300;
    ck_assert_int_eq(rn_qp_create(dev, &wrong, &all[7]), NX_ERROR_ARGUMENT);
    ck_assert_str_eq(rn_last_error(dev), "receive_bytes is 300, expected a multiple of 256 up to 65535 * 256");
    must(rn_qp_create(dev, &q, &all[3]));
    ck_assert_uint_eq(rn_qp_number(all[3]), 5);
}

/* STATQP.BUSY, bit 12 of 0x288: memory is freed when the device uses it no more, of QP 1 that of the error queues too.
 */
TEST(memory_is_freed_when_the_device_is_quiet)
{
    rn_qp_params q = rn_qp_params_default();
    rn_qp *other;
    open_device();
    uint64_t before = m->allocated;
    must(rn_qp_create(dev, &q, &other));
    uint64_t allocated = m->allocated;
    m->reg[0x388 / 4] = 1 << 12;
    uint64_t from = m->now_ns;
    ck_assert_int_eq(rn_qp_destroy(other), NX_ERROR_TIMEOUT);
    ck_assert_str_eq(rn_last_error(dev), "QP 2 is disabled and still uses its memory after 10000000 ns");
    ck_assert_uint_ge(m->now_ns - from, 10000000);
    ck_assert_ptr_eq(rn_qp_of(dev, 2), other);
    ck_assert_int_eq(rn_close(dev), NX_ERROR_TIMEOUT);
    ck_assert_uint_eq(m->allocated, allocated);
    ck_assert_uint_eq(m->reg[0x300 / 4] & 1, 0);
    ck_assert_uint_eq(m->reg[0] & 1, 0);
    m->reg[0x388 / 4] = 0;
    must(rn_qp_destroy(other));
    ck_assert_uint_eq(m->allocated, before);
    m->reg[0x288 / 4] = 1 << 12;
    ck_assert_int_eq(rn_close(dev), NX_ERROR_TIMEOUT);
    ck_assert_uint_eq(m->allocated, before);
    m->reg[0x288 / 4] = 0;
}

/* The example of S5's appendix: a remote access error. */
TEST(status_is_taken_apart)
{
    rn_qp_status s;
    connect_qp(NULL);
    m->reg[0x388 / 4] = 0x30620601;
    must(rn_qp_get_status(qp, &s));
    ck_assert(s.fatal && s.sends_empty && s.outstanding_empty && !s.retried);
    ck_assert_uint_eq(s.syndrome, 0x62);
    ck_assert_uint_eq(s.retries, 0);
    ck_assert_uint_eq(s.rnr_retries, 3);
}

/* ---- sending */

TEST(work_becomes_the_entry_of_table_2_1)
{
    uint8_t wqe[64];
    connect_qp(NULL);
    uint64_t queue = m->reg[0x310 / 4];
    must(rn_post(qp, &(rn_work){.id = 0x1234,
                                .opcode = RN_READ,
                                .local = 0x89abcdef,
                                .length = 0x10203,
                                .remote = 0x1122334455667788,
                                .rkey = 0xa1b2c3d4}));
    memory_read(m->memory, queue, wqe, 64);
    static const uint8_t read[64] = {0x34, 0x12, 0,    0,    0xef, 0xcd, 0xab, 0x89, 0,    0,    0,
                                     0,    3,    2,    1,    0,    4,    0,    0,    0,    0x88, 0x77,
                                     0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0xd4, 0xc3, 0xb2, 0xa1};
    ck_assert_int_eq(memcmp(wqe, read, 64), 0);
    ck_assert_uint_eq(m->reg[0x338 / 4], 1);
    must(rn_post(qp, &(rn_work){.id = 2, .opcode = RN_SEND, .length = 5, .inside = "hello"}));
    memory_read(m->memory, queue + 64, wqe, 64);
    static const uint8_t send[64] = {2, [12] = 5, [16] = 2, [32] = 'h', 'e', 'l', 'l', 'o'};
    ck_assert_int_eq(memcmp(wqe, send, 64), 0);
    ck_assert_uint_eq(m->reg[0x338 / 4], 2);
    memory_write(m->memory, 0x5000, "sixteen bytes...", 16);
    must(rn_post(qp,
                 &(rn_work){.id = 3, .opcode = RN_SEND, .length = 16, .local = 0x5000})); /* inline, because it fits */
    memory_read(m->memory, queue + 128, wqe, 64);
    ck_assert_int_eq(memcmp(wqe + 32, "sixteen bytes...", 16), 0);
    must(rn_post(qp, &(rn_work){.id = 4, .opcode = RN_WRITE, .length = 17, .local = 0x5000}));
    memory_read(m->memory, queue + 192, wqe, 64);
    ck_assert_uint_eq(wqe[16], 0);
    for (unsigned i = 0; i < 2; i++) { /* WRITE and READ of no bytes are work as any other */
        must(rn_post(qp, &(rn_work){.id = 5, .opcode = i ? RN_READ : RN_WRITE, .length = 0}));
        memory_read(m->memory, queue + 64 * (4 + i), wqe, 64);
        const uint8_t none[64] = {5, [16] = i ? 4 : 0};
        ck_assert_int_eq(memcmp(wqe, none, 64), 0);
    }
}

TEST(work_that_the_chip_would_refuse_is_not_posted)
{
    rn_qp_params q = rn_qp_params_default();
    rn_qp *other;
    connect_qp(NULL);
    must(rn_qp_create(dev, &q, &other));
    mock_roce_forget(m);
    static const rn_work wrong[] = {{.opcode = RN_SEND, .length = 0},
                                    {.opcode = (rn_opcode)1, .length = 8},
                                    {.opcode = RN_READ, .length = 8, .inside = "12345678"},
                                    {.opcode = RN_SEND, .length = 17, .inside = "12345678901234567"},
                                    {.opcode = RN_WRITE, .length = 2, .local = 0xffffffff},
                                    {.opcode = RN_WRITE, .length = 0, .local = 0x100000000},
                                    {.opcode = RN_WRITE, .length = 0x80000001u}};
    for (int i = 0; i < COUNT(wrong); i++) ck_assert_int_eq(rn_post(qp, &wrong[i]), NX_ERROR_ARGUMENT);
    ck_assert_int_eq(rn_post(other, &(rn_work){.opcode = RN_SEND, .length = 1, .inside = "x"}), NX_ERROR_ARGUMENT);
    ck_assert_str_eq(rn_last_error(dev), "QP 3 is not enabled");
    ck_assert_uint_eq(m->write_count, 0);
}

static void post_one(unsigned id)
{
    must(rn_post(qp, &(rn_work){.id = (uint16_t)id, .opcode = RN_WRITE, .length = 8, .local = 0x1000}));
}

/* By the doorbell in memory, or with handshake by CQHEAD. */
TEST(completions_come_in_order_around_the_ring, .to = 2)
{
    rn_completion c[8];
    connect_qp(&(rn_qp_params){.send_depth = 4, .receive_depth = 4, .receive_bytes = 256, .ttl = 64, .handshake = _i});
    uint64_t entries = m->reg[0x318 / 4], doorbell = m->reg[0x328 / 4];
    for (unsigned round = 0; round < 5; round++) {
        unsigned at = round * 3 % 4;
        for (unsigned i = 0; i < 3; i++) post_one(100 * round + i);
        ck_assert_uint_eq(rn_qp_room(qp), 0);
        ck_assert_int_eq(rn_post(qp, &(rn_work){.opcode = RN_WRITE, .length = 8}), NX_ERROR_NO_SPACE);
        ck_assert_uint_eq(m->reg[0x338 / 4], (at + 3) % 4);
        ck_assert_int_eq(rn_poll(qp, c, 8), 0);
        for (unsigned i = 0; i < 3; i++)
            mock_roce_put(m, entries + 4 * ((at + i) % 4), (100 * round + i) | (i == 2 ? 0x01000000 : 0));
        if (_i) m->reg[0x330 / 4] = (at + 3) % 4;
        else mock_roce_put(m, doorbell, (at + 3) % 4);
        ck_assert_int_eq(rn_poll(qp, c, 2), 2);
        ck_assert_int_eq(rn_poll(qp, c + 2, 6), 1);
        for (unsigned i = 0; i < 3; i++) {
            ck_assert_uint_eq(c[i].id, 100 * round + i);
            ck_assert_int_eq(c[i].error, i == 2);
            ck_assert_int_eq((int)c[i].opcode, RN_WRITE);
        }
        ck_assert_uint_eq(rn_qp_room(qp), 3);
    }
}

/* A late doorbell of a former life is no doorbell of this one, whether it lands before or after the QP is enabled. */
TEST(a_late_doorbell_of_a_former_life_is_not_taken)
{
    rn_completion c;
    rn_message message;
    rn_connection changed = connection();
    connect_qp(&(rn_qp_params){.send_depth = 4, .receive_depth = 4, .receive_bytes = 256, .ttl = 64});
    for (unsigned life = 0; life < 4; life++) {
        uint64_t receive = m->reg[0x320 / 4], completion = m->reg[0x328 / 4];
        post_one(life);
        must(rn_qp_modify(qp, &changed));
        mock_roce_put(m, receive, 1);
        mock_roce_put(m, completion, 1);
        ck_assert_int_eq(rn_poll(qp, &c, 1), 0);
        ck_assert_int_eq(rn_receive(qp, &message), 0);
    }
    mock_roce_put(m, m->reg[0x320 / 4], 1);
    ck_assert_int_eq(rn_receive(qp, &message), 1);
}

/* There are two places of doorbells: a third life waits until the first one is over, unless the second one has started.
 */
TEST(a_third_life_waits_for_the_doorbells_of_the_first, .to = 3)
{
    enum { STATQP = 0x388 / 4, BUSY = 1 << 12, SQ_EMPTY = 1 << 9 };
    rn_message message;
    rn_connection changed = connection();
    connect_qp(&(rn_qp_params){.send_depth = 4, .receive_depth = 4, .receive_bytes = 256, .ttl = 64});
    uint64_t place = m->reg[0x320 / 4];
    m->reg[STATQP] = BUSY;
    must(rn_qp_modify(qp, &changed));
    if (_i == 2) m->reg[STATQP] |= SQ_EMPTY; /* the second life starts */
    if (_i == 1) must(rn_qp_disable(qp));
    if (_i == 1) m->reg[STATQP] |= SQ_EMPTY; /* the status is that of the first life again */
    if (_i < 2) {
        ck_assert_int_eq(rn_qp_modify(qp, &changed), NX_ERROR_TIMEOUT);
        mock_roce_put(m, place, 1);
        m->reg[STATQP] = 0;
    }
    must(rn_qp_modify(qp, &changed));
    ck_assert_uint_eq(m->reg[0x320 / 4], place);
    ck_assert_int_eq(rn_receive(qp, &message), 0);
}

TEST(indices_that_cannot_be_are_errors_of_the_device)
{
    rn_completion c;
    rn_message message;
    connect_qp(NULL);
    mock_roce_put(m, m->reg[0x328 / 4], 1); /* nothing was posted */
    ck_assert_int_eq(rn_poll(qp, &c, 1), NX_ERROR_DEVICE);
    ck_assert_str_eq(rn_last_error(dev), "QP 2: completions up to 1, but work was posted up to 0");
    mock_roce_put(m, m->reg[0x328 / 4], 16);
    ck_assert_int_eq(rn_poll(qp, &c, 1), NX_ERROR_DEVICE);
    ck_assert_str_eq(rn_last_error(dev), "QP 2: the device's index is 16, expected below 16");
    mock_roce_put(m, m->reg[0x320 / 4], 17);
    ck_assert_int_eq(rn_receive(qp, &message), NX_ERROR_DEVICE);
    mock_roce_put(m, m->reg[0x320 / 4], 1);
    mock_roce_put(m, m->reg[0x3a0 / 4], 4097);
    ck_assert_int_eq(rn_receive(qp, &message), NX_ERROR_DEVICE);
    ck_assert_str_eq(rn_last_error(dev), "QP 2: a message of 4097 bytes in a buffer of 4096");
}

/* ---- receiving */

TEST(messages_come_with_their_length_around_the_ring, .to = 2)
{
    rn_message got;
    connect_qp(&(rn_qp_params){.send_depth = 2, .receive_depth = 4, .receive_bytes = 512, .ttl = 64, .handshake = _i});
    ck_assert_int_eq(rn_receive(qp, &got), 0);
    ck_assert_int_eq(rn_release(qp), NX_ERROR_ARGUMENT);
    for (unsigned round = 0; round < 6; round++) {
        for (unsigned i = 0; i < 3; i++) mock_roce_arrive(m, 2, "abcdefgh", 1 + round + i % 2);
        for (unsigned i = 0; i < 3; i++) {
            ck_assert_int_eq(rn_receive(qp, &got), 1);
            ck_assert_uint_eq(got.length, 1 + round + i % 2);
            ck_assert_uint_eq(got.address, m->reg[0x308 / 4] + 512 * ((3 * round + i) % 4));
        }
        ck_assert_int_eq(rn_receive(qp, &got), 0);
        for (unsigned i = 0; i < 3; i++) {
            must(rn_release(qp));
            ck_assert_uint_eq(m->reg[0x334 / 4], (3 * round + i + 1) % 4);
        }
    }
}

/* ---- datagrams */

static uint8_t mad_sent[256];
static uint32_t mad_registers[5];

static void mad_leaves(mock_roce *mock, unsigned number, const uint8_t wqe[64])
{
    ck_assert_uint_eq(number, 1);
    ck_assert_uint_eq(wqe[16], 2);
    ck_assert_uint_eq(wqe[12] | wqe[13] << 8, 256);
    memory_read(mock->memory, wqe[4] | wqe[5] << 8 | wqe[6] << 16 | (uint64_t)wqe[7] << 24, mad_sent, 256);
    const unsigned at[] = {0x248, 0x250, 0x254, 0x260, 0x26c};
    for (int i = 0; i < COUNT(at); i++) mad_registers[i] = mock->reg[at[i] / 4];
}

TEST(a_datagram_leaves_with_the_addresses_of_its_receiver)
{
    uint8_t mad[256];
    const rn_address v4 = {.mac = {0x52, 0x54, 0, 0, 0, 2}, .ip = {10, 0, 0, 2}};
    const rn_address v6 = {.mac = {0x52, 0x54, 0, 0, 0, 3}, .ipv6 = 1, .ip = {0xfe, 0x80, [15] = 3}};
    open_device();
    mock_roce_complete_at_once(m, mad_leaves);
    for (unsigned i = 0; i < 10; i++) {
        memset(mad, 0x30 + (int)i, 256);
        mock_roce_forget(m);
        must(rn_mad_send(dev, i % 4 < 2 ? &v4 : &v6, mad));
        ck_assert_int_eq(memcmp(mad, mad_sent, 256), 0);
        ck_assert_uint_eq(mad_registers[0], 1);
        ck_assert_uint_eq(mad_registers[1], i % 4 < 2 ? 2 : 3);
        ck_assert_uint_eq(mad_registers[2], 0x5254);
        ck_assert_uint_eq(mad_registers[3], i % 4 < 2 ? 0x0a000002 : 3);
        ck_assert_uint_eq(mad_registers[4], i % 4 < 2 ? 0 : 0xfe800000);
        ck_assert_uint_eq(m->reg[0x200 / 4] >> 7 & 1, i % 4 >= 2);
        if (i % 2) ck_assert_uint_eq(m->write_count, 1); /* the same receiver: only the doorbell */
    }
}

TEST(a_datagram_that_does_not_leave_is_an_error)
{
    uint8_t mad[256] = {0};
    open_device();
    uint64_t from = m->now_ns;
    ck_assert_int_eq(rn_mad_send(dev, &(rn_address){.ip = {10, 0, 0, 2}}, mad), NX_ERROR_TIMEOUT);
    ck_assert_str_eq(rn_last_error(dev), "a management datagram has not left QP 1 after 10000000 ns");
    ck_assert_uint_ge(m->now_ns - from, 10000000);
}

TEST(frames_for_queue_pair_1_are_handed_out)
{
    uint8_t frame[318], got[RN_MAD_FRAME];
    open_device();
    for (int i = 0; i < 318; i++) frame[i] = (uint8_t)i;
    ck_assert_int_eq(rn_mad_receive(dev, got, sizeof got), 0);
    for (int round = 0; round < 70; round++) {
        mock_roce_arrive(m, 1, frame, 318);
        ck_assert_int_eq(rn_mad_receive(dev, got, sizeof got), 318);
        ck_assert_int_eq(memcmp(got, frame, 318), 0);
    }
    mock_roce_arrive(m, 1, frame, 318);
    ck_assert_int_eq(rn_mad_receive(dev, got, 20), 20);
}

/* ---- errors and interrupts */

TEST(errors_are_read_from_their_queues)
{
    rn_error e;
    rn_illegal w;
    uint32_t checks;
    uint8_t headers[16];
    open_device();
    ck_assert_int_eq(rn_error_next(dev, &e), 0);
    for (unsigned i = 0; i < 130; i++) { /* twice around */
        uint64_t at = m->reg[0x088 / 4] + 8 * (i % 64);
        mock_roce_put(m, at, 0x110a0005);
        mock_roce_put(m, at + 4, 0x62000000 | i);
        m->reg[0x094 / 4] = (i + 1) % 64;
        ck_assert_int_eq(rn_error_next(dev, &e), 1);
        ck_assert(e.qp == 5 && e.code == 0x0a && e.opcode == 0x11 && e.psn == i && e.syndrome == 0x62);
        ck_assert_int_eq(rn_error_next(dev, &e), 0);
    }
    mock_roce_put(m, m->reg[0x078 / 4], 0x00071234);
    mock_roce_put(m, m->reg[0x078 / 4] + 16, 0x00000309);
    m->reg[0x084 / 4] = 1;
    ck_assert_int_eq(rn_illegal_next(dev, &w), 1);
    ck_assert(w.qp == 7 && w.id == 0x1234 && w.opcode == 9 && w.reason == 3);
    mock_roce_put(m, m->reg[0x060 / 4], 0x40000000);
    memory_write(m->memory, m->reg[0x060 / 4] + 4, "headers of it...", 16);
    m->reg[0x06c / 4] = 1;
    ck_assert_int_eq(rn_dropped_next(dev, &checks, headers, 16), 1);
    ck_assert_uint_eq(checks, 0x40000000);
    ck_assert_int_eq(memcmp(headers, "headers of it...", 16), 0);
    ck_assert_int_eq(rn_dropped_next(dev, &checks, headers, 16), 0);
    m->reg[0x06c / 4] = 64;
    ck_assert_int_eq(rn_dropped_next(dev, &checks, headers, 16), NX_ERROR_DEVICE);
    ck_assert_str_eq(rn_last_error(dev), "register 0x006c reads 64, expected a place below 64");
}

TEST(interrupts_are_read_and_cleared)
{
    uint32_t sources, qps[8];
    open_device();
    m->reg[0x184 / 4] = 0x52;
    m->reg[0x190 / 4] = 0x84;
    m->reg[0x1b0 / 4] = 0x100;
    mock_roce_forget(m);
    must(rn_interrupts(dev, &sources));
    ck_assert_uint_eq(sources, 0x52);
    must(rn_receive_interrupts(dev, qps));
    ck_assert_uint_eq(qps[0], 0x84);
    must(rn_completion_interrupts(dev, qps));
    ck_assert_uint_eq(qps[0], 0x100);
    const struct expected cleared[] = {{0x184, 0x52}, {0x190, 0x84}, {0x1b0, 0x100}};
    check_writes(cleared, COUNT(cleared));
    must(rn_interrupts(dev, &sources));
    ck_assert_uint_eq(sources, 0);
    ck_assert_uint_eq(m->write_count, 3);
}
