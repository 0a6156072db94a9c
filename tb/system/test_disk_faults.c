/* Disks over RDMA on the RTL while things go wrong: each fault at each stage of a request, slots in pieces, numbers
 * that wrap, answers that cannot be, data of an old session, slow disks. After each: right data or an error, nothing
 * hangs, buffer space is whole again, and the next request is served. The same on fake devices: tb/unit/disk. */
#include <stdlib.h>
#include <string.h>

#include "disk_bench.h"
#include "nx_disk_internal.h"
#include "shell.h"
#include "test.h"

TEST_CASE("stages", .timeout = 300, .teardown = shell_clean);

enum { MOST = 192 << 10 };
static uint8_t out[MOST], in[MOST];

/* ---- each fault at each stage ---- */

enum { BYTES = 1024 /* three packets */, LATENCY = 10 /* [us] of the disk */ };
enum stage { BEFORE, INSIDE, BETWEEN, LAST, STAGES };
static const char *const stages[] = {"before the command", "inside the data", "between data and completion",
                                     "when the completion is on its way"};

/* The data frame that marks a stage: on the cable of host 1, in which direction (0: from the host), and its number
 * among those of the request. Of a write: three of data, the command; the completion. Of a read: the command; three of
 * data, the completion. */
static const struct mark {
    unsigned from, nth;
} marks[][STAGES] = {
    [NX_DISK_READ] = {{0, 1}, {1, 2}, {1, 3}, {1, 4}},
    [NX_DISK_WRITE] = {{0, 1}, {0, 2}, {0, 4}, {1, 1}},
    [NX_DISK_FLUSH] = {{0, 1}, {0, 0}, {0, 1}, {1, 1}},
};

static const struct strike {
    const char *name;
    disk_fault_kind kind;
    unsigned host;
    sim_time length; /* [us] */
    int frame;       /* it is the frame itself that is struck, or those from it on */
    int harmless;    /* nothing is lost by it */
    int pointers;    /* queues by pointers */
} strikes[] = {
    {"a lost packet", DISK_LOSE, 1, 0, 1, 0, 0},
    {"a lost packet, with pointers", DISK_LOSE, 1, 0, 1, 0, 1},
    {"a flipped bit", DISK_FLIP, 1, 0, 1, 0, 0},
    {"lost credits", DISK_LOSE_CREDITS, 1, 0, 0, 1, 0},
    {"a cut cable of the initiator", DISK_CUT, 1, 150, 0, 0, 0},
    {"a cut cable of the target", DISK_CUT, 0, 150, 0, 0, 0},
    {"a crash of the target", DISK_CRASH, 0, 50, 0, 0, 0},
    {"a dead initiator", DISK_DEAD, 1, 250, 0, 0, 0},
    {"no DMA at the target", DISK_DMA_OFF, 0, 250, 0, 0, 0},
    {"no DMA at the initiator", DISK_DMA_OFF, 1, 250, 0, 0, 0},
};

static struct {
    unsigned from, left;
    int seen;
    frame_damage damage; /* NULL: the frame stays as it is */
} marked;

static int choose(void *arg, const frame_word *w)
{
    (void)arg;
    if ((unsigned)w->from != marked.from || !marked.left || --marked.left) return 0;
    marked.seen = 1;
    return marked.damage != NULL;
}

static void damage(void *arg, frame_word *w)
{
    (void)arg;
    marked.damage(NULL, w);
}

/* The plan has this fault, now. */
static void plant(const struct strike *k)
{
    disk_fault_plan *p = &disk.s->p.faults;
    *p = (disk_fault_plan){.count = 1,
                           .fault = {{.kind = k->kind,
                                      .host = k->host,
                                      .count = 20,
                                      .at = sim_now(disk.s->f->s) - disk.s->began,
                                      .length = k->length * SIM_US}}};
}

static int answered;
static void answer(void *self, disk_request *r)
{
    (void)self;
    (void)r;
    answered = 1;
}

/* One request with a fault at one stage: its status. */
static unsigned struck(const struct strike *k, unsigned operation, enum stage stage)
{
    const struct mark *m = &marks[operation][stage];
    const sim_time began = sim_now(disk.s->f->s);
    disk_request r = {.operation = operation,
                      .done = answer,
                      .offset = 0,
                      .length = BYTES,
                      .data = operation == NX_DISK_READ ? in : out};
    if (operation == NX_DISK_FLUSH) r.length = 0, r.data = NULL;
    if (operation == NX_DISK_WRITE) r.flags = NX_DISK_FUA;
    marked.from = m->from;
    marked.left = m->nth + (k->pointers && m->from); /* the head of the command's queue comes first */
    marked.seen = 0;
    marked.damage = !k->frame ? NULL : k->kind == DISK_LOSE ? frame_lose : frame_bad_body;
    answered = 0;
    int planted = k->frame;
    if (!planted && stage == BEFORE) {
        plant(k);
        planted = 1;
        disk_step(SIM_US / 5);
    }
    disk_service_submit(disk.s, 1, &r);
    const int credits = k->kind == DISK_LOSE_CREDITS;
    while (!answered || disk_active(disk.s) || disk_fault_next(disk.s) != SIM_FOREVER) {
        disk_step(SIM_US / 5);
        if (marked.seen && !planted) {
            if (stage == BETWEEN && operation != NX_DISK_READ) disk_step(4 * SIM_US); /* at the disk */
            plant(k);
            planted = 1;
        }
        ck_assert_msg(sim_now(disk.s->f->s) - began < 20 * SIM_MS, "%s %s: it hangs", k->name, stages[stage]);
    }
    for (int from = 0; from < 2 && credits; from++) {
        planted += disk.s->seat[1].hits[from][k->kind] != 20;
        disk.s->seat[1].hits[from][k->kind] = 0;
    }
    ck_assert_msg(marked.seen && planted > credits, "%s %s: it did not strike", k->name, stages[stage]);
    return r.status;
}

static void fill(uint8_t version)
{
    for (unsigned i = 0; i < BYTES; i++) out[i] = (uint8_t)(i * 5 + version * 31 + (i >> 8));
}

/* 1 if each sector of the file is one of these. */
static int old_or_new(const uint8_t *old)
{
    disk_read_image();
    for (unsigned i = 0; i < BYTES; i += 512)
        if (memcmp(disk.file + i, out + i, 512) && memcmp(disk.file + i, old + i, 512)) return 0;
    return 1;
}

static void every_stage(const struct strike *k, unsigned operation)
{
    static uint8_t version, old[BYTES];
    const char *name = operation == NX_DISK_READ ? "read" : operation == NX_DISK_WRITE ? "write" : "flush";
    for (unsigned stage = BEFORE; stage < STAGES; stage++) {
        if (!marks[operation][stage].nth || (k->frame && operation == NX_DISK_FLUSH && stage == BETWEEN)) continue;
        if (k->kind == DISK_LOSE_CREDITS && stage == LAST) continue; /* no credit needs to follow the last packet */
        memcpy(old, out, BYTES);
        fill(++version);
        memset(in, 0, BYTES);
        /* data read were written, flushed data were answered */
        if (operation != NX_DISK_WRITE)
            ck_assert_uint_eq(disk_do(1, NX_DISK_WRITE, operation == NX_DISK_READ ? NX_DISK_FUA : 0, 0, BYTES, out),
                              NX_DISK_OK);
        const uint64_t recoveries = disk_counts(1).recoveries;
        const unsigned status = struck(k, operation, stage);
        disk_read_image();
        if (k->kind == DISK_CRASH && operation == NX_DISK_FLUSH && status == NX_DISK_EIO) {
            ck_assert_msg(old_or_new(old), "%s, %s %s: a torn sector", name, k->name, stages[stage]);
            ck_assert_uint_eq(disk_do(1, NX_DISK_WRITE, NX_DISK_FUA, 0, BYTES, out), NX_DISK_OK);
        } else {
            ck_assert_msg(status == NX_DISK_OK, "%s, %s %s: %s", name, k->name, stages[stage],
                          nx_disk_status_name(status));
            ck_assert_msg(!memcmp(disk.file, out, BYTES), "%s, %s %s: the file is wrong", name, k->name, stages[stage]);
        }
        if (operation == NX_DISK_READ)
            ck_assert_msg(!memcmp(in, out, BYTES), "%s %s: wrong data were read", k->name, stages[stage]);
        if (k->harmless) ck_assert_uint_eq(disk_counts(1).recoveries, recoveries);
        else if (k->frame) ck_assert_uint_eq(disk_counts(1).recoveries, recoveries + 1);
        ck_assert_uint_le(disk_counts(1).recoveries, recoveries + 4);
        ck_assert(!disk_active(disk.s));
        disk_must_serve();
        ck_assert_uint_eq(disk_do(1, NX_DISK_READ, 0, 0, BYTES, in), NX_DISK_OK);
        ck_assert_msg(!memcmp(in, out, BYTES), "%s, %s %s: wrong data afterwards", name, k->name, stages[stage]);
    }
    disk_must_be_well();
}

TEST(every_fault_at_every_stage_of_a_read_a_write_and_a_flush, .to = COUNT(strikes))
{
    disk_service_params p = disk_params(2);
    p.window = 0;                                                             /* taps look at cables */
    p.block.timeout_ns = (strikes[_i].kind == DISK_CRASH ? 400 : 100) * 1000; /* credits need longer after RST# */
    p.fabric.driver.interrupt_slice_ns = 20 * 1000; /* after which a sleeping host checks the time */
    p.block.place_bytes = 4096;
    p.disk_latency = LATENCY * SIM_US;
    p.block.pointers = strikes[_i].pointers;
    disk_serve(p);
    int end;
    disk.s->tap[1] = frame_tap_new(fabric_wire(disk.s->f, 1, &end));
    for (int from = 0; from < 2; from++)
        ck_assert_int_eq(frame_tap_add(disk.s->tap[1], from, 0, FRAME_DATA, choose, damage, NULL), 0);
    for (unsigned operation = NX_DISK_READ; operation <= NX_DISK_FLUSH; operation++)
        every_stage(&strikes[_i], operation);
    if (!strikes[_i].harmless) ck_assert_uint_ge(disk_counts(1).recoveries, 3);
}

/* ---- sessions ---- */

TEST_CASE("sessions", .timeout = 300, .teardown = shell_clean);

/* Commands and completions whose numbers wrap, in rings of any size: 2^63 is no multiple of 3. */
TEST(numbers_wrap, .to = 3)
{
    static const unsigned places[] = {1, 3, 32};
    disk_service_params p = disk_params(2);
    p.block.places = places[_i];
    p.block.first_number = NUMBERS - 6;
    disk_serve(p);
    for (unsigned k = 0; k < 2; k++) {
        for (unsigned i = 0; i < 12; i++) {
            memset(k ? in + 512 * i : out + 512 * i, k ? 0 : (int)i + 1, 512);
            disk_ask(1, k ? NX_DISK_READ : NX_DISK_WRITE, 512 * i, 512, k ? in + 512 * i : out + 512 * i);
        }
        disk_answer(12);
    }
    ck_assert(!memcmp(in, out, 12 * 512));
    ck_assert_uint_eq(disk_counts(1).recoveries, 0);
    disk_must_be_well();
}

/* The target sends an unexpected completion. */
static int forged;
static void forge(void *arg)
{
    const unsigned *place = arg;
    const node *from = disk.s->f->node[0];
    const struct nx_platform *p = &from->platform;
    const uint64_t hello = disk.s->p.block.mailbox + NX_DISK_MAILBOX_BYTES + BOX_HELLO,
                   at = p->alloc(p->self, SLOT_BYTES, SLOT_BYTES);
    slot c = {{(uint64_t)*place << 16, 7, 512}};
    uint8_t bytes[SLOT_BYTES];
    c.word[SLOT_SESSION] = memory_get64(host_memory(from->host), hello + 8);
    c.word[SLOT_PENDING] = PENDING | 1;
    c.word[SLOT_CHECK] = nx_check(CHECK_COMPLETION, c.word, SLOT_WORDS);
    for (unsigned i = 0; i < SLOT_WORDS; i++) nx_put64(bytes + 8 * i, c.word[i]);
    p->mem_write(p->self, at, bytes, sizeof bytes);
    forged = !nx_transfer(from->dev, 1, at, (uint32_t)nx_disk_ring(disk.s->seat[1].disk) + SLOT_BYTES, SLOT_BYTES,
                          NX_REMOTE | NX_INTERRUPT | NX_LOCAL, NULL);
}

/* The place is free; there is none of this number. */
TEST(a_completion_for_no_command_ends_the_session_and_nothing_else, .to = 2)
{
    static unsigned place[] = {5, 999};
    disk_serve(disk_params(2));
    ck_assert_uint_eq(disk_do(1, NX_DISK_READ, 0, 0, 512, in), NX_DISK_OK);
    sim_task_new(disk.s->f->s, "forge", forge, &place[_i]);
    for (unsigned i = 0; i < 100; i++) disk_step(SIM_US);
    ck_assert(forged);
    ck_assert_uint_eq(disk_counts(1).losses[NX_DISK_LOST_COMPLETION], 1);
    ck_assert_uint_eq(disk_counts(1).recoveries, 1);
    disk_must_be_well();
    ck_assert_uint_eq(disk_counts(1).recoveries, 1);
}

/* Data that come between the beginning of a new session at host 1 and the OFFER for it: the old session's. */
static unsigned late;
static void count_late(void *self, const pcix_transaction *t, sim_time when)
{
    memory *m = host_memory(self);
    const uint64_t mailbox = disk.s->p.block.mailbox;
    (void)when;
    late += t->bytes >= 400 && memory_get64(m, mailbox + BOX_LAST_SESSION) > memory_get64(m, mailbox + BOX_OFFER + 8);
}

/* The NIC of the target stops in the middle of data, and goes on when their session is long over. */
TEST(data_of_an_old_session_that_come_late_do_no_harm)
{
    static const struct strike stop = {"no DMA at the target", DISK_DMA_OFF, 0, 350, 0, 0, 0};
    disk_service_params p = disk_params(2);
    p.window = 0;
    p.block.timeout_ns = 100 * 1000;
    p.fabric.driver.interrupt_slice_ns = 20 * 1000;
    disk_serve(p);
    host *h = disk.s->f->node[1]->host;
    ck_assert_int_eq(host_on_written(h, count_late, h), 0);
    for (unsigned i = 0; i < 65536; i++) out[i] = (uint8_t)(i >> 9);
    ck_assert_uint_eq(disk_do(1, NX_DISK_WRITE, NX_DISK_FUA, 0, 65536, out), NX_DISK_OK);
    plant(&stop);
    disk.s->p.faults.fault[0].at += 60 * SIM_US;
    late = 0;
    ck_assert_uint_eq(disk_do(1, NX_DISK_READ, 0, 0, 65536, in), NX_DISK_OK);
    ck_assert(!memcmp(in, out, 65536));
    ck_assert_uint_ge(late, 10);
    ck_assert_uint_eq(disk_counts(1).losses[NX_DISK_LOST_SILENCE], 1);
    ck_assert_uint_eq(disk_counts(1).recoveries, 1);
    disk_must_be_well();
}

TEST(two_initiators_write_the_same_blocks_and_each_sector_is_of_one_of_them)
{
    enum { SIZE = 4096, BLOCKS = 6, WRITERS = 2 };
    disk_serve(disk_params(1 + WRITERS));
    for (unsigned k = 0; k < WRITERS; k++) memset(out + k * SIZE, 0x41 + (int)k, SIZE);
    for (unsigned i = 0; i < BLOCKS; i++)
        for (unsigned k = 0; k < WRITERS; k++)
            disk_ask(1 + (k + i) % WRITERS, NX_DISK_WRITE, i * SIZE, SIZE, out + (k + i) % WRITERS * SIZE);
    disk_answer(BLOCKS * WRITERS);
    for (unsigned i = 0; i < BLOCKS * WRITERS; i++) ck_assert_uint_eq(disk.asked[i].status, NX_DISK_OK);
    for (unsigned k = 1; k <= WRITERS; k++) disk_ask(k, NX_DISK_READ, 0, BLOCKS * SIZE, in + k * BLOCKS * SIZE);
    disk_ask(1, NX_DISK_FLUSH, 0, 0, NULL);
    disk_answer(1);
    disk_read_image();
    for (unsigned i = 0; i < BLOCKS * SIZE; i += 512) {
        ck_assert(disk.file[i] == 0x41 || disk.file[i] == 0x42);
        ck_assert(!memcmp(disk.file + i, disk.file + i + 1, 511));
    }
    for (unsigned k = 1; k <= WRITERS; k++) ck_assert(!memcmp(in + k * BLOCKS * SIZE, disk.file, BLOCKS * SIZE));
    disk_must_be_well();
}

TEST(a_disk_slower_than_any_timeout_is_not_taken_for_dead_at_depth_32)
{
    disk_service_params p = disk_params(2);
    p.block.timeout_ns = 100 * 1000;
    p.fabric.driver.interrupt_slice_ns = 20 * 1000;
    p.disk_latency = 500 * SIM_US;
    disk_serve(p);
    for (unsigned i = 0; i < 32; i++) disk_ask(1, NX_DISK_READ, 4096 * i, 4096, in);
    const sim_time began = sim_now(disk.s->f->s);
    disk_answer(32);
    for (unsigned i = 0; i < 32; i++) ck_assert_uint_eq(disk.asked[i].status, NX_DISK_OK);
    ck_assert_uint_gt(sim_now(disk.s->f->s) - began, 5 * p.block.timeout_ns * SIM_NS);
    ck_assert_uint_eq(disk_counts(1).recoveries, 0);
    ck_assert_uint_gt(nx_disk_target_get_counts(disk.s->target).news, 10);
    disk_must_be_well();
}

/* An interrupt, or a request, takes longer than the timeout that was asked for. */
TEST(software_slower_than_any_timeout_is_not_taken_for_dead, .to = 2)
{
    static const sim_time costs[][2] = {{3 * SIM_MS, 0}, {0, 3 * SIM_MS}};
    disk_service_params p = disk_params(2);
    p.interrupt_cost = costs[_i][0];
    p.request_cost = costs[_i][1];
    disk_serve(p);
    for (unsigned i = 0; i < 2; i++) disk_ask(1, NX_DISK_READ, 4096 * i, 4096, in);
    disk_answer(2);
    for (unsigned i = 0; i < 2; i++) ck_assert_uint_eq(disk.asked[i].status, NX_DISK_OK);
    ck_assert_uint_eq(disk_counts(1).recoveries, 0);
}

/* ---- memory, cables, slots ---- */

TEST_CASE("losses", .timeout = 300, .teardown = shell_clean);

/* Flips a bit of the first data that a NIC writes into the memory of its host: they have passed all CRCs. */
static unsigned flips;
static void flip(void *self, const pcix_transaction *t, sim_time when)
{
    memory *m = host_memory(self);
    (void)when;
    if (!flips || t->bytes < 400) return;
    flips--;
    memory_put64(m, t->address, memory_get64(m, t->address) ^ 1, 0xff);
}

/* At the initiator, at the target. */
TEST(a_bit_that_changes_in_a_hosts_memory_is_seen_by_the_checksum_and_made_good, .to = 2)
{
    host *h;
    disk_serve(disk_params(2));
    h = disk.s->f->node[!_i]->host;
    ck_assert_int_eq(host_on_written(h, flip, h), 0);
    flips = _i;
    memset(out, 0x3c, 16384);
    disk_ask(1, NX_DISK_WRITE, 0, 16384, out);
    disk_answer(1);
    flips = !_i;
    disk_ask(1, NX_DISK_READ, 0, 16384, in);
    disk_answer(1);
    ck_assert_uint_eq(disk.asked[0].status, NX_DISK_OK);
    ck_assert(!memcmp(in, out, 16384));
    ck_assert_uint_eq(flips, 0);
    ck_assert_uint_eq(disk_counts(1).losses[_i ? NX_DISK_LOST_TOLD : NX_DISK_LOST_CHECKSUM], 1);
    ck_assert_uint_eq(nx_disk_target_get_counts(disk.s->target).losses[NX_DISK_LOST_CHECKSUM], _i);
    disk_must_be_well();
}

TEST(a_cable_that_is_cut_for_good_gives_an_error_and_no_data)
{
    disk_service_params p = disk_params(3);
    int end;
    p.block.timeout_ns = 200 * 1000;
    disk_serve(p);
    memset(in, 0x77, 512);
    cable_cut(fabric_wire(disk.s->f, 1, &end), CABLE_BOTH);
    disk_ask(1, NX_DISK_READ, 0, 512, in);
    disk_ask(2, NX_DISK_READ, 0, 4096, in + 4096);
    disk_answer(2);
    ck_assert_uint_eq(disk.asked[0].status, NX_DISK_EIO);
    ck_assert_uint_eq(disk.asked[1].status, NX_DISK_OK);
    ck_assert_uint_eq(in[0], 0x77);
    cable_reconnect(fabric_wire(disk.s->f, 1, &end), CABLE_BOTH);
    disk_ask(1, NX_DISK_READ, 0, 512, in);
    disk_answer(1);
    ck_assert_uint_eq(disk.asked[0].status, NX_DISK_OK);
    ck_assert_uint_eq(in[0], 0);
    disk_must_be_well();
}

/* ---- slots that come word by word ---- */

static void every_clock(void *self) { sim_wait_cycles(((node *)self)->pci_clock, 1); }

/* Each word that a NIC writes is a transaction of its own, descriptors leave the processors in any order and in pieces,
 * and memory is looked at in every clock of the bus. */
TEST(slots_that_come_word_by_word_are_seen_whole)
{
    disk_service_params p = disk_params(2);
    p.block.poll = 1;
    p.window = 0; /* write combining draws random numbers */
    for (unsigned i = 0; i < 2; i++) p.fabric.node[i].host.combining = write_combining_wild();
    disk_serve(p);
    for (unsigned i = 0; i < 2; i++) {
        node *n = disk.s->f->node[i];
        n->platform.wait = every_clock;
        ck_assert_int_eq(host_add_range(n->host, &(host_range){NODE_MEMORY, NODE_MEMORY_END - 1, HOST_RANGE_SINGLE, 0}),
                         0);
    }
    for (unsigned k = 0; k < 2; k++) {
        for (unsigned i = 0; i < 24; i++) {
            memset(k ? in + 512 * i : out + 512 * i, k ? 0 : (int)i + 1, 512);
            disk_ask(1, k ? NX_DISK_READ : NX_DISK_WRITE, 512 * i, 512, k ? in + 512 * i : out + 512 * i);
        }
        disk_answer(8);
    }
    ck_assert(!memcmp(in, out, 24 * 512));
    ck_assert_uint_gt(pcix_bridge_get_stats(host_bridge(disk.s->f->node[1]->host))->disconnects_given, 24 * 64);
    ck_assert_uint_eq(disk_counts(1).recoveries, 0);
    disk_must_be_well();
}
