/* roce_tx: every frame byte for byte against a second implementation in C (roce_frames.h), and frames that Linux' rxe
 * has sent or taken. */
#include "roce_tx.h"
#include "roce_tx_64.h"
#include "roce_tx_fifo_few.h"
#include "sim/model/ethernet/pcap.h"
#include "tx_bench.h"

#include <string.h>

TEST_CASE("roce_tx", .timeout = 120);

static tx_bench *bench(int wide)
{
    tx_bench *b = wide ? tx_bench_new(&roce_tx_64_config, 64) : tx_bench_new(&roce_tx_config, 8);
    for (unsigned qp = 0; qp < 8; qp++) tx_configure(b, qp, qp % 2);
    return b;
}

static const unsigned opcodes[] = {SEND_FIRST,   SEND_MIDDLE, SEND_LAST,  SEND_ONLY,   WRITE_FIRST,
                                   WRITE_MIDDLE, WRITE_LAST,  WRITE_ONLY, UD_SEND_ONLY};

static void add(tx_bench *b, unsigned qp, unsigned opcode, int64_t address, unsigned length)
{
    tx_command c = tx_random_command(b, qp, opcode, address, length);
    tx_add_command(b, &c);
}

/* [0]: 8 bytes per clock, [1]: 64. IPv4 and IPv6, with and without RETH, with DETH, by turns. */
TEST(every_payload_length, .to = 2)
{
    tx_bench *b = bench(_i);
    unsigned n = 0;
    for (unsigned length = 0; length <= 300; length++)
        for (unsigned qp = 0; qp < 2; qp++, n++) {
            add(b, qp, WRITE_ONLY, 1000 + 7 * n % 4096, length);
            add(b, qp, opcodes[n % COUNT(opcodes)], 2000 + 5 * n % 4096, length);
        }
    for (unsigned length = 4093; length <= 4096; length++)
        for (int o = 0; o < COUNT(opcodes); o++)
            add(b, (unsigned)o % 2, opcodes[o], 1 + 3 * (int64_t)length % 64, length);
    tx_run(b);
}

TEST(every_address_offset, .to = 2)
{
    tx_bench *b = bench(_i);
    for (unsigned offset = 0; offset < b->bytes; offset++)
        for (unsigned length = 1; length < 2 * b->bytes + 9; length += b->bytes / 8)
            add(b, offset % 4, opcodes[length % COUNT(opcodes)], 4096 - 64 + offset, length);
    tx_run(b);
}

TEST(payload_that_comes_with_the_command, .to = 2)
{
    tx_bench *b = bench(_i);
    for (unsigned length = 1; length <= 16; length++)
        for (unsigned qp = 0; qp < 2; qp++) {
            add(b, qp, SEND_ONLY, -1, length);
            add(b, qp, UD_SEND_ONLY, -1, length);
            add(b, qp, READ_REQUEST, 0, 0);
        }
    tx_run(b);
}

/* Sums of the header's halfwords from 1FFFC on: those in which a carry is added that makes another one, and their
 * neighbours. */
TEST(the_checksum_of_ipv4_has_all_its_carries)
{
    tx_bench *b = bench(0);
    for (unsigned sum = 0x1fffc; sum < 0x20004; sum++) {
        static uint8_t frame[FRAME_LONGEST];
        b->row[0][IPDESADDR] &= 0xffff0000;
        tx_command c = tx_random_command(b, 0, WRITE_MIDDLE, 0, 40);
        packet p = tx_packet_of_command(b, &c);
        packet_frame(&p, frame);
        unsigned others = 0;
        for (unsigned i = 14; i < 34; i += 2)
            if (i != 24) others += frame[i] * 256u + frame[i + 1];
        b->row[0][IPDESADDR] |= (sum - others) & 0xffff;
        tx_add_command(b, &c);
        tx_run(b);
    }
}

TEST(acks_of_every_kind, .to = 2)
{
    tx_bench *b = bench(_i);
    for (unsigned syndrome = 0; syndrome < 128; syndrome++)
        if ((syndrome >> 5 & 3) != 2)
            tx_add_ack(b, syndrome % 8, (unsigned)sim_random(b->s), syndrome, (unsigned)sim_random(b->s));
    tx_run(b);
}

/* _i: 8 and 64 bytes per clock, each with nothing, memory, the MAC, or all slow. */
TEST(all_kinds_at_once_with_stalls, .to = 8)
{
    tx_bench *b = bench(_i / 4);
    unsigned slow = (unsigned)_i % 4;
    b->idle = slow == 3 ? 60 : 0;
    b->stall = slow >= 2 ? 50 : 0;
    b->memory_params.latency = slow ? 90 : 1;
    b->memory_params.spread = slow ? 150 : 0;
    if (slow & 1) b->memory_params.stall[AXI_AR] = b->memory_params.stall[AXI_R] = 50;
    for (unsigned n = 0; n < 400; n++) {
        unsigned length = (unsigned)sim_random_below(b->s, n % 8 ? 300 : 4097);
        int inlined = sim_random_below(b->s, 8) == 0;
        unsigned opcode = opcodes[sim_random_below(b->s, COUNT(opcodes))];
        if (inlined && opcode == SEND_ONLY) add(b, n % 8, SEND_ONLY, -1, 1 + length % 16);
        else if (inlined) add(b, n % 8, READ_REQUEST, 0, 0);
        else add(b, n % 8, opcode, (int64_t)sim_random_below(b->s, TX_MEMORY - 4096), length);
        if (n % 2) tx_add_ack(b, n % 8, n, n % 4 ? ACK_GOOD : RNR_NAK | 12, n);
    }
    tx_add_others(b, 80);
    tx_run(b);
}

TEST(a_frame_whose_payload_failed_does_not_leave, .to = 2)
{
    tx_bench *b = bench(_i);
    ck_assert_int_eq(axi_memory_add_range(b->memory, 0x4000, 64, AXI_SLVERR), 0);
    ck_assert_int_eq(axi_memory_add_range(b->memory, 0x6000, 64, AXI_DECERR), 0);
    for (unsigned n = 0; n < 200; n++) {
        uint32_t address = 0x3000 + (uint32_t)sim_random_below(b->s, 0x4000);
        tx_command c = tx_random_command(b, n % 8, WRITE_MIDDLE, address, 1 + (unsigned)sim_random_below(b->s, 1500));
        uint32_t from = address & ~(b->bytes - 1), to = address + c.length;
        c.error = (from < 0x4040 && to > 0x4000) || (from < 0x6040 && to > 0x6000);
        tx_add_command(b, &c);
    }
    tx_run(b);
    ck_assert_uint_gt(b->commands - b->frames[0], 20);
}

TEST(nothing_leaves_for_a_disabled_qp, .to = 2)
{
    tx_bench *b = bench(_i);
    b->row[3][QPCONF] &= ~(uint32_t)QP_ENABLE;
    for (unsigned n = 0; n < 64; n++) {
        add(b, n % 4, WRITE_FIRST, 0x1000 + n, n);
        tx_add_ack(b, (n + 1) % 4, n, ACK_GOOD, n);
    }
    tx_run(b);
    ck_assert_uint_eq(b->frames[0], 48);
    ck_assert_uint_eq(b->frames[1], 48);
}

/* An ACK that comes while many data frames wait goes behind the one that is under way. */
TEST(an_ack_passes_data, .to = 2)
{
    tx_bench *b = bench(_i);
    for (unsigned n = 0; n < 20; n++) add(b, 1, WRITE_MIDDLE, 0, 4096);
    b->stall = 60;
    run_clocks(b->s, b->clk, _i ? 500 : 3000);
    unsigned before = b->frames[0];
    ck_assert_uint_lt(b->frames[0], 16);
    tx_add_ack(b, 2, 5, ACK_GOOD, 5);
    while (!b->frames[1]) run_clocks(b->s, b->clk, 1);
    ck_assert_uint_le(b->frames[0] - before, 1);
    b->stall = 0;
    tx_run(b);
}

/* Those that come later, fewer, find the others in front of the MAC, and none of them waits for more than one. */
TEST(data_and_other_frames_take_turns, .to = 4)
{
    tx_bench *b = bench(_i / 2);
    unsigned many = _i % 2 ? 2 : 0, few = 2 - many;
    b->stall = 50;
    for (unsigned n = 0; n < (many ? 20 : 120); n++) {
        if (many && n == 0) tx_add_others(b, 150);
        while (many && !b->frames[2]) run_clocks(b->s, b->clk, 1);
        add(b, 1, WRITE_MIDDLE, 0, 500);
        if (!many && n == 119) {
            while (!b->frames[0]) run_clocks(b->s, b->clk, 1);
            tx_add_others(b, 20);
        }
    }
    tx_run(b);
    ck_assert_uint_eq(b->in_a_row[few], 1);
}

/* Clocks of the chip per packet are those of the line, at a latency of 200 clocks. */
static const struct {
    int wide;
    unsigned opcode, length, offset;
} rates[] = {
    {0, WRITE_MIDDLE, 256, 0},   {0, WRITE_MIDDLE, 256, 3},  {0, WRITE_ONLY, 256, 5},    {0, WRITE_MIDDLE, 1024, 1},
    {0, WRITE_MIDDLE, 4096, 7},  {1, WRITE_MIDDLE, 1024, 0}, {1, WRITE_MIDDLE, 1024, 9}, {1, WRITE_FIRST, 1024, 1},
    {1, WRITE_MIDDLE, 4096, 63}, {1, WRITE_MIDDLE, 256, 0},
};

static double line_clocks(const tx_bench *b) { return 2 * (b->last.length + 24.0) / tx_line(b); }

TEST(data_fill_the_line, .to = COUNT(rates))
{
    enum { PACKETS = 300 };
    tx_bench *b = bench(rates[_i].wide);
    b->memory_params.latency = 200;
    b->line = 1;
    for (unsigned n = 0; n < PACKETS; n++)
        add(b, 2, rates[_i].opcode, rates[_i].offset + 4096 * (n % 8), rates[_i].length);
    tx_run(b);
    double clocks = (double)(b->last_word - b->first_word + 1) / PACKETS;
    ck_assert_msg(line_clocks(b) / clocks >= 0.99, "%.2f clocks per packet, the line would take %.2f", clocks,
                  line_clocks(b));
}

TEST(clocks_from_a_command_and_from_an_ack, .to = 4)
{
    tx_bench *b = bench(_i / 2);
    unsigned v6 = (unsigned)_i % 2;
    add(b, v6, WRITE_ONLY, 64, 64);
    tx_run(b);
    ck_assert_uint_eq(b->first_word - b->first_command, b->bytes == 64 ? 19 : 31 + 2 * v6);
    b->first_word = 0;
    tx_add_ack(b, v6, 1, ACK_GOOD, 1);
    tx_run(b);
    ck_assert_uint_eq(b->first_word - b->first_ack, (b->bytes == 8 ? 12 : 16) + 2 * v6);
}

/* Commands, ACKs and other frames restart; packets that the checker awaits never come. */
static void forget(tx_bench *b)
{
    b->commands = b->taken = b->reported = b->reported_left = b->acks = b->acks_taken = b->others = b->others_taken = 0;
    b->compared = b->acks_compared = b->in.length = b->other_at = 0;
    memset(b->frames, 0, sizeof b->frames);
    memset(b->count, 0, sizeof b->count);
    sim_port_set(&b->p->cmd_valid, 0);
    sim_port_set(&b->p->ack_valid, 0);
    sim_port_set(&b->p->tx_other_tvalid, 0);
}

/* The chip is turned off in full traffic: only the frame goes on that the MAC has seen, all commands are reported,
 * other frames pass; and nothing of that time comes when the chip is on again, at once or after a while. */
TEST(a_chip_that_is_turned_off_sends_nothing, .to = 16)
{
    tx_bench *b = bench(_i % 2);
    b->memory_params.latency = 30;
    b->stall = _i & 4 ? 70 : 20;
    for (unsigned n = 0; n < 120; n++) {
        add(b, n % 8, n % 3 ? WRITE_FIRST : READ_REQUEST, n, n % 3 ? 40 + 4 * n : 0);
        tx_add_ack(b, n % 8, n, ACK_GOOD, n);
    }
    tx_add_others(b, 3);
    run_clocks(b->s, b->clk, 300 + 53 * (unsigned)_i);
    unsigned before = b->frames[0] + b->frames[1], others = b->frames[2];
    int seen = b->in.length || sim_port_get(&b->p->tx_tvalid);
    ck_assert_uint_lt(before, 200);
    sim_port_set(&b->p->chip_enable, 0);
    unsigned may = (unsigned)seen + 1; /* one may show in the very clock */
    if (_i & 8) {
        b->idle = 100; /* on again before all is gone. Nothing new but what shows already, which may be taken then */
        may += (unsigned)(sim_port_get(&b->p->cmd_valid) + sim_port_get(&b->p->ack_valid));
        b->tolerant = 1;
        run_clocks(b->s, b->clk, 1 + (unsigned)_i);
        sim_port_set(&b->p->chip_enable, 1);
    }
    run_clocks(b->s, b->clk, 5000);
    ck_assert_uint_le(b->frames[0] + b->frames[1] - before, may);
    if (!(_i & 8)) ck_assert_uint_eq(b->frames[2], 3);
    ck_assert_uint_ge(b->frames[2], others);
    ck_assert_uint_eq(b->reported, b->taken);
    ck_assert_uint_eq(b->in.length, 0);
    forget(b);
    b->idle = b->stall = 0;
    b->tolerant = 0;
    sim_port_set(&b->p->chip_enable, 1);
    for (unsigned n = 0; n < 30; n++) add(b, n % 8, WRITE_MIDDLE, n, 300);
    tx_add_ack(b, 1, 2, NAK_SEQUENCE, 3);
    tx_run(b);
}

/* A frame at tx_other_* that is longer than its FIFO (8 KB, with 64 bytes per clock 16 KB) is counted, and nothing of
 * it leaves. */
TEST(another_frame_that_is_too_long_is_counted, .to = 2)
{
    tx_bench *b = bench(_i);
    unsigned lost = 0, words = (b->bytes == 8 ? 8192 : 16384) / b->bytes + 5;
    b->idle = 100;
    sim_port_set(&b->p->tx_other_tkeep, ~0ull >> (64 - b->bytes));
    for (unsigned i = 0; i < words;) {
        sim_port_set(&b->p->tx_other_tvalid, 1);
        sim_port_set(&b->p->tx_other_tlast, i + 1 == words);
        i += (unsigned)sim_port_get(&b->p->tx_other_tready);
        run_clocks(b->s, b->clk, 1);
        lost += (unsigned)sim_port_get(&b->p->other_lost);
    }
    sim_port_set(&b->p->tx_other_tvalid, 0);
    run_clocks(b->s, b->clk, 100);
    ck_assert_uint_eq(lost, 1);
    ck_assert_uint_eq(b->frames[2], 0);
    forget(b);
    b->idle = 0;
    tx_add_others(b, 5);
    tx_run(b);
}

TEST(a_reset_forgets_all, .to = 2)
{
    tx_bench *b = bench(_i);
    b->memory_params.latency = 30;
    for (unsigned n = 0; n < 30; n++) add(b, n % 8, WRITE_FIRST, n, 500);
    for (unsigned n = 0; n < 30; n++) tx_add_ack(b, n % 8, n, ACK_GOOD, n);
    tx_add_others(b, 10);
    run_clocks(b->s, b->clk, 150 + 37 * (unsigned)_i);
    /* nothing new; then the memory has answered all requests under way */
    b->idle = 100;
    sim_port_set(&b->p->rst, 1);
    run_clocks(b->s, b->clk, 200);
    forget(b);
    sim_port_set(&b->p->rst, 0);
    b->idle = 0;
    for (unsigned n = 0; n < 30; n++) add(b, n % 8, WRITE_MIDDLE, n, 300);
    tx_add_ack(b, 1, 2, NAK_SEQUENCE, 3);
    tx_add_others(b, 3);
    tx_run(b);
}

/* ---- frames that rxe has sent, or that it has taken from the target of the trial (tb/unit/roce/README.md) ---- */

/* The packet's fields as configuration, command or ACK, and out comes the frame. 0: not one of those that the chip
 * sends. */
static int rebuild(tx_bench *b, const packet *p)
{
    uint32_t *row = b->row[5];
    if (p->opcode > READ_REQUEST && p->opcode != ACKNOWLEDGE && p->opcode != UD_SEND_ONLY) return 0;
    memcpy(b->mac, p->from_mac, 6);
    memcpy(p->v6 ? b->ipv6 : b->ipv4, p->from_ip, p->v6 ? 16 : 4);
    b->udp_source = p->from_port;
    row[QPCONF] = QP_ENABLE | (p->v6 ? QP_IPV6 : 0);
    row[QPADVCONF] = p->key << 16 | p->ttl << 8 | p->tos >> 2;
    row[DESTQPCONF] = p->qp;
    packet_peer(row, p->v6, p->to_mac, p->to_ip);
    if (p->opcode == ACKNOWLEDGE) tx_add_ack(b, 5, p->psn, p->syndrome, p->msn);
    else {
        tx_command c = {.qp = 5,
                        .opcode = p->opcode,
                        .psn = p->psn,
                        .ackreq = p->ack_request,
                        .address = 0x2003,
                        .va = p->va,
                        .rkey = p->r_key,
                        .dma_length = p->dma_length,
                        .length = p->length};
        memory_write(axi_memory_bytes(b->memory), c.address, p->payload, c.length);
        tx_add_command(b, &c);
    }
    return 1;
}

/* opcodes: those that are there, one a bit, of the lowest five; the least frames that the chip builds as they are, and
 * of rxe; corrupted: one went with a bit of its ICRC wrong, on purpose, the fault that this comparison must see. */
static const struct recorded {
    const char *file;
    unsigned opcodes, as_is, of_rxe, corrupted;
} recorded[] = {{"tb/unit/rnic/sends_writes_reads.pcap", 0x211d7, 10, 8, 1}, /* SEND and WRITE first, middle, last, SEND
                                                                                only, READ, ACK */
                {"tb/unit/roce/rxe_connects.pcap", 0x21010, 3, 3, 0},        /* UD SEND only, SEND only, READ, ACK */
                {"tb/unit/roce/rxe-ipv4.pcap", 0x215d7, 15, 20, 0},          /* ... and WRITE only */
                {"tb/unit/roce/rxe-ipv6.pcap", 0x215d7, 15, 20, 0},
                {"tb/unit/roce/rxe-rnr.pcap", 0x21415, 5, 5, 0},
                {"tb/unit/roce/rxe-nak-sequence.pcap", 0x215c5, 5, 5, 0},
                {"tb/unit/roce/rxe-nak-access.pcap", 0x201c0, 3, 1, 0}};

/* The chip's frame must be the one of roce_frames.h; and that one, with the two fields that rxe fills otherwise and
 * with the same right (a number in each IPv4 header, MigReq 0), must be what was recorded, so rxe has the last word on
 * both. */
TEST(frames_of_rxe_are_built_again, .to = 2 * sizeof recorded / sizeof *recorded)
{
    const struct recorded *x = &recorded[_i / 2];
    static uint8_t frame[FRAME_LONGEST];
    char error[ETHERNET_ERROR];
    pcap_reader *r = pcap_reader_new(x->file, error);
    ck_assert_msg(r != NULL, "%s", error);
    tx_bench *b = bench(_i % 2);
    pcap_frame f;
    unsigned as_is = 0, of_rxe = 0, corrupted = 0;
    uint32_t seen = 0;
    while (pcap_read(r, &f, error) == 1) {
        packet was, p;
        if (!packet_read(&was, f.bytes, f.length) || !rebuild(b, &was)) continue;
        tx_run(b);
        p = was.opcode == ACKNOWLEDGE ? tx_packet_of_ack(b, &b->ack[b->acks - 1])
                                      : tx_packet_of_command(b, &b->command[b->commands - 1]);
        p.id = was.id;
        p.migrates = was.migrates;
        ck_assert_uint_eq(packet_frame(&p, frame), f.length);
        if (memcmp(frame, f.bytes, f.length)) {
            frame[f.length - 4] ^= 1;
            corrupted++;
        } else if (p.migrates) as_is += !memcmp(b->last.bytes, f.bytes, f.length);
        else of_rxe++;
        ck_assert_int_eq(memcmp(frame, f.bytes, f.length), 0);
        seen |= 1u << (was.opcode & 31);
    }
    pcap_reader_free(r);
    ck_assert_uint_eq(corrupted, x->corrupted);
    ck_assert_uint_ge(as_is, x->as_is);
    ck_assert_uint_ge(of_rxe, x->of_rxe);
    ck_assert_uint_eq(seen, x->opcodes);
}

/* ---- the FIFO of whole frames ---- */

/* Frames of 1 to 20 words into 16 words; every third is dropped by its writer. A frame that does not fit, or is
 * dropped, leaves no trace. The reader is not ready in none, 45 % and 90 % of the clocks. */
TEST(a_fifo_of_whole_frames_forgets_what_is_dropped_or_too_long, .to = 3)
{
    unsigned slow = 45 * (unsigned)_i;
    enum { FRAMES = 600, WORDS = 16 };
    sim *s = quiet_sim(0);
    sim_clock *clk = make_clock(s, "clk", 10000, 5000);
    roce_tx_fifo_few *m = MODEL_AS(roce_tx_fifo_few, make_clocked(s, clk, &roce_tx_fifo_few_config, "fifo"), NULL);
    *m->rst = 1;
    run_clocks(s, clk, 2);
    *m->rst = 0;
    unsigned length[FRAMES], frame = 0, word = 0, expected = 0, at = 0, lost = 0, to_lose = 0;
    for (unsigned n = 0; n < FRAMES; n++) {
        length[n] = 1 + (unsigned)sim_random_below(s, 20);
        to_lose += length[n] > WORDS;
    }
    for (unsigned n = 0; n < 40000; n++) {
        while (expected < FRAMES && at == 0 && (length[expected] > WORDS || expected % 3 == 2)) expected++;
        *m->wr_valid = frame < FRAMES && sim_random_below(s, 10) > 0;
        *m->wr_data = frame * 256 + word;
        *m->wr_last = frame < FRAMES && word == length[frame] - 1;
        *m->wr_drop = frame % 3 == 2;
        *m->wr_bytes = frame % 8;
        *m->out_ready = !sim_chance(s, slow);
        sim_model_eval(m->model);
        ck_must(!at || *m->out_valid, "a gap in frame %u", expected);
        if (*m->out_valid && *m->out_ready) {
            ck_must(expected < FRAMES && *m->out_data == expected * 256 + at, "frame %u, word %u: %llx", expected, at,
                    (unsigned long long)*m->out_data);
            at++;
            ck_must(*m->out_last == (at == length[expected]), "frame %u ends at word %u", expected, at);
            if (*m->out_last) ck_must(*m->out_bytes == expected % 8, "bytes of frame %u", expected);
            if (*m->out_last) at = 0, expected++;
        }
        if (*m->wr_valid && *m->wr_ready && ++word == length[frame]) word = 0, frame++;
        run_clocks(s, clk, 1);
        lost += *m->too_long;
    }
    ck_assert_uint_eq(frame, FRAMES);
    ck_assert_uint_eq(expected, FRAMES);
    ck_assert_uint_eq(lost, to_lose);
    ck_assert_uint_eq(*m->room, WORDS);
}

/* ---- the checkers ---- */

TEST(a_wrong_bit_is_noticed, .to = 3)
{
    tx_bench *b = bench(0);
    b->tolerant = 1;
    b->memory_params.latency = 100;
    for (unsigned n = 0; n < 3; n++) add(b, n, WRITE_FIRST, 0, 100);
    tx_add_ack(b, 1, 1, ACK_GOOD, 1);
    run_clocks(b->s, b->clk, 10);
    if (_i == 0) b->command[1].ackreq ^= 1; /* the block has taken it as it was */
    if (_i == 1) b->ack[0].syndrome ^= 4;
    if (_i == 2) b->command[2].dma_length ^= 0x80;
    tx_run(b);
    ck_assert_uint_eq(b->wrong, 1);
}

TEST(a_missing_frame_is_noticed, .exit = 1)
{
    tx_bench *b = bench(0);
    add(b, 1, WRITE_FIRST, 0, 100);
    b->stall = 100;
    tx_run(b);
}
