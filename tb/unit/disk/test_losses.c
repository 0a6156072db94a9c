/* Disks over fake devices that lose things: at every packet of a write, a flush and a read, in every way; ends that die
 * and come back. */
#include <string.h>

#include "disk_mock.h"
#include "nic_register_map.h"
#include "nx_disk_internal.h"
#include "test.h"

TEST_CASE("losses", .timeout = 120);

enum { BYTES = 12288 }; /* two parts */

enum { NO_LOSS, DROPPED, DAMAGED, CHANGED, UNREAD, CUT, CRASHED, DEAD, NO_DMA };

static struct {
    unsigned kind, node;
    uint64_t nth;
    int armed;
} loss;

static uint64_t packets[2], descriptors[2];

static void strike(void)
{
    mock_nic *nic = &net.node[loss.node];
    if (loss.kind == DROPPED) nic->drop_packet_at = loss.nth;
    if (loss.kind == DAMAGED || loss.kind == CHANGED) nic->damage_packet_at = loss.nth;
    nic->damage_silently = loss.kind == CHANGED;
    if (loss.kind == UNREAD) nic->fail_read_at = loss.nth;
    loss.armed = 1;
}

static void dma(mock_nic *nic, int on)
{
    nic->reg[NIC_CONTROL / 4] &= ~NIC_CONTROL_INITIATOR_ENABLE_MASK;
    if (on) nic->reg[NIC_CONTROL / 4] |= NIC_CONTROL_INITIATOR_ENABLE_MASK;
}

/* A fault with a duration begins when this many packets have left the node. */
static void strike_for_a_while(void *arg)
{
    disk_bench *b = arg;
    const struct nx_platform *p = b->platform[0];
    mock_nic *nic = &net.node[loss.node], *other = &net.node[!loss.node];
    while (!b->over && !(loss.armed && nic->packets - packets[loss.node] >= loss.nth)) p->wait(p->self);
    const uint64_t until = p->now(p->self) + 2 * b->params[1].timeout_ns;
    if (loss.kind == CRASHED) b->crash = b->kick[0] = 1;
    if (loss.kind == DEAD) b->halted[1] = 1;
    if (loss.kind == DEAD || loss.kind == NO_DMA) dma(nic, 0);
    while (p->now(p->self) < until && !b->over && loss.kind != CRASHED) {
        if (loss.kind == CUT) nic->drop_packet_at = other->drop_packet_at = 1;
        else other->stuck = 1;
        p->wait(p->self);
    }
    nic->drop_packet_at = other->drop_packet_at = 0;
    other->stuck = b->halted[1] = 0;
    dma(nic, 1);
}

/* A write, a flush, a read of it, and later one more read. */
static void write_flush_read(void *arg)
{
    static uint8_t out[BYTES], in[BYTES];
    disk_bench *b = arg;
    const struct nx_platform *p = b->platform[1];
    unsigned status[4];
    while (!nx_disk_get_disk(b->disk[1])) p->wait(p->self);
    for (unsigned i = 0; i < 100; i++) p->wait(p->self);
    for (unsigned i = 0; i < 2; i++) packets[i] = net.node[i].packets, descriptors[i] = net.node[i].descriptors;
    for (unsigned i = 0; i < BYTES; i++) out[i] = (uint8_t)(b->random() >> 13);
    strike();
    status[0] = disk_bench_do(b, 1, NX_DISK_WRITE, 512, BYTES, out, loss.kind == CRASHED ? NX_DISK_FUA : 0);
    status[1] = disk_bench_do(b, 1, NX_DISK_FLUSH, 0, 0, NULL, 0);
    if (memcmp(b->durable + 512, out, BYTES)) disk_bench_wrong(b, "flushed data are not on the disk");
    memset(in, 0, BYTES);
    status[2] = disk_bench_do(b, 1, NX_DISK_READ, 512, BYTES, in, 0);
    for (unsigned i = 0; i < 2; i++)
        packets[i] = net.node[i].packets - packets[i], descriptors[i] = net.node[i].descriptors - descriptors[i];
    if (memcmp(in, out, BYTES)) disk_bench_wrong(b, "data read differ from data written");
    status[3] = disk_bench_do(b, 1, NX_DISK_READ, 0, 512, in, 0);
    for (unsigned i = 0; i < 4; i++)
        if (status[i]) disk_bench_wrong(b, "request %u: %s", i, nx_disk_status_name(status[i]));
    memset(b->content, 0, 65536);
    b->over = 1;
}

static uint64_t run(unsigned kind, unsigned node, uint64_t nth, int variant)
{
    loss.kind = kind;
    loss.node = node;
    loss.nth = nth;
    loss.armed = 0;
    disk_bench *b = disk_mock_new(2);
    if (kind >= CUT) b->extra_task = strike_for_a_while;
    b->crash_ns = 100 * 1000;
    mock[0].lies_fallow = kind == CRASHED;
    for (unsigned i = 0; i < 2; i++) {
        b->params[i].pointers = variant & 1;
        b->params[i].poll = variant >> 1;
    }
    disk_mock_run(b, write_flush_read);
    ck_assert_msg(!*b->wrong, "loss %u at %llu of node %u: %s", kind, (unsigned long long)nth, node, b->wrong);
    ck_assert_uint_le(b->counts[1].recoveries, 3);
    const uint64_t recoveries = b->counts[1].recoveries;
    clean_up();
    return recoveries;
}

/* By variant: flags or pointers, interrupts or polling. Damage is reported at one place, which does not know of them:
 * two of the four are enough there. */
enum { FLAGS_AND_INTERRUPTS, POINTERS_AND_POLLING = 3 };
static void everywhere(unsigned kind, int variant)
{
    uint64_t all[2], struck = 0;
    run(NO_LOSS, 0, 0, variant);
    memcpy(all, kind == UNREAD ? descriptors : packets, sizeof all);
    ck_assert_uint_ge(all[0] + all[1], kind == UNREAD ? 14 : 58);
    for (unsigned node = 0; node < 2; node++)
        for (uint64_t nth = 1; nth <= all[node]; nth++) struck += run(kind, node, nth, variant);
    /* harmless are: a pointer, the next one says more; data read that are in the place already; the last record */
    ck_assert_uint_ge(struck, variant & 1 ? (all[0] + all[1]) / 2 : all[0] + all[1] - 4);
}

TEST(a_packet_is_lost_at_any_stage_of_a_request, .to = 4) { everywhere(DROPPED, _i); }

TEST(a_packet_is_damaged_at_any_stage_of_a_request, .to = 2)
{
    everywhere(DAMAGED, _i ? POINTERS_AND_POLLING : FLAGS_AND_INTERRUPTS);
}

TEST(a_bit_changes_behind_the_crc_and_the_checksum_tells_at_any_stage_of_a_request, .to = 2)
{
    everywhere(CHANGED, _i ? POINTERS_AND_POLLING : FLAGS_AND_INTERRUPTS);
}

TEST(a_descriptor_is_lost_at_any_stage_of_a_request, .to = 4) { everywhere(UNREAD, _i); }

/* Before the first packet of a node, and behind each one. Data that wait meanwhile come late, in a session that is
 * over. */
static void from_everywhere(unsigned kind, int only_node)
{
    uint64_t all[2], struck = 0, runs = 0;
    run(NO_LOSS, 0, 0, 0);
    memcpy(all, packets, sizeof all);
    for (unsigned node = 0; node < 2; node++)
        for (uint64_t nth = 0; nth < all[node] && only_node != !node; nth++, runs++)
            struck += run(kind, node, nth, 0) != 0;
    ck_assert_uint_ge(struck, runs - 8); /* that are behind all that matters */
}

TEST(the_cable_is_cut_for_a_while_at_any_stage_of_a_request) { from_everywhere(CUT, -1); }

TEST(the_target_crashes_at_any_stage_of_a_request) { from_everywhere(CRASHED, -1); }

TEST(the_initiator_is_dead_for_a_while_at_any_stage_of_a_request) { from_everywhere(DEAD, 1); }

TEST(a_nic_has_no_dma_for_a_while_at_any_stage_of_a_request, .to = 2) { from_everywhere(NO_DMA, _i); }

/* ---- ends that die ---- */

TEST(losses_at_random_under_load, .to = 4)
{
    disk_bench *b = disk_mock_new(4);
    for (unsigned i = 0; i < 4; i++) {
        b->params[i].pointers = _i & 1;
        net.node[i].drop_packet_at = 300 + 100 * i;
        net.node[i].damage_packet_at = 1500 + 200 * i;
        net.node[i].fail_read_at = 700;
    }
    b->delay_random_ns = 20000;
    disk_mock_everything(b, 16, 300);
    for (unsigned i = 0; i < 3; i++) b->client[i].on_bus = _i / 2;
    disk_mock_run(b, NULL);
    ck_assert_msg(!*b->wrong, "%s", b->wrong);
    for (unsigned i = 0; i < 3; i++) ck_assert_uint_eq(b->client[i].status[NX_DISK_OK], b->client[i].operations);
    ck_assert_uint_ge(b->counts[1].recoveries + b->counts[2].recoveries + b->counts[3].recoveries, 6);
}

static void crash_often(void *arg)
{
    disk_bench *b = arg;
    const struct nx_platform *p = b->platform[0];
    while (!b->over) {
        uint64_t until = p->now(p->self) + 200 * 1000 + b->random() % 1000000;
        while (p->now(p->self) < until && !b->over) p->wait(p->self);
        b->crash = b->kick[0] = 1;
    }
}

/* Two clients of host 1, and one of host 2; in variation 1 the disk also fails to sync. */
TEST(the_target_crashes_at_any_moment_and_what_was_flushed_is_there, .to = 2)
{
    disk_bench *b = disk_mock_new(3);
    b->sync_fails = _i ? 8 : 0;
    mock[0].lies_fallow = 1;
    b->delay_random_ns = 50000;
    b->crash_ns = 400 * 1000;
    b->rule = BENCH_LOSSY;
    disk_mock_everything(b, 8, 300);
    b->client[2] = b->client[0];
    b->client[2].first = 1200;
    for (unsigned i = 0; i < 3; i++) {
        b->client[i].most = i ? 8 : 40;
        b->client[i].mix[NX_DISK_DISCARD] = b->client[i].mix[NX_DISK_WRITE_ZEROES] = 0;
    }
    disk_mock_run(b, crash_often);
    ck_assert_msg(!*b->wrong, "%s", b->wrong);
    ck_assert_uint_ge(b->counts[1].recoveries, 1);
    ck_assert_uint_gt(b->client[0].status[NX_DISK_OK], 200);
}

/* Without a crash: the one flush that found it, and one more of each client; then all is well. */
TEST(a_disk_that_fails_to_sync_tells_each_client_once)
{
    disk_bench *b = disk_mock_new(3);
    b->sync_fails = 10;
    b->rule = BENCH_LOSSY;
    disk_mock_everything(b, 1, 200);
    b->client[2] = b->client[0];
    for (unsigned i = 0; i < 3; i++) {
        static const unsigned mix[6] = {0, 0, 50, 50, 0, 0};
        memcpy(b->client[i].mix, mix, sizeof mix);
        b->client[i].first = 600 * i;
    }
    disk_mock_run(b, NULL);
    ck_assert_msg(!*b->wrong, "%s", b->wrong);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_uint_ge(b->client[i].status[NX_DISK_EIO], 10);
        ck_assert_uint_le(b->client[i].status[NX_DISK_EIO], b->client[i].verifier);
    }
}

/* Host 1 crashes while it writes: it sends nothing and is not served. It restarts with empty memory. */
static uint64_t worst_of_others;
static void die_and_return(void *arg)
{
    static uint8_t data[8192];
    static const uint8_t zeros[NX_DISK_MAILBOX_BYTES];
    disk_bench *b = arg;
    const struct nx_platform *p = b->platform[1];
    while (b->client[0].ended < 50) p->wait(p->self);
    b->halted[1] = 1;
    net.node[1].stuck = 1;
    while (b->client[1].ended < b->client[1].operations || b->client[2].ended < b->client[2].operations)
        p->wait(p->self);
    for (unsigned i = 1; i < 3; i++)
        if (b->client[i].worst_ns > worst_of_others) worst_of_others = b->client[i].worst_ns;
    net.node[1].stuck = 0;
    p->mem_write(p->self, b->params[1].mailbox, zeros, sizeof zeros);
    mock[1].lies_fallow = 1;
    nx_disk_close(b->disk[1]);
    ck_assert_int_eq(nx_disk_open(b->dev[1], 0, &b->params[1], &b->disk[1]), NX_OK);
    b->halted[1] = 0;
    if (disk_bench_do(b, 1, NX_DISK_READ, 0, sizeof data, data, 0))
        disk_bench_wrong(b, "the initiator that came back is not served");
    b->over = 1;
}

TEST(an_initiator_crashes_in_mid_write_and_others_go_on)
{
    disk_bench *b = disk_mock_new(4);
    disk_mock_everything(b, 8, 400);
    b->rule = BENCH_SHARED; /* sectors under way are old or new */
    b->client[0].operations = 10000;
    worst_of_others = 0;
    disk_mock_run(b, die_and_return);
    ck_assert_msg(!*b->wrong, "%s", b->wrong);
    ck_assert_uint_eq(b->counts[2].recoveries + b->counts[3].recoveries, 0);
    ck_assert_uint_lt(worst_of_others, b->params[1].timeout_ns);
}

static void nobody_answers(void *arg)
{
    static uint8_t data[65536];
    disk_bench *b = arg;
    const uint64_t began = net.now;
    unsigned status;
    b->halted[0] = 1;
    status = disk_bench_do(b, 1, NX_DISK_READ, 0, sizeof data, data, 0);
    if (status != NX_DISK_EIO) disk_bench_wrong(b, "without a target: %s", nx_disk_status_name(status));
    net.node[0].stuck = 0;
    if (net.now - began > 10 * b->params[1].timeout_ns)
        disk_bench_wrong(b, "EIO after %llu us", (unsigned long long)(net.now - began) / 1000);
    b->over = 1;
}

/* There is a host whose target does nothing; or nothing comes from there. */
TEST(without_an_answer_a_request_ends_with_an_error, .to = 2)
{
    disk_bench *b = disk_mock_new(2);
    net.node[0].stuck = _i;
    disk_mock_run(b, nobody_answers);
    ck_assert_msg(!*b->wrong, "%s", b->wrong);
}

/* A read from a target that is silent, straight or through the pool: whether its data may still come. */
static void late_answer(void *arg)
{
    static uint8_t data[4096];
    disk_bench *b = arg;
    const struct nx_platform *p = b->platform[1];
    const uint64_t bus = p->alloc(p->self, sizeof data, 8);
    for (int straight = 1; straight >= 0; straight--) {
        nx_disk_request r = {.operation = NX_DISK_READ, .length = sizeof data, .data = data, .bus = straight ? bus : 0};
        b->halted[0] = 0;
        if (disk_bench_request(b, 1, &r) || r.late) disk_bench_wrong(b, "straight %d: late %d", straight, r.late);
        const uint64_t offers = nx_disk_get_counts(b->disk[1]).offers;
        b->halted[0] = 1;
        if (disk_bench_request(b, 1, &r) != NX_DISK_EIO || r.late != straight)
            disk_bench_wrong(b, "straight %d, no answer: late %d", straight, r.late);
        if (nx_disk_get_counts(b->disk[1]).offers != offers) disk_bench_wrong(b, "an OFFER of a target that is halted");
        b->halted[0] = 0;
        if (disk_bench_do(b, 1, NX_DISK_READ, 0, sizeof data, data, 0)) disk_bench_wrong(b, "it does not come back");
        if (nx_disk_get_counts(b->disk[1]).offers == offers) disk_bench_wrong(b, "it comes back without an OFFER");
    }
    p->release(p->self, bus, sizeof data);
    b->over = 1;
}

TEST(a_straight_read_without_an_answer_says_that_its_data_may_still_come)
{
    disk_bench *b = disk_mock_new(2);
    disk_mock_run(b, late_answer);
    ck_assert_msg(!*b->wrong, "%s", b->wrong);
}

/* ---- messages of a broken peer ---- */

/* From one host's device into the memory of another one. */
static void send_bytes(disk_bench *b, unsigned from, unsigned to, uint32_t at, const slot *s)
{
    const struct nx_platform *p = b->platform[from];
    uint8_t bytes[SLOT_BYTES];
    for (unsigned i = 0; i < SLOT_WORDS; i++) nx_put64(bytes + 8 * i, s->word[i]);
    const uint64_t own = p->alloc(p->self, SLOT_BYTES, SLOT_BYTES);
    p->mem_write(p->self, own, bytes, sizeof bytes);
    nx_transfer(b->dev[from], to, own, at, SLOT_BYTES, NX_REMOTE | NX_INTERRUPT | NX_LOCAL, NULL);
    for (unsigned i = 0; i < 3000; i++) p->wait(p->self);
    p->release(p->self, own, SLOT_BYTES);
}

static slot forged;
static unsigned forged_check;
static void forge(void *arg)
{
    static uint8_t data[4096];
    disk_bench *b = arg;
    const unsigned from = forged_check == CHECK_COMMAND, to = !from;
    slot hello, offer;
    disk_bench_do(b, 1, NX_DISK_READ, 0, sizeof data, data, 0);
    for (unsigned i = 0; i < SLOT_WORDS; i++) {
        hello.word[i] = mock_get64(&net.node[0], b->params[0].mailbox + NX_DISK_MAILBOX_BYTES + BOX_HELLO + 8 * i);
        offer.word[i] = mock_get64(&net.node[1], b->params[0].mailbox + BOX_OFFER + 8 * i);
    }
    forged.word[SLOT_SESSION] = hello.word[1];
    forged.word[SLOT_PENDING] = PENDING | 1;
    forged.word[SLOT_CHECK] = 0;
    forged.word[SLOT_CHECK] = nx_check(forged_check, forged.word, SLOT_WORDS);
    send_bytes(b, from, to, (uint32_t)(to ? hello.word[2] : offer.word[2]) + SLOT_BYTES, &forged);
    if (disk_bench_do(b, 1, NX_DISK_READ, 0, sizeof data, data, 0)) disk_bench_wrong(b, "the next request failed");
    b->over = 1;
}

TEST(a_slot_that_cannot_be_ends_the_session_and_nothing_else, .to = 9)
{
    static const struct {
        unsigned check, why;
        slot s;
    } cases[] = {
        {CHECK_COMPLETION, NX_DISK_LOST_COMPLETION, {{5 << 16, 0, 4096}}},          /* a place that is free */
        {CHECK_COMPLETION, NX_DISK_LOST_COMPLETION, {{0, 7, 4096}}},                /* the number of another command */
        {CHECK_COMPLETION, NX_DISK_LOST_COMPLETION, {{(uint64_t)999 << 16, 0, 0}}}, /* no place */
        {CHECK_COMMAND, NX_DISK_LOST_DAMAGED, {{NX_DISK_READ | 999 << 16, 0, 512}}},
        {CHECK_COMMAND, NX_DISK_LOST_DAMAGED, {{NX_DISK_READ, 0, 512}}}, /* data to address 0 */
        {CHECK_COMMAND, NX_DISK_LOST_DAMAGED, {{NX_DISK_READ, 0, 512 | (uint64_t)4 << 32}}},
        {CHECK_COMMAND, NX_DISK_LOST_DAMAGED, {{NX_DISK_READ, 0, 512 | (uint64_t)0xfffffe08 << 32}}},
        {CHECK_COMMAND, NX_DISK_LOST_DAMAGED, {{NX_DISK_WRITE, 0, 512}}},
        {CHECK_COMMAND, NX_DISK_LOST_DAMAGED, {{9, 0, 512}}},
    };
    disk_bench *b = disk_mock_new(2);
    forged = cases[_i].s;
    forged_check = cases[_i].check;
    disk_mock_run(b, forge);
    ck_assert_msg(!*b->wrong, "%s", b->wrong);
    ck_assert_uint_eq((forged_check == CHECK_COMMAND ? b->target_counts.losses : b->counts[1].losses)[cases[_i].why],
                      1);
    ck_assert_uint_eq(b->counts[1].recoveries, 1);
}

/* A record that cannot be: the good one of this box with one word of its own. */
static const struct bad_record {
    unsigned box, word;
    uint64_t value;
} bad_records[] = {
    {BOX_HELLO, 2, 0x100000001001}, /* a ring that the NIC cannot write */
    {BOX_HELLO, 2, 0x1000ffffffe0}, /* beyond 4 GB */
    {BOX_HELLO, 2, 0x1000fffff800}, /* its end is */
    {BOX_HELLO, 2, 0x100000000000},
    {BOX_HELLO, 2, 0x100400001000}, /* a pool */
    {BOX_HELLO, 2, 0xffffe00000001000},
    {BOX_HELLO, 3, 0x20000000ffff}, /* places, and their bytes */
    {BOX_HELLO, 3, 0x200100000020},
    {BOX_HELLO, 6, 999}, /* the timeout */
    {BOX_HELLO, 6, UINT64_MAX},
    {BOX_OFFER, 2, 0x100000001001},
    {BOX_OFFER, 2, 0x1000fffff800},
    {BOX_OFFER, 2, 0xffffe00000001000},
    {BOX_OFFER, 4, 0}, /* the disk: bytes */
    {BOX_OFFER, 4, 1000},
    {BOX_OFFER, 5, 0x200020010000200}, /* its longest request */
    {BOX_OFFER, 5, 0x200000010000100}, /* and sector */
};
static const struct bad_record *bad;

static void send_bad_record(void *arg)
{
    disk_bench *b = arg;
    static uint8_t data[4096];
    const unsigned from = bad->box == BOX_HELLO, to = !from;
    const uint64_t hello = b->params[0].mailbox + NX_DISK_MAILBOX_BYTES + BOX_HELLO;
    slot r = {
        {DISK_MAGIC | BOX_OFFER, 0, 0x100000001000, 0x200000000020, 1 << 20, 0x200000010000200, (uint64_t)7 << 32}};
    if (!to && disk_bench_do(b, 1, NX_DISK_READ, 0, sizeof data, data, 0)) disk_bench_wrong(b, "host 1 is not served");
    while (!mock_get64(&net.node[0], hello)) b->platform[1]->wait(b->platform[1]->self);
    for (unsigned i = 0; i < 200; i++) b->platform[1]->wait(b->platform[1]->self);
    for (unsigned i = 0; i < SLOT_WORDS && !to; i++) r.word[i] = mock_get64(&net.node[0], hello + 8 * i);
    r.word[1] = mock_get64(&net.node[0], hello + 8) + !to;
    r.word[bad->word] = bad->value;
    r.word[7] = nx_check(bad->box, r.word, 7);
    b->halted[1] = !to;
    send_bytes(b, from, to, (uint32_t)b->params[0].mailbox + (to ? 0 : NX_DISK_MAILBOX_BYTES) + bad->box, &r);
    if (to && nx_disk_get_disk(b->disk[1])) disk_bench_wrong(b, "the initiator has taken the OFFER");
    b->halted[0] = b->halted[1] = 0;
    for (unsigned host = 1; host < 3; host++)
        if (disk_bench_do(b, host, NX_DISK_READ, 0, sizeof data, data, 0))
            disk_bench_wrong(b, "host %u is not served", host);
    b->over = 1;
}

static void halt_target(void *arg) { ((disk_bench *)arg)->halted[0] = bad->box == BOX_OFFER; }

/* It is left alone: its session does not begin, and all are served. */
TEST(a_record_that_cannot_be_is_left_alone, .to = COUNT(bad_records))
{
    disk_bench *b = disk_mock_new(3);
    bad = &bad_records[_i];
    b->extra_task = halt_target;
    disk_mock_run(b, send_bad_record);
    ck_assert_msg(!*b->wrong, "%s", b->wrong);
    ck_assert_uint_eq(b->target_counts.sessions, 2);
}
