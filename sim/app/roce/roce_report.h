/* Results of a run of roce-sim: the chip's counters, tables, JSON. */
#ifndef SIM_APP_ROCE_ROCE_REPORT_H
#define SIM_APP_ROCE_ROCE_REPORT_H

#include "sim/app/roce/linux/roce_counters.h"
#include "sim/app/roce/roce_options.h"

typedef struct roce_report {
    const roce_options *o;
    sim *sim;
    roce_system *system, *other; /* the other chip; NULL: there is none */
    roce_traffic *traffic;       /* or */
    roce_linux *linux_;
    roce_late *late;
    roce_rping *rping;
    roce_rping_row pings;
    roce_rping_result pinged;
    roce_counters counters, of_other;
    struct sim_cycles *cycles; /* NULL: nothing is counted */
    double wall;               /* [s] */
} roce_report;

/* From a task: reads the chip's counters. */
void roce_report_count(roce_report *r);
/* What was asked for; what came out, with Linux the exit code, too; all of it. Wall time is not in the JSON: the same
 * seed, the same. */
void roce_report_head(const roce_report *r, const sim_config *chip);
int roce_report_print(const roce_report *r);
struct json_t *roce_report_json(const roce_report *r);
/* Frames of both ends so far. */
uint64_t roce_report_packets(const roce_report *r);
/* Packets that the chip, its peer have sent again, by their own counters. */
uint64_t roce_report_sent_again(const roce_report *r);
uint64_t roce_report_peer_sent_again(const roce_report *r);
struct json_t *roce_report_line_json(const ethernet_wire_stats *s);

#endif
