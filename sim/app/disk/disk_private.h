/* Shared by the files of this folder only. */
#ifndef SIM_APP_DISK_DISK_PRIVATE_H
#define SIM_APP_DISK_DISK_PRIVATE_H

#include "sim/app/disk/disk_faults.h"
#include "sim/app/disk/disk_options.h"
#include "sim/app/disk/disk_store.h"
#include "sim/model/cable/frame_tap.h"

enum { OPERATIONS = NX_DISK_WRITE_ZEROES + 1 };

/* Parts of the life of a request [ns]. */
enum { PART_PLACE, PART_COMMAND, PART_TARGET, PART_BACK, PART_INTERRUPT, PART_ALL, PARTS };

/* Of one host and one kind of operation. */
typedef struct disk_figures {
    uint64_t requests, bytes, failed, good;
    double sum[PARTS];
    uint64_t *latencies;  /* of those that went well, a histogram: of fixed size, however long the service lasts */
    uint32_t least, most; /* [ns] */
} disk_figures;

/* A request from outside on its way. */
typedef struct op {
    nx_disk_request r;
    disk_request *outer;
    struct host_seat *seat;
    struct op *next;
} op;

/* A host and its software. */
typedef struct host_seat {
    struct disk_service *service;
    unsigned host;
    node *n;
    sim_task *task;
    nx_disk *disk; /* of an initiator */
    struct disk_load *load;
    int kick; /* an event without an interrupt has come */
    op *free; /* not in use */
    op *done; /* ended in this slice, the last one first */
    unsigned under_way;
    /* Faults of the plan in force. They add up: each count and each time is a sum. Applied by the host's own task. */
    int struck, crashed, tapped;     /* something below has changed; it is to crash; its cable has a tap */
    unsigned cuts, dma_off;          /* faults in force */
    unsigned hits[2][DISK_FLIP + 1]; /* packets still to be struck, by direction and kind of fault */
    sim_time dead_until, crashed_until;
    uint64_t interrupts, sleeps; /* taken; begun */
    disk_figures figures[OPERATIONS];
    uint64_t words[2],
        moved;           /* that its NIC has counted, out and in; bytes of its requests since they were looked at */
    uint32_t counted[2]; /* registers at that time */
    uint64_t landed[NX_DISK_PLACES_MAX]; /* [ns] when the last completion was in each slot of the ring */
} host_seat;

struct disk_service {
    disk_service_params p;
    fabric *f;
    unsigned nodes;
    disk_store *store;
    nx_disk_target *target;
    nx_disk_disk disk;
    host_seat seat[FABRIC_NODES];
    int opened, over, ending, interrupted;
    char error[DISK_SERVICE_ERROR];
    sim_time active;          /* when something was under way last */
    sim_time began;           /* all had met */
    sim_time ended;           /* service, for the last time */
    double running, standing; /* [s] of wall time */
    sim_time slice;
    int signals; /* signalfd of them */
    FILE *record;
    frame_tap *tap[FABRIC_NODES]; /* on the cable of a host that faults have struck */
};

/* Written as disk_record.h says. */
void disk_record(disk_service *s, unsigned host, const disk_request *r);
void disk_record_mark(disk_service *s, sim_time when, const char *what);
/* Its last line. 0, also without a record; -1: it is not whole, which is said on stderr. */
int disk_record_end(disk_service *s);
/* Requests end with ESHUTDOWN, no more are taken. */
void disk_stop(disk_service *s);
/* 1 if Ctrl-C or SIGTERM has come. The first one stops the initiators; a further one kills. */
int disk_interrupted(disk_service *s);
/* Reports ended requests; not 0 if any has ended. */
int disk_deliver(disk_service *s);

/* Adds an ended request to the figures of its host; from the task of the host. */
void disk_count(host_seat *seat, const nx_disk_request *r);
/* 64-bit words that each NIC has counted out of its host and into it. Those of the initiators are compared with what
 * clients were answered. 0; -1: data went around a NIC, or registers do not answer; then the reason is in `error`.
 * Takes some simulated time. */
typedef struct disk_words {
    uint64_t out[FABRIC_NODES], in[FABRIC_NODES];
} disk_words;
/* The counters have 32 bits: from the task of the host, each time DISK_WORDS_LOOK bytes have moved. 0 or -1. */
#define DISK_WORDS_LOOK ((uint64_t)1 << 32)
int disk_words_look(host_seat *seat);
int disk_words_get(disk_service *s, disk_words *words, char error[DISK_SERVICE_ERROR]);

/* One slice of simulated time: 0, or what sim_run says. */
int disk_slice(disk_service *s, sim_time until);
/* Something is under way, for clients, loads or the target. */
int disk_active(const disk_service *s);

#endif
