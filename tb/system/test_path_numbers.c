/* Numbers of packets on several paths, by which the receiver reports them in order: they wrap while packets are lost or
 * come too late at any of their 1024 places; one source after the other fills its places while the receiver rests;
 * software resets while headers wait for a number, and while a write does not end. Each loss is indicated, and only
 * losses are (bench_transfer). */
#include "crossbar4.h"
#include "crossbar8.h"
#include "nic_2paths.h"
#include "nic_register_map.h"
#include "scenario_bench.h"
#include "sim/system/nodes/fabric_space.h"
#include "system_bench.h"
#include "test.h"

enum { TO = 1 /* the node that receives */, NUMBERS = 1024, US = 100 /* clocks of RESEQ_TIMEOUT */ };

static scenario_bench *open_fabric(unsigned nodes, const sim_config *chip, unsigned longer)
{
    const unsigned latency[FABRIC_LINKS] = {23, 23 + longer};
    fabric_params p;
    scenario_bench_params(&p, nodes, &nic_2paths_config, chip, latency);
    p.sim.watchdog = 5 * SIM_MS;
    return scenario_bench_new(&p);
}

/* `crc_hits`: notifications that may be flagged although all before them is right or has been reported. */
static void run_lossy(scenario_bench *b, unsigned crc_hits, const char *const *options)
{
    scenario_bench_set(b, options);
    scenario_bench_complete(b);
    b->p.lossy = 1;
    b->p.crc_hits = crc_hits;
    b->p.drain = 100 * SIM_US;
    ck_assert_msg(!scenario_run(b->x, &b->p), "%s", b->x->error);
}

TEST_CASE("path_numbers", .timeout = 120);

/* ---- each third number is lost, so at last each of all */

static struct losses {
    uint64_t last; /* number on either wire, going on from round to round */
    unsigned lost, at[NUMBERS];
    struct line {
        int sop, lose;
    } line[2];
} losses;

/* Of node 0; on the wires from the switches to the receiver. */
static void lose_each_third(void *self, int from, uint64_t word, uint32_t *data, uint8_t *k, uint64_t *flip)
{
    struct line *line = self;
    (void)word;
    if (from == 0) return;
    unsigned number = *data >> 10 & (NUMBERS - 1), length = *data & 1023;
    if (line->sop && !*k && !(*data >> 31)) { /* a header; in front of it may be credits */
        line->sop = 0;
        if (!length) return;
        uint64_t n = losses.last + (number - losses.last + NUMBERS / 2) % NUMBERS;
        n = n < NUMBERS / 2 ? number : n - NUMBERS / 2;
        if (n > losses.last) losses.last = n;
        if (n % 3) return;
        *flip = 1; /* the header's CRC is wrong */
        losses.lost++;
        losses.at[number]++;
    }
    if (*k) line->sop = frame_is_sop(*data, *k);
}

static void a_third(scenario_bench *b, int unused)
{
    const node *to = b->f->node[TO];
    (void)unused;
    for (unsigned l = 0; l < 2; l++) cable_set_tap(link_of(b, TO, l), lose_each_third, &losses.line[l]);
    write_register(to, NIC_RESEQ_TIMEOUT, 100 * US);
    run_lossy(b, 0,
              (const char *const[]){"scenario", "one-way", "sizes", "8", "warmup", "0", "measure", "680", "outstanding",
                                    "0", NULL});
    const paths_report *paths = &b->x->paths; /* evenly balanced, whatever is lost behind the switches */
    ck_assert_double_lt(paths->path[0].share - paths->path[1].share, 0.01);
    ck_assert_double_gt(paths->path[0].share - paths->path[1].share, -0.01);
    for (unsigned n = 0; n < NUMBERS; n++)
        ck_assert_msg(losses.at[n], "number %u has not been lost; %u packets were", n, losses.lost);
    ck_assert_uint_eq(b->x->counts.lost, losses.lost);
    ck_assert_uint_le(losses.lost - read_register(to, NIC_SEQUENCE_GAPS), 1); /* the last one, with nothing behind it */
    ck_assert_uint_eq(read_register(to, NIC_RESEQ_EVENTS), 0);
    ck_assert_uint_gt(read_register(to, NIC_RESEQ_DEPTH), 10);
    ck_assert_uint_lt(read_register(to, NIC_RESEQ_DEPTH), 512);
}

TEST(a_packet_lost_at_each_number_is_reported) { fabric_good(open_fabric(2, &crossbar4_config, 150), a_third, 0); }

/* ---- the receiver does not wait for path 1, so all its packets come after their numbers had timed out, in each round;
 * each marks its source when it comes, although its loss has been reported */

static void too_late(scenario_bench *b, int unused)
{
    const node *to = b->f->node[TO];
    (void)unused;
    write_register(to, NIC_RECEIVE_PATHS_LOW, (read_register(to, NIC_RECEIVE_PATHS_LOW) & ~0xfu) | 1);
    run_lossy(b, 10000,
              (const char *const[]){"scenario", "one-way", "sizes", "8..64", "warmup", "0", "measure", "500",
                                    "outstanding", "0", NULL});
    unsigned late = read_register(to, NIC_RESEQ_EVENTS);
    ck_assert_uint_gt(b->x->counts.made, NUMBERS + 400);
    ck_assert_uint_gt(late, b->x->counts.made / 5);
    ck_assert_uint_eq(late >> 16, 0); /* restarted */
    ck_assert_uint_eq(b->x->counts.lost, late);
    ck_assert_uint_le(late - read_register(to, NIC_SEQUENCE_GAPS), 1);
}

TEST(a_packet_after_its_number_timed_out_is_dropped_in_each_round)
{
    fabric_good(open_fabric(2, &crossbar4_config, 2000), too_late, 0);
}

/* ---- the receiver's DMA rests for 1 ms while all others send it the smallest packets, and one of them is without a
 * path for a while */

static void rest(void *arg)
{
    scenario_bench *b = arg;
    const node *to = b->f->node[b->f->nodes - 1];
    sim_wait_time(b->f->s, 20 * SIM_US);
    uint32_t control = read_register(to, NIC_CONTROL);
    write_register(to, NIC_CONTROL, control & ~NIC_CONTROL_INITIATOR_ENABLE_MASK);
    pause_for(b, 200);
    cable_cut(link_of(b, 1, 0), CABLE_BOTH);
    pause_for(b, 100);
    cable_reconnect(link_of(b, 1, 0), CABLE_BOTH);
    pause_for(b, 700);
    write_register(to, NIC_CONTROL, control);
}

static void others_to_one(scenario_bench *b, int nodes)
{
    const node *to = b->f->node[nodes - 1];
    sim_task *task = sim_task_new(b->f->s, "rest", rest, b);
    run_lossy(b, 0,
              (const char *const[]){"scenario", "n-to-one", "sizes", "8", "warmup", "0", "measure", "1040",
                                    "outstanding", "0", NULL});
    sim_join(task);
    unsigned depth = read_register(to, NIC_RESEQ_DEPTH);
    ck_assert_uint_gt(depth, 3);
    ck_assert_uint_lt(depth,
                      256 + 24 + 40); /* PATH_AHEAD, the numbers that may exceed it, those on wires of equal length */
    ck_assert_uint_eq(read_register(to, NIC_RESEQ_EVENTS), 0);
    ck_assert_uint_eq(read_register(to, NIC_SEQUENCE_GAPS), b->x->counts.lost);
    all_departed(b, "a rest");
}

TEST_CASE("rests", .timeout = 120);

TEST(a_receiver_is_idle_and_no_number_times_out, .to = 2)
{
    fabric_good(_i ? open_fabric(8, &crossbar8_config, 0) : open_fabric(4, &crossbar4_config, 0), others_to_one,
                _i ? 8 : 4);
}

/* ---- software resets while headers wait for numbers on the long path: 0 of the receiver, 1 of the receiver while a
 * write gets nothing but Retry, for longer than the reset waits for it, 2 of the sender */

enum { PACKETS = 40, AT = 0x400000, STEP = 0x1000 };

/* Writes of the receiver's NIC: packet i goes to AT + STEP x i. */
static struct seen {
    const node *to;
    uint64_t word; /* where notifications of node 0 are written */
    int here[PACKETS], notified[PACKETS], words, flagged, after;
} seen;

static void on_written(void *self, const pcix_transaction *t, sim_time when)
{
    uint32_t place = (uint32_t)t->address - AT;
    (void)self, (void)when;
    if (t->address == seen.word) {
        uint64_t word = memory_get64(host_memory(seen.to->host), seen.word);
        place = (uint32_t)word - AT;
        if (place < PACKETS * STEP) seen.notified[place / STEP]++;
        if (seen.after && !seen.words++) seen.flagged = (int)(word >> 63);
    } else if (place < PACKETS * STEP) seen.here[place / STEP] = 1;
}

static void reset_while_headers_wait(scenario_bench *b, int which)
{
    node *from = b->f->node[0], *to = b->f->node[TO];
    uint32_t low = 0;
    char text[200];
    int waited[PACKETS];
    unsigned waiting = 0;
    for (unsigned i = 0; i < 2; i++) write_register(b->f->node[i], NIC_RESEQ_TIMEOUT, 100 * US);
    pause_for(b, 100); /* the long path also has credits */
    low = read_register(to, NIC_REMOTE_NOTIFY_LOW);
    seen = (struct seen){.to = to, .word = low};
    ck_assert_int_eq(host_on_written(to->host, on_written, NULL), 0);
    for (unsigned i = 0; i < PACKETS; i++)
        ck_assert_msg(!nx_transfer(from->dev, TO, 0x200000, AT + STEP * i, 8 + 8 * i, NX_REMOTE, NULL), "%s",
                      nx_last_error(from->dev));
    pause_for(b, 9); /* those of path 0 have come, those of path 1 come from 27 us on */
    if (which == 1) {
        host_params stuck = to->params.host;
        stuck.write_retries = 2000;
        host_set_params(to->host, &stuck);
        pause_for(b, 3);
        host_set_params(to->host, &to->params.host);
    }
    for (unsigned i = 0; i < PACKETS; i++) waiting += (unsigned)(waited[i] = seen.here[i] && !seen.notified[i]);
    ck_assert_uint_gt(waiting, 5);
    seen.after = 1;
    ck_assert_msg(!nx_reset(which == 2 ? from->dev : to->dev), "%s", nx_last_error(to->dev));
    pause_for(b, 400);
    for (nx_notification note; nx_notification_poll(to->dev, 0, &note);)
        ;
    if (bench_transfer(from, to, TO, 3968) == NX_OK) ck_assert_int_gt(seen.words, 1);
    for (unsigned i = 0; i < PACKETS; i++) {
        ck_assert_msg(seen.notified[i] < 2, "packet %u is reported twice", i);
        ck_assert_msg(which == 2 || !waited[i] || !seen.notified[i], "packet %u waited at the reset and is reported",
                      i);
        ck_assert_msg(which != 2 || !waited[i] || seen.notified[i], "packet %u waited and is not reported", i);
    }
    if (which != 2) ck_assert_int_eq(seen.flagged, 1);
    for (unsigned round = 0; round < 8; round++)
        ck_assert_int_eq(bench_transfer(b->f->node[round % 2], b->f->node[!(round % 2)], !(round % 2), 3968), NX_OK);
    all_departed(b, "a reset");
    ck_assert_msg(fabric_settle(b->f, 3 * SIM_MS, NULL, text, sizeof text), "%s", text);
}

TEST_CASE("resets", .timeout = 120);

TEST(a_reset_while_headers_wait_leaves_no_trace, .to = 3)
{
    fabric_good(open_fabric(2, &crossbar4_config, 2000), reset_while_headers_wait, _i);
}
