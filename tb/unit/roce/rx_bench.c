#include "rx_bench.h"

#include "roce_rx_64.h"
#include "roce_rx_strict.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

uint8_t text[70000];

__attribute__((constructor)) static void write_text(void) /* once for all tests of the program */
{
    for (unsigned i = 0; i < sizeof text; i++) text[i] = (uint8_t)(i * 7 + (i >> 8) * 13 + 1);
}

packet text_packet(unsigned opcode, unsigned qp, uint32_t psn, unsigned length)
{
    packet p = packet_of(opcode, qp, psn);
    p.payload = text;
    p.length = length;
    return p;
}

static void mistake(rx_bench *b, const char *fmt, ...)
{
    if (b->mistake[0]) return;
    int n = snprintf(b->mistake, sizeof b->mistake, "clock %llu: ", (unsigned long long)b->clocks);
    va_list args;
    va_start(args, fmt);
    vsnprintf(b->mistake + n, sizeof b->mistake - (size_t)n, fmt, args);
    va_end(args);
}

uint32_t rx_entry(unsigned qp) { return ENTRY_BASE + 0x14000 * (qp - 1); }

void rx_bench_memory(rx_bench *b, unsigned latency, unsigned stall_percent)
{
    b->memory_params.latency = latency;
    for (int c = AXI_AW; c <= AXI_B; c++) b->memory_params.stall[c] = stall_percent;
    ck_assert_ptr_null(axi_memory_set(b->memory, &b->memory_params));
}

const uint8_t *rx_bytes(rx_bench *b, uint32_t address, unsigned size)
{
    static uint8_t bytes[sizeof text];
    ck_must(size <= sizeof bytes, "%u bytes are more than any message has", size);
    memory_read(axi_memory_bytes(b->memory), address, bytes, size);
    return bytes;
}

uint32_t rx_word(rx_bench *b, uint32_t address)
{
    uint32_t word;
    memory_read(axi_memory_bytes(b->memory), address, &word, 4);
    return word;
}

uint64_t rx_writes(const rx_bench *b, const memory_port *port)
{
    return axi_memory_get_stats(b->memory, port->number)->writes;
}

static void written(void *self, const axi_written *w)
{
    rx_bench *b = self;
    (void)w;
    b->last_write = b->clocks;
}

/* The QP's index becomes `index`: the entry before it holds the next message. */
static void rung(rx_bench *b, unsigned qp, unsigned index)
{
    ck_must(b->bell_count < RX_LOG, "too many doorbells");
    b->bells[b->bell_count++] = (struct rx_bell){qp, index, b->clocks};
    unsigned depth = b->rows[qp - 1][QDEPTH] >> 16, entry = b->index[qp];
    b->index[qp] = entry + 1 == depth ? 0 : entry + 1;
    if (b->consumes) b->rows[qp - 1][RQCI] = b->index[qp];
    if (index != b->index[qp]) mistake(b, "QP %u: index %u, %u expected", qp, index, b->index[qp]);
    if (b->arrived[qp] == b->expected_count[qp]) {
        mistake(b, "QP %u: a doorbell without a message", qp);
        return;
    }
    const struct rx_message *m = &b->expected[qp][b->arrived[qp]++];
    const uint8_t *found = rx_bytes(b, rx_entry(qp) + entry * (b->rows[qp - 1][QPCONF] >> 16) * 256, m->length);
    for (unsigned i = 0; i < m->length; i++)
        if (found[i] != m->bytes[i]) {
            mistake(b, "QP %u: message %u of %u bytes: byte %u", qp, b->arrived[qp] - 1, m->length, i);
            break;
        }
    uint32_t length = rx_word(b, b->rows[qp - 1][RQLENBA] + 4 * entry);
    if (b->rows[qp - 1][RQLENBA] && length != m->length)
        mistake(b, "QP %u: length %u, %u expected", qp, length, m->length);
}

static unsigned port(const sim_port *p) { return (unsigned)sim_port_get(p); }

static void sample(void *self)
{
    rx_bench *b = self;
    const roce_rx_ports *p = b->p;
    b->clocks++;
    b->row = port(&p->cfg_addr);
    if (port(&p->rst)) return;
    const sim_port *events[] = {
#define RX_EVENT_PORT(name) &p->name,
        RX_EVENTS(RX_EVENT_PORT)};
    for (int i = 0; i < EV_COUNT; i++) b->events[i] += port(events[i]) && (i != EV_put_error || port(&p->put_valid));
    if (port(&p->set_fatal_valid))
        b->set_fatal_qp = port(&p->set_fatal_qp) + 1, b->set_fatal_code = port(&p->set_fatal_code);
    if (port(&p->irq_rq)) b->irq_qp = port(&p->irq_rq_qp) + 1;
    if (port(&p->in_nak)) b->nak_qp = port(&p->in_nak_qp) + 1;
    if (port(&p->own_ready)) b->own_taken++;
    if (port(&p->rx_tvalid)) {
        b->at += b->bytes;
        if (b->at >= b->frames[b->frame_now].length) {
            /* the unused bytes of the last word take time on the line as well */
            if (b->line_gap) b->owed += b->line_gap + b->frames[b->frame_now].length % b->bytes;
            if (b->line_gap && b->frames[b->frame_now].length % b->bytes)
                b->owed -= b->bytes < b->owed ? b->bytes : b->owed;
            b->at = 0, b->frame_now++, b->last_word = b->clocks;
        }
    }
    if (port(&p->rq_db_valid) && port(&p->rq_db_ready)) rung(b, port(&p->rq_db_qp) + 1, port(&p->rq_db_data));
    if (port(&p->ack_valid) && port(&p->ack_ready)) {
        ck_must(b->ack_count < RX_LOG, "too many ACKs");
        b->acks[b->ack_count++] = (struct rx_ack){port(&p->ack_qp) + 1, port(&p->ack_psn), port(&p->ack_syndrome),
                                                  port(&p->ack_msn), b->clocks};
    }
    if (port(&p->rsp_valid) && port(&p->rsp_ready)) {
        ck_must(b->response_count < RX_LOG, "too many responses");
        struct rx_response r = {port(&p->rsp_qp) + 1,   port(&p->rsp_opcode), port(&p->rsp_psn),
                                port(&p->rsp_syndrome), port(&p->rsp_msn),    port(&p->rsp_length)};
        b->answers[b->response_count] = b->answer;
        b->answers[b->response_count].due = b->clocks + b->answer_delay;
        if (b->answer.write && r.length) b->answer.addr += r.length;
        b->answers[b->response_count].write = b->answer.write && r.length;
        b->responses[b->response_count++] = r;
    }
    if (port(&p->other_tvalid) && port(&p->other_tready)) {
        uint64_t keep = sim_port_get(&p->other_tkeep);
        unsigned count = 0;
        while (count < b->bytes && keep >> count & 1) count++;
        ck_must(b->other_bytes + count <= sizeof b->other && b->other_count < 512, "too many other frames");
        memcpy(b->other + b->other_bytes, p->other_tdata.at, count);
        b->other_bytes += count;
        b->other_lengths[b->other_count] += count;
        if (port(&p->other_tlast)) b->other_count++;
    }
}

static int taker(rx_bench *b) { return b->other_only || !sim_chance(b->s, b->busy_percent); }

static void drive(void *self)
{
    rx_bench *b = self;
    const roce_rx_ports *p = b->p;
    memcpy(p->cfg_data.at, &b->rows[b->row >> 2][16 * (b->row & 3)], 64); /* four rows */
    sim_port_set(&p->tick, b->tick_every && b->clocks % b->tick_every == 0);
    sim_port_set(&p->ack_ready, !b->hold_acks && taker(b));
    sim_port_set(&p->rq_db_ready, !b->hold_bells && taker(b));
    sim_port_set(&p->rsp_ready, (unsigned)taker(b));
    sim_port_set(&p->other_tready, !sim_chance(b->s, b->busy_percent));
    sim_port_set(&p->ans_valid, 0);
    if (b->answered < b->response_count && b->answers[b->answered].due <= b->clocks) {
        const struct rx_answer *a = &b->answers[b->answered++];
        sim_port_set(&p->ans_valid, 1);
        sim_port_set(&p->ans_write, (unsigned)a->write);
        sim_port_set(&p->ans_addr, a->addr);
        sim_port_set(&p->ans_drop, (unsigned)a->drop);
        sim_port_set(&p->ans_error, a->error);
        sim_port_set(&p->ans_fatal, (unsigned)a->fatal);
        sim_port_set(&p->ans_code, a->code);
    }
    int pause = b->at == 0 && b->owed >= b->bytes;
    if (pause) b->owed -= b->bytes;
    int word = !pause && b->frame_now < b->frame_count && !sim_chance(b->s, b->idle_percent) && !port(&p->rst);
    sim_port_set(&p->rx_tvalid, (unsigned)word);
    uint8_t junk[64];
    for (unsigned i = 0; i < b->bytes; i += 8) {
        uint64_t r = sim_random(b->s);
        memcpy(junk + i, &r, 8);
    }
    sim_port_set(&p->rx_tlast, 0);
    sim_port_set(&p->rx_tuser, 0);
    if (word) {
        const struct rx_frame *f = &b->frames[b->frame_now];
        unsigned count = f->length - b->at < b->bytes ? f->length - b->at : b->bytes,
                 last = b->at + b->bytes >= f->length;
        memcpy(junk, f->bytes + b->at, count);
        sim_port_set(&p->rx_tkeep, count == 64 ? UINT64_MAX : (1ull << count) - 1);
        sim_port_set(&p->rx_tlast, last);
        sim_port_set(&p->rx_tuser, last && f->bad_fcs);
    }
    memcpy(p->rx_tdata.at, junk, b->bytes);
}

rx_bench *rx_bench_new(int kind)
{
    rx_bench *b = test_memory(sizeof *b);
    b->s = loud_sim(0);
    b->clk = make_clock(b->s, "clk", 6400, 3200);
    static const sim_config *const configs[] = {&roce_rx_config, &roce_rx_64_config, &roce_rx_strict_config};
    b->bytes = kind == 1 ? 64 : 8;
    b->m = make_clocked(b->s, b->clk, configs[kind], "dut");
    b->p = PORTS_AS(roce_rx, b->m);
    b->memory_params = axi_memory_defaults();
    b->memory_params.outstanding = 256;
    b->memory = memory_bench_new(b->s, b->clk, &b->memory_params);
    memory_bench_rules(b->dr = memory_bench_port(b->memory, b->clk, b->m, "dr_"));
    memory_bench_rules(b->rdrsp = memory_bench_port(b->memory, b->clk, b->m, "rdrsp_"));
    axi_memory_on_written(b->memory, written, b);
    b->answer_delay = 6;
    b->quiet = 300;
    b->answer = (struct rx_answer){.write = 1, .addr = READS};
    sim_clock_attach(b->clk, sample, drive, b);
    const roce_rx_ports *p = b->p;
    sim_port_set(&p->rst, 1);
    sim_port_set(&p->chip_enable, 1);
    sim_port_set(&p->mac, 0x020000000001);
    sim_port_set(&p->ipv4, 0x0a000001);
    for (unsigned i = 0; i < 16; i++) sim_port_set_field(&p->ipv6, 8 * (15 - i), 8, our_ip6[i]);
    sim_port_set(&p->errbuf_base, ERRORS);
    sim_port_set(&p->errbuf_count, 16);
    sim_port_set(&p->errbuf_size, 128);
    sim_port_set(&p->ipkterr_base, STATUS);
    sim_port_set(&p->ipkterr_size, 8);
    sim_port_set(&p->qp_limit, 0xff);
    rx_bench_all_off(b);
    sim_port_set(&p->rst, 0);
    run_clocks(b->s, b->clk, 20); /* until then, a word may be the rest of a frame */
    return b;
}

uint32_t rx_bench_own(rx_bench *b, unsigned qp, unsigned word, int write, int start, uint32_t data)
{
    const roce_rx_ports *p = b->p;
    unsigned taken = b->own_taken;
    sim_port_set(&p->own_valid, 1);
    sim_port_set(&p->own_start, (unsigned)start);
    sim_port_set(&p->own_write, (unsigned)write);
    sim_port_set(&p->own_qp, qp - 1);
    sim_port_set(&p->own_word, word);
    sim_port_set(&p->own_wdata, data);
    if (start) { /* roce_registers waits until nothing of the former life is under way */
        sim_port_set(&p->own_valid, 0);
        run_clocks(b->s, b->clk, 2);
        for (unsigned n = 0; sim_port_get(&p->own_busy); n++) {
            ck_must(n < 20000, "QP %u stays busy", qp);
            run_clocks(b->s, b->clk, 1);
        }
        sim_port_set(&p->own_valid, 1);
    }
    for (unsigned n = 0; b->own_taken == taken; n++) {
        ck_must(n < 20000, "QP %u: no answer of register word %x", qp, word);
        data = (uint32_t)sim_port_get(&p->own_rdata);
        run_clocks(b->s, b->clk, 1);
    }
    sim_port_set(&p->own_valid, 0);
    return data;
}

void rx_bench_switch(rx_bench *b, unsigned qp, int on)
{
    sim_port_set(&b->p->qp_switch, 1u << 8 | (unsigned)on << 7 | (qp - 1));
    run_clocks(b->s, b->clk, 1);
    sim_port_set(&b->p->qp_switch, 0);
}

void rx_bench_all_off(rx_bench *b)
{
    for (unsigned qp = 1; qp <= 8; qp++) rx_bench_switch(b, qp, 0);
}

void rx_bench_qp(rx_bench *b, unsigned qp, int v6, unsigned pmtu_code, unsigned size, unsigned depth, uint32_t psn)
{
    uint32_t *row = b->rows[qp - 1];
    row[QPCONF] = size << 16 | pmtu_code << 8 | (v6 ? QP_IPV6 : 0) | QP_RQ_IRQ | QP_ENABLE;
    row[QPADVCONF] = 0xffff4000;
    row[RQBA] = rx_entry(qp);
    row[RQWPTRDBADD] = BELLS + 64 * qp;
    row[RQCI] = 0;
    row[QDEPTH] = depth << 16 | 16;
    row[TIMEOUTCONF] = 14u << 16;
    packet_peer(row, v6, peer_mac, v6 ? peer_ip6 : peer_ip4);
    row[RQLENBA] = LENGTHS + 0x400 * (qp - 1);
    rx_bench_own(b, qp, LSTRQREQ, 1, 0, (psn - 1) & 0xffffff);
    rx_bench_own(b, qp, QPCONF, 1, 1, 0);
    b->index[qp] = 0;
    b->arrived[qp] = b->expected_count[qp];
    rx_bench_switch(b, qp, 1);
}

void rx_bench_frame(rx_bench *b, const uint8_t *frame, unsigned length, int bad_fcs)
{
    ck_must(b->frame_count < RX_LOG, "too many frames");
    struct rx_frame *f = &b->frames[b->frame_count++];
    f->bytes = test_memory(length);
    memcpy(f->bytes, frame, length);
    f->length = length;
    f->bad_fcs = bad_fcs;
}

void rx_bench_packet(rx_bench *b, const packet *p)
{
    uint8_t frame[FRAME_LONGEST];
    unsigned length = packet_frame(p, frame);
    rx_bench_frame(b, frame, length, 0);
}

void rx_bench_expect(rx_bench *b, unsigned qp, const uint8_t *bytes, unsigned length)
{
    ck_must(b->expected_count[qp] < RX_EXPECTED, "too many messages of QP %u", qp);
    struct rx_message *m = &b->expected[qp][b->expected_count[qp]++];
    m->bytes = test_memory(length + 1);
    if (length) memcpy(m->bytes, bytes, length);
    m->length = length;
}

uint32_t rx_bench_message(rx_bench *b, unsigned qp, uint32_t psn, const uint8_t *bytes, unsigned length)
{
    unsigned code = b->rows[qp - 1][QPCONF] >> 8 & 7, pmtu = 256u << (code < 4 ? code : 4);
    rx_bench_expect(b, qp, bytes, length);
    for (unsigned at = 0; at == 0 || at < length; at += pmtu, psn = (psn + 1) & 0xffffff) {
        int first = at == 0, last = length - at <= pmtu;
        packet p = packet_of(opcode_in(SEND_FIRST, first, last), qp, psn);
        p.v6 = b->rows[qp - 1][QPCONF] >> 7 & 1;
        if (p.v6) memcpy(p.to_ip, our_ip6, 16), memcpy(p.from_ip, peer_ip6, 16);
        p.payload = bytes + at;
        p.length = last ? length - at : pmtu;
        p.ack_request = (unsigned)last;
        rx_bench_packet(b, &p);
    }
    return psn;
}

static uint64_t happened(const rx_bench *b)
{
    uint64_t sum = b->ack_count + b->bell_count + b->other_bytes + b->response_count;
    const memory_port *ports[] = {b->dr, b->rdrsp};
    for (int i = 0; i < 2; i++) sum += rx_writes(b, ports[i]) + axi_monitor_get_stats(ports[i]->monitor)->write_beats;
    for (int i = 0; i < EV_COUNT; i++) sum += b->events[i];
    return sum;
}

void rx_bench_run(rx_bench *b, unsigned clocks)
{
    uint64_t end = b->clocks + clocks, before = happened(b), quiet = b->clocks;
    unsigned still = b->quiet + b->memory_params.latency + 2 * b->tick_every;
    while (b->clocks < end && (b->frame_now < b->frame_count || b->clocks < quiet + still)) {
        run_clocks(b->s, b->clk, 10);
        if (happened(b) != before || b->frame_now < b->frame_count)
            before = happened(b), quiet = b->clocks > quiet ? b->clocks : quiet;
    }
}

const char *rx_bench_wrong(rx_bench *b)
{
    for (unsigned qp = 1; qp <= OUR_QPS; qp++)
        if (b->arrived[qp] != b->expected_count[qp])
            mistake(b, "QP %u: %u of %u messages", qp, b->arrived[qp], b->expected_count[qp]);
    return b->mistake;
}

void rx_bench_holds(rx_bench *b)
{
    const char *wrong = rx_bench_wrong(b);
    ck_must(!wrong[0], "%s", wrong);
}
