/* A file crosses from one node of a pair to the other, or one in each direction at once, by RDMA writes (sw/file); both
 * sides are hashed.
 */
#ifndef SIM_TRAFFIC_SCENARIO_EXCHANGE_H
#define SIM_TRAFFIC_SCENARIO_EXCHANGE_H

#include "nx_file.h"
#include "sim/system/nodes/pair.h"

typedef struct exchange_direction {
    const char *path;   /* file that node i sends, NULL: none */
    uint64_t size;      /* [bytes] */
    uint32_t transfers; /* result: descriptors that have departed at the sender, control blocks and acknowledgements
                           included */
    /* results */
    int sent, received; /* 0 = success, else an NX_ERROR_ */
    nx_file_result sender, receiver;
    uint8_t sent_hash[32], received_hash[32]; /* SHA-256 of the data read and of those out of the other host's memory */
    char error[512];
} exchange_direction;

typedef struct exchange {
    pair *p;
    exchange_direction direction[2]; /* from node 0, from node 1 */
    int interrupts;                  /* 1: hosts sleep until INTA#, 0: they poll */
    uint64_t moved[2];               /* bytes so far */
    double began;                    /* wall clock at the begin [s]: for the progress line */
    char error[512];                 /* why it could not begin */
    /* Faults during the exchange, begun and ended with it; NULL: none. A direction that a fault has broken, with an
     * error at both ends, restarts.
     */
    struct faults *faults;
    unsigned again;             /* result: number of restarts */
    void (*started)(void *arg); /* called when both nodes are up, before the first byte; may be NULL */
    void (*ended)(void *arg);   /* called when all files have arrived */
    void *arg;
} exchange;

/* The whole exchange, as the body of a task: starts the nodes, moves the files, stops the nodes. arg is the exchange.
 */
void exchange_run(void *arg);
/* In ranks, from all of them, after a run that has ended before the exchange: every rank gets the results of all. */
void exchange_same(exchange *x);
/* 1 if everything asked for arrived and the hashes agree. */
int exchange_good(const exchange *x);

#endif
