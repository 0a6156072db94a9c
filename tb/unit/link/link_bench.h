/*
 * A link_port, of one link or of a bundle, between two FIFOs and a wire, all in C: packets to send are queued in H2N,
 * stored packets are read from N2H, sent words are parsed and logged, and received characters come from a queue (idle
 * when it is empty).
 *
 * link_end is one link_port with its surroundings; a bench has one (its wire is the test) or two (joined by a delay
 * line with faults). Everything a test may turn is a plain member. Things that can never be right end the test at once
 * (ck_abort): a FIFO written when full, words in N2H out of order, a word pattern on the wire that is no frame.
 */
#ifndef TB_LINK_BENCH_H
#define TB_LINK_BENCH_H

#include <stdint.h>

#include "link_port.h"
#include "link_reference.h"
#include "sim/core/kernel/sim.h"
#include "sim/model/cable/cable.h"
#include "test.h"

/* Every event output of link_port, counted by clock. */
/* clang-format off */
#define LINK_EVENTS(X)                                                                                                                     \
    X(out_cycle)                                                                                                                           \
    X(in_cycle)                                                                                                                            \
    X(gt_unknown)                                                                                                                          \
    X(gt_loss_of_sync)                                                                                                                     \
    X(gt_disparity)                                                                                                                        \
    X(gt_tx_buffer)                                                                                                                        \
    X(out_packet)                                                                                                                          \
    X(out_word) X(in_packet) X(in_word) X(header_crc_error) X(alignment_error) X(backpressure) X(h2n_start) X(n2h_start) X(body_crc_error) \
        X(drop_length) X(drop_flow) X(drop_space) X(credit_sent) X(credit_accepted) X(credit_rejected) X(record_sent) X(record_received)   \
            X(record_unknown) X(tx_step) X(tx_discard)
/* clang-format on */

enum { H2N_WORDS = 1 << 15, N2H_WORDS = 1023, WIRE_CHARACTERS = 1 << 17, LINK_PERIOD = 12800, CLOCK_LIMIT = 4000000 };

struct word68 {
    uint64_t data;
    uint8_t flags; /* [67:64] */
    uint8_t crc;   /* the word has a CRC */
};

/* One character on the wire. */
struct character {
    uint8_t byte, k, not_in_table, disparity;
};

struct link_events {
#define X(name) unsigned name;
    LINK_EVENTS(X)
#undef X
};

/* A packet taken out of N2H. */
struct stored_packet {
    uint64_t header;
    uint64_t payload[512];
    int bad; /* [66] of the last word; or the CRC behind it is not that of the payload, or has [66] */
};

struct link_end {
    struct link_bench *bench;
    sim *s;
    link_port *port; /* of a bundle without the ports that are wider there: H2N, N2H, gt_* data and flags */
    const link_port_ports *ports; /* with all of that */
    unsigned links, words;        /* words: of the FIFOs, 64-bit words per clock */
    unsigned
        by_packet;  /* 1: link_port with CRCS=0: CRCs are in H2N, where h2n_put adds them as voq_crc does, and in N2H */
    uint64_t cycle; /* clocks since the start; in logs, that of the word */
    struct link_events events;
    /* H2N */
    struct word68 h2n[H2N_WORDS];
    unsigned h2n_in, h2n_out;                         /* free running */
    unsigned h2n_crcs;                                /* words with CRCs in H2N */
    uint32_t h2n_crc;                                 /* of the body that is put */
    int h2n_corrupted;                                /* ... a word of it had [67] */
    unsigned departed, departed_flow, departed_local; /* count; of the last one */
    unsigned accepted_lane, accepted_value;           /* of the last credit accepted; counter bits [11:5] */
    unsigned accepted_again;                          /* ... and the one of that lane before it was the same */
    uint64_t head_cycle;                              /* first clock in which tx_valid showed the present head word */
    /* N2H */
    struct word68 n2h[1024];
    unsigned n2h_in, n2h_out;
    int lies; /* N2H claims to be empty; words that it has no place for are counted */
    unsigned overflows;
    int pop_percent;             /* reader: chance per clock that it takes a word (four links: two words) */
    struct stored_packet packet; /* the one that is being read */
    int packet_words;            /* of it that are here, -1 = none */
    uint32_t packet_crc;         /* over them */
    void (*packet_sink)(void *self, const struct stored_packet *p);
    void *packet_self;
    uint64_t header_stored_cycle; /* of the last header and last word written to N2H */
    uint64_t last_stored_cycle;
    /* wire */
    struct character wire[WIRE_CHARACTERS];
    unsigned wire_in, wire_out;
    int rx_loss_of_sync;
    unsigned buf_error_from, buf_error_to; /* characters (wire_out) with which the elastic buffer reports an error */
    struct link_parser parser;
    int on_cable;          /* the bench does not drive the wire */
    uint64_t sop_cycle;    /* of the last SOP sent */
    unsigned records_of_0; /* check records sent that say 0 after packets: as if it had been reset */
};

struct link_bench {
    sim *s;
    sim_clock *clk;
    struct link_end end[2];
    int ends;
    void (*before)(void *self); /* in every clock, before the ends are driven; self = user */
    void *user;
};

/* A bench with `ends` link_ports in reset, released after 10 clocks; DIRECT, capacity 2046, 512 words, all lanes. Of
 * two the second one is as one of several links by packet: CRCs of 32 bits per step, kept; one alone is with even
 * seeds. */
struct link_bench *link_bench_new(int ends);
/* One end that is so with any seed. */
struct link_bench *link_bench_kept(void);
/* The same with two ends that a cable will join, each on a clock of its own. */
struct link_bench *link_bench_on_cable(sim *s, sim_clock *const clk[2]);
/* The same of bundles: `kind` is link_port with LINKS. Pins for the cable: link_pins. */
struct link_bench *link_bench_bundle(sim *s, sim_clock *const clk[2], const sim_config *kind);
gt_pins link_pins(const struct link_end *e);
void bench_run(struct link_bench *b, unsigned clocks);
/* Clocks until `port`'s link is up and its lanes are open for packets: record, hold, one credit that says everything is
 * free. One end only; with two ends just runs that long. The credit is put on the wire by this function. */
void bench_open(struct link_bench *b);

/* ---- one end ---- */
/* A word, and behind a header or a last word its CRC if these come with the packets. */
void h2n_put(struct link_end *e, uint64_t data, unsigned flags);
/* A whole packet; `last` sets [66] of the header. */
void h2n_packet(struct link_end *e, uint64_t header, const uint64_t *payload, int last);
unsigned h2n_waiting(const struct link_end *e);                 /* words, without CRCs */
unsigned n2h_count(const struct link_end *e);                   /* words that the port sees in the FIFO */
unsigned n2h_places(const struct link_end *e, unsigned length); /* words of a packet in it */
/* Resets the port alone, for this many clocks. */
void link_reset(struct link_end *e, unsigned clocks);
void wire_characters(struct link_end *e, unsigned n, uint8_t byte, uint8_t k);
void wire_idle(struct link_end *e, unsigned words);
/* A frame with one credit, twice; with one packet; with one record. */
void wire_credit(struct link_end *e, unsigned lane, unsigned units);
void wire_packet(struct link_end *e, uint64_t header, const uint64_t *payload);
void wire_record(struct link_end *e, unsigned lane, unsigned units);
/* The words of a frame, all of them or from..to-1. */
void wire_frame(struct link_end *e, const struct frame *f);
void wire_part(struct link_end *e, const struct frame *f, unsigned from, unsigned to);
unsigned wire_waiting(const struct link_end *e); /* characters */
/* Character n of those put on the wire since wire_in was `from`. */
struct character *wire_at(struct link_end *e, unsigned from, unsigned n);

/* ---- a sink that keeps the words sent ---- */
struct sent_log {
    struct link_item *items;
    unsigned n, room;
};
void sent_log_start(struct link_end *e, struct sent_log *log);
/* Items of one kind in it, and the n-th of them; the test fails if there are fewer. */
unsigned sent_count(const struct sent_log *log, enum link_item_kind kind);
const struct link_item *sent_nth(const struct sent_log *log, enum link_item_kind kind, unsigned n);

/* ---- a sink that keeps the words stored ---- */
struct stored_log {
    struct stored_packet *packets;
    unsigned n, room;
};
void stored_log_start(struct link_end *e, struct stored_log *log);

#endif
