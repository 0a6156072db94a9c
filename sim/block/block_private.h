/* Shared by the files of this folder only. */
#ifndef SIM_BLOCK_BLOCK_PRIVATE_H
#define SIM_BLOCK_BLOCK_PRIVATE_H

#include "block_faults.h"
#include "block_store.h"
#include "frame_tap.h"

enum { OPERATIONS = NX_BLOCK_WRITE_ZEROES + 1 };

/* Parts of the life of a request [ns]. */
enum { PART_PLACE, PART_COMMAND, PART_TARGET, PART_BACK, PART_ALL, PARTS };

/* Of one host and one kind of operation. */
typedef struct block_figures {
    uint64_t requests, bytes, failed, room;
    double sum[PARTS];
    uint32_t *latency; /* [ns] of each that went well */
    uint64_t latencies;
} block_figures;

/* A request from outside on its way. */
typedef struct op {
    nx_block_request r;
    block_request *outer;
    struct host_seat *seat;
    struct op *next;
} op;

/* What befalls a host; its own task does it. */
enum order { ORDER_NONE, ORDER_CRASH, ORDER_DEAD, ORDER_DMA_OFF, ORDER_DMA_ON };

/* A host and its software. */
typedef struct host_seat {
    struct block_service *service;
    unsigned host;
    node *n;
    sim_task *task;
    nx_block *disk; /* of an initiator */
    struct block_load *load;
    int kick; /* something came that no interrupt tells */
    op *free; /* not in use */
    op *done; /* ended in this slice, the last one first */
    unsigned under_way;
    enum order order;
    sim_time down;               /* [ps] how long */
    uint64_t interrupts, sleeps; /* taken; begun */
    block_figures figures[OPERATIONS];
} host_seat;

struct block_service {
    block_service_params p;
    fabric *f;
    unsigned nodes;
    block_store *store;
    nx_block_target *target;
    nx_block_disk disk;
    host_seat seat[FABRIC_NODES];
    int opened, over, ending, interrupted;
    char error[BLOCK_SERVICE_ERROR];
    sim_time active;          /* when something was under way last */
    sim_time began;           /* all had met */
    double running, standing; /* [s] of wall time */
    sim_time slice;
    int signals; /* a descriptor that tells of them */
    FILE *record;
    frame_tap *tap[FABRIC_NODES]; /* on the cable of a host that faults have struck */
};

/* The first and the last line of a record. */
#define RECORD_BEGIN "nicxbar-block 1\n"
#define RECORD_END "end\n"
/* A line of it: time [ps], host, operation, flags, offset, length, and the data of a write in hex. */
void block_record(block_service *s, unsigned host, const block_request *r);
/* What has ended is told: not 0, if anything has. */
int block_deliver(block_service *s);

/* What ended goes into the figures of its host; from the task of the host. */
void block_count(host_seat *seat, const nx_block_request *r);
/* One slice of simulated time: 0, or what sim_run says. */
int block_slice(block_service *s, sim_time until);
/* Something is under way, for clients, loads or the target. */
int block_active(const block_service *s);

#endif
