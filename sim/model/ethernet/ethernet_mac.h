/* A MAC between an Ethernet line and the AXI4-Stream pins of a chip, 8 or 64 bytes wide. On the pins are frames without
 * preamble and FCS.
 *
 *     ethernet_mac_params params;
 *     ethernet_mac_params_default(&params, 8);
 *     ethernet_mac *mac = ethernet_mac_new(sim, clock, ETHERNET_PINS(chip), &params, wire, 0, "mac");
 *
 * To the chip (rx): a word is on the pins after the first clock edge at which its last byte has come in. Nothing stops
 * it. tuser with the last word: the FCS is wrong. Bytes that tkeep leaves out are noise, and so are all while tvalid is
 * 0.
 *
 * From the chip (tx): tready follows the line, with room for four words in front of it. So a chip that is ready sends
 * back to back. Rules for the chip:
 *
 *     gap       from its first to its last word a frame has a word at each edge at which the MAC is ready
 *     unstable  tvalid stays, and the word as it is, until the word is taken
 *     keep      tkeep is all ones before the last word, and there 1 .. all bytes from byte 0 on
 *     short     a frame has `shortest` bytes or more
 *     long      and `longest` or less
 *
 * Who breaks one: the run ends with sim_fail and the line, or with `strict` = 0 it is counted, and the frame goes out
 * with a wrong FCS. All of it is checked once the chip is out of reset: ethernet_mac_enable.
 */
#ifndef SIM_MODEL_ETHERNET_ETHERNET_MAC_H
#define SIM_MODEL_ETHERNET_ETHERNET_MAC_H

#include "sim/model/ethernet/ethernet_wire.h"

/* The port `data` has `bytes` bytes, byte 0 in its lowest bits; `keep` a bit for each; the others are one bit. */
typedef struct ethernet_pins {
    uint8_t *rx_tdata, *rx_tkeep, *rx_tlast, *rx_tuser, *rx_tvalid;
    const uint8_t *tx_tdata, *tx_tkeep, *tx_tlast, *tx_tvalid;
    uint8_t *tx_tready;
} ethernet_pins;

/* Pins of a generated binding whose ports have these names. */
#define ETHERNET_PINS(model)                                                                                           \
    (&(const ethernet_pins){(uint8_t *)(void *)(model)->rx_tdata, (uint8_t *)(void *)(model)->rx_tkeep,                \
                            (uint8_t *)(void *)(model)->rx_tlast, (uint8_t *)(void *)(model)->rx_tuser,                \
                            (uint8_t *)(void *)(model)->rx_tvalid, (const uint8_t *)(const void *)(model)->tx_tdata,   \
                            (const uint8_t *)(const void *)(model)->tx_tkeep,                                          \
                            (const uint8_t *)(const void *)(model)->tx_tlast,                                          \
                            (const uint8_t *)(const void *)(model)->tx_tvalid, (uint8_t *)(void *)(model)->tx_tready})

typedef enum {
    ETHERNET_MAC_GAP,
    ETHERNET_MAC_UNSTABLE,
    ETHERNET_MAC_KEEP,
    ETHERNET_MAC_SHORT,
    ETHERNET_MAC_LONG,
    ETHERNET_MAC_RULES
} ethernet_mac_rule;

typedef struct ethernet_mac_params {
    unsigned bytes;             /* 8 or 64 */
    unsigned shortest, longest; /* [bytes] of a frame from the chip; default 60 and ETHERNET_LONGEST */
    int strict;                 /* default 1: a broken rule ends the run */
    uint64_t seed;              /* of the noise; default 1 */
} ethernet_mac_params;
void ethernet_mac_params_default(ethernet_mac_params *params, unsigned bytes);

typedef struct ethernet_mac ethernet_mac;

/* Joins the clock's edges and that end of the wire. NULL: a parameter is out of range or there is no memory; reported
 * by sim_fail. Free it after the last sim_run, before the wire and sim_free. The MAC runs the wire (ethernet_wire_run)
 * at each edge. */
ethernet_mac *ethernet_mac_new(sim *sim, sim_clock *clock, const ethernet_pins *pins, const ethernet_mac_params *params,
                               ethernet_wire *wire, int end, const char *name);
void ethernet_mac_free(ethernet_mac *m);
/* 1, the default: it works. 0, while the chip is in reset: tready is 0, arriving words are lost, the current frame is
 * dropped. */
void ethernet_mac_enable(ethernet_mac *m, int on);

typedef struct ethernet_mac_stats {
    uint64_t rx_frames, rx_bytes, rx_bad; /* to the chip; those with a wrong FCS among them */
    uint64_t tx_frames, tx_bytes;         /* from the chip */
    uint64_t broken[ETHERNET_MAC_RULES];
    sim_time rx_first, rx_last; /* [ps] edges after which first and last word of the last frame stood on the pins */
    sim_time tx_first, tx_last; /* [ps] edges at which first and last word of the last frame were taken */
} ethernet_mac_stats;
const ethernet_mac_stats *ethernet_mac_get_stats(const ethernet_mac *m);
/* The rule broken first, with the time; "" if nothing was. */
const char *ethernet_mac_first_broken(const ethernet_mac *m);
/* Frames that have come in and have not left for the chip as a whole. */
unsigned ethernet_mac_waiting(const ethernet_mac *m);

#endif
