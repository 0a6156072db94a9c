// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* The end that uses a disk; see nx_disk.h, nx_disk_initiator.h and README.md. */
#include <stdlib.h>
#include <string.h>

#include "nx_disk_initiator.h"

/* ---- requests */

int nx_disk_submit(nx_disk *d, nx_disk_request *r)
{
    int refused;
    disk_lock(d->w.platform);
    refused = d->stopping || !r->done;
    if (!refused) {
        r->next = NULL;
        r->at = r->parts = r->tries = 0;
        r->late = 0;
        r->answered = 0;
        r->status = NX_DISK_OK;
        r->times = (nx_disk_times){.submitted = disk_now(&d->w)};
        *d->inbox_end = r;
        d->inbox_end = &r->next;
    }
    disk_unlock(d->w.platform);
    return refused ? NX_ERROR_ARGUMENT : NX_OK;
}

static int collect(nx_disk *d)
{
    int found;
    disk_lock(d->w.platform);
    found = d->inbox != NULL;
    if (found) {
        *d->waiting_end = d->inbox;
        d->waiting_end = d->inbox_end;
        d->inbox = NULL;
        d->inbox_end = &d->inbox;
    }
    disk_unlock(d->w.platform);
    return found;
}

static void end_request(nx_disk *d, nx_disk_request *r)
{
    r->times.done = disk_now(&d->w);
    d->counts.requests++;
    r->done(r);
}

static void fail_request(nx_disk_request *r, unsigned status)
{
    if (r->status == NX_DISK_OK) r->status = status;
}

static int moves_data(const nx_disk_request *r)
{
    return r->operation == NX_DISK_READ || r->operation == NX_DISK_WRITE;
}

int disk_is_cut(const nx_disk_request *r)
{
    return r->status != NX_DISK_OK || (r->at == r->length && r->at) || (r->operation == NX_DISK_FLUSH && r->tries);
}

/* It leaves the list of those that wait: the first one. */
static void unqueue(nx_disk *d)
{
    nx_disk_request *r = d->waiting;
    d->waiting = r->next;
    if (!d->waiting) d->waiting_end = &d->waiting;
    r->next = NULL;
}

static unsigned wrong_with(const nx_disk *d, const nx_disk_request *r)
{
    if (r->operation < NX_DISK_READ || r->operation > NX_DISK_WRITE_ZEROES || (r->flags & ~(unsigned)NX_DISK_FUA))
        return NX_DISK_EINVAL;
    if (r->operation == NX_DISK_FLUSH) return r->offset || r->length ? NX_DISK_EINVAL : NX_DISK_OK;
    if (!r->length || r->length % NX_DISK_SECTOR || r->offset % NX_DISK_SECTOR || r->length > d->disk.longest ||
        (moves_data(r) && !r->data && !r->copy) || (r->bus && (r->bus % 8 || r->bus + r->length > (uint64_t)1 << 32)))
        return NX_DISK_EINVAL;
    if (r->offset > d->disk.bytes || r->length > d->disk.bytes - r->offset)
        return r->operation == NX_DISK_READ ? NX_DISK_EINVAL : NX_DISK_ENOSPC;
    return r->operation != NX_DISK_READ && d->disk.flags & NX_DISK_HAS_READ_ONLY ? NX_DISK_EPERM : NX_DISK_OK;
}

void disk_end_part(nx_disk *d, const part *p, unsigned status)
{
    nx_disk_request *r = p->r;
    fail_request(r, status);
    if (p->tries > r->tries) r->tries = p->tries;
    d->counts.parts++;
    if (--r->parts || !disk_is_cut(r)) return;
    if (d->waiting == r) unqueue(d);
    end_request(d, r);
}

/* It ends without an answer. */
static void abandon_part(nx_disk *d, const part *p, unsigned status)
{
    if (p->straight && p->r->operation == NX_DISK_READ) p->r->late = 1;
    disk_end_part(d, p, status);
}

/* ---- sessions */

static void hello(nx_disk *d, unsigned flags)
{
    const wire *w = &d->w;
    slot r = {{DISK_MAGIC | BOX_HELLO, w->session, w->ring | w->pool << 32,
               d->params.places | (uint64_t)flags << 16 | (uint64_t)d->params.place_bytes << 32, d->params.first_number,
               ++d->hello_count, d->params.timeout_ns}};
    disk_tell(&d->w, BOX_HELLO, &r);
    d->sent_at = disk_now(&d->w);
    d->counts.hellos++;
}

static unsigned hello_flags(const nx_disk *d)
{
    return (d->params.pointers ? HELLO_POINTERS : 0u) | (d->params.poll ? HELLO_POLLS : 0u);
}

/* Outstanding commands wait for the new session, in their order. */
static void keep(nx_disk *d)
{
    unsigned had = d->agains;
    for (unsigned i = 0; i < NX_DISK_PLACES_MAX; i++) {
        part p = d->place[i];
        unsigned k;
        if (!p.r) continue;
        for (k = d->agains++; k > had && ((d->again[k - 1].number - p.number) & NUMBERS) < NUMBERS / 2; k--)
            d->again[k] = d->again[k - 1];
        d->again[k] = p;
        d->place[i].r = NULL;
    }
    d->used = 0;
}

static void begin_session(nx_disk *d)
{
    uint64_t last = disk_get_word(&d->w, BOX_LAST_SESSION), time = disk_now(&d->w);
    /* new in both nodes' memories, even after a restart of this one that lost its mailbox */
    d->w.session = (last > time ? last : time) + 1;
    disk_set_word(&d->w, BOX_LAST_SESSION, d->w.session);
    keep(d);
    d->w.places = d->params.places;
    d->w.place_bytes = d->params.place_bytes;
    d->w.interrupt = NX_INTERRUPT;
    disk_wire_clear(&d->w, d->params.first_number & NUMBERS);
    d->state = MEETING;
    d->received_at = time;
    hello(d, hello_flags(d));
}

void disk_lose(nx_disk *d, unsigned why)
{
    d->counts.losses[why]++;
    d->error = nx_disk_loss_name(why);
    if (NX_DISK_WRONG == WRONG_PLACE_REUSED) {
        for (unsigned i = 0; i < NX_DISK_PLACES_MAX; i++) {
            part p = d->place[i];
            if (!p.r) continue;
            d->place[i].r = NULL;
            d->used--;
            disk_end_part(d, &p, NX_DISK_EIO);
        }
        d->received_at = disk_now(&d->w);
        return;
    }
    if (why == NX_DISK_LOST_SILENCE && d->patience < 6) d->patience++;
    d->counts.recoveries++;
    begin_session(d);
}

/* The target has answered: nothing of an older session is on its way any more. */
static int met(nx_disk *d, const slot *r)
{
    wire *w = &d->w;
    const unsigned places = r->word[3] & 0xffff, flags = r->word[3] >> 16 & 0xffff;
    const uint32_t place_bytes = (uint32_t)(r->word[3] >> 32), incarnation = (uint32_t)(r->word[6] >> 32);
    const nx_disk_disk disk = {.bytes = r->word[4],
                               .sector_bytes = r->word[5] & 0xffff,
                               .disk_bytes = r->word[5] >> 16 & 0xffff,
                               .longest = (uint32_t)(r->word[5] >> 32),
                               .read_ahead = (uint32_t)r->word[6],
                               .flags = flags & ~(unsigned)OFFER_POLLS};
    if (!places || places > d->params.places || !place_bytes || place_bytes > d->params.place_bytes ||
        place_bytes % NX_DISK_BLOCK || !disk_peer_memory(r->word[2], places, place_bytes) || !disk_disk_fits(&disk) ||
        (d->known && place_bytes < d->cut)) { /* parts that are under way would not fit */
        disk_set_word(w, BOX_OFFER, 0);
        return 0;
    }
    d->cut = place_bytes;
    disk_wire_clear(w, d->params.first_number & NUMBERS);
    (void)disk_flagged(w, BOX_OFFER); /* what it reports is over */
    w->places = places;
    w->place_bytes = place_bytes;
    w->peer_ring = (uint32_t)r->word[2];
    w->peer_pool = (uint32_t)(r->word[2] >> 32);
    w->pointers = d->params.pointers;
    w->interrupt = flags & OFFER_POLLS ? 0 : NX_INTERRUPT;
    d->disk = disk;
    if (d->incarnation != incarnation) d->target_losses = 0;
    if (d->known && d->incarnation != incarnation && d->writes != d->flushed) {
        d->verifier++;
        d->flushed = d->writes;
    }
    d->incarnation = incarnation;
    d->known = 1;
    d->counts.offers++;
    d->received_at = disk_now(&d->w);
    d->state = OPEN;
    (void)nx_free_slots_now(w->dev, w->peer, &w->lost);
    return 1;
}

static int look(const nx_disk *d, unsigned box, slot *r)
{
    if (!disk_look_at(&d->w, box, r) || r->word[1] != d->w.session) return 0;
    return box == BOX_OFFER ? d->state == MEETING : r->word[6] != d->news;
}

static int look_at_mailbox(nx_disk *d)
{
    slot r;
    int found = 0;
    if (look(d, BOX_OFFER, &r)) found = met(d, &r);
    if (look(d, BOX_NEWS, &r)) {
        found = 1;
        d->news = r.word[6];
        d->received_at = disk_now(&d->w);
        if (r.word[2] == NEWS_BROKEN && d->state == OPEN) disk_lose(d, NX_DISK_LOST_TOLD);
    }
    return found;
}

/* Nobody answers: each timeout is a try of everything. */
static void meet(nx_disk *d)
{
    const uint64_t time = disk_now(&d->w);
    if (time - d->received_at > d->params.timeout_ns) {
        unsigned kept = 0;
        d->received_at = time;
        for (unsigned i = 0; i < d->agains; i++) {
            part p = d->again[i];
            if (++p.tries < NX_DISK_TRIES) d->again[kept++] = p;
            else abandon_part(d, &p, NX_DISK_EIO);
        }
        d->agains = kept;
        for (nx_disk_request **at = &d->waiting, *r; (r = *at);) {
            if (++r->tries < NX_DISK_TRIES || r->parts) {
                at = &r->next;
                continue;
            }
            *at = r->next;
            if (!*at) d->waiting_end = at;
            fail_request(r, NX_DISK_EIO);
            end_request(d, r);
        }
    }
    if (time - d->sent_at > d->params.timeout_ns / 4) {
        d->sent_at = time;
        if (disk_quiet(&d->w)) hello(d, hello_flags(d));
    }
}

/* ---- commands */

static void posted(void *self, int place)
{
    nx_disk *d = self;
    d->place[place].posted = disk_now(&d->w);
}

uint64_t disk_move_data(const nx_disk *d, const part *p, unsigned place)
{
    const wire *w = &d->w;
    const struct nx_platform *m = w->platform;
    nx_disk_request *r = p->r;
    const int writes = r->operation == NX_DISK_WRITE, from = writes || p->straight;
    const uint64_t own = w->pool + (uint64_t)place * w->place_bytes;
    nx_checksum sum = nx_checksum_begin(p->length);
    uint8_t piece[PIECE];
    for (uint32_t at = 0; at < p->length; at += PIECE) {
        const uint32_t size = p->length - at < PIECE ? p->length - at : PIECE;
        uint8_t *bytes = r->data ? (uint8_t *)r->data + p->at + at : piece;
        if (!from) m->mem_read(m->self, own + at, bytes, size);
        else if (!r->data) r->copy(r, p->at + at, piece, size, 1);
        nx_checksum_add(&sum, bytes, size);
        if (writes && !p->straight) m->mem_write(m->self, own + at, bytes, size);
        else if (!from && !r->data) r->copy(r, p->at + at, piece, size, 0);
    }
    return nx_checksum_end(&sum);
}

static void send_part(nx_disk *d, unsigned place, part p)
{
    wire *w = &d->w;
    nx_disk_request *r = p.r;
    const uint32_t theirs = w->peer_pool + place * w->place_bytes;
    const uint32_t data = moves_data(r) ? p.length : 0, written = r->operation == NX_DISK_WRITE ? data : 0;
    p.straight = data && r->bus && !p.tries ? (uint32_t)r->bus + p.at : 0;
    const uint64_t own = p.straight ? p.straight : w->pool + (uint64_t)place * w->place_bytes;
    slot s = {{r->operation | (uint64_t)r->flags << 8 | (uint64_t)place << 16, r->offset + p.at,
               p.length | (written ? (uint64_t)theirs
                           : data  ? own
                                   : 0)
                              << 32}};
    if (written) s.word[SLOT_CHECKSUM] = disk_move_data(d, &p, place);
    if (data) *(p.straight ? &d->counts.straight : &d->counts.pooled) += 1;
    p.number = w->sent;
    p.placed = disk_now(&d->w);
    p.writes = d->writes;
    p.tries++;
    d->place[place] = p;
    if (!d->used++) d->received_at = p.placed;
    disk_put(w, CHECK_COMMAND, &s, own, theirs, written, (int)place);
}

/* The next part of the first request that waits; 0: it has ended, there is none. */
static int next_part(nx_disk *d, part *p)
{
    nx_disk_request *r = d->waiting;
    const unsigned wrong = wrong_with(d, r);
    uint32_t length = r->length - r->at;
    if (wrong) fail_request(r, wrong);
    if (r->status != NX_DISK_OK) {
        unqueue(d);
        if (!r->parts) end_request(d, r);
        return 0;
    }
    if (moves_data(r) && length > d->cut) length = d->cut;
    *p = (part){.r = r, .at = r->at, .length = length};
    r->at += length;
    r->parts++;
    if (r->operation == NX_DISK_FLUSH) r->tries = 1;
    if (disk_is_cut(r)) unqueue(d);
    return 1;
}

static int send_parts(nx_disk *d)
{
    int found = 0;
    while ((d->agains || d->waiting) && d->used < d->w.places && disk_room(&d->w)) {
        unsigned place = 0;
        part p;
        found = 1;
        if (d->agains) {
            p = d->again[0];
            memmove(d->again, d->again + 1, --d->agains * sizeof *d->again);
            if (p.tries >= NX_DISK_TRIES || p.r->status != NX_DISK_OK) {
                disk_end_part(d, &p, NX_DISK_EIO);
                continue;
            }
        } else if (!next_part(d, &p)) continue;
        while (d->place[place].r) place++;
        send_part(d, place, p);
    }
    return found;
}

/* Detects a loss when nothing arrives. */
static void look_for_losses(nx_disk *d)
{
    wire *w = &d->w;
    const uint64_t time = disk_now(&d->w), silence = time - (d->received_at > w->moved ? d->received_at : w->moved);
    const int waits = d->used || d->agains || d->waiting;
    int result = disk_flagged(w, BOX_OFFER);
    if (!result && disk_hole(w)) result = -1 - NX_DISK_LOST_HOLE;
    if (!result && (waits || w->count) && silence > d->params.timeout_ns / 4)
        result = disk_abandoned(w, d->params.timeout_ns / 4);
    if (!result && waits && silence > d->params.timeout_ns << d->patience) result = -1 - NX_DISK_LOST_SILENCE;
    if (result) disk_lose(d, (unsigned)(-1 - result));
}

/* ---- life */

/* The second look, after interrupts are enabled (S4 4.1), is this once more. */
static int ready(void *arg)
{
    const nx_disk *d = arg;
    slot r;
    return d->inbox || d->stopping || (d->state == OPEN && disk_next_pending(&d->w)) || look(d, BOX_OFFER, &r) ||
           look(d, BOX_NEWS, &r);
}

static int ready_wrong(void *arg)
{
    nx_disk *d = arg;
    return ++d->looks != 2 && ready(d);
}

int nx_disk_ready(const nx_disk *d) { return ready((void *)(uintptr_t)d); }

int nx_disk_busy(const nx_disk *d) { return d->inbox || d->waiting || d->agains || d->used; }

static int shut_down(nx_disk *d)
{
    keep(d);
    for (unsigned i = 0; i < d->agains; i++) abandon_part(d, &d->again[i], NX_DISK_ESHUTDOWN);
    d->agains = 0;
    while (d->waiting) {
        nx_disk_request *r = d->waiting;
        unqueue(d);
        fail_request(r, NX_DISK_ESHUTDOWN);
        end_request(d, r);
    }
    if (d->state == CLOSED) return NX_OK;
    d->state = CLOSED;
    disk_wire_clear(&d->w, 0);
    d->w.session++;
    disk_set_word(&d->w, BOX_LAST_SESSION, d->w.session);
    hello(d, HELLO_BYE);
    return disk_push(&d->w, posted, d) < 0 ? NX_ERROR_BUS : NX_OK;
}

int nx_disk_serve(nx_disk *d)
{
    const struct nx_platform *p = d->w.platform;
    int found = collect(d), result;
    if (d->stopping) {
        if ((result = shut_down(d))) return result;
        p->wait(p->self);
        return NX_OK;
    }
    if (d->state == CLOSED) begin_session(d);
    found |= look_at_mailbox(d);
    if (d->state == MEETING) meet(d);
    if (d->state == OPEN) found |= disk_take_completions(d);
    if (d->state == OPEN) found |= send_parts(d);
    if (d->state == OPEN) look_for_losses(d);
    result = disk_push(&d->w, posted, d);
    if (result == NX_ERROR_ABANDONED) disk_lose(d, NX_DISK_LOST_ABANDONED);
    else if (result == NX_ERROR_ARGUMENT)
        disk_lose(d, NX_DISK_LOST_DAMAGED); /* what the target asks for cannot be posted */
    else if (result < 0) {
        d->error = nx_last_error(d->w.dev);
        return result;
    }
    if (found || result > 0) {
        d->counts.served++;
        return NX_OK;
    }
    if (d->w.count || d->params.poll) {
        p->wait(p->self);
        return NX_OK;
    }
    d->looks = 0;
    return nx_wait_event(d->w.dev, NX_DISK_WRONG == WRONG_NO_SECOND_LOOK ? ready_wrong : ready, d);
}

void nx_disk_stop(nx_disk *d)
{
    disk_lock(d->w.platform);
    d->stopping = 1;
    disk_unlock(d->w.platform);
}

int nx_disk_open(nx_device *dev, unsigned target, const nx_disk_params *params, nx_disk **result)
{
    nx_disk *d = calloc(1, sizeof *d);
    int error;
    *result = d;
    if (!d) return NX_ERROR_NO_MEMORY;
    d->waiting_end = &d->waiting;
    d->inbox_end = &d->inbox;
    d->params = params ? *params : nx_disk_params_default();
    d->error = disk_check_params(&d->params, dev);
    if (!d->error && target >= nx_queues(dev))
        d->error = "target: expected a node ID that the device has a request queue for";
    if (d->error) return NX_ERROR_ARGUMENT;
    d->error = "";
    const struct nx_platform *p = nx_platform_of(dev);
    const uint64_t base = p->alloc(p->self, disk_wire_bytes(&d->params), 4096);
    if (!base) {
        d->error = "no bus memory for rings and pool";
        return NX_ERROR_NO_SPACE;
    }
    disk_wire_open(&d->w, dev, target, &d->params, base);
    if ((error = nx_use_interrupts(dev, !d->params.poll))) d->error = nx_last_error(dev);
    return error;
}

void nx_disk_close(nx_disk *d)
{
    if (!d) return;
    if (d->w.ring) {
        (void)nx_drain(d->w.dev, d->w.peer);
        d->w.platform->release(d->w.platform->self, d->w.ring, disk_wire_bytes(&d->params));
    }
    free(d);
}

const nx_disk_disk *nx_disk_get_disk(const nx_disk *d) { return d->known ? &d->disk : NULL; }

nx_disk_counts nx_disk_get_counts(const nx_disk *d) { return d->counts; }

uint64_t nx_disk_verifier(const nx_disk *d) { return d->verifier; }

uint64_t nx_disk_ring(const nx_disk *d) { return d->w.ring; }

const char *nx_disk_last_error(const nx_disk *d) { return d ? d->error : "out of memory"; }
