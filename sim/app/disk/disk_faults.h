/* What goes wrong under a disk, by plan:
 *
 *     plan  = fault { ";" fault }
 *     fault = what "at" TIME [ "for" TIME ]
 *     what  = "cut" HOST            its cable, both directions; without "for": for good
 *           | "lose" NUMBER [HOST]  the next packets on its cable, or on that of the target, in each direction
 *           | "lose" NUMBER "credits" [HOST]
 *           | "flip" "body" [HOST]  a bit of the payload of the next packet in each direction
 *           | "crash" "target"      RST# on its bus, its memory, cache and sessions are gone; it comes back after this time (1 ms)
 *           | "dead" HOST           its software does nothing and its NIC takes and sends nothing; without "for": for good
 *           | "dma" "off" HOST      its NIC reads and writes no memory for this time (1 ms)
 *     HOST  = "target" | "host" NUMBER
 *     TIME  = NUMBER ( "ns" | "us" | "ms" )      simulated, from the moment when all have met
 *
 * Faults of one host add up: what lasts, lasts until the last fault of its kind ends, and each packet is struck by one of them.
 */
#ifndef SIM_APP_DISK_DISK_FAULTS_H
#define SIM_APP_DISK_DISK_FAULTS_H

#include <stdio.h>

#include "sim/core/kernel/sim.h"

enum { DISK_FAULTS = 24, DISK_FAULT_ERROR = 240 };
typedef enum disk_fault_kind {
    FAULT_CUT,
    FAULT_LOSE,
    FAULT_LOSE_CREDITS,
    FAULT_FLIP,
    FAULT_CRASH,
    FAULT_DEAD,
    FAULT_DMA_OFF
} disk_fault_kind;

typedef struct disk_fault {
    disk_fault_kind kind;
    unsigned host, count;
    sim_time at, length; /* length 0: for good */
    int begun, over;
    char text[64];
} disk_fault;

typedef struct disk_fault_plan {
    disk_fault fault[DISK_FAULTS];
    unsigned count;
} disk_fault_plan;

/* For so many hosts. 0, or -1 with one line that names the place in the text and what is expected there. */
int disk_fault_read(const char *text, unsigned hosts, disk_fault_plan *plan, char error[DISK_FAULT_ERROR]);

struct disk_service;
/* When the next fault begins or ends; SIM_FOREVER: none does. */
sim_time disk_fault_next(const struct disk_service *s);
/* Between slices: what is due strikes. */
void disk_fault_strike(struct disk_service *s);
/* What lasts, lasts no longer: hosts that are going to end need not wait for what cannot come. */
void disk_fault_end_all(struct disk_service *s);
/* A line for each: when it struck, or that the run did not come to its time. */
void disk_fault_print(const struct disk_service *s, FILE *out);

#endif
