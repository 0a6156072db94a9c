/* Between the parts of random traffic: the run, its host software, its disturbance. */
#ifndef SIM_TRAFFIC_SCENARIO_TRAFFIC_PRIVATE_H
#define SIM_TRAFFIC_SCENARIO_TRAFFIC_PRIVATE_H

#include "nic_register_map.h"
#include "sim/model/cable/sniffer.h"
#include "sim/traffic/faults/faults.h"
#include "sim/traffic/scenario/traffic.h"

enum {
    QUEUES = 8,
    SOURCE_BYTES = 1 << 20,  /* random words that transfers are taken from */
    SOURCE = 0x08000000,     /* their bus address */
    AREA_BYTES = 4 << 20,    /* of each target area */
    AREAS_FROM = 0x10000000, /* they lie somewhere between these two */
    AREAS_STEP = 0x2f000000,
    LONGEST = 512
};

struct traffic_run;

/* Of links by packet each has its own. */
struct traffic_tap {
    struct traffic_run *r;
    unsigned path;
    sniffer *sniffer;
};

/* One queue of one node. */
struct traffic_sender {
    struct traffic_run *r;
    unsigned node, queue;
    enum traffic_sizes { MANY, FEW, ANY, ANY_TOO } sizes; /* words of its transfers; half of the queues draw any */
    unsigned since_local;                                 /* descriptors since the last one with a local flag */
    unsigned held;                                        /* ... since the last one with a start flag */
    sim_task *task;
};

/* Areas that one NIC writes. */
struct traffic_watch {
    struct traffic_run *r;
    unsigned node;
    uint64_t remote, local; /* bus addresses of the notification words */
};

struct traffic_run {
    const traffic_params *params;
    traffic_result *out;
    pair *p;
    traffic_model *model[2]; /* by sender */
    fairness *fairness[2];
    traffic_counts reported[2]; /* to the faults */
    faults *faults;             /* NULL: none */
    int lossy;
    struct traffic_tap tap[TRAFFIC_PATHS];
    struct traffic_watch watch[2];
    struct traffic_sender sender[2][QUEUES];
    uint32_t area[2][TRAFFIC_AREAS]; /* at node */
    int active, stop, over;
    uint64_t packets; /* that the transfers posted so far will make */
};

/* Parameters of the pair of this seed. 0, or -1: a build of the NIC is missing. */
int traffic_setting(const traffic_params *params, pair_params *p);
/* Limits of the bodies in external memory, some of them none. */
void traffic_body_limits(struct traffic_run *r);
void traffic_sender_task(void *arg);
/* A node's disturbance, until `over`. arg: its watch. */
void traffic_disturbance_task(void *arg);
/* Cuts, until `over`. arg: the run. */
void traffic_cuts_task(void *arg);
void traffic_fail(struct traffic_run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
