/* roce_registers: every place of its 64 KB against the map, and S5's rules for doorbells, interrupts and counters by
 * hand. */
#include "registers_bench.h"

/* The writable registers, or what the names of several begin with; their bits by hand, from S5 table 2-7 and for
 * additions to S5 from README; and the test of their extreme values: 0, 1, the largest value but one, the largest, of
 * each field. */
static const struct end_row {
    const char *name;
    uint32_t bits; /* 0: nothing stays, or the block that keeps it decides */
    const char *follows;
} end_rows[] = {
    {"XRNICCONF", 0xffffff39,
     "a_qp_starts_and_stops, test_roce_rx_acks each_mode, test_roce_rx_rules qp_beyond, test_roce_tx"},
    {"XRNICADCONF", 0xff0f000d,
     "what_blocks_keep_is_written_by_rule, ticks, test_roce_requester, test_roce_rx_lives any_source_mac"},
    {"MACXADDLSB", 0xffffffff, "test_roce_rx_rules each_bit_of_an_address_counts"},
    {"MACXADDMSB", 0x0000ffff, "test_roce_rx_rules each_bit_of_an_address_counts"},
    {"IPV6XADD", 0xffffffff, "test_roce_rx_rules each_bit_of_an_address_counts"},
    {"IPV4XADD", 0xffffffff, "test_roce_rx_rules each_bit_of_an_address_counts"},
    {"TX", 0xffffffff, "nothing: kept and not used"},
    {"DATBUF", 0xffffffff, "nothing: kept and not used"},
    {"ERRBUFBA", 0xffffffff, "test_roce_rx_ends"},
    {"ERRBUFSZ", 0xffffffff, "test_roce_rx_ends"},
    {"IPKTERRQBA", 0xffffffff, "test_roce_rx_ends"},
    {"IPKTERRQSZ", 0x0000ffff, "test_roce_rx_ends"},
    {"OPKTERRQBA", 0xffffffff, "test_roce_requester_ends"},
    {"OPKTERRQSZ", 0x0000ffff, "test_roce_requester_ends"},
    {"INTEN", 0x000000ff, "interrupts"},
    {"INTSTS", 0, "interrupts"},
    {"RQINTSTS", 0, "interrupts"},
    {"CQINTSTS", 0, "interrupts"},
    {"QPCONF", 0xffff07bd,
     "a_qp_starts_and_stops, test_roce_rx_ends, test_roce_requester messages_are_cut_by_the_path_mtu"},
    {"QPADVCONF", 0xffffff3f, "test_roce_tx, test_roce_rx_rules partitions"},
    {"RQBA", 0xffffff00, "test_roce_rx_ends"},
    {"SQBA", 0xffffffe0, "test_roce_requester_ends"},
    {"CQBA", 0xffffffe0, "test_roce_requester_ends"},
    {"RQWPTRDBADD", 0xffffffff, "test_roce_rx_ends"},
    {"CQDBADD", 0xffffffff, "test_roce_requester_ends"},
    {"RQCI", 0x0000ffff, "doorbells_at_the_ends_of_depths"},
    {"SQPI", 0x0000ffff, "doorbells_at_the_ends_of_depths"},
    {"QDEPTH", 0xffffffff, "doorbells_at_the_ends_of_depths, test_roce_rx_ends, test_roce_requester_ends"},
    {"SQPSN", 0, "test_roce_requester_ends"},
    {"LSTRQREQ", 0, "test_roce_rx_ends"},
    {"DESTQPCONF", 0x00ffffff, "test_roce_tx"},
    {"TIMEOUTCONF", 0x001f3f3f,
     "test_roce_requester_ends, test_roce_requester, test_roce_rx no_free_entry_gives_an_rnr_nak"},
    {"MACDESADDLSB", 0xffffffff, "test_roce_rx_rules each_bit_of_an_address_counts, test_roce_tx"},
    {"MACDESADDMSB", 0x0000ffff, "test_roce_rx_rules each_bit_of_an_address_counts, test_roce_tx"},
    {"IPDESADDR", 0xffffffff, "test_roce_rx_rules each_bit_of_an_address_counts, test_roce_tx"},
    {"STATQP", 0, "test_roce_requester_ends"},
    {"RQLENBA", 0xffffffff, "test_roce_rx_ends"},
    {"RDLIMIT", 0x0000001f, "test_roce_requester at_most_rdlimit_reads_are_outstanding"},
};

static const struct end_row *ends_of(const struct roce_register *r)
{
    const struct end_row *found = NULL;
    for (size_t i = 0; i < COUNT(end_rows); i++)
        if (!strncmp(r->name, end_rows[i].name, strlen(end_rows[i].name)) &&
            !(found && strlen(found->name) > strlen(end_rows[i].name)))
            found = &end_rows[i];
    ck_assert_msg(found != NULL, "%s: no row names the test of its extreme values", r->name);
    return found;
}

static const struct roce_register *at(uint32_t offset)
{
    for (size_t i = 0; i < COUNT(roce_registers); i++)
        if (roce_registers[i].offset == offset) return &roce_registers[i];
    return NULL;
}

static int not_of_qp1(const char *name)
{
    static const char *const names[] = {"SQPSN", "LSTRQREQ", "TIMEOUTCONF", "STATSSN", "STATMSN", "STATRESPSN"};
    for (size_t i = 0; i < COUNT(names); i++)
        if (!strcmp(name, names[i])) return 1;
    return 0;
}

TEST_CASE("roce_registers", .timeout = 60);

/* Each place of the 64 KB takes the bits that the map says, and no others; missing registers read 0 and the access is
 * counted. */
TEST(every_place_is_as_the_map_says, .to = COUNT(kinds))
{
    bench_new(_i);
    unsigned bad = 0;
    for (uint32_t offset = 0; offset < 0x10000; offset += 4) {
        if (offset >= FIRST_QP + QP_BYTES * 3 && offset < FIRST_QP + QP_BYTES * (qps - 2) && offset % 0x710) continue;
        unsigned qp = offset < FIRST_QP ? 0 : (offset - FIRST_QP) / QP_BYTES + 1;
        const struct roce_register *r = at(qp ? FIRST_QP + offset % QP_BYTES : offset);
        int index = r && (r->offset == ROCE_SQPI || r->offset == ROCE_RQCI);
        if (qp > qps || (qp == 1 && r && not_of_qp1(r->name))) r = NULL;
        int kept_elsewhere =
            r && qp && (r->offset == ROCE_SQPSN || r->offset == ROCE_LSTRQREQ || r->offset == ROCE_STATQP);
        int writable = r && strcmp(r->access, "ro") && !index;
        if (offset == ROCE_ACCESSERRCNT || index) continue;
        uint32_t data = (uint32_t)sim_random(s) & (offset == ROCE_XRNICCONF              ? ~1u
                                                   : qp && r && r->offset == ROCE_QPCONF ? ~1u
                                                                                         : ~0u);
        uint32_t was = read32(offset);
        bad += !r;
        write32(offset, data);
        bad += !writable;
        uint32_t want = !writable                   ? was
                        : !strcmp(r->access, "w1c") ? 0
                        : kept_elsewhere            ? data
                                                    : data & ends_of(r)->bits;
        uint32_t is = read32(offset);
        bad += !r;
        ck_must(is == want, "%#x (%s): wrote %#x, reads %#x, expected %#x", offset, r ? r->name : "nothing", data, is,
                want);
        unsigned counted = errors(0);
        ck_must(counted == bad, "%#x (%s): %u errors counted, expected %u", offset, r ? r->name : "nothing", counted,
                bad);
    }
    ck_assert_uint_gt(bad, 100);
}

/* Each field of each writable register at its ends, the others all 0 or all 1: it reads back as far as S5 gives it
 * bits, and readers of rows see the same. */
TEST(every_writable_field_at_its_ends, .to = COUNT(kinds))
{
    bench_new(_i);
    for (size_t n = 0; n < COUNT(roce_registers); n++) {
        const struct roce_register *r = &roce_registers[n];
        if (!strcmp(r->access, "ro")) continue;
        uint32_t bits = ends_of(r)->bits, at = r->offset < FIRST_QP ? r->offset : qp_register(qps, r->offset),
                 word = r->offset / 4;
        if (!bits || r->offset == ROCE_SQPI || r->offset == ROCE_RQCI) continue;
        for (unsigned f = 0, fields = 0; f <= COUNT(roce_fields); f++) {
            unsigned whole = f == COUNT(roce_fields), lsb = whole ? 0 : roce_fields[f].lsb, width = 32;
            if (whole ? fields : roce_fields[f].offset != r->offset) continue;
            if (!whole) width = roce_fields[f].msb - lsb + 1;
            fields++;
            uint32_t largest = width == 32 ? ~0u : (1u << width) - 1, values[] = {0, 1, largest - 1, largest};
            for (unsigned v = 0; v < 8; v++) {
                uint32_t data = (v / 4 ? ~(largest << lsb) : 0) | values[v % 4] << lsb, must = data & bits;
                if (r->offset == ROCE_QPCONF) data &= ~1u, must &= ~1u; /* enabled it does not change */
                write32(at, data);
                uint32_t is = read32(at);
                ck_must(is == must, "%s: wrote %#x, reads %#x, expected %#x", r->name, data, is, must);
                if (r->offset < FIRST_QP) continue;
                *m->tx_cfg_addr = *m->rq_cfg_addr = (uint16_t)((qps - 1) << 4 | (word & 63) / 4);
                *m->rx_cfg_addr = (uint16_t)((qps - 1) << 2 | (word & 63) / 16);
                clock_once();
                is = m->rx_cfg_data[word % 16];
                ck_must(m->tx_cfg_data[word % 4] == must && m->rq_cfg_data[word % 4] == must && is == must,
                        "%s: TX has %#x, RQ %#x, RX %#x", r->name, m->tx_cfg_data[word % 4], m->rq_cfg_data[word % 4],
                        is);
            }
        }
    }
    ck_assert_uint_eq(errors(0), 0);
}

/* Indices are below the depth, whatever that is; with a depth of 0 there is none. */
TEST(doorbells_at_the_ends_of_depths)
{
    static const uint32_t depths[] = {0, 1, 65534, 65535}, registers[] = {ROCE_SQPI, ROCE_RQCI};
    bench_new(0);
    write32(ROCE_XRNICCONF, 0xffu << 8 | 1);
    unsigned wrong = 0;
    for (unsigned d = 0; d < 4; d++) {
        const uint32_t indices[] = {0, 1, depths[d] - 1, depths[d], 65534, 65535};
        write32(qp_register(3, ROCE_QDEPTH), depths[d] << 16 | depths[d]);
        write32(qp_register(3, ROCE_QPCONF), 1);
        run_clocks(s, clk, 200);
        for (unsigned k = 0; k < 12; k++) {
            uint32_t index = indices[k / 2] & 0xffff, was = read32(qp_register(3, registers[k % 2]));
            int good = index < depths[d];
            write32(qp_register(3, registers[k % 2]), index);
            ck_assert_uint_eq(read32(qp_register(3, registers[k % 2])), good ? index : was);
            ck_assert_uint_eq(errors(1), wrong += !good);
        }
        write32(qp_register(3, ROCE_QPCONF), 0);
    }
}

TEST(bytes_are_written_alone)
{
    bench_new(0);
    write32(ROCE_IPV4XADD, 0x11223344);
    write_bytes(ROCE_IPV4XADD, 0xaabbccdd, 5);
    ck_assert_uint_eq(read32(ROCE_IPV4XADD), 0x11bb33dd);
    write32(qp_register(3, ROCE_IPDESADDR2), 0x11223344);
    write_bytes(qp_register(3, ROCE_IPDESADDR2), 0xaabbccdd, 10);
    ck_assert_uint_eq(read32(qp_register(3, ROCE_IPDESADDR2)), 0xaa22cc44);
}

/* A master that is slow to take what it has read (A3.2.1): doorbells and a write of another register go on meanwhile.
 */
TEST(what_is_read_stays_until_it_is_taken)
{
    bench_new(0);
    write32(ROCE_IPV4XADD, 0x11223344);
    write32(ROCE_XRNICCONF, 0xffu << 8 | 1);
    enable(2);
    *m->lite_rready = 0;
    *m->lite_araddr = ROCE_IPV4XADD;
    *m->lite_arvalid = 1;
    until(m->lite_arready);
    *m->lite_arvalid = 0;
    until(m->lite_rvalid);
    *m->sqpi_valid = 1;
    *m->sqpi_addr = (uint16_t)qp_register(2, ROCE_SQPI);
    *m->sqpi_index = 3;
    until(m->sqpi_ready);
    *m->sqpi_valid = 0;
    write32(ROCE_ERRBUFBA, 0x55555500);
    ck_assert_uint_eq(*m->lite_rvalid, 1);
    ck_assert_uint_eq(*m->lite_rdata, 0x11223344);
    *m->lite_rready = 1;
    clock_once();
}

/* The blocks read rows: QP 5, the row of 0x220, is {-, CQDBADD, -, RQWPTRDBADD}. */
TEST(blocks_read_rows, .to = COUNT(kinds))
{
    bench_new(_i);
    for (unsigned qp = 1; qp <= 8; qp++) {
        write32(qp_register(qp, ROCE_RQWPTRDBADD), 0x1000 * qp + 1);
        write32(qp_register(qp, ROCE_CQDBADD), 0x1000 * qp + 2);
        write32(qp_register(qp, ROCE_MACDESADDMSB), 0x100 * qp + 3);
    }
    for (unsigned qp = 1; qp <= 8; qp++) {
        *m->tx_cfg_addr = (uint16_t)((qp - 1) << 4 | 2);
        *m->rx_cfg_addr = (uint16_t)((qp - 1) << 2); /* four rows */
        *m->rq_cfg_addr = (uint16_t)((qp - 1) << 4 | 5);
        clock_once();
        ck_assert_uint_eq(m->rx_cfg_data[8], 0x1000 * qp + 1);
        ck_assert_uint_eq(m->rx_cfg_data[10], 0x1000 * qp + 2);
        ck_assert_uint_eq(m->tx_cfg_data[2], 0x1000 * qp + 2);
        ck_assert_uint_eq(m->rq_cfg_data[1], 0x100 * qp + 3);
    }
}

/* Enabled: both owners have set up the QP, its indices are 0, and registers marked (off) keep their values. */
TEST(a_qp_starts_and_stops)
{
    bench_new(0);
    write32(ROCE_XRNICCONF, 5u << 8 | 1);
    write32(qp_register(4, ROCE_SQPSN), 0xfffff0);
    write32(qp_register(4, ROCE_LSTRQREQ), 0x00123456);
    ck_assert_uint_eq(kept[1][3][(ROCE_SQPSN - FIRST_QP) / 4], 0xfffff0);
    ck_assert_uint_eq(kept[0][3][(ROCE_LSTRQREQ - FIRST_QP) / 4], 0x123456);
    enable_all_the_way(4);
    ck_assert(starts[0][3] == 1 && starts[1][3] == 1);
    ck_assert_uint_eq(enabled(), 1u << 3);
    write32(qp_register(4, ROCE_SQPI), 7);
    write32(qp_register(4, ROCE_RQCI), 6);
    ck_assert_uint_eq(errors(0) + errors(1), 0);
    write32(qp_register(4, ROCE_SQPSN), 1);      /* (off) */
    write32(qp_register(4, ROCE_DESTQPCONF), 1); /* (off) */
    ck_assert_uint_eq(errors(0), 2);
    ck_assert_uint_eq(kept[1][3][(ROCE_SQPSN - FIRST_QP) / 4], 0xfffff0);
    write32(qp_register(4, ROCE_QPCONF), 0x0003042d); /* interrupts and CQEs at any time, size and PMTU not */
    ck_assert_uint_eq(read32(qp_register(4, ROCE_QPCONF)), 0x2d);
    ck_assert_uint_eq(errors(0), 3);
    ck_assert_uint_eq(starts[1][3], 1);
    write32(qp_register(4, ROCE_QPCONF), 0);
    ck_assert_uint_eq(enabled(), 0);
    ck_assert_uint_eq(read32(qp_register(4, ROCE_SQPI)), 7);
    enable_all_the_way(4);
    ck_assert_uint_eq(starts[1][3], 2);
    ck_assert_uint_eq(read32(qp_register(4, ROCE_SQPI)), 0);
    ck_assert_uint_eq(read32(qp_register(4, ROCE_RQCI)), 0);
    enable_all_the_way(6); /* more than XRNICCONF.QPS */
    ck_assert_uint_eq(enabled(), 1u << 3);
    write32(ROCE_XRNICCONF, 6u << 8 | 1);
    ck_assert_uint_eq(enabled(), 1u << 3 | 1u << 5);
    write32(ROCE_XRNICCONF, 6u << 8);
    ck_assert_uint_eq(enabled(), 0);
}

/* With OVERRIDE, CQHEAD and STATRQPIDB of that one QP; STATQP always; whole words only. */
TEST(what_blocks_keep_is_written_by_rule)
{
    static const uint32_t overridden[] = {ROCE_CQHEAD, ROCE_STATRQPIDB},
                          never[] = {ROCE_STATCURSQPTR, ROCE_STATMSN, ROCE_STATSSN};
    unsigned bad = 0;
    bench_new(0);
    enable_all_the_way(3);
    for (unsigned on = 0; on < 3; on++) { /* off, for another QP, for this one */
        write32(ROCE_XRNICADCONF, (on == 2 ? 3u : 4u) << 24 | (on != 0));
        for (unsigned i = 0; i < COUNT(overridden); i++) {
            write32(qp_register(3, overridden[i]), 100 + on);
            ck_assert_uint_eq(read32(qp_register(3, overridden[i])), on == 2 ? 102 : 0);
            bad += on != 2;
        }
        for (unsigned i = 0; i < COUNT(never); i++, bad++) {
            write32(qp_register(3, never[i]), 1);
            ck_assert_uint_eq(read32(qp_register(3, never[i])), 0);
        }
        write32(qp_register(3, ROCE_STATQP), 0x53210000 + on);
        ck_assert_uint_eq(read32(qp_register(3, ROCE_STATQP)), 0x53210000 + on + BUSY);
        ck_assert_uint_eq(errors(0), bad);
    }
    write_bytes(qp_register(3, ROCE_STATQP), 0xffffffff, 4);
    ck_assert_uint_eq(read32(qp_register(3, ROCE_STATQP)), 0x53210002 + BUSY);
    ck_assert_uint_eq(errors(0), bad + 1);
}

/* QP 1 has another peer with each datagram. */
TEST(qp_1_changes_its_peer)
{
    static const uint32_t changes[] = {ROCE_DESTQPCONF, ROCE_MACDESADDLSB, ROCE_MACDESADDMSB, ROCE_IPDESADDR1,
                                       ROCE_IPDESADDR2, ROCE_IPDESADDR3,   ROCE_IPDESADDR4};
    bench_new(0);
    enable(1);
    enable(2);
    for (unsigned i = 0; i < COUNT(changes); i++) {
        write32(qp_register(1, changes[i]), i + 7);
        write32(qp_register(2, changes[i]), i + 7);
        ck_assert_uint_eq(read32(qp_register(1, changes[i])), i + 7);
        ck_assert_uint_eq(read32(qp_register(2, changes[i])), 0);
    }
    ck_assert_uint_eq(errors(0), COUNT(changes));
}

static void pulse(uint8_t *pin)
{
    *pin = 1;
    clock_once();
    *pin = 0;
    clock_once();
}

/* An interrupt stays until its bit is written as 1, and reaches its pin while it is enabled. */
TEST(interrupts)
{
    bench_new(1);
    uint8_t *const pins[8] = {m->irq_invalid, m->irq_mad,     NULL,      m->irq_rnr,
                              m->irq_cq,      m->irq_illegal, m->irq_rq, m->irq_fatal};
    for (unsigned i = 0; i < 8; i++) {
        if (!pins[i]) continue;
        *m->irq_rq_qp = 127;
        *m->irq_cq_qp = 31;
        pulse(pins[i]);
        ck_assert_uint_eq(read32(ROCE_INTSTS), 1u << i);
        ck_assert_uint_eq(*m->interrupts, 0);
        write32(ROCE_INTEN, 1u << i);
        ck_assert_uint_eq(*m->interrupts, 1u << i);
        write32(ROCE_INTSTS, ~(1u << i));
        ck_assert_uint_eq(*m->interrupts, 1u << i);
        write32(ROCE_INTSTS, 1u << i);
        ck_assert_uint_eq(*m->interrupts, 0);
        write32(ROCE_INTEN, 0);
    }
    ck_assert_uint_eq(read32(ROCE_RQINTSTS5), 1); /* QP 128: the first bit of the fifth word */
    ck_assert_uint_eq(read32(ROCE_CQINTSTS2), 1); /* QP 32 */
    write32(ROCE_RQINTSTS5, 1);
    ck_assert_uint_eq(read32(ROCE_RQINTSTS5), 0);
    ck_assert_uint_eq(read32(ROCE_CQINTSTS2), 1);
}

/* Each event counts in its half of its register, and nowhere else. */
TEST(counters)
{
    bench_new(0);
    const struct {
        uint8_t *pin;
        uint32_t offset;
        unsigned shift;
    } counts[] = {
        {m->in_send, ROCE_INSRRPKTCNT, 0},       {m->in_read_response, ROCE_INSRRPKTCNT, 16},
        {m->in_ack, ROCE_INAMPKTCNT, 0},         {m->in_mad, ROCE_INAMPKTCNT, 16},
        {m->out_send, ROCE_OUTIOPKTCNT, 0},      {m->out_read_write, ROCE_OUTIOPKTCNT, 16},
        {m->out_ack, ROCE_OUTAMPKTCNT, 0},       {m->out_mad, ROCE_OUTAMPKTCNT, 16},
        {m->in_invalid, ROCE_ININVDUPCNT, 0},    {m->in_duplicate, ROCE_ININVDUPCNT, 16},
        {m->in_all, ROCE_INALLDRPPKTCNT, 0},     {m->in_dropped, ROCE_INALLDRPPKTCNT, 16},
        {m->in_nak, ROCE_INNAKPKTCNT, 0},        {m->out_nak, ROCE_OUTNAKPKTCNT, 0},
        {m->out_rnr, ROCE_OUTRNRPKTSTS, 16},     {m->retry, ROCE_RETRYCNTSTS, 0},
        {m->wqe_done, ROCE_QPMSTS, 16},          {m->in_marked, ROCE_INMARKEDCNT, 0},
        {m->other_lost, ROCE_OUTOTHERDRPCNT, 0},
    };
    for (size_t i = 0; i < COUNT(counts); i++) {
        uint32_t before[COUNT(counts)];
        for (size_t k = 0; k < COUNT(counts); k++) before[k] = read32(counts[k].offset);
        *m->in_nak_qp = *m->out_rnr_qp = 4;
        for (size_t n = 0; n <= i; n++) pulse(counts[i].pin);
        for (size_t k = 0; k < COUNT(counts); k++) {
            uint32_t want = before[k];
            if (counts[k].offset == counts[i].offset) want += (uint32_t)(i + 1) << counts[i].shift;
            if (counts[k].offset == ROCE_OUTRNRPKTSTS && counts[i].pin == m->out_rnr) want |= 5; /* QP 5 */
            ck_assert_uint_eq(read32(counts[k].offset), want);
        }
    }
    ck_assert_uint_eq(read32(ROCE_INNCKPKTSTS), 13u << 16 | 5);
    *m->in_last_opcode = 0x04;
    *m->in_last_qp = 6;
    *m->in_last_psn = 0xabcd;
    pulse(m->in_last_valid);
    ck_assert_uint_eq(read32(ROCE_LSTINPKT), 0xabcd0704);
}

/* Each bit of the chip's configuration, by itself, at the wire to its blocks; and nowhere else. */
TEST(blocks_get_the_configuration)
{
    bench_new(0);
    for (unsigned bit = 0; bit < 32; bit++) {
        uint32_t value = 1u << bit;
        write32(ROCE_XRNICCONF, value);
        ck_assert_uint_eq(*m->chip_enable, value & 1);
        ck_assert_uint_eq(*m->ack_mode, value >> 3 & 3);
        ck_assert_uint_eq(*m->error_all, value >> 5 & 1);
        ck_assert_uint_eq(*m->qp_limit, value & 1 ? value >> 8 & 255 : 0);
        ck_assert_uint_eq(*m->udp_source, value >> 16);
        write32(ROCE_XRNICADCONF, value);
        ck_assert_uint_eq(*m->retry_for_ever, value >> 2 & 1);
        ck_assert_uint_eq(*m->any_mac, value >> 3 & 1);
    }
    for (unsigned q = 0; q < 256; q = q == 1 ? 254 : q + 1) { /* also above the built QPs: no such QP is ever enabled */
        write32(ROCE_XRNICCONF, q << 8 | 1);
        ck_assert_uint_eq(*m->qp_limit, q);
    }
    write32(ROCE_MACXADDLSB, 0x89abcdef);
    write32(ROCE_MACXADDMSB, 0x4567);
    ck_assert_uint_eq(*m->mac, 0x456789abcdef);
    const struct {
        uint32_t offset;
        const uint32_t *pin;
    } words[] = {{ROCE_IPV4XADD, m->ipv4},           {ROCE_IPV6XADD1, m->ipv6},         {ROCE_IPV6XADD2, m->ipv6 + 1},
                 {ROCE_IPV6XADD3, m->ipv6 + 2},      {ROCE_IPV6XADD4, m->ipv6 + 3},     {ROCE_ERRBUFBA, m->errbuf_base},
                 {ROCE_IPKTERRQBA, m->ipkterr_base}, {ROCE_OPKTERRQBA, m->opkterr_base}};
    for (size_t i = 0; i < COUNT(words); i++) write32(words[i].offset, 0x10203040u * (uint32_t)(i + 1));
    for (size_t i = 0; i < COUNT(words); i++) ck_assert_uint_eq(*words[i].pin, 0x10203040u * (uint32_t)(i + 1));
    write32(ROCE_ERRBUFSZ, 0x00800021);
    write32(ROCE_IPKTERRQSZ, 0x1234);
    write32(ROCE_OPKTERRQSZ, 0x5678);
    ck_assert_uint_eq(*m->errbuf_count, 0x21);
    ck_assert_uint_eq(*m->errbuf_size, 0x80);
    ck_assert_uint_eq(*m->ipkterr_size, 0x1234);
    ck_assert_uint_eq(*m->opkterr_size, 0x5678);
}

/* 2**10 clocks of 200 MHz are about 4.096 us: S5's own example. */
TEST(ticks)
{
    bench_new(0);
    for (unsigned width = 0; width < 16; width++) {
        write32(ROCE_XRNICADCONF, width << 16);
        for (int i = 0; i < 40000 && !*m->tick; i++) clock_once();
        uint64_t last = 0;
        for (unsigned i = 0, seen = 0; seen < 3; i++) {
            ck_assert_uint_lt(i, 200000);
            clock_once();
            if (!*m->tick) continue;
            uint64_t now = sim_clock_cycles(clk);
            if (seen && last) ck_assert_uint_eq(now - last, 1u << width);
            last = now;
            seen++;
        }
    }
}
