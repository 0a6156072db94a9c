/* See core_user.h. Registered logic: `sample` sees the core's outputs before an edge, `drive` sets its inputs after it. */
#include "core_user.h"
#include "simulation.h"

#include <string.h>

static void take_register_access(core_user *u)
{
    const pcix_core *p = &u->p;
    u->read_value = u->read_stage;
    if (*p->reg_rd_valid) memcpy(&u->read_stage, u->registers + 8 * (size_t)*p->reg_rd_addr, 8);
    if (*p->reg_wr_valid)
        for (int i = 0; i < 8; i++)
            if (*p->reg_wr_be >> i & 1) u->registers[8 * (size_t)*p->reg_wr_addr + (size_t)i] = (uint8_t)(*p->reg_wr_data >> 8 * i);
}

static void take_window_access(core_user *u)
{
    const pcix_core *p = &u->p;
    u->window_age = *p->win_req && !*p->win_ack ? u->window_age + 1 : 0;
    if (!*p->win_req || *p->win_ack || u->window_age != u->window_latency || !*p->win_we) return;
    uint8_t *to = u->window + 8 * (size_t)(*p->win_addr % (CORE_WINDOW / 8));
    for (int i = 0; i < 8; i++)
        if (*p->win_be >> i & 1) to[i] = (uint8_t)(*p->win_wdata >> 8 * i);
}

static void take_write(core_user *u)
{
    const pcix_core *p = &u->p;
    u->underflows += *p->wr_underflow;
    if (*p->wr_ack) u->write_out++;
    if (*p->wr_data_pop) {
        if (u->write_data == u->write_in) {
            u->problems++;
        } else {
            core_dma *d = u->writes[u->write_data % CORE_QUEUE];
            if (++d->moved == d->words) u->write_data++;
        }
    }
    if (*p->wr_done) {
        core_dma *d = u->writes[u->write_done++ % CORE_QUEUE];
        d->done = 1;
        d->status = *p->wr_status;
    }
}

static void take_read(core_user *u)
{
    const pcix_core *p = &u->p;
    if (*p->rd_ack) {
        core_dma *d = u->reads[u->read_out++ % CORE_QUEUE];
        u->problems += u->tags[d->tag] != NULL;
        u->tags[d->tag] = d;
    }
    if (*p->rd_data_valid) {
        core_dma *d = u->tags[*p->rd_data_tag];
        if (d == NULL || d->moved >= d->words) u->problems++;
        else d->data[d->moved++] = *p->rd_data;
    }
    if (*p->rd_done) {
        core_dma *d = u->tags[*p->rd_done_tag];
        if (d == NULL) {
            u->problems++;
            return;
        }
        d->done = 1;
        d->status = *p->rd_status;
        u->tags[*p->rd_done_tag] = NULL;
    }
}

static void sample(void *self)
{
    core_user *u = self;
    if (*u->p.rst) /* the core's registers hold anything until their first clock in reset */
        return;
    take_register_access(u);
    take_window_access(u);
    if (*u->p.arb_started) u->picked_write = *u->p.arb_started_write;
    take_write(u);
    take_read(u);
}

static void drive(void *self)
{
    core_user *u = self;
    const pcix_core *p = &u->p;
    *p->rst = !*p->rst_n_pin;
    *p->reg_rd_data = u->read_value;
    *p->win_ack = *p->win_req && u->window_age == u->window_latency;
    if (*p->win_ack) memcpy(p->win_rdata, u->window + 8 * (size_t)(*p->win_addr % (CORE_WINDOW / 8)), 8);
    *p->wr_req = u->write_out != u->write_in;
    if (*p->wr_req) {
        const core_dma *d = u->writes[u->write_out % CORE_QUEUE];
        *p->wr_addr = d->address;
        *p->wr_words = (uint16_t)d->words;
    }
    *p->wr_data_valid = u->write_data != u->write_in;
    if (*p->wr_data_valid) {
        const core_dma *d = u->writes[u->write_data % CORE_QUEUE];
        *p->wr_data = d->data[d->moved];
    }
    *p->rd_req = u->read_out != u->read_in && u->tags[u->reads[u->read_out % CORE_QUEUE]->tag] == NULL;
    if (*p->rd_req) {
        const core_dma *d = u->reads[u->read_out % CORE_QUEUE];
        *p->rd_addr = d->address;
        *p->rd_words = (uint16_t)d->words;
        *p->rd_tag = (uint8_t)d->tag;
    }
    *p->arb_hold_write = 0;
    *p->arb_pick_write = (uint8_t)!u->picked_write; /* take turns */
    *p->irq_event = 0;
}

void core_user_init(core_user *u, sim_clock *clock, sim_model *core)
{
    memset(u, 0, sizeof *u);
    u->p = *MODEL_AS(pcix_core, core, NULL);
    u->window_latency = 3;
    *u->p.rst = 1;
    sim_clock_attach(clock, sample, drive, u);
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
