/* Compiled Verilog models, as the runtime sees them, and what a generated binding offers.
 *
 * Use. For a Verilog module `fifo` with ports clk, d[67:0], q[15:0] the build makes build/models/fifo/fifo.h with
 *
 *     typedef struct fifo { sim_model *model; uint8_t *clk; uint32_t *d; const uint16_t *q; } fifo;
 *     fifo *fifo_new(sim *, const char *instance);      instance: its name in waves and tables, unique, [A-Za-z0-9_]
 *     void fifo_free(fifo *);                           for one that goes before its sim; sim_free frees the others
 *
 * and the library that goes with it. The pointers lead straight into the model: 1..8 bits uint8_t, ..16 uint16_t, ..32
 * uint32_t, ..64 uint64_t, wider an array of uint32_t, lowest word first. Bits above a port's width must be written as
 * 0. Connect every clock input with sim_model_clock (sim.h); set other inputs in the drive phase. fifo_new gives NULL
 * when the instance name is refused or memory is exhausted; sim_error says which.
 *
 * One bench for several configurations, or for several modules that fill one place, does without the type:
 *
 *     extern const sim_config fifo_config;                                what the build knows of a configuration, its
 * ports among it typedef struct fifo_ports { sim_port clk, d, q; } fifo_ports;     its ports without their C types
 *
 *     sim_model *m = fifo_wide_config.make(s, "dut");                    any configuration
 *     fifo *f = sim_model_as(m, &fifo_config, "d");                      its ports as pointers of `fifo`, found by
 * name; d is left out, because its C type is not the same const fifo_ports *p = sim_model_ports_as(m, &fifo_config);
 * its ports whatever their widths: sim_port_get(&p->d)
 *
 * So only code that uses a port names it.
 *
 * A port whose name means something in C or C++, or is `model`, has `_` behind it in the struct: m->class_. As data it
 * is "class". An inout port is three: `pad`, an output, is the level of the wires (0 if undriven, the OR of two
 * drivers); `pad_i`, an input, is what others put there, and `pad_ie` on which of its bits they do.
 *
 * Each model has a Verilator context of its own, and is seeded from the sim's seed and its instance name, so that
 * adding a model changes nothing in the others.
 *
 * The glue is made by scripts/bindings.py and scripts/verilated.cpp.in. */
#ifndef SIM_CORE_KERNEL_MODEL_H
#define SIM_CORE_KERNEL_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "sim/core/kernel/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A port of a model: `at` is what the member of the binding points to. */
typedef struct sim_port {
    const char *name;
    unsigned bits;
    int output;
    void *at;
} sim_port;

/* A port of a configuration. */
typedef struct {
    const char *name;
    unsigned bits;
    int output;
    size_t offset; /* of the pointer in the binding */
} sim_config_port;

/* Probes (cycles.h): wires of a module that say what it does. */
typedef enum {
    SIM_PROBE_BUSY,
    SIM_PROBE_STALL,
    SIM_PROBE_START,
    SIM_PROBE_DONE,
    SIM_PROBE_LEVEL,
    SIM_PROBE_STATE
} sim_probe_kind;
typedef struct {
    const char *name; /* "probe_stall_credit" */
    sim_probe_kind kind;
    const char *label;  /* "credit", of a reason to stall or a state machine; "": none */
    const char *states; /* names from 0 on, a space between; "": not known, or no state */
} sim_probe_signal;

/* An instance of a module that declares probes, or one side of it that has a clock of its own. */
typedef struct {
    const char *path;   /* hierarchical name, starting with the top module */
    const char *scope;  /* where its signals are */
    const char *module; /* module name without parameters */
    const char *side;   /* "wr" of wr_probe_busy; "": of probe_busy */
    const char *clock;  /* port of the top that clocks it */
    const char *by;     /* "": its own probes; else by what it is counted (scripts/handshakes.py) */
    const sim_probe_signal *signals;
    size_t count;
} sim_probe;

/* A configuration that was built: build/models/NAME. */
typedef struct sim_config {
    const char *name, *module, *parameters;           /* parameters: those set, "PORTS=2 MONITOR=0" for instance */
    sim_model *(*make)(sim *s, const char *instance); /* as NAME_new */
    const sim_config_port *ports;                     /* in the order of the module */
    size_t port_count;
    const char *falling; /* inputs at whose falling edge something may happen in the model, with a space between */
    /* for the runtime */
    size_t binding_size;
    int (*eval)(void *m, void *context, uint64_t time); /* as sim_engine.context_ended */
    void (*waves)(void *m, void *recorder);             /* adds the model; NULL: built without waves and probes */
    void (*free)(void *m);
    const sim_probe *probes;
    size_t probe_count;
    const struct sim_lanes *lanes; /* NULL: none */
    const char *loops;             /* where its Verilog has loops that may not end, "my_block.v:17, ..."; "": nowhere */
    const char *blocks; /* that are in slots instead of the default ones: "VOQ_SCHEDULER=my_block"; "": none */
} sim_config;

enum { SIM_LANES_MOST = 16 };

/* A configuration several times, evaluated together: a lane of a vector for each instance. Masks: bit k is lane k. */
typedef struct sim_lanes {
    const char *name;    /* of the configuration */
    unsigned width;      /* up to SIM_LANES_MOST */
    int (*usable)(void); /* has this processor the vectors it was compiled for? */
    void *(*make)(void); /* NULL: memory is exhausted */
    void (*free)(void *lanes);
    void (*take)(void *lanes, unsigned lane, void *m,
                 void *binding);               /* from now on the binding leads to pins that stand here */
    void (*alone)(void *lanes, unsigned lane); /* evaluates its model, which has its state until it joins */
    void (*join)(void *lanes, unsigned lane);  /* its state goes into the lane */
    void (*show)(void *lanes, unsigned lane);  /* writes the lane's state into its model */
    /* Inputs pass through; edges of clocks, if there are any. joined: lanes that have the state of their models, among
     * them those of the mask; what the others hold may change. */
    void (*settle)(void *lanes, uint32_t mask, uint32_t joined);
    void (*edge)(void *lanes, uint32_t mask,
                 uint32_t joined); /* the same where no input but clocks has changed since */
    /* Evaluates the lane's model, too, as the lane was: the difference between both, or NULL; with all = 0 only outputs
     * are compared. From then on the model must be evaluated whenever the lane is. */
    const char *(*differs)(void *lanes, unsigned lane, int all);
} sim_lanes;

/* ---- any configuration ---- */

/* The value that a parameter was set to in the file `models`, or the other one if it was not. */
long sim_config_parameter(const sim_config *c, const char *name, long otherwise);

/* The binding of another configuration for this model: every pointer leads to the port of the same name. Each must be
 * there with the same direction, and with a width that has the same C type; those in `varying` (names with a space
 * between, NULL = none) may have any width and are NULL. More ports do no harm. NULL if it does not fit: sim_error
 * names model and port and what was expected. Freed with the model. */
void *sim_model_as(sim_model *m, const sim_config *as, const char *varying);
/* The same as an array in the order of the other one, which is its NAME_ports; widths may differ. */
const void *sim_model_ports_as(sim_model *m, const sim_config *as);
/* One port. NULL if there is none: sim_error says so. */
const sim_port *sim_model_port(const sim_model *m, const char *name);

/* Ports of up to 64 bits; bits of a value above the port's width are dropped. */
uint64_t sim_port_get(const sim_port *p);
void sim_port_set(const sim_port *p, uint64_t value);
/* Bits lsb .. lsb + bits - 1 of a port of any width; bits <= 64. */
uint64_t sim_port_field(const sim_port *p, unsigned lsb, unsigned bits);
void sim_port_set_field(const sim_port *p, unsigned lsb, unsigned bits, uint64_t value);

/* ---- between the generated glue and the runtime ---- */

struct fst_stream;

/* Common to all models of a simulator. */
typedef struct {
    void *(*context_new)(int zero); /* 1: registers start at 0, else at values drawn from the seed */
    void (*context_free)(void *c);
    void (*context_seed)(void *c, uint32_t seed); /* 1.. ; for the models made next */
    void (*context_time)(void *c, uint64_t time);
    int (*context_ended)(void *c); /* 0 no, 1 $finish or $stop, 2 $error */
    void *(*recorder_new)(void);   /* for the waves of one model, which is added next */
    void (*recorder_open)(void *r, struct fst_stream *stream);
    void (*recorder_show)(void *r,
                          uint64_t n); /* for the n-th time: what has changed since the one before, at first all */
    void (*recorder_free)(void *r);
    const void *(*signal)(void *c, const char *path, const char *name,
                          unsigned *bytes); /* made public; NULL: none of up to 64 bits */
} sim_engine;

extern const sim_engine sim_verilated;

/* Where $readmemh and $fopen of a model look for files first, by its context: a folder with a / behind it. */
void sim_model_folder(void *context, const char *folder);
/* Before a model is made: its context, seeded for it. NULL if the name is refused (sim_error). */
void *sim_model_prepare(sim *s, const sim_engine *engine, const char *instance);
/* Takes ownership of impl and of the binding; never NULL. */
sim_model *sim_model_new(sim *s, const sim_config *config, void *impl, void *binding, const char *instance);
void sim_model_free(sim_model *m);
void *sim_model_binding(const sim_model *m);
/* Verilator gives up, a value does not settle for instance: the run ends with this text. Does not return. */
void sim_model_fatal(const char *file, int line, const char *text) __attribute__((noreturn));

/* ---- for blocks that look into models, as cycles.c does ---- */

const char *sim_model_name(const sim_model *m);
const sim_config *sim_model_config(const sim_model *m);
sim *sim_model_sim(const sim_model *m);
/* All ports, in the order of the module. */
const sim_port *sim_model_ports(const sim_model *m, size_t *count);
/* The clock connected to a port of the binding, by the port's name: NULL if there is none. */
sim_clock *sim_model_clock_at(const sim_model *m, const char *port);
/* Where it can be seen whether the next edge arrives at a clock input that has been connected. NULL: there is none of
 * that name. */
const uint8_t *sim_model_clock_enable(const sim_model *m, const char *port);
/* A public signal of up to 64 bits, e.g. probe_busy of a probe's path; its type: 1 (up to 8 bits), 2, 4 or 8 bytes.
 * NULL: there is none. */
const void *sim_model_signal(const sim_model *m, const char *path, const char *name, unsigned *bytes);
/* Its value. */
static inline uint64_t sim_signal_value(const void *signal, unsigned bytes)
{
    switch (bytes) {
    case 1:
        return *(const uint8_t *)signal;
    case 2:
        return *(const uint16_t *)signal;
    case 4:
        return *(const uint32_t *)signal;
    default:
        return *(const uint64_t *)signal;
    }
}
/* The value of a public signal of up to 64 bits as of the last evaluation. 0, or -1 if it does not exist. */
int sim_model_word(const sim_model *m, const char *path, const char *name, uint64_t *value);

#ifdef __cplusplus
}
#endif
#endif
