// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* A sender of a remote queue; see nx_sync.h.
 *
 * Messages are posted as they come. Now and then, and when nothing more is to be sent, a fence follows them: REOPEN and
 * FETCH_ADD of 0. The answer of FETCH_ADD comes behind every REFUSED for messages before it, so those are taken or
 * known as refused. A REOPEN with the count that was known last reopens nothing if a REFUSED was lost on its way: the
 * node sends another one.
 *
 * The other node counts since its RST#. What it has counted when a sender is opened it tells in answer to a REOPEN with
 * another count: of 1 and 2 one at least is another.
 *
 * Refused are the last messages before the fence, as many as the count has risen: all behind the first refused one are
 * refused, too. They are sent again after REOPEN with the new count, later each time. If packets were lost meanwhile
 * the count of taken ones does not fit: no message is sent twice, but one that was refused may be taken for lost.
 */
#include <stdlib.h>

#include "nx_sync_internal.h"

enum { MOST_BACKOFF = 64, FENCE_WORD = 0, PARTS = 4 /* of the timeout until an answer is asked for again */ };

enum state {
    OPEN,    /* messages are posted */
    STOPPED, /* some were refused: no more until a fence tells how many */
    WAITING  /* until `again` */
};

struct nx_rsender {
    nx_sync *sync;
    nx_rsender_params p;
    unsigned flow, queue;
    uint64_t ring; /* bus address of the copies */
    enum state state;
    uint64_t next;    /* messages given to nx_rsend */
    uint64_t posted;  /* of these, those before it are posted, or posted again */
    uint64_t taken;   /* ... are known to be in the queue, or lost */
    uint64_t fence;   /* `posted` at the fence that is on its way */
    unsigned slot;    /* of its answer */
    int fenced;       /* there is one */
    uint64_t asked;   /* since when */
    unsigned retries; /* fences in turn without an answer */
    uint64_t again;
    unsigned backoff; /* times backoff_ns */
    uint64_t lost;    /* messages that are known to be lost */
    nx_rsender_counts counts;
};

static uint64_t now(const nx_rsender *r) { return r->sync->dev->platform->now(r->sync->dev->platform->self); }

/* The count at which the queue was last open. */
static uint16_t *refused_before(const nx_rsender *r)
{
    return &r->sync->counts->refused[r->flow % NX_SYNC_NODES][r->queue];
}

/* No REFUSED has come yet if the word is 0. */
static uint16_t refused_now(const nx_rsender *r, unsigned *reason)
{
    const uint64_t word = nx_sync_refusals(r->sync, r->flow, r->queue);
    *reason = (unsigned)(word >> 56);
    return word ? (uint16_t)(word >> 32) : *refused_before(r);
}

uint64_t nx_sync_refusals(const nx_sync *s, unsigned source, unsigned queue)
{
    return nx_memory_get64(s->dev, s->area + NX_SYNC_REFUSED + 128 * (source % NX_SYNC_NODES) + 8 * queue);
}

static int reopen(nx_rsender *r, unsigned count)
{
    return nx_sync_post(r->sync, r->flow, NX_REOPEN, r->queue, count & 0x7fff, 0, 1);
}

/* What the other node has refused before this sender is there. */
static int learn(nx_rsender *r)
{
    uint16_t *known = &r->sync->counts->known[r->flow % NX_SYNC_NODES];
    unsigned reason;
    uint64_t old;
    int error;
    if (*known >> r->queue & 1) return NX_OK;
    for (unsigned tries = 0;; tries++) { /* an answer may be lost */
        if ((error = reopen(r, 1)) || (error = reopen(r, 2))) return error;
        error = nx_fetch_add(r->sync, r->flow, FENCE_WORD, 0, &old);
        if (error != NX_ERROR_TIMEOUT || tries == PARTS) break;
    }
    if (error) return error;
    *refused_before(r) = refused_now(r, &reason);
    *known |= (uint16_t)(1u << r->queue);
    return NX_OK;
}

int nx_rsender_open(nx_sync *s, unsigned flow, unsigned queue, const nx_rsender_params *params, nx_rsender **result)
{
    const struct nx_platform *p = s->dev->platform;
    nx_rsender *r;
    *result = NULL;
    if (flow >= NX_SYNC_NODES || flow >= nx_queues(s->dev) || queue >= NX_SYNC_QUEUES)
        return nx_fail(s->dev, NX_ERROR_ARGUMENT, "queue %u of flow %u, expected 0..%d and 0..%u", queue, flow,
                       NX_SYNC_QUEUES - 1, nx_queues(s->dev) - 1);
    if (!(r = calloc(1, sizeof *r))) return nx_fail(s->dev, NX_ERROR_NO_MEMORY, "no memory for a sender");
    *r = (nx_rsender){.sync = s, .flow = flow, .queue = queue, .backoff = 1};
    if (params) r->p = *params;
    if (!r->p.window) r->p.window = 64;
    if (!r->p.words) r->p.words = NX_OPERATION_WORDS;
    if (!r->p.backoff_ns) r->p.backoff_ns = 2000;
    if (r->p.window < 2 || r->p.window > 1024 || r->p.words > NX_OPERATION_WORDS) {
        const int error =
            nx_fail(s->dev, NX_ERROR_ARGUMENT, "window of %u messages of %u words, expected 2..1024 of 1..%d",
                    r->p.window, r->p.words, NX_OPERATION_WORDS);
        free(r);
        return error;
    }
    r->ring = p->alloc(p->self, (size_t)r->p.window * (r->p.words + 1) * 8, 64);
    if (!r->ring) {
        free(r);
        return nx_fail(s->dev, NX_ERROR_NO_SPACE, "no bus memory for a window of messages");
    }
    const int error = learn(r);
    if (error) nx_rsender_close(r);
    else *result = r;
    return error;
}

void nx_rsender_close(nx_rsender *r)
{
    if (!r) return;
    if (r->fenced) (void)nx_word_forget(r->sync, r->slot);
    const struct nx_platform *p = r->sync->dev->platform;
    p->release(p->self, r->ring, (size_t)r->p.window * (r->p.words + 1) * 8);
    free(r);
}

nx_rsender_counts nx_rsender_get_counts(const nx_rsender *r) { return r->counts; }

/* Where the copy of a message is: its length, then its words. */
static uint64_t copy_of(const nx_rsender *r, uint64_t number)
{
    return r->ring + number % r->p.window * (r->p.words + 1) * 8;
}

static int post_message(nx_rsender *r, uint64_t number)
{
    const uint64_t at = copy_of(r, number);
    const unsigned words = (unsigned)nx_memory_get64(r->sync->dev, at);
    return nx_sync_post(r->sync, r->flow, NX_ENQUEUE, r->queue, (unsigned)number & 0x7fff,
                        words == 1 ? nx_memory_get64(r->sync->dev, at + 8) : at + 8, words);
}

static int post_fence(nx_rsender *r)
{
    int error;
    if (r->state == OPEN && (error = reopen(r, *refused_before(r)))) return error;
    if ((error = nx_word_ask(r->sync, r->flow, NX_FETCH_ADD, FENCE_WORD, 0, 0, &r->slot))) return error;
    r->fenced = 1;
    r->fence = r->posted;
    r->asked = now(r);
    return NX_OK;
}

/* Posts what may be posted: messages, and a fence behind each half of the window, or behind the last one. */
static int pump(nx_rsender *r, int last)
{
    int error;
    while (r->state == OPEN && r->posted < r->next) {
        if ((error = post_message(r, r->posted))) return error;
        r->posted++;
        if (!r->fenced && r->posted - r->taken >= r->p.window / 2 && (error = post_fence(r))) return error;
    }
    if (r->fenced || r->state == WAITING) return NX_OK;
    return r->state == STOPPED || (last && r->posted != r->taken) ? post_fence(r) : NX_OK;
}

/* The answer of the last fence behind refused messages: `count` of those before it were refused since the queue was
 * open. */
static int after_refusal(nx_rsender *r, unsigned count, unsigned reason)
{
    const uint64_t first = r->posted > count ? r->posted - count : 0;
    const uint64_t kept = r->next > r->p.window ? r->next - r->p.window : 0;
    if (reason != 1)
        return nx_fail(r->sync->dev, NX_ERROR_PEER, "queue %u of flow %u refuses messages: %s", r->queue, r->flow,
                       reason == 2   ? "it is off"
                       : reason == 3 ? "it does not take messages of this node"
                       : reason == 4 ? "a message is longer than a slot"
                                     : "there is no such queue");
    *refused_before(r) = (uint16_t)(*refused_before(r) + count);
    r->counts.refused += count;
    if (first < kept) r->lost += kept - first;
    r->taken = r->posted = first > kept ? first : kept;
    r->state = WAITING;
    r->again = now(r) + r->p.backoff_ns * r->backoff;
    if (r->backoff < MOST_BACKOFF) r->backoff *= 2;
    return NX_OK;
}

/* The answer of a fence has come: messages before it are taken, or refused. */
static int after_fence(nx_rsender *r)
{
    unsigned reason;
    const unsigned count = (uint16_t)(refused_now(r, &reason) - *refused_before(r));
    r->fenced = 0;
    r->retries = 0;
    if (!count) {
        if (r->fence > r->taken) {
            r->taken = r->fence;
            r->backoff = 1;
        }
        return NX_OK;
    }
    if (r->state == OPEN) r->state = STOPPED;
    return r->fence == r->posted ? after_refusal(r, count, reason)
                                 : NX_OK; /* else a fence behind all of them follows */
}

/* No answer for long: it, or the fence, is lost. */
static int ask_again(nx_rsender *r)
{
    const uint64_t timeout = r->sync->dev->params.timeout_ns;
    int error;
    if (now(r) - r->asked <= timeout / PARTS) return NX_OK;
    if (++r->retries == PARTS)
        return nx_fail(r->sync->dev, NX_ERROR_TIMEOUT, "queue %u of flow %u: no answer for %llu us", r->queue, r->flow,
                       (unsigned long long)(timeout / 1000));
    r->fenced = 0;
    error = nx_word_forget(r->sync, r->slot);
    return error ? error : post_fence(r);
}

static int progress(nx_rsender *r, int last)
{
    uint64_t old;
    unsigned reason;
    int result = 0;
    if (r->state == OPEN && refused_now(r, &reason) != *refused_before(r)) r->state = STOPPED;
    if (r->fenced && (result = nx_word_answer(r->sync, r->slot, &old)) > 0) result = after_fence(r);
    else if (r->fenced && !result) result = ask_again(r);
    if (result < 0) return result;
    if (r->state == WAITING && now(r) >= r->again) {
        r->state = OPEN;
        r->counts.reopened++;
        if ((result = reopen(r, *refused_before(r)))) return result;
    }
    if ((result = pump(r, last))) return result;
    r->counts.taken = r->taken;
    if (!r->lost) return NX_OK;
    const uint64_t lost = r->lost;
    r->lost = 0;
    return nx_fail(r->sync->dev, NX_ERROR_FLAGGED,
                   "queue %u of flow %u: %llu messages, or answers about them, are lost", r->queue, r->flow,
                   (unsigned long long)lost);
}

int nx_rsender_progress(nx_rsender *r) { return progress(r, 0); }

static int nothing(void *arg)
{
    (void)arg;
    return 0;
}

int nx_rsend(nx_rsender *r, const uint64_t *message, unsigned words)
{
    const struct nx_platform *p = r->sync->dev->platform;
    uint8_t bytes[8 * (NX_OPERATION_WORDS + 1)];
    int error, lost = 0;
    if (words < 1 || words > r->p.words)
        return nx_fail(r->sync->dev, NX_ERROR_ARGUMENT, "message of %u words, expected 1..%u", words, r->p.words);
    while (r->next - r->taken == r->p.window) {
        if ((error = progress(r, 0)) == NX_ERROR_FLAGGED) lost = error;
        else if (error) return error;
        if (r->next - r->taken == r->p.window && (error = nx_wait_event(r->sync->dev, nothing, NULL))) return error;
    }
    nx_put64(bytes, words);
    for (unsigned i = 0; i < words; i++) nx_put64(bytes + 8 + 8 * i, message[i]);
    p->mem_write(p->self, copy_of(r, r->next), bytes, 8 * (words + 1));
    r->next++;
    r->counts.sent++;
    error = progress(r, 0);
    return error ? error : lost;
}

static int is_settled(const nx_rsender *r)
{
    unsigned reason;
    return r->taken == r->next && r->state == OPEN && refused_now(r, &reason) == *refused_before(r);
}

int nx_rsender_flush(nx_rsender *r)
{
    int error, lost = 0;
    while (!is_settled(r)) {
        if ((error = progress(r, 1)) == NX_ERROR_FLAGGED) lost = error;
        else if (error) return error;
        if (!is_settled(r) && (error = nx_wait_event(r->sync->dev, nothing, NULL))) return error;
    }
    return lost;
}
