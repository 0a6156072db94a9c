/* Messages between an end of the line (roce_end.h) and a program in Linux (roce_verbs.h), on some connections at once,
 * and their checker.
 *
 *     roce_exchange x = {.end = end, .verbs = verbs, .sim = sim, .clock = clock, .timeout = 8};
 *     roce_exchange_region(&x)
 *     roce_connection l = {.psn = 0xfffff0, .pmtu = 1024, .messages = list, .count = n};
 *     if (roce_connection_open(&x, &l) || roce_exchange_run(&x, &l, 1)) ... x.why ...
 *     roce_connection_close(&x, &l);
 *
 * Messages lie close to each other in the memory of both sides, at addresses of all alignments. Each is posted before
 * the one at the address below it, so that a byte written too far damages existing data and is found; guards stand at
 * both ends. Data of a READ, or of a SEND to the end, are compared when software gets the completion.
 */
#ifndef SIM_APP_ROCE_LINUX_ROCE_EXCHANGE_H
#define SIM_APP_ROCE_LINUX_ROCE_EXCHANGE_H

#include "sim/app/roce/linux/roce_end.h"
#include "sim/app/roce/linux/roce_verbs.h"
#include "sim/app/roce/traffic/roce_traffic.h"

enum { ROCE_EXCHANGE_WHY = 400, ROCE_CONNECTION_MESSAGES = 64 };

typedef struct roce_exchange {
    roce_end *end;
    roce_verbs *verbs;
    sim *sim;
    sim_clock *clock;
    unsigned timeout; /* code of the end's */
    /* Linux' memory, and its keys: with all rights, and with none for us. */
    uint64_t address;
    uint32_t key, no_rights, length;
    unsigned serial; /* of exchanges: each has other data */
    char why[ROCE_EXCHANGE_WHY];
} roce_exchange;

typedef struct roce_message {
    roce_kind kind;
    uint32_t length;
} roce_message;

typedef struct roce_connection {
    int ipv6;
    uint32_t psn; /* of both sides' first packets */
    unsigned pmtu, rnr_timer /* code, of both */;
    unsigned buffers, bytes; /* for SENDs to the end; 0: 15 of 16384 bytes */
    const roce_message *messages;
    unsigned count;
    int hold; /* 1: the end takes no SEND; may change while it runs */
    int late; /* 1: Linux has no receives until roce_connection_takes */
    /* ours */
    roce_end_qp *qp;
    unsigned guest; /* number of Linux' QP */
    uint32_t base, a, a_size, b, b_size, at[ROCE_CONNECTION_MESSAGES];
    uint32_t key_a, key_b;
    uint8_t *bytes_a, *bytes_b;
    unsigned posted, completed, received, ins, outs, works;
    unsigned order[ROCE_CONNECTION_MESSAGES]; /* in which the end posts messages */
} roce_connection;

/* All return 0, or -1: why is in x->why, or sim_fail has said it. */
int roce_exchange_region(roce_exchange *x);
int roce_connection_open(roce_exchange *x, roce_connection *l);
void roce_connection_close(roce_exchange *x, roce_connection *l);
/* All messages of all connections, to their completion and comparison. each: called from time to time while they are
 * under way; NULL: nothing. */
int roce_exchange_run(roce_exchange *x, roce_connection connections[], unsigned count, void (*each)(void *self),
                      void *self);
int roce_connection_takes(roce_exchange *x, roce_connection *l);
/* Counters of Linux' rxe. */
typedef struct roce_exchange_counters {
    uint32_t sent, received, duplicates, sequence_naks_out, sequence_naks_in, rnr_naks_out, rnr_naks_in;
} roce_exchange_counters;
int roce_exchange_count(roce_exchange *x, roce_exchange_counters *c);
/* Puts a text into x->why, unless there is one: -1. */
int roce_exchange_fails(roce_exchange *x, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
