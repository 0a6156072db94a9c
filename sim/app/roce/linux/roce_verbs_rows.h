/* Interoperation of the RoCE v2 chip, or of the NIC in C, with Linux' software RoCE beyond rping: test cases, each with
 * connections of its own to a program in Linux that operates queue pairs by commands (roce_verbs.h), and a verdict.
 *
 *     roce_verbs_rows *i = roce_verbs_rows_new(end, verbs, sim, clock, wire, &params);
 *     if (roce_end_open(end) || roce_linux_boot(l) || roce_verbs_start(verbs) || roce_verbs_rows_run(i)) ...    from
 * `talk` (roce_linux.h) roce_verbs_rows_count(i, &rows, &bad)
 *
 * In every row all data are compared on both sides, guards around them too, all work must complete, and what both ends
 * count must be what was on the line. A row that goes wrong says why, and the next one begins with new connections.
 *
 * With `record` other rows are run: a few short ones, each of which leaves its packets in a file for the tests of the
 * RTL.
 */
#ifndef SIM_APP_ROCE_LINUX_ROCE_VERBS_ROWS_H
#define SIM_APP_ROCE_LINUX_ROCE_VERBS_ROWS_H

#include "sim/app/roce/linux/roce_end.h"
#include "sim/app/roce/linux/roce_verbs.h"

typedef struct roce_verbs_rows_params {
    const char *name; /* of the end: names of rows begin with it and a '-' */
    const char *only; /* rows whose name has this in it; NULL: all */
    const char
        *record; /* folder: rows of recordings alone, record/ROW.pcap is what both ends sent in it; NULL: all others */
    unsigned timeout; /* code of the end's; default 8: 1 ms simulated */
    void (*verdict)(void *self, const char *row, int good, const char *detail);
    void *self;
} roce_verbs_rows_params;
roce_verbs_rows_params roce_verbs_rows_defaults(void);

/* How many rows there are; and their names, one a line (NULL: nowhere). */
unsigned roce_verbs_rows_list(const roce_verbs_rows_params *params, FILE *out);

typedef struct roce_verbs_rows roce_verbs_rows;

/* NULL: no memory. */
roce_verbs_rows *roce_verbs_rows_new(roce_end *end, roce_verbs *verbs, sim *s, sim_clock *clock, ethernet_wire *wire,
                                     const roce_verbs_rows_params *params);
void roce_verbs_rows_free(roce_verbs_rows *i);
/* From `talk`: all of them. 0, or -1: sim_fail has said why the run ends. */
int roce_verbs_rows_run(roce_verbs_rows *i);
/* Test cases run, and those that failed. */
void roce_verbs_rows_count(const roce_verbs_rows *i, unsigned *rows, unsigned *bad);
/* The row that is being run; NULL: none. */
const char *roce_verbs_rows_row(const roce_verbs_rows *i);

#endif
