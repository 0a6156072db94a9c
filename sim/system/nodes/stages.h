/* Where each packet of a fabric is when, from outside: the data phases of the hosts' buses and the words on the pins of
 * the cables. The time stamps in packets (S2 5.3) are compared with it.
 *
 *     stages *s = stages_new(f, on_packet, me);        before traffic; everything that is under way is not known to it
 *     ... run ...                                      on_packet for each good packet, when the last word of it is on
 * its last cable stages_free(s);                                  before the fabric
 *
 * It looks at all nodes at once: not while nodes run in windows (fabric_lookahead). It takes the arrival
 * (cable_set_arrival) of all cables.
 */
#ifndef SIM_SYSTEM_NODES_STAGES_H
#define SIM_SYSTEM_NODES_STAGES_H

#include "sim/model/cable/sniffer.h"
#include "sim/system/nodes/fabric.h"

/* In the order in which a packet passes them; without a switch the last two do not exist. */
enum { STAGE_CREATED, STAGE_DEPARTED, STAGE_ARRIVED, STAGE_LEFT, STAGES };

typedef struct stages_packet {
    unsigned from, to; /* nodes */
    /* [ps] CREATED: the data phase with the last part of its descriptor; DEPARTED: its SOP on the pins of the NIC;
     * ARRIVED: its first byte on the pins of the switch; LEFT: its SOP on the pins of the switch */
    sim_time at[STAGES];
    uint64_t created_clock;     /* that data phase, in clocks of the bus */
    const sniffer_frame *frame; /* as it goes to the receiver, without faults */
} stages_packet;

typedef struct stages stages;

/* NULL: no memory, or no room for an observer. */
stages *stages_new(fabric *f, void (*on_packet)(void *self, const stages_packet *p), void *self);
void stages_free(stages *s);
/* Packets on the last cable that could not be found again on their way: 0, or something is wrong with them or with
 * this. */
uint64_t stages_strangers(const stages *s);

#endif
