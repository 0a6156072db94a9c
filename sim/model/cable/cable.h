/*
 * The cable between two chips: per link and direction a RocketIO transceiver pair and a wire (transceiver.h), joined to
 * the clock and the gt_* pins of a model at each end.
 *
 *     cable_params params;
 *     cable_params_default(&params);
 *     cable *wire = cable_new(sim, &params, net_clock_a, GT_PINS(nic_a), net_clock_b, GT_PINS(nic_b), "a-b");
 *     sniffer_attach(sniffer, wire, 0);                          see sniffer.h
 *     cable_set_tap(wire, flip_a_bit, &state);                   faults
 *     cable_cut(wire, CABLE_A_TO_B); ... cable_reconnect(wire, CABLE_A_TO_B);
 *
 * Ends are 0 (a) and 1 (b); a direction is named by the end it comes from. With a == b in clock and pins of two links
 * the ends may be on one chip. Nothing is allocated after cable_new; everything random comes from the seed of the
 * simulation.
 *
 * Latency: a word that a model puts on its tx port at clock edge n is on the rx port of the other model after edge n +
 * latency_clocks if the clocks are in step and the alignment is 0, and 1..3 bytes later in lanes 1..3. Clocks out of
 * step move it by less than one clock either way; clock correction keeps it there within one more byte.
 *
 * The flags on the pins are those of the part (transceiver.h): a K flag means nothing where the not-in-table flag of
 * its byte is set; gt_rx_buf_status[1] is overflow or underflow, [0] only says "at least half full" and toggles in
 * normal work.
 */
#ifndef SIM_MODEL_CABLE_CABLE_H
#define SIM_MODEL_CABLE_CABLE_H

#include <stdint.h>
#include <stdio.h>

#include "sim/core/kernel/sim.h"
#include "sim/model/cable/transceiver.h"

enum { CABLE_LINKS = 4 /* most links of one cable */, CABLE_OBSERVERS = 12, CABLE_WITNESSES = 8 };
enum { CABLE_A_TO_B = 1, CABLE_B_TO_A = 2, CABLE_BOTH = 3 };

/*
 * Ports of one end. They may be vectors over several links or switch ports: link i of the cable uses element first_link
 * + i (data 32 bits, K, not-in-table and disparity 4, buffer status and loopback 2, the rest 1; element 0 in the lowest
 * bits). Any pointer may be NULL: an output is not driven then, an input reads 0.
 */
typedef struct gt_pins {
    uint32_t *rx_data;
    uint8_t *rx_k, *rx_notintable, *rx_disperr, *rx_loss_of_sync, *rx_buf_status, *tx_buf_err;
    const uint32_t *tx_data;
    const uint8_t *tx_k;
    const uint8_t *loopback; /* 00 cable, 01 own transmitter (parallel), 10 and 11 own transmitter (serial) */
    unsigned first_link;
} gt_pins;

/* Pins of a generated binding whose ports are named gt_*, of the element `index` of its vectors. */
#define GT_PINS_AT(model, index)                                                                                       \
    (&(const gt_pins){(uint32_t *)(void *)(model)->gt_rx_data, (uint8_t *)(void *)(model)->gt_rx_k,                    \
                      (uint8_t *)(void *)(model)->gt_rx_notintable, (uint8_t *)(void *)(model)->gt_rx_disperr,         \
                      (uint8_t *)(void *)(model)->gt_rx_loss_of_sync, (uint8_t *)(void *)(model)->gt_rx_buf_status,    \
                      (uint8_t *)(void *)(model)->gt_tx_buf_err, (const uint32_t *)(const void *)(model)->gt_tx_data,  \
                      (const uint8_t *)(const void *)(model)->gt_tx_k,                                                 \
                      (const uint8_t *)(const void *)(model)->gt_loopback, (index)})
#define GT_PINS(model) GT_PINS_AT(model, 0)
/* The same for a model without gt_loopback. */
#define GT_PINS_PLAIN(model)                                                                                           \
    (&(const gt_pins){(uint32_t *)(void *)(model)->gt_rx_data, (uint8_t *)(void *)(model)->gt_rx_k,                    \
                      (uint8_t *)(void *)(model)->gt_rx_notintable, (uint8_t *)(void *)(model)->gt_rx_disperr,         \
                      (uint8_t *)(void *)(model)->gt_rx_loss_of_sync, (uint8_t *)(void *)(model)->gt_rx_buf_status,    \
                      (uint8_t *)(void *)(model)->gt_tx_buf_err, (const uint32_t *)(const void *)(model)->gt_tx_data,  \
                      (const uint8_t *)(const void *)(model)->gt_tx_k, NULL, 0})

typedef struct cable_params {
    unsigned links; /* 1..CABLE_LINKS */
    int by_byte;    /* 1: the links share the bytes of each frame (rtl/nic/link/bundle.md); who parses frames asks */
    int by_packet;  /* 1: each packet has a link of its own, headers have ten bits of sequence; who parses them asks */
    unsigned latency_clocks;  /* [clocks] tx port to rx port, 20 or more */
    unsigned loopback_clocks; /* [clocks] the same from the own transmitter, 20 or more */
    unsigned lock_clocks;     /* [clocks] noise after power-up and reconnection until the clock recovery has locked */
    sim_time skew[2][CABLE_LINKS]; /* [ps] extra delay [from][link] */
    int alignment;                 /* byte lane after each bring-up, 0..3, or GT_ALIGNMENT_RANDOM */
} cable_params;

/* One link, 23 clocks, loopback 21 clocks, 64 clocks to lock, no skew, random alignment. */
void cable_params_default(cable_params *params);

typedef struct cable cable;

/*
 * Connects two ends. NULL if a parameter is out of range or there is no memory; the reason is then reported by
 * sim_fail. Free it after the last sim_run, before sim_free.
 */
cable *cable_new(sim *sim, const cable_params *params, sim_clock *a, const gt_pins *pins_a, sim_clock *b,
                 const gt_pins *pins_b, const char *name);
void cable_free(cable *cable);

/*
 * The place for faults: called for every word clock of a transmitter, before 8b/10b. It may change data and k and set
 * bits in *flip, a mask that is exclusive-ored onto the 40 bits of the code groups (bit 39 = first bit on the wire).
 * With several links data, k and flip are arrays of one element per link. word_index counts the words of that direction
 * from 0. NULL removes the tap.
 */
typedef void (*cable_tap)(void *self, int from, uint64_t word_index, uint32_t *data, uint8_t *k, uint64_t *flip);
void cable_set_tap(cable *cable, cable_tap tap, void *self);

/*
 * Sees every word as the model sent it, before faults. `time` and `clock` are those of the edge at which the word came
 * onto the tx port (edges of that end's clock counted from 1). Returns -1 if CABLE_OBSERVERS are there already.
 */
typedef void (*cable_observer)(void *self, int from, uint64_t word_index, sim_time time, uint64_t clock,
                               const uint32_t *data, const uint8_t *k);
int cable_add_observer(cable *cable, cable_observer observer, void *self);

/*
 * Sees every word as it goes onto the wire, after faults: `flip` as in cable_tap. Returns -1 if CABLE_WITNESSES are
 * there already.
 */
typedef void (*cable_witness)(void *self, int from, uint64_t word_index, sim_time time, const uint32_t *data,
                              const uint8_t *k, const uint64_t *flip);
int cable_add_witness(cable *cable, cable_witness witness, void *self);

/*
 * Called when the first byte of a sent word that starts with K27.7 has come out at the rx port of the other end, in
 * sync: word_index is that of the witness, time and clock are those of the edge of the receiving clock. One listener
 * per cable; NULL removes it.
 */
typedef void (*cable_arrival)(void *self, int from, unsigned link, uint64_t word_index, sim_time time, uint64_t clock);
void cable_set_arrival(cable *cable, cable_arrival arrival, void *self);

/*
 * Cuts directions (mask of CABLE_A_TO_B, CABLE_B_TO_A) at the receiver's plug, all links: words on the wire are lost,
 * the receiver sees noise. Reconnection starts a new bring-up with the words then on the wire. Both take effect at
 * once; repeating either does nothing.
 */
void cable_cut(cable *cable, int directions);
void cable_reconnect(cable *cable, int directions);
/* The same of some links only, a mask. */
enum { CABLE_ALL_LINKS = (1 << CABLE_LINKS) - 1 };
void cable_cut_links(cable *cable, int directions, unsigned links);
void cable_reconnect_links(cable *cable, int directions, unsigned links);

/* Raises gt_tx_buf_err of an end, all links, for that many clocks; a transmit buffer whose two sides share a clock
 * never does by itself. */
void cable_tx_buffer_error(cable *cable, int end, unsigned clocks);

typedef struct cable_stats {
    uint64_t words;        /* sent */
    uint64_t idle_words;   /* of these: four K28.5 */
    uint64_t bytes;        /* sent in the other words */
    uint64_t frames;       /* words that start with K27.7 */
    uint64_t bad_controls; /* bytes sent as K that are no control character */
    gt_receiver_stats received;
} cable_stats;

/* Statistics of one direction and link since cable_new. */
void cable_get_stats(const cable *cable, int from, unsigned link, cable_stats *stats);
/* Words sent, and how many of these are idle: the part of it that the sender may ask for in a window (sim_lookahead).
 */
uint64_t cable_sent(const cable *cable, int from, unsigned link, uint64_t *idle);

/* Byte lane in which words from that end now start at the other, -1 during bring-up; and the state of that receiver. */
int cable_alignment(const cable *cable, int from, unsigned link);
gt_state cable_state(const cable *cable, int from, unsigned link);

/* Both directions with their statistics, for reading. Also printed when the watchdog or a failure ends the run. */
void cable_print(const cable *cable, FILE *out);
unsigned cable_links(const cable *cable);
int cable_by_byte(const cable *cable);
int cable_by_packet(const cable *cable);
const char *cable_name(const cable *cable);

#endif
