/*
 * One RocketIO GT_CUSTOM transceiver pair of the simulated cable, one direction: transmitter, wire, receiver.
 *
 * Nothing here knows the simulator: time comes in as an argument, so that a test can drive it clock by clock. cable.h
 * joins these parts to the clocks and to the pins of two chips.
 *
 *   gt_transmit (transmit clock)          gt_receive (receive clock)
 *   32 bits + 4 K --> 8b/10b --> line of code groups --> [delay] --> 10b/8b --> elastic buffer --> 32 bits + 4 K +
 * flags
 *
 * What the receiver does, and where it comes from (UG024 = RocketIO Transceiver User Guide, AR = Xilinx answer record):
 *  - bring-up: after power-up, reconnection or a change of source it sees noise until its clock recovery has locked,
 * then code groups cut at a random bit, until the first comma (0011111 or 1100000 at the start of a sent group) gives
 * the boundary. The first byte of a transmitted word then sits in a random byte lane of the received word.
 *  - elastic buffer of 64 bytes, half full at bring-up (AR 14888). Filling by the recovered clock and emptying by the
 * receive clock drift apart; whenever the filling leaves the range of GT_BUFFER_LOW..HIGH, a K28.5 byte that is just
 * being read is dropped or read once more. Each such correction moves the byte lane by one. At 12 or 52 bytes (AR
 * 14888) the buffer is in error: buf_status[1] is set for GT_BUFFER_ERROR_CLOCKS, the buffer goes back to half full
 * with a new random lane (what RXRESET does on the part), bytes are lost or seen twice, and sync is lost until the next
 * comma.
 *  - loss of sync (UG024, "Synchronization Logic"), with the defaults RX_LOS_THRESHOLD 4, RX_LOS_INVALID_INCR 1: an
 * invalid character (not in table or wrong disparity) adds one, a valid one takes one off; at 4 sync is lost. A comma
 * leads to resync; eight (four recovered clocks) valid characters in a row lead to sync, an invalid one back.
 * loss_of_sync is 1 in the loss and resync states.
 *  - a character that is not in the table comes out raw: bit 9 (a) as K flag, bits 7..0 (cdeifghj) as data. A K flag
 * means nothing while the not-in-table flag of that byte is set.
 *
 * Commas align bits only while sync is lost (ENxCOMMAALIGN tied to loss of sync): a bit error in sync that looks like a
 * comma across a group boundary does no further harm.
 *
 * Byte order everywhere: bits [31:24] are first on the wire; K flag, not-in-table and disparity bit 3 belong to
 * [31:24].
 */
#ifndef SIM_MODEL_CABLE_TRANSCEIVER_H
#define SIM_MODEL_CABLE_TRANSCEIVER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sim/model/cable/code8b10b.h"
#include "sim/model/cable/frame.h"

enum {
    GT_BUFFER_BYTES = 64,
    GT_BUFFER_NOMINAL = 32, /* bring-up fills to this + 0..3 */
    GT_BUFFER_LOW = 31,     /* below: repeat a K28.5 */
    GT_BUFFER_HIGH = 36,    /* above: drop a K28.5 */
    GT_BUFFER_UNDERFLOW = 12,
    GT_BUFFER_OVERFLOW = 52,
    GT_BUFFER_ERROR_CLOCKS = 8,
    GT_LOS_THRESHOLD = 4,
    GT_RESYNC_CHARACTERS = 8,
    GT_CACHE_LINE = 64, /* [bytes] of processors; a matter of speed only */
    GT_LOOK_AHEAD = 4,  /* [words] the same: words are fetched this early; the transmitter is further ahead than that */
    GT_ALIGNMENT_RANDOM = -1
};

/* ---- transmitter and the line behind it ---- */

/*
 * Content of the wire, as characters and their running disparity: that says which code groups these are. A receiver
 * works them out where it has to look at bits. One that is in step with the transmitter would only get the characters
 * back (tb/unit/cable/test_code8b10b.c).
 */
typedef struct gt_line {
    uint16_t *
        symbol; /* ring of characters in the order sent, K << 8 | byte, GT_SPOILT; behind it the first four once more */
    uint64_t *left;       /* ring: time each word left the transmitter, [ps] */
    uint64_t *wire;       /* ring: of each word GT_POSITIVE and the bits that are flipped, as in gt_transmit */
    uint64_t mask;        /* ring size in words, less 1 */
    uint64_t symbol_mask; /* the same in characters */
    /* The receiver may be in another thread. Fields that change with each word are on other cache lines than those that
     * both read all the time. */
    _Alignas(GT_CACHE_LINE) _Atomic uint64_t words; /* sent so far */
    uint64_t disparity;                             /* before the next word: GT_POSITIVE or 0 */
    uint64_t idle_words;                            /* four K28.5 */
    uint64_t frames;                                /* words that start with K27.7 */
    uint64_t bad_controls;                          /* bytes flagged K that are no control character */
} gt_line;

enum {
    GT_SPOILT = 0x8000,  /* the wire does not carry the group of this character */
    GT_POSITIVE_BIT = 40 /* running disparity before the word */
};
#define GT_POSITIVE ((uint64_t)1 << GT_POSITIVE_BIT)

/* A line that remembers at least `words` words. 0, or -1 if there is no memory. */
int gt_line_init(gt_line *line, unsigned words);
void gt_line_free(gt_line *line);

/* Sends one word at `now` [ps]; `flip` is exclusive-ored onto the 40 bits of its code groups, bit 39 = first bit on the
 * wire. */
static inline void gt_transmit(gt_line *line, uint64_t now, uint32_t data, unsigned k, uint64_t flip);

/* The words since `*from`, as many as fit into `room` bytes, for gt_line_put of the same line in another process; how
 * many bytes. */
size_t gt_line_take(const gt_line *line, uint64_t *from, void *to, size_t room);
void gt_line_put(gt_line *line, const void *data, size_t size);

/* ---- receiver ---- */

typedef enum { GT_DARK, GT_LOCKING, GT_HUNT, GT_LOST, GT_RESYNC, GT_SYNC } gt_state;

typedef struct gt_output {
    uint32_t data, flags;
} gt_output;

/* Where the flags are. */
enum {
    GT_K = 0,             /* [3:0] */
    GT_NOT_IN_TABLE = 4,  /* [7:4] */
    GT_DISPARITY = 8,     /* [11:8] */
    GT_LOSS_OF_SYNC = 12, /* [12] */
    GT_BUF_STATUS = 13    /* [14] overflow or underflow, [13] at least half full */
};

typedef struct gt_receiver_stats {
    uint64_t bring_ups;         /* commas found after (re)connection */
    uint64_t removed, repeated; /* K28.5 bytes */
    uint64_t not_in_table;      /* bytes, outside of bring-up */
    uint64_t disparity;         /* bytes, outside of bring-up */
    uint64_t overflows, underflows;
    uint64_t sync_losses; /* sync state left */
} gt_receiver_stats;

typedef struct gt_receiver {
    int in_step;        /* in sync, without an error under way, and with the line's disparity */
    unsigned disparity; /* not kept while in step */
    const gt_line *line;
    uint64_t delay;      /* [ps] from gt_transmit to the elastic buffer */
    uint64_t quarter[3]; /* [ps] one, two and three quarters of a word */
    uint64_t word_next;  /* first word that has not begun to arrive */
    uint64_t sent;       /* words of the line, at least: asked for when all of these have arrived */
    uint64_t read;       /* group to be read next, counted since the line's first */
    void (*frame_begins)(void *self,
                         uint64_t word); /* K27.7 at the start of that word is in the output now; may be NULL */
    void *frame_self;
    gt_state state;
    unsigned invalid;      /* loss-of-sync count */
    unsigned error_clocks; /* clocks for which buf_status[1] stays */
    uint64_t lock_time;    /* [ps] from connection to a locked clock recovery */
    uint64_t locked_at;    /* [ps], state GT_LOCKING */
    int alignment;         /* 0..3: byte lane after bring-up, or GT_ALIGNMENT_RANDOM */
    unsigned bit_slip;     /* 1..9, state GT_HUNT */
    unsigned valid;        /* characters since the comma, state GT_RESYNC */
    uint64_t noise;        /* xorshift state, never 0 */
    gt_receiver_stats stats;
} gt_receiver;

/*
 * Time from gt_transmit to the elastic buffer so that, with equal clocks and alignment 0, the output that gt_receive
 * gives at `clocks` x 4 x group_time after gt_transmit holds the word. `clocks` must be at least gt_minimum_clocks().
 */
uint64_t gt_delay(uint64_t group_time, unsigned clocks);
unsigned gt_minimum_clocks(void);

/* A receiver with nothing connected. `seed` is for noise, bit slip and lanes. */
void gt_receiver_init(gt_receiver *receiver, uint64_t group_time, uint64_t lock_time, uint64_t seed);

/* Connects the receiver to a line with a delay of its own; words on the wire at that time arrive. NULL disconnects:
 * noise. */
void gt_receiver_connect(gt_receiver *receiver, const gt_line *line, uint64_t delay, uint64_t now);

/* One receive clock at `now` [ps]. Calls must come in order of time. */
static inline gt_output gt_receive(gt_receiver *receiver, uint64_t now);

/* Byte lane (0 = [31:24]) in which the first byte of a sent word now appears; -1 during bring-up. */
int gt_receiver_alignment(const gt_receiver *receiver);

const char *gt_state_name(gt_state state);

/* ---- inlined for speed: an idle word, which is what most clocks bring ---- */

static const uint16_t gt_idle_symbols[4] = {CODE_K28_5, CODE_K28_5, CODE_K28_5, CODE_K28_5};

static inline uint64_t gt_line_words(const gt_line *line)
{
    return atomic_load_explicit(&line->words, memory_order_relaxed);
}

/* Four characters from that one on, counted since the line's first. */
static inline uint16_t *gt_line_at(const gt_line *line, uint64_t index)
{
    return line->symbol + (index & line->symbol_mask);
}

/* The next word goes: it is number `words`, and its characters stand in that slot. */
static inline void gt_line_sent(gt_line *line, uint64_t words, uint64_t slot, uint64_t now, uint64_t wire)
{
    line->left[slot] = now;
    line->wire[slot] = wire;
    if (!slot) memcpy(line->symbol + 4 * (line->mask + 1), line->symbol, 4 * sizeof *line->symbol);
    atomic_store_explicit(&line->words, words + 1, memory_order_release);
}

/* gt_transmit of any word. */
void gt_transmit_characters(gt_line *line, uint64_t now, uint32_t data, unsigned k, uint64_t flip);

static inline void gt_transmit(gt_line *line, uint64_t now, uint32_t data, unsigned k, uint64_t flip)
{
    uint64_t words = gt_line_words(line), slot = words & line->mask;

    if (!frame_is_idle(data, k) || flip) {
        gt_transmit_characters(line, now, data, k, flip);
        return;
    }
    memcpy(line->symbol + 4 * slot, gt_idle_symbols, sizeof gt_idle_symbols);
    line->idle_words++;
    gt_line_sent(line, words, slot, now, line->disparity); /* four of them leave it as it was */
}

/* Groups of the line that have reached the elastic buffer; means nothing before the first one has. Groups of a word
 * arrive one by one. */
static inline uint64_t gt_arrived(gt_receiver *receiver, uint64_t now)
{
    const gt_line *line = receiver->line;
    const uint64_t *left = line->left, *quarter = receiver->quarter, mask = line->mask;
    uint64_t since, next = receiver->word_next;
    int64_t gone = (int64_t)(now - receiver->delay); /* what left then arrives now */

    for (; next < receiver->sent || next < (receiver->sent = atomic_load_explicit(&line->words, memory_order_acquire));
         next++) {
        if ((int64_t)left[next & mask] > gone) break;
        __builtin_prefetch(&left[(next + GT_LOOK_AHEAD) & mask]);
        __builtin_prefetch(&line->symbol[4 * ((next + GT_LOOK_AHEAD) & mask)]);
    }
    receiver->word_next = next;
    since = (uint64_t)gone - left[(next - 1) & mask];
    return 4 * next - 3 + (since >= quarter[0]) + (since >= quarter[1]) + (since >= quarter[2]);
}

/* gt_receive in any state. */
gt_output gt_receive_any(gt_receiver *receiver, uint64_t now);
/* gt_receive in step, with this filling of the elastic buffer. */
gt_output gt_receive_in_step(gt_receiver *receiver, uint64_t now, uint64_t filling);

static inline int gt_well_filled(uint64_t filling) { return filling >= GT_BUFFER_LOW && filling <= GT_BUFFER_HIGH; }

static inline gt_output gt_receive(gt_receiver *receiver, uint64_t now)
{
    const gt_line *line = receiver->line;
    uint64_t filling, read = receiver->read;

    if (!receiver->in_step) return gt_receive_any(receiver, now);
    filling = gt_arrived(receiver, now) - read;
    if (!gt_well_filled(filling) || memcmp(gt_line_at(line, read), gt_idle_symbols, sizeof gt_idle_symbols))
        return gt_receive_in_step(receiver, now, filling);
    receiver->read = read + 4;
    return (gt_output){FRAME_IDLE_DATA, FRAME_IDLE_K << GT_K | (uint32_t)(filling >= GT_BUFFER_NOMINAL)
                                                                   << GT_BUF_STATUS};
}

#endif
