/*
 * A NIC in C at the end of a switch port's wire, as the documents describe one (design.md 3; S1 3.3): it is what the
 * switch is checked against and shares nothing with the RTL. The frames and their parser are those of
 * tb/unit/link/link_reference.
 *
 * As a sender it keeps T and the last credit per destination, sends packets that these allow, check records, and idle
 * words; as a receiver it has one buffer, one lane of credits, and checks every packet: header rebuilt with the source
 * as flow, data, CRCs, each packet once and in order per flow, and never more in the buffer than it holds. Errors are
 * complaints (nic_group). So is a good packet after 512, 1024, ... that are missing: a NIC, which knows 9 bits of n,
 * would not notice.
 *
 * Packet n of a flow (source, destination) carries n as address and sequence number, and words that follow from source,
 * destination and n; so any receiver knows the expected contents.
 */
#ifndef TB_SWITCH_NIC_SIDE_H
#define TB_SWITCH_NIC_SIDE_H

#include <stdint.h>

#include "link_reference.h"
#include "sim/core/kernel/sim.h"

enum {
    NICS_MAX = 16,
    NIC_QUEUE = 1 << 14,
    NIC_WIRE = 1 << 12,
    WIRE_CLOCKS = 23, /* each way */
    NIC_SCRIPT = 1 << 12,
    CROSSPOINT_UNITS = 512,
    NIC_UNITS = 2046,
    LONGEST_WORDS = 62, /* of a switch with default parameters */
    PAYLOAD_WORDS = 64  /* of any */
};

struct nic_side;

/* All NICs of a switch, and the errors they found. */
struct nic_group {
    sim *s;
    struct nic_side *nic[NICS_MAX];
    unsigned nics;
    unsigned complaints;
    char first_complaint[200];
    int foreign_packets; /* packets are counted and not checked */
    int losses_allowed;  /* packets may be missing; damaged ones must be marked by a wrong body CRC */
    /* of all packets delivered; NULL for none */
    void (*delivered)(void *self, unsigned from, unsigned to, uint32_t number, unsigned length);
    /* of all packets with a good header: `missing` of the flow have not come before it, the body is good or not; NULL
     * for none */
    void (*checked)(void *self, unsigned from, unsigned to, uint32_t number, uint32_t missing, int good);
    void *self;
};

/* One character on the wire to the switch. */
struct nic_character {
    uint8_t byte, k, not_in_table;
};

struct nic_flow_out { /* as a sender, per destination */
    unsigned transmitted, credit;
    int credit_seen, recorded;
    uint32_t sent, queued;     /* packets */
    uint8_t length[NIC_QUEUE]; /* of packet n at n % NIC_QUEUE: 64-bit words */
    uint64_t units;            /* sent, not wrapped */
    unsigned record_owed, hold;
};
struct nic_flow_in { /* as a receiver, per source */
    uint32_t expected;
    uint32_t good, bad, missing;
};

struct nic_side {
    struct nic_group *group;
    unsigned number;
    uint64_t cycle;
    /* settings, to be changed at any time */
    int pop_percent;   /* receiver: chance per clock that a unit leaves the buffer */
    int obeys_credits; /* 0: sends without asking */
    int mute;          /* sends idle only */
    int corrections;   /* chance per idle word that clock correction moves the byte lane, in 1/100 */
    int back_to_back;  /* 1: packets follow without a gap when there are some; 0: random gaps */
    /* sender */
    struct nic_flow_out out[NICS_MAX];
    unsigned next_flow;
    struct frame frame; /* being sent */
    unsigned frame_word;
    int frame_is_packet;
    unsigned header_crc_at; /* word of it that is the header CRC */
    unsigned words_since_idle;
    struct { /* words to be sent unchanged, before anything else */
        uint32_t data;
        uint8_t k;
    } script[NIC_SCRIPT];
    unsigned script_in, script_out;
    unsigned record_timer, record_lane;
    int owes_credit; /* a credit is to be sent though unchanged */
    unsigned credit_timer, credit_sent;
    /* receiver */
    struct nic_flow_in in[NICS_MAX];
    struct link_parser parser;
    unsigned received, occupied, most_occupied;
    unsigned sent_since_idle; /* words on the switch's tx port */
    /* wire to the switch: characters; from it: words */
    struct nic_character wire[NIC_WIRE];
    unsigned wire_in, wire_out;
    uint64_t header_crc_wire; /* character at which the last packet's header CRC starts, in wire_in's count */
    struct {
        uint32_t data;
        uint8_t k;
        sim_time time; /* when it came onto the switch's tx port */
        int alone;     /* the word before it was idle */
    } back[WIRE_CLOCKS];
    /* called for each word before it goes onto the wire to the switch / comes off the wire from it; may change it */
    void (*tap_out)(struct nic_side *n, uint32_t *data, uint8_t *k, uint8_t *not_in_table);
    void (*tap_in)(struct nic_side *n, uint32_t *data, uint8_t *k);
    sim_time sop_time; /* of the frame being received: when its SOP came onto the switch's tx port */
    int sop_was_alone; /* the word before it was idle */
    uint8_t last_k;    /* of the word before */
    uint64_t packets_in, idle_words_in;
};

/* A NIC in reset's state. */
struct nic_side *nic_side_new(struct nic_group *g, unsigned number);
/* The NIC's own reset: accounts at 0, queues kept. */
void nic_side_reset(struct nic_side *n);

/* Queues a packet of `length` 64-bit words for a destination; returns its number. */
uint32_t nic_send(struct nic_side *n, unsigned to, unsigned length);
/* Packets queued and not sent, over all destinations. */
unsigned nic_waiting(const struct nic_side *n);

/* Words to be sent as they are, from the next end of a frame of the NIC's own on; words from..to-1 of a frame. */
void nic_script(struct nic_side *n, uint32_t data, uint8_t k);
void nic_script_frame(struct nic_side *n, const struct frame *f, unsigned from, unsigned to);

/* One clock. `data`, `k`: from the switch's tx port. */
void nic_receive(struct nic_side *n, sim_time now, uint32_t data, uint8_t k);
/* The characters for the switch's rx port, [31:24] first. Returns 1 if the first character of a packet's header CRC is
 * among them. */
int nic_transmit(struct nic_side *n, struct nic_character out[4]);

/* Complains about every account that is not as it must be when all packets have left the switch and all records have
 * passed. */
void nic_check_settled(const struct nic_side *n);

#endif
