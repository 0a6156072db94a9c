/* Receiving side of a stream; see nx_file.h and nx_file_internal.h. */
#include <string.h>

#include "nx_file_internal.h"

struct receiver {
    nx_file *file;
    uint64_t session; /* 0 = none yet */
    unsigned places;
    uint64_t taken;     /* blocks */
    uint64_t in_memory; /* blocks that are there for sure: where packets overtake each other notifications say so */
    int bad;            /* what a notification said meanwhile */
    int done;
    uint64_t received_at; /* time of the last news from the peer */
    uint64_t sent_at;     /* time of our last offer or acknowledgement */
    nx_ticket news;       /* the first one with the content of the last one, and ... */
    int has_left;         /* ... whether it is known to have left */
    nx_file_result *result;
};

static unsigned control_box(struct receiver *r, uint64_t block)
{
    return BOX_CONTROL + (unsigned)(block % r->places) * RECORD_STRIDE;
}

static int block_there(struct receiver *r, uint64_t block, nx_record *control)
{
    return (nx_paths(r->file->dev) == 1 || block < r->in_memory) &&
           nx_file_look(r->file, control_box(r, block), control) && control->word[0] == r->session &&
           control->word[1] == block;
}

/* A sender with a session that we have not taken part in yet. */
static int new_session(struct receiver *r, nx_record *request)
{
    return nx_file_look(r->file, BOX_REQUEST, request) && request->word[0] && request->word[0] != r->session &&
           request->word[0] != nx_file_word(r->file, BOX_LAST_TAKEN) && request->word[1] == STATE_OPEN;
}

static int aborted(struct receiver *r, nx_record *request)
{
    return nx_file_look(r->file, BOX_REQUEST, request) && request->word[0] == r->session &&
           request->word[1] == STATE_ABORTED;
}

/* Reads the notification word once. Before the first block of a session a flag in it is stale. */
static int look_at_notification(struct receiver *r)
{
    nx_file *f = r->file;
    nx_notification n;
    int result = nx_notification_poll(f->dev, f->peer, &n);
    if (result < 0) return nx_file_driver_failed(f, result, "notification");
    if (result) {
        uint32_t place = (n.destination - (uint32_t)(f->mailbox + BOX_CONTROL)) / RECORD_STRIDE;
        if (place < r->places) r->in_memory = r->taken + (place + r->places - r->taken % r->places) % r->places + 1;
    }
    return NX_OK;
}

static int anything_there(void *arg)
{
    struct receiver *r = arg;
    nx_record record;
    if (r->session && nx_paths(r->file->dev) > 1 && !r->bad) r->bad = look_at_notification(r);
    return r->bad || new_session(r, &record) ||
           (r->session && (block_there(r, r->taken, &record) || aborted(r, &record)));
}

/* ---- steps */

static int offer(struct receiver *r, nx_ticket *ticket)
{
    nx_file *f = r->file;
    nx_record record = {{r->session, f->receive.blocks, f->params.block_bytes, r->places}};
    int error = nx_file_tell(f, &f->receive, BOX_OFFER, record, 0, ticket);
    r->sent_at = nx_file_now(f);
    return error ? nx_file_driver_failed(f, error, "offer") : NX_OK;
}

static int acknowledge(struct receiver *r, unsigned state, int error, nx_ticket *ticket)
{
    nx_file *f = r->file;
    nx_record record = {{r->session, r->taken, state, (uint64_t)(uint32_t)error}};
    unsigned box = state == STATE_ABORTED ? BOX_ABORT : BOX_ACK + (unsigned)(r->taken % r->places) * RECORD_BYTES;
    int result = nx_file_tell(f, &f->receive, box, record, 0, ticket);
    r->sent_at = nx_file_now(f);
    return result ? nx_file_driver_failed(f, result, "acknowledgement") : NX_OK;
}

/* Without a session: blocks of one that has failed may lie before the request of the next. */
static int look_at_leftovers(struct receiver *r)
{
    nx_notification old;
    int result = nx_notification_poll(r->file->dev, r->file->peer, &old);
    if (result < 0 && result != NX_ERROR_FLAGGED) return nx_file_driver_failed(r->file, result, "notification");
    if (result) r->received_at = nx_file_news(r->file);
    return NX_OK;
}

static int start_session(struct receiver *r, const nx_record *request)
{
    nx_file *f = r->file;
    int error = look_at_leftovers(r);
    if (error) return error;
    if (request->word[3] < 1 || request->word[3] > NX_FILE_BLOCKS_MAX)
        return nx_file_fail(f, NX_ERROR_PROTOCOL, "node %u asks for %llu places, expected 1..%d", f->peer,
                            (unsigned long long)request->word[3], NX_FILE_BLOCKS_MAX);
    r->session = request->word[0];
    r->places = request->word[3] < f->params.blocks ? (unsigned)request->word[3] : f->params.blocks;
    r->received_at = nx_file_news(f);
    r->has_left = 0;
    return offer(r, &r->news);
}

static int take_block(struct receiver *r, const nx_record *control, nx_file_writer writer, void *self)
{
    nx_file *f = r->file;
    uint64_t length = control->word[2] & ~CONTROL_LAST, sum;
    uint64_t place = f->receive.blocks + r->taken % r->places * f->params.block_bytes;
    size_t whole = ((size_t)length + 7) & ~(size_t)7;
    if (length > f->params.block_bytes)
        return nx_file_fail(f, NX_ERROR_PROTOCOL, "node %u: block %llu has %llu bytes, expected at most %u", f->peer,
                            (unsigned long long)r->taken, (unsigned long long)length, (unsigned)f->params.block_bytes);
    f->platform->mem_read(f->platform->self, place, f->receive.bounce, whole);
    sum = nx_file_checksum(f->receive.bounce, whole);
    if (sum != control->word[3])
        return nx_file_fail(f, NX_ERROR_CHECKSUM,
                            "node %u: block %llu of %llu bytes has checksum 0x%016llx, expected 0x%016llx", f->peer,
                            (unsigned long long)r->taken, (unsigned long long)length, (unsigned long long)sum,
                            (unsigned long long)control->word[3]);
    if (!r->taken) nx_file_set_word(f, BOX_LAST_TAKEN, r->session);
    if (length) {
        int refused = writer(self, f->receive.bounce, (size_t)length);
        if (refused)
            return nx_file_fail(f, NX_ERROR_CALLBACK, "the writer returned %d for %llu bytes at byte %llu, expected 0",
                                refused, (unsigned long long)length, (unsigned long long)r->result->bytes);
    }
    r->taken++;
    r->done = control->word[2] >> 63 & 1;
    r->result->bytes += length;
    r->result->blocks++;
    r->received_at = nx_file_news(f);
    r->has_left = 0;
    return acknowledge(r, r->done ? STATE_DONE : STATE_OPEN, 0, &r->news);
}

/* Blocks come in order: if the next but one is there, the next will not come any more. */
static int check_order(struct receiver *r)
{
    nx_record control;
    nx_file *f = r->file;
    if (r->places < 2 || !block_there(r, r->taken + 1, &control) || block_there(r, r->taken, &control)) return NX_OK;
    return nx_file_fail(f, NX_ERROR_PROTOCOL, "node %u: block %llu is here but block %llu is not: it got lost", f->peer,
                        (unsigned long long)r->taken + 1, (unsigned long long)r->taken);
}

/* Our own blocks of the other direction may lie before what the peer waits for: it is silent only after that has left.
 */
static int own_delay(struct receiver *r)
{
    nx_file *f = r->file;
    uint32_t lost;
    if (!r->session || r->has_left || !f->send.busy) return 0;
    r->has_left = nx_free_slots_now(f->dev, f->flow, &lost) < 0 || nx_done(f->dev, &r->news) != 0;
    r->received_at = nx_file_now(f);
    return 1;
}

static int idle(struct receiver *r)
{
    nx_file *f = r->file;
    uint64_t now;
    int error = nx_wait_event(f->dev, anything_there, r);
    if (error) return nx_file_driver_failed(f, error, "waiting for blocks");
    if (!r->session && (error = look_at_leftovers(r))) return error;
    now = nx_file_now(f);
    if (now - r->received_at > f->params.timeout_ns && !anything_there(r) && !own_delay(r)) {
        if (!r->session)
            return nx_file_fail(f, NX_ERROR_TIMEOUT, "node %u: no sender for %llu us", f->peer,
                                (unsigned long long)(f->params.timeout_ns / 1000));
        return nx_file_fail(f, NX_ERROR_TIMEOUT, "node %u: nothing came for %llu us, expected block %llu", f->peer,
                            (unsigned long long)(f->params.timeout_ns / 1000), (unsigned long long)r->taken);
    }
    if (!r->session || now - r->sent_at <= f->params.timeout_ns / 8) return NX_OK;
    return r->taken ? acknowledge(r, STATE_OPEN, 0, NULL) : offer(r, NULL); /* in case the first one got lost */
}

static int run(struct receiver *r, nx_file_writer writer, void *self)
{
    nx_file *f = r->file;
    uint64_t start = 0;
    int waiting = 0, error;
    r->received_at = nx_file_now(f);
    while (!r->done) {
        nx_record record;
        if (new_session(r, &record)) {
            if (r->taken)
                return nx_file_fail(f, NX_ERROR_PEER, "node %u started a new stream after %llu blocks of this one",
                                    f->peer, (unsigned long long)r->taken);
            if ((error = start_session(r, &record))) return error;
            continue;
        }
        if (r->session) {
            if ((error = r->bad ? r->bad : look_at_notification(r))) return error;
            if (aborted(r, &record) &&
                !record
                     .word[3]) { /* it had no offer when it gave up: it may restart, and has received nothing from us */
                nx_file_set_word(f, BOX_LAST_TAKEN, r->session);
                r->session = 0;
                r->received_at = nx_file_now(f);
                continue;
            }
            if (aborted(r, &record))
                return nx_file_fail(f, NX_ERROR_PEER, "node %u gave up after we had %llu blocks: %s", f->peer,
                                    (unsigned long long)r->taken, nx_strerror((int32_t)record.word[2]));
            if (block_there(r, r->taken, &record)) {
                if (!r->taken) start = nx_file_now(f);
                if ((error = take_block(r, &record, writer, self))) return error;
                r->result->elapsed_ns = nx_file_now(f) - start;
                waiting = 0;
                continue;
            }
            if ((error = check_order(r))) return error;
            if (!waiting) r->result->stalls++;
            waiting = 1;
        }
        if ((error = idle(r))) return error;
    }
    return NX_OK;
}

int nx_file_receive(nx_file *f, nx_file_writer writer, void *self, nx_file_result *result)
{
    nx_file_result own;
    struct receiver r = {.file = f, .result = result ? result : &own};
    int error;
    memset(r.result, 0, sizeof *r.result);
    if (f->receive.busy)
        return nx_file_fail(f, NX_ERROR_ARGUMENT,
                            "nx_file_receive is running on this handle already, expected one at a time");
    f->receive.busy = 1;
    error = run(&r, writer, self);
    if (error && r.session) {
        char text[sizeof f->error];
        memcpy(text, f->error, sizeof text);
        nx_file_set_word(f, BOX_LAST_TAKEN, r.session); /* a new call waits for a new session */
        (void)acknowledge(&r, STATE_ABORTED, error, NULL);
        memcpy(f->error, text, sizeof text);
    }
    f->receive.busy = 0;
    return error;
}
