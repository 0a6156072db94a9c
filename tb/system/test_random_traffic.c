/* Random traffic both ways over random hosts, compared word by word with the reference model; and the run itself put to
 * the test. */
#include <string.h>

#include "nic_2paths.h"
#include "nic_register_map.h"
#include "nic_starving.h"
#include "sim/system/chips/nic_kinds.h"
#include "sim/traffic/scenario/traffic.h"
#include "test.h"

enum { RUNS = 2, PACKETS = 1200, CUT_RUNS = 2 };

TEST_CASE("random_traffic", .timeout = 120);

static traffic_params params(void)
{
    traffic_params p = traffic_params_default();
    p.nics = nic_kinds;
    return p;
}

TEST(random_traffic_arrives_as_the_reference_model_says, .to = RUNS)
{
    traffic_params p = params();
    traffic_result r;
    p.seed += (uint64_t)_i;
    p.packets = PACKETS;
    int bad = traffic_run(&p, &r);
    ck_assert_msg(!bad, "seed %lu: %s", (unsigned long)p.seed, r.error);
    ck_assert_uint_ge(r.from[0].landed + r.from[1].landed, PACKETS);
    for (int i = 0; i < 2; i++) {
        ck_assert_uint_eq(r.from[i].landed, r.from[i].begun);
        ck_assert_uint_eq(r.from[i].departed, r.from[i].posted);
        ck_assert_uint_eq(r.from[i].flagged, 0);
        ck_assert_uint_gt(r.from[i].notifications, 0);
        ck_assert_uint_gt(r.from[i].counts, 0);
    }
}

TEST(a_cable_that_is_cut_never_makes_a_good_notification_for_lost_data, .to = CUT_RUNS)
{
    traffic_params p = params();
    traffic_result r;
    p.seed += 100 + (uint64_t)_i;
    p.packets = 1800;
    p.cuts = 1;
    int bad = traffic_run(&p, &r);
    ck_assert_msg(!bad, "seed %lu: %s", (unsigned long)p.seed, r.error);
    ck_assert_uint_gt(r.from[0].lost + r.from[1].lost, 0);
    ck_assert_uint_gt(r.from[0].flagged + r.from[1].flagged, 0);
}

/* Two links by packet: observers of both wires report what leaves to the model, which says in which order notifications
 * and local counts may come; also with cuts of one link or both. */
TEST(packets_of_two_links_arrive_as_the_reference_model_says, .to = 2)
{
    static const nic_kind paths[] = {{"2paths", &nic_2paths_config}, {NULL, NULL}};
    traffic_params p = params();
    traffic_result r;
    p.nics = paths;
    p.links = 2;
    p.by_packet = 1;
    p.seed += 201 + (uint64_t)_i;
    p.packets = _i ? 1800 : 800;
    p.cuts = _i;
    int bad = traffic_run(&p, &r);
    ck_assert_msg(!bad, "seed %lu: %s", (unsigned long)p.seed, r.error);
    ck_assert_uint_ge(r.from[0].begun + r.from[1].begun, p.packets);
    for (int i = 0; i < 2; i++) {
        ck_assert_uint_eq(r.from[i].departed, r.from[i].posted);
        ck_assert_uint_gt(r.from[i].notifications, 0);
        ck_assert_uint_gt(r.from[i].counts, 0);
    }
    ck_assert_int_eq(r.from[0].lost + r.from[1].lost != 0, _i);
    ck_assert_int_eq(r.from[0].flagged + r.from[1].flagged != 0, _i);
}

/* A scheduler that passes queue 0 for as long as others have something. */
TEST(a_queue_that_stands_still_while_others_send_is_named)
{
    static const nic_kind kinds[] = {{"4splits", &nic_starving_config}, {"1voq", &nic_starving_config}, {NULL, NULL}};
    traffic_params p = params();
    traffic_result r;
    ck_assert_uint_eq(fairness_patience(&nic_config), 1);
    ck_assert_uint_eq(fairness_patience(&nic_starving_config), 32);
    p.nics = kinds;
    p.patience = 1;
    p.seed = 13;
    p.packets = 5000;
    ck_assert_int_eq(traffic_run(&p, &r), -1);
    ck_assert_msg(strstr(r.error, "flow 0 starves") != NULL, "a starving queue was expected in \"%s\"", r.error);
}

TEST(the_same_seed_gives_the_same_run)
{
    traffic_params p = params();
    traffic_result r[3];
    p.packets = 300;
    for (unsigned i = 0; i < 3; i++) {
        p.seed = 4711 + (i == 2);
        ck_assert_msg(!traffic_run(&p, &r[i]), "%s", r[i].error);
    }
    ck_assert_uint_eq(r[0].time, r[1].time);
    ck_assert_int_eq(memcmp(r[0].from, r[1].from, sizeof r[0].from), 0);
    ck_assert(r[0].time != r[2].time);
}

/* ---- faults that the run must notice */

struct fault {
    void (*start)(struct fault *f);
    const char *text; /* in the message */
    int node;         /* a register that is set; these bits of it stay as they are */
    unsigned offset;
    uint32_t value, stay;
    pair *p;
    uint64_t words;
};

static void tap(void *self, int from, uint64_t word_index, uint32_t *data, uint8_t *k, uint64_t *flip)
{
    struct fault *f = self;
    (void)flip;
    (void)word_index;
    /* the 3000th data word of node 0 from now on: somewhere in a packet, of which the sniffer has seen the right word
     */
    if (from == 0 && !*k && ++f->words == 3000) *data ^= 0x10;
}

static void wrong_bit(struct fault *f) { cable_set_tap(f->p->wire, tap, f); }

static void later(void *arg)
{
    struct fault *f = arg;
    sim_wait_time(f->p->s, 100 * SIM_US);
    f->start(f);
}

/* From a task 100 us later: writes bytes outside the target areas of host 1's memory, whose places are not known here.
 */
static void stray_bytes(struct fault *f)
{
    uint8_t byte = 0x5a;
    for (uint64_t at = 0x10000000; at < 0x10000000 + 0x2f000000ull; at += 4096 - 8)
        memory_write(host_memory(f->p->node[1]->host), at, &byte, 1);
}

static void set_register(struct fault *f)
{
    nx_device *dev = f->p->node[f->node]->dev;
    uint32_t old = 0;
    nx_register_read(dev, f->offset, &old);
    nx_register_write(dev, f->offset, (old & f->stay) | f->value);
}

static void cut(struct fault *f)
{
    cable_cut(f->p->wire, CABLE_A_TO_B);
    sim_wait_time(f->p->s, 20 * SIM_US);
    cable_reconnect(f->p->wire, CABLE_A_TO_B);
}

static struct fault faults[] = {
    {.start = wrong_bit, .text = ""},
    {.start = stray_bytes, .text = "memory"},
    {set_register, "expected", 0, NIC_CONTROL, NIC_CONTROL_SEQUENCE_ZERO_MASK, ~0u, NULL, 0},
    {set_register, "expected", 1, NIC_PAYLOAD_LIMIT, 7, 0, NULL, 0}, /* another limit */
    {set_register, "", 1, NIC_CONTROL, NIC_CONTROL_SOFT_RESET_MASK, ~0u, NULL, 0},
    {set_register, "before notification", 1, NIC_REMOTE_NOTIFY_LOW, 0x00080000, 0, NULL, 0},
    {set_register, " to 0x800", 0, NIC_LOCAL_NOTIFY_LOW, 0x00080000, 0, NULL,
     0}, /* of no packet, or while a notification waits */
    {.start = cut, .text = ""},
};

static void started(void *arg, pair *p)
{
    struct fault *f = arg;
    f->p = p;
    sim_task_new(p->s, "fault", later, f);
}

TEST(the_run_notices_what_must_not_be, .to = COUNT(faults))
{
    traffic_params p = params();
    traffic_result r;
    struct fault *f = &faults[_i];
    p.packets = 1500;
    p.seed = 11; /* packets of 62 words at most */
    p.calm = 1;  /* the disturbance writes CONTROL too */
    p.started = started;
    p.arg = f;
    ck_assert_int_eq(traffic_run(&p, &r), -1);
    ck_assert_msg(strstr(r.error, f->text) != NULL, "\"%s\" was expected in \"%s\"", f->text, r.error);
}
