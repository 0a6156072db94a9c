/* Options of roce-sim, and the parameters of a simulation that follow from them. */
#ifndef SIM_APP_ROCE_ROCE_OPTIONS_H
#define SIM_APP_ROCE_ROCE_OPTIONS_H

#include "sim/app/roce/board/roce_run.h"
#include "sim/app/roce/linux/roce_rping.h"
#include "sim/app/roce/traffic/roce_traffic.h"
#include "sim/traffic/faults/plan.h"

typedef struct roce_options {
    unsigned bytes, qps, messages, shortest, longest, pmtu, ip, depth, timeout, reads, latency,
        stall;                      /* bytes 0: both, one by one */
    uint64_t seed, soak;            /* soak 0: one run */
    double chance[ETHERNET_FAULTS]; /* of a frame, by kind of fault */
    const char *mix, *faults, *peer, *guest, *console, *figures, *pcap, *json, *waves, *wave_scopes, *wave_from,
        *wave_to;
    const char *sort, *base, *initial;
    double threshold; /* [points, %] */
    int handshake, cycles, help;
    fault_plan plan; /* of faults */
} roce_options;

extern const option roce_options_table[];
#define ROCE_OPTIONS_HEAD                                                                                              \
    "roce-sim: the RoCE v2 chip at an Ethernet line, with a NIC in C, another chip or Linux at its other end"
/* The arguments of a program, and defaults of options not given. -1: one of them is wrong, or has no meaning with the
 * others. */
int roce_options_read(roce_options *o, int argc, char **argv, char error[OPTION_ERROR]);
/* The other end is Linux, or another one of these chips. */
int roce_options_linux(const roce_options *o);
int roce_options_two_chips(const roce_options *o);
/* Nothing strikes on the line. */
int roce_options_quiet(const roce_options *o);

/* Identity of a run, for comparison with an older one: all options that determine the counts, as text. */
enum { ROCE_OPTIONS_WORDS = 3200 };
void roce_options_words(const roce_options *o, const sim_config *chip, char words[ROCE_OPTIONS_WORDS]);

/* All that a simulation is made of. */
typedef struct roce_setup {
    sim_params sim;
    roce_system_params system;
    roce_traffic_params traffic;
    roce_linux_params guest;
    roce_rping_row pings;
} roce_setup;
/* -1: error says what cannot be. */
int roce_options_setup(const roce_options *o, const sim_config *chip, roce_setup *setup, char error[OPTION_ERROR]);

#endif
