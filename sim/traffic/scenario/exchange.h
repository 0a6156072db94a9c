/* A file crosses from one node of a pair to the other, or one in each direction at once, by RDMA writes (sw/file); both sides are hashed.
 */
#ifndef SIM_TRAFFIC_SCENARIO_EXCHANGE_H
#define SIM_TRAFFIC_SCENARIO_EXCHANGE_H

#include "nx_file.h"
#include "sim/system/nodes/pair.h"

typedef struct exchange_direction {
    const char *path;   /* what node i sends, NULL: nothing */
    uint64_t size;      /* [bytes] */
    uint32_t transfers; /* result: descriptors that have departed at the sender, control blocks and acknowledgements included */
    /* results */
    int sent, received; /* 0 = well, else an NX_ERROR_ */
    nx_file_result sender, receiver;
    uint8_t sent_hash[32], received_hash[32]; /* SHA-256 of what was read and of what came out of the other host's memory */
    char error[512];
} exchange_direction;

typedef struct exchange {
    pair *p;
    exchange_direction direction[2]; /* from node 0, from node 1 */
    int interrupts;                  /* 1: hosts sleep until INTA#, 0: they poll */
    uint64_t moved[2];               /* bytes so far, and ... */
    double began;                    /* ... since when, wall clock [s]: for the progress line */
    char error[512];                 /* why it could not begin */
    /* That strike meanwhile, begun and ended with the exchange; NULL: none. What a fault has broken, and both ends have told, begins again.
     */
    struct faults *faults;
    unsigned again;             /* result: how often */
    void (*started)(void *arg); /* called when both nodes are up, before the first byte; may be NULL */
    void (*ended)(void *arg);   /* ... and when all that crosses has done so */
    void *arg;
} exchange;

/* The whole exchange, as the body of a task: starts the nodes, moves the files, stops the nodes. arg is the exchange. */
void exchange_run(void *arg);
/* In ranks, from all of them, after a run that has ended before the exchange has: each knows what the others do of it. */
void exchange_same(exchange *x);
/* 1 if everything asked for arrived and the hashes agree. */
int exchange_good(const exchange *x);

#endif
