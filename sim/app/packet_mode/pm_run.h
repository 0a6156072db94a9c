/* One run of a packet-mode switch: traffic in at its lines, every word checked at its lines out, and what packets met
 * on the way.
 *
 * The payload names input, output, number of the packet within its flow, and offset. A run fails at the first word that
 * is lost, doubled, torn, on the wrong line or out of its flow's order, and at the first error that the hardware
 * reports. Each priority is a flow of its own, and so are the packets of an input that name sets of outputs: each of
 * these must leave once at each output that it names.
 *
 * The delay of a packet is the time from its first word on the line in to its first word on the line out, less what a
 * packet of 5 words takes through an idle VPS: cable and scheduling (S3 VI-A). A unit is the time of a segment of 512
 * bytes, 64 clocks. */
#ifndef SIM_APP_PACKET_MODE_PM_RUN_H
#define SIM_APP_PACKET_MODE_PM_RUN_H

#include "sim/app/packet_mode/pm_statistics.h"
#include "sim/app/packet_mode/pm_traffic.h"
#include "sim/core/kernel/model.h"

/* Whole packets come to the cards ahead of their instants; with a higher load the lines could not bring them. */
#define PM_INSTANT_MOST 0.95

typedef struct pm_run_params {
    const sim_config *model;
    pm_traffic traffic;
    uint64_t warmup, clocks;         /* before the window, and the window */
    const char *waves;               /* NULL: none; a full model is needed */
    uint64_t wave_from, wave_clocks; /* first clock that is recorded, and how many */
    int quiet;                       /* no progress line */
    const pm_ideal_means *ideal; /* in the long run: the control variate; NULL: not known, or the lines never rest */
    /* [%] The window is prolonged, by as much again and PM_PROLONGED times at most, until the half-widths of the
     * measures in `needed` (a bit for each) are not more than this part of them, or after twice the window far from
     * where they could become so. 0: never. */
    double half_width;
    unsigned needed;
    int of_high; /* with `priority`: `ideal`, `half_width` and `needed` are of packets of high priority, and the run
                    ends with these */
    /* NULL, or where the packets of an input come from, instead of `traffic`: their first words in order, none before
     * the last word of the one before. */
    pm_packet (*next)(void *self, unsigned input);
    const uint8_t (*weight)[PM_PORTS]; /* NULL, or weights by input and output, which are set in the first clocks */
    uint64_t patience;   /* [clocks] that a flow may wait; 0: as long as the contracts of the schedulers allow */
    int copies;          /* packets that name several outputs: the source sends one to each instead */
    pm_result *priority; /* NULL, or two places for results: of packets of low and of high priority alone */
    /* NULL, or called with each packet that counts from this clock on; its number is the next one of its flow. */
    void (*came)(void *self, unsigned input, unsigned output, unsigned words, uint64_t first);
    /* NULL, or called with each packet that has left: clock of its first and last word on the line out. */
    void (*seen)(void *self, unsigned input, unsigned output, uint32_t number, uint64_t first, uint64_t last);
    void *self;
} pm_run_params;

pm_result pm_run(const pm_run_params *params);

#endif
