/* The register block of the NIC on a clock of its own, as the bus and the counted modules see it.
 *
 * One step is one clock: inputs set before it are taken by its edge, and outputs show the values after it. A write
 * takes effect in the clock after the one that takes it, so an input set after register_bench_put() is high in the same
 * clock as the effect of the write. */
#ifndef TB_REGISTER_BENCH_H
#define TB_REGISTER_BENCH_H

#include "registers8.h"
#include "sim/core/kernel/sim.h"

struct register_bench {
    sim *s;
    registers8 *m;                      /* but for heads, tails and fulls of the queues */
    const registers8_ports *ports;      /* all, whatever their widths */
    uint32_t departed[16], skipped[16]; /* counts of the queues */
};

/* Out of reset, all inputs 0. Default parameters with 8 queues, or those of tb/unit/monitor/models with 16. */
struct register_bench *register_bench_new(int big);
void register_bench_reset(struct register_bench *b);
void register_bench_step(struct register_bench *b, unsigned clocks);
/* The clock of a write of up to 8 bytes; be: bit i for the byte at `offset` + i; `offset` is a multiple of 8. */
void register_bench_put(struct register_bench *b, unsigned offset, uint64_t data, unsigned be);
/* That and the clock in which it takes effect. _write: the bytes `be` (bit 0..3) of the register at `offset`. */
void register_bench_write_64(struct register_bench *b, unsigned offset, uint64_t data, unsigned be);
void register_bench_write(struct register_bench *b, unsigned offset, uint32_t value, unsigned be);
uint64_t register_bench_read_64(struct register_bench *b, unsigned offset);
uint32_t register_bench_read(struct register_bench *b, unsigned offset);
/* Hands over one network counter by its number (NIC_NC_.., or beyond), as the crossing does. */
void register_bench_copy(struct register_bench *b, unsigned place, uint32_t value);

/* Level of an event, by its number in the map's vector (NIC_EVENT_..). */
void register_bench_event(struct register_bench *b, unsigned event, int level);
/* It is high for this many clocks. */
void register_bench_pulse(struct register_bench *b, unsigned event, unsigned clocks);
/* All events at once. */
void register_bench_events(struct register_bench *b, int level);
#endif
