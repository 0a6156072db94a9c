/*
 * A port, with frames made by hand: good ones, and every bad one of design.md 3 by its name. Frames go in at port 0 of
 * a 2 x 2 switch; port 0 (same clock) and port 1 (other clock) show the output, word by word.
 */
#include <stdlib.h>
#include <string.h>

#include "crossbar2.h"
#include "simulation.h"
#include "switch_bench.h"
#include "switch_port.h"
#include "switch_register_map.h"
#include "test.h"

static struct switch_bench *b;
static unsigned out; /* port that packets go to */

/* Packets that came out at `out`, as words: header, CRC, body, CRC. */
static struct seen {
    uint32_t word[140];
    unsigned words;
    int record;
} seen[64];
static unsigned seen_count;
static struct {
    int in_frame;
    unsigned words;
} view;

static void look(struct nic_side *n, uint32_t *data, uint8_t *k)
{
    if (n->number != out) return;
    if (*k) {
        if (view.in_frame && view.words && !seen[seen_count].record) seen_count++;
        view.in_frame = *k == SOP_K && *data == SOP_WORD;
        view.words = 0;
        ck_assert_uint_lt(seen_count, 64);
        seen[seen_count].record = 0;
        return;
    }
    if (!view.in_frame || (!view.words && *data >> 31)) return; /* a credit word */
    struct seen *s = &seen[seen_count];
    if (!view.words && !(*data & 0x3ff)) s->record = 1;
    ck_assert_uint_lt(view.words, 140);
    s->word[view.words++] = *data;
    s->words = view.words;
}

static void setup(void)
{
    b = switch_bench_new(&(struct switch_setup){&crossbar2_config, 2, 100, -100, -1, .jitter = 0});
    b->group.losses_allowed = b->group.foreign_packets = 1;
    seen_count = 0;
    memset(&view, 0, sizeof view);
    for (unsigned p = 0; p < 2; p++) b->group.nic[p]->tap_in = look;
}

static struct nic_side *in(void) { return b->group.nic[0]; }

static void run(unsigned clocks) { switch_bench_run(b, clocks); }

/* A packet as a NIC sends it. */
static void make(struct frame *f, unsigned flow, unsigned length)
{
    uint64_t payload[1024];

    for (unsigned i = 0; i < 1024; i++) payload[i] = sim_random(b->s);
    frame_start(f);
    frame_packet(f, header_of(flow, 5, 77, length, 0x12345678), payload);
}

static void send(const struct frame *f) { nic_script_frame(in(), f, 0, f->words); }

static void send_new(struct frame *f, unsigned flow, unsigned length)
{
    make(f, flow, length);
    send(f);
}

/* Clears the output, between two frames. */
static void forget(void)
{
    while (view.in_frame) run(1);
    seen_count = 0;
}

/* Clocks to be idle in front, so that no credit or record of the NIC's own comes between. */
static void quiet(void)
{
    in()->mute = 1;
    run(40);
}

static void counted(unsigned port, unsigned address, unsigned times)
{
    ck_assert_uint_eq(switch_bench_read(b, port, address), times);
}

static uint32_t body_crc(const struct seen *s)
{
    uint32_t crc = CRC32_START;

    for (unsigned i = 3; i < s->words - 1; i += 2)
        crc = reference_crc32(crc, (uint64_t)s->word[i] << 32 | s->word[i + 1], 64);
    return crc;
}

/* The n-th packet that came out is `f` with its flow replaced; of its body `good` words as sent, the rest zeros; CRC
 * right or inverted. */
static void came_out(unsigned n, const struct frame *f, unsigned good, int right_crc)
{
    ck_assert_msg(n < seen_count, "%u packets came out", seen_count);
    const struct seen *s = &seen[n];
    uint64_t header = (uint64_t)(f->data[1] & 0x00ffffff) << 32 | f->data[2]; /* source 0 */
    unsigned length = header_length(header);

    ck_assert_uint_eq(s->words, 2 * length + 4);
    ck_assert_uint_eq(s->word[0], (uint32_t)(header >> 32));
    ck_assert_uint_eq(s->word[1], (uint32_t)header);
    ck_assert_uint_eq(s->word[2], reference_crc16(0xffff, header, 64));
    for (unsigned i = 0; i < 2 * length; i++)
        ck_assert_msg(s->word[3 + i] == (i < good ? f->data[4 + i] : 0), "packet %u, word %u of %u: %08x", n, i,
                      2 * length, s->word[3 + i]);
    if (right_crc == 2) ck_assert_uint_eq(s->word[3 + 2 * length], f->data[4 + 2 * length]); /* untouched */
    else ck_assert_uint_eq(s->word[3 + 2 * length], right_crc ? body_crc(s) : ~body_crc(s));
}

/* A good packet passes: no state of earlier ones is left. */
static void a_good_packet_passes(void)
{
    struct frame f;
    unsigned before = seen_count;

    run(300);
    send_new(&f, out, 5);
    run(300);
    ck_assert_uint_eq(seen_count, before + 1);
    came_out(before, &f, 10, 1);
}

/* After each test a good packet passes, and both ends agree on the units in the crosspoints. */
static void end_check(void *none)
{
    (void)none;
    a_good_packet_passes();
    in()->mute = 0;
    in()->out[out].transmitted =
        (in()->out[out].transmitted + 2) & UNITS_MASK; /* units sent by hand are repaired by records */
    run(6000);
    ck_assert_uint_eq(in()->out[out].credit, in()->out[out].transmitted & ~31u);
}

/* Frames go to this port from now on, and counters count from here. */
static void start(int to)
{
    out = (unsigned)to;
    quiet();
    switch_bench_write(b, 0, SWITCH_CLEAR, 0);
    after_test(end_check, NULL);
}

TEST_CASE("port", .timeout = 600, .setup = setup);

TEST(header_rebuilt_and_body_untouched, .to = 2)
{
    static const unsigned lengths[] = {1, 2, 3, 31, 61, 62};
    struct frame f[6];

    start(_i);
    for (unsigned i = 0; i < 6; i++) {
        make(&f[i], out, lengths[i]);
        if (i % 2) f[i].data[f[i].words - 1] ^= 1u << i; /* a wrong body CRC is the receiver's affair */
        send(&f[i]);                                     /* one after the other without a gap */
    }
    run(800);
    ck_assert_uint_eq(seen_count, 6);
    for (unsigned i = 0; i < 6; i++) came_out(i, &f[i], 2 * lengths[i], 2);
}

TEST(bad_header_crc_is_discarded_up_to_the_next_k, .to = 2)
{
    struct frame f, g;
    unsigned wrong = 0;

    start(_i);
    make(&f, out, 6);
    for (unsigned bit = 0; bit < 96; bit += 5) { /* header and CRC */
        g = f;
        if (bit == 31) continue; /* that one makes a credit of it */
        g.data[1 + bit / 32] ^= 1u << bit % 32;
        send(&g);
        wrong++;
        run(60);
        ck_assert_uint_eq(seen_count, 0);
    }
    counted(0, SWITCH_HEADER_ERRORS, wrong);
    counted(0, SWITCH_ALIGNMENT_ERRORS, 0);
}

TEST(illegal_length_or_flow_is_dropped_whole, .to = 2)
{
    static const struct {
        unsigned flow_above, length;
    } bad[] = {{0, 63}, {0, 64}, {0, 127}, {0, 512}, {0, 1023}, {2, 3}, {4, 3}, {126, 3}, {64, 62}};
    struct frame f;

    start(_i);
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        send_new(&f, out + bad[i].flow_above, bad[i].length);
        send_new(&f, out, 2); /* right behind it */
        run(2 * bad[i].length + 200);
        ck_assert_uint_eq(seen_count, i + 1);
        came_out(i, &f, 4, bad[i].flow_above != 0); /* reports the one before, if that was of its flow */
    }
    counted(0, SWITCH_DROPPED_LENGTH, 5);
    counted(0, SWITCH_DROPPED_FLOW, 4);
}

TEST(without_room_it_is_dropped_whole, .to = 2)
{
    struct frame f[6];

    start(_i);
    b->group.nic[out]->pop_percent = 0;
    b->unplugged[out] = out != 0; /* nothing leaves: no credit, or no link */
    if (out == 0) b->group.nic[0]->received = (b->group.nic[0]->received + 1900) & UNITS_MASK;
    run(200);
    for (unsigned i = 0; i < 5; i++) { /* 128 units each: the fifth has no room; a small one has none either */
        send_new(&f[i], out, i < 4 ? 62 : 1);
    }
    run(1500);
    if (out == 0) { /* same port: it must have credit to send, so only what fits is certain */
        for (unsigned i = 0; i < seen_count; i++) came_out(i, &f[i], f[i].words - 5, 1);
        b->group.nic[0]->pop_percent = 100;
        return;
    }
    ck_assert_uint_eq(seen_count, 0);
    counted(0, SWITCH_DROPPED_SPACE, 1);
    b->unplugged[out] = 0;
    run(1500);
    ck_assert_uint_eq(seen_count, 4);
    for (unsigned i = 0; i < 4; i++) came_out(i, &f[i], 124, 1);
    b->group.nic[out]->pop_percent = 100;
    send_new(&f[5], out, 3);
    run(300);
    came_out(4, &f[5], 6, 0); /* reports the dropped one */
}

/* The packet breaks off after each possible word, with an idle word, and right before another frame. */
TEST(early_end_is_padded, .to = 4)
{
    struct frame f, g;

    start(_i % 2);
    make(&f, out, 9);
    for (unsigned cut = 4; cut < f.words; cut++) {
        forget();
        nic_script_frame(in(), &f, 0, cut);
        if (_i / 2) send_new(&g, out, 2);
        run(200);
        ck_assert_uint_ge(seen_count, 1);
        came_out(0, &f, cut - 4, 0);
        /* its zeros are written in the time of the words that are missing; a header that comes before finds no room */
        if (_i / 2) ck_assert_uint_eq(seen_count, cut == f.words - 1 ? 2 : 1);
        if (seen_count == 2) came_out(1, &g, 4, 1);
    }
    counted(0, SWITCH_PADDED, f.words - 4);
    counted(0, SWITCH_ALIGNMENT_ERRORS, f.words - 4);
    counted(0, SWITCH_DROPPED_SPACE, _i / 2 ? f.words - 5 : 0);
}

/* A wrong K character amid the words: the rest of the packet passes by meanwhile, so the next one is not harmed. */
TEST(a_k_character_in_the_body_ends_it, .to = 2)
{
    struct frame f, g, h;

    start(_i);
    make(&f, out, 9);
    for (unsigned at = 4; at < f.words; at++) {
        forget();
        h = f;
        h.k[at] = (uint8_t)(1u << at % 4);
        send(&h);
        send_new(&g, out, 2);
        run(200);
        ck_assert_uint_eq(seen_count, 2);
        came_out(0, &f, at - 4, 0);
        came_out(1, &g, 4, 1);
    }
}

TEST(loss_of_sync_or_silence_ends_it_early, .to = 4)
{
    struct frame f;

    start(_i % 2);
    send_new(&f, out, 20);
    run(WIRE_CLOCKS + 20); /* then into the packet */
    if (_i / 2) b->unplugged[0] = 1;
    else b->buffer_error[0] = 40;
    run(40);
    b->unplugged[0] = 0;
    run(400);
    ck_assert_uint_eq(seen_count, 1);
    ck_assert_uint_eq(seen[0].words, 44);
    unsigned good = 0;
    while (good < 40 && seen[0].word[3 + good] == f.data[4 + good]) good++;
    ck_assert_uint_gt(good, 5);
    ck_assert_uint_lt(good, 25);
    if (_i / 2) came_out(0, &f, good, 0);
    else
        ck_assert_uint_eq(seen[0].word[43],
                          ~body_crc(&seen[0])); /* called bad: the output runs dry before the silence is over */
}

/* A stall of less than 16 clocks is borne at the input; an output that is already sending runs dry. Where in the packet
 * it comes is tried from its SOP to its end. */
TEST(a_short_stall_starves_an_output, .to = 2)
{
    struct frame f, g;
    unsigned starved = 0, broken_headers = 0, whole = 0, lost = 0;

    start(_i);
    make(&f, out, 20);
    for (unsigned i = 0; i < 140; i++) {
        forget();
        send(&f);
        run(10 + i / 2);
        b->buffer_error[0] = i % 2 ? 10 : 3;
        run(200);
        in()->mute = 0; /* for its credits */
        run(60);
        quiet();
        send_new(&g, out, 3);
        run(200);
        unsigned n = seen_count;
        came_out(n - 1, &g, 6, 1); /* the next packet is whole, nothing of the first comes with it */
        if (n == 1) {
            lost++; /* the stall took the header */
            continue;
        }
        ck_assert_uint_eq(n, 2);
        const struct seen *s = &seen[0];
        if (s->words == 3) { /* the second header word was missing */
            uint64_t header = (uint64_t)s->word[0] << 32 | s->word[1];
            ck_assert_uint_ne(s->word[2], reference_crc16(0xffff, header, 64));
            broken_headers++;
            continue;
        }
        ck_assert_uint_eq(s->words, 44);
        if (s->word[43] == body_crc(s)) {
            came_out(0, &f, 40, 1);
            whole++;
        } else {
            ck_assert_uint_eq(s->word[43], ~body_crc(s));
            starved++;
        }
    }
    unsigned dry = switch_bench_read(b, out, SWITCH_CROSSPOINT_UNDERFLOWS); /* the others have been padded in time */
    ck_assert_uint_le(dry, starved + broken_headers);
    ck_assert_uint_le(starved + broken_headers, dry + switch_bench_read(b, 0, SWITCH_PADDED));
    ck_assert_uint_gt(dry, 40);
    counted(0, SWITCH_CROSSPOINT_OVERFLOWS, 0);
    ck_assert_uint_gt(starved, 20);
    ck_assert_uint_gt(whole, 10);
    ck_assert_uint_gt(lost, 2);
    if (out) ck_assert_uint_ge(broken_headers, 1); /* port 0 itself starts nothing while its receiver is in error */
}

TEST(surplus_words_are_discarded, .to = 2)
{
    struct frame f;

    start(_i);
    for (unsigned surplus = 1; surplus < 12; surplus += 3) {
        forget();
        send_new(&f, out, 4);
        for (unsigned i = 0; i < surplus; i++) nic_script(in(), (uint32_t)sim_random(b->s), 0);
        run(100);
        ck_assert_uint_eq(seen_count, 1);
        came_out(0, &f, 8, 1);
        a_good_packet_passes();
    }
    counted(0, SWITCH_ALIGNMENT_ERRORS, 4); /* incidents, not words */
}

TEST(malformed_frames_are_discarded, .to = 2)
{
    struct frame f;

    start(_i);
    for (unsigned kind = 0; kind < 4; kind++) {
        forget();
        make(&f, out, 4);
        nic_script_frame(in(), &f, 0, kind < 2 ? 1 : kind); /* breaks off in the header, or goes on as follows */
        if (kind == 0) {                                    /* two credit words */
            nic_script(in(), 0x80008000, 0);
            nic_script(in(), 0x80008000, 0);
            nic_script_frame(in(), &f, 1, f.words);
        }
        if (kind == 1) { /* no SOP: another K27.7 word */
            nic_script(in(), 0xfb5aa55b, SOP_K);
            nic_script_frame(in(), &f, 1, f.words);
        }
        run(100);
        ck_assert_uint_eq(seen_count, 0);
        a_good_packet_passes();
        counted(0, SWITCH_ALIGNMENT_ERRORS, kind + 1);
    }
}

TEST(records_for_lanes_that_are_not_there_change_nothing, .to = 2)
{
    struct frame f;

    start(_i);
    for (unsigned flow = 2; flow < 128; flow = 2 * flow + 1) {
        frame_start(&f);
        frame_record(&f, flow, 1000);
        send(&f);
    }
    run(300);
    counted(0, SWITCH_RECORDS_UNKNOWN, 6);
}

/* A port that is off drops what comes, good or bad, and its line may fail; the next packet reports the loss. */
TEST(a_port_that_is_off_passes_nothing, .to = 2)
{
    struct frame f;

    start(_i);
    switch_bench_write(b, 0, SWITCH_PORT_CONTROL, 0);
    for (int i = 0; i < 3; i++) send_new(&f, out, 6);
    make(&f, out, 6);
    f.data[1] ^= 2; /* a wrong header CRC */
    send(&f);
    run(200);
    b->buffer_error[0] = 40;
    run(100);
    b->unplugged[0] = 1;
    run(100);
    b->unplugged[0] = 0;
    run(400);
    ck_assert_uint_eq(seen_count, 0);
    counted(0, SWITCH_DROPPED_FLOW, 3);
    counted(0, SWITCH_HEADER_ERRORS, 1);
    switch_bench_write(b, 0, SWITCH_PORT_CONTROL, 1);
    run(300);
    send_new(&f, out, 6);
    run(300);
    came_out(0, &f, 12, 0);
}

/* The port alone, without a line, `tick` in each clock: so a clock here is 64. */
TEST_CASE("down time");

TEST(a_port_without_a_line_goes_down_after_any_down_time, .to = 5)
{
    static const uint32_t times[] = {0, 1, 0x1312d, 0xfffffe, 0xffffff};
    sim *s = loud_sim(0);
    sim_clock *clk = make_clock(s, "clk", SIM_NS, 0);
    sim_model *model = make_clocked(s, clk, &switch_port_config, "port");
    switch_port *p = MODEL_AS(switch_port, model, NULL);
    sim_model_clock(model, clk, p->run_clk);
    *p->enable = *p->tick = *p->rst = *p->gt_rx_loss_of_sync = 1;
    *p->down_clocks = times[_i];
    run_clocks(s, clk, 3);
    *p->rst = 0;
    run_clocks(s, clk, times[_i] / 64 + 1);
    ck_assert_uint_eq(*p->down, 0);
    run_clocks(s, clk, 1);
    ck_assert_msg(*p->down, "DOWN_TIME 0x%x: not down after %u clocks", times[_i], times[_i] + 128);
}

/* ---- the checks themselves ---- */

TEST_CASE("checks", .setup = setup);

TEST(a_changed_word_would_be_noticed, .exit = 1)
{
    struct frame f;

    start(1);
    send_new(&f, out, 4);
    run(200);
    seen[0].word[5] ^= 1;
    came_out(0, &f, 8, 1); /* must fail */
}

TEST(a_crc_that_is_not_inverted_would_be_noticed, .exit = 1)
{
    struct frame f;

    start(1);
    send_new(&f, out, 4);
    run(200);
    came_out(0, &f, 8, 0); /* must fail */
}
