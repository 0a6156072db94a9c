/* Common part of the files of test cases (roce_verbs_rows.h). A part is a function that runs its test cases, one after
 * the other:
 *
 *     if (verbs_row(i, "what it does", "name-%06x", start)) {            0: not selected
 *         verbs_some_connections(i, 1, start);
 *         int failed = verbs_connections_open(i, 1) || roce_exchange_run(&i->x, i->connections, 1, NULL, NULL);
 *         verbs_row_end(i, failed || verbs_counters_agree(i));
 *     }
 */
#ifndef SIM_APP_ROCE_LINUX_ROCE_VERBS_ROWS_INTERNAL_H
#define SIM_APP_ROCE_LINUX_ROCE_VERBS_ROWS_INTERNAL_H

#include "sim/app/roce/linux/roce_exchange.h"
#include "sim/app/roce/linux/roce_flow.h"
#include "sim/app/roce/linux/roce_targets.h"
#include "sim/app/roce/linux/roce_verbs_rows.h"
#include "sim/model/ethernet/pcap.h"

enum { ICRC = 4, CONNECTIONS = 7, STARTS = 3, ROW_NAME = 64 };
extern const uint32_t verbs_starts[STARTS]; /* packet numbers that rows begin with */
#define COUNT(list) (sizeof(list) / sizeof *(list))

/* Packets from one end that were on the line, as the NIC in C reads them. */
typedef struct tally {
    uint32_t sent, arrived, good;           /* good: arrived with a right ICRC */
    uint32_t naks, rnr_naks, sequence_naks; /* arrived and good */
    uint32_t rnr_naks_sent, sequence_naks_sent;
} tally;

struct roce_verbs_rows {
    int listing; /* nothing is run */
    FILE *list;  /* names go there; NULL: nowhere */
    roce_exchange x;
    roce_verbs_rows_params params;
    ethernet_wire *wire;
    tally line[2];        /* by the end that sent them */
    uint64_t seen_at_all; /* packets that have arrived */
    roce_end_counters end_from;
    roce_exchange_counters linux_from;
    roce_strike strikes[CONNECTIONS];
    roce_connection connections[CONNECTIONS];
    unsigned connections_open;
    roce_flow *flow[CONNECTIONS][2]; /* of each connection, by the end that requests */
    unsigned rows, bad;
    char row[ROW_NAME];
    const char *detail;  /* its action */
    unsigned overlooked; /* NAK-sequence that came and that Linux has not counted */
    pcap_writer *pcap;   /* of the row that is recorded */
    /* of the row of single bits */
    int bits_from;
    unsigned bit, bits, seen;
};

/* ---- roce_verbs_rows.c */

/* Begins one: 1 if it is to be run. Its name begins with that of the end. */
int verbs_row(roce_verbs_rows *i, const char *detail, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Ends it: result is not 0 when something went wrong. */
void verbs_row_end(roce_verbs_rows *i, int result);
/* Opens the first connections of i->connections. 0, or -1. */
int verbs_connections_open(roce_verbs_rows *i, unsigned count);
void verbs_connections_close(roce_verbs_rows *i);
/* Connections that have messages of all kinds. */
void verbs_some_connections(roce_verbs_rows *i, unsigned count, uint32_t start);

/* ---- roce_verbs_counts.c */

/* Looks at the line. -1: no memory. */
int verbs_watch_line(roce_verbs_rows *i);
/* Counters of both ends count from here; they agree with the packets on the line. 0, or -1: i->x.why, or sim_fail, has
 * the reason. */
int verbs_count_from_here(roce_verbs_rows *i);
int verbs_counters_agree(roce_verbs_rows *i);
void verbs_flows_free(roce_verbs_rows *i);

/* ---- the parts */

/* roce_verbs_line.c: data; packets lost, doubled, late and damaged, a line that is cut, one bit after the other. */
void verbs_data_rows(roce_verbs_rows *i);
void verbs_fault_rows(roce_verbs_rows *i);
void verbs_cut_rows(roce_verbs_rows *i);
void verbs_bit_rows(roce_verbs_rows *i);
/* A tap of the line: what i->strikes say of the connections. */
ethernet_fault verbs_strike(void *self, int from, uint64_t number, const uint8_t *frame, size_t length);
/* roce_verbs_refused.c: receivers that are not ready, accesses that Linux refuses. */
void verbs_rnr_rows(roce_verbs_rows *i);
void verbs_refused_rows(roce_verbs_rows *i);
/* While an exchange runs: Linux takes SENDs after some RNR NAKs. */
void verbs_let_take(void *self);
int verbs_refused(roce_verbs_rows *i, rn_opcode opcode, uint64_t address, uint32_t key, uint32_t start);
/* roce_verbs_recorded.c: rows that leave their packets in files, and no other ones. */
void verbs_recorded_rows(roce_verbs_rows *i);

#endif
