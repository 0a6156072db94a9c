/* RocketIO transceiver pair; the manual is in the header. */
#include "sim/model/cable/transceiver.h"

#include <stdlib.h>
#include <string.h>

/* ---- transmitter ---- */

int gt_line_init(gt_line *line, unsigned words)
{
    uint64_t size = 64;

    code8b10b_init();
    while (size < words) size *= 2;
    *line = (gt_line){.mask = size - 1, .symbol_mask = 4 * size - 1};
    line->symbol = calloc(size + 1, 4 * sizeof *line->symbol);
    line->left = calloc(size, sizeof *line->left);
    line->wire = calloc(size, sizeof *line->wire);
    if (line->symbol && line->left && line->wire) return 0;
    gt_line_free(line);
    return -1;
}

void gt_line_free(gt_line *line)
{
    free(line->symbol);
    free(line->left);
    free(line->wire);
    line->symbol = NULL;
    line->left = NULL;
    line->wire = NULL;
}

/* The four characters of a word; returns how they change the disparity. */
static inline uint64_t write_symbols(uint16_t symbol[4], uint32_t data, unsigned k)
{
    unsigned first = (k & 8) << 5 | data >> 24, second = (k & 4) << 6 | (data >> 16 & 0xff);
    unsigned third = (k & 2) << 7 | (data >> 8 & 0xff), fourth = (k & 1) << 8 | (data & 0xff);
    unsigned turns =
        code8b10b_turns(first) ^ code8b10b_turns(second) ^ code8b10b_turns(third) ^ code8b10b_turns(fourth);

    symbol[0] = (uint16_t)first;
    symbol[1] = (uint16_t)second;
    symbol[2] = (uint16_t)third;
    symbol[3] = (uint16_t)fourth;
    return (uint64_t)turns << GT_POSITIVE_BIT;
}

/* Counts words and bytes with K characters, and marks corrupted ones. */
static void look_at_symbols(gt_line *line, uint16_t symbol[4], uint64_t flip)
{
    unsigned idle = 0;

    for (unsigned lane = 0; lane < 4; lane++) {
        int bad = !code8b10b_is_character(symbol[lane]);

        line->bad_controls += bad;
        idle += symbol[lane] == CODE_K28_5;
        if (lane == 0) line->frames += symbol[lane] == CODE_K27_7;
        if (bad || flip >> (30 - 10 * lane) & CODE_GROUP_MASK) symbol[lane] |= GT_SPOILT;
    }
    line->idle_words += idle == 4;
}

static __attribute__((noinline)) void transmit_special(gt_line *line, uint64_t now, uint32_t data, unsigned k,
                                                       uint64_t flip)
{
    uint64_t words = gt_line_words(line), slot = words & line->mask, before = line->disparity;
    uint16_t *symbol = line->symbol + 4 * slot;

    line->disparity ^= write_symbols(symbol, data, k);
    look_at_symbols(line, symbol, flip);
    gt_line_sent(line, words, slot, now, before | (flip & (GT_POSITIVE - 1)));
}

void gt_transmit_characters(gt_line *line, uint64_t now, uint32_t data, unsigned k, uint64_t flip)
{
    uint64_t words = gt_line_words(line), slot = words & line->mask, before = line->disparity;

    if (k || flip) {
        transmit_special(line, now, data, k, flip);
        return;
    }
    line->disparity ^= write_symbols(line->symbol + 4 * slot, data, 0);
    gt_line_sent(line, words, slot, now, before);
}

/* ---- a line between two processes ---- */

typedef struct {
    uint64_t idle_words, frames, bad_controls;
} carried_counts;

typedef struct {
    uint64_t left, wire;
    uint16_t symbol[4];
} carried_word;

size_t gt_line_take(const gt_line *line, uint64_t *from, void *to, size_t room)
{
    uint64_t words = gt_line_words(line);
    carried_counts counts = {line->idle_words, line->frames, line->bad_controls};
    size_t size = sizeof counts;

    if (*from == words) return 0;
    memcpy(to, &counts, sizeof counts);
    for (; *from < words && room - size >= sizeof(carried_word); ++*from, size += sizeof(carried_word)) {
        carried_word word = {line->left[*from & line->mask], line->wire[*from & line->mask], {0}};

        memcpy(word.symbol, gt_line_at(line, 4 * *from), sizeof word.symbol);
        memcpy((char *)to + size, &word, sizeof word);
    }
    return size;
}

void gt_line_put(gt_line *line, const void *data, size_t size)
{
    const char *end = (const char *)data + size;
    carried_counts counts;

    memcpy(&counts, data, sizeof counts);
    line->idle_words = counts.idle_words;
    line->frames = counts.frames;
    line->bad_controls = counts.bad_controls;
    for (const char *at = (const char *)data + sizeof counts; at < end; at += sizeof(carried_word)) {
        uint64_t words = gt_line_words(line), slot = words & line->mask;
        carried_word word;

        memcpy(&word, at, sizeof word);
        memcpy(line->symbol + 4 * slot, word.symbol, sizeof word.symbol);
        gt_line_sent(line, words, slot, word.left, word.wire);
    }
}

/* ---- receiver: start ---- */

static uint64_t random_bits(gt_receiver *receiver)
{
    uint64_t x = receiver->noise;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return receiver->noise = x;
}

unsigned gt_minimum_clocks(void) { return GT_BUFFER_NOMINAL / 4; }

/* The group that is read after N - 1/2 group times is the Nth of a buffer that holds N: a half keeps edges and arrivals
 * apart. */
uint64_t gt_delay(uint64_t group_time, unsigned clocks)
{
    return (4 * (uint64_t)clocks - GT_BUFFER_NOMINAL) * group_time + group_time / 2;
}

void gt_receiver_init(gt_receiver *receiver, uint64_t group_time, uint64_t lock_time, uint64_t seed)
{
    code8b10b_init();
    *receiver = (gt_receiver){
        .quarter = {group_time, 2 * group_time, 3 * group_time},
        .lock_time = lock_time,
        .alignment = GT_ALIGNMENT_RANDOM,
        .state = GT_DARK,
        .noise = seed ? seed : 1,
    };
}

/* ---- receiver: groups ---- */

/* Running disparity of the line before a group. */
static unsigned disparity_at(const gt_line *line, uint64_t index)
{
    unsigned disparity = line->wire[index / 4 & line->mask] >> GT_POSITIVE_BIT & 1;

    for (uint64_t before = index & ~(uint64_t)3; before < index; before++)
        disparity ^= code8b10b_turns(*gt_line_at(line, before));
    return disparity;
}

static unsigned group_at(const gt_line *line, uint64_t index)
{
    unsigned disparity = disparity_at(line, index), group = code8b10b_encode(*gt_line_at(line, index), &disparity);

    return group ^ (line->wire[index / 4 & line->mask] >> (30 - 10 * (index & 3)) & CODE_GROUP_MASK);
}

/* From now on `disparity` is kept. */
static void out_of_step(gt_receiver *receiver)
{
    if (receiver->in_step) receiver->disparity = disparity_at(receiver->line, receiver->read);
    receiver->in_step = 0;
}

/* ---- receiver: connection ---- */

static void leave_sync(gt_receiver *receiver, gt_state state)
{
    receiver->stats.sync_losses += receiver->state == GT_SYNC;
    receiver->state = state;
    receiver->invalid = 0;
    receiver->valid = 0;
}

void gt_receiver_connect(gt_receiver *receiver, const gt_line *line, uint64_t delay, uint64_t now)
{
    out_of_step(receiver);
    leave_sync(receiver, line ? GT_LOCKING : GT_DARK);
    receiver->line = line;
    receiver->delay = delay;
    receiver->locked_at = now + receiver->lock_time;
    receiver->word_next = 0;
    receiver->sent = line ? atomic_load_explicit(&line->words, memory_order_acquire) : 0;
    if (line && receiver->sent > line->mask) receiver->word_next = receiver->sent - line->mask;
}

/* Half fills the elastic buffer. 0 if the line has not carried that much yet. */
static int centre(gt_receiver *receiver, uint64_t groups_arrived)
{
    uint64_t extra;

    if (!receiver->word_next || groups_arrived < GT_BUFFER_NOMINAL + 3) return 0;
    extra = random_bits(receiver) >> 20 & 3;
    if (receiver->alignment != GT_ALIGNMENT_RANDOM)
        extra = (uint64_t)(receiver->alignment + (int)((groups_arrived - GT_BUFFER_NOMINAL) & 3)) & 3;
    receiver->read = groups_arrived - GT_BUFFER_NOMINAL - extra;
    return 1;
}

int gt_receiver_alignment(const gt_receiver *receiver)
{
    return receiver->state < GT_LOST ? -1 : (int)(-receiver->read & 3);
}

/* ---- receiver: characters ---- */

/* Loss-of-sync state machine: one character. */
static void check_entry(gt_receiver *receiver, unsigned entry)
{
    int invalid = (entry & CODE_ERROR) != 0;

    receiver->stats.not_in_table += (entry & CODE_NOT_IN_TABLE) != 0;
    receiver->stats.disparity += (entry & CODE_DISPARITY) != 0;
    switch (receiver->state) {
    case GT_SYNC:
        if (!invalid) receiver->invalid -= receiver->invalid != 0;
        else if (++receiver->invalid >= GT_LOS_THRESHOLD) leave_sync(receiver, GT_LOST);
        break;
    case GT_RESYNC:
        if (invalid) leave_sync(receiver, GT_LOST);
        else if (++receiver->valid >= GT_RESYNC_CHARACTERS) receiver->state = GT_SYNC;
        break;
    default:
        if ((entry & CODE_COMMA) && !invalid) {
            receiver->state = GT_RESYNC;
            receiver->valid = 0;
        }
    }
}

/* One group while hunting for the first comma: cut at the wrong bit until a group that starts with one comes by. */
static unsigned hunt(gt_receiver *receiver, unsigned group)
{
    unsigned before = receiver->read ? group_at(receiver->line, receiver->read - 1) : 0;
    unsigned disparity = group >> 9 == 0 ? 0 : 1;

    if (group >> 3 == 0x1f || group >> 3 == 0x60) {
        receiver->disparity = disparity;
        receiver->state = GT_LOST;
        receiver->stats.bring_ups++;
        return code8b10b_decode(group, &receiver->disparity);
    }
    return code8b10b_decode((before << 10 | group) >> receiver->bit_slip, &receiver->disparity) & ~(unsigned)CODE_COMMA;
}

/* Four bytes for the output, with corrections. */
static void read_four(gt_receiver *receiver, uint64_t filling, unsigned entry[4], uint64_t index[4])
{
    int lane;

    for (lane = 0; lane < 4; lane++) {
        unsigned before, decoded;

        for (;;) {
            before = receiver->disparity;
            if (receiver->state == GT_HUNT) decoded = hunt(receiver, group_at(receiver->line, receiver->read));
            else decoded = code8b10b_decode(group_at(receiver->line, receiver->read), &receiver->disparity);
            if (receiver->state != GT_HUNT) check_entry(receiver, decoded);
            receiver->read++;
            if (receiver->state == GT_HUNT || filling <= GT_BUFFER_HIGH ||
                (decoded & (CODE_SYMBOL_MASK | CODE_ERROR)) != CODE_K28_5)
                break;
            filling--;
            receiver->stats.removed++;
        }
        entry[lane] = decoded;
        index[lane] = receiver->read - 1;
        if (receiver->state != GT_HUNT && filling < GT_BUFFER_LOW &&
            (decoded & (CODE_SYMBOL_MASK | CODE_ERROR)) == CODE_K28_5) {
            receiver->read--; /* the next lane reads the same group again, after the same disparity */
            receiver->disparity = before;
            filling++;
            receiver->stats.repeated++;
        }
    }
}

static inline uint32_t k_flags(unsigned first, unsigned second, unsigned third, unsigned fourth)
{
    return ((first & CODE_K) >> 5 | (second & CODE_K) >> 6 | (third & CODE_K) >> 7 | (fourth & CODE_K) >> 8) << GT_K;
}

/* Four characters, their errors and the state of the receiver. */
static gt_output put(gt_receiver *receiver, const unsigned entry[4], unsigned half_full)
{
    gt_output output = {0, k_flags(entry[0], entry[1], entry[2], entry[3])};

    for (int lane = 0; lane < 4; lane++) {
        output.data = output.data << 8 | (entry[lane] & 0xff);
        if (entry[lane] & CODE_NOT_IN_TABLE) output.flags |= 8u >> lane << GT_NOT_IN_TABLE;
        if (entry[lane] & CODE_DISPARITY) output.flags |= 8u >> lane << GT_DISPARITY;
    }
    output.flags |= (unsigned)(receiver->state != GT_SYNC) << GT_LOSS_OF_SYNC;
    output.flags |= ((receiver->error_clocks ? 2 : 0) | half_full) << GT_BUF_STATUS;
    receiver->error_clocks -= receiver->error_clocks != 0;
    return output;
}

static gt_output receive_noise(gt_receiver *receiver)
{
    uint64_t bits = random_bits(receiver);
    unsigned entry[4], lane;

    for (lane = 0; lane < 4; lane++)
        entry[lane] = code8b10b_decode((unsigned)(bits >> (10 + 10 * lane)), &receiver->disparity);
    return put(receiver, entry, 0);
}

/* Tells of each K27.7 in the output that is the first byte of a sent word; index[] are the groups that came out. */
static void report_frames(gt_receiver *receiver, const unsigned entry[4], const uint64_t index[4])
{
    int lane;

    for (lane = 0; lane < 4; lane++)
        if ((entry[lane] & (CODE_SYMBOL_MASK | CODE_NOT_IN_TABLE)) == CODE_K27_7 && (index[lane] & 3) == 0)
            receiver->frame_begins(receiver->frame_self, index[lane] / 4);
}

__attribute__((noinline)) gt_output gt_receive_any(gt_receiver *receiver, uint64_t now)
{
    uint64_t groups_arrived, filling, index[4];
    unsigned entry[4];
    gt_output output;

    out_of_step(receiver);
    if (receiver->state == GT_DARK) return receive_noise(receiver);
    groups_arrived = gt_arrived(receiver, now);
    if (receiver->state == GT_LOCKING) {
        if (now < receiver->locked_at || !centre(receiver, groups_arrived)) return receive_noise(receiver);
        receiver->state = GT_HUNT;
        receiver->bit_slip = 1 + (unsigned)(random_bits(receiver) >> 20) % 9;
    }
    filling = groups_arrived - receiver->read;
    if (groups_arrived < receiver->read + GT_BUFFER_UNDERFLOW + 1 || filling >= GT_BUFFER_OVERFLOW) {
        if (groups_arrived >= receiver->read + GT_BUFFER_OVERFLOW) receiver->stats.overflows++;
        else receiver->stats.underflows++;
        if (receiver->state != GT_HUNT) leave_sync(receiver, GT_LOST);
        receiver->error_clocks = GT_BUFFER_ERROR_CLOCKS;
        centre(receiver, groups_arrived);
        filling = groups_arrived - receiver->read;
    }
    read_four(receiver, filling, entry, index);
    if (receiver->frame_begins && receiver->state == GT_SYNC) report_frames(receiver, entry, index);
    output = put(receiver, entry, filling >= GT_BUFFER_NOMINAL);
    receiver->in_step = receiver->state == GT_SYNC && !receiver->invalid && !receiver->error_clocks &&
                        receiver->disparity == disparity_at(receiver->line, receiver->read);
    return output;
}

/* The next four come with nothing to correct, and no frame begins among them. */
static inline int nothing_to_do(const gt_receiver *receiver, uint64_t filling, gt_output output)
{
    unsigned place = (receiver->read - 1) & 3; /* of the first byte of a sent word, from the last of these */
    int begins = output.flags >> (GT_K + place) & 1 && (output.data >> 8 * place & 0xff) == FRAME_SOP_CHARACTER;

    return gt_well_filled(filling) && !(begins && receiver->frame_begins);
}

gt_output gt_receive_in_step(gt_receiver *receiver, uint64_t now, uint64_t filling)
{
    const uint16_t *symbol = gt_line_at(receiver->line, receiver->read);
    unsigned any = symbol[0] | symbol[1] | symbol[2] | symbol[3];
    gt_output output = {
        (uint32_t)symbol[0] << 24 | (symbol[1] & 0xff) << 16 | (symbol[2] & 0xff) << 8 | (symbol[3] & 0xff), 0};

    if (filling <= GT_BUFFER_UNDERFLOW || filling >= GT_BUFFER_OVERFLOW) return gt_receive_any(receiver, now);
    if (any > 0xff) {
        output.flags = k_flags(symbol[0], symbol[1], symbol[2], symbol[3]);
        if (any & GT_SPOILT || !nothing_to_do(receiver, filling, output)) return gt_receive_any(receiver, now);
    }
    receiver->read += 4;
    output.flags |= (uint32_t)(filling >= GT_BUFFER_NOMINAL) << GT_BUF_STATUS;
    return output;
}

const char *gt_state_name(gt_state state)
{
    static const char *const name[] = {"no signal",    "locking", "hunting for a comma",
                                       "loss of sync", "resync",  "in sync"};

    return name[state];
}
