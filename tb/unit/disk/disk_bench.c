#include "disk_bench.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nx_words.h"
#include "test.h"

enum { SECTOR = NX_DISK_SECTOR };

void disk_bench_wrong(disk_bench *b, const char *format, ...)
{
    va_list list;
    if (*b->wrong) return;
    va_start(list, format);
    vsnprintf(b->wrong, sizeof b->wrong, format, list);
    va_end(list);
}

/* ---- contents */

static uint64_t word_of(uint32_t sector, uint32_t version, unsigned word)
{
    uint64_t z = ((uint64_t)sector << 32 | version) * 0x9e3779b97f4a7c15u + word;
    if (!version) return 0;
    z = (z ^ z >> 29) * 0xbf58476d1ce4e5b9u;
    return (z & ~(uint64_t)0xffffffff) | version;
}

static void fill(uint8_t *bytes, uint32_t sector, uint32_t version)
{
    for (unsigned i = 0; i < SECTOR / 8; i++) nx_put64(bytes + 8 * i, word_of(sector, version, i));
}

/* Which version it is; SECTOR_NONE: none, or not a whole one. */
static uint32_t version_of(const uint8_t *bytes, uint32_t sector)
{
    uint32_t version = (uint32_t)nx_get64(bytes);
    for (unsigned i = 0; i < SECTOR / 8; i++)
        if (nx_get64(bytes + 8 * i) != word_of(sector, version, i)) return SECTOR_NONE;
    return version;
}

/* ---- the disk */

static void dirty(disk_bench *b, const nx_disk_io *io)
{
    for (uint32_t k = 0; k < io->length / SECTOR; k++) b->sector[io->offset / SECTOR + k].dirty = 1;
}

/* Dirty sectors there become durable, or are lost. */
static void sync_range(disk_bench *b, uint64_t offset, uint64_t length, int lost)
{
    for (uint64_t k = offset / SECTOR; k < (offset + length) / SECTOR; k++) {
        if (b->sector[k].dirty && !lost) memcpy(b->durable + k * SECTOR, b->content + k * SECTOR, SECTOR);
        b->sector[k].dirty = 0;
    }
}

static void execute(disk_bench *b, nx_disk_io *io)
{
    const struct nx_platform *p = b->platform[0];
    int lost = 0;
    switch (io->operation) {
    case NX_DISK_READ:
        p->mem_write(p->self, io->data, b->content + io->offset, io->length);
        break;
    case NX_DISK_WRITE:
        p->mem_read(p->self, io->data, b->content + io->offset, io->length);
        dirty(b, io);
        break;
    case NX_DISK_FLUSH:
        lost = b->sync_fails && !(b->random() % b->sync_fails);
        sync_range(b, 0, b->store.disk.bytes, lost);
        break;
    default:
        memset(b->content + io->offset, 0, io->length);
        dirty(b, io);
    }
    if (io->flags & NX_DISK_FUA) sync_range(b, io->offset, io->length, 0);
    if (lost) nx_disk_lost_writes(b->target);
    nx_disk_io_done(b->target, io, lost ? NX_DISK_EIO : NX_DISK_OK);
}

static uint64_t now(const disk_bench *b, unsigned host) { return b->platform[host]->now(b->platform[host]->self); }

static void begin(void *self, nx_disk_target *target, nx_disk_io *io)
{
    disk_bench *b = self;
    uint64_t delay = b->delay_ns + (b->delay_random_ns ? b->random() % b->delay_random_ns : 0), due = now(b, 0) + delay;
    (void)target;
    b->begun++;
    if (b->on_begin) b->on_begin(b, io);
    if (!delay) {
        execute(b, io);
        return;
    }
    if (b->in_order && b->last_due + delay > due) due = b->last_due + delay;
    b->last_due = due;
    ck_assert_uint_lt(b->ios, BENCH_IOS);
    b->io[b->ios] = io;
    b->due[b->ios++] = due;
}

static int due(const disk_bench *b)
{
    for (unsigned i = 0; i < b->ios; i++)
        if (b->due[i] <= now(b, 0)) return (int)i;
    return -1;
}

static int poll(void *self)
{
    disk_bench *b = self;
    int i, found = 0;
    while ((i = due(b)) >= 0) {
        nx_disk_io *io = b->io[i];
        b->ios--;
        b->io[i] = b->io[b->ios];
        b->due[i] = b->due[b->ios];
        found = 1;
        execute(b, io);
    }
    return found;
}

/* ---- clients */

/* 1 if a sector may hold this version, by the rule of the bench. */
static void verify(disk_bench *b, uint32_t sector, uint32_t version, const char *where)
{
    const sector_state *s = &b->sector[sector];
    int right = version == s->now || version == s->other;
    if (b->rule == BENCH_LOSSY) right = version >= s->safe && version <= s->made;
    if (b->rule == BENCH_SHARED) right = version <= s->made;
    if (version == SECTOR_NONE)
        disk_bench_wrong(b, "sector %u, %s: torn or foreign data, expected version %u", sector, where, s->now);
    else if (!right)
        disk_bench_wrong(b, "sector %u, %s: version %u, expected %u%s; %u was flushed", sector, where, version, s->now,
                         s->other == SECTOR_NONE ? "" : " or that of a failed write", s->safe);
}

/* A flush begins: its data are durable when it ends without an error. */
static void cover(disk_client *c, uint32_t *covered)
{
    disk_bench *b = c->b;
    for (const disk_client *o = b->client; o < b->client + b->clients; o++)
        for (uint32_t k = o->first; k < o->first + o->sectors && o->host == c->host; k++)
            covered[k] = b->sector[k].order > c->reported_at ? b->sector[k].now : b->sector[k].safe;
}

static void flushed(disk_client *c, const nx_disk_request *r, const uint32_t *covered)
{
    disk_bench *b = c->b;
    if (r->verifier > c->verifier) {
        c->verifier = r->verifier;
        c->reported_at = b->answers;
    }
    for (const disk_client *o = b->client;
         o < b->client + b->clients && r->status == NX_DISK_OK && b->rule == BENCH_LOSSY; o++)
        for (uint32_t k = o->first; k < o->first + o->sectors && o->host == c->host; k++) {
            const uint32_t durable = version_of(b->durable + (uint64_t)k * SECTOR, k);
            if (durable == SECTOR_NONE || durable < covered[k])
                disk_bench_wrong(
                    b, "sector %u: version %u was answered before a flush of client %u, which says OK; durable is %d",
                    k, covered[k], c->number, (int)durable);
            if (covered[k] > b->sector[k].safe) b->sector[k].safe = covered[k];
        }
}

/* Between data that lie on the bus and a piece. */
static void copy(nx_disk_request *r, uint32_t at, void *piece, uint32_t length, int to_piece)
{
    disk_client *c = r->owner;
    const struct nx_platform *p = c->b->platform[c->host];
    const uint64_t bus = c->bus[r - c->request] + at;
    if (to_piece) p->mem_read(p->self, bus, piece, length);
    else p->mem_write(p->self, bus, piece, length);
}

static void answered(nx_disk_request *r)
{
    disk_client *c = r->owner;
    disk_bench *b = c->b;
    unsigned i = (unsigned)(r - c->request);
    if (c->on_bus && r->operation == NX_DISK_READ) copy(r, 0, c->data[i], r->length, 1);
    uint32_t first = (uint32_t)(r->offset / SECTOR), count = r->length / SECTOR;
    b->answers++;
    c->status[r->status]++;
    if (r->tries > c->tries) c->tries = r->tries;
    if (r->times.done - r->times.submitted > c->worst_ns) c->worst_ns = r->times.done - r->times.submitted;
    for (uint32_t k = 0; k < count; k++) {
        sector_state *s = &b->sector[first + k];
        uint32_t version = version_of(c->data[i] + k * SECTOR, first + k);
        s->in_flight = 0;
        if (r->operation == NX_DISK_READ && r->status == NX_DISK_OK) {
            verify(b, first + k, version, "host read");
            if (b->rule == BENCH_EXACT) s->now = version, s->other = SECTOR_NONE;
        } else if (r->operation != NX_DISK_READ) {
            uint32_t made = r->operation == NX_DISK_WRITE ? version : 0;
            if (r->status == NX_DISK_OK && r->operation != NX_DISK_DISCARD) {
                s->now = made;
                s->other = SECTOR_NONE;
                s->order = b->answers;
                if (r->flags & NX_DISK_FUA) s->safe = made;
            } else if (made != s->now) s->other = made;
        }
    }
    if (r->operation == NX_DISK_FLUSH) flushed(c, r, c->covered[i]);
    c->used[i] = 0;
    c->ended++;
    if (c->answered) c->answered(c, r);
}

static unsigned pick(disk_client *c)
{
    unsigned all = 0, at;
    for (unsigned i = 1; i < 6; i++) all += c->mix[i];
    at = (unsigned)(c->b->random() % all);
    for (unsigned i = 1;; i++) {
        if (at < c->mix[i]) return i;
        at -= c->mix[i];
    }
}

/* A request for sectors that no other one of this client is about; 0: not now. */
static int make(disk_client *c, unsigned i, unsigned operation)
{
    disk_bench *b = c->b;
    nx_disk_request *r = &c->request[i];
    unsigned count = c->least + (unsigned)(b->random() % (c->most - c->least + 1));
    uint32_t first = c->first + (uint32_t)(b->random() % (c->sectors - count + 1));
    *r = (nx_disk_request){.operation = operation, .done = answered, .owner = c, .data = c->data[i]};
    if (operation == NX_DISK_FLUSH) {
        r->verifier = c->verifier;
        cover(c, c->covered[i]);
        return 1;
    }
    for (unsigned k = 0; k < count; k++)
        if (b->sector[first + k].in_flight) return 0;
    r->offset = (uint64_t)first * SECTOR;
    r->length = count * SECTOR;
    if (operation != NX_DISK_READ && b->random() % 100 < c->fua) r->flags = NX_DISK_FUA;
    for (unsigned k = 0; k < count; k++) {
        sector_state *s = &b->sector[first + k];
        s->in_flight = b->rule != BENCH_SHARED;
        if (operation == NX_DISK_WRITE) fill(c->data[i] + k * SECTOR, first + k, ++s->made);
        else memset(c->data[i] + k * SECTOR, 0, SECTOR);
    }
    if (c->on_bus) {
        r->data = NULL;
        r->copy = copy;
        if (b->random() % 4) r->bus = c->bus[i];
        copy(r, 0, c->data[i], r->length, 0);
    }
    return 1;
}

static void submit(disk_bench *b, unsigned host, nx_disk_request *r)
{
    ck_assert_int_eq(nx_disk_submit(b->disk[host], r), NX_OK);
    b->kick[host] = 1;
}

void disk_bench_client(void *arg)
{
    disk_client *c = arg;
    disk_bench *b = c->b;
    const struct nx_platform *p = b->platform[c->host];
    unsigned operation = pick(c), ended = 0;
    uint64_t since = now(b, c->host);
    while (c->ended < c->operations && !*b->wrong && !b->over) {
        unsigned i = 0;
        if (c->ended != ended) ended = c->ended, since = now(b, c->host);
        if (now(b, c->host) - since > 100u * 1000 * 1000)
            disk_bench_wrong(b, "host %u: no request is answered for 100 ms", c->host);
        while (i < c->depth && c->used[i]) i++;
        if (c->pause) {
            c->pause--;
            p->wait(p->self);
        } else if (c->begun < c->operations && i < c->depth && make(c, i, operation)) {
            c->used[i] = 1;
            c->begun++;
            submit(b, c->host, &c->request[i]);
            operation = pick(c);
        } else p->wait(p->self);
    }
    for (unsigned i = 0; i < b->clients; i++)
        if (b->client[i].ended < b->client[i].operations && !*b->wrong) return;
    b->over = 1;
}

struct single {
    int ended;
};

static void single_ended(nx_disk_request *r)
{
    struct single *s = r->owner;
    s->ended = 1;
}

unsigned disk_bench_request(disk_bench *b, unsigned host, nx_disk_request *r)
{
    struct single s = {0};
    r->done = single_ended;
    r->owner = &s;
    r->verifier = b->verifier[host];
    submit(b, host, r);
    while (!s.ended && !*b->wrong) b->platform[host]->wait(b->platform[host]->self);
    b->verifier[host] = r->verifier;
    return s.ended ? r->status : NX_DISK_ESHUTDOWN; /* hosts have ended: something is wrong */
}

unsigned disk_bench_do(disk_bench *b, unsigned host, unsigned operation, uint64_t offset, uint32_t length, void *data,
                       unsigned flags)
{
    nx_disk_request r = {.operation = operation, .flags = flags, .offset = offset, .length = length, .data = data};
    return disk_bench_request(b, host, &r);
}

/* ---- hosts */

int disk_bench_awake(void *arg)
{
    const disk_seat *s = arg;
    return s->b->kick[s->host] || (!s->host && due(s->b) >= 0);
}

void disk_bench_host(void *arg)
{
    const disk_seat *s = arg;
    disk_bench *b = s->b;
    while (!b->over && !*b->wrong) {
        const struct nx_platform *p = b->platform[s->host];
        int error = 0;
        b->kick[s->host] = 0;
        if (!s->host && b->crash) {
            const uint64_t up = now(b, 0) + b->crash_ns;
            disk_bench_crash(b);
            while (now(b, 0) < up) p->wait(p->self);
            disk_bench_reopen(b);
        }
        if (b->halted[s->host]) p->wait(p->self);
        else if (s->host) error = nx_disk_serve(b->disk[s->host]);
        else error = nx_disk_target_serve(b->target);
        if (error)
            disk_bench_wrong(b, "host %u: %s: %s", s->host, nx_strerror(error),
                             s->host ? nx_disk_last_error(b->disk[s->host]) : nx_disk_target_last_error(b->target));
    }
    b->over = 1;
}

/* ---- life */

disk_bench *disk_bench_new(unsigned hosts, nx_device *const *dev, const struct nx_platform *const *platform,
                           uint64_t mailbox, uint32_t sectors, uint64_t (*random)(void))
{
    disk_bench *b = test_memory(sizeof *b);
    b->hosts = hosts;
    b->random = random;
    for (unsigned i = 0; i < hosts; i++) {
        b->dev[i] = dev[i];
        b->platform[i] = platform[i];
        b->params[i] = nx_disk_params_default();
        b->params[i].mailbox = mailbox;
    }
    b->content = test_memory((size_t)sectors * SECTOR);
    b->durable = test_memory((size_t)sectors * SECTOR);
    b->sector = test_memory(sectors * sizeof *b->sector);
    for (uint32_t i = 0; i < sectors; i++) b->sector[i].other = SECTOR_NONE;
    b->store = (nx_disk_store){
        .disk = {.bytes = (uint64_t)sectors * SECTOR,
                 .sector_bytes = SECTOR,
                 .disk_bytes = NX_DISK_BLOCK,
                 .longest = NX_DISK_LONGEST,
                 .flags = NX_DISK_HAS_FLUSH | NX_DISK_HAS_FUA | NX_DISK_HAS_DISCARD | NX_DISK_HAS_ZEROES},
        .self = b,
        .begin = begin,
        .poll = poll};
    return b;
}

void disk_bench_reopen(disk_bench *b)
{
    static const uint8_t zeros[NX_DISK_MAILBOX_BYTES];
    const struct nx_platform *p = b->platform[0];
    for (unsigned i = 0; i < NX_DISK_PEERS; i++)
        p->mem_write(p->self, b->params[0].mailbox + i * sizeof zeros, zeros, sizeof zeros);
    ck_assert_msg(!nx_disk_target_open(b->dev[0], &b->store, &b->params[0], &b->target), "%s",
                  nx_disk_target_last_error(b->target));
    b->halted[0] = 0;
}

void disk_bench_crash(disk_bench *b)
{
    b->crash = 0;
    b->halted[0] = 1;
    b->ios = 0;
    memcpy(b->content, b->durable, b->store.disk.bytes);
    for (uint64_t k = 0; k < b->store.disk.bytes / SECTOR; k++) b->sector[k].dirty = 0;
    nx_disk_target_close(b->target);
    b->target = NULL;
}

void disk_bench_open(disk_bench *b)
{
    disk_bench_reopen(b);
    for (unsigned i = 1; i < b->hosts; i++)
        ck_assert_msg(!nx_disk_open(b->dev[i], 0, &b->params[i], &b->disk[i]), "%s", nx_disk_last_error(b->disk[i]));
    while (b->clients < BENCH_CLIENTS && b->client[b->clients].operations) {
        disk_client *c = &b->client[b->clients];
        const struct nx_platform *p = b->platform[c->host];
        c->b = b;
        c->number = b->clients++;
        for (unsigned i = 0; i < c->depth; i++) {
            c->data[i] = test_memory(c->most * SECTOR);
            if (c->on_bus) c->bus[i] = p->alloc(p->self, c->most * SECTOR, 8);
            c->covered[i] = test_memory(b->store.disk.bytes / SECTOR * sizeof *c->covered[i]);
        }
    }
}

void disk_bench_close(disk_bench *b)
{
    for (unsigned i = b->hosts; i-- > 1;) nx_disk_close(b->disk[i]);
    nx_disk_target_close(b->target);
    for (const disk_client *c = b->client; c < b->client + b->clients; c++)
        for (unsigned i = 0; i < c->depth && c->on_bus; i++)
            b->platform[c->host]->release(b->platform[c->host]->self, c->bus[i], c->most * SECTOR);
}

void disk_bench_check(disk_bench *b)
{
    for (uint32_t i = 0; i < b->store.disk.bytes / SECTOR; i++) {
        const uint32_t durable = version_of(b->durable + (uint64_t)i * SECTOR, i);
        verify(b, i, version_of(b->content + (uint64_t)i * SECTOR, i), "disk");
        if (b->rule == BENCH_LOSSY && (durable == SECTOR_NONE || durable < b->sector[i].safe))
            disk_bench_wrong(b, "sector %u: version %u was flushed, after a crash there would be %d", i,
                             b->sector[i].safe, (int)durable);
    }
}
