/* Compiled Verilog models, as the runtime sees them, and what a generated binding offers.
 *
 * Use. For a Verilog module `fifo` with ports clk, d[67:0], q[15:0] the build makes build/models/fifo/fifo.h with
 *
 *     typedef struct fifo { sim_model *model; uint8_t *clk; uint32_t *d; const uint16_t *q; } fifo;
 *     fifo *fifo_new(sim *, const char *instance);      instance: its name in waves and tables, unique, [A-Za-z0-9_]
 *     void fifo_free(fifo *);                           before sim_free
 *
 * and the library that goes with it. The pointers lead straight into the model: 1..8 bits uint8_t, ..16 uint16_t, ..32 uint32_t, ..64
 * uint64_t, wider an array of uint32_t, lowest word first. Bits above a port's width must be written as 0. Connect every clock input
 * with sim_model_clock (sim.h); set other inputs in the drive phase. fifo_new gives NULL when the instance name is refused or memory
 * is exhausted; sim_error says which.
 *
 * All models of a sim share one Verilator context, so that one waves file shows the whole system; each is seeded on its own, from the
 * sim's seed and its instance name, so that adding a model changes nothing in the others.
 *
 * The rest of this file is between the generated glue (scripts/bindings.pl, scripts/verilated.cpp.in) and the runtime. */
#ifndef SIM_RUNTIME_MODEL_H
#define SIM_RUNTIME_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "sim/runtime/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A port of a model: `at` is what the member of the binding points to. */
typedef struct {
    const char *name;
    unsigned bits;
    int output;
    void *at;
} sim_port;

/* An instance of a module that declares probes. Flags: which of the optional ones it has. */
typedef struct {
    const char *path;   /* hierarchical name, starting with the top module */
    const char *module; /* module name without parameters */
    const char *clock;  /* port of the top that clocks it */
    int stall, start, done;
} sim_probe;

typedef struct {
    const char *config, *module, *parameters; /* parameters: those set, "PORTS=2 MONITOR=0" for instance */
    void (*eval)(void *m);
    void (*waves)(void *m, void *waves); /* adds the model to a waves file not yet open */
    void (*free)(void *m);
    const sim_probe *probes;
    size_t probe_count;
} sim_model_ops;

/* What is common to all models of a simulator. */
typedef struct {
    void *(*context_new)(void);
    void (*context_free)(void *c);
    void (*context_seed)(void *c, uint32_t seed); /* 1.. ; for the models made next */
    void (*context_time)(void *c, uint64_t time);
    int (*context_ended)(void *c); /* 0 no, 1 $finish or $stop, 2 $error */
    void *(*waves_new)(void);
    int (*waves_open)(void *w, const char *path); /* 0, or -1 */
    void (*waves_dump)(void *w, uint64_t time);
    void (*waves_close)(void *w);
    void (*waves_free)(void *w);
    const uint8_t *(*signal)(void *c, const char *path, const char *name); /* a one-bit signal made public; NULL if there is none */
    int (*word)(void *c, const char *path, const char *name, uint64_t *value); /* 0, or -1: no public signal of up to 64 bits */
} sim_engine;

extern const sim_engine sim_verilated;

/* Before a model is made: its context, seeded for it. NULL if the name is refused (sim_error). */
void *sim_model_prepare(sim *s, const sim_engine *engine, const char *instance);
/* Takes ownership of impl; never NULL. */
sim_model *sim_model_new(sim *s, const sim_model_ops *ops, void *impl, const char *instance);
void sim_model_free(sim_model *m);
/* Tells a port; in the order of the module. The name is kept, not copied. */
void sim_model_port(sim_model *m, const char *name, unsigned bits, int output, const void *at);

/* ---- for blocks that look into models, as cycles.c does ---- */

const char *sim_model_name(const sim_model *m);
const sim_model_ops *sim_model_kind(const sim_model *m);
sim *sim_model_sim(const sim_model *m);
/* All ports, in the order of the module. */
const sim_port *sim_model_ports(const sim_model *m, size_t *count);
/* The clock connected to a port of the binding, by the port's name: NULL if there is none. */
sim_clock *sim_model_clock_at(const sim_model *m, const char *port);
/* A public one-bit signal, e.g. probe_busy of a probe's path: NULL if it does not exist. */
const uint8_t *sim_model_signal(const sim_model *m, const char *path, const char *name);
/* The value of a public signal of up to 64 bits as of the last evaluation. 0, or -1 if it does not exist. */
int sim_model_word(const sim_model *m, const char *path, const char *name, uint64_t *value);

#ifdef __cplusplus
}
#endif
#endif
