/* Doorbells of the RoCE chip's registers, and starts of QPs; what happens at all ports at once. */
#include "registers_bench.h"

static void hand(uint8_t *valid, uint16_t *addr, uint16_t *index, const uint8_t *ready, uint32_t where, unsigned what)
{
    *addr = (uint16_t)where;
    *index = (uint16_t)what;
    *valid = 1;
    until(ready);
    *valid = 0;
    run_clocks(s, clk, 4);
}

TEST_CASE("roce_registers", .timeout = 60);

/* By a write and by handshake: below the depth and for an enabled QP it rings; else it is ignored and counted. */
TEST(doorbells, .to = COUNT(kinds))
{
    bench_new(_i);
    unsigned last = qps, wrong = 0;
    write32(ROCE_XRNICCONF, 0xffu << 8 | 1);
    enable(2);
    enable(last);
    for (unsigned index = 13; index < 19; index++) {
        unsigned before = doorbells;
        write32(qp_register(last, ROCE_SQPI), index);
        hand(m->sqpi_valid, m->sqpi_addr, m->sqpi_index, m->sqpi_ready, qp_register(2, ROCE_SQPI), index);
        int good = index < 16;
        wrong += good ? 0 : 2;
        ck_assert_uint_eq(doorbells - before, good ? 2 : 0);
        if (good) {
            ck_assert(doorbell[before].qp == last - 1 && doorbell[before].index == index);
            ck_assert(doorbell[before + 1].qp == 1 && doorbell[before + 1].index == index);
        }
        ck_assert_uint_eq(errors(1), wrong);
    }
    ck_assert_uint_eq(read32(qp_register(2, ROCE_SQPI)), 15);
    hand(m->rqci_valid, m->rqci_addr, m->rqci_index, m->rqci_ready, qp_register(last, ROCE_RQCI), 7);
    hand(m->rqci_valid, m->rqci_addr, m->rqci_index, m->rqci_ready, qp_register(last, ROCE_RQCI), 8);
    ck_assert_uint_eq(errors(1), wrong += 1);
    ck_assert_uint_eq(read32(qp_register(last, ROCE_RQCI)), 7);
    hand(m->rqci_valid, m->rqci_addr, m->rqci_index, m->rqci_ready, qp_register(3, ROCE_RQCI), 1); /* not enabled */
    ck_assert_uint_eq(errors(1), wrong += 1);
    hand(m->rqci_valid, m->rqci_addr, m->rqci_index, m->rqci_ready, qp_register(2, ROCE_SQPI),
         1); /* at the wrong handshake */
    ck_assert_uint_eq(errors(1), wrong += 1);
    ck_assert_uint_eq(read32(qp_register(2, ROCE_SQPI)), 15);
    hand(m->sqpi_valid, m->sqpi_addr, m->sqpi_index, m->sqpi_ready, qp_register(2, ROCE_DESTQPCONF), 1); /* no index */
    ck_assert_uint_eq(errors(0), 1);
    ck_assert_uint_eq(read32(qp_register(2, ROCE_DESTQPCONF)), 0);
}

/* An index is taken as a whole or not at all: single bytes of it are ignored and counted, and so is one that is gone
 * before it was taken, but for the count. One that comes twice is sent twice; the requester finds nothing new. */
TEST(torn_and_doubled_doorbells, .to = COUNT(kinds))
{
    static const uint32_t registers[] = {ROCE_SQPI, ROCE_RQCI};
    unsigned torn = 0;
    bench_new(_i);
    write32(ROCE_XRNICCONF, 0xffu << 8 | 1);
    write32(qp_register(qps, ROCE_QDEPTH), 0x400u << 16 | 0x400);
    write32(qp_register(qps, ROCE_QPCONF), 1);
    run_clocks(s, clk, 400);
    for (unsigned i = 0; i < COUNT(registers); i++) {
        uint32_t place = qp_register(qps, registers[i]);
        write32(place, 0xff);
        for (unsigned strobes = 0; strobes < 16; strobes++) {
            unsigned before = doorbells;
            int whole = (strobes & 3) == 3;
            write_bytes(place, 0x100, strobes);
            torn += !whole;
            ck_assert_uint_eq(read32(place), whole ? 0x100 : 0xff);
            ck_assert_uint_eq(doorbells - before, whole && !i);
            ck_assert_uint_eq(errors(1), torn);
            if (whole) write32(place, 0xff);
        }
        for (unsigned n = 0; n < 3; n++) { /* the same again */
            unsigned before = doorbells;
            write32(place, 0x123);
            ck_assert_uint_eq(doorbells - before, !i);
            ck_assert_uint_eq(read32(place), 0x123);
        }
    }
    ck_assert_uint_eq(errors(0), 0);
    /* by handshake: while the registers are cleared, a doorbell comes and goes */
    unsigned before = doorbells;
    *m->rst = 1;
    clock_once();
    *m->rst = 0;
    clock_once();
    *m->sqpi_addr = (uint16_t)qp_register(qps, ROCE_SQPI);
    *m->rqci_addr = (uint16_t)qp_register(qps, ROCE_RQCI);
    *m->sqpi_index = *m->rqci_index = 0x155;
    *m->sqpi_valid = *m->rqci_valid = 1;
    for (int i = 0; i < 10; i++) {
        clock_once();
        ck_assert(!*m->sqpi_ready && !*m->rqci_ready);
    }
    *m->sqpi_valid = *m->rqci_valid = 0;
    for (unsigned i = 0; i < COUNT(registers); i++) ck_assert_uint_eq(read32(qp_register(qps, registers[i])), 0);
    ck_assert_uint_eq(doorbells, before);
    ck_assert_uint_eq(errors(1), 0);
}

/* A register that another block keeps is not answered for long: doorbells by handshake are taken all the same. */
TEST(doorbells_do_not_wait_for_registers, .to = 2)
{
    bench_new(0);
    write32(ROCE_XRNICCONF, 8u << 8 | 1);
    enable_all_the_way(2);
    answer_after = 2000;
    *m->lite_araddr = (uint16_t)qp_register(2, _i ? ROCE_STATMSN : ROCE_STATQP);
    *m->lite_arvalid = 1;
    until(m->lite_arready);
    *m->lite_arvalid = 0;
    for (unsigned i = 1; i < 7; i++) {
        hand(m->sqpi_valid, m->sqpi_addr, m->sqpi_index, m->sqpi_ready, qp_register(2, ROCE_SQPI), i);
        hand(m->rqci_valid, m->rqci_addr, m->rqci_index, m->rqci_ready, qp_register(2, ROCE_RQCI), i);
        ck_assert_uint_eq(doorbell[doorbells - 1].index, i);
    }
    ck_assert_uint_eq(*m->lite_rvalid, 0);
    until(m->lite_rvalid);
    ck_assert_uint_eq(read32(qp_register(2, ROCE_SQPI)), 6);
    ck_assert_uint_eq(read32(qp_register(2, ROCE_RQCI)), 6);
}

/* QPCONF.ENABLE of a QP, as TX sees it. */
static unsigned tx_enable(unsigned q)
{
    *m->tx_cfg_addr = (uint16_t)((q - 1) << 4);
    run_clocks(s, clk, 2);
    return m->tx_cfg_data[0] & 1;
}

/* A QP is enabled while something of its former life is under way, in the receiver or in the requester: the write is
 * answered, everything else goes on, and the QP starts when all is gone. Its doorbells of the new life are kept till
 * then; TX sees it off. */
TEST(a_start_waits_for_the_former_life, .to = 2)
{
    bench_new(0);
    write32(ROCE_XRNICCONF, 8u << 8 | 1);
    enable_all_the_way(2);
    write32(qp_register(2, ROCE_SQPI), 5);
    for (unsigned i = 0; i < 2; i++)
        for (unsigned q = 0; q < 8; q++)
            kept[i][q][(ROCE_CQHEAD - FIRST_QP) / 4] = kept[i][q][(ROCE_STATRQPIDB - FIRST_QP) / 4] = 9;
    uint32_t *status = &kept[1][1][(ROCE_STATQP - FIRST_QP) / 4];
    ck_assert_uint_eq(read32(qp_register(2, ROCE_STATQP)), BUSY);
    if (_i) *status = BUSY;
    else *m->rx_own_busy = 1;
    write32(qp_register(2, ROCE_QPCONF), 0);
    run_clocks(s, clk, 100);
    ck_assert_uint_eq(read32(qp_register(2, ROCE_STATQP)), BUSY);
    ck_assert_uint_eq(read32(qp_register(2, ROCE_CQHEAD)), 9);
    unsigned before = doorbells;
    for (unsigned q = 2; q <= 4; q++) enable(q);
    for (unsigned i = 1; i < 8; i++) {
        hand(m->sqpi_valid, m->sqpi_addr, m->sqpi_index, m->sqpi_ready, qp_register(2, ROCE_SQPI), i);
        write32(qp_register(2, ROCE_RQCI), i);
        write32(qp_register(2, ROCE_QPCONF), 1 | i << 2);
        ck_assert_uint_eq(read32(qp_register(2, ROCE_QPCONF)), 1 | (i << 2 & 0x3c));
        ck_assert_uint_eq(read32(qp_register(2, ROCE_STATQP)), BUSY);
        ck_assert_uint_eq(read32(qp_register(2, ROCE_CQHEAD)) + read32(qp_register(2, ROCE_STATRQPIDB)), 0);
        ck_assert_uint_eq(tx_enable(2), 0);
        ck_assert_uint_eq(switched[1], 0);
    }
    write32(ROCE_XRNICADCONF, 2u << 24 | 1); /* bits that the start sets to 0 cannot be written before it */
    static const uint32_t words[] = {ROCE_CQHEAD, ROCE_STATRQPIDB, ROCE_STATQP};
    for (unsigned i = 0; i < COUNT(words); i++) write32(qp_register(2, words[i]), 0x1234);
    ck_assert_uint_eq(errors(0), 3);
    ck_assert_uint_eq(kept[1][1][(ROCE_CQHEAD - FIRST_QP) / 4] + kept[0][1][(ROCE_STATRQPIDB - FIRST_QP) / 4], 18);
    write32(ROCE_XRNICADCONF, 0);
    ck_assert_uint_eq(starts[0][1] + starts[1][1], 2);
    ck_assert_uint_eq(doorbells, before);
    write32(qp_register(4, ROCE_QPCONF), 0); /* before it has started, in one of the two cases */
    run_clocks(s, clk, 300);
    *status = 0;
    *m->rx_own_busy = 0;
    run_clocks(s, clk, 300);
    ck_assert_uint_eq(starts[0][1] + starts[1][1], 4);
    ck_assert_uint_eq(starts[0][2] + starts[1][2], 2);
    ck_assert_uint_eq(starts[0][3] + starts[1][3], _i ? 2 : 0);
    ck_assert_uint_eq(enabled(), 1u << 1 | 1u << 2);
    ck_assert_uint_eq(doorbells, before + 1);
    ck_assert(doorbell[before].qp == 1 && doorbell[before].index == 7);
    ck_assert_uint_eq(tx_enable(2), 1);
    ck_assert_uint_eq(read32(qp_register(2, ROCE_SQPI)), 7);
    ck_assert_uint_eq(read32(qp_register(2, ROCE_RQCI)), 7);
    *status = 0x0a00;
    write32(qp_register(2, ROCE_QPCONF), 0);
    ck_assert_uint_eq(read32(qp_register(2, ROCE_STATQP)), 0x0a00);
    ck_assert_uint_eq(errors(0) + errors(1), 3);
}

/* Both handshake ports hold valid for ever, one of them or both with a bad index: AXI and the other port have their
 * turns. */
TEST(ports_held_valid_take_turns, .to = 3)
{
    bench_new(0);
    write32(ROCE_XRNICCONF, 8u << 8 | 1);
    enable_all_the_way(2);
    *m->sqpi_addr = (uint16_t)qp_register(2, ROCE_SQPI);
    *m->rqci_addr = (uint16_t)qp_register(2, ROCE_RQCI);
    *m->sqpi_index = _i != 1 ? 0x3ff : 1;
    *m->rqci_index = _i != 0 ? 0x3ff : 1;
    *m->sqpi_valid = *m->rqci_valid = *m->lite_awvalid = *m->lite_wvalid = *m->lite_arvalid = 1;
    *m->lite_awaddr = *m->lite_araddr = ROCE_XRNICCONF;
    *m->lite_wdata = 8u << 8 | 1;
    *m->lite_wstrb = 15;
    unsigned taken[4] = {0};
    for (unsigned i = 0; i < 400; i++) {
        sim_model_eval(m->model);
        const uint8_t ready[] = {*m->sqpi_ready, *m->rqci_ready, *m->lite_awready, *m->lite_arready};
        ck_assert_int_le(ready[0] + ready[1] + ready[2] + ready[3], 1);
        for (unsigned k = 0; k < 4; k++) taken[k] += ready[k];
        unsigned lite = taken[2] + taken[3];
        ck_assert_msg(taken[0] - taken[1] <= 1 && taken[1] - lite <= 1 && taken[3] - taken[2] + 1 <= 2,
                      "taken by clock %u: SQPI %u, RQCI %u, writes %u, reads %u", i, taken[0], taken[1], taken[2],
                      taken[3]);
        clock_once();
    }
    ck_assert_uint_gt(taken[2], 20);
}

/* Nothing is lost when all come at once, and a reset in the middle leaves all at 0. */
TEST(all_doors_at_once_and_reset)
{
    bench_new(0);
    write32(ROCE_XRNICCONF, 0xffu << 8 | 1);
    enable(2);
    enable(3);
    *m->lite_awaddr = (uint16_t)qp_register(3, ROCE_SQPI);
    *m->lite_wdata = 3;
    *m->lite_wstrb = 15;
    *m->lite_araddr = ROCE_XRNICCONF;
    *m->sqpi_addr = (uint16_t)qp_register(2, ROCE_SQPI);
    *m->rqci_addr = (uint16_t)qp_register(2, ROCE_RQCI);
    *m->sqpi_index = 5;
    *m->rqci_index = 6;
    *m->lite_awvalid = *m->lite_wvalid = *m->lite_arvalid = *m->sqpi_valid = *m->rqci_valid = 1;
    for (int i = 0, left = 4; left; i++) {
        ck_assert_int_lt(i, 100);
        sim_model_eval(m->model);
        uint8_t sq = *m->sqpi_ready, rq = *m->rqci_ready, aw = *m->lite_awready, ar = *m->lite_arready;
        ck_assert_int_le(
            (sq && *m->sqpi_valid) + (rq && *m->rqci_valid) + (aw && *m->lite_awvalid) + (ar && *m->lite_arvalid), 1);
        clock_once();
        if (sq && *m->sqpi_valid) *m->sqpi_valid = 0, left--;
        else if (rq && *m->rqci_valid) *m->rqci_valid = 0, left--;
        else if (aw && *m->lite_awvalid) *m->lite_awvalid = *m->lite_wvalid = 0, left--;
        else if (ar && *m->lite_arvalid) *m->lite_arvalid = 0, left--;
    }
    run_clocks(s, clk, 10);
    ck_assert_uint_eq(read32(qp_register(2, ROCE_SQPI)), 5);
    ck_assert_uint_eq(read32(qp_register(2, ROCE_RQCI)), 6);
    ck_assert_uint_eq(read32(qp_register(3, ROCE_SQPI)), 3);
    *m->rst = 1;
    run_clocks(s, clk, 2);
    *m->rst = 0;
    ck_assert_uint_eq(read32(qp_register(2, ROCE_SQPI)), 0);
    ck_assert_uint_eq(read32(qp_register(3, ROCE_QDEPTH)), 0);
    ck_assert_uint_eq(read32(ROCE_XRNICCONF), 0);
    ck_assert_uint_eq(enabled(), 0);
}
