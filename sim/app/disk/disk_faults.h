/* Faults of a disk's system, by plan (sim/traffic/faults/plan.h; the classes are in disk_plan.c). Times are simulated,
 * from the moment when all have met. Faults of one host add up: what lasts, lasts until the last fault of its kind
 * ends, and each packet is struck by one of them.
 */
#ifndef SIM_APP_DISK_DISK_FAULTS_H
#define SIM_APP_DISK_DISK_FAULTS_H

#include <stdio.h>

#include "sim/traffic/faults/plan.h"

typedef enum disk_fault_kind {
    DISK_CUT,
    DISK_LOSE,
    DISK_LOSE_CREDITS,
    DISK_FLIP,
    DISK_CRASH,
    DISK_DEAD,
    DISK_DMA_OFF
} disk_fault_kind;

typedef struct disk_fault {
    disk_fault_kind kind;
    unsigned host, count;
    sim_time at, length; /* length 0: for good */
    int begun, over;
    char text[FAULT_TEXT];
} disk_fault;

typedef struct disk_fault_plan {
    disk_fault fault[FAULT_PLAN_MOST];
    unsigned count;
} disk_fault_plan;

/* From a plan of fault_disk. */
void disk_fault_take(const fault_plan *read, disk_fault_plan *plan);
/* Text to such a plan, for `hosts` hosts; see fault_plan_read_for. */
int disk_fault_read(const char *text, unsigned hosts, disk_fault_plan *plan, char error[FAULT_ERROR]);

struct disk_service;
/* When the next fault begins or ends; SIM_FOREVER: none does. */
sim_time disk_fault_next(const struct disk_service *s);
/* Between slices: applies the faults that are due. */
void disk_fault_strike(struct disk_service *s);
/* Ends faults that last: hosts that are to end need not wait for answers that cannot come. */
void disk_fault_end_all(struct disk_service *s);
/* A line for each: when it struck, or that the run did not come to its time. */
void disk_fault_print(const struct disk_service *s, FILE *out);

#endif
