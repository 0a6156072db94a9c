/* A port whose pins are variables of the bench: no Verilog. Either a script moves them clock by clock, or a master in C
 * does. */
#ifndef AXI_BENCH_H
#define AXI_BENCH_H

#include "sim/model/axi/axi_memory.h"
#include "sim/model/axi/axi_monitor.h"
#include "sim/model/axi/axi_stream_monitor.h"
#include "simulation.h"

enum { BENCH_PERIOD = 5000 /* [ps] */, BENCH_CASE = 60 /* clocks of a case */ };

typedef struct axi_bench {
    sim *s;
    sim_clock *clock;
    axi_pins pins;
    axi_stream_pins stream;
    uint64_t value[AXI_SIGNALS][8]; /* values on the pins; data are wider */
    uint64_t rst, tvalid, tready, tdata, tkeep, tlast, tuser;
    const char *script; /* rest of it */
    uint64_t now;       /* clocks begun */
    char broken[64];    /* the first rule that was broken, "" */
    axi_violation violation;
} axi_bench;

enum bench_kind { BENCH_AXI, BENCH_LITE };

/* A bench with pins of this width and, for AXI, without those in `without` (names with spaces around each). No blocks
 * yet. */
axi_bench *axi_bench_new(enum bench_kind kind, unsigned bytes, const char *without);
/* Where monitors report to. */
void axi_bench_broken(void *bench, const axi_violation *v);
/* Plays a script for this many clocks: "1 awvalid=1 awaddr=1000 3 awvalid=0" sets pins after the edge that begins
 * clocks 1 and 3. Numbers behind = are hexadecimal. A missing pin fails the test. */
void axi_bench_play(axi_bench *b, const char *script, unsigned clocks);

typedef struct axi_rule_case {
    const char *rule; /* "": none is broken */
    const char *script;
} axi_rule_case;
/* Plays it, with monitors that report to axi_bench_broken: its rule must be the first that is broken. */
void axi_bench_check(axi_bench *b, const axi_rule_case *c);

#endif
