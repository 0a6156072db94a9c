/* rping (librdmacm's ping-pong over RDMA) as a program of Linux, against the chip, or the NIC in C, with
 * sw/roce/rn_rping.h as its server.
 *
 *     static void talk(void *self, roce_linux *l)                  roce_linux.h
 *     {
 *         const rn_verbs device = rn_verbs_of(y->device);
 *         roce_rping *r = roce_rping_new(l, sim, &device, &params);
 *         const roce_rping_row row = {.pmtu = 1024, .ip = 6, .times = 100, .at_once = 1, .pings = 2, .shortest = 64,
 * ...}; roce_rping_run(r, &row, &result); roce_rping_free(r);
 *     }
 *
 * Each client compares the returned data with those it sent (-V).
 */
#ifndef SIM_APP_ROCE_LINUX_ROCE_RPING_H
#define SIM_APP_ROCE_LINUX_ROCE_RPING_H

#include "rn_rping.h"
#include "sim/app/roce/board/roce_system.h"
#include "sim/app/roce/linux/roce_linux.h"
#include "sim/traffic/workload/option.h"

enum { ROCE_RPING_CLIENTS = 16, ROCE_RPING_SHORTEST = 64, ROCE_RPING_LONGEST = 65535 };

typedef struct roce_rping_row {
    unsigned pmtu;           /* [bytes]; less than 1024: IPv4 only */
    unsigned ip;             /* 4 or 6 */
    unsigned times, at_once; /* number of rounds, and of clients at once in each, 1..16 */
    unsigned pings;          /* of each client */
    unsigned shortest,
        longest; /* [bytes] of a ping, 64..65535: from the first time to the last each is longer by the same factor */
} roce_rping_row;
/* Of a guest whose network takes this MTU. */
unsigned roce_rping_longest_pmtu(unsigned mtu);
/* 0, or -1: out of range, or too much for that guest, and error names the option of roce-sim. */
int roce_rping_check(const roce_rping_row *row, unsigned mtu, char error[OPTION_ERROR]);

typedef struct roce_rping_params {
    unsigned
        timeout; /* code of the server's; default 8: 1 ms simulated, which is a second or two of Linux with the chip */
    int handshake; /* 1: doorbells at the handshake ports of the chip; default 0 */
} roce_rping_params;
roce_rping_params roce_rping_defaults(void);

typedef struct roce_rping_result {
    unsigned good, bad;             /* clients that ended with exit code 0, and with another one */
    uint64_t connections, pings;    /* that the server has seen */
    uint64_t unacknowledged;        /* pings, see rn_rping_stats */
    uint64_t bytes, failures;       /* one way; connections that the server ended */
    unsigned pmtu_least, pmtu_most; /* [bytes] that clients asked for */
    double seconds;                 /* on the wall */
} roce_rping_result;

typedef struct roce_rping roce_rping;

/* From `talk`; the server takes all datagrams of QP 1 from now on. NULL: no memory is left, and sim_fail has said so.
 */
roce_rping *roce_rping_new(roce_linux *l, sim *s, const rn_verbs *device, const roce_rping_params *params);
void roce_rping_free(roce_rping *r);
/* From `talk`. 0, or -1: the run ends. */
int roce_rping_run(roce_rping *r, const roce_rping_row *row, roce_rping_result *result);
/* Checks the result: the requested clients and pings, all good, with this path MTU. That the last SEND of a ping is not
 * acknowledged when its client leaves is in order: that ACK may be lost. */
int roce_rping_well(const roce_rping_row *row, const roce_rping_result *result);

/* As part of a line; NULL is allowed, as below. */
void roce_rping_print_progress(const roce_rping *r, FILE *out);
/* For a run that failed: the last output of the server. */
void roce_rping_print(const roce_rping *r, FILE *out);

#endif
