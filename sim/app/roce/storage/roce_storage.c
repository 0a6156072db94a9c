#include "sim/app/roce/storage/roce_storage.h"

#include <stdlib.h>
#include <string.h>

#include "sim/app/roce/board/roce_last_packet.h"
#include "sim/app/roce/board/roce_limits.h"
#include "sim/app/roce/traffic/roce_pattern.h"

enum { HOST_QP = 0x10, DOMAIN = 1, PHASES = 2 * 7 /* 1, 2, 4 .. 64 */, RECEIVE_BYTES = 256, POLL = 64 };
enum { HOST_BASE = 0x40000000 };

/* A command under way. Its number is its ID, and its place in the host's memory: command, answer, block. */
typedef struct slot {
    int waits_answer, waits_ack;
    storage_command command;
    unsigned expected; /* status */
    sim_time posted;
} slot;

struct roce_storage {
    roce_system *y;
    roce_storage_params p;
    rn_qp *qp;
    rnic_qp *host;
    storage_node *node;
    uint64_t store;
    uint8_t *memory; /* of the host: ROCE_STORAGE_DEEPEST blocks, then commands, then answers */
    uint32_t key;
    unsigned *versions; /* by block: how often it was written */
    uint8_t *busy;      /* by block: a command for it is under way */
    slot slots[ROCE_STORAGE_DEEPEST];
    roce_storage_phase phases[PHASES];
    unsigned phase, phase_count, issued, receives;
    sim_time *latencies; /* of the phase */
    int opened, checked;
    sim_time began;
    roce_last_packet last[2]; /* from the node, from the host */
};

roce_storage_params roce_storage_defaults(void)
{
    return (roce_storage_params){.deepest = ROCE_STORAGE_DEEPEST,
                                 .commands = 256,
                                 .blocks = 256,
                                 .pmtu = 4096,
                                 .ip = 4,
                                 .timeout = 5,
                                 .reads = 16,
                                 .access = 20};
}

static uint64_t key_of(const roce_storage *t, uint64_t block)
{
    return roce_mix(sim_seed(t->y->sim) << 44 ^ block << 28 ^ t->versions[block]);
}

/* ---- the host's memory */

enum {
    COMMANDS_AT = ROCE_STORAGE_DEEPEST * STORAGE_BLOCK,
    ANSWERS_AT = COMMANDS_AT + ROCE_STORAGE_DEEPEST * STORAGE_COMMAND,
    HOST_BYTES = ANSWERS_AT + ROCE_STORAGE_DEEPEST * STORAGE_ANSWER
};

static size_t data_at(unsigned id) { return (size_t)id * STORAGE_BLOCK; }

static size_t command_at(unsigned id) { return COMMANDS_AT + (size_t)id * STORAGE_COMMAND; }

static size_t answer_at(unsigned receive)
{
    return ANSWERS_AT + (size_t)(receive % ROCE_STORAGE_DEEPEST) * STORAGE_ANSWER;
}

static int post_receive(roce_storage *t)
{
    unsigned receive = t->receives++;
    return rnic_post_receive(t->host, &(rnic_receive){receive, HOST_BASE + answer_at(receive), t->key, STORAGE_ANSWER});
}

/* ---- the checker */

static void wrong(const roce_storage *t, const slot *s, const char *what)
{
    sim_fail(t->y->sim, "storage: command %u (%s block %lu): %s", s->command.id,
             s->command.operation == STORAGE_READ ? "read" : "write", (unsigned long)s->command.block, what);
}

static void check_block(const roce_storage *t, const slot *s, const uint8_t *is)
{
    uint64_t key = key_of(t, s->command.block);
    size_t at = roce_pattern_compare(is, key, STORAGE_BLOCK);
    char text[80];
    if (at == STORAGE_BLOCK) return;
    snprintf(text, sizeof text, "byte %zu is %02x, expected %02x", at, is[at], roce_pattern_byte(key, at));
    wrong(t, s, text);
}

static void check_answer(roce_storage *t, const slot *s, const storage_answer *a)
{
    uint8_t block[STORAGE_BLOCK];
    char text[120];
    if (a->operation != s->command.operation || a->block != s->command.block || a->status != s->expected) {
        snprintf(text, sizeof text, "the answer is operation %u, block %lu, status %u, expected status %u",
                 a->operation, (unsigned long)a->block, a->status, s->expected);
        wrong(t, s, text);
    } else if (s->expected != STORAGE_DONE) return;
    else if (a->operation == STORAGE_READ) check_block(t, s, t->memory + data_at(s->command.id));
    else {
        memory_read(t->y->board->bytes_of, t->store + s->command.block * STORAGE_BLOCK, block, sizeof block);
        check_block(t, s, block);
    }
}

static void check_store(const roce_storage *t)
{
    uint8_t block[STORAGE_BLOCK];
    for (unsigned b = 0; b < t->p.blocks; b++) {
        uint64_t key = key_of(t, b);
        memory_read(t->y->board->bytes_of, t->store + (uint64_t)b * STORAGE_BLOCK, block, sizeof block);
        size_t at = roce_pattern_compare(block, key, sizeof block);
        if (at < sizeof block)
            sim_fail(t->y->sim, "storage: at the end byte %zu of block %u is %02x, expected %02x", at, b, block[at],
                     roce_pattern_byte(key, at));
    }
}

/* ---- packets on the line */

static void observe(void *self, int from, sim_time time, const uint8_t *frame, size_t length, int bad_fcs)
{
    roce_storage *t = self;
    roce_header h;
    if (!bad_fcs && roce_header_of(frame, length, &h)) t->last[from] = (roce_last_packet){time, h};
}

/* Ends a run that cannot go on. */
static void look_for_its_end(const roce_storage *t)
{
    char last[ROCE_LAST_PACKET], why[ROCE_SYSTEM_WHY];
    unsigned qp = rn_qp_number(t->qp);
    if (storage_node_failed(t->node))
        sim_fail(t->y->sim, "storage: QP %u of the node ended with an error: %s; %s", qp,
                 roce_system_why(t->y, qp, why), roce_last_packet_words(&t->last[1], "the host", last));
    for (int from = 0; from < 2; from++) {
        sim_time since = t->last[from].time > t->began ? t->last[from].time : t->began;
        if (sim_now(t->y->sim) - since > roce_last_packet_patience(t->p.timeout))
            sim_fail(t->y->sim, "storage: the %s is silent: QP %u waits, and %s", from ? "host" : "node",
                     from ? qp : HOST_QP, roce_last_packet_words(&t->last[from], "it", last));
    }
}

/* ---- commands and answers */

static uint64_t free_block(const roce_storage *t)
{
    uint64_t b = sim_random_below(t->y->sim, t->p.blocks);
    while (t->busy[b]) b = (b + 1) % t->p.blocks;
    return b;
}

static void issue(roce_storage *t, unsigned id)
{
    roce_storage_phase *f = &t->phases[t->phase];
    slot *s = &t->slots[id];
    int beyond = t->p.beyond && (t->issued + 1) % t->p.beyond == 0;
    uint64_t block = beyond ? t->p.blocks + t->issued : free_block(t);
    uint8_t *data = t->memory + data_at(id);
    *s = (slot){
        1, 1, {f->operation, id, block, HOST_BASE + data_at(id), t->key}, beyond ? STORAGE_NO_BLOCK : STORAGE_DONE, 0};
    memset(data, 0, STORAGE_BLOCK);
    if (!beyond) t->busy[block] = 1;
    if (!beyond && f->operation == STORAGE_WRITE) {
        t->versions[block]++;
        roce_pattern_fill(data, key_of(t, block), STORAGE_BLOCK);
    }
    storage_command_encode(&s->command, t->memory + command_at(id));
    s->posted = sim_now(t->y->sim);
    if (!t->issued++) f->first = s->posted;
    if (rnic_post_send(t->host, &(rnic_send){.id = id,
                                             .operation = RNIC_SEND,
                                             .address = HOST_BASE + command_at(id),
                                             .key = t->key,
                                             .length = STORAGE_COMMAND}))
        wrong(t, s, "the host cannot post it");
}

static void answered(roce_storage *t, const rnic_completion *c)
{
    roce_storage_phase *f = &t->phases[t->phase];
    storage_answer a = storage_answer_decode(t->memory + answer_at((unsigned)c->id));
    slot *s = a.id < ROCE_STORAGE_DEEPEST ? &t->slots[a.id] : NULL;
    if (c->length != STORAGE_ANSWER || !s || !s->waits_answer) {
        sim_fail(t->y->sim, "storage: an answer of %u bytes with ID %u, which is of no command under way", c->length,
                 a.id);
        return;
    }
    check_answer(t, s, &a);
    s->waits_answer = 0;
    if (s->expected == STORAGE_DONE) {
        t->busy[s->command.block] = 0;
        f->bytes += STORAGE_BLOCK;
    }
    f->last = sim_now(t->y->sim);
    t->latencies[f->answered++] = f->last - s->posted;
    if (post_receive(t)) wrong(t, s, "the host cannot post a receive");
    sim_progress(t->y->sim);
}

static void completed(roce_storage *t, const rnic_completion *c)
{
    char last[ROCE_LAST_PACKET];
    if (c->status != RNIC_SUCCESS)
        sim_fail(t->y->sim, "storage: the host's %s %lu ended with %s; %s", c->receive ? "receive" : "command",
                 (unsigned long)c->id, rnic_status_name(c->status),
                 roce_last_packet_words(&t->last[0], "the node", last));
    else if (c->receive) answered(t, c);
    else t->slots[c->id].waits_ack = 0;
}

static int by_length(const void *a, const void *b)
{
    sim_time x = *(const sim_time *)a, y = *(const sim_time *)b;
    return (x > y) - (x < y);
}

static void end_phase(roce_storage *t)
{
    roce_storage_phase *f = &t->phases[t->phase];
    sim_time sum = 0;
    for (unsigned i = 0; i < f->answered; i++) sum += t->latencies[i];
    f->mean = sum / f->answered;
    qsort(t->latencies, f->answered, sizeof *t->latencies, by_length);
    f->ninety_nine = t->latencies[((uint64_t)f->answered * 99 + 99) / 100 - 1];
    t->issued = 0;
    t->phase++;
}

/* The host's software, in each clock. */
static void drive(void *self)
{
    roce_storage *t = self;
    if (!t->opened || t->phase == t->phase_count || *sim_error(t->y->sim)) return;
    for (rnic_completion c; rnic_poll(t->y->peer, &c);) completed(t, &c);
    unsigned depth = t->phases[t->phase].depth, under_way = 0;
    for (unsigned id = 0; id < depth; id++) {
        slot *s = &t->slots[id];
        if (!s->waits_answer && !s->waits_ack && t->issued < t->p.commands) issue(t, id);
        under_way += s->waits_answer || s->waits_ack;
    }
    if (!under_way) end_phase(t);
}

/* ---- set-up */

static int connect_host(roce_storage *t, char error[ROCE_SYSTEM_ERROR])
{
    roce_system *y = t->y;
    roce_path path = {.ipv6 = t->p.ip == 6, .pmtu = t->p.pmtu, .timeout = t->p.timeout, .reads = t->p.reads};
    for (int i = 1; i >= 0; i--) path.psn[i] = (uint32_t)sim_random(y->sim) & 0xffffff;
    rn_qp_params q = rn_qp_params_default();
    q.send_depth = 3 * ROCE_STORAGE_DEEPEST;
    q.receive_depth = ROCE_STORAGE_DEEPEST + 1;
    q.receive_bytes = RECEIVE_BYTES;
    q.handshake = 1;
    const rnic_qp_params host = {.number = HOST_QP, .domain = DOMAIN, .receives = ROCE_STORAGE_DEEPEST};
    if (rn_qp_create(y->device, &q, &t->qp)) {
        snprintf(error, ROCE_SYSTEM_ERROR, "%s", rn_last_error(y->device));
        return -1;
    }
    if (!(t->host = rnic_qp_new(y->peer, &host, error)) || roce_system_connect_both(y, t->qp, t->host, &path, error))
        return -1;
    for (unsigned i = 0; i < ROCE_STORAGE_DEEPEST; i++) post_receive(t);
    return 0;
}

/* Work of the processor: it connects the QP, and fills the store. */
static void open_task(void *self)
{
    roce_storage *t = self;
    roce_system *y = t->y;
    char error[ROCE_SYSTEM_ERROR];
    uint8_t block[STORAGE_BLOCK];
    if (roce_system_open(y)) return;
    if (connect_host(t, error)) {
        sim_fail(y->sim, "storage: %s", error);
        return;
    }
    uint64_t store = y->platform.alloc(y->platform.self, (size_t)t->p.blocks * STORAGE_BLOCK, STORAGE_BLOCK);
    const storage_node_params p = {store, t->p.blocks, t->p.access};
    if (!store) sim_fail(y->sim, "storage: no memory for the store");
    if (!store || !(t->node = storage_node_new(y->board, y->device, t->qp, &p))) return;
    for (unsigned b = 0; b < t->p.blocks; b++) {
        roce_pattern_fill(block, key_of(t, b), sizeof block);
        memory_write(y->board->bytes_of, store + (uint64_t)b * STORAGE_BLOCK, block, sizeof block);
    }
    t->store = store;
    t->began = sim_now(y->sim);
    t->opened = 1;
    while (!(t->phase == t->phase_count && storage_node_idle(t->node)) && !*sim_error(y->sim)) {
        sim_wait_cycles(y->board->clock, POLL);
        look_for_its_end(t);
    }
    if (*sim_error(y->sim)) return;
    check_store(t);
    t->checked = 1;
}

int roce_storage_check(const roce_storage_params *p, char error[ROCE_SYSTEM_ERROR])
{
    const roce_limit limits[] = {
        {"queue depth", p->deepest, 1, ROCE_STORAGE_DEEPEST},
        {"commands", p->commands, 1, 1000000},
        {"blocks", p->blocks, ROCE_STORAGE_DEEPEST, 16384},
        {"timeout", p->timeout, 1, 31},
        {"outstanding READs", p->reads, 1, 16},
        {"clocks of an access", p->access, 1, 100000},
    };
    return roce_limits_check(limits, sizeof limits / sizeof *limits, error) ||
                   roce_limits_path(p->pmtu, p->ip, 0, error)
               ? -1
               : 0;
}

roce_storage *roce_storage_new(roce_system *y, const roce_storage_params *params, char error[ROCE_SYSTEM_ERROR])
{
    if (roce_storage_check(params, error)) return NULL;
    roce_storage *t = calloc(1, sizeof *t);
    snprintf(error, ROCE_SYSTEM_ERROR, "no memory left");
    if (!t) return NULL;
    t->y = y;
    t->p = *params;
    t->memory = calloc(1, HOST_BYTES);
    t->versions = calloc(params->blocks, sizeof *t->versions);
    t->busy = calloc(params->blocks, 1);
    t->latencies = calloc(params->commands, sizeof *t->latencies);
    for (unsigned operation = STORAGE_READ; operation <= STORAGE_WRITE; operation++)
        for (unsigned depth = 1; depth <= params->deepest; depth *= 2)
            t->phases[t->phase_count++] = (roce_storage_phase){.operation = operation, .depth = depth};
    int good = t->memory && t->versions && t->busy && t->latencies &&
               (t->key = rnic_register(y->peer, DOMAIN, t->memory, HOST_BASE, HOST_BYTES,
                                       RNIC_LOCAL_WRITE | RNIC_REMOTE_WRITE | RNIC_REMOTE_READ)) &&
               sim_task_new(y->sim, "open", open_task, t) &&
               !ethernet_wire_observe(y->wire, ETHERNET_ARRIVED, observe, t);
    if (good) {
        sim_clock_attach(y->board->clock, NULL, drive, t);
        return t;
    }
    roce_storage_free(t);
    return NULL;
}

void roce_storage_free(roce_storage *t)
{
    if (!t) return;
    sim_clock_detach(t->y->board->clock, t);
    storage_node_free(t->node);
    if (t->key) rnic_deregister(t->y->peer, t->key);
    free(t->memory);
    free(t->versions);
    free(t->busy);
    free(t->latencies);
    free(t);
}

/* ---- results */

const roce_storage_phase *roce_storage_phases(const roce_storage *t, unsigned *count)
{
    *count = t->phase_count;
    return t->phases;
}

uint64_t roce_storage_store(const roce_storage *t) { return t->store; }

int roce_storage_complete(const roce_storage *t) { return t->checked; }

void roce_storage_progress(const roce_storage *t, uint64_t *answered_, uint64_t *all)
{
    *answered_ = 0;
    *all = (uint64_t)t->phase_count * t->p.commands;
    for (unsigned i = 0; i < t->phase_count; i++) *answered_ += t->phases[i].answered;
}

void roce_storage_print_missing(const roce_storage *t, FILE *out, unsigned lines)
{
    for (const slot *s = t->slots; s < t->slots + ROCE_STORAGE_DEEPEST && lines; s++) {
        if (!s->waits_answer && !s->waits_ack) continue;
        fprintf(out, "storage: command %u, %s block %lu, waits for its %s\n", s->command.id,
                s->command.operation == STORAGE_READ ? "read" : "write", (unsigned long)s->command.block,
                s->waits_answer ? "answer" : "acknowledgement");
        lines--;
    }
}
