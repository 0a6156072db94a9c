/* The other end of a NIC's cable when that is a switch: one port with N destinations behind it, in C.
 *
 *     far_end_params params = far_end_params_default();
 *     far_end *port = far_end_new(&params, deliver, self);
 *     far_end_attach(port, sim, net_clock);
 *     cable_new(sim, &cable_params, nic->net_clock, GT_PINS(nic), net_clock, far_end_pins(port), "nic-port");
 *     far_end_stop(port, 3);                            destination 3 takes nothing more
 *     far_end_send(port, &packet, FAR_END_GOOD);        a packet of its own, to the NIC
 *
 * Towards the NIC's transmitter it is a receiver with one buffer and one credit lane per destination (design.md 3): the
 * flow of a packet names the destination; credits carry the flow, an odd one is sent twice, unchanged ones are
 * refreshed; check records set the accounts right. A packet is checked in full: SOP, header CRC, the header's fixed
 * bits, length, flow, room (a sender that uses more than its credit is caught), sequence per destination, body CRC. It
 * waits in its destination's buffer until the destination's output is free, is credited when its transmission starts
 * there, and is delivered to the callback when the transmission has ended.
 *
 * Towards the NIC's receiver it is a sender with one lane (flow 0), its own check records, and packets whose flow names
 * their source.
 *
 * The heart knows no simulator: far_end_clock() takes the words of one clock in and gives those of that clock out.
 * Nothing here is shared with the RTL or the cable but the CRCs of frame.h.
 */
#ifndef SIM_MODEL_FAR_END_FAR_END_H
#define SIM_MODEL_FAR_END_FAR_END_H

#include <stdint.h>
#include <stdio.h>

#include "sim/core/kernel/sim.h"
#include "sim/model/cable/cable.h"

enum { FAR_END_DESTINATIONS = 64, FAR_END_SOURCES = 128, FAR_END_LONGEST = 512, FAR_END_FULL_RATE = 256 };

typedef struct far_end_params {
    unsigned destinations;   /* 1..FAR_END_DESTINATIONS; default 8 */
    unsigned units;          /* buffer of each [link words], 6..4064; default 512 */
    unsigned longest;        /* payload accepted [64-bit words], 1..512; default 62 */
    unsigned nic_units;      /* receive buffer of the NIC [link words]; default 2046 */
    unsigned start_clocks;   /* from a good header to the start of its transmission to an idle destination; default 8 */
    unsigned record_period;  /* [clocks] between check records; default 2048 */
    unsigned hold_clocks;    /* [clocks] after the first record in which credits are not believed; default 512 */
    unsigned refresh_period; /* [clocks] between unchanged credits; default 4096 */
    unsigned idle_words;     /* at least one idle word is sent in this many words; default 2048 */
    unsigned up_clocks;      /* [clocks] in synchronisation before the link is up; default 128 */
    int one_sequence;        /* the NIC numbers the packets of all destinations as one sequence; default 0 */
    int sequence_zero;       /* the NIC sends sequence number 0 always; default 0 */
} far_end_params;
far_end_params far_end_params_default(void);

/* A packet received, or one to send. */
typedef struct far_end_packet {
    unsigned flow; /* destination, or source of one that is sent: 0..127 */
    unsigned sequence;
    unsigned words; /* payload [64-bit words] */
    uint32_t address;
    int remote_notify, local_notify, remote_interrupt;
    const uint64_t *payload; /* valid during the call */
    /* received only */
    uint64_t header;       /* as it came */
    int damaged;           /* wrong body CRC, or the frame ended early and the rest is zeros */
    int gap;               /* the sequence number is not the one that was due */
    uint64_t number;       /* good headers of this destination before it */
    uint64_t header_clock; /* clock in which its header was complete */
} far_end_packet;

/* Called when a packet has left the buffer of its destination as a whole. */
typedef void (*far_end_deliver)(void *self, const far_end_packet *packet);

typedef struct far_end far_end;

/* NULL: no memory, or a parameter is out of range (the reason goes to stderr). `deliver` may be NULL. */
far_end *far_end_new(const far_end_params *params, far_end_deliver deliver, void *self);
void far_end_free(far_end *f);

/* ---- one clock by hand */
typedef struct far_end_input {
    uint32_t data;
    uint8_t k, not_in_table, disparity, loss_of_sync, buffer_error;
} far_end_input;
void far_end_clock(far_end *f, const far_end_input *in, uint32_t *data, uint8_t *k);
/* ... of a receiver's pins in this clock; what it sends is dropped. */
void far_end_look(far_end *f, const gt_pins *pins);

/* ---- in a simulation: samples and drives pins of its own at each edge of `clock` */
void far_end_attach(far_end *f, sim *s, sim_clock *clock);
const gt_pins *far_end_pins(const far_end *f);

/* ---- destinations */
/* A stopped destination starts no transmission: its buffer fills, its credits cease. */
void far_end_stop(far_end *f, unsigned destination);
void far_end_go(far_end *f, unsigned destination);
/* Share of the link rate that a destination takes, in 1/256: 1..FAR_END_FULL_RATE. */
void far_end_rate(far_end *f, unsigned destination, unsigned rate);

/* ---- packets to the NIC */
enum far_end_fault {
    FAR_END_GOOD,
    FAR_END_DROPPED,        /* never sent; its sequence number is used up */
    FAR_END_LOST,           /* the same, and it counts as transmitted: lost on the wire */
    FAR_END_REPEATED,       /* sent twice, same number */
    FAR_END_BAD_HEADER,     /* a wrong bit in the header */
    FAR_END_BAD_HEADER_CRC, /* ... in the header CRC */
    FAR_END_BAD_BODY,       /* ... in the payload */
    FAR_END_BAD_BODY_CRC,   /* ... in the body CRC */
    FAR_END_CUT_SHORT,      /* the frame ends in the middle of the payload */
    FAR_END_FAULTS
};
/* Queues a packet; `sequence` of the struct is not looked at: the source's next number is taken. Returns -1 if a field
 * is out of range or there is no memory. Packets leave in order as the NIC's credits allow. */
int far_end_send(far_end *f, const far_end_packet *packet, enum far_end_fault fault);
/* The same for a packet that was received, as a switch hands it on: with its own sequence number and flags, as from
 * `source`. A damaged one keeps a wrong body CRC. */
int far_end_forward(far_end *f, const far_end_packet *packet, unsigned source, enum far_end_fault fault);
/* Packets that have not left. */
unsigned far_end_waiting(const far_end *f);

/* ---- what was seen */
typedef struct far_end_stats {
    uint64_t packets, words;        /* good headers stored; their payload [64-bit words] */
    uint64_t delivered;             /* packets handed to the callback */
    uint64_t credit_words, records; /* received */
    uint64_t sent_packets, sent_credit_words, sent_records;
    /* what must not be when nothing has been damaged; the sum of these is far_end_wrong() */
    uint64_t bad_sop; /* K27.7 without 5A A5 5A behind it */
    uint64_t empty;   /* frames of nothing, or that end within the header */
    uint64_t header_crc, fixed_bits;
    uint64_t length, flow; /* longer than allowed, not a destination: dropped */
    uint64_t overrun;      /* more than the credit of its lane: dropped */
    uint64_t gaps;         /* sequence */
    uint64_t body_crc, cut_short;
    uint64_t stray;             /* words outside of frames */
    uint64_t malformed_credits; /* [15], parity, a second credit word */
    uint64_t rejected_credits;  /* flow or value */
    uint64_t repairs;           /* check records that changed an account */
    uint64_t code_errors; /* words with a character that is not in the table, or wrong disparity, in synchronisation */
    uint64_t sync_losses;
} far_end_stats;
const far_end_stats *far_end_get_stats(const far_end *f);
uint64_t far_end_wrong(const far_end *f);
/* The first error, with the clock; "" if nothing. */
const char *far_end_first_wrong(const far_end *f);
/* Clears the errors. */
void far_end_forgive(far_end *f);

/* Accounts of a destination's lane [link words], modulo 4096. */
typedef struct far_end_lane {
    unsigned received, forwarded; /* received - forwarded waits in the buffer */
    uint64_t packets, words;      /* delivered; payload [64-bit words] */
    unsigned waiting;             /* packets in the buffer */
} far_end_lane;
far_end_lane far_end_view(const far_end *f, unsigned destination);
/* Its own lane towards the NIC. */
unsigned far_end_transmitted(const far_end *f);
unsigned far_end_credit(const far_end *f);
int far_end_is_up(const far_end *f);
void far_end_print(const far_end *f, FILE *out);

#endif
