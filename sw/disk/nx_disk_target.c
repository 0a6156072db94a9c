// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* The end that has the disk; see nx_disk.h, nx_disk_internal.h and README.md. */
#include <stdlib.h>

#include "nx_disk_internal.h"

enum { ENDED, CLOSING, SERVING };
enum { IO_FREE, IO_AT_STORE };

/* Limits of an initiator at the target. */
typedef struct session {
    wire w;
    int state;
    nx_disk_io io[NX_DISK_PLACES_MAX]; /* of each place */
    unsigned char busy[NX_DISK_PLACES_MAX];
    unsigned at_store;
    slot hello;             /* that was looked at last */
    uint64_t sent_at, news; /* [ns], count */
    uint64_t timeout;       /* of the initiator [ns] */
} session;

struct nx_disk_target {
    nx_device *dev;
    const struct nx_platform *platform;
    nx_disk_params params;
    const nx_disk_store *store;
    const char *error;
    session *session[NX_DISK_INITIATORS_MAX]; /* by node ID */
    unsigned peers, turn;
    uint64_t memory;              /* of all sessions */
    uint32_t incarnation, losses; /* since it began: how often answered writes may have been lost */
    nx_disk_io *done, **done_end;
    unsigned looks; /* of the wait that goes on */
    nx_disk_target_counts counts;
};

/* ---- news */

static void tell_news(nx_disk_target *t, session *s, uint64_t number, unsigned state, unsigned why)
{
    slot r = {{DISK_MAGIC | BOX_NEWS, number, state, why, s->w.taken, s->w.sent, ++s->news}};
    disk_tell(&s->w, BOX_NEWS, &r);
    s->sent_at = disk_time(t->platform);
    t->counts.news++;
}

/* The session is over for us; its initiator begins a new one. */
static void drop(nx_disk_target *t, session *s, unsigned why)
{
    t->counts.losses[why]++;
    t->error = nx_disk_loss_name(why);
    s->state = ENDED;
    s->w.count = 0;
    tell_news(t, s, s->w.session, NEWS_BROKEN, why);
}

static void offer(nx_disk_target *t, session *s)
{
    const nx_disk_disk *disk = &t->store->disk;
    const wire *w = &s->w;
    slot r = {{DISK_MAGIC | BOX_OFFER, w->session, w->ring | w->pool << 32,
               w->places | (uint64_t)(disk->flags | (t->params.poll ? OFFER_POLLS : 0u)) << 16 |
                   (uint64_t)w->place_bytes << 32,
               disk->bytes, disk->sector_bytes | (uint64_t)disk->disk_bytes << 16 | (uint64_t)disk->longest << 32,
               disk->read_ahead | (uint64_t)t->incarnation << 32}};
    disk_tell(&s->w, BOX_OFFER, &r);
    s->sent_at = disk_time(t->platform);
}

/* ---- meeting */

static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* Nothing of the old session is at the store, and what it had posted leaves before the OFFER: both are in one request
 * queue. */
static void open_session(nx_disk_target *t, session *s)
{
    const slot *r = &s->hello;
    wire *w = &s->w;
    const unsigned flags = r->word[3] >> 16 & 0xffff;
    w->session = r->word[1];
    w->places = smaller(r->word[3] & 0xffff, t->params.places);
    w->place_bytes = smaller((uint32_t)(r->word[3] >> 32), t->params.place_bytes);
    w->peer_ring = (uint32_t)r->word[2];
    w->peer_pool = (uint32_t)(r->word[2] >> 32);
    w->pointers = (flags & HELLO_POINTERS) != 0;
    w->interrupt = flags & HELLO_POLLS ? 0 : NX_INTERRUPT;
    disk_wire_clear(w, r->word[4] & NUMBERS);
    (void)disk_flagged(w, BOX_HELLO);
    (void)nx_free_slots_now(w->dev, w->peer, &w->lost);
    s->timeout = r->word[6];
    s->state = SERVING;
    t->counts.sessions++;
    offer(t, s);
}

static int is_new(const nx_disk_target *t, unsigned peer, slot *r)
{
    const session *s = t->session[peer];
    if (!disk_get_word(&s->w, BOX_HELLO) || !disk_look_at(&s->w, BOX_HELLO, r)) return 0;
    return r->word[1] > s->hello.word[1] || (r->word[1] == s->hello.word[1] && r->word[5] != s->hello.word[5]);
}

static int usable(const slot *r)
{
    const uint32_t place_bytes = (uint32_t)(r->word[3] >> 32);
    const unsigned places = r->word[3] & 0xffff;
    return places >= 1 && places <= NX_DISK_PLACES_MAX && place_bytes && place_bytes % NX_DISK_BLOCK == 0 &&
           place_bytes <= NX_DISK_PLACE_MAX && r->word[6] >= 1000 && r->word[6] <= NX_DISK_TIMEOUT_MAX &&
           disk_peer_memory(r->word[2], places, place_bytes);
}

/* Someone says HELLO: for the first time, after a restart, or again because no OFFER came. */
static int greet(nx_disk_target *t, unsigned peer)
{
    session *s = t->session[peer];
    slot r;
    if (!is_new(t, peer, &r) || !usable(&r)) return 0;
    const int again = s->state == SERVING && s->hello.word[1] == r.word[1];
    s->hello = r;
    if (again) {
        if (disk_quiet(&s->w)) offer(t, s);
        return 1;
    }
    s->w.count = 0;
    s->state = CLOSING;
    s->timeout = r.word[6];
    s->w.interrupt = r.word[3] >> 16 & HELLO_POLLS ? 0 : NX_INTERRUPT;
    return 1;
}

static int close_session(nx_disk_target *t, session *s)
{
    if (s->at_store) return 0;
    if (s->hello.word[3] >> 16 & HELLO_BYE) s->state = ENDED;
    else open_session(t, s);
    return 1;
}

/* ---- commands */

static uint32_t losses(const nx_disk_target *t)
{
    disk_lock(t->platform);
    const uint32_t all = t->losses;
    disk_unlock(t->platform);
    return all;
}

/* The answer to a command, in a session that is still there. */
static void answer(nx_disk_target *t, nx_disk_io *io, unsigned status)
{
    session *s = io->session;
    const unsigned place = (unsigned)(io - s->io);
    const uint32_t data = io->operation == NX_DISK_READ && status == NX_DISK_OK ? io->length : 0;
    uint64_t time = disk_time(t->platform) - io->taken;
    slot c = {{status | (uint64_t)place << 16, io->number, io->operation == NX_DISK_FLUSH ? losses(t) : io->losses}};
    if (time > UINT32_MAX) time = UINT32_MAX;
    c.word[SLOT_LENGTH] |= time << 32;
    c.word[SLOT_TIME] = io->taken;
    if (data) c.word[SLOT_CHECKSUM] = disk_checksum(&s->w, io->data, data);
    t->counts.completions++;
    s->busy[place] = IO_FREE;
    disk_put(&s->w, CHECK_COMPLETION, &c, io->data, io->to, data, -1);
}

void nx_disk_io_done(nx_disk_target *t, nx_disk_io *io, unsigned status)
{
    disk_lock(t->platform);
    io->status = status;
    io->next = NULL;
    *t->done_end = io;
    t->done_end = &io->next;
    disk_unlock(t->platform);
}

void nx_disk_lost_writes(nx_disk_target *t)
{
    disk_lock(t->platform);
    t->losses++;
    disk_unlock(t->platform);
}

static nx_disk_io *next_done(nx_disk_target *t)
{
    nx_disk_io *io;
    disk_lock(t->platform);
    io = t->done;
    if (io && !(t->done = io->next)) t->done_end = &t->done;
    disk_unlock(t->platform);
    return io;
}

static int take_done(nx_disk_target *t)
{
    nx_disk_io *io;
    int found = 0;
    while ((io = next_done(t))) {
        session *s = io->session;
        found = 1;
        s->at_store--;
        if (s->state == SERVING) answer(t, io, io->status);
        else s->busy[io - s->io] = IO_FREE;
    }
    return found;
}

static unsigned refusal(const nx_disk_target *t, const nx_disk_io *io)
{
    const nx_disk_disk *disk = &t->store->disk;
    if (io->flags & ~(unsigned)NX_DISK_FUA) return NX_DISK_EINVAL;
    if (io->operation == NX_DISK_FLUSH) return io->offset || io->length ? NX_DISK_EINVAL : NX_DISK_OK;
    if (!io->length || io->length % NX_DISK_SECTOR || io->offset % NX_DISK_SECTOR || io->length > disk->longest)
        return NX_DISK_EINVAL;
    if (io->offset > disk->bytes || io->length > disk->bytes - io->offset)
        return io->operation == NX_DISK_READ ? NX_DISK_EINVAL : NX_DISK_ENOSPC;
    return io->operation != NX_DISK_READ && disk->flags & NX_DISK_HAS_READ_ONLY ? NX_DISK_EPERM : NX_DISK_OK;
}

static void take_command(nx_disk_target *t, session *s, const slot *c)
{
    wire *w = &s->w;
    const unsigned place = c->word[SLOT_OPERATION] >> 16 & 0xffff, operation = c->word[SLOT_OPERATION] & 0xff;
    const uint32_t length = (uint32_t)c->word[SLOT_LENGTH], address = (uint32_t)(c->word[SLOT_LENGTH] >> 32);
    const uint64_t own = w->pool + (uint64_t)place * w->place_bytes;
    const int writes = operation == NX_DISK_WRITE, reads = operation == NX_DISK_READ;
    if (place >= w->places || s->busy[place] || operation < NX_DISK_READ || operation > NX_DISK_WRITE_ZEROES ||
        ((reads || writes) && (length > w->place_bytes || length % 8)) || (writes && address != (uint32_t)own) ||
        (reads && (!address || address % 8 || address + (uint64_t)length > (uint64_t)1 << 32))) {
        drop(t, s, NX_DISK_LOST_DAMAGED);
        return;
    }
    if (writes && disk_checksum(w, own, length) != c->word[SLOT_CHECKSUM]) {
        drop(t, s, NX_DISK_LOST_CHECKSUM);
        return;
    }
    disk_take(w);
    t->counts.commands++;
    nx_disk_io *io = &s->io[place];
    *io = (nx_disk_io){.operation = operation,
                       .flags = c->word[SLOT_OPERATION] >> 8 & 0xff,
                       .initiator = w->peer,
                       .offset = c->word[SLOT_OFFSET],
                       .length = length,
                       .data = own,
                       .session = s,
                       .to = address,
                       .number = c->word[SLOT_PENDING] & NUMBERS,
                       .losses = losses(t),
                       .taken = disk_time(t->platform)};
    s->busy[place] = IO_AT_STORE;
    const unsigned wrong = refusal(t, io);
    if (wrong || (NX_DISK_WRONG == WRONG_FLUSH_EARLY && operation == NX_DISK_FLUSH)) {
        answer(t, io, wrong);
        return;
    }
    if (!s->at_store++) s->sent_at = io->taken; /* before that there was nothing to wait for */
    t->store->begin(t->store->self, t, io);
}

/* One command of one initiator. */
static int serve_command(nx_disk_target *t, session *s)
{
    slot c;
    int result;
    if (s->state != SERVING || !disk_room(&s->w)) return 0;
    result = disk_next(&s->w, CHECK_COMMAND, &c);
    if (result > 0) take_command(t, s, &c);
    else if (result < 0) drop(t, s, (unsigned)(-1 - result));
    return result != 0;
}

/* All that is pending, a command of each initiator in turn. */
static int serve_commands(nx_disk_target *t)
{
    int found = 0, more = 1;
    for (unsigned round = 0; more && round < NX_DISK_PLACES_MAX; round++) {
        more = 0;
        for (unsigned i = 0; i < t->peers; i++) more |= serve_command(t, t->session[(t->turn + i) % t->peers]);
        found |= more;
    }
    return found;
}

/* ---- life */

/* Losses detected by time, or by the data. */
static void watch(nx_disk_target *t, session *s)
{
    wire *w = &s->w;
    const uint64_t time = disk_time(t->platform);
    int result = s->state == SERVING ? disk_flagged(w, BOX_HELLO) : 0;
    if (!result && s->state == SERVING && disk_hole(w)) result = -1 - NX_DISK_LOST_HOLE;
    if (!result && w->count && time - w->moved > s->timeout / 4) result = disk_abandoned(w, s->timeout / 4);
    if (s->state == SERVING && result) drop(t, s, (unsigned)(-1 - result));
    if ((w->count || w->owed) && time - w->moved > NX_DISK_TRIES * s->timeout &&
        !disk_quiet(w)) { /* it takes nothing any more */
        t->counts.given_up += s->state != ENDED;
        w->count = w->owed = 0;
        s->state = ENDED;
    }
    if (s->at_store && s->state != ENDED && time - s->sent_at > s->timeout / 4) {
        s->sent_at = time;
        if (w->count < MESSAGES / 2 && time - w->moved < s->timeout)
            tell_news(t, s, s->state == SERVING ? w->session : s->hello.word[1],
                      s->state == SERVING ? NEWS_AT_WORK : NEWS_WAIT, 0);
    }
}

/* The second look, after interrupts are enabled (S4 4.1), is this once more. */
static int work_there(void *arg)
{
    const nx_disk_target *t = arg;
    slot r;
    if (t->done) return 1;
    for (unsigned i = 0; i < t->peers; i++) {
        const session *s = t->session[i];
        if ((s->state == SERVING && disk_next_pending(&s->w) && disk_room(&s->w)) || (is_new(t, i, &r) && usable(&r)))
            return 1;
    }
    return 0;
}

static int work_there_wrong(void *arg)
{
    nx_disk_target *t = arg;
    return ++t->looks != 2 && work_there(t);
}

int nx_disk_target_ready(const nx_disk_target *t) { return work_there((void *)(uintptr_t)t); }

int nx_disk_target_busy(const nx_disk_target *t)
{
    for (unsigned i = 0; i < t->peers; i++)
        if (t->session[i]->at_store || t->session[i]->w.count || t->session[i]->state == CLOSING) return 1;
    return t->done != NULL;
}

int nx_disk_target_serve(nx_disk_target *t)
{
    const struct nx_platform *p = t->platform;
    int found, waits = 0, result;
    found = take_done(t);
    if (t->store->poll && t->store->poll(t->store->self)) found = 1;
    for (unsigned i = 0; i < t->peers; i++) {
        session *s = t->session[i];
        found |= greet(t, i);
        if (s->state == CLOSING) found |= close_session(t, s);
    }
    found |= serve_commands(t);
    t->turn = (t->turn + 1) % t->peers;
    for (unsigned i = 0; i < t->peers; i++) {
        session *s = t->session[(t->turn + i) % t->peers];
        watch(t, s);
        result = disk_push(&s->w, NULL, NULL);
        if (result == NX_ERROR_ABANDONED) drop(t, s, NX_DISK_LOST_ABANDONED);
        else if (result == NX_ERROR_ARGUMENT)
            drop(t, s, NX_DISK_LOST_DAMAGED); /* what this one asks for cannot be posted */
        else if (result < 0) {
            t->error = nx_last_error(t->dev);
            return result;
        }
        found |= result > 0;
        waits |= s->w.count != 0;
    }
    if (found) {
        t->counts.served++;
        return NX_OK;
    }
    if (waits || t->params.poll) {
        p->wait(p->self);
        return NX_OK;
    }
    t->looks = 0;
    return nx_wait_event(t->dev, NX_DISK_WRONG == WRONG_NO_SECOND_LOOK ? work_there_wrong : work_there, t);
}

int nx_disk_target_open(nx_device *dev, const nx_disk_store *store, const nx_disk_params *params,
                        nx_disk_target **result)
{
    nx_disk_target *t = calloc(1, sizeof *t);
    int error;
    *result = t;
    if (!t) return NX_ERROR_NO_MEMORY;
    t->dev = dev;
    t->platform = nx_platform_of(dev);
    t->store = store;
    t->params = params ? *params : nx_disk_params_default();
    t->done_end = &t->done;
    t->error = disk_check_params(&t->params, dev);
    if (!t->error && !disk_disk_fits(&store->disk))
        t->error = "disk: expected a multiple of 512 bytes, not 0, sectors of 512, and requests of 512 bytes to 32 MiB";
    if (t->error) return NX_ERROR_ARGUMENT;
    t->error = "";
    t->peers = nx_queues(dev) < NX_DISK_INITIATORS_MAX ? nx_queues(dev) : NX_DISK_INITIATORS_MAX;
    /* each initiator's place depends on its node ID alone: data still on their way after a crash land where they did no
     * harm before */
    t->memory = t->platform->alloc(t->platform->self, t->peers * disk_wire_bytes(&t->params), 4096);
    if (!t->memory) {
        t->error = "no bus memory for rings and pools";
        return NX_ERROR_NO_SPACE;
    }
    for (unsigned i = 0; i < t->peers; i++) {
        if (!(t->session[i] = calloc(1, sizeof **t->session))) return NX_ERROR_NO_MEMORY;
        disk_wire_open(&t->session[i]->w, dev, i, &t->params, t->memory + i * disk_wire_bytes(&t->params));
    }
    t->incarnation = (uint32_t)disk_time(t->platform) | 1;
    if ((error = nx_use_interrupts(dev, !t->params.poll))) t->error = nx_last_error(dev);
    return error;
}

void nx_disk_target_close(nx_disk_target *t)
{
    if (!t) return;
    for (unsigned i = 0; i < t->peers; i++) {
        if (t->session[i] && t->session[i]->timeout) (void)nx_drain(t->dev, i); /* it has said HELLO */
        free(t->session[i]);
    }
    if (t->memory) t->platform->release(t->platform->self, t->memory, t->peers * disk_wire_bytes(&t->params));
    free(t);
}

nx_disk_target_counts nx_disk_target_get_counts(const nx_disk_target *t) { return t->counts; }

const char *nx_disk_target_last_error(const nx_disk_target *t) { return t ? t->error : "out of memory"; }
