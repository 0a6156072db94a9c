/* Sending side of a stream; see nx_file.h and nx_file_internal.h. */
#include <string.h>

#include "nx_file_internal.h"

struct sender {
    nx_file *file;
    uint64_t session;
    uint64_t ring;   /* in the peer's memory */
    uint32_t stride; /* bytes of a place there */
    uint32_t block;  /* bytes of a full block */
    unsigned places;
    uint64_t posted;                      /* blocks */
    uint64_t taken;                       /* blocks acknowledged */
    int ended;                            /* the last block is posted */
    int silent;                           /* the peer has stopped or finished: nothing to notify it of */
    uint64_t received_at;                 /* time of the last news from the peer, and ... */
    uint64_t news;                        /* ... signs of life of the receiver then */
    nx_ticket ticket[NX_FILE_BLOCKS_MAX]; /* control block of each place */
    nx_file_result *result;
};

/* ---- events for nx_wait_event */

static int offer_there(void *arg)
{
    struct sender *s = arg;
    nx_record r;
    return nx_file_look(s->file, BOX_OFFER, &r) && r.word[0] == s->session;
}

static int aborted(struct sender *s, nx_record *r)
{
    return nx_file_look(s->file, BOX_ABORT, r) && r->word[0] == s->session && r->word[2] == STATE_ABORTED;
}

/* The one of most blocks; each stands where its number says. */
static int new_ack(struct sender *s, nx_record *r)
{
    for (uint64_t n = s->posted; n > s->taken; n--)
        if (nx_file_look(s->file, BOX_ACK + (unsigned)(n % s->places) * RECORD_BYTES, r) && r->word[0] == s->session &&
            r->word[1] == n)
            return 1;
    return 0;
}

static int ack_there(void *arg)
{
    struct sender *s = arg;
    nx_record r;
    return aborted(s, &r) || new_ack(s, &r);
}

/* ---- steps */

static void receive_news(struct sender *s)
{
    s->received_at = nx_file_now(s->file);
    s->news = s->file->receive.news;
}

/* The awaited record may be behind blocks of the other direction, and behind those of a failed session of it. */
static uint64_t last_sign(const struct sender *s)
{
    const struct nx_file_way *other = &s->file->receive;
    return other->news != s->news && other->news - s->news <= 2 * s->file->params.blocks ? other->received_at
                                                                                         : s->received_at;
}

static int request(struct sender *s, unsigned state, int error)
{
    nx_file *f = s->file;
    nx_record r = {{s->session, state, (uint64_t)(uint32_t)error, state == STATE_OPEN ? f->params.blocks : s->places}};
    int result = nx_file_tell(f, &f->send, BOX_REQUEST, r, NX_REMOTE, NULL);
    return result ? nx_file_driver_failed(f, result, "request") : NX_OK;
}

static int wait_event(struct sender *s, int (*ready)(void *), const char *what)
{
    nx_file *f = s->file;
    int error = nx_wait_event(f->dev, ready, s);
    if (error) return nx_file_driver_failed(f, error, what);
    if (nx_file_now(f) - last_sign(s) > f->params.timeout_ns && !ready(s))
        return nx_file_fail(f, NX_ERROR_TIMEOUT,
                            "node %u: %s: nothing received for %llu us; %llu blocks posted, %llu acknowledged", f->peer,
                            what, (unsigned long long)(f->params.timeout_ns / 1000), (unsigned long long)s->posted,
                            (unsigned long long)s->taken);
    return NX_OK;
}

/* Asks until the receiver offers its ring. The receiver may start long after us: the request waits in its mailbox, and
 * is repeated in case it got lost. */
static int meet(struct sender *s)
{
    nx_file *f = s->file;
    nx_record r;
    uint64_t asked = nx_file_now(f);
    int error;
    receive_news(s);
    if ((error = request(s, STATE_OPEN, 0))) return error;
    while (!(nx_file_look(f, BOX_OFFER, &r) && r.word[0] == s->session)) {
        if ((error = wait_event(s, offer_there, "waiting for a receiver"))) return error;
        if (nx_file_now(f) - asked > f->params.timeout_ns / 8) {
            asked = nx_file_now(f);
            if ((error = request(s, STATE_OPEN, 0))) return error;
        }
    }
    s->ring = r.word[1];
    if (r.word[1] % 8 || r.word[2] % 8 || !r.word[2] || r.word[2] > BLOCK_BYTES_MAX || !r.word[3] ||
        r.word[3] > f->params.blocks || r.word[1] > UINT32_MAX || r.word[1] + r.word[2] * r.word[3] > (uint64_t)1 << 32)
        return nx_file_fail(f, NX_ERROR_PROTOCOL,
                            "node %u offers %llu places of %llu bytes at 0x%llx, expected at most %u of %d below 4 GB",
                            f->peer, (unsigned long long)r.word[3], (unsigned long long)r.word[2],
                            (unsigned long long)r.word[1], f->params.blocks, BLOCK_BYTES_MAX);
    s->stride = (uint32_t)r.word[2];
    s->block = s->stride < f->params.block_bytes ? s->stride : f->params.block_bytes;
    s->places = (unsigned)r.word[3];
    receive_news(s);
    return NX_OK;
}

/* Losses of our own device before the first block, a request perhaps, have been repaired: it is no loss of this stream.
 */
static int forget_losses(struct sender *s)
{
    nx_ticket ticket;
    int error = nx_transfer(s->file->dev, s->file->flow, 0, 0, 0, 0, &ticket);
    if (!error) error = nx_wait(s->file->dev, &ticket);
    return error && error != NX_ERROR_ABANDONED ? nx_file_driver_failed(s->file, error, "request") : NX_OK;
}

static int look_at_ack(struct sender *s)
{
    nx_file *f = s->file;
    nx_record r;
    if (aborted(s, &r)) {
        s->silent = 1;
        return nx_file_fail(f, NX_ERROR_PEER, "node %u gave up after %llu blocks: %s", f->peer,
                            (unsigned long long)r.word[1], nx_strerror((int32_t)r.word[3]));
    }
    if (!new_ack(s, &r)) return NX_OK;
    if (r.word[2] != STATE_OPEN && !(r.word[2] == STATE_DONE && s->ended && r.word[1] == s->posted))
        return nx_file_fail(f, NX_ERROR_PROTOCOL,
                            "node %u acknowledges %llu of %llu blocks in state %llu, expected %d, or %d for the last",
                            f->peer, (unsigned long long)r.word[1], (unsigned long long)s->posted,
                            (unsigned long long)r.word[2], STATE_OPEN, STATE_DONE);
    receive_news(s);
    s->taken = r.word[1];
    return NX_OK;
}

/* Fills a block from the reader: its length, or negative. A block that is not full is the last one. */
static long fill(struct sender *s, nx_file_reader reader, void *self)
{
    nx_file *f = s->file;
    size_t have = 0;
    while (have < s->block) {
        long got = reader(self, f->send.bounce + have, s->block - have);
        if (got < 0 || (size_t)got > s->block - have) {
            nx_file_fail(f, NX_ERROR_CALLBACK, "the reader returned %ld at byte %llu, expected 0..%zu", got,
                         (unsigned long long)(s->result->bytes + have), s->block - have);
            return NX_ERROR_CALLBACK;
        }
        if (!got) {
            s->ended = 1;
            break;
        }
        have += (size_t)got;
    }
    return (long)have;
}

static int send_block(struct sender *s, nx_file_reader reader, void *self)
{
    nx_file *f = s->file;
    unsigned place = (unsigned)(s->posted % s->places);
    uint64_t source = f->send.blocks + (uint64_t)place * f->params.block_bytes;
    long length = fill(s, reader, self);
    size_t whole;
    nx_record control;
    int error;
    if (length < 0) return (int)length;
    whole = ((size_t)length + 7) & ~(size_t)7;
    memset(f->send.bounce + length, 0, whole - (size_t)length);
    f->platform->mem_write(f->platform->self, source, f->send.bounce, whole);
    control = (nx_record){{s->session, s->posted, (uint64_t)length | (s->ended ? CONTROL_LAST : 0),
                           nx_file_checksum(f->send.bounce, whole)}};
    if ((error = nx_transfer(f->dev, f->flow, source, (uint32_t)(s->ring + (uint64_t)place * s->stride), whole, NX_HOLD,
                             NULL)) ||
        (error = nx_file_tell(f, &f->send, BOX_CONTROL + place * RECORD_STRIDE, control, NX_REMOTE | NX_LOCAL,
                              &s->ticket[place])))
        return nx_file_driver_failed(f, error, "block");
    s->posted++;
    s->result->bytes += (uint64_t)length;
    s->result->blocks++;
    return NX_OK;
}

/* Waits for the acknowledgement of the oldest block. It cannot come before the block has left; waiting for that first
 * finds out at once when our own device has lost it. */
static int wait_for_place(struct sender *s)
{
    nx_file *f = s->file;
    uint64_t before = s->taken;
    int error = nx_wait(f->dev, &s->ticket[s->taken % s->places]);
    if (error) return nx_file_driver_failed(f, error, "block");
    if ((error = look_at_ack(s))) return error;
    if (s->taken != before) return NX_OK;
    s->result->stalls++;
    receive_news(s);
    while (s->taken == before)
        if ((error = wait_event(s, ack_there, "waiting for an acknowledgement")) || (error = look_at_ack(s)))
            return error;
    return NX_OK;
}

static int run(struct sender *s, nx_file_reader reader, void *self)
{
    uint64_t start;
    int error;
    if ((error = meet(s)) || (error = forget_losses(s))) return error;
    start = nx_file_now(s->file);
    while (!s->ended || s->taken != s->posted) {
        if (!s->ended && s->posted - s->taken < s->places) error = send_block(s, reader, self);
        else error = wait_for_place(s);
        if (!error) error = look_at_ack(s);
        s->result->elapsed_ns = nx_file_now(s->file) - start;
        if (error) return error;
    }
    return NX_OK;
}

int nx_file_send(nx_file *f, nx_file_reader reader, void *self, nx_file_result *result)
{
    nx_file_result own;
    struct sender s = {.file = f, .result = result ? result : &own};
    uint64_t now = nx_file_now(f);
    int error;
    memset(s.result, 0, sizeof *s.result);
    if (f->send.busy)
        return nx_file_fail(f, NX_ERROR_ARGUMENT,
                            "nx_file_send is running on this handle already, expected one at a time");
    f->send.busy = 1;
    /* new in both nodes' memories, even after a restart of this one that lost its mailbox */
    s.session = nx_file_word(f, BOX_LAST_SENT);
    s.session = (s.session > now ? s.session : now) + 1;
    nx_file_set_word(f, BOX_LAST_SENT, s.session);
    error = run(&s, reader, self);
    if (error) {
        char text[sizeof f->error];
        memcpy(text, f->error, sizeof text);
        if (!s.silent) (void)request(&s, STATE_ABORTED, error);
        (void)nx_drain(f->dev, f->flow); /* nothing of it lies before the request of the next */
        memcpy(f->error, text, sizeof text);
    }
    f->send.busy = 0;
    return error;
}
