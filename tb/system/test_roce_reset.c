/* A reset of the RoCE v2 chip in full traffic: the driver opens it again, and the same work on the same QPs is done as
 * after power-up, with packets, answers and memory accesses of the former life on their way at every stage. Nothing is
 * lost, done twice or counted that was before; both memories are compared as wholes. */
#include <stdlib.h>
#include <string.h>

#include "roce_bench.h"
#include "roce_register_map.h"

TEST_CASE("roce_reset", .timeout = 60);

enum {
    RUNS = ROCE_CHIPS * ROCE_STARTS,
    CONNECTIONS = 6,
    EACH = 3,
    SLOT = 8192,
    LENGTH = 6007,
    AREA = 3 * EACH * SLOT,
    PMTU = 1024
};
enum { WRITES = 0, READS = EACH * SLOT, SENDS = 2 * EACH * SLOT }; /* in both areas */
enum { PHASES = 6, PATIENCE = 40000, BUFFER = 24 * 256, DOMAIN = 3 };
#define REMOTE(connection) ((uint64_t)((connection) + 1) << 36)

typedef struct connection {
    rn_qp *qp;
    rnic_qp *peer;
    uint8_t *theirs, *expected_theirs, *expected_ours;
    uint64_t ours;
    uint32_t key;
    unsigned completed, received, peer_sent, peer_received;
} connection;

static struct {
    roce_bench *bench;
    roce_system *system;
    connection connection[CONNECTIONS];
    uint32_t psn;
    int fault; /* of the test: 1 a byte of our memory, 2 of theirs, 3 the peer goes on with its former life */
} all;

static void fill(uint8_t *memory, unsigned salt)
{
    for (unsigned i = 0; i < AREA; i++) memory[i] = (uint8_t)((i * 2654435761u + salt * 40503u) >> 13);
}

static void create(unsigned i, unsigned life)
{
    char error[ROCE_SYSTEM_ERROR];
    roce_system *y = all.system;
    connection *l = &all.connection[i];
    rn_qp_params q = rn_qp_params_default();
    q.receive_bytes = BUFFER;
    q.handshake = i % 2;
    ck_must(!rn_qp_create(y->device, &q, &l->qp), "%s", rn_last_error(y->device));
    rnic_reset(l->peer);
    const roce_path path = {i / 2 % 2, PMTU, 5, 16, {all.psn, all.psn}};
    ck_must(!roce_system_connect_both(y, l->qp, l->peer, &path, error), "%s", error);
    l->completed = l->received = l->peer_sent = l->peer_received = 0;
    fill(l->expected_ours, 100 * i + 2 * life);
    fill(l->expected_theirs, 100 * i + 2 * life + 1);
    memory_write(y->board->bytes_of, l->ours, l->expected_ours, AREA);
    memcpy(l->theirs, l->expected_theirs, AREA);
}

/* WRITEs, READs and SENDs of the chip and SENDs of the peer, all at once, and their expected results. */
static void post(unsigned i)
{
    connection *l = &all.connection[i];
    for (unsigned n = 0; n < EACH; n++) {
        const rnic_receive receive = {n, REMOTE(i) + SENDS + n * SLOT, l->key, SLOT};
        const rnic_send send = {.id = n,
                                .operation = RNIC_SEND,
                                .address = REMOTE(i) + READS + n * SLOT,
                                .key = l->key,
                                .length = LENGTH - n};
        ck_must(!rnic_post_receive(l->peer, &receive) && !rnic_post_send(l->peer, &send), "the peer takes no work");
        static const rn_opcode opcodes[] = {RN_WRITE, RN_READ, RN_SEND};
        for (unsigned k = 0; k < 3; k++) {
            uint64_t at = k * EACH * SLOT + n * SLOT;
            const rn_work w = {.id = (uint16_t)(3 * n + k),
                               .opcode = opcodes[k],
                               .length = LENGTH - n,
                               .local = l->ours + at,
                               .remote = REMOTE(i) + at,
                               .rkey = l->key};
            ck_must(!rn_post(l->qp, &w), "%s", rn_last_error(all.system->device));
            if (opcodes[k] == RN_READ) memcpy(l->expected_ours + at, l->expected_theirs + at, LENGTH - n);
            else memcpy(l->expected_theirs + at, l->expected_ours + at, LENGTH - n);
        }
    }
}

/* Takes completions and messages: 1, all is done. */
static int poll(unsigned i)
{
    connection *l = &all.connection[i];
    rn_device *d = all.system->device;
    rn_completion c;
    rn_message m;
    uint8_t bytes[SLOT];
    int n;
    while ((n = rn_poll(l->qp, &c, 1)) > 0) {
        ck_must(c.id == l->completed && !c.error, "QP %u: work %u has completed, ERRFLAG %d, expected %u", i + 2, c.id,
                c.error, l->completed);
        l->completed++;
    }
    ck_must(n == 0, "%s", rn_last_error(d));
    while ((n = rn_receive(l->qp, &m)) > 0) {
        memory_read(all.system->board->bytes_of, m.address, bytes, m.length < SLOT ? m.length : SLOT);
        int right = m.length == LENGTH - l->received &&
                    !memcmp(bytes, l->expected_theirs + READS + l->received * SLOT, m.length);
        ck_must(right, "QP %u: message %u is another one", i + 2, l->received);
        l->received++;
        ck_must(!rn_release(l->qp), "%s", rn_last_error(d));
    }
    ck_must(n == 0, "%s", rn_last_error(d));
    return l->completed == 3 * EACH && l->received == EACH && l->peer_sent == EACH && l->peer_received == EACH;
}

static int poll_all(void)
{
    rnic_completion c;
    int done = 1;
    while (rnic_poll(all.system->peer, &c)) {
        if (c.status == RNIC_FLUSHED) continue; /* of the former life */
        connection *l = &all.connection[c.qp - ROCE_FIRST_PEER_QP];
        unsigned *count = c.receive ? &l->peer_received : &l->peer_sent;
        ck_must(c.status == RNIC_SUCCESS && c.id == *count, "the peer's QP %#x: %lu ended with %s", c.qp,
                (unsigned long)c.id, rnic_status_name(c.status));
        (*count)++;
    }
    for (unsigned i = 0; i < CONNECTIONS; i++) done &= poll(i);
    return done;
}

static void open(unsigned life)
{
    ck_must(!roce_system_open(all.system), "%s", sim_error(all.bench->sim));
    for (unsigned i = 0; i < CONNECTIONS; i++) create(i, life);
    for (unsigned i = 0; i < CONNECTIONS; i++) post(i);
}

static void is_done(void)
{
    uint8_t *ours = test_memory(AREA);
    for (int i = 0; !poll_all(); i++) {
        ck_must(i < PATIENCE / 16, "not all work has been done");
        sim_wait_cycles(all.system->board->clock, 16);
    }
    sim_wait_cycles(all.system->board->clock, 2000);
    poll_all();
    if (all.fault == 1) memory_write(all.system->board->bytes_of, all.connection[1].ours + READS - 1, "?", 1);
    if (all.fault == 2) all.connection[CONNECTIONS - 1].theirs[AREA - 1] ^= 1;
    for (unsigned i = 0; i < CONNECTIONS; i++) {
        const connection *l = &all.connection[i];
        memory_read(all.system->board->bytes_of, l->ours, ours, AREA);
        ck_must(!memcmp(ours, l->expected_ours, AREA), "QP %u: our memory differs", i + 2);
        ck_must(!memcmp(l->theirs, l->expected_theirs, AREA), "QP %u: the peer's memory differs", i + 2);
    }
    /* packets of this life alone, and each of them once */
    enum { PACKETS = (LENGTH + PMTU - 1) / PMTU };
    ck_assert_uint_eq(roce_bench_register(all.bench, ROCE_INSRRPKTCNT), (CONNECTIONS * EACH * PACKETS) * 0x10001u);
    ck_assert_uint_eq(roce_bench_register(all.bench, ROCE_OUTIOPKTCNT),
                      CONNECTIONS * EACH * PACKETS | CONNECTIONS * EACH * (PACKETS + 1) << 16);
    ck_assert_uint_eq(roce_bench_register(all.bench, ROCE_RETRYCNTSTS), 0);
    ck_assert_uint_eq(roce_bench_register(all.bench, ROCE_ININVDUPCNT), 0);
    ck_assert_uint_eq(roce_bench_register(all.bench, ROCE_ACCESSERRCNT), 0);
}

static void prepare(void)
{
    char error[RNIC_ERROR];
    roce_system *y = all.system;
    for (unsigned i = 0; i < CONNECTIONS; i++) {
        connection *l = &all.connection[i];
        const rnic_qp_params pq = {.number = ROCE_FIRST_PEER_QP + i, .domain = DOMAIN};
        l->theirs = test_memory(AREA);
        l->expected_theirs = test_memory(AREA);
        l->expected_ours = test_memory(AREA);
        l->ours = y->platform.alloc(y->platform.self, AREA, 4096);
        l->peer = rnic_qp_new(y->peer, &pq, error);
        l->key = rnic_register(y->peer, DOMAIN, l->theirs, REMOTE(i), AREA,
                               RNIC_LOCAL_WRITE | RNIC_REMOTE_READ | RNIC_REMOTE_WRITE);
        ck_must(l->ours && l->peer && l->key, "no memory left");
    }
}

/* Resets at moments further and further into the traffic; the last life ends well. */
static void play(void *self)
{
    (void)self;
    int wide = all.system->board->bytes == 64;
    rnic_completion former;
    uint64_t sent[2] = {0, 0};
    prepare();
    for (unsigned phase = 0; phase < PHASES; phase++) {
        open(phase);
        sim_wait_cycles(all.system->board->clock, (wide ? 60 : 300) * phase * phase + 50 * phase);
        ck_must(!poll_all(), "all work was done before the reset");
        for (int end = 0; end < 2; end++) {
            uint64_t frames = ethernet_wire_get_stats(all.system->wire, end).frames;
            ck_must(phase < 2 || frames > sent[end], "end %d had sent nothing before the reset", end);
            sent[end] = frames;
        }
        roce_board_reset(all.system->board, 3 + 40 * phase);
        for (unsigned i = 0; i < CONNECTIONS && all.fault != 3; i++)
            rnic_reset(all.connection[i].peer); /* its packets now would belong to no life */
        sim_wait_cycles(all.system->board->clock, 3 + 40 * phase);
        rn_close(all.system->device);
        all.system->device = NULL;
        sim_wait_cycles(all.system->board->clock, 1000);
        while (rnic_poll(all.system->peer, &former)) {
        }
    }
    uint64_t resent = rnic_get_counters(all.system->peer)->resent_pkts;
    open(PHASES);
    is_done();
    ck_assert_uint_eq(rnic_get_counters(all.system->peer)->resent_pkts, resent);
}

static void run(int number, int fault)
{
    roce_system_params p = roce_system_defaults(roce_chips[number / ROCE_STARTS]);
    memset(&all, 0, sizeof all);
    all.fault = fault;
    all.psn = (uint32_t)roce_starts[number % ROCE_STARTS];
    all.bench = roce_bench_new(&p, NULL);
    all.system = all.bench->system;
    ck_must(sim_task_new(all.bench->sim, "reset", play, NULL), "no memory left");
    roce_bench_run(all.bench);
}

TEST(after_a_reset_in_full_traffic_everything_works, .to = RUNS) { run(_i, 0); }

/* The same run with a fault, which a check must notice. */
TEST(a_fault_is_noticed, .from = 1, .to = 4, .exit = 1) { run(0, _i); }
