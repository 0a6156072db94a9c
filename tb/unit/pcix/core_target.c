/* See core_target.h. */
#include "core_host.h"
#include "test.h"

#include <string.h>

#define MEMORY_WORDS 65536

typedef struct {
    host_target target;
    uint64_t memory[MEMORY_WORDS];
    int active; /* a transaction is being answered */
    target_seen now;
    int width;
    unsigned total, phases; /* by byte count; as known now */
    int over;               /* x at which everything is driven high, once known */
    int emitted;            /* a data phase is being moved in this column: its number + 1 */
    uint64_t perr_at;       /* column in which PERR# is low */
    int old_frame, old_irdy;
} agent;

static agent *agent_of(const bench *b) { return (agent *)b->target; }

uint64_t host_memory_word(bench *b, uint64_t address) { return agent_of(b)->memory[address / 8 % MEMORY_WORDS]; }

static void finish(agent *a)
{
    a->target.seen[a->target.count % SEEN_MAX] = a->now;
    a->target.data_phases += a->now.phases;
    a->target.count++;
    a->active = 0;
}

static unsigned boundary(const agent *a, unsigned least)
{
    unsigned w = (unsigned)a->width, n = 128 / w - (unsigned)(a->now.address % 128) / w;
    while (n < least) n += 128 / w;
    return n < a->phases ? n : a->phases;
}

/* A new transaction of the NIC: address phases are looked for two columns back, as a captured input would be. */
static void detect(bench *b, agent *a)
{
    const bus_column *c = bench_at(b, b->now - 2), *before = bench_at(b, b->now - 3);
    if (a->active || c->level[FRAME] || !c->nic.on[FRAME] || !before->level[FRAME] || !before->level[IRDY]) return;
    host_target *t = &a->target;
    memset(&a->now, 0, sizeof a->now);
    a->active = 1;
    a->now.first = b->now - 2;
    a->now.dual = (c->cbe & 0xf) == DUAL_ADDRESS;
    a->now.start = a->now.first + a->now.dual;
    a->now.address = c->ad & 0xffffffff;
    a->now.plan = t->used < t->queued ? t->queue[t->used++ % 256] : t->normal;
    a->over = -1;
}

/* Attributes, known at x = 3. */
static void measure(bench *b, agent *a)
{
    const bus_column *last = bench_at(b, a->now.start), *attribute = bench_at(b, a->now.start + 1);
    a->now.command = last->cbe & 0xf;
    if (a->now.dual) a->now.address = (a->now.address & 0xffffffff) | last->ad << 32;
    a->now.attribute = (uint32_t)attribute->ad;
    a->now.tag = a->now.attribute >> 24 & 0x1f;
    a->now.count = (attribute->cbe & 0xfu) << 8 | (a->now.attribute & 0xff);
    if (!a->now.count) a->now.count = 4096;
    a->width = a->now.plan.narrow || last->level[REQ64] ? 4 : 8;
    a->total = (unsigned)(((a->now.address & (unsigned)(a->width - 1)) + a->now.count + (unsigned)a->width - 1) /
                          (unsigned)a->width);
    a->phases = a->total;
    if (a->target.retry_reads && a->now.command == MEMORY_READ_BLOCK) a->now.plan.kind = PLAN_RETRY;
}

static void respond(bench *b, uint8_t devsel, uint8_t trdy, uint8_t stop, const agent *a)
{
    drive_line(&b->h, DEVSEL, devsel);
    drive_line(&b->h, TRDY, trdy);
    drive_line(&b->h, STOP, stop);
    if (!a->now.plan.narrow && !bench_at(b, a->now.first)->level[REQ64]) drive_line(&b->h, ACK64, devsel);
}

static void read_data(bench *b, const agent *a, unsigned phase)
{
    uint64_t at = (a->now.address & ~(uint64_t)(a->width - 1)) + phase * (unsigned)a->width;
    uint64_t word = host_memory_word(b, at);
    if (a->width == 4) word = at & 4 ? word >> 32 : word & 0xffffffff;
    drive_ad(&b->h, word, a->width == 8 ? 3 : 1);
    if ((int)phase == a->now.plan.bad_parity_phase) b->bad_parity = 1;
}

/* Data phase number i would be in this column; it may turn out that the burst is over. */
static void data_column(bench *b, agent *a, unsigned i, int x)
{
    const target_plan *p = &a->now.plan;
    int is_read = a->now.command == MEMORY_READ_BLOCK;
    bool abort = (int)i == p->abort_phase;
    if (abort || (int)i == p->wait_phase) {
        respond(b, abort, 1, !abort, a);
        a->over = x + 1;
        return;
    }
    if (p->stop_phase >= 0 && (int)i == p->stop_phase) a->phases = boundary(a, i == 0 ? 1 : i + 4);
    /* FRAME# high at k: the last data phase is k + 1 */
    if (i >= a->phases || (i >= 3 && bench_at(b, b->now - 2)->level[FRAME])) {
        respond(b, 1, 1, 1, a);
        finish(a);
        return;
    }
    respond(b, 0, 0, p->stop_phase >= 0 && (int)i >= p->stop_phase ? 0 : 1, a);
    if (is_read) read_data(b, a, i);
    a->emitted = (int)i + 1;
    if ((int)i == p->perr_phase) a->perr_at = b->now + 3;
}

static void drive(bench *b)
{
    agent *a = agent_of(b);
    a->emitted = 0;
    detect(b, a);
    if (a->perr_at && b->now == a->perr_at) drive_line(&b->h, PERR, 0);
    else if (a->perr_at && b->now == a->perr_at + 1) drive_line(&b->h, PERR, 1);
    if (!a->active) return;
    const target_plan *p = &a->now.plan;
    int x = (int)(b->now - a->now.start);
    if (x == 3) measure(b, a);
    if (p->kind == PLAN_NOBODY) {
        if (x == 8) finish(a);
        return;
    }
    if (x < p->decode) return;
    int r = p->decode + 1 + p->waits, is_read = a->now.command == MEMORY_READ_BLOCK;
    if (a->over >= 0 && x >= a->over) {
        respond(b, 1, 1, 1, a);
        finish(a);
        return;
    }
    if (x < r || p->kind == PLAN_NEVER) {
        if (p->kind == PLAN_NEVER && bench_at(b, b->now - 2)->level[FRAME] && x > 4) {
            respond(b, 1, 1, 1, a);
            finish(a);
            return;
        }
        respond(b, 0, 1, 1, a);
        if (x > p->decode && is_read) drive_ad(&b->h, 0x0123456789abcdefull, a->width == 8 ? 3 : 1);
        return;
    }
    if (x == r) a->now.response = b->now;
    switch (p->kind) {
    case PLAN_RETRY:
        respond(b, 0, 1, 0, a);
        break;
    case PLAN_ABORT:
        respond(b, 1, 1, 0, a);
        break;
    case PLAN_SPLIT:
        respond(b, 1, 0, 1, a);
        drive_ad(&b->h, ~0ull, a->width == 8 ? 3 : 1);
        break;
    case PLAN_SINGLE:
        respond(b, 1, 0, 0, a);
        if (is_read) read_data(b, a, 0);
        a->emitted = 1;
        break;
    default:
        data_column(b, a, (unsigned)(x - r), x);
        return;
    }
    a->over = x + 1;
}

/* The column is resolved: a data phase moves; the ends of FRAME# and IRDY# are noted. */
static void sample(bench *b)
{
    agent *a = agent_of(b);
    const bus_column *c = bench_at(b, b->now);
    target_seen *seen = a->active         ? &a->now
                        : a->target.count ? &a->target.seen[(a->target.count - 1) % SEEN_MAX]
                                          : NULL;
    if (seen && c->nic.on[FRAME] && c->level[FRAME] && !seen->frame_high) seen->frame_high = b->now;
    if (seen && c->nic.on[IRDY] && c->level[IRDY] && b->now > seen->start + 2 && !seen->irdy_high)
        seen->irdy_high = b->now;
    if (!a->emitted) return;
    unsigned i = (unsigned)a->emitted - 1;
    a->now.phases++;
    a->now.last = b->now;
    if (a->now.command != MEMORY_WRITE_BLOCK) return;
    uint64_t at = (a->now.address & ~(uint64_t)(a->width - 1)) + i * (unsigned)a->width;
    for (unsigned lane = 0; lane < (unsigned)a->width; lane++) {
        uint64_t byte = at + lane;
        if (byte < a->now.address || byte >= a->now.address + a->now.count) continue;
        uint64_t *word = &a->memory[byte / 8 % MEMORY_WORDS];
        unsigned shift = 8 * (byte % 8);
        *word = (*word & ~(0xffull << shift)) | (c->ad >> 8 * lane & 0xff) << shift;
    }
}

void host_target_on(bench *b)
{
    agent *a = test_memory(sizeof *a);
    for (unsigned i = 0; i < MEMORY_WORDS; i++) a->memory[i] = bench_word(0x100000 + i);
    a->target.normal = (target_plan){.kind = PLAN_DATA,
                                     .decode = 2,
                                     .stop_phase = -1,
                                     .abort_phase = -1,
                                     .wait_phase = -1,
                                     .perr_phase = -1,
                                     .bad_parity_phase = -1};
    b->target = &a->target;
    b->agent_drive = drive;
    b->agent_sample = sample;
}

target_plan *host_plan(bench *b, int kind)
{
    host_target *t = b->target;
    target_plan *p = &t->queue[t->queued++ % 256];
    *p = t->normal;
    p->kind = kind;
    return p;
}

const target_seen *host_seen(const bench *b, unsigned i)
{
    const host_target *t = b->target;
    ck_assert_uint_lt(i, t->count);
    return &t->seen[i % SEEN_MAX];
}

void host_write_and_wait(bench *b, uint64_t address, unsigned n, unsigned first, unsigned status)
{
    unsigned before = b->u.wr_done.count, popped = b->u.source_head;
    bench_write(b, address, n, first);
    bench_write_ends(b, before + 1, 20000, status);
    ck_assert_uint_eq(b->u.source_head - popped, n);
}

void host_check_memory(bench *b, uint64_t address, unsigned n, unsigned first)
{
    for (unsigned i = 0; i < n; i++)
        ck_assert_msg(host_memory_word(b, address + 8 * i) == bench_word(first + i), "word %u of %u at %lx", i, n,
                      (unsigned long)address);
}

void host_check_read(bench *b, unsigned from, uint64_t address, unsigned n)
{
    ck_assert_uint_eq(b->u.rd_data.count, from + n);
    for (unsigned i = 0; i < n; i++)
        ck_assert_msg(b->u.rd_data.words[(from + i) % LOG_MAX] == host_memory_word(b, address + 8 * i), "word %u of %u",
                      i, n);
}
