/* Common parts of the programs of this folder: options, progress and end of a run. */
#ifndef SIM_APP_ROCE_BOARD_ROCE_RUN_H
#define SIM_APP_ROCE_BOARD_ROCE_RUN_H

#include "sim/app/roce/board/roce_system.h"
#include "sim/traffic/workload/option.h"

struct json_t;

/* Rows that these programs have (option.h): of the chip, of a run, of the other end. */
/* clang-format off */
#define ROCE_BYTES(runs, type) {"bytes", "N", runs, OPTION_WHOLE(type, bytes), 8, 64, "8 or 64", \
        "bytes per clock: 8 at 156.25 MHz for 10 Gb/s (default), 64 at 200 MHz for 100 Gb/s"}
#define ROCE_STALL(runs, type) \
    {"stall", "P", runs, OPTION_WHOLE(type, stall), 0, 99, "a percentage", "share of clocks in which memory stalls [%] (default 0)"}
#define ROCE_CHIP(runs, type) ROCE_BYTES(runs, type), ROCE_STALL(runs, type), \
    {"latency", "N", runs, OPTION_WHOLE(type, latency), 1, 100000, "a number of clocks", \
        "latency of memory from address to data [clocks] (default 20)"}
#define ROCE_PCAP(type) {"pcap", "FILE", 0, OPTION_TEXT(type, pcap), 0, 0, NULL, "file of all packets (pcap) with simulated time"}
#define ROCE_RUN(runs, type) RUN_SEED(0, type, seed), ROCE_PCAP(type), RUN_JSON(type), RUN_WAVES(0, type), \
    RUN_WAVE_SCOPES(0, type, "chip.receive"), RUN_WAVE_TIMES(runs, type, "chip.set_fatal_valid == 1"), RUN_HELP(type)
#define ROCE_LINUX(type) \
    {"end", "NAME", 0, OPTION_CHOICE(type, end), 0, 0, "chip or nic", "peer of Linux: the chip (default), or a NIC in C instead"}, \
    {"only", "TEXT", 0, OPTION_TEXT(type, only), 0, 0, NULL, "rows with TEXT in their names (default all)"}, \
    {"list", NULL, 0, OPTION_FLAG(type, list), 0, 0, NULL, "print the names of the rows and end"}, \
    {"guest", "FOLDER", 0, OPTION_TEXT(type, guest), 0, 0, NULL, "folder made by scripts/guest.py (default build/guest)"}, \
    {"console", "FILE", 0, OPTION_TEXT(type, console), 0, 0, NULL, "file of the console of Linux (default build/roce-console.log)"}, \
    ROCE_BYTES(0, type), ROCE_PCAP(type), RUN_SEED(0, type, seed), RUN_HELP(type)
/* clang-format on */

/* A file is this run's until the program ends, or if another run writes it, one with a number, which is said on stderr.
 * NULL stays. */
void roce_claim(const char **path);
/* Prints an error of the options on stderr ("": out of memory); returns 2, the exit code. */
int roce_refuse(const char *program, const char *text);
/* The smallest of these chips (NULL at the end) with `bytes` bytes per clock and more than `connections` QPs. NULL:
 * none. */
const sim_config *roce_chip_with(const sim_config *const chips[], unsigned bytes, unsigned connections);
/* The same for a program's option; NULL: `error` has the expectation. */
const sim_config *roce_chip_asked(const sim_config *const chips[], unsigned bytes, unsigned connections,
                                  char error[OPTION_ERROR]);

/* Recordings, as options say; NULL: not given. */
typedef struct roce_waves {
    const char *file, *scopes, *from, *to; /* from, to: a time or an event (sim/core/kernel/event.h) */
} roce_waves;
/* Into the params of a simulation. full: the program that can record. -1: `error` has the reason. */
int roce_wave_params(const roce_waves *w, const sim_config *chip, const char *full, sim_params *p,
                     char error[OPTION_ERROR]);

/* A line of make interop: "good" or "BAD", the test case, its result or error. */
void roce_verdict(const char *row, int good, const char *detail);
/* Runs to the end; *wall: seconds. 0; 1: it ended badly, which is printed as BAD; 130: interrupted. */
int roce_simulate(sim *s, double *wall);
/* The end of a program that came so far with `code`: saves the results (NULL: there are none; freed) to `json` (NULL:
 * nowhere), ends the system's pcap file `pcap` (NULL: none), and prints the verdict. The exit code. */
int roce_conclude(int code, roce_system *y, struct json_t *results, const char *json, const char *pcap);

#endif
