/* Faults of the line in front of the whole RoCE v2 chip, at packet numbers around their wrap and their sign, with 8 and
 * with 64 bytes per clock: each packet of a message and each answer lost, doubled and late, alone and in rows, one case
 * after the other on the same chip, each on connections that are restarted. In each case: completions and doorbells
 * once and in order, every byte of memory written once and no other, nothing sent that IBA forbids (roce_checker),
 * counters of both ends equal to the packets on the line, how many NAKs, timeouts and repetitions there may be, and a
 * second connection that sends nothing twice. make soak CHIP=roce takes all delays and rows.
 */
#include <stdarg.h>
#include <string.h>

#include "roce_bench.h"
#include "roce_register_map.h"
#include "sim/app/roce/linux/roce_targets.h"
#include "sim/app/roce/traffic/roce_pattern.h"

TEST_CASE("roce_faults", .timeout = 120);

enum { VICTIM, BYSTANDER, CONNECTIONS };
enum {
    RUNS = ROCE_CHIPS * ROCE_STARTS,
    PACKETS = 4 /* of a long message */,
    PSNS = 24 /* of a case */,
    DOMAIN = 1,
    DEPTH = 32
};
enum { TIMEOUT = 2 /* code of both ends: 16 us */, QUIET = 320 /* [clocks] */, BLANK = 0xa5 };

/* The packet that is struck, and the expected result if that one alone is lost or comes twice. Messages are PACKETS
 * long or of one packet. Struck is the message before packet numbers wrap or change their sign, or behind that; or the
 * last one of all, where nothing that comes later shows that a packet is missing. A NAK comes because the first packet
 * of a message is lost. */
typedef struct target {
    roce_target_kind struck;
    roce_kind kind; /* of the messages */
    unsigned packets;
    int at_the_end;
    int naks, timeouts, duplicates; /* it is lost: NAKs, goings back without one, requests that come again; -1: that
                                       follows from when */
    int twice;                      /* it comes twice: requests that come again */
} target;

/* A responder acknowledges on request, at the end of a message; the chip also after some us: so of a message whose last
 * packet is lost the peer sends that one again, and the chip all. A lost ACK is covered by a later one, or else its
 * whole message is repeated.
 */
static const target targets[] = {
    {STRIKE_SEND_IN_FIRST, ROCE_SEND_IN, PACKETS, 0, 1, 0, 0, 1},
    {STRIKE_SEND_IN_MIDDLE, ROCE_SEND_IN, PACKETS, 0, 1, 0, 0, 1},
    {STRIKE_SEND_IN_LAST, ROCE_SEND_IN, PACKETS, 0, 1, 0, 0, 1},
    {STRIKE_SEND_IN_ONLY, ROCE_SEND_IN, 1, 0, 1, 0, 0, 1},
    {STRIKE_SEND_IN_LAST, ROCE_SEND_IN, PACKETS, 1, 0, 1, 0, 1},
    {STRIKE_SEND_IN_ONLY, ROCE_SEND_IN, 1, 1, 0, 1, 0, 1},
    {STRIKE_SEND_OUT_FIRST, ROCE_SEND_OUT, PACKETS, 0, 1, 0, 0, 1},
    {STRIKE_SEND_OUT_MIDDLE, ROCE_SEND_OUT, PACKETS, 0, 1, 0, 0, 1},
    {STRIKE_SEND_OUT_LAST, ROCE_SEND_OUT, PACKETS, 0, 1, 0, 0, 1},
    {STRIKE_SEND_OUT_ONLY, ROCE_SEND_OUT, 1, 0, 1, 0, 0, 1},
    {STRIKE_SEND_OUT_LAST, ROCE_SEND_OUT, PACKETS, 1, 0, 1, PACKETS - 1, 1},
    {STRIKE_WRITE_FIRST, ROCE_WRITE, PACKETS, 0, 1, 0, 0, 1},
    {STRIKE_WRITE_MIDDLE, ROCE_WRITE, PACKETS, 0, 1, 0, 0, 1},
    {STRIKE_WRITE_LAST, ROCE_WRITE, PACKETS, 0, 1, 0, 0, 1},
    {STRIKE_WRITE_ONLY, ROCE_WRITE, 1, 0, 1, 0, 0, 1},
    {STRIKE_WRITE_LAST, ROCE_WRITE, PACKETS, 1, 0, 1, PACKETS - 1, 1},
    {STRIKE_READ_REQUEST, ROCE_READ, PACKETS, 0, 1, 0, 0, 1},
    {STRIKE_READ_REQUEST, ROCE_READ, PACKETS, 1, 0, 1, 0, 1},
    {STRIKE_RESPONSE_FIRST, ROCE_READ, PACKETS, 0, 0, 0, -1, 0},
    {STRIKE_RESPONSE_MIDDLE, ROCE_READ, PACKETS, 0, 0, 0, -1, 0},
    {STRIKE_RESPONSE_LAST, ROCE_READ, PACKETS, 0, 0, 0, -1, 0},
    {STRIKE_RESPONSE_ONLY, ROCE_READ, 1, 0, 0, 0, -1, 0},
    {STRIKE_RESPONSE_LAST, ROCE_READ, PACKETS, 1, 0, 1, 1, 0},
    {STRIKE_ACK_OUT, ROCE_SEND_IN, PACKETS, 0, 0, 0, 0, 0},
    {STRIKE_ACK_OUT, ROCE_SEND_IN, PACKETS, 1, 0, 1, PACKETS, 0},
    {STRIKE_ACK_IN, ROCE_WRITE, PACKETS, 0, 0, 0, 0, 0},
    {STRIKE_ACK_IN, ROCE_WRITE, PACKETS, 1, 0, 1, PACKETS, 0},
    {STRIKE_ACK_IN, ROCE_SEND_OUT, PACKETS, 1, 0, 1, PACKETS, 0},
    {STRIKE_NAK_OUT, ROCE_SEND_IN, PACKETS, 0, 1, 1, 0, 0},
    {STRIKE_NAK_IN, ROCE_WRITE, PACKETS, 0, 1, 1, 0, 0},
};

/* The fault; `row` packets of that connection and direction, one after the other. */
typedef struct fault {
    ethernet_fault fault;
    unsigned row;
} fault;

/* For the checks' own test: a byte of memory that is changed behind their back. */
typedef struct corrupted {
    const target *target; /* the only one */
    unsigned at;          /* 0: none is */
    int source;
    const char *wrong; /* the expected report */
} corrupted;

/* A connection, for one case after the other. */
typedef struct link {
    rn_qp *qp;
    rnic_qp *peer;
    uint8_t *theirs; /* the peer's memory: a place for each message */
    uint64_t ours, taken_from[PSNS], buffers /* of the receive queue; 0: not known when the case began */, found;
    uint32_t key;
    unsigned posted, complete /* in the sender's software */, taken /* as a whole, by who it was for */;
} link;

static struct {
    roce_bench *bench;
    int variation; /* chip and first packet number */
    fault what;
    const target *t;
    unsigned pmtu, place, cases;
    roce_strike strike;
    const corrupted *corrupt; /* NULL: nothing */
    link link[CONNECTIONS];
    uint8_t buffer[PACKETS * 1024];
} run;

static uint32_t start(void) { return (uint32_t)roce_starts[run.variation % ROCE_STARTS]; }

static unsigned messages(void) { return PSNS / run.t->packets; }

static uint32_t length(void) { return run.t->packets * run.pmtu - 37; }

static uint64_t key_of(const link *l, unsigned message, int mark)
{
    return roce_mix(sim_seed(run.bench->sim) << 32 ^ (uint64_t)run.cases << 12 ^ (uint64_t)(l - run.link) << 8 ^
                    message << 1 ^ (unsigned)mark);
}

static int is_nak(void) { return roce_targets[run.t->struck].answer == ROCE_IS_NAK; }

static const char *name(void)
{
    static char text[60];
    snprintf(text, sizeof text, "%s%s", roce_targets[run.t->struck].name,
             run.t->at_the_end ? ", of the last message" : "");
    return text;
}

static void wrong(const char *form, ...) __attribute__((format(printf, 1, 2)));
static void wrong(const char *form, ...)
{
    char text[200];
    va_list values;
    va_start(values, form);
    vsnprintf(text, sizeof text, form, values);
    va_end(values);
    sim_fail(run.bench->sim, "%s: %s", name(), text);
}

/* ---- the line */

static ethernet_fault strike(void *self, int from, uint64_t index, const uint8_t *frame, size_t size)
{
    (void)self, (void)index;
    roce_seen f;
    roce_header h;
    if (!run.t || !roce_see(from, frame, size, &f) || f.connection != VICTIM || !roce_header_of(frame, size, &h))
        return (ethernet_fault){ETHERNET_NO_FAULT, 0};
    return roce_strike_it(&run.strike, from, &h);
}

/* ---- software on both sides */

#define MUST(call) ck_must(!(call), "%s: %s", name(), rn_last_error(run.bench->system->device))

/* All memory of messages: bytes outside the messages stay unchanged. Called for the chip's and the peer's. */
static void each_region(link *l, void (*call)(link *l, uint64_t address, uint8_t *bytes, size_t size))
{
    static uint8_t all[PSNS * (PACKETS * 1024 + 64)];
    call(l, 0, l->theirs, PSNS * run.place);
    call(l, l->ours, all, PSNS * run.place);
    if (l->buffers) call(l, l->buffers, all, PSNS * PACKETS * run.pmtu);
}

static void blank(link *l, uint64_t address, uint8_t *bytes, size_t size)
{
    (void)l;
    memset(bytes, BLANK, size);
    if (address) memory_write(run.bench->system->board->bytes_of, address, bytes, size);
}

static void is_blank(link *l, uint64_t address, uint8_t *bytes, size_t size)
{
    if (address) memory_read(run.bench->system->board->bytes_of, address, bytes, size);
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != BLANK) {
            wrong("QP %u: byte %zu of the %s memory, outside the messages, was written", rn_qp_number(l->qp), i,
                  address ? "chip's" : "peer's");
            return;
        }
}

static void connect(unsigned connection)
{
    link *l = &run.link[connection];
    char error[ROCE_SYSTEM_ERROR];
    const roce_path path = {(int)connection, run.pmtu, TIMEOUT, 16, {start(), start()}};
    rnic_reset(l->peer);
    for (rnic_completion flushed; rnic_poll(run.bench->system->peer, &flushed);) continue;
    ck_must(!roce_system_connect_both(run.bench->system, l->qp, l->peer, &path, error), "%s", error);
    l->posted = l->complete = l->taken = 0;
    l->buffers = l->found;
    each_region(l, blank);
    roce_checker_expect(run.bench->checker, connection, run.pmtu, TIMEOUT, connection == VICTIM);
}

static uint8_t *their(const link *l, unsigned message) { return l->theirs + message * run.place + message % 61; }

static uint64_t our(const link *l, unsigned message) { return l->ours + message * run.place + message * 7 % 61; }

static uint64_t remote(const link *l, unsigned message)
{
    return ((uint64_t)(l - run.link) + 1) << 32 | (uint64_t)(their(l, message) - l->theirs);
}

static void post(link *l)
{
    struct memory *m = run.bench->system->board->bytes_of;
    unsigned n = l->posted++;
    uint64_t key = key_of(l, n, 0);
    roce_pattern_fill(run.buffer, key, length());
    if (run.t->kind == ROCE_SEND_IN) {
        memcpy(their(l, n), run.buffer, length());
        const rnic_send w = {
            .id = n, .operation = RNIC_SEND, .address = remote(l, n), .key = l->key, .length = length()};
        ck_must(!rnic_post_send(l->peer, &w), "the peer cannot post message %u", n);
        return;
    }
    rn_work w = {.id = (uint16_t)n,
                 .opcode = run.t->kind == ROCE_WRITE  ? RN_WRITE
                           : run.t->kind == ROCE_READ ? RN_READ
                                                      : RN_SEND,
                 .length = length(),
                 .local = our(l, n),
                 .remote = remote(l, n),
                 .rkey = l->key};
    if (run.t->kind == ROCE_READ) memcpy(their(l, n), run.buffer, length());
    else memory_write(m, our(l, n), run.buffer, length());
    if (run.t->kind == ROCE_SEND_OUT) {
        const rnic_receive r = {.id = n, .address = remote(l, n), .key = l->key, .length = length()};
        ck_must(!rnic_post_receive(l->peer, &r), "the peer cannot post receive %u", n);
    }
    MUST(rn_post(l->qp, &w));
}

/* Where a message has come to: in the chip's memory, or (address 0) in the peer's. */
static int holds(const link *l, unsigned message, uint64_t address, int mark)
{
    if (address) memory_read(run.bench->system->board->bytes_of, address, run.buffer, length());
    return roce_pattern_compare(address ? run.buffer : their(l, message), key_of(l, message, mark), length()) ==
           length();
}

static void put(const link *l, unsigned message, uint64_t address, int mark)
{
    if (mark) roce_pattern_fill(run.buffer, key_of(l, message, 1), length());
    else memset(run.buffer, BLANK, length());
    if (address) memory_write(run.bench->system->board->bytes_of, address, run.buffer, length());
    else memcpy(their(l, message), run.buffer, length());
}

/* The next message has come, here and whole. Memory handed to software is not written any more: a mark takes its place.
 */
static void taken(link *l, uint64_t address)
{
    unsigned n = l->taken++;
    ck_must(n < messages(), "%s: QP %u: a message too many", name(), rn_qp_number(l->qp));
    ck_must(holds(l, n, address, 0), "%s: QP %u: message %u is wrong", name(), rn_qp_number(l->qp), n);
    l->taken_from[n] = address;
    if (run.t->kind == ROCE_SEND_IN && !n) l->found = address;
    put(l, n, address, 1);
}

static void poll_chip(link *l)
{
    rn_message m;
    rn_completion done[DEPTH];
    int n;
    while ((n = rn_receive(l->qp, &m)) == 1) {
        ck_must(m.length == length(), "%s: QP %u: a message of %u bytes", name(), rn_qp_number(l->qp), m.length);
        taken(l, m.address);
    }
    MUST(n < 0);
    n = rn_poll(l->qp, done, DEPTH);
    MUST(n < 0);
    for (int i = 0; i < n; i++) {
        ck_must(!done[i].error && done[i].id == l->complete, "%s: QP %u: completion %u%s, expected %u", name(),
                rn_qp_number(l->qp), done[i].id, done[i].error ? " with an error" : "", l->complete);
        if (run.t->kind != ROCE_SEND_OUT) taken(l, run.t->kind == ROCE_READ ? our(l, l->complete) : 0);
        l->complete++;
    }
}

static void poll_peer(void)
{
    for (rnic_completion done; rnic_poll(run.bench->system->peer, &done);) {
        link *l = &run.link[done.qp - ROCE_FIRST_PEER_QP];
        ck_must(done.status == RNIC_SUCCESS, "%s: the peer's QP %u: %s", name(), done.qp,
                rnic_status_name(done.status));
        ck_must(done.id == (done.receive ? l->taken : l->complete), "%s: the peer's QP %u: completion %lu", name(),
                done.qp, (unsigned long)done.id);
        if (done.receive) taken(l, 0);
        else l->complete++;
    }
}

/* Until all is done, and nothing has been on the line for a while. */
static void exchange(void)
{
    sim_clock *clock = run.bench->system->board->clock;
    for (unsigned quiet = 0; quiet < QUIET;) {
        int done = 1;
        poll_peer();
        for (unsigned i = 0; i < CONNECTIONS; i++) {
            link *l = &run.link[i];
            poll_chip(l);
            if (l->posted < messages()) post(l);
            done &= l->complete == messages() && l->taken == messages();
        }
        sim_wait_cycles(clock, 16);
        quiet = done && ethernet_wire_next(run.bench->system->wire) == SIM_FOREVER ? quiet + 16 : 0;
    }
}

/* ---- expected results */

typedef struct figures {
    uint32_t resent, duplicates, invalid, naks_out, naks_in, sends_in;
    rnic_counters peer;
} figures;

static figures now(void)
{
    roce_bench *b = run.bench;
    uint32_t both = roce_bench_register(b, ROCE_ININVDUPCNT);
    return (figures){.resent = roce_bench_register(b, ROCE_RETRYCNTSTS),
                     .duplicates = both >> 16,
                     .invalid = both & 0xffff,
                     .naks_out = roce_bench_register(b, ROCE_OUTNAKPKTCNT),
                     .naks_in = roce_bench_register(b, ROCE_INNAKPKTCNT),
                     .sends_in = roce_bench_register(b, ROCE_INSRRPKTCNT) & 0xffff,
                     .peer = *rnic_get_counters(b->system->peer)};
}

static void same(const char *what, unsigned is, unsigned expected)
{
    if (is != expected) wrong("%s: %u, expected %u", what, is, expected);
}

/* Each message was written once, and nothing else; where it comes from it has not changed. */
static void check_memory(link *l)
{
    for (unsigned n = 0; n < messages(); n++) {
        if (!holds(l, n, l->taken_from[n], 1)) wrong("QP %u: message %u was written again", rn_qp_number(l->qp), n);
        put(l, n, l->taken_from[n], 0);
        uint64_t source = run.t->kind == ROCE_SEND_OUT || run.t->kind == ROCE_WRITE ? our(l, n) : 0;
        if (!holds(l, n, source, 0)) wrong("QP %u: message %u was written where it comes from", rn_qp_number(l->qp), n);
        put(l, n, source, 0);
    }
    each_region(l, is_blank);
}

static void verify(const figures *a, const figures *z)
{
    const roce_counts *chip = roce_checker_counts(run.bench->checker, VICTIM, 0),
                      *peer = roce_checker_counts(run.bench->checker, VICTIM, 1);
    for (unsigned i = 0; i < CONNECTIONS; i++) {
        roce_checker_at_rest(run.bench->checker, i);
        check_memory(&run.link[i]);
    }
    same("packets that were struck", run.strike.struck > 0, 1);
    if (run.strike.count == 1) same("packets that were struck", run.strike.struck, 1);
    same("RETRYCNTSTS", z->resent - a->resent, chip->resent);
    same("ININVDUPCNT.DUPLICATE", (z->duplicates - a->duplicates) & 0xffff, peer->duplicates + chip->unwanted);
    same("ININVDUPCNT.INVALID", (z->invalid - a->invalid) & 0xffff, peer->early);
    same("OUTNAKPKTCNT", (z->naks_out - a->naks_out) & 0xffff, peer->naks);
    same("INNAKPKTCNT", (z->naks_in - a->naks_in) & 0xffff, chip->naks_arrived);
    same("INSRRPKTCNT.SEND", (z->sends_in - a->sends_in) & 0xffff,
         run.t->kind == ROCE_SEND_IN ? CONNECTIONS * PSNS : 0);
    same("the peer's resent_pkts", z->peer.resent_pkts - a->peer.resent_pkts, peer->resent);
    same("the peer's duplicate_request", z->peer.duplicate_request - a->peer.duplicate_request, chip->duplicates);
    same("the peer's out_of_seq_request", z->peer.out_of_seq_request - a->peer.out_of_seq_request, chip->naks_due);
    same("the peer's rcvd_seq_err", z->peer.rcvd_seq_err - a->peer.rcvd_seq_err, peer->naks_arrived);
    same("NAKs of the chip", peer->naks, peer->naks_due);
    same("RNR NAKs", chip->rnrs + peer->rnrs, 0);
    const roce_counts *its = run.t->kind == ROCE_SEND_IN ? peer : chip;
    if (run.strike.count > 1) return;
    if (run.what.fault.kind == ETHERNET_LOSE) {
        same("NAKs", its->naks, run.t->naks);
        same("timeouts", its->timeouts, run.t->timeouts);
        if (run.t->duplicates >= 0) same("duplicates", its->duplicates, run.t->duplicates);
    } else if (run.what.fault.kind == ETHERNET_DUPLICATE) {
        same("NAKs", its->naks, is_nak());
        same("timeouts", its->timeouts, 0);
        same("duplicates", its->duplicates, run.t->twice);
        if (!is_nak()) same("packets sent again", its->resent, 0);
    }
}

/* A byte of the victim's message 2, or behind it, or of where it comes from. */
static void corrupt(const link *l)
{
    uint64_t address = run.corrupt->source ? our(l, 2) : l->taken_from[2];
    if (address) memory_write(run.bench->system->board->bytes_of, address + run.corrupt->at, "x", 1);
    else their(l, 2)[run.corrupt->at] = 'x';
}

static void open_links(void)
{
    roce_system *y = run.bench->system;
    char error[RNIC_ERROR];
    if (roce_system_open(y)) return;
    for (unsigned i = 0; i < CONNECTIONS; i++) {
        link *l = &run.link[i];
        rn_qp_params q = rn_qp_params_default();
        q.send_depth = q.receive_depth = DEPTH;
        q.receive_bytes = PACKETS * run.pmtu;
        q.handshake = (int)i;
        ck_must(!rn_qp_create(y->device, &q, &l->qp), "%s", rn_last_error(y->device));
        const rnic_qp_params pq = {
            .number = ROCE_FIRST_PEER_QP + i, .domain = DOMAIN, .sends = DEPTH, .receives = DEPTH};
        ck_must((l->peer = rnic_qp_new(y->peer, &pq, error)) != NULL, "%s", error);
        l->theirs = test_memory(PSNS * run.place);
        l->ours = y->platform.alloc(y->platform.self, PSNS * run.place, 4096);
        l->key = rnic_register(y->peer, DOMAIN, l->theirs, (uint64_t)(i + 1) << 32, PSNS * run.place,
                               RNIC_LOCAL_WRITE | RNIC_REMOTE_WRITE | RNIC_REMOTE_READ);
    }
}

static void all_targets(void *self)
{
    (void)self;
    static const unsigned turning[ROCE_STARTS] = {8, 16, 8}; /* packet where the number wraps, or changes its sign */
    open_links();
    const target *first = run.corrupt ? run.corrupt->target : targets,
                 *end = run.corrupt ? first + 1 : targets + COUNT(targets);
    for (const target *t = first; t < end && !*sim_error(run.bench->sim); t++) {
        run.t = t;
        run.cases++;
        unsigned message = t->at_the_end
                               ? messages() - 1
                               : turning[run.variation % ROCE_STARTS] / t->packets - !(sim_seed(run.bench->sim) % 2);
        /* few of those that come only after a timeout, or retries would be exhausted */
        unsigned row = (t->at_the_end || is_nak()) && run.what.row > 3 ? 3 : run.what.row;
        run.strike = (roce_strike){&roce_targets[t->struck], run.what.fault, row, start(), message * t->packets, 0, 0};
        for (unsigned i = 0; i < CONNECTIONS; i++) connect(i);
        figures before = now();
        exchange();
        if (run.corrupt && run.corrupt->at) corrupt(&run.link[VICTIM]);
        figures after = now();
        verify(&before, &after);
        run.t = NULL;
    }
}

/* Ends as sim_run does. */
static int all_cases(int variation, fault what)
{
    const sim_config *chip = roce_chips[variation / ROCE_STARTS];
    roce_system_params p = roce_system_defaults(chip);
    p.qps = 1 + CONNECTIONS;
    p.wire.latency = 200 * SIM_NS;
    p.wire.hold = 3 * SIM_US;
    run.variation = variation;
    run.what = what;
    run.pmtu = variation / ROCE_STARTS ? 1024 : 256;
    run.place = PACKETS * run.pmtu + 64;
    run.bench = roce_bench_new(&p, NULL);
    run.bench->checker = roce_checker_new(run.bench->sim, run.bench->system->wire);
    for (int end = 0; end < 2; end++)
        roce_checker_set_queue(run.bench->checker, end,
                               ethernet_wire_time(run.bench->system->wire, CONNECTIONS * PSNS * (run.pmtu + 100)) +
                                   3 * SIM_US);
    ethernet_wire_set_tap(run.bench->system->wire, strike, NULL);
    ck_must(sim_task_new(run.bench->sim, "cases", all_targets, NULL), "no memory left");
    return sim_run(run.bench->sim, 200 * SIM_MS);
}

static void every_target(int variation, fault what)
{
    int result = all_cases(variation, what);
    ck_must(result == SIM_OK, "%s: %s: %s", run.t ? name() : "", sim_result_name(result), sim_error(run.bench->sim));
}

/* Of delays and rows make test takes some, another one for each variation and seed. */
static int some(int all, int of_all) { return RUNS * (long_form() ? all : of_all); }

static int choice(int i, int all)
{
    sim_params p;
    sim_params_default(&p);
    return long_form() ? i / RUNS
                       : (int)((p.seed + (unsigned)(i % RUNS) * 5 + (unsigned)(i / RUNS) * 8) % (unsigned)all);
}

TEST(a_packet_lost, .to = RUNS) { every_target(_i, (fault){{ETHERNET_LOSE, 0}, 1}); }

TEST(a_packet_doubled, .to = RUNS) { every_target(_i, (fault){{ETHERNET_DUPLICATE, 0}, 1}); }

TEST(a_packet_late_by_1_to_16, .to = some(16, 2))
{
    every_target(_i % RUNS, (fault){{ETHERNET_DELAY, 1 + (unsigned)choice(_i, 16)}, 1});
}

static const fault rows[] = {
    {{ETHERNET_LOSE, 0}, 2},      {{ETHERNET_LOSE, 0}, 3},  {{ETHERNET_LOSE, 0}, 8},  {{ETHERNET_DUPLICATE, 0}, 2},
    {{ETHERNET_DUPLICATE, 0}, 8}, {{ETHERNET_DELAY, 1}, 2}, {{ETHERNET_DELAY, 2}, 3}, {{ETHERNET_DELAY, 16}, 8},
};

TEST(packets_in_a_row, .to = some(COUNT(rows), 1)) { every_target(_i % RUNS, rows[choice(_i, COUNT(rows))]); }

/* The expectation is wrong. */
static const target mistaken[] = {{STRIKE_SEND_IN_FIRST, ROCE_SEND_IN, PACKETS, 0, 0, 0, 0, 1},
                                  {STRIKE_WRITE_LAST, ROCE_WRITE, PACKETS, 1, 0, 1, 0, 1}};

static const corrupted noticed[] = {
    {&mistaken[0], 0, 0, "NAKs: 1, expected 0"},
    {&mistaken[1], 0, 0, "duplicates: 3, expected 0"},
    {&targets[0], 5, 0, "message 2 was written again"},
    {&targets[6], 986, 0, "message 2 was written again"},
    {&targets[11], 987, 0, "of the peer's memory, outside the messages"},
    {&targets[16], 987, 0, "of the chip's memory, outside the messages"},
    {&targets[11], 1, 1, "message 2 was written where it comes from"},
};

TEST(what_a_case_must_not_leave_is_noticed, .to = COUNT(noticed))
{
    run.corrupt = &noticed[_i];
    ck_assert_int_eq(all_cases(0, (fault){{ETHERNET_LOSE, 0}, 1}), SIM_FAILED);
    ck_must(strstr(sim_error(run.bench->sim), noticed[_i].wrong) != NULL, "%s", sim_error(run.bench->sim));
}
