/* Expected output of the VOQs: an independent reference of rtl/nic/voq, and the rules that every word at its output is
 * checked by.
 *
 * The bench reports its actions on the module (reservations, words committed, credits, software resets) and its
 * observations at the outputs in each clock; the reference keeps per VOQ the list of transfers in the order in which
 * their first pieces were reserved, and per destination the next sequence number and the credit. The first rule broken
 * is kept with a text; later ones are not looked at.
 *
 * Clocks: voq_ref_output is called in each clock before the inputs of that clock are given. So inputs of clock n
 * count for outputs of clock n + 1.
 *
 * External memory may damage words: the bench reports each word hit. */
#ifndef TB_VOQ_REFERENCE_H
#define TB_VOQ_REFERENCE_H

#include <stdint.h>

enum voq_rule {
    VOQ_FINE,
    VOQ_FORM,     /* header and words take turns as the length says; marks [67:64] are right */
    VOQ_HEADER,   /* flow, length, address, fixed bits are those of the next packet of that queue */
    VOQ_ORDER,    /* ... which exists */
    VOQ_FLAGS,    /* notification flags and "last packet" only on the last one */
    VOQ_SEQUENCE, /* numbers count packets and gaps of each destination */
    VOQ_DATA,     /* payload words */
    VOQ_VISIBLE,  /* no packet before its words are committed (or eager) */
    VOQ_CREDIT,   /* never more units out than the lane has credit for */
    VOQ_TURN,     /* a queue whose next packet is on chip, with credit in a lane of its own, waits for 32 x (VOQS - 1)
                     packets at most */
    VOQ_START,    /* a packet starts with at most 16 words in the link FIFO */
    VOQ_STOP,     /* while 60 words are in it no word comes out but the one read before */
    VOQ_PACE,     /* a packet that has started delivers a word in two clocks while the link FIFO lets it */
    VOQ_MOVED,  /* moved_* exactly when the last word of a transfer is written, or once for one whose header was damaged
                 */
    VOQ_RESET,  /* no packet starts during a software reset */
    VOQ_ROOM,   /* rings never promise more words than they hold */
    VOQ_ERROR,  /* ev_overflow stays low */
    VOQ_LOST,   /* at the end everything has come out */
    VOQ_MEMORY, /* at most 16 reads outstanding, addresses inside the blocks, words read have been written */
    VOQ_RULES
};
extern const char *const voq_rule_names[VOQ_RULES];

struct voq_transfer {
    unsigned queue, flags, limit, length;
    uint32_t address;
    unsigned id;
    int eager;
    unsigned committed; /* words visible */
    unsigned sent;      /* words of packets that have started */
    int aborted;        /* nothing more of it comes, and a number is skipped */
    int nothing;        /* it never was */
    int lost;           /* its header has been damaged: nothing of it leaves, numbers are skipped */
    int reported;       /* ... and that has been reported */
    uint8_t bad[64];    /* bit per word: damaged */
};

/* One word of the output in one clock. */
struct voq_output {
    int valid;
    uint64_t data;
    unsigned marks; /* [67:64] */
    unsigned count; /* words in the link FIFO */
    int moved, moved_lost;
    unsigned moved_queue;
    int error;
};

struct voq_lane {
    unsigned number;        /* of the next packet */
    unsigned gaps_at_least; /* numbers that must, ... */
    unsigned gaps_at_most;  /* ... that may be skipped before it */
    unsigned sent;          /* units, 12 bits */
    unsigned last;          /* credit [11:5] */
    int seen;
};

struct voq_ref {
    unsigned queues, voqs;
    int direct, sequence_zero;
    unsigned capacity;

    struct voq_transfer **lists[16]; /* per VOQ, in order; `head` is the first that may not have left */
    unsigned count[16], head[16], space[16];
    struct voq_lane lanes[16];

    /* the packet under way */
    struct voq_transfer *packet;
    unsigned packet_left, packet_at, quiet_clocks, count_before;
    int packet_last, packet_corrupted;

    int resetting;   /* the bench sets it, */
    unsigned bodies; /* ... and bit per VOQ: it has words in external memory, or may have, or had some clocks ago */
    enum voq_rule broken;
    char text[200];

    /* statistics */
    unsigned packets, transfers, lost, bad_words;
    unsigned queue_packets[16], queue_words[16];
    unsigned passed[16],
        most_passed; /* packets of others since the next one of the queue could go; the most of all queues */
    uint64_t clock, last_header_clock;
};

/* Its memory is freed after the test. */
void voq_ref_init(struct voq_ref *r, unsigned queues, unsigned voqs);
void voq_ref_break(struct voq_ref *r, enum voq_rule rule, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* The payload of a transfer. */
uint64_t voq_ref_word(unsigned id, unsigned index);
/* The header word with which a transfer goes into the block, [63:0]. */
uint64_t voq_ref_header(const struct voq_transfer *t);

/* A transfer whose first piece is reserved now. The bench keeps `committed`, `eager`, `aborted` and `nothing` of the
 * result up to date. */
struct voq_transfer *voq_ref_add(struct voq_ref *r, const struct voq_transfer *t);

void voq_ref_credit(struct voq_ref *r, unsigned lane, unsigned value);
/* External memory has damaged a word of a transfer: its header (`index` < 0), or word `index`. */
void voq_ref_damage(struct voq_ref *r, struct voq_transfer *t, int index);
/* Outputs of one clock. */
void voq_ref_output(struct voq_ref *r, const struct voq_output *o);
/* A software reset, during which `resetting` is set and nothing may start, is over. `maybe` has a bit for each
 * destination of which the block may hold something the reference does not know of (a body that is about to go),
 * `given_up` one for each of which a transfer was dropped before it came there. */
void voq_ref_reset_done(struct voq_ref *r, unsigned maybe, unsigned given_up);
/* Transfers that have not left as far as they ever will. */
unsigned voq_ref_inside(struct voq_ref *r);
/* VOQ_LOST if there are any. */
void voq_ref_end(struct voq_ref *r);

#endif
