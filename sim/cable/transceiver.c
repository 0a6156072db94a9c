/* RocketIO transceiver pair; the manual is in the header. */
#include "transceiver.h"

#include <stdlib.h>
#include <string.h>

#include "code8b10b.h"
#include "frame.h"

/* Most words are idle words, four K28.5, and are known by their code groups: after negative disparity, and after positive. */
static const uint16_t idle_groups[2][4] = {{0x0fa, 0x305, 0x0fa, 0x305}, {0x305, 0x0fa, 0x305, 0x0fa}};

/* ---- transmitter ---- */

int gt_line_init(gt_line *line, unsigned words)
{
    uint64_t size = 64;

    code8b10b_init();
    while (size < words) size *= 2;
    *line = (gt_line){.mask = size - 1};
    line->group = calloc(size, 4 * sizeof *line->group);
    line->left = calloc(size, sizeof *line->left);
    if (line->group && line->left) return 0;
    gt_line_free(line);
    return -1;
}

void gt_line_free(gt_line *line)
{
    free(line->group);
    free(line->left);
    line->group = NULL;
    line->left = NULL;
}

static unsigned bad_controls(uint32_t data, unsigned k)
{
    unsigned lane, bad = 0;

    for (lane = 0; lane < 4; lane++) bad += !code8b10b_is_character((k >> lane & 1) << 8 | (data >> 8 * lane & 0xff));
    return bad;
}

void gt_transmit(gt_line *line, uint64_t now, uint32_t data, unsigned k, uint64_t flip)
{
    uint64_t words = atomic_load_explicit(&line->words, memory_order_relaxed), slot = words & line->mask;
    uint16_t *group = line->group + 4 * slot;
    unsigned disparity = line->disparity;

    line->left[slot] = now;
    if (frame_is_idle(data, k) && !flip) {
        memcpy(group, idle_groups[disparity], sizeof idle_groups[0]);
        line->idle_words++;
        atomic_store_explicit(&line->words, words + 1, memory_order_release);
        return;
    }
    group[0] = (uint16_t)code8b10b_encode((k & 8) << 5 | data >> 24, &disparity);
    group[1] = (uint16_t)code8b10b_encode((k & 4) << 6 | (data >> 16 & 0xff), &disparity);
    group[2] = (uint16_t)code8b10b_encode((k & 2) << 7 | (data >> 8 & 0xff), &disparity);
    group[3] = (uint16_t)code8b10b_encode((k & 1) << 8 | (data & 0xff), &disparity);
    line->disparity = disparity;
    if (k) {
        if (frame_is_idle(data, k)) line->idle_words++;
        else {
            line->frames += (k & 8) && data >> 24 == (CODE_K27_7 & 0xff);
            line->bad_controls += bad_controls(data, k);
        }
    }
    if (flip) {
        group[0] ^= flip >> 30 & CODE_GROUP_MASK;
        group[1] ^= flip >> 20 & CODE_GROUP_MASK;
        group[2] ^= flip >> 10 & CODE_GROUP_MASK;
        group[3] ^= flip & CODE_GROUP_MASK;
    }
    atomic_store_explicit(&line->words, words + 1, memory_order_release);
}

/* ---- a line between two processes ---- */

typedef struct {
    uint64_t idle_words, frames, bad_controls;
} carried_counts;

typedef struct {
    uint64_t left;
    uint16_t group[4];
} carried_word;

size_t gt_line_take(const gt_line *line, uint64_t *from, void *to, size_t room)
{
    uint64_t words = atomic_load_explicit(&line->words, memory_order_relaxed);
    carried_counts counts = {line->idle_words, line->frames, line->bad_controls};
    size_t size = sizeof counts;

    if (*from == words) return 0;
    memcpy(to, &counts, sizeof counts);
    for (; *from < words && room - size >= sizeof(carried_word); ++*from, size += sizeof(carried_word)) {
        carried_word word = {.left = line->left[*from & line->mask]};

        memcpy(word.group, line->group + 4 * (*from & line->mask), sizeof word.group);
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
        uint64_t words = atomic_load_explicit(&line->words, memory_order_relaxed), slot = words & line->mask;
        carried_word word;

        memcpy(&word, at, sizeof word);
        line->left[slot] = word.left;
        memcpy(line->group + 4 * slot, word.group, sizeof word.group);
        atomic_store_explicit(&line->words, words + 1, memory_order_release);
    }
}

/* ---- receiver: connection ---- */

static uint64_t random_bits(gt_receiver *receiver)
{
    uint64_t x = receiver->noise;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return receiver->noise = x;
}

unsigned gt_minimum_clocks(void)
{
    return GT_BUFFER_NOMINAL / 4;
}

/* The group that is read after N - 1/2 group times is the Nth of a buffer that holds N: a half keeps edges and arrivals apart. */
uint64_t gt_delay(uint64_t group_time, unsigned clocks)
{
    return (4 * (uint64_t)clocks - GT_BUFFER_NOMINAL) * group_time + group_time / 2;
}

void gt_receiver_init(gt_receiver *receiver, uint64_t group_time, uint64_t lock_time, uint64_t seed)
{
    code8b10b_init();
    *receiver = (gt_receiver){
        .group_time = group_time,
        .lock_time = lock_time,
        .alignment = GT_ALIGNMENT_RANDOM,
        .state = GT_DARK,
        .noise = seed ? seed : 1,
    };
}

static void leave_sync(gt_receiver *receiver, gt_state state)
{
    receiver->stats.sync_losses += receiver->state == GT_SYNC;
    receiver->state = state;
    receiver->invalid = 0;
    receiver->valid = 0;
}

void gt_receiver_connect(gt_receiver *receiver, const gt_line *line, uint64_t delay, uint64_t now)
{
    leave_sync(receiver, line ? GT_LOCKING : GT_DARK);
    receiver->line = line;
    receiver->delay = delay;
    receiver->locked_at = now + receiver->lock_time;
    receiver->word_next = 0;
    uint64_t words = line ? atomic_load_explicit(&line->words, memory_order_acquire) : 0;
    if (line && words > line->mask) receiver->word_next = words - line->mask;
}

/* Groups of the line that have reached the elastic buffer. Groups of a word arrive one by one. */
static uint64_t arrived(gt_receiver *receiver, uint64_t now)
{
    const gt_line *line = receiver->line;
    uint64_t since, next = receiver->word_next, words = atomic_load_explicit(&line->words, memory_order_acquire);

    while (next < words && line->left[next & line->mask] + receiver->delay <= now) next++;
    receiver->word_next = next;
    if (next == 0) return 0;
    since = now - line->left[(next - 1) & line->mask] - receiver->delay;
    return 4 * next - 3 + (since >= receiver->group_time) + (since >= 2 * receiver->group_time) + (since >= 3 * receiver->group_time);
}

/* Half fills the elastic buffer. 0 if the line has not carried that much yet. */
static int centre(gt_receiver *receiver, uint64_t groups_arrived)
{
    uint64_t extra;

    if (groups_arrived < GT_BUFFER_NOMINAL + 3) return 0;
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

static unsigned group_at(const gt_receiver *receiver, uint64_t index)
{
    return receiver->line->group[index & (4 * receiver->line->mask + 3)];
}

/* The next four, in one piece. */
static const uint16_t *four_at(const gt_receiver *receiver, uint64_t index, uint16_t piece[4])
{
    uint64_t last = 4 * receiver->line->mask, at = index & (last + 3);

    if (at <= last) return receiver->line->group + at;
    for (unsigned lane = 0; lane < 4; lane++) piece[lane] = (uint16_t)group_at(receiver, index + lane);
    return piece;
}

/* Loss-of-sync state machine: one character. */
static void judge(gt_receiver *receiver, unsigned entry)
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
    unsigned before = receiver->read ? group_at(receiver, receiver->read - 1) : 0;
    unsigned disparity = group >> 9 == 0 ? 0 : 1;

    if (group >> 3 == 0x1f || group >> 3 == 0x60) {
        receiver->disparity = disparity;
        receiver->state = GT_LOST;
        receiver->stats.bring_ups++;
        return code8b10b_decode(group, &receiver->disparity);
    }
    return code8b10b_decode((before << 10 | group) >> receiver->bit_slip, &receiver->disparity) & ~(unsigned)CODE_COMMA;
}

/* The general way of reading four bytes: bring-up, errors, corrections. */
static void read_slowly(gt_receiver *receiver, uint64_t filling, unsigned entry[4], uint64_t index[4])
{
    int lane;

    for (lane = 0; lane < 4; lane++) {
        unsigned before, decoded;

        for (;;) {
            before = receiver->disparity;
            if (receiver->state == GT_HUNT) decoded = hunt(receiver, group_at(receiver, receiver->read));
            else decoded = code8b10b_decode(group_at(receiver, receiver->read), &receiver->disparity);
            if (receiver->state != GT_HUNT) judge(receiver, decoded);
            receiver->read++;
            if (receiver->state == GT_HUNT || filling <= GT_BUFFER_HIGH || (decoded & (CODE_SYMBOL_MASK | CODE_ERROR)) != CODE_K28_5) break;
            filling--;
            receiver->stats.removed++;
        }
        entry[lane] = decoded;
        index[lane] = receiver->read - 1;
        if (receiver->state != GT_HUNT && filling < GT_BUFFER_LOW && (decoded & (CODE_SYMBOL_MASK | CODE_ERROR)) == CODE_K28_5) {
            receiver->read--; /* the next lane reads the same group again, after the same disparity */
            receiver->disparity = before;
            filling++;
            receiver->stats.repeated++;
        }
    }
}

static inline void put_characters(const unsigned entry[4], gt_output *output)
{
    output->data = (entry[0] & 0xff) << 24 | (entry[1] & 0xff) << 16 | (entry[2] & 0xff) << 8 | (entry[3] & 0xff);
    output->k = (uint8_t)((entry[0] & CODE_K) >> 5 | (entry[1] & CODE_K) >> 6 | (entry[2] & CODE_K) >> 7 | (entry[3] & CODE_K) >> 8);
}

/* Four bytes in which nothing is wrong. 0: something is, and none has been read. */
static inline int read_fast(gt_receiver *receiver, unsigned entry[4], gt_output *output)
{
    uint16_t piece[4];
    const uint16_t *group = four_at(receiver, receiver->read, piece);
    unsigned disparity = receiver->disparity;

    if (!memcmp(group, idle_groups[disparity], sizeof idle_groups[0])) {
        receiver->read += 4;
        *output = (gt_output){.data = FRAME_IDLE_DATA, .k = FRAME_IDLE_K};
        return 1;
    }
    entry[0] = code8b10b_decode(group[0], &disparity);
    entry[1] = code8b10b_decode(group[1], &disparity);
    entry[2] = code8b10b_decode(group[2], &disparity);
    entry[3] = code8b10b_decode(group[3], &disparity);
    if ((entry[0] | entry[1] | entry[2] | entry[3]) & CODE_ERROR) return 0;
    receiver->disparity = disparity;
    receiver->read += 4;
    *output = (gt_output){0};
    put_characters(entry, output);
    return 1;
}

static void put(gt_receiver *receiver, const unsigned entry[4], gt_output *output)
{
    unsigned any = entry[0] | entry[1] | entry[2] | entry[3];

    put_characters(entry, output);
    output->not_in_table = 0;
    output->disparity = 0;
    if (any & CODE_ERROR) {
        int lane;

        for (lane = 0; lane < 4; lane++) {
            output->not_in_table |= (uint8_t)((entry[lane] & CODE_NOT_IN_TABLE) ? 8 >> lane : 0);
            output->disparity |= (uint8_t)((entry[lane] & CODE_DISPARITY) ? 8 >> lane : 0);
        }
    }
    output->loss_of_sync = receiver->state != GT_SYNC;
}

static void receive_noise(gt_receiver *receiver, gt_output *output)
{
    uint64_t bits = random_bits(receiver);
    unsigned entry[4], lane;

    for (lane = 0; lane < 4; lane++) entry[lane] = code8b10b_decode((unsigned)(bits >> (10 + 10 * lane)), &receiver->disparity);
    put(receiver, entry, output);
    output->buf_status = receiver->error_clocks ? 2 : 0;
    receiver->error_clocks -= receiver->error_clocks != 0;
}

/* Tells of each K27.7 in the output that is the first byte of a sent word; index[] are the groups that came out. */
static void report_frames(gt_receiver *receiver, const unsigned entry[4], const uint64_t index[4])
{
    int lane;

    for (lane = 0; lane < 4; lane++)
        if ((entry[lane] & (CODE_SYMBOL_MASK | CODE_NOT_IN_TABLE)) == CODE_K27_7 && (index[lane] & 3) == 0)
            receiver->frame_begins(receiver->frame_self, index[lane] / 4);
}

static void show_filling(gt_receiver *receiver, uint64_t filling, gt_output *output)
{
    output->buf_status = (uint8_t)((receiver->error_clocks ? 2 : 0) | (filling >= GT_BUFFER_NOMINAL));
    receiver->error_clocks -= receiver->error_clocks != 0;
}

void gt_receive(gt_receiver *receiver, uint64_t now, gt_output *output)
{
    uint64_t groups_arrived, filling, index[4];
    unsigned entry[4], lane;

    if (receiver->state == GT_DARK) {
        receive_noise(receiver, output);
        return;
    }
    groups_arrived = arrived(receiver, now);
    if (receiver->state == GT_LOCKING) {
        if (now < receiver->locked_at || !centre(receiver, groups_arrived)) {
            receive_noise(receiver, output);
            return;
        }
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

    if (receiver->state == GT_SYNC && receiver->invalid == 0 && filling >= GT_BUFFER_LOW && filling <= GT_BUFFER_HIGH &&
        read_fast(receiver, entry, output)) {
        for (lane = 0; receiver->frame_begins && lane < 4; lane++) index[lane] = receiver->read - 4 + lane;
    } else {
        read_slowly(receiver, filling, entry, index);
        put(receiver, entry, output);
    }
    if (receiver->frame_begins && receiver->state == GT_SYNC && output->k && output->data != FRAME_IDLE_DATA)
        report_frames(receiver, entry, index);
    show_filling(receiver, filling, output);
}

const char *gt_state_name(gt_state state)
{
    static const char *const name[] = {"no signal", "locking", "hunting for a comma", "loss of sync", "resync", "in sync"};

    return name[state];
}
