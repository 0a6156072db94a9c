/* See cni_bench.h. */
#include "cni_bench.h"

#include <stdlib.h>
#include <string.h>

static void wrong(cni_bench *b, const char *what)
{
    sim_fail(b->s, "clock %llu: %s", (unsigned long long)sim_clock_cycles(b->clk), what);
}

uint64_t cni_random(cni_bench *b) { return sim_random(b->s); }
uint64_t cni_clock(const cni_bench *b) { return sim_clock_cycles(b->clk); }

/* ---- outputs, before the edge ---- */

static void sample_link(cni_bench *b)
{
    coherent_ni *m = b->m;
    if (*m->n2h_pop) {
        if (!b->shown) wrong(b, "a word of N2H is taken that is not there");
        b->n2h_got++;
        b->shown = 0;
        b->n2h_wait = b->pace;
    }
    if (!*m->h2n_valid) {
        if (b->out_left) b->out_gap++;
        return;
    }
    uint64_t word = (uint64_t)m->h2n_data[1] << 32 | m->h2n_data[0];
    unsigned marks = m->h2n_data[2];
    cni_sent *p = &b->sent[b->sent_count];
    if (!b->out_left) {
        unsigned words = word >> 32 & 0x3ff, lane = b->direct ? 0 : word >> 56 & 0x7f;
        if (!(marks & 1) || words == 0 || words > 62) wrong(b, "no legal header where one is due");
        unsigned number = b->out_number[lane]++ % 512;
        if ((word >> 42 & 0x1ff) != (b->group ? b->group : number)) wrong(b, "a wrong sequence number");
        b->lane_units[lane] += 2 * words + 4;
        if (b->lane_units[lane] - b->lane_told[lane] > 2046) wrong(b, "a packet without credit");
        *p = (cni_sent){.header = word & ~(0x1ffull << 42), .last = marks >> 2 & 1, .clock = cni_clock(b)};
        b->out_left = words;
        b->out_gap = 0;
    } else {
        p->data[(p->header >> 32 & 0x3ff) - b->out_left] = word;
        if ((marks & 1) || (marks >> 1 & 1) != (b->out_left == 1))
            wrong(b, "a packet of another length than its header");
        if (b->out_gap > 40) wrong(b, "a gap within a packet");
        b->out_gap = 0;
        if (--b->out_left == 0) {
            ck_must(++b->sent_count < COUNT(b->sent), "too many packets");
            b->gone_wait = 20;
        }
    }
}

static void sample_registers(cni_bench *b)
{
    for (unsigned p = 0; p < 2; p++)
        if (b->access[p].valid && (*b->m->reg_done >> p & 1)) {
            b->access[p].valid = 0;
            b->access[p].done = 1;
            b->access[p].result = *b->m->reg_rdata;
            b->access[p].error = *b->m->reg_error;
        }
}

static void sample_interconnect(cni_bench *b)
{
    coherent_ni *m = b->m;
    if (b->was_valid && !*m->req_taken &&
        (!*m->req_valid || *m->req_kind != b->was_kind || *m->req_line != b->was_line))
        wrong(b, "a request changes that has not been taken");
    b->was_valid = *m->req_valid && !*m->req_taken;
    b->was_kind = *m->req_kind;
    b->was_line = *m->req_line;
    if (b->b.busy && b->b.write && b->b.clock >= 5) { /* a word that was asked for one clock ago */
        unsigned w = (b->b.word + b->b.clock - 5) % 4;
        if (b->b.clock - 5 <= b->b.last && *m->out_mask) {
            if (*m->out_mask != 0xff) wrong(b, "half a word");
            b->b.data[w] = *m->out_data;
            b->b.log->mask |= 1u << w;
        }
        for (unsigned i = 0; b->b.clock - 5 == b->b.last && i < 4; i++) /* all at once: nobody sees half a line */
            if (b->b.log->mask >> i & 1) b->memory[(b->b.line * 4 + i) % CNI_MEMORY_WORDS] = b->b.data[i];
    }
    if (b->b.busy && !b->b.own && b->b.clock == 3) b->snoop_answer = *m->answer_has;
}

static void sample(void *self)
{
    if (((cni_bench *)self)->quiet) return;
    sample_link(self);
    sample_registers(self);
    sample_interconnect(self);
}

/* ---- inputs, after the edge ---- */

static void drive_interconnect(cni_bench *b)
{
    coherent_ni *m = b->m;
    *m->req_taken = *m->snoop_valid = *m->snoop_done = *m->result_valid = *m->out_take = *m->in_valid = 0;
    if (b->fills && (b->fill[0].wait == 0 || --b->fill[0].wait == 0)) {
        *m->in_valid = *m->in_own = 1;
        *m->in_tag = (uint8_t)b->fill[0].tag;
        *m->in_data = b->memory[(b->fill[0].line * 4 + b->fill[0].beat) % CNI_MEMORY_WORDS];
        *m->in_last = b->fill[0].beat == 3;
        if (++b->fill[0].beat == 4) {
            b->fills--;
            memmove(b->fill, b->fill + 1, 3 * sizeof b->fill[0]);
        }
    }
    if (!b->b.busy) {
        if (b->snoop_wanted) {
            b->b.busy = 1;
            b->b.own = b->b.write = 0;
            b->b.clock = 1;
            *m->snoop_valid = 1;
            *m->snoop_kind = (uint8_t)b->snoop_kind;
            *m->snoop_line = b->snoop_line;
            b->snoop_wanted = 0;
            b->snoop_clock = cni_clock(b);
        } else if (*m->req_valid && b->fills < 3) {
            if (b->waiting) {
                b->waiting--;
                return;
            }
            b->waiting = b->patience ? (unsigned)sim_random_below(b->s, b->patience + 1) : 0;
            b->b.busy = b->b.own = 1;
            b->b.clock = 1;
            b->b.kind = *m->req_kind;
            b->b.line = *m->req_line;
            b->b.word = *m->req_word;
            b->b.last = *m->req_last;
            b->b.tag = *m->req_tag;
            b->b.write = b->b.kind == CNI_UPDATE || b->b.kind == CNI_INVALIDATE_WRITE;
            ck_must(b->request_count < COUNT(b->requests), "too many requests");
            b->b.log = &b->requests[b->request_count++];
            *b->b.log =
                (cni_request){b->b.kind, b->b.line, 0, *m->req_full, *m->req_allocate, *m->req_cache, cni_clock(b)};
            *m->req_taken = *m->snoop_valid = 1;
            *m->snoop_kind = (uint8_t)b->b.kind;
            *m->snoop_line = b->b.line;
            if (!b->b.write) {
                if (b->b.last != 3 || b->b.word) wrong(b, "a read that is no line from word 0 on");
                b->fill[b->fills].line = b->b.line;
                b->fill[b->fills].tag = b->b.tag;
                b->fill[b->fills].beat = 0;
                b->fill[b->fills++].wait = 4 + b->latency;
            }
        }
        return;
    }
    b->b.clock++;
    if (b->b.own && b->b.clock == 4) *m->result_valid = 1;
    if (b->b.write && b->b.clock >= 4 && b->b.clock - 4 <= b->b.last) {
        *m->out_take = 1;
        *m->out_word = (uint8_t)((b->b.word + b->b.clock - 4) % 4);
    }
    if (b->b.clock == (b->b.write ? 5 + b->b.last : 4)) {
        *m->snoop_done = 1;
        b->b.busy = 0;
        if (b->b.write && b->b.clock >= 5) b->b.busy = 2; /* its last word is sampled in this clock */
    }
}

static void drive_link(cni_bench *b)
{
    coherent_ni *m = b->m;
    if (!b->shown && b->n2h_got != b->n2h_put && (b->n2h_wait == 0 || --b->n2h_wait == 0)) {
        b->shown = 1;
        uint64_t *w = b->n2h[b->n2h_got % COUNT(b->n2h)];
        m->n2h_data[0] = (uint32_t)w[0];
        m->n2h_data[1] = (uint32_t)(w[0] >> 32);
        m->n2h_data[2] = (uint32_t)w[1];
        if (w[1] & 2) b->last_word = cni_clock(b);
    }
    *m->n2h_valid = (uint8_t)b->shown;
    *m->gone_valid = 0;
    if (b->gone_count < b->sent_count && (b->gone_wait == 0 || --b->gone_wait == 0)) {
        cni_sent *p = &b->sent[b->gone_count++];
        if (p->last) {
            *m->gone_valid = 1;
            *m->gone_local = p->header >> 53 & 1;
        }
        b->gone_wait = 2;
    }
    *m->credit_valid = 0;
    unsigned lane = (unsigned)sim_random_below(b->s, CNI_LANES);
    if (!(b->blocked >> lane & 1)) {
        unsigned told = b->lane_units[lane] & ~31u;
        *m->credit_valid = 1;
        *m->credit_lane = (uint8_t)lane;
        *m->credit_value = told >> 5 & 0x7f;
        b->lane_told[lane] = told;
    }
}

static void drive_registers(cni_bench *b)
{
    coherent_ni *m = b->m;
    uint64_t address = 0, data = 0;
    *m->reg_valid = *m->reg_write = *m->reg_be = 0;
    for (unsigned p = 0; p < 2; p++)
        if (b->access[p].valid) {
            *m->reg_valid |= (uint8_t)(1u << p);
            *m->reg_write |= (uint8_t)((unsigned)b->access[p].write << p);
            *m->reg_be |= (uint8_t)(0xfu << 4 * p);
            address |= (uint64_t)(b->access[p].address >> 2 & 0x3ffff) << 18 * p;
            data |= (uint64_t)b->access[p].data << 32 * p;
        }
    *m->reg_address = address;
    *m->reg_wdata = data;
}

static void drive(void *self)
{
    cni_bench *b = self;
    if (b->quiet) return;
    if (b->b.busy == 2) b->b.busy = 0;
    drive_interconnect(b);
    drive_link(b);
    drive_registers(b);
}

/* ---- */

void cni_run(cni_bench *b, unsigned clocks) { run_clocks(b->s, b->clk, clocks); }

void cni_settle(cni_bench *b, unsigned most)
{
    for (unsigned quiet = 0; most && quiet < 60; most--) {
        cni_run(b, 1);
        quiet = b->n2h_got != b->n2h_put || b->fills || b->b.busy || *b->m->req_valid || *b->m->h2n_valid ||
                        b->out_left || b->gone_count != b->sent_count
                    ? 0
                    : quiet + 1;
    }
    ck_must(most, "not at rest in time");
}

int cni_try(cni_bench *b, unsigned port, int write, unsigned offset, uint32_t *value)
{
    b->access[port].valid = 1;
    b->access[port].done = 0;
    b->access[port].write = write;
    b->access[port].address = offset;
    b->access[port].data = write ? *value : 0;
    for (unsigned i = 0; !b->access[port].done; i++) {
        ck_must(i < 100, "a register access does not end");
        cni_run(b, 1);
    }
    if (!write) *value = b->access[port].result;
    return b->access[port].error;
}

void cni_write(cni_bench *b, unsigned offset, uint32_t value)
{
    ck_must(!cni_try(b, 0, 1, offset, &value), "error acknowledge for a store to 0x%x", offset);
}

uint32_t cni_read(cni_bench *b, unsigned offset)
{
    uint32_t value = 0;
    ck_must(!cni_try(b, 0, 0, offset, &value), "error acknowledge for a load of 0x%x", offset);
    return value;
}

void cni_packet(cni_bench *b, unsigned source, unsigned flags, uint32_t address, const uint64_t *data, unsigned words,
                unsigned damage)
{
    uint64_t number = (b->number[source] += 1 + (damage >> 1 & 1)) - 1;
    uint64_t header = (uint64_t)(damage >> 2 & 1) << 63 | (uint64_t)source << 56 | (uint64_t)flags << 52 | 1ull << 51 |
                      (b->group ? b->group : number % 512) << 42 | (uint64_t)words << 32 | address;
    for (unsigned i = 0; i <= words; i++) {
        uint64_t *w = b->n2h[b->n2h_put++ % COUNT(b->n2h)];
        w[0] = i ? data[i - 1] : header;
        w[1] = (i == 0) | (uint64_t)(i == words) << 1 | (uint64_t)((damage & 1) && i == words) << 2;
    }
}

uint64_t cni_descriptor(unsigned flow, unsigned flags, unsigned words, uint32_t address, unsigned phase)
{
    return (uint64_t)(address & 1) << 63 | (uint64_t)flags << 60 | (uint64_t)phase << 59 | (uint64_t)flow << 52 |
           (uint64_t)words << 32 | address;
}

uint32_t cni_operation(unsigned object, unsigned operation, unsigned operand)
{
    return object << 20 | operation << 16 | operand << 1 | 1;
}

int cni_snoop(cni_bench *b, unsigned kind, unsigned line)
{
    b->snoop_wanted = 1;
    b->snoop_kind = kind;
    b->snoop_line = line;
    while (b->snoop_wanted) cni_run(b, 1);
    cni_run(b, 4);
    return b->snoop_answer;
}

void cni_reset(cni_bench *b, unsigned control)
{
    coherent_ni *m = b->m;
    *m->rst = 1;
    b->quiet = 1;
    *m->req_taken = *m->snoop_valid = *m->snoop_done = *m->result_valid = *m->out_take = *m->in_valid = 0;
    *m->n2h_valid = *m->gone_valid = *m->credit_valid = *m->reg_valid = 0;
    cni_run(b, 4);
    b->quiet = 0;
    b->n2h_got = b->n2h_put;
    b->shown = b->was_valid = 0;
    b->fills = b->out_left = 0;
    b->sent_count = b->gone_count = 0;
    b->b.busy = 0;
    memset(b->number, 0, sizeof b->number);
    memset(b->out_number, 0, sizeof b->out_number);
    memset(b->lane_units, 0, sizeof b->lane_units);
    memset(b->lane_told, 0, sizeof b->lane_told);
    *b->m->rst = 0;
    b->direct = control >> 1 & 1;
    cni_run(b, 1100);
    cni_write(b, CNI_CONTROL, control);
}

cni_bench *cni_bench_new(unsigned control)
{
    cni_bench *b = test_memory(sizeof *b);
    b->s = quiet_sim(0);
    b->clk = make_clock(b->s, "clk", 10000, 0);
    b->m = MODEL_AS(coherent_ni, make_clocked(b->s, b->clk, &coherent_ni_config, "ni"), NULL);
    b->latency = 12;
    b->pace = 3;
    b->patience = 3;
    *b->m->rst = 1;
    run_clocks(b->s, b->clk, 4);
    sim_clock_attach(b->clk, sample, drive, b);
    cni_reset(b, control);
    return b;
}
