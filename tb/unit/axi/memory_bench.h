/* The memory of a bench: that of sim/model/axi, with a monitor at each port; and the rules that masters of the RoCE
 * chip keep in addition to those of AXI4 (rtl/roce/roce_axi_write.v, roce_axi_read.v). A broken rule ends the run
 * unless a handler is set. */
#ifndef TB_AXI_MEMORY_BENCH_H
#define TB_AXI_MEMORY_BENCH_H

#include "sim/model/axi/axi_memory.h"
#include "sim/model/axi/axi_monitor.h"
#include "simulation.h"

#define MEMORY_RULE_LIST(X)                                                                                            \
    X(WITHIN_WORD, "a burst begins within a word of the bus")                                                          \
    X(DATA_FIRST, "a word of data shows before its address")                                                           \
    X(HOLE, "a burst writes nothing, or leaves out bytes in between")

typedef struct memory_port {
    axi_memory *memory;
    axi_pins pins;
    int number; /* of the memory */
    axi_monitor *monitor;
    axi_checker checker;
    int64_t owed; /* beats whose address was taken, and not they */
} memory_port;

/* NULL: defaults. It goes with the test, and so do its ports. */
axi_memory *memory_bench_new(sim *s, sim_clock *clk, const axi_memory_params *params);
/* The ports of the model that begin with `prefix`. */
memory_port *memory_bench_port(axi_memory *memory, sim_clock *clk, sim_model *model, const char *prefix);
/* For pins of any origin. */
memory_port *memory_bench_pins(axi_memory *memory, sim *s, sim_clock *clk, const axi_pins *pins, const char *name);
/* From now on the rules above are also checked at this port. */
void memory_bench_rules(memory_port *p);

#endif
