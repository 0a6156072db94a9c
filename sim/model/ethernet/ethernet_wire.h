/* An Ethernet line between two ends, a and b: rate, gaps, latency, and faults, each at random or by plan.
 *
 *     ethernet_wire_params params;
 *     ethernet_wire_params_default(&params);
 *     params.lose = 1e-3;
 *     ethernet_wire *w = ethernet_wire_new(&params, error);
 *     ethernet_wire_connect(w, 1, take, self);                     who gets what arrives at b
 *     ethernet_wire_strike(w, 0, 17, 1, (ethernet_fault){ETHERNET_LOSE, 0});       by plan: sim/traffic/faults/line.h
 *     ethernet_wire_send(w, 0, frame, length, now);                from a
 *     ethernet_wire_run(w, now);                                   delivers what has arrived by now; call it as time
 * goes on
 *
 * A frame is its bytes from the destination address to the last byte before the FCS. A direction is named by the end it
 * comes from, 0 (a) or 1 (b). On the line a frame takes 8 bytes of preamble, at least 60 of its own, 4 of FCS, and a
 * gap of 12 (IEEE 802.3, 4.2.3.2.2 and 3.1.1); the next one of its direction starts behind that. Times are those of the
 * simulation [ps], but nothing here needs one.
 *
 * In the middle stands something like a switch: it takes each frame whole, damages, loses, doubles or delays it, and
 * sends it on. So a frame arrives as a whole, `latency` after its last byte has left. Frames are numbered from 0 in
 * each direction as their last bytes leave.
 *
 * No part of it is random but by `seed`, and each direction draws from a stream of its own: a fault in one changes
 * nothing in the other.
 */
#ifndef SIM_MODEL_ETHERNET_ETHERNET_WIRE_H
#define SIM_MODEL_ETHERNET_ETHERNET_WIRE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/core/kernel/sim.h"

enum { ETHERNET_LONGEST = 9216 /* [bytes] of a frame without FCS */, ETHERNET_SHORTEST = 60, ETHERNET_ERROR = 256 };
enum { ETHERNET_PREAMBLE = 8, ETHERNET_FCS = 4, ETHERNET_GAP = 12 /* [bytes] */ };

typedef struct ethernet_wire_params {
    uint64_t rate;       /* [bit/s] 10^8 .. 4 x 10^11; default 10^10 */
    sim_time latency;    /* [ps] from the last byte sent to the arrival; default 500 ns */
    double lose;         /* probabilities of a frame, 0 .. 1; default 0. It is lost, */
    double duplicate;    /* ... comes twice, */
    double delay;        /* ... comes after 1 .. delay_most later ones, */
    double flip;         /* ... has one bit flipped within the switch, so that its FCS is right, */
    double spoil;        /* ... has one bit flipped on the line, so that its FCS is wrong */
    unsigned delay_most; /* 1 .. 1000; default 16 */
    sim_time hold;       /* [ps] a delayed frame goes on without later ones after this time; default 10 us */
    int pad; /* 1, the default: frames of less than 60 bytes are filled with zeros to 60; 0: they arrive as short as
                they are */
    uint64_t seed;       /* default 1 */
    const char *name[2]; /* of the ends, in plans and reports; default "a", "b". They must outlive the wire */
} ethernet_wire_params;
void ethernet_wire_params_default(ethernet_wire_params *params);

typedef struct ethernet_wire ethernet_wire;

/* NULL: a parameter is out of range, or there is no memory: error says which, and what was expected. */
ethernet_wire *ethernet_wire_new(const ethernet_wire_params *params, char error[ETHERNET_ERROR]);
void ethernet_wire_free(ethernet_wire *w);

/* Called with each frame that arrives at an end; the bytes are valid during the call. A frame with a wrong FCS comes,
 * too: who takes it has to drop it. */
typedef void (*ethernet_deliver)(void *self, const uint8_t *frame, size_t length, int bad_fcs, sim_time time);
void ethernet_wire_connect(ethernet_wire *w, int end, ethernet_deliver deliver, void *self);

/* The frame starts at `time`, or as soon as the line is free after it. bad_fcs: its sender broke off. Returns -1 if it
 * is longer than ETHERNET_LONGEST, or there is no memory (ethernet_wire_error). */
int ethernet_wire_send(ethernet_wire *w, int from, const uint8_t *frame, size_t length, int bad_fcs, sim_time time);
/* When the next frame from there can start. */
sim_time ethernet_wire_idle_at(const ethernet_wire *w, int from);
/* Time of n bytes [ps]; they are exact only over many. */
sim_time ethernet_wire_time(const ethernet_wire *w, uint64_t bytes);

/* Everything up to `now` happens, in order of time. */
void ethernet_wire_run(ethernet_wire *w, sim_time now);
/* When something happens next; SIM_FOREVER: nothing is on its way. */
sim_time ethernet_wire_next(const ethernet_wire *w);

/* ---- faults */

typedef enum {
    ETHERNET_NO_FAULT,
    ETHERNET_LOSE,
    ETHERNET_DUPLICATE,
    ETHERNET_DELAY, /* until `argument` later frames have passed that are not delayed themselves */
    ETHERNET_FLIP,  /* bit `argument` of the frame: 0 is the lowest bit of its first byte; modulo its length; the FCS is
                       right */
    ETHERNET_SPOIL, /* the same, and the FCS is wrong */
    ETHERNET_CUT,   /* lost, because the line was cut */
    ETHERNET_FAULTS
} ethernet_fault_kind;
typedef struct ethernet_fault {
    ethernet_fault_kind kind;
    uint64_t argument;
} ethernet_fault;

/* One frame, or `count` of them, from number `first` on; with ETHERNET_CUT all that leave or arrive in `count` ps from
 * time `first` on. The first fault that names a frame counts. -1: no memory. */
int ethernet_wire_strike(ethernet_wire *w, int from, uint64_t first, uint64_t count, ethernet_fault fault);
/* From now on the probability of a frame from that end. */
void ethernet_wire_chance(ethernet_wire *w, int from, ethernet_fault_kind kind, double probability);
/* Looks at each frame that no plan names, before anything is drawn: what it returns strikes; ETHERNET_NO_FAULT: as if
 * there were no tap. One tap; NULL takes it off. */
typedef ethernet_fault (*ethernet_tap)(void *self, int from, uint64_t number, const uint8_t *frame, size_t length);
void ethernet_wire_set_tap(ethernet_wire *w, ethernet_tap tap, void *self);
/* Frames from that end that reach the middle, or the other end, are lost until it is reconnected. Either twice is as
 * good as once. */
void ethernet_wire_cut(ethernet_wire *w, int from);
void ethernet_wire_reconnect(ethernet_wire *w, int from);
/* Nothing is drawn at random any more; plans and taps go on. */
void ethernet_wire_calm(ethernet_wire *w);

/* ---- what passes */

/* ETHERNET_SENT: each frame as its sender sent it, when its last byte has left, in order of time over both directions.
 * ETHERNET_ARRIVED: each frame as it arrives, after faults. */
typedef enum { ETHERNET_SENT, ETHERNET_ARRIVED } ethernet_place;
typedef void (*ethernet_observer)(void *self, int from, sim_time time, const uint8_t *frame, size_t length,
                                  int bad_fcs);
/* At most 8 observers: -1 if there are too many. */
int ethernet_wire_observe(ethernet_wire *w, ethernet_place place, ethernet_observer observer, void *self);

typedef struct ethernet_wire_stats {
    uint64_t frames, bytes;           /* sent; without preamble, FCS and gap */
    uint64_t arrived, arrived_bytes;  /* with doubled and damaged ones */
    uint64_t struck[ETHERNET_FAULTS]; /* by ethernet_fault_kind */
    uint64_t unplanned;               /* frames that a plan named and that have not been sent yet */
} ethernet_wire_stats;
ethernet_wire_stats ethernet_wire_get_stats(const ethernet_wire *w, int from);
/* "lose", "duplicate" ... as in plans. */
const char *ethernet_fault_name(ethernet_fault_kind kind);
const char *ethernet_wire_name(const ethernet_wire *w, int end);
/* Two lines, one for each direction. */
void ethernet_wire_print(const ethernet_wire *w, FILE *out);
/* The error, "" if there is none. */
const char *ethernet_wire_error(const ethernet_wire *w);

#endif
