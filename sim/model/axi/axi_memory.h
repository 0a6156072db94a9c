/* A memory behind AXI4 ports: several masters, one memory (sim/model/host/memory.h), and all the freedom that AXI4
 * leaves a slave.
 *
 *     axi_memory_params p = axi_memory_defaults();
 *     axi_memory *m = axi_memory_new(sim, clock, &p, "memory");
 *     axi_memory_plug(m, &pins, "qp_mgr");                              // pins of a master: axi_pins_of(chip,
 * "qp_mgr_m_axi_", &pins) memory_write(axi_memory_bytes(m), address, data, size);           // what software and tests
 * do
 *
 * What is written is in the memory from the clock on in which its response (BVALID) is shown, not before: a read that
 * does not wait for the response returns the old data. A read takes each beat from memory in the clock in which it is
 * shown. Write data may be taken some beats before their address. Responses of one ID stay in order; of several IDs
 * only without `reorder`. All random choices follow from the simulation's seed. Nothing is checked here of what a
 * master must keep: axi_monitor.h does that. Bursts that no slave can serve (FIXED and WRAP are served) end the run.
 */
#ifndef SIM_MODEL_AXI_AXI_MEMORY_H
#define SIM_MODEL_AXI_AXI_MEMORY_H

#include "sim/model/axi/axi_pins.h"
#include "sim/model/host/memory.h"

typedef struct axi_memory_params {
    unsigned
        latency;     /* [clocks] from taking an address (write: and all data) to its first response, >= 1; default 20 */
    unsigned spread; /* [clocks] up to this many more, at random for each burst; default 0 */
    unsigned bandwidth;           /* [bytes per clock] of reads and writes of all ports together; default 0: no limit */
    unsigned outstanding;         /* reads, and writes, of a port under way, 1..256; default 16 */
    unsigned early_beats;         /* of write data taken before their address, 1..256; default 4 */
    unsigned stall[AXI_CHANNELS]; /* [percent] of clocks in which READY is low (AW, W, AR), or nothing new is shown (B,
                                     R), 0..99; default 0 */
    int ready_after_valid;        /* 1: READY rises in answer to VALID only; default 0 */
    int reorder;                  /* 1: responses to different IDs come in any order; default 0 */
    int interleave;               /* 1: with reorder, beats of reads with different IDs are mixed; default 0 */
} axi_memory_params;

axi_memory_params axi_memory_defaults(void);
/* NULL if usable, else what is wrong. */
const char *axi_memory_params_check(const axi_memory_params *p);

typedef struct axi_memory axi_memory;

/* NULL: params are wrong (the reason goes to sim_fail), or no memory is left. Params are copied. */
axi_memory *axi_memory_new(sim *s, sim_clock *clock, const axi_memory_params *params, const char *name);
void axi_memory_free(axi_memory *m);
/* Connects a master. The number of the port, 0, 1, ..., or -1: the pins are none of an AXI4 master (sim_fail). Pins are
 * copied. */
int axi_memory_plug(axi_memory *m, const axi_pins *pins, const char *name);
memory *axi_memory_bytes(axi_memory *m);
/* From the next clock on. NULL, or what is wrong and nothing is changed. */
const char *axi_memory_set(axi_memory *m, const axi_memory_params *params);

/* Beats that touch these bytes (writes: with their strobes) are answered with this response (AXI_SLVERR, AXI_DECERR),
 * and such writes are left out. -1: too many. */
int axi_memory_add_range(axi_memory *m, uint64_t address, uint64_t size, int response);
void axi_memory_clear_ranges(axi_memory *m);
/* For this many clocks nothing is taken and nothing new is shown at any port. */
void axi_memory_stall(axi_memory *m, uint64_t clocks);
/* Nothing is under way at any port. */
int axi_memory_idle(const axi_memory *m);

/* A burst that is in memory now, and answered in this clock. `response` is that of the whole. */
typedef struct axi_written {
    int port;
    uint64_t address; /* of the first byte that has a strobe */
    unsigned bytes;   /* from there to the last one that has; 0: there is none */
    unsigned strobes; /* that it has; less than `bytes`: it leaves out some in between */
    int response;
    sim_time when;
} axi_written;
typedef void (*axi_on_written)(void *arg, const axi_written *w);
/* -1: too many listeners. */
int axi_memory_on_written(axi_memory *m, axi_on_written fn, void *arg);

typedef struct axi_memory_stats {
    uint64_t reads, writes; /* bursts answered */
    uint64_t read_bytes, written_bytes;
    uint64_t errors; /* beats of reads, and writes, answered with an error */
    unsigned most_reads, most_writes;
} axi_memory_stats;
const axi_memory_stats *axi_memory_get_stats(const axi_memory *m, int port);

#endif
