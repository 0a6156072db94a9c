#include "rnic_bench.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/kernel/sim.h"
#include "sim/core/kernel/splitmix64.h"

struct bench b;
void (*before_judging)(int s, unsigned qp, uint8_t *data, uint32_t *length);

static uint64_t clock_of(void *self)
{
    (void)self;
    return b.now;
}

static void take(void *self, const uint8_t *frame, size_t length, int bad_fcs, sim_time time)
{
    (void)time;
    if (!bad_fcs) rnic_take(((side *)self)->r, frame, length);
}

CLEANUP(rnic_free);
CLEANUP(ethernet_wire_free);

bench_params bench_defaults(void)
{
    bench_params p = {.qps = 1};

    ethernet_wire_params_default(&p.wire);
    rnic_connection_default(&p.connection);
    p.connection.timeout = 4; /* 65 us */
    p.connection.rnr_timer = 1;
    return p;
}

static void start_side(int s, const bench_params *p)
{
    rnic_params np = {.mac = {2, 0, 0, 0, 0, (uint8_t)s}, .clock = clock_of};
    side *at = &b.side[s];

    rnic_set_ipv4(np.ip[0], 0x0a000001 + (uint32_t)s);
    memcpy(np.ip[1], (uint8_t[16]){0xfd, [15] = (uint8_t)(1 + s)}, 16);
    at->r = rnic_new(&np, b.error);
    ck_assert_ptr_nonnull(at->r);
    after_test(rnic_free_cleanup, at->r);
    at->memory = test_memory(MEMORY);
    for (unsigned i = 0; i < SOURCE; i++) at->memory[i] = (uint8_t)(splitmix64_mix(i + (unsigned)s * SOURCE) >> 9);
    memset(at->memory + SOURCE, 0xa5, MEMORY - SOURCE);
    at->key = rnic_register(at->r, DOMAIN_1, at->memory, BASE(s), MEMORY,
                            RNIC_LOCAL_WRITE | RNIC_REMOTE_WRITE | RNIC_REMOTE_READ);
    ck_assert_uint_ne(at->key, 0);
    for (unsigned i = 0; i < p->qps; i++) {
        rnic_connection c = p->connection;

        at->qp[i] = rnic_qp_new(at->r, &(rnic_qp_params){.number = FIRST_QP + i, .domain = DOMAIN_1}, b.error);
        ck_assert_msg(at->qp[i] != NULL, "%s", b.error);
        c.peer.mac[0] = 2;
        c.peer.mac[5] = !s;
        if (p->ipv6) memcpy(c.peer.ip, (uint8_t[16]){0xfd, [15] = (uint8_t)(2 - s)}, 16);
        else rnic_set_ipv4(c.peer.ip, 0x0a000002 - (uint32_t)s);
        c.qp = FIRST_QP + i;
        c.send_psn = (p->connection.send_psn + (unsigned)s * 3) % RNIC_PSNS;
        c.receive_psn = (p->connection.send_psn + (unsigned)!s * 3) % RNIC_PSNS;
        ck_assert_msg(!rnic_connect(at->qp[i], &c, b.error), "%s", b.error);
    }
}

void start(const bench_params *p)
{
    clean_up();
    memset(&b, 0, sizeof b);
    b.wire = ethernet_wire_new(&p->wire, b.error);
    ck_assert_msg(b.wire != NULL, "%s", b.error);
    after_test(ethernet_wire_free_cleanup, b.wire);
    for (int s = 0; s < 2; s++) {
        start_side(s, p);
        ethernet_wire_connect(b.wire, s, take, &b.side[s]);
    }
}

/* ---- time ---- */

/* Work due now; the next time at which something is. */
static uint64_t step(void)
{
    uint64_t next;
    uint8_t frame[RNIC_FRAME];

    ethernet_wire_run(b.wire, b.now);
    for (int s = 0; s < 2; s++)
        while (ethernet_wire_idle_at(b.wire, s) <= b.now) {
            size_t length = rnic_give(b.side[s].r, frame);

            if (!length) break;
            ck_assert_int_eq(ethernet_wire_send(b.wire, s, frame, length, 0, b.now), 0);
        }
    next = ethernet_wire_next(b.wire);
    for (int s = 0; s < 2; s++) {
        uint64_t wakes = rnic_wakes(b.side[s].r), idle = ethernet_wire_idle_at(b.wire, s);

        if (wakes < idle) wakes = idle;
        if (wakes < next) next = wakes;
    }
    return next;
}

int run_until(int (*done)(void), uint64_t most)
{
    uint64_t end = b.now + most;

    for (;;) {
        uint64_t next;

        step();
        if (done()) return 1;
        next = step(); /* it may have posted something */
        if (next > end) return 0;
        b.now = next > b.now ? next : b.now + 1;
    }
}

uint64_t run_to(uint64_t time)
{
    uint64_t last = b.now;

    for (;;) {
        uint64_t next = step();

        last = b.now;
        if (next > time) return last;
        b.now = next > b.now ? next : b.now + 1;
    }
}

void poll_side(int s)
{
    while (b.polled < 256 && rnic_poll(b.side[s].r, &b.completion[b.polled])) b.polled++;
}

void post(int s, rnic_operation operation, uint64_t id, uint32_t at, uint32_t length, uint32_t remote)
{
    rnic_send w = {.id = id,
                   .operation = operation,
                   .address = BASE(s) + at,
                   .key = b.side[s].key,
                   .length = length,
                   .remote = BASE(!s) + remote,
                   .rkey = b.side[!s].key};

    ck_assert_int_eq(rnic_post_send(b.side[s].qp[0], &w), 0);
}

void post_receive(int s, uint64_t id, uint32_t at, uint32_t length)
{
    rnic_receive w = {.id = id, .address = BASE(s) + at, .key = b.side[s].key, .length = length};

    ck_assert_int_eq(rnic_post_receive(b.side[s].qp[0], &w), 0);
}

/* ---- traffic ---- */

enum { GUARD = 32, RECEIVES = SLOTS / 2 };

/* One direction of one QP: messages of side s. */
typedef struct stream {
    unsigned posted, complete, sends, received;
    uint32_t length[SLOTS], source[SLOTS], remote[SLOTS];
    rnic_operation operation[SLOTS];
    uint32_t *send_length, *send_source; /* of each SEND */
    /* receives of the other side for it */
    uint64_t post_at[RECEIVES]; /* RNIC_NEVER: it is posted */
} stream;

static stream streams[2][QPS];
static const traffic_params *tp;
static uint64_t randomness;
static char wrong[256];

traffic_params traffic_defaults(void)
{
    return (traffic_params){
        .messages = 100, .depth = 8, .longest = 9000, .sends = 40, .seed = 1, .most = 2000 * SIM_MS};
}

__attribute__((format(printf, 1, 2))) static void complain(const char *format, ...)
{
    va_list arguments;

    if (wrong[0]) return;
    va_start(arguments, format);
    vsnprintf(wrong, sizeof wrong, format, arguments);
    va_end(arguments);
}

/* Slots of a side: where its READs and receives of a QP go, or WRITEs that come to it. */
static uint32_t slot_at(unsigned qp, unsigned slot, int incoming)
{
    return SOURCE + (((unsigned)incoming * QPS + qp) * SLOTS + slot) * SLOT;
}

static uint32_t place(uint32_t slot, unsigned id) { return slot + GUARD + id % 7; }

/* Checks these bytes of the slot and the guards around them; clears it. */
static void verify(int s, unsigned qp, uint32_t slot, uint32_t at, const uint8_t *expected, uint32_t length,
                   const char *what, unsigned id)
{
    uint8_t *m = b.side[s].memory;

    if (memcmp(m + at, expected, length) != 0) complain("%s %u of QP %u: wrong bytes on side %d", what, id, qp, s);
    for (uint32_t i = slot; i < slot + SLOT; i++)
        if ((i < at || i >= at + length) && m[i] != 0xa5) {
            complain("%s %u of QP %u: byte %d outside its %u has changed on side %d", what, id, qp, (int)(i - at),
                     length, s);
            break;
        }
    memset(m + slot, 0xa5, SLOT);
}

static void post_one(int s, unsigned qp)
{
    stream *t = &streams[s][qp];
    unsigned id = t->posted, slot = id % SLOTS, kind = (unsigned)splitmix64_below(&randomness, 100);
    rnic_operation operation = kind < tp->sends ? RNIC_SEND : kind % 2 ? RNIC_WRITE : RNIC_READ;
    uint32_t length = (uint32_t)splitmix64_below(&randomness, splitmix64_below(&randomness, 3) ? tp->longest : 300),
             source = (uint32_t)splitmix64_below(&randomness, SOURCE - tp->longest);
    rnic_send w = {.id = id, .operation = operation, .key = b.side[s].key, .length = length, .rkey = b.side[!s].key};

    t->operation[slot] = operation;
    t->length[slot] = length;
    t->source[slot] = source;
    w.address = BASE(s) + (operation == RNIC_READ ? place(slot_at(qp, slot % RECEIVES, 0), id) : source);
    w.remote = BASE(!s) + (operation == RNIC_READ ? source : place(slot_at(qp, slot, 1), id));
    if (operation == RNIC_SEND) {
        t->send_length[t->sends] = length;
        t->send_source[t->sends++] = source;
    }
    if (rnic_post_send(b.side[s].qp[qp], &w)) complain("QP %u of side %d does not take message %u", qp, s, id);
    t->posted++;
}

/* Receives of a side have the upper half of its slots, READs the lower one. */
static void post_due_receives(int s, unsigned qp)
{
    stream *t = &streams[!s][qp];

    for (unsigned i = 0; i < RECEIVES; i++)
        if (t->post_at[i] <= b.now) {
            rnic_receive w = {.id = i,
                              .address = BASE(s) + place(slot_at(qp, RECEIVES + i, 0), i),
                              .key = b.side[s].key,
                              .length = tp->longest};

            t->post_at[i] = RNIC_NEVER;
            rnic_post_receive(b.side[s].qp[qp], &w);
        }
}

static void check_received(int s, unsigned qp, const rnic_completion *c)
{
    stream *t = &streams[!s][qp];
    unsigned number = t->received++, buffer = (unsigned)c->id;
    uint32_t slot = slot_at(qp, RECEIVES + buffer, 0), at = place(slot, buffer), length = c->length;

    if (before_judging) before_judging(s, qp, b.side[s].memory + at, &length);
    if (number >= t->sends)
        complain("QP %u of side %d has received %u messages, and %u were sent", qp, s, number + 1, t->sends);
    else if (length != t->send_length[number])
        complain("SEND %u of QP %u: %u bytes received on side %d, expected %u", number, qp, length, s,
                 t->send_length[number]);
    else verify(s, qp, slot, at, b.side[!s].memory + t->send_source[number], length, "SEND", number);
    t->post_at[buffer] = b.now + (tp->late_receive ? splitmix64_below(&randomness, tp->late_receive * SIM_US) : 0);
}

static void check_sent(int s, unsigned qp, const rnic_completion *c)
{
    stream *t = &streams[s][qp];
    unsigned id = t->complete++, slot = id % SLOTS;

    if (c->id != id || c->operation != t->operation[slot]) {
        complain("QP %u of side %d: message %u completes, expected %u", qp, s, (unsigned)c->id, id);
        return;
    }
    if (t->operation[slot] == RNIC_WRITE) {
        uint32_t at = slot_at(qp, slot, 1);

        verify(!s, qp, at, place(at, id), b.side[s].memory + t->source[slot], t->length[slot], "WRITE", id);
    } else if (t->operation[slot] == RNIC_READ) {
        uint32_t at = slot_at(qp, slot % RECEIVES, 0);

        verify(s, qp, at, place(at, id), b.side[!s].memory + t->source[slot], t->length[slot], "READ", id);
    }
}

static int traffic_done(void)
{
    int done = 1;

    for (int s = 0; s < 2; s++) {
        rnic_completion c;

        while (!wrong[0] && rnic_poll(b.side[s].r, &c)) {
            unsigned qp = c.qp - FIRST_QP;

            if (c.status != RNIC_SUCCESS)
                complain("QP %u of side %d: %s %u: %s", qp, s, c.receive ? "receive" : "message", (unsigned)c.id,
                         rnic_status_name(c.status));
            else if (c.receive) check_received(s, qp, &c);
            else check_sent(s, qp, &c);
        }
        for (unsigned qp = 0; qp < QPS && b.side[s].qp[qp]; qp++) {
            stream *t = &streams[s][qp];

            post_due_receives(s, qp);
            while (t->posted < tp->messages && t->posted - t->complete < tp->depth) post_one(s, qp);
            done &= t->complete == tp->messages && t->received == t->sends;
        }
    }
    return done || wrong[0];
}

const char *traffic(const traffic_params *p)
{
    tp = p;
    randomness = p->seed;
    wrong[0] = '\0';
    memset(streams, 0, sizeof streams);
    for (int s = 0; s < 2; s++)
        for (unsigned qp = 0; qp < QPS; qp++) {
            streams[s][qp].send_length = test_memory(p->messages * sizeof(uint32_t));
            streams[s][qp].send_source = test_memory(p->messages * sizeof(uint32_t));
        }
    if (!run_until(traffic_done, p->most))
        complain("not all is complete after %g ms: %u of %u messages of QP 0 of side 0", (double)b.now / (double)SIM_MS,
                 streams[0][0].complete, p->messages);
    for (int s = 0; s < 2; s++)
        for (uint32_t i = SOURCE; i < MEMORY; i++)
            if (b.side[s].memory[i] != 0xa5 && !wrong[0])
                complain("byte %u of side %d has changed though nothing was to come", i, s);
    return wrong[0] ? wrong : NULL;
}
