/* See requester_bench.h. Expected PSNs, lengths and addresses are computed here from the WQEs as posted. */
#include "requester_bench.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "memory_bench.h"
#include "roce_requester_64.h"
#include "roce_requester_qps.h"

enum { PSN = 0xffffff };

int rq_complain(rq_bench *b, const char *format, ...)
{
    if (b->wrong[0]) return 0;
    int n = snprintf(b->wrong, sizeof b->wrong, "clock %llu: ", (unsigned long long)b->clock);
    va_list a;
    va_start(a, format);
    vsnprintf(b->wrong + n, sizeof b->wrong - (size_t)n, format, a);
    va_end(a);
    return 1;
}

static int strikes(rq_bench *b, rq_fault what) { return b->fault == what; }

/* Bytes of packet `number` of a message. */
static unsigned bytes_of(const rq_work *w, unsigned mtu, uint32_t number)
{
    return number + 1 < w->packets ? mtu : w->length - number * mtu;
}

/* The WQE that has this PSN, looked for from the oldest incomplete one on; -1: none that was posted. */
static int work_of(const rq_qp *q, uint32_t psn)
{
    for (unsigned i = q->completed; i < q->posted; i++)
        if (!q->work[i].refused && ((psn - q->work[i].first) & PSN) < q->work[i].packets) return (int)i;
    return -1;
}

/* ---- checking packets */

static void verify(rq_bench *b, rq_command *c)
{
    rq_qp *q = &b->qp[c->qp];
    int at = work_of(q, c->psn);
    if (at < 0) {
        rq_complain(b, "QP %u sends PSN %06x, of no WQE", c->qp, c->psn);
        return;
    }
    const rq_work *w = &q->work[at];
    uint32_t number = (c->psn - w->first) & PSN, offset = number * q->mtu;
    unsigned length = bytes_of(w, q->mtu, number), first = number == 0, last = number + 1 == w->packets;
    unsigned small = w->opcode == RQ_SEND && w->length <= 16;
    unsigned opcode = w->opcode == RQ_READ ? READ_REQUEST
                      : c->qp == 0         ? UD_SEND_ONLY
                                   : opcode_in(w->opcode == RQ_SEND ? SEND_FIRST : WRITE_FIRST, (int)first, (int)last);
    c->work = (unsigned)at;
    unsigned asks = c->qp && (w->opcode == RQ_READ || last);
    if (c->opcode != opcode)
        rq_complain(b, "QP %u PSN %06x: opcode %02x, expected %02x", c->qp, c->psn, c->opcode, opcode);
    if (c->ackreq != asks) rq_complain(b, "QP %u PSN %06x: AckReq is %u", c->qp, c->psn, c->ackreq);
    if (c->length != (w->opcode == RQ_READ ? 0 : length))
        rq_complain(b, "QP %u PSN %06x: %u bytes, expected %u", c->qp, c->psn, c->length, length);
    if (c->inline_ != small) rq_complain(b, "QP %u PSN %06x: inline is %u", c->qp, c->psn, c->inline_);
    if (opcode_has_reth(opcode)) {
        if (c->va != w->roffset + offset)
            rq_complain(b, "QP %u PSN %06x: remote address %llx", c->qp, c->psn, (unsigned long long)c->va);
        if (c->rkey != w->rtag) rq_complain(b, "QP %u PSN %06x: RTAG %x, expected %x", c->qp, c->psn, c->rkey, w->rtag);
        if (c->dma_length != w->length - offset)
            rq_complain(b, "QP %u PSN %06x: DMA length %u", c->qp, c->psn, c->dma_length);
    }
    if (opcode == READ_REQUEST && number > w->got)
        rq_complain(b, "QP %u: a READ from packet %u on, packet %u is missing", c->qp, number, w->got);
    if (small) {
        uint8_t data[16];
        for (unsigned i = 0; i < 16; i++) data[i] = (uint8_t)(b->m->cmd_data[i / 4] >> i % 4 * 8);
        if (memcmp(data, w->sdata, 16) != 0) rq_complain(b, "QP %u PSN %06x: other data than SDATA", c->qp, c->psn);
    } else if (opcode != READ_REQUEST && length && c->addr != w->laddr + offset)
        rq_complain(b, "QP %u PSN %06x: data from %x", c->qp, c->psn, c->addr);
}

/* ---- the peer: IBA 9.7.5 as a responder that keeps to the order */

static void send_response(rq_bench *b, unsigned qp, unsigned opcode, uint32_t psn, unsigned syndrome, unsigned length)
{
    if (sim_chance(b->s, b->lose)) return;
    for (int copies = 1 + sim_chance(b->s, b->twice); copies--;) {
        ck_must(b->rsp_count < RQ_WIRE, "too many responses on the wire");
        rq_response *at = &b->to_rsp[(b->rsp_first + b->rsp_count++) % RQ_WIRE];
        *at = (rq_response){qp, opcode, psn & PSN, syndrome, length, b->clock + b->wire};
        if (b->rsp_count > 2 && sim_chance(b->s, b->swap)) { /* with the one before; the first one may be on the pins */
            rq_response *before = &b->to_rsp[(b->rsp_first + b->rsp_count - 2) % RQ_WIRE], other = *before;
            *before = *at;
            *at = other;
        }
    }
}

static void answer_read(rq_bench *b, unsigned qp, uint32_t psn, uint32_t length)
{
    unsigned mtu = b->qp[qp].mtu, packets = length ? (length + mtu - 1) / mtu : 1;
    for (unsigned i = 0; i < packets; i++) {
        unsigned opcode = opcode_in(READ_FIRST, i == 0, i + 1 == packets);
        send_response(b, qp, opcode, psn + i, opcode == READ_MIDDLE ? 0xff : ACK_GOOD,
                      i + 1 < packets ? mtu : length - i * mtu);
    }
}

static void peer_takes(rq_bench *b, const rq_command *c)
{
    rq_qp *q = &b->qp[c->qp];
    if (c->qp == 0 || sim_chance(b->s, b->lose)) return;
    uint32_t ahead = (c->psn - q->expected) & PSN, psns = 1;
    if (c->opcode == READ_REQUEST) psns = c->dma_length ? (c->dma_length + q->mtu - 1) / q->mtu : 1;
    if (ahead == 0) {
        q->naked = 0;
        if ((c->opcode == SEND_FIRST || c->opcode == SEND_ONLY) && sim_chance(b->s, b->rnr)) {
            send_response(b, c->qp, ACKNOWLEDGE, c->psn, RNR_NAK | 1, 0);
            return;
        }
        rq_work *w = &q->work[c->work];
        w->executed = ((c->psn - w->first) & PSN) + psns;
        q->expected = (q->expected + psns) & PSN;
        if (c->opcode == READ_REQUEST) answer_read(b, c->qp, c->psn, c->dma_length);
        else if (c->ackreq) send_response(b, c->qp, ACKNOWLEDGE, c->psn, ACK_GOOD, 0);
    } else if (ahead < 0x800000) {
        if (!q->naked) send_response(b, c->qp, ACKNOWLEDGE, q->expected, NAK_SEQUENCE, 0);
        q->naked = 1;
    } else if (c->opcode == READ_REQUEST) answer_read(b, c->qp, c->psn, c->dma_length);
    else send_response(b, c->qp, ACKNOWLEDGE, q->expected - 1, ACK_GOOD, 0);
}

/* ---- checking completions */

static int must_fail(const rq_qp *q, unsigned i) { return i >= q->error_from || q->work[i].refused; }

/* 1 if a WQE may complete now. */
static void check_ready(rq_bench *b, unsigned qp, unsigned i)
{
    rq_qp *q = &b->qp[qp];
    rq_work *w = &q->work[i];
    if (i >= q->posted) rq_complain(b, "QP %u: WQE %u completes and was not posted", qp, i);
    else if (w->in_tx) rq_complain(b, "QP %u: WQE %u completes while TX has %u packets of it", qp, i, w->in_tx);
    else if (must_fail(q, i) || qp == 0) return;
    else if (w->opcode == RQ_READ ? w->put < w->packets && w->length : w->executed < w->packets)
        rq_complain(b, "QP %u: WQE %u completes before its end", qp, i);
}

static void entry_written(rq_bench *b, unsigned qp, uint32_t address)
{
    rq_qp *q = &b->qp[qp];
    if (strikes(b, RQ_ENTRY_LOST)) return;
    uint32_t entry;
    memory_read(axi_memory_bytes(b->memory), address, &entry, 4);
    if (strikes(b, RQ_ENTRY_WRONG)) entry ^= 1u << 24;
    unsigned i = q->entries++;
    const rq_work *w = &q->work[i];
    if (address != RQ_CQ(qp) + i % q->depth * 4) rq_complain(b, "QP %u: entry %u is written to %x", qp, i, address);
    uint32_t expected = w->wrid | (uint32_t)w->opcode << 16 | (uint32_t)must_fail(q, i) << 24;
    if (entry != expected) rq_complain(b, "QP %u: entry %u is %08x, expected %08x", qp, i, entry, expected);
    check_ready(b, qp, i);
}

static void rung(rq_bench *b, unsigned qp, uint32_t count, int by_bus)
{
    rq_qp *q = &b->qp[qp];
    unsigned i = q->completed++;
    if (strikes(b, RQ_DOORBELL_WRONG)) count++;
    if (b->merges && count == i % q->depth) {
        q->completed--;
        return;
    }
    while (b->merges && i < q->posted && count != (i + 1) % q->depth) i = q->completed++;
    if (count != (i + 1) % q->depth) rq_complain(b, "QP %u: doorbell %u, expected %u", qp, count, (i + 1) % q->depth);
    if (by_bus != !!(q->conf & QP_BY_BUS)) rq_complain(b, "QP %u: the doorbell goes another way", qp);
    if ((q->conf & QP_ENTRIES) && q->entries <= i) rq_complain(b, "QP %u: doorbell %u before its entry", qp, i);
    check_ready(b, qp, i);
    b->last_doorbell = b->clock;
}

/* Each write is an entry or a doorbell; one that fails counts as done all the same. */
static void written(void *self, const axi_written *w)
{
    rq_bench *b = self;
    int good = w->response == AXI_OKAY;
    if (w->port != b->wr_port) return;
    for (unsigned qp = 0; qp < b->qps && w->bytes == 4 && w->strobes == 4; qp++) {
        rq_qp *q = &b->qp[qp];
        uint32_t word;
        memory_read(axi_memory_bytes(b->memory), w->address, &word, 4);
        if (q->depth && w->address == RQ_DB(qp)) {
            if (good) rung(b, qp, word, 1);
            else q->completed++;
            return;
        }
        if ((q->conf & QP_ENTRIES) && w->address - RQ_CQ(qp) < 4 * q->depth) {
            if (good) entry_written(b, qp, (uint32_t)w->address);
            else q->entries++;
            return;
        }
    }
    rq_complain(b, "%u bytes are written to %llx, where none are due", w->strobes, (unsigned long long)w->address);
}

/* ---- a clock */

static void sample(void *self)
{
    rq_bench *b = self;
    roce_requester *m = b->m;
    b->cfg_addr = *m->cfg_addr;
    if (*m->rst) return;
    b->clock++;
    if (*m->cmd_valid && *m->cmd_ready) {
        ck_must(b->commands < RQ_LOG, "too many commands");
        rq_command *c = &b->command[b->commands++];
        *c = (rq_command){b->clock,       *m->cmd_qp, *m->cmd_opcode, *m->cmd_psn,  *m->cmd_ackreq,     *m->cmd_inline,
                          *m->cmd_length, 0,          *m->cmd_va,     *m->cmd_rkey, *m->cmd_dma_length, *m->cmd_addr};
        c->psn += strikes(b, RQ_PSN_WRONG);
        c->addr += strikes(b, RQ_ADDRESS_WRONG);
        c->length += strikes(b, RQ_LENGTH_WRONG);
        c->ackreq ^= strikes(b, RQ_ACKREQ_WRONG);
        verify(b, c);
        unsigned number = ++b->sent_number;
        b->sents[(b->sent_first + b->sent_count++) % RQ_WIRE].due = b->clock + b->sent_delay;
        unsigned s = (b->sent_first + b->sent_count - 1) % RQ_WIRE;
        b->sents[s].qp = c->qp;
        b->sents[s].work = c->work;
        b->qp[c->qp].work[c->work].in_tx++;
        b->sents[s].error = number == b->sent_error_at;
        if (b->peer && number != b->sent_error_at) {
            unsigned i = (b->peer_first + b->peer_count++) % RQ_WIRE;
            b->to_peer[i].c = *c;
            b->to_peer[i].due = b->clock + b->wire;
            unsigned before = (i + RQ_WIRE - 1) % RQ_WIRE;
            if (b->peer_count > 1 && sim_chance(b->s, b->swap)) {
                b->to_peer[i].c = b->to_peer[before].c;
                b->to_peer[before].c = *c;
            }
        }
    }
    if (*m->rsp_valid && *m->rsp_ready) {
        rq_response *r = &b->to_rsp[b->rsp_first];
        b->answer[b->asked % RQ_LOG] = (rq_answer){.qp = r->qp, .psn = r->psn};
        b->asked++;
        b->rsp_first = (b->rsp_first + 1) % RQ_WIRE;
        b->rsp_count--;
    }
    if (*m->ans_valid) {
        rq_answer *a = &b->answer[b->answers % RQ_LOG];
        if (b->answers++ >= b->asked) rq_complain(b, "an answer to no response");
        a->write = *m->ans_write;
        a->drop = *m->ans_drop;
        a->fatal = *m->ans_fatal;
        a->code = *m->ans_code;
        a->addr = *m->ans_addr + strikes(b, RQ_PLACE_WRONG);
        a->error = *m->ans_error;
        a->clock = b->clock;
        rq_qp *q = &b->qp[a->qp];
        int at = work_of(q, a->psn);
        if (a->write && (at < 0 || q->work[at].opcode != RQ_READ))
            rq_complain(b, "QP %u PSN %06x: data of no READ are wanted", a->qp, a->psn);
        else if (a->write) {
            rq_work *w = &q->work[at];
            uint32_t number = (a->psn - w->first) & PSN;
            if (number != w->got)
                rq_complain(b, "QP %u: packet %u of a READ is taken, expected %u", a->qp, number, w->got);
            if (a->addr != w->laddr + number * q->mtu)
                rq_complain(b, "QP %u PSN %06x: data go to %x", a->qp, a->psn, a->addr);
            w->got++;
            unsigned i = (b->put_first + b->put_count++) % RQ_WIRE;
            b->puts[i].due = b->clock + b->put_delay;
            b->puts[i].qp = a->qp;
            b->puts[i].work = (unsigned)at;
            b->puts[i].error = ++b->put_number == b->put_error_at;
        } else if (at >= 0 && q->work[at].opcode == RQ_READ && q->work[at].length == 0 && !a->drop) q->work[at].put = 1;
    }
    if (*m->cq_db_valid && *m->cq_db_ready) rung(b, *m->cq_db_qp, *m->cq_db_count, 0);
    if (*m->err_valid && *m->err_ready && b->errors < 256) {
        b->error[b->errors].qp = *m->err_qp;
        b->error[b->errors].code = *m->err_code;
        b->error[b->errors].opcode = *m->err_opcode;
        b->error[b->errors++].psn = *m->err_psn;
    }
    b->retries += *m->retry;
    b->fatals += *m->irq_fatal;
    b->illegals += *m->irq_illegal;
    b->done += *m->wqe_done;
    if (*m->irq_cq) {
        rq_qp *q = &b->qp[*m->irq_cq_qp];
        if (++q->interrupts > q->completed) rq_complain(b, "QP %u: an interrupt before its doorbell", *m->irq_cq_qp);
    }
    if (strikes(b, RQ_EARLY) && b->commands && b->qp[1].work[0].executed) b->qp[1].work[0].executed = 0;
}

static void drive(void *self)
{
    rq_bench *b = self;
    roce_requester *m = b->m;
    for (unsigned i = 0; i < 4; i++) m->cfg_data[i] = b->cfg[b->cfg_addr >> 4][4 * (b->cfg_addr & 15) + i];
    *m->tick = b->tick_clocks && b->clock % b->tick_clocks == 0;
    *m->cmd_ready = (uint8_t)sim_chance(b->s, b->cmd_ready);
    *m->cq_db_ready = (uint8_t)sim_chance(b->s, b->db_ready);
    *m->err_ready = 1;
    *m->sq_valid = (uint8_t)b->sq_ring;
    *m->sq_qp = (uint8_t)b->sq_qp;
    *m->sq_pi = (uint16_t)b->sq_pi;
    b->sq_ring = 0;
    *m->set_fatal_valid = (uint8_t)b->set_fatal;
    *m->set_fatal_qp = (uint8_t)b->set_fatal_qp;
    *m->set_fatal_code = 4;
    b->set_fatal = 0;
    *m->rnr_valid = (uint8_t)b->rnr_set;
    *m->rnr_qp = (uint8_t)b->set_fatal_qp;
    b->rnr_set = 0;

    *m->rsp_valid = b->rsp_count && b->to_rsp[b->rsp_first].due <= b->clock;
    if (*m->rsp_valid) {
        const rq_response *r = &b->to_rsp[b->rsp_first];
        *m->rsp_qp = (uint8_t)r->qp;
        *m->rsp_opcode = (uint8_t)r->opcode;
        *m->rsp_psn = r->psn;
        *m->rsp_syndrome = (uint8_t)r->syndrome;
        *m->rsp_length = (uint16_t)r->length;
    }
    *m->sent_valid = b->sent_count && b->sents[b->sent_first].due <= b->clock;
    if (*m->sent_valid) {
        *m->sent_error = (uint8_t)b->sents[b->sent_first].error;
        rq_work *w = &b->qp[b->sents[b->sent_first].qp].work[b->sents[b->sent_first].work];
        if (w->in_tx) w->in_tx--;
        b->sent_first = (b->sent_first + 1) % RQ_WIRE;
        b->sent_count--;
    }
    *m->put_valid = b->put_count && b->puts[b->put_first].due <= b->clock;
    if (*m->put_valid) {
        *m->put_error = (uint8_t)b->puts[b->put_first].error;
        b->qp[b->puts[b->put_first].qp].work[b->puts[b->put_first].work].put++;
        b->put_first = (b->put_first + 1) % RQ_WIRE;
        b->put_count--;
    }
    while (b->peer_count && b->to_peer[b->peer_first].due <= b->clock) {
        rq_command c = b->to_peer[b->peer_first].c;
        b->peer_first = (b->peer_first + 1) % RQ_WIRE;
        b->peer_count--;
        for (int copies = 1 + sim_chance(b->s, b->twice); copies--;) peer_takes(b, &c);
    }
}

/* ---- making one */

static rq_bench *make(sim *s, unsigned bytes, unsigned qps)
{
    rq_bench *b = test_memory(sizeof *b);
    b->s = s;
    b->bytes = bytes;
    b->qps = qps;
    b->qp = test_memory(qps * sizeof *b->qp);
    for (unsigned i = 0; i < qps; i++) b->qp[i].error_from = UINT32_MAX;
    b->cmd_ready = b->db_ready = 100;
    b->wire = 20;
    b->sent_delay = b->put_delay = 10;
    b->tick_clocks = 64;
    b->clk = make_clock(s, "clk", 6400, 0);
    sim_model *model = make_clocked(s, b->clk,
                                    bytes == 64 ? &roce_requester_64_config
                                    : qps == 64 ? &roce_requester_qps_config
                                                : &roce_requester_config,
                                    "requester");
    b->m = MODEL_AS(roce_requester, model, "qp_fatal qp_mgr_rdata wr_ddr_wdata wr_ddr_wstrb top_wdata top_wstrb");
    b->p = PORTS_AS(roce_requester, model);
    b->memory = memory_bench_new(s, b->clk, NULL);
    memory_bench_port(b->memory, b->clk, model, "qp_mgr_");
    memory_bench_port(b->memory, b->clk, model, "top_");
    b->wr_port = memory_bench_port(b->memory, b->clk, model, "wr_ddr_")->number;
    axi_memory_on_written(b->memory, written, b);
    sim_clock_attach(b->clk, sample, drive, b);
    *b->m->rst = 1;
    *b->m->chip_enable = 1;
    *b->m->opkterr_base = RQ_ERRORS;
    *b->m->opkterr_size = 8;
    *b->m->qp_limit = 0xff;
    for (unsigned i = 0; i < qps; i++) rq_switch(b, i, 0);
    *b->m->rst = 0;
    rq_run(b, 2);
    return b;
}

rq_bench *rq_new(unsigned bytes, unsigned qps, uint64_t seed) { return make(loud_sim(seed), bytes, qps); }

rq_bench *rq_new_quiet(uint64_t seed) { return make(quiet_sim(seed), 8, 8); }

void rq_run(rq_bench *b, unsigned clocks) { run_clocks(b->s, b->clk, clocks); }

static uint32_t own(rq_bench *b, unsigned start, unsigned write, unsigned qp, unsigned word, uint32_t value)
{
    *b->m->own_valid = 1;
    *b->m->own_start = (uint8_t)start;
    *b->m->own_write = (uint8_t)write;
    *b->m->own_qp = (uint8_t)qp;
    *b->m->own_word = (uint8_t)word;
    *b->m->own_wdata = value;
    for (unsigned i = 0; !*b->m->own_ready; i++) {
        ck_must(i < 20000, "QP %u: no answer of register word %x", qp, word);
        rq_run(b, 1);
    }
    uint32_t read = *b->m->own_rdata;
    rq_run(b, 1);
    *b->m->own_valid = 0;
    return read;
}

uint32_t rq_read(rq_bench *b, unsigned qp, unsigned word) { return own(b, 0, 0, qp, word, 0); }

void rq_write(rq_bench *b, unsigned qp, unsigned word, uint32_t value) { own(b, 0, 1, qp, word, value); }

void rq_timeouts(rq_bench *b, unsigned qp, unsigned v, unsigned retries, unsigned rnr_retries)
{
    b->cfg[qp][TIMEOUTCONF] = v | retries << 8 | rnr_retries << 11;
}

void rq_rdlimit(rq_bench *b, unsigned qp, unsigned limit) { b->cfg[qp][RDLIMIT] = limit; }

void rq_switch(rq_bench *b, unsigned qp, int on)
{
    *b->m->qp_switch = (uint16_t)(1u << 8 | (unsigned)on << 7 | qp);
    rq_run(b, 1);
    *b->m->qp_switch = 0;
}

void rq_enable(rq_bench *b, unsigned qp, int on)
{
    if (on) own(b, 1, 0, qp, 0, 0);
    rq_switch(b, qp, on);
}

void rq_open(rq_bench *b, unsigned qp, unsigned conf, unsigned mtu_code, uint32_t psn, unsigned depth)
{
    rq_qp *q = &b->qp[qp];
    /* roce_registers waits until nothing of the former life is under way */
    for (unsigned n = 0; rq_read(b, qp, STATQP) >> 12 & 1; n++) ck_must(n < 2000, "QP %u stays busy", qp);
    memset(q->work, 0, q->posted * sizeof q->work[0]);
    memset(&q->posted, 0, sizeof *q - offsetof(rq_qp, posted));
    q->error_from = UINT32_MAX;
    q->depth = depth;
    q->mtu = 256u << (mtu_code < 4 ? mtu_code : 4);
    q->conf = conf;
    q->next = q->expected = psn;
    b->cfg[qp][QPCONF] = QP_ENABLE | conf | mtu_code << 8;
    b->cfg[qp][SQBA] = RQ_SQ(qp);
    b->cfg[qp][CQBA] = RQ_CQ(qp);
    b->cfg[qp][CQDBADD] = RQ_DB(qp);
    b->cfg[qp][QDEPTH] = depth;
    rq_timeouts(b, qp, 10, 3, 3);
    rq_write(b, qp, SQPSN, psn);
    rq_enable(b, qp, 1);
}

unsigned rq_post(rq_bench *b, unsigned qp, rq_work w)
{
    rq_qp *q = &b->qp[qp];
    unsigned i = q->posted;
    ck_must(i < RQ_WORKS && i - q->completed < q->depth - 1, "QP %u: too many WQEs", qp);
    if (!w.wrid) w.wrid = (uint16_t)sim_random(b->s);
    if (!w.laddr) w.laddr = 0x10000000 + sim_random_below(b->s, 0x1000000);
    if (!w.roffset) w.roffset = sim_random(b->s) >> 8;
    if (!w.rtag) w.rtag = (uint32_t)sim_random(b->s);
    for (unsigned k = 0; k < 16; k++) w.sdata[k] = (uint8_t)sim_random(b->s);
    w.first = q->next;
    w.packets = w.length ? (uint32_t)(((uint64_t)w.length + q->mtu - 1) / q->mtu) : 1;
    if (!w.refused) q->next = (q->next + w.packets) & PSN;
    uint32_t e[16] = {
        w.wrid | (uint32_t)sim_random(b->s) << 16,  (uint32_t)w.laddr,   (uint32_t)(w.laddr >> 32),   w.length,
        w.opcode | (uint32_t)sim_random(b->s) << 8, (uint32_t)w.roffset, (uint32_t)(w.roffset >> 32), w.rtag};
    memcpy(&e[8], w.sdata, 16);
    memory_write(axi_memory_bytes(b->memory), RQ_SQ(qp) + 64ull * (i % q->depth), e, 64);
    q->work[q->posted++] = w;
    return i;
}

unsigned rq_post_simple(rq_bench *b, unsigned qp, unsigned opcode, uint32_t length)
{
    return rq_post(b, qp, (rq_work){.opcode = (uint8_t)opcode, .length = length});
}

void rq_ring(rq_bench *b, unsigned qp)
{
    b->sq_ring = 1;
    b->sq_qp = qp;
    b->sq_pi = b->qp[qp].posted % b->qp[qp].depth;
    rq_run(b, 2);
}

rq_command *rq_next(rq_bench *b, unsigned clocks)
{
    for (unsigned i = 0; b->looked == b->commands; i++) {
        ck_must(i < clocks, "no packet within %u clocks; %s", clocks, b->wrong);
        rq_run(b, 1);
    }
    ck_must(!b->wrong[0], "%s", b->wrong);
    return &b->command[b->looked++];
}

void rq_silence(rq_bench *b, unsigned clocks)
{
    rq_run(b, clocks);
    ck_must(b->looked == b->commands, "QP %u sends PSN %06x", b->command[b->looked].qp, b->command[b->looked].psn);
}

rq_answer *rq_respond(rq_bench *b, unsigned qp, unsigned opcode, uint32_t psn, unsigned syndrome, unsigned length)
{
    unsigned before = b->answers;
    b->to_rsp[(b->rsp_first + b->rsp_count++) % RQ_WIRE] =
        (rq_response){qp, opcode, psn & PSN, syndrome, length, b->clock};
    for (unsigned i = 0; b->answers == before; i++) {
        ck_must(i < 1000, "no answer to PSN %06x", psn);
        rq_run(b, 1);
    }
    ck_must(!b->wrong[0], "%s", b->wrong);
    return &b->answer[before % RQ_LOG];
}

rq_answer *rq_ack(rq_bench *b, unsigned qp, uint32_t psn)
{
    rq_qp *q = &b->qp[qp];
    for (unsigned i = q->completed; i < q->posted; i++) { /* acknowledged packets have been executed */
        rq_work *w = &q->work[i];
        uint32_t behind = (psn - w->first) & PSN;
        if (!w->refused && behind < 0x800000 && w->executed <= behind)
            w->executed = behind + 1 < w->packets ? behind + 1 : w->packets;
    }
    return rq_respond(b, qp, ACKNOWLEDGE, psn, ACK_GOOD, 0);
}

void rq_completed(rq_bench *b, unsigned qp, unsigned count, unsigned clocks)
{
    for (unsigned i = 0; b->qp[qp].completed < count && !b->wrong[0]; i++) {
        ck_must(i < clocks, "QP %u: %u of %u WQEs complete within %u clocks", qp, b->qp[qp].completed, count, clocks);
        rq_run(b, 1);
    }
    ck_must(!b->wrong[0], "%s", b->wrong);
}

void rq_end(rq_bench *b)
{
    rq_run(b, 300);
    ck_must(!b->wrong[0], "%s", b->wrong);
    for (unsigned qp = 0; qp < b->qps; qp++) {
        const rq_qp *q = &b->qp[qp];
        if (q->conf & QP_ENTRIES) ck_assert_uint_eq(q->entries, q->completed);
        if (q->conf & QP_CQ_IRQ) ck_assert_uint_eq(q->interrupts, q->completed);
    }
}
