/* See core_user.h. */
#include "core_user.h"

#include <string.h>

#include "simulation.h"

static void complain(core_user *u, const char *problem)
{
    if (u->problem == NULL) u->problem = problem;
}

static void log_done(done_log *log, unsigned tag, unsigned status, uint64_t clock)
{
    log->entry[log->count++ % 256] = (done_entry){.tag = (uint8_t)tag, .status = (uint8_t)status, .clock = clock};
}

static void put_bytes(uint64_t *to, uint64_t data, unsigned enables)
{
    for (int i = 0; i < 8; i++)
        if (enables >> i & 1) *to = (*to & ~(0xffull << 8 * i)) | (data & 0xffull << 8 * i);
}

static void take_accesses(core_user *u)
{
    const pcix_core *p = &u->p;
    u->read_pipe[1] = u->read_pipe[0];
    u->read_pipe[0] = *p->reg_rd_valid ? u->registers[*p->reg_rd_addr % REGISTER_WORDS] : sim_random(u->s);
    if (*p->reg_wr_valid) {
        put_bytes(&u->registers[*p->reg_wr_addr % REGISTER_WORDS], *p->reg_wr_data, *p->reg_wr_be);
        u->register_writes++;
    }
    if (!*p->win_req) return;
    u->window_age++;
    if (!*p->win_ack) return;
    if (*p->win_we) put_bytes(&u->window[*p->win_addr % WINDOW_WORDS], *p->win_wdata, *p->win_be);
    u->window_writes += *p->win_we;
    u->window_reads += !*p->win_we;
    u->window_age = 0;
}

static void end(core_dma *d, unsigned status)
{
    d->status = (int)status;
    d->done = 1;
}

static void take_write(core_user *u)
{
    const pcix_core *p = &u->p;
    if (*p->wr_data_pop) {
        if (!*p->wr_data_valid) complain(u, "a word is popped without valid");
        u->source_head++;
    }
    if (*p->wr_ack) {
        if (!*p->wr_req) complain(u, "wr_ack without wr_req");
        u->wr_waiting = 0;
    }
    if (*p->wr_done) {
        log_done(&u->wr_done, 0, *p->wr_status, u->clock);
        if (u->write_ended != u->write_out) end(u->writes[u->write_ended++ % CORE_QUEUE], *p->wr_status);
    }
}

static void take_read(core_user *u)
{
    const pcix_core *p = &u->p;
    if (*p->rd_ack) u->rd_waiting = 0;
    if (*p->rd_data_valid) {
        core_dma *d = u->tags[*p->rd_data_tag];
        u->rd_data.words[u->rd_data.count % LOG_MAX] = *p->rd_data;
        u->rd_data.tags[u->rd_data.count++ % LOG_MAX] = *p->rd_data_tag;
        if (d != NULL && d->moved < d->words) d->data[d->moved++] = *p->rd_data;
        else if (u->read_in != 0) complain(u, "a word of no read");
    }
    if (*p->rd_done) {
        core_dma *d = u->tags[*p->rd_done_tag];
        log_done(&u->rd_done, *p->rd_done_tag, *p->rd_status, u->clock);
        if (d != NULL) end(d, *p->rd_status);
        else if (u->read_in != 0) complain(u, "the end of no read");
        u->tags[*p->rd_done_tag] = NULL;
    }
}

static void count_events(core_user *u)
{
    const pcix_core *p = &u->p;
    core_events *e = &u->ev;
    e->read_request_done += *p->ev_read_request_done;
    e->write_request_done += *p->ev_write_request_done;
    e->write_disconnect += *p->ev_write_disconnect;
    e->split_response += *p->ev_split_response;
    e->split_waiting += *p->split_waiting;
    e->waits_over += u->split_waited && !*p->split_waiting;
    u->split_waited = *p->split_waiting;
    if (*p->ev_split_response) {
        u->split_at = u->clock;
        u->word_at = 0;
    }
    if (*p->rd_data_valid && !u->word_at) u->word_at = u->clock;
    e->unexpected += *p->ev_unexpected_completion;
    e->abandoned += *p->ev_read_abandoned;
    e->irq_assert += *p->ev_irq_assert;
    e->parity_error += *p->ev_parity_error;
    e->underflow += *p->wr_underflow;
    if (*p->arb_started) u->started_write = *p->arb_started_write;
    e->started_read += *p->arb_started && !*p->arb_started_write;
    e->started_write += *p->arb_started && *p->arb_started_write;
    e->write_bus += *p->write_bus_active;
}

void core_user_sample(void *user)
{
    core_user *u = user;
    if (!*u->p.rst) { /* outputs of the core in reset have no meaning */
        take_accesses(u);
        take_write(u);
        take_read(u);
        count_events(u);
    }
    u->clock++;
}

static void feed(core_user *u)
{
    if (!u->wr_waiting && u->write_out != u->write_in) {
        const core_dma *d = u->writes[u->write_out++ % CORE_QUEUE];
        core_user_ask_write(u, d->address, d->words, d->data);
    }
    if (!u->rd_waiting && u->read_out != u->read_in && u->tags[u->reads[u->read_out % CORE_QUEUE]->tag] == NULL) {
        core_dma *d = u->reads[u->read_out++ % CORE_QUEUE];
        u->tags[d->tag] = d;
        core_user_ask_read(u, d->address, d->words, d->tag);
    }
}

void core_user_drive(core_user *u)
{
    pcix_core *p = &u->p;
    feed(u);
    *p->reg_rd_data = u->read_pipe[1];
    *p->win_ack = *p->win_req && u->window_age >= u->window_latency;
    *p->win_rdata = *p->win_ack ? u->window[*p->win_addr % WINDOW_WORDS] : sim_random(u->s);
    *p->wr_req = (uint8_t)u->wr_waiting;
    *p->rd_req = (uint8_t)u->rd_waiting;
    *p->wr_data_valid = u->source_head != u->source_ready;
    *p->wr_data = *p->wr_data_valid ? u->source[u->source_head % SOURCE_WORDS] : sim_random(u->s);
}

void core_user_init(core_user *u, sim *s, sim_model *core)
{
    memset(u, 0, sizeof *u);
    u->s = s;
    u->p = *MODEL_AS(pcix_core, core, NULL);
    u->window_latency = 3;
    *u->p.rst = *u->p.arb_pick_write = 1;
    *u->p.arb_hold_write = *u->p.irq_event = *u->p.rd_abandon = 0;
    *u->p.cfg_completion_timer = 0;
    *u->p.queue0_head = *u->p.queue0_tail = 0;
}

void core_user_ask_write(core_user *u, uint64_t address, unsigned words, const uint64_t *data)
{
    for (unsigned i = 0; i < words; i++) u->source[u->source_tail++ % SOURCE_WORDS] = data[i];
    u->source_ready = u->source_tail;
    *u->p.wr_addr = address;
    *u->p.wr_words = (uint16_t)words;
    u->wr_waiting = 1;
}

void core_user_ask_read(core_user *u, uint64_t address, unsigned words, unsigned tag)
{
    *u->p.rd_addr = address;
    *u->p.rd_words = (uint16_t)words;
    *u->p.rd_tag = (uint8_t)tag;
    u->rd_waiting = 1;
}

void core_user_write(core_user *u, core_dma *d)
{
    d->done = d->moved = 0;
    u->writes[u->write_in++ % CORE_QUEUE] = d;
}

void core_user_read(core_user *u, core_dma *d)
{
    d->done = d->moved = 0;
    u->reads[u->read_in++ % CORE_QUEUE] = d;
}
