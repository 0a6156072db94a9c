/* Bench of the crosspoint's contract: the rules that hold at every edge. The manual is in the header. */
#include "crosspoint_contract.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void crosspoint_complain(crosspoint_bench *b, const char *fmt, ...)
{
    va_list list;

    if (b->complaint[0]) return;
    va_start(list, fmt);
    vsnprintf(b->complaint, sizeof b->complaint, fmt, list);
    va_end(list);
    sim_stop(b->s);
}

/* ---- writer ---- */

static void sample_write(void *self)
{
    crosspoint_bench *b = self;
    unsigned inside = b->written - b->taken, space = (unsigned)sim_port_get(&b->p->wr_space);

    if (b->in_reset) return;
    b->overflows += (unsigned)sim_port_get(&b->p->overflow);
    if (b->writes_without_space == 0 && space > b->words - inside)
        crosspoint_complain(b, "wr_space is %u with %u of %u words inside", space, inside, b->words);
    if (b->overflows && !b->writes_without_space) crosspoint_complain(b, "overflow, and nothing was written without space");
    if (!sim_port_get(&b->p->wr_valid)) return;
    b->writes_without_space += space == 0;
    struct written_word *w = &b->log[b->written++ % CROSSPOINT_LOG];
    *w = (struct written_word){(uint32_t)sim_port_get(&b->p->wr_data), sim_port_get(&b->p->wr_start) != 0, sim_port_get(&b->p->wr_end) != 0,
                               sim_port_get(&b->p->wr_spoiled) != 0, sim_now(b->s)};
    if (w->start) b->start_at[b->packets_written++ % (CROSSPOINT_LOG / 4)] = w->at;
}

static void drive_write(void *self)
{
    crosspoint_bench *b = self;
    bool packet = b->write_in != b->write_out;
    bool write = packet && !b->in_reset && (int)sim_random_below(b->s, 100) < b->write_percent &&
                 (!b->keeps_to_space || sim_port_get(&b->p->wr_space));

    sim_port_set(&b->p->wr_valid, write);
    sim_port_set(&b->p->wr_data, (uint32_t)sim_random(b->s) | 1);
    sim_port_set(&b->p->wr_start, write ? b->written_of_packet == 0 : sim_random_below(b->s, 2));
    sim_port_set(&b->p->wr_end, sim_random_below(b->s, 2));
    sim_port_set(&b->p->wr_spoiled, sim_random_below(b->s, 2));
    if (!write) return;
    bool end = ++b->written_of_packet == b->to_write[b->write_out % CROSSPOINT_QUEUE];
    sim_port_set(&b->p->wr_end, end);
    sim_port_set(&b->p->wr_spoiled, end && (int)sim_random_below(b->s, 100) < b->spoiled_percent);
    if (!end) return;
    b->written_of_packet = 0;
    b->write_out++;
}

/* ---- reader ---- */

static void look_at_arrival(crosspoint_bench *b)
{
    if (!sim_port_get(&b->p->arrived)) return;
    unsigned k = b->packets_arrived++ % (CROSSPOINT_LOG / 4);
    if (b->packets_arrived > b->packets_written || b->start_at[k] >= sim_now(b->s)) {
        crosspoint_complain(b, "arrived %u times, %u packets have been begun", b->packets_arrived, b->packets_written);
        return;
    }
    b->arrived_at[k] = b->read_cycle;
    if (sim_now(b->s) - b->start_at[k] > b->slowest_arrival) b->slowest_arrival = sim_now(b->s) - b->start_at[k];
}

static void look_at_word(crosspoint_bench *b, unsigned announced)
{
    struct written_word shown = {(uint32_t)sim_port_get(&b->p->rd_data), false, sim_port_get(&b->p->rd_end) != 0,
                                 sim_port_get(&b->p->rd_spoiled) != 0, 0};
    const struct written_word *w = &b->log[b->taken % CROSSPOINT_LOG];

    if (!sim_port_get(&b->p->rd_valid)) {
        if (shown.data || shown.end || shown.spoiled)
            crosspoint_complain(b, "without a word rd_data is %08x, rd_end %d, rd_spoiled %d", shown.data, shown.end, shown.spoiled);
        if (!b->in_packet && b->packets_begun < announced)
            crosspoint_complain(b, "packet %u has arrived, a clock later its first word does not show", b->packets_begun);
        return;
    }
    if (b->taken == b->written || w->at >= sim_now(b->s)) crosspoint_complain(b, "word %u shows and has not been written", b->taken);
    else if (shown.data != w->data || shown.end != w->end || shown.spoiled != w->spoiled)
        crosspoint_complain(b, "word %u is %08x, end %d, spoiled %d; written was %08x, %d, %d", b->taken, shown.data, shown.end,
                            shown.spoiled, w->data, w->end, w->spoiled);
}

static void sample_read(void *self)
{
    crosspoint_bench *b = self;
    unsigned announced = b->packets_arrived;

    b->read_cycle++;
    if (b->in_reset) return;
    look_at_arrival(b);
    b->underflows += (unsigned)sim_port_get(&b->p->underflow);
    if (b->underflows > b->blind_pops) crosspoint_complain(b, "underflow, and nothing was popped without a word");
    if (sim_port_get(&b->p->occupancy) > b->written - b->taken)
        crosspoint_complain(b, "occupancy is %u with %u words inside", (unsigned)sim_port_get(&b->p->occupancy), b->written - b->taken);
    if (b->writes_without_space) return; /* what is inside is lost */
    look_at_word(b, announced);
    if (!sim_port_get(&b->p->rd_pop)) return;
    if (!sim_port_get(&b->p->rd_valid)) {
        b->blind_pops++;
        if (b->streams) crosspoint_complain(b, "a reader two clocks behind `arrived` has to wait for word %u", b->taken);
        return;
    }
    const struct written_word *w = &b->log[b->taken++ % CROSSPOINT_LOG];
    b->packets_begun += w->start;
    b->in_packet = !w->end;
}

static void drive_read(void *self)
{
    crosspoint_bench *b = self;
    bool may_begin = b->packets_begun < b->packets_arrived && b->read_cycle > b->arrived_at[b->packets_begun % (CROSSPOINT_LOG / 4)];
    bool wants = (b->in_packet || may_begin) && (int)sim_random_below(b->s, 100) < b->pop_percent;

    sim_port_set(&b->p->rd_pop, !b->in_reset && ((b->pops_blindly && sim_random_below(b->s, 2)) ||
                                                 (wants && (b->streams || sim_port_get(&b->p->rd_valid)))));
}

/* ---- both ---- */

static void sample_both(void *self)
{
    sample_write(self);
    sample_read(self);
}

static void drive_both(void *self)
{
    drive_write(self);
    drive_read(self);
}

static void set_reset(crosspoint_bench *b, bool reset)
{
    b->in_reset = reset;
    sim_port_set(&b->p->wr_rst, reset);
    sim_port_set(&b->p->rd_rst, reset);
    if (!reset) return;
    sim_port_set(&b->p->wr_valid, 0);
    sim_port_set(&b->p->rd_pop, 0);
    b->written = b->taken = b->packets_written = b->packets_arrived = b->packets_begun = 0;
    b->write_out = b->write_in;
    b->written_of_packet = 0;
    b->in_packet = false;
    b->overflows = b->underflows = b->blind_pops = b->writes_without_space = 0;
}

void crosspoint_reset(crosspoint_bench *b)
{
    set_reset(b, true);
    crosspoint_run(b, 5);
    set_reset(b, false);
}

crosspoint_bench *crosspoint_bench_new(const sim_config *config, unsigned fault, const crosspoint_clocks *clocks)
{
    crosspoint_bench *b = calloc(1, sizeof *b);
    b->s = quiet_sim(0);
    b->model = contract_model(b->s, NULL, config, fault);
    b->p = PORTS_AS(slot_crosspoint_two, b->model);
    b->same_clock = sim_config_parameter(config, "SAME_CLOCK", 0) != 0;
    b->words = 1u << (b->p->occupancy.bits - 1);
    sim_clock_params w = {.name = "wr_clk", .period = CROSSPOINT_PERIOD, .ppm = clocks->write_ppm, .jitter = clocks->jitter, .phase = 0};
    sim_clock_params r = {
        .name = "rd_clk", .period = CROSSPOINT_PERIOD, .ppm = clocks->read_ppm, .jitter = clocks->jitter, .phase = clocks->read_phase};
    b->write_clock = b->read_clock = sim_clock_new(b->s, &w);
    if (!b->same_clock) b->read_clock = sim_clock_new(b->s, &r);
    sim_model_clock(b->model, b->write_clock, b->p->wr_clk.at);
    sim_model_clock(b->model, b->read_clock, b->p->rd_clk.at);
    b->write_percent = 100;
    b->keeps_to_space = true;
    if (b->same_clock) {
        sim_clock_attach(b->write_clock, sample_both, drive_both, b);
    } else {
        sim_clock_attach(b->write_clock, sample_write, drive_write, b);
        sim_clock_attach(b->read_clock, sample_read, drive_read, b);
    }
    sim_port_set(&b->p->wr_start, 0);
    sim_port_set(&b->p->wr_end, 0);
    sim_port_set(&b->p->wr_spoiled, 0);
    sim_port_set(&b->p->wr_data, 0);
    crosspoint_reset(b);
    return b;
}

void crosspoint_bench_free(crosspoint_bench *b)
{
    sim_free(b->s);
    free(b);
}

void crosspoint_queue(crosspoint_bench *b, unsigned words)
{
    if (b->write_in - b->write_out == CROSSPOINT_QUEUE || words < 5) abort();
    b->to_write[b->write_in++ % CROSSPOINT_QUEUE] = words;
}

void crosspoint_run(crosspoint_bench *b, unsigned clocks)
{
    if (!b->complaint[0]) sim_run(b->s, sim_now(b->s) + (sim_time)clocks * CROSSPOINT_PERIOD);
    if (sim_error(b->s)[0]) crosspoint_complain(b, "%s", sim_error(b->s));
}

void crosspoint_drain(crosspoint_bench *b)
{
    for (int i = 0; i < 1000 && !b->complaint[0] && (b->write_in != b->write_out || b->taken != b->written); i++) crosspoint_run(b, 100);
    crosspoint_run(b, 20);
    if (b->write_in != b->write_out || b->taken != b->written)
        crosspoint_complain(b, "%u packets are not written, %u of %u words have not come out", b->write_in - b->write_out,
                            b->written - b->taken, b->written);
    if (b->packets_arrived != b->packets_written)
        crosspoint_complain(b, "%u packets were written, %u have arrived", b->packets_written, b->packets_arrived);
}
