/* The end that uses a disk; see nx_block.h, nx_block_internal.h and README.md. */
#include <stdlib.h>
#include <string.h>

#include "nx_block_internal.h"

/* What one command asks for: a request, or a part of it that fits into a place. */
typedef struct part {
    nx_block_request *r; /* NULL: this place is free */
    uint32_t at, length;
    unsigned tries;
    uint64_t number;         /* of its command */
    uint64_t placed, posted; /* [ns] */
    uint64_t writes;         /* flush: writes that were answered before it was sent */
} part;

enum { CLOSED, MEETING, OPEN };

struct nx_block {
    wire w;
    nx_block_params params;
    nx_block_disk disk;
    int state, known, stopping;
    const char *error;
    part place[NX_BLOCK_PLACES_MAX]; /* under way in this session */
    unsigned used;
    part again[NX_BLOCK_PLACES_MAX]; /* under way in a session that was lost, oldest first */
    unsigned agains;
    nx_block_request *waiting, **waiting_end; /* not all of it has been made parts */
    nx_block_request *inbox, **inbox_end;     /* submitted from any context */
    uint32_t cut;                             /* [bytes] longest part */
    uint32_t incarnation;                     /* of the target */
    uint64_t writes, flushed;                 /* answered; of these on the disk, or known to be lost */
    uint64_t verifier, told_once;             /* write verifier; the last one told to anybody */
    uint32_t target_losses;                   /* of this incarnation, as its last flush said */
    uint64_t heard, told, hello_count;        /* [ns] from the target; our last HELLO */
    uint64_t news;                            /* the last one seen */
    unsigned patience;                        /* silence lasts longer after each one that proved nothing, power of 2 */
    unsigned looks;                           /* of the wait that goes on */
    nx_block_counts counts;
};

/* ---- requests */

int nx_block_submit(nx_block *d, nx_block_request *r)
{
    int refused;
    block_lock(d->w.platform);
    refused = d->stopping || !r->done;
    if (!refused) {
        r->next = NULL;
        r->at = r->parts = r->tries = 0;
        r->answered = 0;
        r->status = NX_BLOCK_OK;
        r->times = (nx_block_times){.submitted = block_now(&d->w)};
        *d->inbox_end = r;
        d->inbox_end = &r->next;
    }
    block_unlock(d->w.platform);
    return refused ? NX_ERROR_ARGUMENT : NX_OK;
}

static int collect(nx_block *d)
{
    int found;
    block_lock(d->w.platform);
    found = d->inbox != NULL;
    if (found) {
        *d->waiting_end = d->inbox;
        d->waiting_end = d->inbox_end;
        d->inbox = NULL;
        d->inbox_end = &d->inbox;
    }
    block_unlock(d->w.platform);
    return found;
}

static void end_request(nx_block *d, nx_block_request *r)
{
    r->times.done = block_now(&d->w);
    d->counts.requests++;
    r->done(r);
}

static void fail_request(nx_block_request *r, unsigned status)
{
    if (r->status == NX_BLOCK_OK) r->status = status;
}

static int moves_data(const nx_block_request *r)
{
    return r->operation == NX_BLOCK_READ || r->operation == NX_BLOCK_WRITE;
}

/* All of it has been made parts; a failed one gets no more. */
static int is_cut(const nx_block_request *r)
{
    return r->status != NX_BLOCK_OK || (r->at == r->length && r->at) || (r->operation == NX_BLOCK_FLUSH && r->tries);
}

/* It leaves the list of those that wait: the first one. */
static void unqueue(nx_block *d)
{
    nx_block_request *r = d->waiting;
    d->waiting = r->next;
    if (!d->waiting) d->waiting_end = &d->waiting;
    r->next = NULL;
}

static unsigned wrong_with(const nx_block *d, const nx_block_request *r)
{
    if (r->operation < NX_BLOCK_READ || r->operation > NX_BLOCK_WRITE_ZEROES || (r->flags & ~(unsigned)NX_BLOCK_FUA))
        return NX_BLOCK_EINVAL;
    if (r->operation == NX_BLOCK_FLUSH) return r->offset || r->length ? NX_BLOCK_EINVAL : NX_BLOCK_OK;
    if (!r->length || r->length % NX_BLOCK_SECTOR || r->offset % NX_BLOCK_SECTOR || r->length > d->disk.longest ||
        (moves_data(r) && !r->data))
        return NX_BLOCK_EINVAL;
    if (r->offset > d->disk.bytes || r->length > d->disk.bytes - r->offset)
        return r->operation == NX_BLOCK_READ ? NX_BLOCK_EINVAL : NX_BLOCK_ENOSPC;
    return r->operation != NX_BLOCK_READ && d->disk.flags & NX_BLOCK_HAS_READ_ONLY ? NX_BLOCK_EPERM : NX_BLOCK_OK;
}

/* One part less under way. */
static void end_part(nx_block *d, const part *p, unsigned status)
{
    nx_block_request *r = p->r;
    fail_request(r, status);
    if (p->tries > r->tries) r->tries = p->tries;
    d->counts.parts++;
    if (--r->parts || !is_cut(r)) return;
    if (d->waiting == r) unqueue(d);
    end_request(d, r);
}

/* ---- sessions */

static void hello(nx_block *d, unsigned flags)
{
    const wire *w = &d->w;
    slot r = {{BLOCK_MAGIC | BOX_HELLO, w->session, w->ring | w->pool << 32,
               d->params.places | (uint64_t)flags << 16 | (uint64_t)d->params.place_bytes << 32, d->params.first_number, ++d->hello_count,
               d->params.timeout_ns}};
    block_tell(&d->w, BOX_HELLO, &r);
    d->told = block_now(&d->w);
    d->counts.hellos++;
}

static unsigned hello_flags(const nx_block *d)
{
    return (d->params.pointers ? HELLO_POINTERS : 0u) | (d->params.poll ? HELLO_POLLS : 0u);
}

/* What was under way waits for the new session, in the order in which it was sent. */
static void keep(nx_block *d)
{
    unsigned had = d->agains;
    for (unsigned i = 0; i < NX_BLOCK_PLACES_MAX; i++) {
        part p = d->place[i];
        unsigned k;
        if (!p.r) continue;
        for (k = d->agains++; k > had && ((d->again[k - 1].number - p.number) & NUMBERS) < NUMBERS / 2; k--) d->again[k] = d->again[k - 1];
        d->again[k] = p;
        d->place[i].r = NULL;
    }
    d->used = 0;
}

static void begin_session(nx_block *d)
{
    uint64_t last = block_get_word(&d->w, BOX_LAST_SESSION), time = block_now(&d->w);
    /* new in both nodes' memories, even after a restart of this one that lost its mailbox */
    d->w.session = (last > time ? last : time) + 1;
    block_set_word(&d->w, BOX_LAST_SESSION, d->w.session);
    keep(d);
    d->w.places = d->params.places;
    d->w.place_bytes = d->params.place_bytes;
    d->w.interrupt = NX_INTERRUPT;
    block_wire_clear(&d->w, d->params.first_number & NUMBERS);
    d->state = MEETING;
    d->heard = time;
    hello(d, hello_flags(d));
}

static void lose(nx_block *d, unsigned why)
{
    d->counts.losses[why]++;
    d->error = nx_block_loss_name(why);
    if (NX_BLOCK_WRONG == WRONG_PLACE_REUSED) {
        for (unsigned i = 0; i < NX_BLOCK_PLACES_MAX; i++) {
            part p = d->place[i];
            if (!p.r) continue;
            d->place[i].r = NULL;
            d->used--;
            end_part(d, &p, NX_BLOCK_EIO);
        }
        d->heard = block_now(&d->w);
        return;
    }
    if (why == NX_BLOCK_LOST_SILENCE && d->patience < 6) d->patience++;
    d->counts.recoveries++;
    begin_session(d);
}

/* The target has answered: nothing of an older session is on its way any more. */
static int met(nx_block *d, const slot *r)
{
    wire *w = &d->w;
    const unsigned places = r->word[3] & 0xffff, flags = r->word[3] >> 16 & 0xffff;
    const uint32_t place_bytes = (uint32_t)(r->word[3] >> 32), incarnation = (uint32_t)(r->word[6] >> 32);
    const nx_block_disk disk = {.bytes = r->word[4],
                                .sector_bytes = r->word[5] & 0xffff,
                                .block_bytes = r->word[5] >> 16 & 0xffff,
                                .longest = (uint32_t)(r->word[5] >> 32),
                                .read_ahead = (uint32_t)r->word[6],
                                .flags = flags & ~(unsigned)OFFER_POLLS};
    if (!places || places > d->params.places || !place_bytes || place_bytes > d->params.place_bytes || place_bytes % NX_BLOCK_BLOCK ||
        !block_peer_memory(r->word[2], places, place_bytes) || !block_disk_fits(&disk) ||
        (d->known && place_bytes < d->cut)) { /* parts that are under way would not fit */
        block_set_word(w, BOX_OFFER, 0);
        return 0;
    }
    d->cut = place_bytes;
    block_wire_clear(w, d->params.first_number & NUMBERS);
    (void)block_flagged(w, BOX_OFFER); /* what it tells of is over */
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
    d->heard = block_now(&d->w);
    d->state = OPEN;
    (void)nx_free_slots_now(w->dev, w->peer, &w->lost);
    return 1;
}

static int look(const nx_block *d, unsigned box, slot *r)
{
    if (!block_look(&d->w, box, r) || r->word[1] != d->w.session) return 0;
    return box == BOX_OFFER ? d->state == MEETING : r->word[6] != d->news;
}

static int look_at_mailbox(nx_block *d)
{
    slot r;
    int found = 0;
    if (look(d, BOX_OFFER, &r)) found = met(d, &r);
    if (look(d, BOX_NEWS, &r)) {
        found = 1;
        d->news = r.word[6];
        d->heard = block_now(&d->w);
        if (r.word[2] == NEWS_BROKEN && d->state == OPEN) lose(d, NX_BLOCK_LOST_TOLD);
    }
    return found;
}

/* Nobody answers: each timeout is a try of everything. */
static void meet(nx_block *d)
{
    const uint64_t time = block_now(&d->w);
    if (time - d->heard > d->params.timeout_ns) {
        unsigned kept = 0;
        d->heard = time;
        for (unsigned i = 0; i < d->agains; i++) {
            part p = d->again[i];
            if (++p.tries < NX_BLOCK_TRIES) d->again[kept++] = p;
            else end_part(d, &p, NX_BLOCK_EIO);
        }
        d->agains = kept;
        for (nx_block_request **at = &d->waiting, *r; (r = *at);) {
            if (++r->tries < NX_BLOCK_TRIES || r->parts) {
                at = &r->next;
                continue;
            }
            *at = r->next;
            if (!*at) d->waiting_end = at;
            fail_request(r, NX_BLOCK_EIO);
            end_request(d, r);
        }
    }
    if (time - d->told > d->params.timeout_ns / 4) {
        d->told = time;
        if (block_quiet(&d->w)) hello(d, hello_flags(d));
    }
}

/* ---- commands */

static void posted(void *self, int place)
{
    nx_block *d = self;
    d->place[place].posted = block_now(&d->w);
}

static void send_part(nx_block *d, unsigned place, part p)
{
    wire *w = &d->w;
    nx_block_request *r = p.r;
    const uint64_t own = w->pool + (uint64_t)place * w->place_bytes;
    const uint32_t theirs = w->peer_pool + place * w->place_bytes;
    const uint32_t data = moves_data(r) ? p.length : 0, written = r->operation == NX_BLOCK_WRITE ? data : 0;
    slot s = {{r->operation | (uint64_t)r->flags << 8 | (uint64_t)place << 16, r->offset + p.at,
               p.length | (written ? (uint64_t)theirs
                           : data  ? own
                                   : 0)
                              << 32}};
    if (written) {
        const uint8_t *bytes = (const uint8_t *)r->data + p.at;
        nx_checksum sum = nx_checksum_begin(written);
        nx_checksum_add(&sum, bytes, written);
        s.word[SLOT_CHECKSUM] = nx_checksum_end(&sum);
        w->platform->mem_write(w->platform->self, own, bytes, written);
    }
    p.number = w->sent;
    p.placed = block_now(&d->w);
    p.writes = d->writes;
    p.tries++;
    d->place[place] = p;
    if (!d->used++) d->heard = p.placed;
    block_put(w, CHECK_COMMAND, &s, own, theirs, written, (int)place);
}

/* The next part of the first request that waits; 0: it has ended, there is none. */
static int next_part(nx_block *d, part *p)
{
    nx_block_request *r = d->waiting;
    const unsigned wrong = wrong_with(d, r);
    uint32_t length = r->length - r->at;
    if (wrong) fail_request(r, wrong);
    if (r->status != NX_BLOCK_OK) {
        unqueue(d);
        if (!r->parts) end_request(d, r);
        return 0;
    }
    if (moves_data(r) && length > d->cut) length = d->cut;
    *p = (part){.r = r, .at = r->at, .length = length};
    r->at += length;
    r->parts++;
    if (r->operation == NX_BLOCK_FLUSH) r->tries = 1;
    if (is_cut(r)) unqueue(d);
    return 1;
}

static int send_parts(nx_block *d)
{
    int found = 0;
    while ((d->agains || d->waiting) && d->used < d->w.places && block_room(&d->w)) {
        unsigned place = 0;
        part p;
        found = 1;
        if (d->agains) {
            p = d->again[0];
            memmove(d->again, d->again + 1, --d->agains * sizeof *d->again);
            if (p.tries >= NX_BLOCK_TRIES || p.r->status != NX_BLOCK_OK) {
                end_part(d, &p, NX_BLOCK_EIO);
                continue;
            }
        } else if (!next_part(d, &p)) continue;
        while (d->place[place].r) place++;
        send_part(d, place, p);
    }
    return found;
}

/* ---- completions */

/* A flush was answered: its status. Each client is told once of each change of the write verifier, and of one during its flush. */
static unsigned flushed(nx_block *d, const part *p, unsigned status, uint32_t losses)
{
    uint64_t *known = NX_BLOCK_WRONG == WRONG_TOLD_ONCE ? &d->told_once : &p->r->verifier;
    if (status == NX_BLOCK_OK && p->writes > d->flushed) d->flushed = p->writes;
    if (losses != d->target_losses) d->verifier++;
    d->target_losses = losses;
    if (*known != d->verifier) status = NX_BLOCK_EIO;
    *known = d->verifier;
    return status;
}

/* A part of a request that changes the disk was answered; the target took it after so many losses. If clients have been told of a later one
 * before the request ends well, this is a loss of its own. */
static void written(nx_block *d, const part *p, uint32_t losses)
{
    nx_block_request *r = p->r;
    if (r->flags & NX_BLOCK_FUA) return;
    d->writes++;
    if ((int32_t)(d->target_losses - losses) > 0) r->answered = d->verifier;
    else if (!r->answered) r->answered = d->verifier + 1;
    if (r->answered != d->verifier + 1 && r->parts == 1 && is_cut(r) && r->status == NX_BLOCK_OK) d->verifier++;
}

static void complete(nx_block *d, const slot *s)
{
    wire *w = &d->w;
    const unsigned place = s->word[SLOT_OPERATION] >> 16 & 0xffff;
    const unsigned slot = w->taken_slot;
    const uint32_t losses = (uint32_t)s->word[SLOT_LENGTH];
    unsigned status = s->word[SLOT_OPERATION] & 0xff;
    part p;
    block_take(w);
    if (place >= w->places || !d->place[place].r || d->place[place].number != s->word[SLOT_OFFSET]) {
        lose(d, NX_BLOCK_LOST_COMPLETION);
        return;
    }
    p = d->place[place];
    if (p.r->operation == NX_BLOCK_READ && status == NX_BLOCK_OK &&
        block_checksum(w, w->pool + (uint64_t)place * w->place_bytes, p.length, (uint8_t *)p.r->data + p.at) != s->word[SLOT_CHECKSUM]) {
        lose(d, NX_BLOCK_LOST_CHECKSUM);
        return;
    }
    d->place[place].r = NULL;
    d->used--;
    d->heard = block_now(&d->w);
    d->patience = 0;
    if (status > NX_BLOCK_ESHUTDOWN) status = NX_BLOCK_EIO;
    if (status == NX_BLOCK_OK) {
        if (p.r->operation == NX_BLOCK_READ) d->counts.bytes_read += p.length;
        else if (p.r->operation == NX_BLOCK_WRITE) d->counts.bytes_written += p.length;
        if (p.r->operation != NX_BLOCK_READ && p.r->operation != NX_BLOCK_FLUSH) written(d, &p, losses);
    }
    if (p.r->operation == NX_BLOCK_FLUSH) status = flushed(d, &p, status, losses);
    p.r->times.placed = p.placed;
    p.r->times.posted = p.posted;
    p.r->times.taken = s->word[SLOT_TIME];
    p.r->times.answered = s->word[SLOT_TIME] + (s->word[SLOT_LENGTH] >> 32);
    p.r->times.slot = slot;
    end_part(d, &p, status);
}

static int take_completions(nx_block *d)
{
    int found = 0, result = 0;
    const uint64_t session = d->w.session;
    slot s;
    while (d->w.session == session && (result = block_next(&d->w, CHECK_COMPLETION, &s)) > 0) {
        found = 1;
        complete(d, &s);
    }
    if (d->w.session == session && result < 0) lose(d, (unsigned)(-1 - result));
    return found || result < 0;
}

/* What tells of a loss when nothing comes. */
static void look_for_losses(nx_block *d)
{
    wire *w = &d->w;
    const uint64_t time = block_now(&d->w), silence = time - (d->heard > w->moved ? d->heard : w->moved);
    const int waits = d->used || d->agains || d->waiting;
    int result = block_flagged(w, BOX_OFFER);
    if (!result && block_hole(w)) result = -1 - NX_BLOCK_LOST_HOLE;
    if (!result && (waits || w->count) && silence > d->params.timeout_ns / 4) result = block_abandoned(w, d->params.timeout_ns / 4);
    if (!result && waits && silence > d->params.timeout_ns << d->patience) result = -1 - NX_BLOCK_LOST_SILENCE;
    if (result) lose(d, (unsigned)(-1 - result));
}

/* ---- life */

/* The second look, after interrupts are enabled (S4 4.1), is this once more. */
static int ready(void *arg)
{
    const nx_block *d = arg;
    slot r;
    return d->inbox || d->stopping || (d->state == OPEN && block_next_pending(&d->w)) || look(d, BOX_OFFER, &r) || look(d, BOX_NEWS, &r);
}

static int ready_wrong(void *arg)
{
    nx_block *d = arg;
    return ++d->looks != 2 && ready(d);
}

int nx_block_ready(const nx_block *d)
{
    return ready((void *)(uintptr_t)d);
}

int nx_block_busy(const nx_block *d)
{
    return d->inbox || d->waiting || d->agains || d->used;
}

static int shut_down(nx_block *d)
{
    keep(d);
    for (unsigned i = 0; i < d->agains; i++) end_part(d, &d->again[i], NX_BLOCK_ESHUTDOWN);
    d->agains = 0;
    while (d->waiting) {
        nx_block_request *r = d->waiting;
        unqueue(d);
        fail_request(r, NX_BLOCK_ESHUTDOWN);
        end_request(d, r);
    }
    if (d->state == CLOSED) return NX_OK;
    d->state = CLOSED;
    block_wire_clear(&d->w, 0);
    d->w.session++;
    block_set_word(&d->w, BOX_LAST_SESSION, d->w.session);
    hello(d, HELLO_BYE);
    return block_push(&d->w, posted, d) < 0 ? NX_ERROR_BUS : NX_OK;
}

int nx_block_serve(nx_block *d)
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
    if (d->state == OPEN) found |= take_completions(d);
    if (d->state == OPEN) found |= send_parts(d);
    if (d->state == OPEN) look_for_losses(d);
    result = block_push(&d->w, posted, d);
    if (result == NX_ERROR_ABANDONED) lose(d, NX_BLOCK_LOST_ABANDONED);
    else if (result == NX_ERROR_ARGUMENT) lose(d, NX_BLOCK_LOST_DAMAGED); /* what the target asks for cannot be posted */
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
    return nx_wait_event(d->w.dev, NX_BLOCK_WRONG == WRONG_NO_SECOND_LOOK ? ready_wrong : ready, d);
}

void nx_block_stop(nx_block *d)
{
    block_lock(d->w.platform);
    d->stopping = 1;
    block_unlock(d->w.platform);
}

int nx_block_open(nx_device *dev, unsigned target, const nx_block_params *params, nx_block **result)
{
    nx_block *d = calloc(1, sizeof *d);
    int error;
    *result = d;
    if (!d) return NX_ERROR_NO_MEMORY;
    d->waiting_end = &d->waiting;
    d->inbox_end = &d->inbox;
    d->params = params ? *params : nx_block_params_default();
    d->error = block_check_params(&d->params, dev);
    if (!d->error && target >= nx_queues(dev)) d->error = "target: expected a node ID that the device has a request queue for";
    if (d->error) return NX_ERROR_ARGUMENT;
    d->error = "";
    const struct nx_platform *p = nx_platform_of(dev);
    const uint64_t base = p->alloc(p->self, block_wire_bytes(&d->params), 4096);
    if (!base) {
        d->error = "no bus memory for rings and pool";
        return NX_ERROR_NO_SPACE;
    }
    block_wire_open(&d->w, dev, target, &d->params, base);
    if ((error = nx_use_interrupts(dev, !d->params.poll))) d->error = nx_last_error(dev);
    return error;
}

void nx_block_close(nx_block *d)
{
    if (!d) return;
    if (d->w.ring) {
        (void)nx_drain(d->w.dev, d->w.peer);
        d->w.platform->release(d->w.platform->self, d->w.ring, block_wire_bytes(&d->params));
    }
    free(d);
}

const nx_block_disk *nx_block_get_disk(const nx_block *d)
{
    return d->known ? &d->disk : NULL;
}

nx_block_counts nx_block_get_counts(const nx_block *d)
{
    return d->counts;
}

uint64_t nx_block_verifier(const nx_block *d)
{
    return d->verifier;
}

uint64_t nx_block_ring(const nx_block *d)
{
    return d->w.ring;
}

const char *nx_block_last_error(const nx_block *d)
{
    return d ? d->error : "out of memory";
}
