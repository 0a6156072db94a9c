/* Access to the buffered crossbar switch through its monitor port (rtl/switch/registers.map): settings, status,
 * counters as numbers.
 *
 *     sx_switch sw;
 *     if (sx_open(&sw, &platform)) die(sw.error);
 *     sx_weight_set(&sw, 3, 0, 20);                       input 0 at output 3
 *     sx_flow_get(&sw, 3, 0, &flow); printf("%u packets\n", flow.packets);
 *
 * Every function that returns int gives 0, or -1 with the reason in sw->error. Ports and inputs count from 0. */
#ifndef SX_H
#define SX_H

#include <stdint.h>

#define SX_PORTS 16
#define SX_EVENTS 16

/* Requirements on the machine: registers of the monitor port by byte offset. 0, or not 0 if there was no answer. A dump
 * has no write32. */
struct sx_platform {
    void *self;
    int (*read32)(void *self, unsigned offset, uint32_t *value);
    int (*write32)(void *self, unsigned offset, uint32_t value); /* NULL: nothing can be written */
};

typedef struct sx_switch {
    const struct sx_platform *platform;
    unsigned ports;
    int counters;     /* 0: the switch was built without them, they read 0 */
    int stamps;       /* 0: it was built without time stamps */
    int traces;       /* 0: it was built without tracing memories (sx_trace.h) */
    uint32_t clock_b; /* bit p: port p is on the second network clock */
    char error[160];
} sx_switch;

/* Identifies the device. The platform must outlive sw. Refuses a device that is no switch, or one of another major
 * version. */
int sx_open(sx_switch *sw, const struct sx_platform *platform);

/* ---- flows: input -> output ---- */

typedef struct sx_flow {
    uint32_t words, packets;                   /* forwarded; wrap around */
    unsigned occupancy, occupancy_most;        /* of the crosspoint [words] */
    int measured;                              /* 0: no packet has been measured yet */
    unsigned time_last, time_least, time_most; /* header CRC in to SOP out [clocks]; 65535: that or more */
} sx_flow;

int sx_flow_get(sx_switch *sw, unsigned output, unsigned input, sx_flow *flow);

/* ---- ports ---- */

typedef struct sx_port {
    int enabled, sync, down, draining, credits;
    uint32_t inputs;              /* that it serves */
    unsigned capacity;            /* of the NIC behind it [units] */
    unsigned node;                /* ID of the node behind it: the source in its packets */
    unsigned transmitted, credit; /* to it, and by its last credit, modulo 4096 [units] */
    uint32_t event[SX_EVENTS];    /* counts, in the order of sx_event_name */
    uint8_t weight[SX_PORTS];
} sx_port;

int sx_port_get(sx_switch *sw, unsigned port, sx_port *p);
/* Name of an event as in the register map, HEADER_ERRORS for 0; and what it counts. */
const char *sx_event_name(unsigned event);
const char *sx_event_text(unsigned event);

/* ---- settings ---- */

int sx_enable_set(sx_switch *sw, unsigned port, int enabled);
int sx_inputs_set(sx_switch *sw, unsigned output, uint32_t mask);
int sx_weight_set(sx_switch *sw, unsigned output, unsigned input, unsigned weight); /* 1..255 */
int sx_capacity_set(sx_switch *sw, unsigned port, unsigned units);                  /* 1..4064 */
int sx_node_set(sx_switch *sw, unsigned port,
                unsigned node); /* ID of the node behind the port, 0..127; at reset the port's number */
int sx_down_time_set(sx_switch *sw, uint32_t clocks); /* 1..2^24-1 */
int sx_down_time_get(sx_switch *sw, uint32_t *clocks);
/* Packets that carry time stamps get those of the switch. Refused by a switch that was built without. */
int sx_stamps_set(sx_switch *sw, int on);
/* The clock of the switch's stamps: network clocks. */
int sx_time_get(sx_switch *sw, uint32_t *now);
/* All counters, maxima and times to 0. */
int sx_clear(sx_switch *sw);

#endif
