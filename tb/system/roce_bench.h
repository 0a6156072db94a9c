/* Bench of the RoCE v2 chip as a whole: its driver, a line, a NIC in C at the other end, and messages on many QPs with
 * their checker.
 *
 *     roce_bench *b = roce_bench_new(&params, &messages);
 *     b->disturbed[0] = 1;                       QP 2 (the first connection) may be disturbed,
 *     roce_bench_watch(b, &messages);            the others must not notice
 *     ethernet_wire_set_tap(b->system->wire, ...)
 *     roce_bench_run(b);                         all messages have come, and RETRYCNTSTS is read
 */
#ifndef TB_SYSTEM_ROCE_BENCH_H
#define TB_SYSTEM_ROCE_BENCH_H

#include "roce_checker.h"
#include "sim/app/roce/traffic/roce_traffic.h"
#include "simulation.h"

enum { ROCE_CHIPS = 2, ROCE_STARTS = 3 };
extern const sim_config *const roce_chips[ROCE_CHIPS]; /* with 8 and with 64 bytes per clock */
extern const int roce_starts[ROCE_STARTS];             /* first packet numbers: 0, before the wrap, before the sign */

/* Headers of a frame on the line. */
typedef struct roce_seen {
    int from;            /* 0: the chip, 1: the peer */
    unsigned connection; /* 0.. */
    unsigned opcode, syndrome /* of an AETH */;
    uint32_t psn;
} roce_seen;
/* 0: it is none of a connection. */
int roce_see(int from, const uint8_t *frame, size_t length, roce_seen *seen);

typedef struct roce_bench {
    sim *sim;
    roce_system *system;
    roce_traffic *traffic;               /* NULL: none */
    roce_checker *checker;               /* NULL: not watched */
    unsigned connections;                /* that are watched */
    uint8_t disturbed[ROCE_CONNECTIONS]; /* 1: may lose packets */
    uint32_t retries;                    /* RETRYCNTSTS: packets that the chip has sent again */
} roce_bench;

/* messages NULL: no traffic. Freed after the test. */
roce_bench *roce_bench_new(const roce_system_params *params, const roce_traffic_params *messages);
/* From now on all connections are checked (roce_checker); those that are not marked as disturbed send nothing twice and
 * no NAK. */
void roce_bench_watch(roce_bench *b, const roce_traffic_params *messages);
/* From a task: a register by its offset (roce_register_map.h). */
uint32_t roce_bench_register(roce_bench *b, unsigned offset);
/* Ends when all tasks have, all messages taken; else the test fails, and says why. */
void roce_bench_run(roce_bench *b);

#endif
