/* Several links by packet, and faults of single paths in traffic: cuts of some of them or of all, in one direction, for
 * ever; a length that changes, a switch that is reset, packets that are lost first, last, in rows; resets of one end.
 * Each packet that is not lost lands once, each loss is indicated, and only losses are (the scoreboard). Then all
 * packets land again, all transfers have departed or are counted as skipped, no FIFO has complained, and both ends of
 * each wire agree on buffers, without a reset. */
#include <string.h>

#include "crossbar4.h"
#include "nic_2paths.h"
#include "nic_4paths.h"
#include "nic_register_map.h"
#include "scenario_bench.h"
#include "sim/model/cable/frame_tap.h"
#include "sim/system/nodes/fabric_space.h"
#include "switch_register_map.h"
#include "system_bench.h"
#include "test.h"

enum { AWAY = 1 /* the node whose paths are struck; it receives */ };

static scenario_bench *open_fabric(const sim_config *nic, unsigned nodes, int watch, const unsigned *latency)
{
    fabric_params p;
    scenario_bench_params(&p, nodes, nic, &crossbar4_config, latency);
    p.sim.watchdog = 5 * SIM_MS; /* lost packets are awaited */
    p.watch_paths = watch;
    return scenario_bench_new(&p);
}

static void cut(scenario_bench *b, unsigned node, unsigned links, int directions)
{
    for (unsigned l = 0; l < b->f->links; l++)
        if (links >> l & 1) cable_cut(link_of(b, node, l), directions);
}

static void mend(scenario_bench *b, unsigned node, unsigned links)
{
    for (unsigned l = 0; l < b->f->links; l++)
        if (links >> l & 1) cable_reconnect(link_of(b, node, l), CABLE_BOTH);
}

static void run(scenario_bench *b, const char *what, int lossy, unsigned crc_hits, const char *const *options)
{
    scenario_params_default(&b->p);
    scenario_bench_set(b, options);
    scenario_bench_complete(b);
    b->p.lossy = lossy;
    b->p.crc_hits = crc_hits;
    b->p.drain = 100 * SIM_US;
    ck_assert_msg(!scenario_run(b->x, &b->p), "%s: %s", what, b->x->error);
    for (unsigned i = 0; i < b->f->nodes; i++) {
        uint32_t status =
            read_register(b->f->node[i], NIC_STATUS) & (NIC_STATUS_FIFO_ERROR_MASK | NIC_STATUS_HEADER_STEP_MASK);
        ck_assert_msg(!status, "%s: node %u has status 0x%x", what, i, (unsigned)status);
    }
}

/* After a strike: every flow carries packets, so that all flags that are due come; then nothing is lost any more. */
static void recovers(scenario_bench *b, const char *what)
{
    char text[200];
    run(b, what, 1, 16,
        (const char *const[]){"scenario", "round-robin", "sizes", "8..496", "warmup", "0", "measure", "12", "notify",
                              "1", NULL});
    run(b, what, 0, 0,
        (const char *const[]){"scenario", "round-robin", "sizes", "8..496", "warmup", "0", "measure", "12", NULL});
    all_departed(b, what);
    ck_assert_msg(fabric_settle(b->f, 3 * SIM_MS, NULL, text, sizeof text), "%s: %s", what, text);
}

/* ---- strikes ---- */

static const struct strike *strike;

/* Cuts. */
static void all_four(scenario_bench *b)
{
    cut(b, AWAY, 15, CABLE_BOTH);
    pause_for(b, 30);
    mend(b, AWAY, 15);
}

static void to_switch_only(scenario_bench *b)
{
    cut(b, AWAY, 2, CABLE_A_TO_B);
    pause_for(b, 40);
    mend(b, AWAY, 2);
}

static void from_switch_only(scenario_bench *b)
{
    cut(b, AWAY, 2, CABLE_B_TO_A);
    pause_for(b, 40);
    mend(b, AWAY, 2);
}

/* A wire that gets longer and shorter again: words wait in it, and idle words are put in or taken out. */
struct stretch {
    unsigned target; /* words */
    struct way {
        uint32_t data[512];
        uint8_t k[512];
        unsigned first, count;
    } way[2];
};

static int idle_at(const struct way *w, unsigned i)
{
    return w->count > i && frame_is_idle(w->data[(w->first + i) % 512], w->k[(w->first + i) % 512]);
}

static void stretched(void *self, int from, uint64_t word, uint32_t *data, uint8_t *k, uint64_t *flip)
{
    struct stretch *s = self;
    struct way *w = &s->way[from];
    (void)word;
    (void)flip;
    w->data[(w->first + w->count) % 512] = *data;
    w->k[(w->first + w->count++) % 512] = *k;
    if (w->count <= s->target && idle_at(w, 0)) { /* one more waits */
        frame_put_idle(data, k);
        return;
    }
    if (w->count > s->target + 1 && idle_at(w, 0) && idle_at(w, 1)) w->first = (w->first + 1) % 512, w->count--;
    *data = w->data[w->first];
    *k = w->k[w->first];
    w->first = (w->first + 1) % 512;
    w->count--;
}

static void length_changes(scenario_bench *b)
{
    static struct stretch s;
    memset(&s, 0, sizeof s);
    cable_set_tap(link_of(b, AWAY, 1), stretched, &s);
    for (int i = 0; i < 4; i++) {
        s.target = i % 2 ? 0 : 300;
        pause_for(b, 25);
    }
    for (int i = 0; i < 100 && s.way[0].count + s.way[1].count; i++) pause_for(b, 5);
    cable_set_tap(link_of(b, AWAY, 1), NULL, NULL);
}

static void switch_reset(scenario_bench *b)
{
    *b->f->path[0].chip.rst_n = 0;
    pause_for(b, 3);
    *b->f->path[0].chip.rst_n = 1;
    pause_for(b, 1);
    for (unsigned i = 0; i < b->f->nodes; i++) /* it takes buffers for larger than they are */
        ck_assert_int_eq(fabric_path_write(b->f, 1, SWITCH_CAPACITY + 0x400 * i, 1022), 0);
}

/* Frames with packets that are lost, of all links. */
struct losing {
    unsigned skip, left;
};

static int loses(void *arg, const frame_word *w)
{
    struct losing *l = arg;
    (void)w;
    if (l->skip) return l->skip--, 0;
    return l->left ? l->left--, 1 : 0;
}

static struct losing losing;

/* The next `count` packets that leave this end of the wires of that node. */
static void lose_packets(scenario_bench *b, unsigned node, int end, unsigned skip, unsigned count)
{
    losing = (struct losing){skip, count};
    for (unsigned l = 0; l < b->f->links; l++)
        ck_assert_int_eq(frame_tap_add(tap_on(link_of(b, node, l)), end, 0, FRAME_DATA, loses, frame_lose, &losing), 0);
}

static void until_lost(scenario_bench *b)
{
    for (int i = 0; i < 400 && losing.left; i++) pause_for(b, 5);
    ck_assert_uint_eq(losing.left, 0);
}

static void one_path_for_20_us(scenario_bench *b)
{
    frame_tap *tap = tap_on(link_of(b, AWAY, 1));
    frame_tap_arm(tap, 1, FRAME_DATA, 0, 1000000, frame_lose, NULL);
    pause_for(b, 20);
    ck_assert_uint_gt(frame_tap_done(tap, 1), 3);
    frame_tap_arm(tap, 1, 0, 0, 0, NULL, NULL);
}

static void in_a_row_512(scenario_bench *b)
{
    lose_packets(b, AWAY, 1, 0, 512);
    until_lost(b);
}

static void in_a_row_1024(scenario_bench *b)
{
    lose_packets(b, AWAY, 1, 0, 1024);
    until_lost(b);
}

static void nothing(scenario_bench *b) { (void)b; }

static const struct strike {
    const char *name;
    void (*hit)(scenario_bench *b);
    const sim_config *nic;
    unsigned nodes;
    const char *scenario, *sizes, *load; /* load NULL: saturated, any number of packets under way */
    const char *measure;                 /* [us] */
    unsigned crc_hits; /* notifications that may be flagged although all data are right: of frames that are cut in their
                          last words */
    int lost;          /* 1: packets are, 0: they may be, -1: they must not be */
    unsigned timeout;  /* [us] RESEQ_TIMEOUT; 0: as it is, 2 ms */
    unsigned latency[FABRIC_LINKS];
} strikes[] = {
    {"all four paths cut", all_four, &nic_4paths_config, 2, "round-robin", "8..496", "0.4", "110", 8, 0, 300, {0}},
    {"cut towards the switch only",
     to_switch_only,
     &nic_2paths_config,
     3,
     "round-robin",
     "8..496",
     "0.4",
     "95",
     2,
     0,
     300,
     {0}},
    {"cut towards the node only",
     from_switch_only,
     &nic_2paths_config,
     3,
     "round-robin",
     "8..496",
     "0.4",
     "95",
     2,
     0,
     300,
     {0}},
    {"a length that changes",
     length_changes,
     &nic_2paths_config,
     3,
     "round-robin",
     "8..496",
     "0.4",
     "145",
     0,
     -1,
     300,
     {0}},
    {"a switch reset", switch_reset, &nic_2paths_config, 3, "round-robin", "8..496", "0.4", "100", 8, 0, 300, {0}},
    {"all of one path for 20 us",
     one_path_for_20_us,
     &nic_4paths_config,
     2,
     "one-way",
     "8..496",
     "0.5",
     "100",
     0,
     1,
     300,
     {0}},
    {"512 in a row", in_a_row_512, &nic_4paths_config, 2, "one-way", "8", NULL, "380", 0, 1, 100, {0}},
    {"1024 in a row", in_a_row_1024, &nic_4paths_config, 2, "one-way", "8", NULL, "500", 0, 1, 100, {0}},
    {"late packets", nothing, &nic_2paths_config, 2, "one-way", "128", "0.3", "100", 0, 1, 10, {23, 2023, 0, 0}},
};

static void hit_task(void *arg)
{
    scenario_bench *b = arg;
    sim_wait_time(b->f->s, 40 * SIM_US);
    strike->hit(b);
}

static void under_strike(scenario_bench *b, int unused)
{
    (void)unused;
    for (unsigned i = 0; i < b->f->nodes && strike->timeout; i++)
        write_register(b->f->node[i], NIC_RESEQ_TIMEOUT, 100 * strike->timeout);
    sim_task *task = sim_task_new(b->f->s, strike->name, hit_task, b);
    run(b, strike->name, strike->lost >= 0, strike->crc_hits,
        (const char *const[]){"scenario", strike->scenario, "sizes", strike->sizes, "warmup", "0", "measure",
                              strike->measure, strike->load ? "load" : "outstanding", strike->load ? strike->load : "0",
                              NULL});
    sim_join(task);
    const scoreboard_counts c = b->x->counts;
    ck_assert_msg(strike->lost != 1 || c.lost, "%s: nothing was lost", strike->name);
    ck_assert_msg(c.landed > 50, "%s: only %u packets have landed", strike->name, (unsigned)c.landed);
    ck_assert_msg(strike->hit != nothing || b->x->paths.late, "%s: none came", strike->name);
    for (unsigned i = 0; i < b->f->nodes; i++) {
        unsigned depth = read_register(b->f->node[i], NIC_RESEQ_DEPTH);
        ck_assert_msg(depth < 512, "%s: depth %u at node %u", strike->name, depth, i);
        write_register(b->f->node[i], NIC_RESEQ_TIMEOUT, 100 * 300);
    }
    recovers(b, strike->name);
}

TEST_CASE("losses", .timeout = 300);

TEST(a_strike_leaves_no_trace, .to = COUNT(strikes))
{
    strike = &strikes[_i];
    fabric_good(open_fabric(strike->nic, strike->nodes, 0, strike->latency), under_strike, 0);
}

/* ---- transfers of eight packets, the first or the last one of which is lost ---- */

static void lose_of_transfer(scenario_bench *b, int last)
{
    const node *from = b->f->node[0], *to = b->f->node[AWAY];
    for (unsigned i = 0; i < 2; i++) write_register(b->f->node[i], NIC_RESEQ_TIMEOUT, 100 * 100);
    ck_assert_int_eq(bench_transfer(b->f->node[0], b->f->node[AWAY], AWAY, 3968), NX_OK);
    lose_packets(b, 0, 0, last ? 7 : 0, 1);
    if (last) { /* it would have reported it */
        uint64_t source = from->platform.alloc(b->f->node[0], 3968, 8);
        ck_assert_int_eq(nx_transfer(from->dev, AWAY, source, 0x400000, 3968, NX_REMOTE, NULL), NX_OK);
        pause_for(b, 150);
        nx_notification n;
        ck_assert_int_eq(nx_notification_poll(to->dev, 0, &n), 0);
    }
    sim_time before = sim_now(b->f->s);
    ck_assert_int_eq(bench_transfer(b->f->node[0], b->f->node[AWAY], AWAY, last ? 8 : 3968), NX_ERROR_FLAGGED);
    ck_assert_uint_lt(sim_now(b->f->s) - before, 130 * SIM_US);
    ck_assert_uint_eq(losing.left, 0);
    for (int i = 0; i < 4; i++) ck_assert_int_eq(bench_transfer(b->f->node[0], b->f->node[AWAY], AWAY, 3968), NX_OK);
    ck_assert_uint_eq(read_register(to, NIC_SEQUENCE_GAPS), 1);
    ck_assert_uint_eq(read_register(to, NIC_FLAGGED_NOTIFICATIONS), 1);
    all_departed(b, "a transfer");
}

TEST(a_packet_lost_of_a_transfer_is_reported, .to = 2)
{
    fabric_good(open_fabric(&nic_4paths_config, 2, 0, NULL), lose_of_transfer, _i);
}

/* ---- one end is reset, in traffic: afterwards all flows are good again, and losses have been reported ---- */

static void reset_one_end(scenario_bench *b, int node)
{
    unsigned nodes = b->f->nodes, flagged = 0;
    for (unsigned i = 0; i < nodes; i++) write_register(b->f->node[i], NIC_RESEQ_TIMEOUT, 100 * 100);
    for (unsigned i = 0; i < 60; i++) /* a sender and a receiver, full of packets */
        for (unsigned k = 0; k < 2; k++) {
            nx_device *dev = b->f->node[k]->dev;
            ck_assert_msg(!nx_transfer(dev, !k, 0x200000, 0x400000, 1984, 0, NULL), "%s", nx_last_error(dev));
        }
    ck_assert_msg(!nx_reset(b->f->node[node]->dev), "%s", nx_last_error(b->f->node[node]->dev));
    pause_for(b, 600);
    for (unsigned round = 0; round < 4; round++)
        for (unsigned from = 0; from < nodes; from++)
            for (unsigned to = 0; to < nodes; to++) {
                int result = bench_transfer(b->f->node[from], b->f->node[to], to, 3968);
                ck_assert_msg(!result || round < 2, "node %d was reset: flow %u to %u is flagged in round %u", node,
                              from, to, round);
                flagged += result != 0;
            }
    ck_assert_uint_lt(flagged, 6);
    all_departed(b, "a reset");
    char text[200];
    ck_assert_msg(fabric_settle(b->f, 3 * SIM_MS, NULL, text, sizeof text), "node %d was reset: %s", node, text);
}

TEST(one_end_is_reset_alone, .to = 2) { fabric_good(open_fabric(&nic_2paths_config, 2, 0, NULL), reset_one_end, _i); }

/* ---- paths that stay down: drivers report them to each other ---- */

static uint64_t bytes_landed;

static void count_bytes(void *self, unsigned from, unsigned to, sim_time created, sim_time landed)
{
    (void)self, (void)from, (void)to, (void)created, (void)landed;
    bytes_landed += 496;
}

static double rate(scenario_bench *b, unsigned us)
{
    uint64_t before = bytes_landed;
    pause_for(b, us);
    return (double)(bytes_landed - before) / (1024.0 * 1024.0) / (1e-6 * us);
}

static const struct absence {
    const char *name;
    const sim_config *nic;
    unsigned nodes, links; /* links that are away, mask */
    unsigned node;         /* ... of this one */
    int directions;
    unsigned us; /* how long they stay away, after all know it */
    const char *measure;
    double full, left; /* [MiB/s], at least, with all paths and with those that are left */
} absences[] = {
    {"one path of two", &nic_2paths_config, 3, 2, AWAY, CABLE_BOTH, 60, "1440", 550, 282},
    {"one path of two towards the receiver", &nic_2paths_config, 2, 2, AWAY, CABLE_B_TO_A, 800, "2180", 550, 282},
    {"one path of two from the receiver", &nic_2paths_config, 2, 2, AWAY, CABLE_A_TO_B, 60, "1440", 550, 282},
    {"one path of two from the sender", &nic_2paths_config, 2, 2, 0, CABLE_A_TO_B, 60, "1440", 550, 282},
    {"two paths of four", &nic_4paths_config, 2, 5, AWAY, CABLE_BOTH, 60, "1440", 560, 550},
};

static const struct absence *absence;

static unsigned mask(scenario_bench *b, unsigned node, unsigned reg, unsigned of)
{
    return read_register(b->f->node[node], reg) >> 4 * of & 15;
}

/* Masks of the others for the node whose paths are struck; with `both`, and of that node for the others. */
static int masks_are(scenario_bench *b, unsigned links, int both)
{
    unsigned away = absence->node;
    for (unsigned i = 0; i < b->f->nodes; i++)
        for (unsigned end = 0; end <= (unsigned)both && i != away; end++) {
            unsigned at = end ? away : i, of = end ? i : away;
            if (mask(b, at, NIC_SEND_PATHS_LOW, of) != links || mask(b, at, NIC_RECEIVE_PATHS_LOW, of) != links)
                return 0;
        }
    return 1;
}

/* At most this time [us]. */
static void until_masks(scenario_bench *b, unsigned links, int both, unsigned us)
{
    sim_time end = sim_now(b->f->s) + us * SIM_US;
    while (!masks_are(b, links, both)) {
        ck_assert_msg(sim_now(b->f->s) < end, "%s: after %u us not all masks for node %u are 0x%x", absence->name, us,
                      absence->node, links);
        pause_for(b, 5);
    }
}

static void stay_away(void *arg)
{
    const struct absence *a = absence;
    scenario_bench *b = arg;
    const node *struck = b->f->node[a->node], *to = b->f->node[AWAY];
    unsigned all = (1u << b->f->links) - 1;
    unsigned takes =
        220 + (a->node == AWAY ? 0 : 110); /* [us] of the sender the word waits behind 64 packets over one path */
    nx_status s;
    pause_for(b, 40);
    double before = rate(b, 40);
    ck_assert_msg(before >= a->full, "%s: %.1f MiB/s before", a->name, before);
    cut(b, a->node, a->links, a->directions);
    until_masks(b, all & ~a->links, 0, 1000 + takes);
    ck_assert_int_eq(nx_status_read(struck->dev, &s), NX_OK);
    ck_assert_uint_eq(s.paths.dead, a->links);
    ck_assert_uint_eq(s.paths.remote_fault, a->directions == CABLE_A_TO_B ? a->links : 0);
    ck_assert_msg(strstr(s.text, "dead") && !strstr(s.text, "link partner") == (a->directions != CABLE_A_TO_B),
                  "%s: %s", a->name, s.text);
    pause_for(b, 40); /* lost packets have timed out */
    uint32_t gaps = read_register(to, NIC_SEQUENCE_GAPS);
    double meanwhile = rate(b, a->us);
    ck_assert_msg(meanwhile >= a->left, "%s: %.1f MiB/s over the paths left", a->name, meanwhile);
    ck_assert_uint_eq(read_register(to, NIC_SEQUENCE_GAPS), gaps);
    mend(b, a->node, a->links);
    until_masks(b, all, 0, takes);
    until_masks(b, all, 1, 200); /* the answer waits likewise */
    pause_for(b, 40);
    double after = rate(b, 40);
    ck_assert_msg(after >= a->full, "%s: %.1f MiB/s afterwards", a->name, after);
    ck_assert_uint_eq(read_register(to, NIC_SEQUENCE_GAPS), gaps);
    ck_assert_uint_eq(read_register(to, NIC_RESEQ_EVENTS), 0); /* nothing old has been kept anywhere */
}

static void away_for_long(scenario_bench *b, int unused)
{
    (void)unused;
    b->f->watch = (fabric_watch){.landed = count_bytes};
    sim_task *task = sim_task_new(b->f->s, absence->name, stay_away, b);
    run(b, absence->name, 1, 4,
        (const char *const[]){"scenario", "one-way", "sizes", "496", "warmup", "0", "measure", absence->measure,
                              "outstanding", "0", NULL});
    sim_join(task);
    recovers(b, absence->name);
}

TEST(paths_that_stay_away_go_out_of_use_and_come_back, .to = COUNT(absences))
{
    absence = &absences[_i];
    fabric_good(open_fabric(absence->nic, absence->nodes, 1, NULL), away_for_long, 0);
}
