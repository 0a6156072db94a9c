/* Coherent nodes for tests of sw/coherent: memory, the network interface as rtl/coherent/cni.md and rtl/sync/README.md
 * describe it, and links that keep the order of packets. It shares nothing with the RTL or with the programs but the
 * names of registers. There are no caches: memory is sequentially consistent by itself.
 *
 * Every access of a processor takes one or some turns, and in each turn the network interfaces do a little, at random:
 * they write a line, look at a slot, or let a packet arrive.
 */
#ifndef FAKE_NODE_H
#define FAKE_NODE_H

#include "nc.h"

typedef struct fake_net fake_net;

/* What is wrong with it; all 0: nothing. Numbers count packets with operations from 1. */
typedef struct fake_faults {
    unsigned store_buffer; /* stores of a processor that its loads may pass: more than the memory model allows */
    unsigned damaged;      /* this packet's slot is marked as damaged */
    unsigned corrupt;      /* the first payload word of this packet has another low half */
    unsigned lost;         /* this packet never arrives */
    int phase_first;       /* the first line of a slot is written before the others, and slowly */
    int no_release;        /* counters release nothing */
} fake_faults;

fake_net *fake_net_new(unsigned nodes, uint64_t seed, const fake_faults *faults); /* goes after the test */
/* prepare and run of the program; NULL, or the error of a processor. Results are in the lines, *count of them. */
const char *fake_net_run(fake_net *net, const nc_program *program, const nc_options *options,
                         nc_result lines[NC_RESULTS], unsigned *count);
/* Messages that queues have refused, on all nodes. */
unsigned fake_net_refused(const fake_net *net);

#endif
