/* Traffic on the cable of a pair, per direction: packets, bytes, latency, utilisation of the link and of the receiver's
 * bus.
 *
 * A packet counts when its payload has been written to the receiver's memory. Its latency runs from the clock in which
 * its SOP is on the transmit port to the clock of the last data phase that writes it. Packets are matched with bus
 * writes by address and order; a lost packet is noticed when a later one arrives. Over several links by packet they are
 * matched in any order, and one is lost when 1024 later ones have been sent.
 *
 * The time of a direction runs from the first SOP of a packet to the last word in memory; rates are payload over that
 * time. `bus_data` and `link_busy` are shares of the clocks between those two moments, of everything on the bus or
 * link, not only this direction's packets.
 */
#ifndef SIM_TRAFFIC_SCENARIO_METER_H
#define SIM_TRAFFIC_SCENARIO_METER_H

#include "sim/system/nodes/pair.h"
#include "sim/traffic/scenario/paths.h"

typedef struct meter meter;

typedef struct meter_direction {
    uint64_t packets, bytes; /* payload, in memory */
    uint64_t sent_packets;   /* on the wire */
    uint64_t lost;           /* sent, overtaken by a later one */
    sim_time first, last;    /* [ps] first SOP, last word in memory */
    double mib_per_second;
    double latency_min, latency_median, latency_p99; /* [ns] */
    double link_busy;                                /* share of the words of this direction that are not idle */
    double sender_bus_data, receiver_bus_data;       /* share of bus clocks with a data phase */
} meter_direction;

/* Measures from now on; before the first packet. Nodes may run in windows (sim_lookahead) and in several ranks. NULL:
 * no memory. */
meter *meter_new(pair *p);
/* After the last run. */
void meter_free(meter *m);
/* Reports landed and lost packets to these faults; NULL: none. */
struct faults;
void meter_tell(meter *m, struct faults *faults);
/* Forgets everything measured so far; packets on their way are not counted. */
void meter_clear(meter *m);
/* Later packets are not counted. */
void meter_stop(meter *m);
/* In ranks, from all of them: every rank gets what each has measured. */
void meter_same(meter *m);
/* Of the packets of both directions, in the order in which they have left. */
const overtaking *meter_overtaking(const meter *m);
/* Direction from node `from`. */
void meter_get(const meter *m, int from, meter_direction *out);

#endif
