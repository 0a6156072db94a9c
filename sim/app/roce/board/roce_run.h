/* What the programs of this folder have in common: options, how a run goes and how it ends. */
#ifndef SIM_APP_ROCE_BOARD_ROCE_RUN_H
#define SIM_APP_ROCE_BOARD_ROCE_RUN_H

#include "sim/app/roce/board/roce_system.h"
#include "sim/traffic/workload/option.h"

struct json_t;

/* A file is this run's until the program ends, or if another run writes it, one with a number, which is said on stderr. NULL stays. */
void roce_claim(const char **path);
/* Tells on stderr what is wrong with the options ("": no memory is left); 2, the exit code. */
int roce_refuse(const char *program, const char *text);
/* The smallest of these chips (NULL at the end) with so many bytes per clock and more than `connections` QPs. NULL: none. */
const sim_config *roce_chip_with(const sim_config *const chips[], unsigned bytes, unsigned connections);
/* The same for a program's option; NULL: error says what was expected. */
const sim_config *roce_chip_asked(const sim_config *const chips[], unsigned bytes, unsigned connections, char error[OPTION_ERROR]);

/* What is recorded, as options say it; NULL: not given. */
typedef struct roce_waves {
    const char *file, *scopes, *from, *to; /* from, to: a time or an event (sim/core/kernel/event.h) */
} roce_waves;
/* Into the params of a simulation. full: the program that can record. -1: error says what is wrong. */
int roce_wave_params(const roce_waves *w, const sim_config *chip, const char *full, sim_params *p, char error[OPTION_ERROR]);

/* A line of make interop: "good" or "BAD", the row, what it has done or why it is bad. */
void roce_verdict(const char *row, int good, const char *detail);
/* Runs to the end; *wall: seconds. 0; 1: it ended badly, which is printed as BAD; 130: interrupted. */
int roce_simulate(sim *s, double *wall);
/* The end of a program that came so far with `code`: saves the results (NULL: there are none; freed) to `json` (NULL: nowhere), ends the
 * system's pcap file `pcap` (NULL: none), and prints the verdict. The exit code. */
int roce_conclude(int code, roce_system *y, struct json_t *results, const char *json, const char *pcap);

#endif
