/* The memory behind the write channels of an AXI4 master, for benches of one block: takes bursts with random stalls, answers after a
 * latency, and checks the master.
 *
 * Data stand in `memory` from the clock on in which the answer shows, not sooner: what is told to others before its time is noticed by
 * whoever looks. Answers come in order. Addresses count modulo SIZE.
 *
 * Checked (axi_writes_check; a mistake is a text in `mistake`, the first one stays): valid and what goes with it stay until ready; bursts
 * are aligned and do not cross 4 KB; a word does not come before its address shows; `last` is where the length says; strobes of a burst
 * leave no hole; no byte is written twice, unless `again` is set. */
#ifndef TB_ROCE_AXI_WRITES_H
#define TB_ROCE_AXI_WRITES_H

#include "simulation.h"

enum { AXI_SIZE = 1 << 20, AXI_BURSTS = 256 };

typedef struct axi_burst {
    uint32_t address;
    unsigned beats, taken;
    uint64_t due; /* clock of its answer, once all beats are taken */
    int bad;
    uint8_t data[4096], strobes[4096];
} axi_burst;

typedef struct axi_writes {
    sim *s;
    unsigned bytes; /* of a beat */
    const sim_port *awvalid, *awready, *awaddr, *awlen, *wvalid, *wready, *wdata, *wstrb, *wlast, *bvalid, *bready, *bresp;
    const sim_port *rst; /* of the master; while it is high, nothing is looked at. NULL: none */
    /* what the test sets */
    unsigned stall_percent, latency; /* clocks from the last beat to the answer */
    uint32_t bad_from, bad_to;       /* bursts that touch an address from .. to - 1 are answered SLVERR and change nothing */
    int again;
    uint64_t frozen_to; /* takes and answers nothing before this clock */
    /* what it sees */
    uint8_t *memory; /* [AXI_SIZE] */
    uint8_t *times;  /* [AXI_SIZE] how often each byte was written */
    uint64_t clocks, beats, answered;
    uint64_t last_answer; /* clock */
    char mistake[160];
    axi_burst *bursts; /* ring [AXI_BURSTS] */
    unsigned asked, filled, done;
    uint64_t held_addr, held_len, held_strobes, held_data;
    int aw_held, w_held, told;
} axi_writes;

/* Ports named prefix + "awvalid" and so on; on the clock from now on. It goes with the test. */
axi_writes *axi_writes_new(sim *s, sim_clock *clk, sim_model *m, const char *prefix, unsigned bytes);
/* For ports of any origin, in the order of the struct; the caller calls sample and drive. */
axi_writes *axi_writes_of(sim *s, const sim_port *const ports[12], unsigned bytes);
/* Forgets all bursts, as the master after its reset. */
void axi_writes_reset(axi_writes *a);
void axi_writes_sample(void *self);
void axi_writes_drive(void *self);

#endif
