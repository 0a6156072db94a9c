#include "roce_victim.h"

#include <stdlib.h>
#include <string.h>

#include "roce_register_map.h"

enum {
    OTHERS = VICTIM - 2,
    DOMAIN = 7,
    QP_STRIDE = 0x100,
    PATIENCE = 60000 /* [clocks] for an expected event */,
    SETTLE = 4500 /* [clocks] 32 commands may wait in TX, each of a packet with 1024 bytes */,
    SILENCE = 1000 /* [clocks] in which nothing may come */,
    ENDLESS = 1 << 20 /* messages */,
    LIMIT = 50 /* [ms] */
};

victim v;

/* ---- the line */

static void note(void *self, int from, sim_time time, const uint8_t *frame, size_t length, int bad_fcs)
{
    rnic_packet p;
    const char *why;
    (void)self;
    if (bad_fcs || rnic_packet_read(&p, frame, length, &why) != RNIC_GOOD) return;
    if (p.qp != (from ? VICTIM : VICTIM_PEER)) {
        v.others[from]++;
        return;
    }
    ck_must(v.packets < VICTIM_LOG, "too many packets");
    v.packet[v.packets++] = (victim_packet){from, p.opcode, p.syndrome, p.psn, time};
}

unsigned victim_packets_from(unsigned since, int from, unsigned opcode)
{
    unsigned count = 0;
    for (unsigned i = since; i < v.packets; i++) count += v.packet[i].from == from && v.packet[i].opcode == opcode;
    return count;
}

unsigned victim_packet_comes(unsigned since, int from, unsigned opcode, unsigned syndrome, unsigned count)
{
    for (unsigned i = since, waited = 0;; waited++) {
        for (; i < v.packets; i++) {
            const victim_packet *p = &v.packet[i];
            int right =
                p->from == from && p->opcode == opcode && (opcode != RNIC_ACKNOWLEDGE || p->syndrome == syndrome);
            if (right && !--count) return i;
        }
        ck_must(waited < PATIENCE / 4, "%u more packets with opcode %02x of end %d have not come", count, opcode, from);
        victim_wait(4);
    }
}

/* ---- software */

void victim_wait(unsigned clocks)
{
    sim_wait_cycles(v.clock, clocks);
    ck_must(!*sim_error(v.bench->sim), "%s", sim_error(v.bench->sim));
}

uint32_t victim_global(unsigned offset)
{
    uint32_t value;
    ck_must(!rn_register_read(v.device, offset, &value), "%s", rn_last_error(v.device));
    return value;
}

uint32_t victim_register(unsigned offset) { return victim_global(offset + QP_STRIDE * (VICTIM - 1)); }

void victim_set_register(unsigned offset, uint32_t value)
{
    ck_must(!rn_register_write(v.device, offset + QP_STRIDE * (VICTIM - 1), value), "%s", rn_last_error(v.device));
}

static void peer_completed(void *self, const rnic_completion *c)
{
    (void)self;
    if (c->status == RNIC_FLUSHED) return; /* of a life that has ended */
    ck_must(c->qp == VICTIM_PEER && v.done_count < COUNT(v.done), "a completion of the peer's QP %#x", c->qp);
    v.done[v.done_count++] = *c;
}

static void fill(uint8_t *memory, unsigned salt)
{
    for (unsigned i = 0; i < VICTIM_AREA; i++) memory[i] = (uint8_t)((i * 2654435761u + salt * 40503u) >> 13);
}

static void write_ours(void) { memory_write(v.system->board->bytes_of, v.ours, v.expected_ours, VICTIM_AREA); }

void victim_connect(void)
{
    char error[RNIC_ERROR];
    rnic_connection c;
    rnic_connection_default(&c);
    c.peer = roce_system_chip_address(0);
    c.qp = VICTIM;
    c.pmtu = VICTIM_PMTU;
    c.send_psn = c.receive_psn = v.psn;
    c.timeout = 4;
    c.rnr_timer = 1;
    rnic_reset(v.peer);
    ck_must(!rnic_connect(v.peer, &c, error), "%s", error);
    ck_must(!rn_qp_modify(v.qp, &v.connection), "%s", rn_last_error(v.device));
    /* the contents of both areas differ, also from life to life */
    fill(v.expected_ours, 2 * ++v.lives);
    fill(v.expected_theirs, 2 * v.lives + 1);
    memcpy(v.theirs, v.expected_theirs, VICTIM_AREA);
    write_ours();
    v.done_seen = v.done_count = 0;
}

static void create(void)
{
    char error[RNIC_ERROR];
    rn_qp_params q = rn_qp_params_default();
    while (!v.system->device || !rn_qp_of(v.system->device, VICTIM - 1)) victim_wait(64);
    v.device = v.system->device;
    q.send_depth = VICTIM_DEPTH;
    q.receive_depth = VICTIM_BUFFERS;
    q.receive_bytes = VICTIM_BUFFER;
    ck_must(!rn_qp_create(v.device, &q, &v.qp), "%s", rn_last_error(v.device));
    ck_assert_uint_eq(rn_qp_number(v.qp), VICTIM);
    const rnic_qp_params pq = {.number = VICTIM_PEER, .domain = DOMAIN};
    v.peer = rnic_qp_new(v.system->peer, &pq, error);
    ck_must(v.peer, "%s", error);
    v.theirs = test_memory(VICTIM_AREA);
    v.expected_theirs = test_memory(VICTIM_AREA);
    v.expected_ours = test_memory(VICTIM_AREA);
    v.ours = v.system->platform.alloc(v.system->platform.self, VICTIM_AREA, 4096);
    v.key = rnic_register(v.system->peer, DOMAIN, v.theirs, VICTIM_REMOTE, VICTIM_AREA,
                          RNIC_LOCAL_WRITE | RNIC_REMOTE_READ | RNIC_REMOTE_WRITE);
    ck_must(v.ours && v.key, "no memory left");
    v.connection = (rn_connection){.peer = roce_system_peer_address(0),
                                   .qp = VICTIM_PEER,
                                   .send_psn = v.psn,
                                   .receive_psn = v.psn,
                                   .pmtu = VICTIM_PMTU,
                                   .timeout = 4,
                                   .retries = 7,
                                   .rnr_retries = 7,
                                   .rnr_timer = 1,
                                   .reads_outstanding = 16};
}

/* ---- work */

void victim_post(unsigned id, rn_opcode opcode, unsigned at, uint64_t remote, uint32_t key, unsigned length)
{
    const rn_work w = {
        .id = (uint16_t)id, .opcode = opcode, .length = length, .local = v.ours + at, .remote = remote, .rkey = key};
    ck_must(!rn_post(v.qp, &w), "%s", rn_last_error(v.device));
}

/* A program that writes another WQE than the driver lets through. */
static struct {
    unsigned byte, size;
    uint64_t value;
    void (*write)(void *self, uint64_t address, const void *from, size_t size);
} corrupted;

static void write_corrupted(void *self, uint64_t address, const void *from, size_t size)
{
    uint8_t wqe[64];
    if (size == sizeof wqe) {
        memcpy(wqe, from, sizeof wqe);
        for (unsigned i = 0; i < corrupted.size; i++) wqe[corrupted.byte + i] = (uint8_t)(corrupted.value >> 8 * i);
        from = wqe;
        v.system->platform.mem_write = corrupted.write;
    }
    corrupted.write(self, address, from, size);
}

void victim_corrupts(unsigned byte, unsigned size, uint64_t value)
{
    corrupted.byte = byte;
    corrupted.size = size;
    corrupted.value = value;
    corrupted.write = v.system->platform.mem_write;
    v.system->platform.mem_write = write_corrupted;
}

void victim_written(unsigned at, unsigned to, unsigned length)
{
    memcpy(v.expected_theirs + to, v.expected_ours + at, length);
}

void victim_was_read(unsigned to, unsigned at, unsigned length)
{
    memcpy(v.expected_ours + to, v.expected_theirs + at, length);
}

void victim_write(unsigned id, unsigned at, unsigned to, uint32_t key, unsigned length)
{
    victim_post(id, RN_WRITE, at, VICTIM_REMOTE + to, key, length);
}

void victim_read(unsigned id, unsigned to, unsigned at, uint32_t key, unsigned length)
{
    victim_post(id, RN_READ, to, VICTIM_REMOTE + at, key, length);
}

void victim_send(unsigned id, unsigned at, unsigned length) { victim_post(id, RN_SEND, at, 0, 0, length); }

void victim_peer_receives(unsigned id, unsigned at, unsigned length)
{
    const rnic_receive w = {id, VICTIM_REMOTE + at, v.key, length};
    ck_must(!rnic_post_receive(v.peer, &w), "the peer takes no receive");
}

void victim_peer_sends(unsigned id, unsigned at, unsigned length)
{
    const rnic_send w = {
        .id = id, .operation = RNIC_SEND, .address = VICTIM_REMOTE + at, .key = v.key, .length = length};
    ck_must(!rnic_post_send(v.peer, &w), "the peer takes no SEND");
}

void victim_completes(unsigned id, int error)
{
    rn_completion c;
    int n = 0;
    for (int i = 0; !n; i++) {
        n = rn_poll(v.qp, &c, 1);
        ck_must(n >= 0, "%s", rn_last_error(v.device));
        ck_must(i < PATIENCE / 16, "work %u has not completed", id);
        if (!n) victim_wait(16);
    }
    ck_must(c.id == id && c.error == error, "completion of work %u, ERRFLAG %d, expected %u, %d", c.id, c.error, id,
            error);
}

void victim_peer_completes(unsigned id, int receive, rnic_status status)
{
    for (int i = 0; v.done_seen == v.done_count; i++) {
        ck_must(i < PATIENCE / 16, "%s %u of the peer has not completed", receive ? "receive" : "send", id);
        victim_wait(16);
    }
    const rnic_completion *c = &v.done[v.done_seen++];
    ck_must(c->id == id && c->receive == receive && c->status == status,
            "the peer's %s %lu ended with %s, expected %s %u with %s", c->receive ? "receive" : "send",
            (unsigned long)c->id, rnic_status_name(c->status), receive ? "receive" : "send", id,
            rnic_status_name(status));
}

void victim_receives(unsigned at, unsigned length)
{
    rn_message m;
    uint8_t *bytes = test_memory(length);
    int n = 0;
    for (int i = 0; !n; i++) {
        n = rn_receive(v.qp, &m);
        ck_must(n >= 0, "%s", rn_last_error(v.device));
        ck_must(i < PATIENCE / 16, "no message has come");
        if (!n) victim_wait(16);
    }
    ck_assert_uint_eq(m.length, length);
    memory_read(v.system->board->bytes_of, m.address, bytes, length);
    ck_must(!memcmp(bytes, v.expected_theirs + at, length), "another message has come");
    ck_must(!rn_release(v.qp), "%s", rn_last_error(v.device));
}

/* ---- checks */

void victim_is_fatal(unsigned code, unsigned syndrome, unsigned opcode, unsigned psn)
{
    rn_error e;
    ck_assert_uint_eq(ROCE_STATQP + QP_STRIDE * (VICTIM - 1), 0x688); /* S5 A */
    uint32_t status = victim_register(ROCE_STATQP);
    ck_must((status & 1) && (status >> 16 & 0x7f) == (syndrome && opcode == RNIC_ACKNOWLEDGE ? syndrome : 0),
            "0x688 reads %08x, expected [0] 1 and [22:16] %02x", status, syndrome);
    ck_must(victim_global(ROCE_INTSTS) & ROCE_INTSTS_FATAL_MASK, "INTSTS does not say FATAL");
    ck_must(!rn_register_write(v.device, ROCE_INTSTS, ROCE_INTSTS_FATAL_MASK), "%s", rn_last_error(v.device));
    for (int i = 0; rn_error_next(v.device, &e) != 1; i++) {
        ck_must(i < PATIENCE / 64, "there is no error status");
        victim_wait(64);
    }
    uint32_t right = (v.psn + psn) % RNIC_PSNS;
    ck_must(e.qp == VICTIM && e.code == code && e.opcode == opcode && e.psn == right && e.syndrome == syndrome,
            "error status: QP %u, code %u, opcode %02x, PSN %06x, syndrome %02x; expected QP 5, %u, %02x, %06x, %02x",
            e.qp, e.code, e.opcode, e.psn, e.syndrome, code, opcode, right, syndrome);
}

static unsigned differ(const uint8_t *a, const uint8_t *b)
{
    unsigned i = 0;
    while (i < VICTIM_AREA && a[i] == b[i]) i++;
    return i;
}

const char *victim_wrong(unsigned silent)
{
    static char text[120];
    uint8_t *ours = test_memory(VICTIM_AREA);
    rn_completion c;
    rn_message m;
    rn_error e;
    unsigned packets = v.packets, at;
    victim_wait(silent);
    for (unsigned i = packets; i < v.packets; i++)
        if (!v.packet[i].from) {
            snprintf(text, sizeof text, "a packet with opcode %02x leaves the chip", v.packet[i].opcode);
            return text;
        }
    memory_read(v.system->board->bytes_of, v.ours, ours, VICTIM_AREA);
    if ((at = differ(ours, v.expected_ours)) < VICTIM_AREA) {
        snprintf(text, sizeof text, "byte %u of our area is %02x, expected %02x", at, ours[at], v.expected_ours[at]);
        return text;
    }
    if ((at = differ(v.theirs, v.expected_theirs)) < VICTIM_AREA) {
        snprintf(text, sizeof text, "byte %u of their area is %02x, expected %02x", at, v.theirs[at],
                 v.expected_theirs[at]);
        return text;
    }
    if (rn_poll(v.qp, &c, 1)) return "an unexpected completion of the chip";
    if (rn_receive(v.qp, &m)) return "an unexpected message";
    if (rn_error_next(v.device, &e)) return "an unexpected error status";
    if (v.done_seen < v.done_count) return "an unexpected completion of the peer";
    return NULL;
}

void victim_settles(void)
{
    victim_wait(v.system->board->bytes == 8 ? SETTLE : SETTLE / 8); /* packets under way */
    const char *wrong = victim_wrong(SILENCE);
    ck_must(!wrong, "%s", wrong);
}

void victim_works(void)
{
    enum { LENGTH = 3001 };
    victim_settles();
    victim_connect();
    victim_peer_receives(90, 40000, 4096);
    victim_peer_sends(91, 50000, LENGTH);
    victim_write(92, 11, 20003, v.key, LENGTH);
    victim_read(93, 30001, 5, v.key, LENGTH);
    victim_send(94, 8191, LENGTH);
    victim_written(11, 20003, LENGTH);
    victim_was_read(30001, 5, LENGTH);
    victim_written(8191, 40000, LENGTH);
    for (unsigned id = 92; id <= 94; id++) victim_completes(id, 0);
    victim_receives(50000, LENGTH);
    for (unsigned n = 0; n < 2; n++) { /* in either order */
        for (int i = 0; v.done_seen == v.done_count && i < PATIENCE / 16; i++) victim_wait(16);
        int receive = v.done_seen < v.done_count && v.done[v.done_seen].receive;
        victim_peer_completes(receive ? 90 : 91, receive, RNIC_SUCCESS);
    }
    victim_settles();
    ck_assert_uint_eq(victim_register(ROCE_STATQP) & 1, 0);
}

/* ---- a run */

static void play(void *self)
{
    create();
    victim_connect();
    (*(void (**)(void))self)();
    const char *error = sim_error(v.bench->sim);
    ck_must(!*error, "%s", error);
    /* all others go on */
    uint64_t taken, all;
    roce_traffic_progress(v.bench->traffic, &taken, &all);
    for (int end = 0; end < 2; end++) {
        uint32_t before = v.others[end];
        for (int i = 0; v.others[end] < before + 20; i++) {
            ck_must(i < PATIENCE / 16, "the other QPs send nothing");
            victim_wait(16);
        }
    }
    ck_must(taken > 0, "the other QPs have done nothing");
    sim_stop(v.bench->sim);
}

int victim_is_due(int run)
{
    const char *seed = getenv("SIM_SEED");
    unsigned turn = seed ? (unsigned)strtoul(seed, NULL, 0) : 0;
    return long_form() || (turn + (unsigned)run / ROCE_STARTS + (unsigned)run) % ROCE_STARTS;
}

void victim_play(int run, void (*sequence)(void), int checked)
{
    roce_system_params p = roce_system_defaults(roce_chips[run / ROCE_STARTS]);
    roce_traffic_params m = roce_traffic_defaults();
    m.connections = OTHERS;
    m.pmtu = m.shortest = VICTIM_PMTU;
    m.depth = 4;
    m.timeout = 6;
    m.handshake = 1;
    m.psn = roce_starts[run % ROCE_STARTS];
    m.foreign = peer_completed;
    for (int k = 0; k < ROCE_KINDS; k++) m.messages[k] = ENDLESS;
    v = (victim){.psn = (uint32_t)m.psn};
    v.bench = roce_bench_new(&p, &m);
    v.system = v.bench->system;
    v.clock = v.system->board->clock;
    if (checked) roce_bench_watch(v.bench, &m);
    ck_must(!ethernet_wire_observe(v.system->wire, ETHERNET_SENT, note, NULL), "too many observers");
    ck_must(sim_task_new(v.bench->sim, "victim", play, &sequence), "no memory left");
    int result = sim_run(v.bench->sim, LIMIT * SIM_MS);
    ck_must(result == SIM_STOPPED, "%s: %s", sim_result_name(result), sim_error(v.bench->sim));
}
