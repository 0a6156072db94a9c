/* The crossbar compared with the packet-mode switch of its shape, VPS with packets and crosspoints of the same size, on
 * the same arrivals (make packet-mode-crossbar): how long packets of 512 bytes wait. A program that includes this says
 * which switches; the tests are here.
 *
 * Time is counted in packets: 64 clocks of a line of VPS; LINE clocks of a line of the crossbar. There a packet is SOP,
 * two words of header, its CRC, 124 of payload and the body CRC, 129 words, and nearly each frame of a busy line also
 * holds a word of credits. Arrivals are those of pm_traffic, in whole packets of that line, and scaled so: a packet is
 * in its NIC's VOQ when its first word would be at the VOQ of VPS. Its delay ends with its first word on the line out
 * (its SOP). The time through an idle switch is subtracted.
 *
 * The NICs are those of nic_side.h: VOQs in turn, credit of each crosspoint, no store-and-forward. */
#ifndef TB_SWITCH_VPS_BENCH_H
#define TB_SWITCH_VPS_BENCH_H

#include "sim/core/kernel/model.h"

typedef struct vps_switches {
    unsigned ports;
    const sim_config *crossbar, *vps;
    double
        clocks; /* of VPS that are measured; CLOCKS in the environment is another number, LOAD another load than 0.7 */
} vps_switches;
extern const vps_switches vps_bench_switches;

#endif
