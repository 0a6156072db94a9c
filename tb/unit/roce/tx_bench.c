/* See tx_bench.h. */
#include "tx_bench.h"

#include "memory_bench.h"
#include "sim/model/axi/axi_stream_monitor.h"

#include <stdlib.h>
#include <string.h>

CLEANUP(axi_stream_monitor_free);

/* ---- expected output ---- */

/* Common part of commands and ACKs. */
static packet packet_to(const tx_bench *b, unsigned qp, unsigned opcode, unsigned psn)
{
    const uint32_t *row = b->row[qp];
    packet p = packet_of(opcode, row[DESTQPCONF] & 0xffffff, psn);
    p.v6 = row[QPCONF] >> 7 & 1;
    for (unsigned i = 0; i < 6; i++)
        p.to_mac[i] = (uint8_t)(((uint64_t)row[MACDESADDMSB] << 32 | row[MACDESADDLSB]) >> 8 * (5 - i));
    for (unsigned i = 0; i < 16; i++)
        p.to_ip[i] = (uint8_t)(row[IPDESADDR + (p.v6 ? 3 - i / 4 : 0)] >> 8 * (3 - i % 4));
    memcpy(p.from_mac, b->mac, 6);
    memcpy(p.from_ip, p.v6 ? b->ipv6 : b->ipv4, p.v6 ? 16 : 4);
    p.tos = (row[QPADVCONF] & 0x3f) << 2;
    p.ttl = row[QPADVCONF] >> 8 & 0xff;
    p.key = row[QPADVCONF] >> 16;
    p.from_port = b->udp_source;
    p.id = p.flow = p.udp_sum = p.reserved = 0;
    return p;
}

packet tx_packet_of_command(const tx_bench *b, const tx_command *c)
{
    static uint8_t payload[4096];
    packet p = packet_to(b, c->qp, c->opcode, c->psn);
    p.ack_request = c->ackreq;
    p.reth = opcode_has_reth(c->opcode);
    p.va = c->va;
    p.r_key = c->rkey;
    p.dma_length = c->dma_length;
    p.length = c->length;
    p.payload = c->inlined ? c->data : payload;
    if (!c->inlined) memory_read(axi_memory_bytes(b->memory), c->address, payload, c->length);
    return p;
}

packet tx_packet_of_ack(const tx_bench *b, const tx_ack *a)
{
    packet p = packet_to(b, a->qp, ACKNOWLEDGE, a->psn);
    p.syndrome = a->syndrome;
    p.msn = a->msn;
    return p;
}

/* Frames of other kinds: number n has 60 + n bytes, the type of local experiments (IEEE 802.3), and its number in every
 * byte. */
static void other_frame(unsigned n, tx_frame *frame)
{
    frame->length = 60 + n % 1455;
    for (unsigned i = 0; i < frame->length; i++) frame->bytes[i] = (uint8_t)(n + i);
    frame->bytes[12] = 0x88;
    frame->bytes[13] = 0xb5;
}

/* ---- outputs ---- */

static void compare(tx_bench *b)
{
    static tx_frame expected;
    packet p;
    const uint8_t *in = b->in.bytes;
    unsigned kind = in[12] == 0x88 ? 2 : in[in[12] == 8 ? 42 : 62] == ACKNOWLEDGE;
    if (kind == 0) {
        while (b->compared < b->taken && (b->command[b->compared].off || b->command[b->compared].error)) b->compared++;
        ck_must(b->compared < b->taken, "a data frame, and no command is left");
        p = tx_packet_of_command(b, &b->command[b->compared++]);
        expected.length = packet_frame(&p, expected.bytes);
        b->data_words += (b->in.length + b->bytes - 1) / b->bytes;
    } else if (kind == 1) {
        while (b->acks_compared < b->acks_taken && b->ack[b->acks_compared].off) b->acks_compared++;
        ck_must(b->acks_compared < b->acks_taken, "an ACK frame, and no ACK is left");
        p = tx_packet_of_ack(b, &b->ack[b->acks_compared++]);
        expected.length = packet_frame(&p, expected.bytes);
    } else other_frame(b->frames[2], &expected);
    unsigned at = 0;
    while (at < expected.length && at < b->in.length && in[at] == expected.bytes[at]) at++;
    if (b->in.length != expected.length || at < expected.length) {
        ck_must(b->tolerant,
                "seed %llu, clock %llu: %s frame %u: %u bytes instead of %u, byte %u is %02x instead of %02x",
                (unsigned long long)sim_seed(b->s), (unsigned long long)b->clock,
                kind == 0   ? "data"
                : kind == 1 ? "ACK"
                            : "other",
                b->frames[kind], b->in.length, expected.length, at, in[at], expected.bytes[at]);
        b->wrong++;
    }
    b->frames[kind]++;
    b->row_length = kind == b->kind ? b->row_length + 1 : 1;
    b->kind = kind;
    if (b->row_length > b->in_a_row[kind]) b->in_a_row[kind] = b->row_length;
    b->last = b->in;
    b->in.length = 0;
}

int tx_line(const tx_bench *b) { return b->bytes == 64 ? 125 : 16; }

static void sample_mac(tx_bench *b)
{
    if (!sim_port_get(&b->p->tx_tvalid) || !sim_port_get(&b->p->tx_tready)) return;
    if (!b->first_word) b->first_word = b->clock;
    b->last_word = b->clock;
    b->words++;
    uint64_t keep = sim_port_get(&b->p->tx_tkeep);
    unsigned count = 0;
    while (count < b->bytes && keep >> count & 1) count++;
    ck_must(count == 64 || keep >> count == 0, "tkeep %llx has a hole", (unsigned long long)keep);
    ck_must(b->in.length + count <= FRAME_LONGEST, "a frame of more than %d bytes", FRAME_LONGEST);
    memcpy(b->in.bytes + b->in.length, b->p->tx_tdata.at, count); /* byte 0 is the lowest */
    b->in.length += count;
    if (!sim_port_get(&b->p->tx_tlast)) return;
    /* how much longer the line is at this frame than its words were */
    b->debt += 2 * ((int)b->in.length + 24) - (int)((b->in.length + b->bytes - 1) / b->bytes) * tx_line(b);
    compare(b);
}

static void sample(void *self)
{
    tx_bench *b = self;
    const roce_tx_ports *p = b->p;
    b->clock++;
    b->asked = (unsigned)sim_port_get(&p->cfg_addr);
    b->command_gone = sim_port_get(&p->cmd_valid) && sim_port_get(&p->cmd_ready);
    b->ack_gone = sim_port_get(&p->ack_valid) && sim_port_get(&p->ack_ready);
    b->other_gone = sim_port_get(&p->tx_other_tvalid) && sim_port_get(&p->tx_other_tready);
    if (b->command_gone && !b->first_command) b->first_command = b->clock;
    if (b->ack_gone && !b->first_ack) b->first_ack = b->clock;
    b->taken += (unsigned)b->command_gone;
    b->acks_taken += (unsigned)b->ack_gone;
    const sim_port *pulse[] = {&p->out_send, &p->out_read_write, &p->out_ack, &p->out_mad, &p->out_nak, &p->out_rnr};
    for (int i = 0; i < COUNT(pulse); i++) b->count[i] += (unsigned)sim_port_get(pulse[i]);
    if (sim_port_get(&p->sent_valid)) {
        ck_must(b->reported < b->taken, "a report, and no command is left");
        const tx_command *c = &b->command[b->reported++];
        if (!c->off && !c->error && sim_port_get(&p->chip_enable))
            ck_must(++b->reported_left <= b->frames[0] || b->tolerant, "report %u comes before its frame has left",
                    b->reported - 1);
        ck_must((int)sim_port_get(&p->sent_error) == (c->error && !c->off), "report %u: sent_error", b->reported - 1);
    }
    sample_mac(b);
}

/* ---- inputs ---- */

static int shows(tx_bench *b, const sim_port *valid, int gone, unsigned taken, unsigned count)
{
    if (gone) sim_port_set(valid, 0);
    if (sim_port_get(valid) || taken == count || sim_chance(b->s, b->idle)) return 0;
    sim_port_set(valid, 1);
    return 1;
}

static void drive_other(tx_bench *b)
{
    static tx_frame frame;
    if (b->other_gone) {
        sim_port_set(&b->p->tx_other_tvalid, 0);
        b->other_at += b->bytes;
        other_frame(b->others_taken, &frame);
        if (b->other_at >= frame.length) b->other_at = 0, b->others_taken++;
    }
    if (sim_port_get(&b->p->tx_other_tvalid) || b->others_taken == b->others || sim_chance(b->s, b->idle)) return;
    other_frame(b->others_taken, &frame);
    unsigned left = frame.length - b->other_at;
    sim_port_set(&b->p->tx_other_tvalid, 1);
    sim_port_set(&b->p->tx_other_tlast, left <= b->bytes);
    sim_port_set(&b->p->tx_other_tkeep,
                 left < 64 ? ((1ull << left) - 1) & (~0ull >> (64 - b->bytes)) : ~0ull >> (64 - b->bytes));
    memcpy(b->p->tx_other_tdata.at, frame.bytes + b->other_at, b->bytes);
}

static void drive_addresses(tx_bench *b)
{
    uint8_t turned[16];
    uint64_t mac = 0, ipv4 = 0;
    for (int i = 0; i < 16; i++) turned[i] = b->ipv6[15 - i];
    for (int i = 0; i < 6; i++) mac = mac << 8 | b->mac[i];
    for (int i = 0; i < 4; i++) ipv4 = ipv4 << 8 | b->ipv4[i];
    memcpy(b->p->ipv6.at, turned, 16);
    sim_port_set(&b->p->udp_source, b->udp_source);
    sim_port_set(&b->p->mac, mac);
    sim_port_set(&b->p->ipv4, ipv4);
}

static void drive(void *self)
{
    tx_bench *b = self;
    const roce_tx_ports *p = b->p;
    drive_addresses(b);
    memcpy(p->cfg_data.at, &b->row[b->asked >> 4][4 * (b->asked & 15)], 16);
    if (shows(b, &p->cmd_valid, b->command_gone, b->taken, b->commands)) {
        const tx_command *c = &b->command[b->taken];
        sim_port_set(&p->cmd_qp, c->qp);
        sim_port_set(&p->cmd_opcode, c->opcode);
        sim_port_set(&p->cmd_psn, c->psn);
        sim_port_set(&p->cmd_ackreq, c->ackreq);
        sim_port_set(&p->cmd_va, c->va);
        sim_port_set(&p->cmd_rkey, c->rkey);
        sim_port_set(&p->cmd_dma_length, c->dma_length);
        sim_port_set(&p->cmd_inline, (uint64_t)c->inlined);
        memcpy(p->cmd_data.at, c->data, 16);
        sim_port_set(&p->cmd_addr, c->address);
        sim_port_set(&p->cmd_length, c->length);
    }
    if (shows(b, &p->ack_valid, b->ack_gone, b->acks_taken, b->acks)) {
        const tx_ack *a = &b->ack[b->acks_taken];
        sim_port_set(&p->ack_qp, a->qp);
        sim_port_set(&p->ack_psn, a->psn);
        sim_port_set(&p->ack_syndrome, a->syndrome);
        sim_port_set(&p->ack_msn, a->msn);
    }
    drive_other(b);
    int wait = b->line && b->debt >= tx_line(b) && b->in.length == 0;
    if (wait) b->debt -= tx_line(b);
    sim_port_set(&p->tx_tready, !wait && !sim_chance(b->s, b->stall));
}

/* ---- the bench ---- */

tx_bench *tx_bench_new(const sim_config *config, unsigned bytes)
{
    tx_bench *b = test_memory(sizeof *b);
    b->bytes = bytes;
    b->command = test_memory(TX_MOST * sizeof *b->command);
    b->ack = test_memory(TX_MOST * sizeof *b->ack);
    b->s = loud_sim(0);
    b->clk = make_clock(b->s, "clk", 10 * SIM_NS, 5 * SIM_NS);
    b->m = make_clocked(b->s, b->clk, config, "dut");
    b->p = PORTS_AS(roce_tx, b->m);

    axi_stream_pins stream;
    ck_assert_int_eq(axi_stream_pins_of(b->m, "tx_", &stream), 0);
    b->memory_params = axi_memory_defaults();
    b->memory_params.latency = 1;
    b->memory_params.outstanding = 64;
    b->memory = memory_bench_new(b->s, b->clk, &b->memory_params);
    memory_bench_rules(memory_bench_port(b->memory, b->clk, b->m, "top_"));
    axi_stream_params no_gaps = {.no_gaps = 1, .most_bytes = FRAME_LONGEST};
    after_test(axi_stream_monitor_free_cleanup, axi_stream_monitor_new(b->s, b->clk, &stream, &no_gaps, "tx"));
    static uint8_t random[TX_MEMORY];
    for (unsigned i = 0; i < TX_MEMORY; i++) random[i] = (uint8_t)sim_random(b->s);
    memory_write(axi_memory_bytes(b->memory), 0, random, TX_MEMORY);

    for (int i = 0; i < 6; i++) b->mac[i] = (uint8_t)(2 + 16 * i);
    for (int i = 0; i < 16; i++) b->ipv6[i] = (uint8_t)(0xfd - 7 * i);
    memcpy(b->ipv4, (uint8_t[]){10, 0, 0, 1}, 4);
    b->udp_source = 0xc001;
    sim_port_set(&b->p->chip_enable, 1);
    sim_port_set(&b->p->rst, 1);
    run_clocks(b->s, b->clk, 3);
    sim_port_set(&b->p->rst, 0);
    sim_clock_attach(b->clk, sample, drive, b);
    return b;
}

void tx_configure(tx_bench *b, unsigned qp, int v6)
{
    uint32_t *row = b->row[qp];
    for (unsigned w = 0; w < QP_WORDS; w++) row[w] = (uint32_t)sim_random(b->s);
    row[QPCONF] = (row[QPCONF] & ~(uint32_t)QP_IPV6) | (v6 ? QP_IPV6 : 0) | QP_ENABLE;
}

void tx_add_command(tx_bench *b, const tx_command *command)
{
    ck_must(b->commands < TX_MOST, "too many commands");
    b->command[b->commands++] = *command;
}

void tx_add_ack(tx_bench *b, unsigned qp, unsigned psn, unsigned syndrome, unsigned msn)
{
    ck_must(b->acks < TX_MOST, "too many ACKs");
    b->ack[b->acks++] = (tx_ack){qp, psn & 0xffffff, syndrome, msn & 0xffffff, !(b->row[qp][QPCONF] & QP_ENABLE)};
}

void tx_add_others(tx_bench *b, unsigned count) { b->others += count; }

tx_command tx_random_command(tx_bench *b, unsigned qp, unsigned opcode, int64_t address, unsigned length)
{
    tx_command c = {.qp = qp,
                    .opcode = opcode,
                    .psn = (unsigned)sim_random(b->s) & 0xffffff,
                    .ackreq = (unsigned)sim_random_below(b->s, 2),
                    .rkey = (unsigned)sim_random(b->s),
                    .dma_length = (unsigned)sim_random(b->s),
                    .va = sim_random(b->s),
                    .inlined = address < 0,
                    .address = address < 0 ? (uint32_t)sim_random(b->s) : (uint32_t)address,
                    .length = length,
                    .off = !(b->row[qp][QPCONF] & QP_ENABLE)};
    for (int i = 0; i < 16; i++) c.data[i] = (uint8_t)sim_random(b->s);
    return c;
}

void tx_run(tx_bench *b)
{
    ck_assert_ptr_null(axi_memory_set(b->memory, &b->memory_params));

    unsigned data = 0, acks = 0, count[6] = {0};
    for (unsigned i = 0; i < b->commands; i++) {
        const tx_command *c = &b->command[i];
        if (c->off || c->error) continue;
        data++;
        count[c->opcode == UD_SEND_ONLY ? 3 : c->opcode >= WRITE_FIRST]++;
    }
    for (unsigned i = 0; i < b->acks; i++) {
        if (b->ack[i].off) continue;
        acks++;
        count[b->ack[i].syndrome >> 5 & 3 ? 4 : 2]++;
        count[5] += (b->ack[i].syndrome >> 5 & 3) == 1;
    }
    for (unsigned n = 0; b->frames[0] < data || b->frames[1] < acks || b->frames[2] < b->others; n++) {
        ck_assert_msg(n < 20000, "seed %llu: %u of %u data frames, %u of %u ACKs, %u of %u other frames came",
                      (unsigned long long)sim_seed(b->s), b->frames[0], data, b->frames[1], acks, b->frames[2],
                      b->others);
        run_clocks(b->s, b->clk, 50);
    }
    run_clocks(b->s, b->clk, 700);
    ck_assert_uint_eq(b->reported, b->commands);
    for (int i = 0; i < 6; i++) ck_assert_uint_eq(b->count[i], count[i]);
    ck_assert_uint_eq(b->frames[0], data);
    ck_assert_uint_eq(b->frames[1], acks);
}
