/* The RoCE v2 chip while things are switched off and on at random: the chip, the highest queue pairs (QPS), single
 * queue pairs; with a memory that is slow or stops for up to 10,000 clocks, short frames of a stranger at line rate,
 * and an application that is a single thread. Queue pairs that stay connected must deliver every message once, in order
 * and whole (roce_traffic). A queue pair that is disabled and quiet (STATQP.BUSY = 0) must not touch memory any more,
 * and nothing of its former life may reach the next one. make life takes SEEDS. */
#include <string.h>

#include "roce_bench.h"
#include "roce_register_map.h"
#include "sim/app/roce/traffic/roce_pattern.h"

TEST_CASE("roce_life", .timeout = 60);

enum { SEEDS = 40, SHORT = 2 /* of them in make test */, LIMIT_DISTURBANCES = 60 };
enum {
    TRAFFIC = 4,
    MORTALS = 2,
    QPS = 1 + TRAFFIC + MORTALS,
    FIRST_MORTAL_PEER = ROCE_FIRST_PEER_QP + TRAFFIC,
    QP_STRIDE = 0x100
};
enum { TIMEOUT = 5 /* code: 131 us */, PATIENCE = 200000 /* [clocks] until a QP is quiet, or its work is done */ };
enum {
    WORKS = 3 /* of each kind in a life */,
    PLACE = 8192,
    AREA = 3 * WORKS * PLACE,
    PMTU = 1024,
    DOMAIN = 3,
    BUFFER = PLACE
};
enum { WRITES = 0, READS = WORKS * PLACE, SENDS = 2 * WORKS * PLACE }; /* in both areas */
enum { SWITCH_CHIP = 1, SWITCH_QPS = 2, STALL = 4, SLOW = 8, FLOOD = 16, LIVES = 32, EVERYTHING = 63 };
enum { SLOWEST = 3000, LONGEST_STALL = 10000, LONGEST_OFF = 1500 /* [clocks] */, FLOODED = 1200 /* frames */ };
#define REMOTE(m) ((uint64_t)((m) + 1) << 40)

/* A queue pair that is set up, disabled in the middle of its work, and set up again. */
typedef struct mortal {
    rn_qp *qp;
    rnic_qp *peer;
    unsigned number, life, completed, received, peer_sent, peer_received;
    uint8_t *theirs, *expected_ours, *expected_theirs;
    uint64_t ours, quiet_from[6], quiet_to[6]; /* area that the chip may write, and times in which it may not */
    int quiet, done;
    uint32_t key;
    unsigned work[3 * WORKS]; /* kinds in the order of posting */
} mortal;

static struct {
    roce_bench *bench;
    roce_system *system;
    sim_clock *clock;
    uint64_t random;
    unsigned what, disturbances;
    int forgets_quiet; /* fault of the test: memory of a QP that is at work counts as quiet */
    mortal mortal[MORTALS];
} all;

static unsigned below(unsigned n)
{
    all.random = roce_mix(all.random + 1);
    return (unsigned)(all.random % n);
}

static int ended(void) { return *sim_error(all.bench->sim) != 0; }

static void wait(unsigned clocks) { sim_wait_cycles(all.clock, clocks + 1); }

static uint32_t get(unsigned offset) { return roce_bench_register(all.bench, offset); }

static void set(unsigned offset, uint32_t value)
{
    ck_must(!rn_register_write(all.system->device, offset, value), "%s", rn_last_error(all.system->device));
}

static uint32_t get_qp(const mortal *m, unsigned offset) { return get(offset + QP_STRIDE * (rn_qp_number(m->qp) - 1)); }

/* ---- disturbances */

static void switch_off(uint32_t cleared, uint32_t instead)
{
    uint32_t on = get(ROCE_XRNICCONF);
    set(ROCE_XRNICCONF, (on & ~cleared) | instead);
    wait(below(below(2) ? LONGEST_OFF : 20));
    set(ROCE_XRNICCONF, on);
}

/* ACKs for QPs that are off or unknown, and for a QP that is on with a wrong ICRC: 62 bytes each, at line rate. */
static void flood(void)
{
    uint8_t frame[RNIC_FRAME];
    rnic_packet p = {
        .from = roce_system_chip_address(0), .to = roce_system_chip_address(0), .udp_source = 0xd000, .migrated = 1};
    p.from.mac[5] = 99, p.from.ip[15] = 99;
    p.pkey = RNIC_PKEY, p.opcode = RNIC_ACKNOWLEDGE, p.syndrome = RNIC_ACK;
    for (unsigned i = FLOODED / 2 + below(FLOODED / 2); i; i--) {
        p.qp = below(2) ? ROCE_FIRST_QP : 2 + below(200);
        size_t length = rnic_packet_write(&p, frame);
        if (p.qp == ROCE_FIRST_QP || below(2)) frame[length - 1] ^= 1;
        ck_must(!ethernet_wire_send(all.system->wire, 1, frame, length, 0, sim_now(all.bench->sim)),
                "no memory for a frame");
    }
}

static void disturb(void *self)
{
    axi_memory_params usual = axi_memory_defaults(), slow = usual;
    (void)self;
    while (!roce_traffic_opened(all.bench->traffic) && !ended()) wait(64);
    while (!roce_traffic_complete(all.bench->traffic) && !ended() && all.disturbances < LIMIT_DISTURBANCES) {
        wait(300 + below(6000));
        unsigned kind = 1u << below(5);
        if (!(kind & all.what)) continue;
        all.disturbances++;
        switch (kind) {
        case SWITCH_CHIP:
            switch_off(ROCE_XRNICCONF_ENABLE_MASK, 0);
            break;
        case SWITCH_QPS:
            switch_off(ROCE_XRNICCONF_QPS_MASK, (1 + below(QPS)) << ROCE_XRNICCONF_QPS_SHIFT);
            break;
        case STALL:
            axi_memory_stall(all.system->board->memory, below(LONGEST_STALL));
            break;
        case SLOW:
            slow.latency = 1 + below(SLOWEST);
            axi_memory_set(all.system->board->memory, &slow);
            break;
        default:
            flood();
        }
        if (kind == SLOW) wait(below(3 * SLOWEST)), axi_memory_set(all.system->board->memory, &usual);
    }
}

/* ---- queue pairs with several lives */

static void fill(uint8_t *memory, unsigned salt)
{
    for (unsigned i = 0; i < AREA; i++) memory[i] = (uint8_t)((i * 2654435761u + salt * 40503u) >> 13);
}

static unsigned length_of(const mortal *m, unsigned n)
{
    return 1 + (unsigned)(roce_mix(m->life * 64 + n + 1000 * m->number) % (PLACE - 1));
}

static void connect(mortal *m)
{
    char error[ROCE_SYSTEM_ERROR];
    roce_path path = {(int)below(2), PMTU, TIMEOUT, 16, {below(RNIC_PSNS), below(RNIC_PSNS)}};
    m->life++;
    m->quiet = 0;
    m->completed = m->received = m->peer_sent = m->peer_received = 0;
    fill(m->expected_ours, 100 * m->number + 2 * m->life);
    fill(m->expected_theirs, 100 * m->number + 2 * m->life + 1);
    memory_write(all.system->board->bytes_of, m->ours, m->expected_ours, AREA);
    memcpy(m->theirs, m->expected_theirs, AREA);
    rnic_reset(m->peer);
    ck_must(!roce_system_connect_both(all.system, m->qp, m->peer, &path, error), "%s", error);
}

static void post(mortal *m)
{
    static const rn_opcode opcodes[] = {RN_WRITE, RN_READ, RN_SEND};
    for (unsigned n = 0; n < WORKS; n++) {
        const rnic_receive receive = {n, REMOTE(m->number) + SENDS + n * PLACE, m->key, PLACE};
        const rnic_send send = {.id = n,
                                .operation = RNIC_SEND,
                                .address = REMOTE(m->number) + READS + n * PLACE,
                                .key = m->key,
                                .length = length_of(m, 50 + n)};
        ck_must(!rnic_post_receive(m->peer, &receive) && !rnic_post_send(m->peer, &send), "the peer takes no work");
    }
    for (unsigned n = 0; n < 3 * WORKS; n++) {
        unsigned kind = n % 3, at = kind * WORKS * PLACE + n / 3 * PLACE, length = length_of(m, n);
        const rn_work w = {.id = (uint16_t)n,
                           .opcode = opcodes[kind],
                           .length = length,
                           .local = m->ours + at,
                           .remote = REMOTE(m->number) + at,
                           .rkey = m->key};
        ck_must(!rn_post(m->qp, &w), "%s", rn_last_error(all.system->device));
        if (opcodes[kind] == RN_READ) memcpy(m->expected_ours + at, m->expected_theirs + at, length);
        else memcpy(m->expected_theirs + at, m->expected_ours + at, length);
    }
}

static void peer_completed(void *self, const rnic_completion *c)
{
    (void)self;
    mortal *m = &all.mortal[c->qp - FIRST_MORTAL_PEER];
    if (c->status == RNIC_FLUSHED || m->quiet) return; /* of the former life */
    unsigned *count = c->receive ? &m->peer_received : &m->peer_sent;
    ck_must(c->status == RNIC_SUCCESS && c->id == *count, "the peer's QP %#x, life %u: %lu ended with %s", c->qp,
            m->life, (unsigned long)c->id, rnic_status_name(c->status));
    ++*count;
}

/* Takes completions and messages: 1, all is done. */
static int poll(mortal *m)
{
    rn_completion c;
    for (rnic_completion d; roce_traffic_complete(all.bench->traffic) && rnic_poll(all.system->peer, &d);)
        if (d.qp >= FIRST_MORTAL_PEER) peer_completed(NULL, &d);
    rn_message message;
    uint8_t bytes[PLACE];
    int n;
    while ((n = rn_poll(m->qp, &c, 1)) > 0) {
        ck_must(c.id == m->completed && !c.error, "QP %u, life %u: work %u has completed, ERRFLAG %d, expected %u",
                rn_qp_number(m->qp), m->life, c.id, c.error, m->completed);
        m->completed++;
    }
    ck_must(n == 0, "%s", rn_last_error(all.system->device));
    while ((n = rn_receive(m->qp, &message)) > 0) {
        unsigned length = length_of(m, 50 + m->received);
        memory_read(all.system->board->bytes_of, message.address, bytes,
                    message.length < PLACE ? message.length : PLACE);
        ck_must(message.length == length && !memcmp(bytes, m->expected_theirs + READS + m->received * PLACE, length),
                "QP %u, life %u: message %u is another one", rn_qp_number(m->qp), m->life, m->received);
        m->received++;
        ck_must(!rn_release(m->qp), "%s", rn_last_error(all.system->device));
    }
    ck_must(n == 0, "%s", rn_last_error(all.system->device));
    return m->completed == 3 * WORKS && m->received == WORKS && m->peer_sent == WORKS && m->peer_received == WORKS;
}

static int is_quiet(const mortal *m) { return !(get_qp(m, ROCE_STATQP) & ROCE_STATQP_BUSY_MASK); }

/* Where the chip writes for this QP. */
static void note_ranges(mortal *m)
{
    const struct {
        unsigned at, size;
    } places[] = {{ROCE_RQBA, 16 * BUFFER},
                  {ROCE_CQBA, 16 * 4},
                  {ROCE_RQLENBA, 16 * 4},
                  {ROCE_RQWPTRDBADD, 4},
                  {ROCE_CQDBADD, 4}};
    m->quiet_from[0] = m->ours;
    m->quiet_to[0] = m->ours + AREA;
    for (unsigned i = 0; i < 5; i++) {
        m->quiet_from[i + 1] = get_qp(m, places[i].at);
        m->quiet_to[i + 1] = m->quiet_from[i + 1] + (m->quiet_from[i + 1] ? places[i].size : 0);
    }
}

static void written(void *self, const axi_written *w)
{
    (void)self;
    for (mortal *m = all.mortal; m < all.mortal + MORTALS; m++)
        for (unsigned i = 0; m->qp && (m->quiet || all.forgets_quiet) && i < COUNT(m->quiet_from); i++)
            if (w->bytes && w->address < m->quiet_to[i] && w->address + w->bytes > m->quiet_from[i])
                sim_fail(all.bench->sim, "QP %u, life %u: %s writes %u bytes at %llx while the QP is off and quiet",
                         rn_qp_number(m->qp), m->life, roce_board_master_names[w->port], w->bytes,
                         (unsigned long long)w->address);
}

/* Disabled, quiet, and its memory taken away: reads there now get an error, which no later life may see. */
static void die(mortal *m)
{
    rnic_reset(m->peer);
    ck_must(!rn_qp_disable(m->qp), "%s", rn_last_error(all.system->device));
    for (unsigned waited = 0; !is_quiet(m); waited += 64) {
        if (ended()) return;
        ck_must(waited < PATIENCE, "QP %u, life %u: disabled, and still busy", rn_qp_number(m->qp), m->life);
        wait(64);
    }
    m->quiet = 1;
    ck_must(!axi_memory_add_range(all.system->board->memory, m->ours, AREA, AXI_SLVERR), "too many ranges");
    wait(below(4000));
    axi_memory_clear_ranges(all.system->board->memory);
    for (mortal *o = all.mortal; o < all.mortal + MORTALS; o++)
        if (o != m && o->quiet && !o->done) axi_memory_add_range(all.system->board->memory, o->ours, AREA, AXI_SLVERR);
}

static void is_whole(const mortal *m)
{
    uint8_t *ours = test_memory(AREA);
    memory_read(all.system->board->bytes_of, m->ours, ours, AREA);
    ck_must(!memcmp(ours, m->expected_ours, AREA), "QP %u, life %u: our memory differs", rn_qp_number(m->qp), m->life);
    ck_must(!memcmp(m->theirs, m->expected_theirs, AREA), "QP %u, life %u: the peer's memory differs",
            rn_qp_number(m->qp), m->life);
}

static void live(void *self)
{
    mortal *m = self;
    while (!roce_traffic_opened(all.bench->traffic) && !ended()) wait(64);
    if (ended() || !(all.what & LIVES)) return;
    char error[RNIC_ERROR];
    rn_qp_params q = rn_qp_params_default();
    const rnic_qp_params pq = {.number = FIRST_MORTAL_PEER + m->number, .domain = DOMAIN};
    q.receive_bytes = BUFFER;
    q.handshake = m->number % 2;
    m->theirs = test_memory(AREA);
    m->expected_theirs = test_memory(AREA);
    m->expected_ours = test_memory(AREA);
    m->ours = all.system->platform.alloc(all.system->platform.self, AREA, 4096);
    m->peer = rnic_qp_new(all.system->peer, &pq, error);
    m->key = rnic_register(all.system->peer, DOMAIN, m->theirs, REMOTE(m->number), AREA,
                           RNIC_LOCAL_WRITE | RNIC_REMOTE_READ | RNIC_REMOTE_WRITE);
    ck_must(m->ours && m->peer && m->key && !rn_qp_create(all.system->device, &q, &m->qp), "no memory left");
    for (int last = 0; !last && !ended();) {
        last = roce_traffic_complete(all.bench->traffic);
        connect(m);
        note_ranges(m);
        post(m);
        unsigned lives_for = below(8000), waited = 0;
        for (; !poll(m) && (last || waited < lives_for) && !ended(); waited += 64) {
            ck_must(waited < PATIENCE, "QP %u, life %u: %u of %u works, %u messages, %u and %u of the peer are done",
                    rn_qp_number(m->qp), m->life, m->completed, 3 * WORKS, m->received, m->peer_sent, m->peer_received);
            wait(64);
        }
        if (last && !ended()) is_whole(m);
        else die(m);
    }
    m->done = 1;
}

/* ---- runs */

static void run(int number, unsigned what, int forgets_quiet)
{
    roce_system_params p = roce_system_defaults(roce_chips[number % ROCE_CHIPS]);
    roce_traffic_params messages = roce_traffic_defaults();
    memset(&all, 0, sizeof all);
    all.what = what;
    all.forgets_quiet = forgets_quiet;
    p.qps = QPS;
    p.board.doorbells.serial = 1;
    messages.connections = TRAFFIC;
    for (int k = 0; k < ROCE_KINDS; k++) messages.messages[k] = 24;
    messages.longest = 8000;
    messages.handshake = 1;
    messages.timeout = TIMEOUT;
    messages.foreign = peer_completed;
    all.bench = roce_bench_new(&p, &messages);
    all.system = all.bench->system;
    all.system->driver.all_errors = number / ROCE_CHIPS % 2;
    all.clock = all.system->board->clock;
    all.random = roce_mix(sim_seed(all.bench->sim) * 1000 + (unsigned)number);
    for (unsigned i = 0; i < MORTALS; i++) {
        all.mortal[i].number = i;
        ck_must(sim_task_new(all.bench->sim, i ? "life1" : "life0", live, &all.mortal[i]), "no memory left");
    }
    ck_must(!axi_memory_on_written(all.system->board->memory, written, NULL), "too many listeners");
    ck_must(sim_task_new(all.bench->sim, "disturb", disturb, NULL), "no memory left");
    roce_bench_run(all.bench);
}

TEST(what_is_switched_off_and_on_under_traffic_goes_on, .to = ROCE_CHIPS * long_runs(SHORT, SEEDS))
{
    run(_i, EVERYTHING, 0);
}

/* A QP that writes while it counts as quiet. */
TEST(a_fault_is_noticed, .exit = 1) { run(0, LIVES, 1); }
