/* Options of coherent-sim: a system of coherent nodes, or of coherent nodes and PCI-X hosts. */
#ifndef SIM_APP_COHERENT_COHERENT_OPTIONS_H
#define SIM_APP_COHERENT_COHERENT_OPTIONS_H

#include "nc.h"
#include "sim/traffic/workload/option.h"

enum { COHERENT_NODES = 8 /* ports of the switch */ };

typedef struct coherent_options {
    const char *node, *ni, *send, *scenario;                /* ni, send NULL: not given */
    unsigned nodes, cache_kb, ways, message, rounds, ratio; /* 0: not given */
    uint64_t seed;
    const char *json, *waves, *wave_scopes, *wave_from, *wave_to, *initial;
    const char *sort, *base;
    double threshold; /* [points, %] */
    int cycles, help;
    /* from these */
    const nc_program *program;
    nc_options run;
    int direct; /* two nodes and a cable */
    int mixed;  /* odd nodes are PCI-X hosts */
} coherent_options;

extern const option coherent_options_table[];
#define COHERENT_OPTIONS_HEAD "coherent-sim: nodes whose network interface sits beside the caches"

/* The arguments of a program, defaults of options not given, and what follows from them. -1: one of them is wrong, or
 * does not go with the others. */
int coherent_options_read(coherent_options *o, int argc, char **argv, char error[OPTION_ERROR]);
/* Identity of a run, for comparison with an older one. */
void coherent_options_words(const coherent_options *o, char *words, size_t size);

#endif
