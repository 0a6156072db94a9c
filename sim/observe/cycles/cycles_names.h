/* Names that users of cycles_report.h give and find. */
#ifndef SIM_OBSERVE_CYCLES_CYCLES_NAMES_H
#define SIM_OBSERVE_CYCLES_CYCLES_NAMES_H

#define CYCLES_FORMAT "nicxbar cycles 2"
/* Sort keys of a table, as help text. */
#define CYCLES_SORTS "name, busy, stalled, idle, operations, latency or level"

#endif
