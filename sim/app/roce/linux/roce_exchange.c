#include "sim/app/roce/linux/roce_exchange.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/app/roce/traffic/roce_pattern.h"

enum {
    GUARD = 64,
    SKEW = 3 /* bytes between the alignment of both sides */,
    POLL = 128 /* [clocks] */,
    STUCK = 40 /* [s] on the wall */
};
enum { BUFFERS = 15, BUFFER = 16384, RNR_TIMER = 1 /* 10 us */, READS = 16 };

int roce_exchange_fails(roce_exchange *x, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!*x->why) vsnprintf(x->why, sizeof x->why, format, args);
    va_end(args);
    return -1;
}

/* A command of Linux' program; its answer names an error. */
#define TELL(x, ...)                                                                                                   \
    (roce_verbs_call((x)->verbs, __VA_ARGS__) ? roce_exchange_fails(x, "Linux: %s", roce_verbs_answer((x)->verbs)) : 0)

int roce_exchange_region(roce_exchange *x)
{
    if (TELL(x, "region")) return -1;
    if (sscanf(roce_verbs_answer(x->verbs), "%lx %x %x %x", &x->address, &x->key, &x->no_rights, &x->length) == 4 &&
        x->length >= ROCE_END_MEMORY)
        return 0;
    return roce_exchange_fails(x, "Linux has a region of \"%s\", expected one of %d bytes", roce_verbs_answer(x->verbs),
                               ROCE_END_MEMORY);
}

int roce_connection_open(roce_exchange *x, roce_connection *l)
{
    unsigned rnr = l->rnr_timer ? l->rnr_timer : RNR_TIMER;
    if (!(l->qp = roce_end_qp_new(x->end, l->buffers ? l->buffers : BUFFERS, l->bytes ? l->bytes : BUFFER))) return -1;
    if (TELL(x, "qp %u %x %x %x %x %x", l->ipv6 ? 6 : 4, roce_end_qp_number(l->qp), l->psn, l->psn, l->pmtu, rnr))
        return -1;
    if (sscanf(roce_verbs_answer(x->verbs), "%x", &l->guest) != 1)
        return roce_exchange_fails(x, "Linux has no number for its QP: %s", roce_verbs_answer(x->verbs));
    const rn_connection c = {.peer = roce_verbs_address(l->ipv6),
                             .qp = l->guest,
                             .send_psn = l->psn,
                             .receive_psn = l->psn,
                             .pmtu = l->pmtu,
                             .timeout = x->timeout,
                             .retries = 7,
                             .rnr_retries = 7,
                             .rnr_timer = rnr,
                             .reads_outstanding = READS};
    return roce_end_connect(l->qp, &c);
}

void roce_connection_close(roce_exchange *x, roce_connection *l)
{
    if (l->guest) TELL(x, "free %x", l->guest);
    if (l->qp) roce_end_qp_free(l->qp);
    free(l->bytes_a);
    free(l->bytes_b);
    l->guest = 0;
    l->qp = NULL;
    l->bytes_a = l->bytes_b = NULL;
}

/* ---- where messages lie: part a is of SENDs in and READs, part b of SENDs out and WRITEs */

static int in_a(const roce_message *m) { return m->kind == ROCE_SEND_IN || m->kind == ROCE_READ; }

static uint64_t local(const roce_exchange *x, const roce_connection *l, uint32_t at)
{
    return roce_end_memory(x->end) + l->base + SKEW + at;
}

static int lay_out(roce_exchange *x, roce_connection *l, unsigned index, unsigned share)
{
    uint32_t a = 0, b = 0;
    l->base = index * share;
    l->a_size = l->b_size = l->posted = l->completed = l->received = l->ins = l->outs = l->works = 0;
    for (unsigned i = 0; i < l->count; i++) *(in_a(&l->messages[i]) ? &l->a_size : &l->b_size) += l->messages[i].length;
    l->a = GUARD + 1;
    l->b = l->a + l->a_size + 2 * GUARD;
    if (l->b + l->b_size + GUARD + SKEW > share || l->count > ROCE_CONNECTION_MESSAGES)
        return roce_exchange_fails(x, "messages of %u bytes have no room", l->a_size + l->b_size);
    for (unsigned i = 0; i < l->count; i++) {
        const roce_message *m = &l->messages[i];
        uint32_t *done = in_a(m) ? &a : &b;
        *done += m->length;
        l->at[i] = in_a(m) ? l->a + l->a_size - a : l->b + l->b_size - b;
        l->ins += m->kind == ROCE_SEND_IN;
        l->outs += m->kind == ROCE_SEND_OUT;
        if (m->kind != ROCE_SEND_IN) l->order[l->works++] = i;
    }
    l->key_a = 0x10000000 + x->serial * 0x100000 + index * 4096;
    l->key_b = l->key_a + 0x80000;
    free(l->bytes_a);
    free(l->bytes_b);
    l->bytes_a = malloc(l->a_size + 2 * GUARD);
    l->bytes_b = malloc(l->b_size + 2 * GUARD);
    return l->bytes_a && l->bytes_b ? 0 : roce_exchange_fails(x, "no memory left");
}

/* Content of the guards of part b in Linux, and of part b before the messages come. */
static uint32_t junk(const roce_connection *l) { return l->key_a ^ 0x55; }

static int fill(roce_exchange *x, roce_connection *l)
{
    uint32_t b = l->base + l->b;
    roce_pattern_fill(l->bytes_a, l->key_a, l->a_size);
    uint8_t *zeros = calloc(1, l->a_size + 2 * GUARD);
    if (!zeros) return roce_exchange_fails(x, "no memory left");
    roce_end_write(x->end, local(x, l, l->a - GUARD), zeros, l->a_size + 2 * GUARD);
    free(zeros);
    roce_pattern_fill(l->bytes_b, l->key_b, l->b_size);
    roce_end_write(x->end, local(x, l, l->b), l->bytes_b, l->b_size);
    if (l->a_size && TELL(x, "fill %x %x %x", l->base + l->a, l->a_size, l->key_a)) return -1;
    if (TELL(x, "fill %x %x %x", b, l->b_size, junk(l)) || TELL(x, "fill %x %x %x", b - GUARD, GUARD, junk(l)) ||
        TELL(x, "fill %x %x %x", b + l->b_size, GUARD, junk(l)))
        return -1;
    return 0;
}

static int linux_posts(roce_exchange *x, roce_connection *l, roce_kind kind)
{
    for (unsigned i = 0; i < l->count; i++)
        if (l->messages[i].kind == kind && TELL(x, "%s %x %x %x 1 0", kind == ROCE_SEND_IN ? "send" : "receive",
                                                l->guest, l->base + l->at[i], l->messages[i].length))
            return -1;
    return 0;
}

int roce_connection_takes(roce_exchange *x, roce_connection *l) { return linux_posts(x, l, ROCE_SEND_OUT); }

/* ---- while they are under way */

static int differs(roce_exchange *x, const roce_connection *l, unsigned i, const uint8_t *is, const char *what)
{
    const uint8_t *should = l->bytes_a + (l->at[i] - l->a);
    uint32_t length = l->messages[i].length, at = 0;
    if (!memcmp(is, should, length)) return 0;
    while (is[at] == should[at]) at++;
    return roce_exchange_fails(x, "QP %u: message %u, %s of %u bytes: byte %u is %02x, expected %02x",
                               roce_end_qp_number(l->qp), i, what, length, at, is[at], should[at]);
}

static int end_posts(roce_exchange *x, roce_connection *l)
{
    unsigned i = l->order[l->posted];
    const roce_message *m = &l->messages[i];
    uint8_t inside[RN_INLINE];
    rn_work w = {.id = (uint16_t)i,
                 .opcode = m->kind == ROCE_SEND_OUT ? RN_SEND
                           : m->kind == ROCE_WRITE  ? RN_WRITE
                                                    : RN_READ,
                 .length = m->length,
                 .local = local(x, l, l->at[i]),
                 .remote = x->address + l->base + l->at[i],
                 .rkey = x->key};
    if (m->kind == ROCE_SEND_OUT && m->length <= RN_INLINE) {
        memcpy(inside, l->bytes_b + (l->at[i] - l->b), m->length);
        w.inside = inside;
    }
    l->posted++;
    return roce_end_post(l->qp, &w);
}

static int take_completion(roce_exchange *x, roce_connection *l, const rn_completion *c, uint8_t *buffer)
{
    unsigned i = l->order[l->completed], syndrome = 0, code = 0;
    if (c->error) {
        roce_end_failed(l->qp, &syndrome, &code);
        return roce_exchange_fails(x, "QP %u: message %u ended with an error, syndrome %02x, code %u",
                                   roce_end_qp_number(l->qp), i, syndrome, code);
    }
    if (c->id != i)
        return roce_exchange_fails(x, "QP %u: message %u has completed, expected %u", roce_end_qp_number(l->qp), c->id,
                                   i);
    l->completed++;
    if (l->messages[i].kind != ROCE_READ) return 0;
    roce_end_read(x->end, local(x, l, l->at[i]), buffer, l->messages[i].length);
    return differs(x, l, i, buffer, "READ");
}

/* The message that the end has received as its number `n`. */
static int take_message(roce_exchange *x, roce_connection *l, unsigned n, const uint8_t *bytes, uint32_t length)
{
    unsigned i = 0;
    for (unsigned before = 0;; i++)
        if (i >= l->count)
            return roce_exchange_fails(x, "QP %u: a message of %u bytes too many", roce_end_qp_number(l->qp), length);
        else if (l->messages[i].kind == ROCE_SEND_IN && before++ == n) break;
    if (length != l->messages[i].length)
        return roce_exchange_fails(x, "QP %u: message %u came with %u bytes, expected %u", roce_end_qp_number(l->qp), i,
                                   length, l->messages[i].length);
    return differs(x, l, i, bytes, "SEND");
}

/* 1: something was done, 0: nothing, or -1. */
static int turn(roce_exchange *x, roce_connection *l, uint8_t *buffer)
{
    rn_completion c;
    uint32_t length;
    int n = 0, busy = 0;
    for (; l->posted < l->works && l->posted - l->completed < 48; busy = 1)
        if (end_posts(x, l)) return -1;
    for (; l->completed < l->posted && (n = roce_end_poll(l->qp, &c)) > 0; busy = 1)
        if (take_completion(x, l, &c, buffer)) return -1;
    if (n < 0) return -1;
    for (n = 0; !l->hold && (n = roce_end_receive(l->qp, buffer, ROCE_END_MEMORY, &length)) > 0; busy = 1)
        if (take_message(x, l, l->received++, buffer, length)) return -1;
    return n < 0 ? -1 : busy;
}

static int over(const roce_connection *l) { return l->completed == l->works && l->received == l->ins; }

static int run(roce_exchange *x, roce_connection connections[], unsigned count, void (*each)(void *self), void *self)
{
    uint8_t *buffer = malloc(ROCE_END_MEMORY);
    int left = 1, result = buffer ? 0 : roce_exchange_fails(x, "no memory left");
    for (double from = sim_wall(); left && !result;) {
        int busy = left = 0;
        if (each) each(self);
        for (unsigned i = 0; i < count && !result; i++) {
            roce_connection *l = &connections[i];
            int n = turn(x, l, buffer);
            if (n < 0) result = -1;
            else if (n) busy = 1;
            left |= !over(l);
            if (!result && !over(l) && sim_wall() - from > STUCK)
                result = roce_exchange_fails(x, "QP %u is stuck: %u of %u complete, %u of %u received",
                                             roce_end_qp_number(l->qp), l->completed, l->works, l->received, l->ins);
        }
        if (busy) from = sim_wall();
        else sim_wait_cycles(x->clock, POLL);
        if (*sim_error(x->sim)) result = -1;
    }
    free(buffer);
    return result;
}

/* ---- afterwards, in Linux */

static int all_complete(roce_exchange *x, roce_connection *l)
{
    unsigned i = 0;
    if (TELL(x, "wait %x %x", l->guest, l->ins + l->outs)) return -1;
    const char *at = roce_verbs_answer(x->verbs);
    for (unsigned n = 0; n < l->ins + l->outs; n++) {
        int status;
        unsigned length;
        int used = 0;
        if (sscanf(at, "%d,%x %n", &status, &length, &used) != 2)
            return roce_exchange_fails(x, "QP %u of Linux: %u of %u have completed", l->guest, n, l->ins + l->outs);
        at += used;
        if (status) return roce_exchange_fails(x, "QP %u of Linux: a completion with status %d", l->guest, status);
        if (!length) continue; /* of a SEND in */
        while (i < l->count && l->messages[i].kind != ROCE_SEND_OUT) i++;
        if (i == l->count || length != l->messages[i].length)
            return roce_exchange_fails(x, "QP %u of Linux: %u bytes came, expected those of message %u", l->guest,
                                       length, i);
        i++;
    }
    return 0;
}

static int check(roce_exchange *x, const roce_connection *l, uint32_t at, uint32_t length, uint32_t key,
                 const char *what)
{
    uint32_t good;
    if (TELL(x, "check %x %x %x", l->base + at, length, key)) return -1;
    if (sscanf(roce_verbs_answer(x->verbs), "%x", &good) == 1 && good == length) return 0;
    return roce_exchange_fails(x, "QP %u: Linux' memory is wrong, %s, at byte %s (hex) of %u",
                               roce_end_qp_number(l->qp), what, roce_verbs_answer(x->verbs), length);
}

static int compare(roce_exchange *x, roce_connection *l)
{
    uint8_t guards[2][GUARD];
    if (all_complete(x, l) || check(x, l, l->b, l->b_size, l->key_b, "data sent and written") ||
        check(x, l, l->b - GUARD, GUARD, junk(l), "before it") ||
        check(x, l, l->b + l->b_size, GUARD, junk(l), "behind it"))
        return -1;
    roce_end_read(x->end, local(x, l, l->a - GUARD), guards[0], GUARD);
    roce_end_read(x->end, local(x, l, l->a + l->a_size), guards[1], GUARD);
    for (unsigned i = 0; i < 2 * GUARD; i++)
        if (guards[i / GUARD][i % GUARD])
            return roce_exchange_fails(x, "QP %u: bytes outside the data read", roce_end_qp_number(l->qp));
    return 0;
}

int roce_exchange_run(roce_exchange *x, roce_connection connections[], unsigned count, void (*each)(void *self),
                      void *self)
{
    x->serial++;
    for (unsigned i = 0; i < count; i++)
        if (lay_out(x, &connections[i], i, ROCE_END_MEMORY / count & ~63u) || fill(x, &connections[i]) ||
            (!connections[i].late && linux_posts(x, &connections[i], ROCE_SEND_OUT)) ||
            linux_posts(x, &connections[i], ROCE_SEND_IN))
            return -1;
    if (run(x, connections, count, each, self)) return -1;
    for (unsigned i = 0; i < count; i++)
        if (compare(x, &connections[i])) return -1;
    return 0;
}

int roce_exchange_count(roce_exchange *x, roce_exchange_counters *c)
{
    const struct {
        const char *name;
        uint32_t *value;
    } names[] = {{"sent_pkts", &c->sent},
                 {"rcvd_pkts", &c->received},
                 {"duplicate_request", &c->duplicates},
                 {"out_of_seq_request", &c->sequence_naks_out},
                 {"rcvd_seq_err", &c->sequence_naks_in},
                 {"send_rnr_err", &c->rnr_naks_out},
                 {"rcvd_rnr_err", &c->rnr_naks_in}};
    if (TELL(x, "counters")) return -1;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i].name);
        const char *at = roce_verbs_answer(x->verbs);
        while ((at = strstr(at, names[i].name)) && at[n] != ' ') at++;
        if (!at || sscanf(at + n, "%u", names[i].value) != 1)
            return roce_exchange_fails(x, "Linux has no counter %s", names[i].name);
    }
    return 0;
}
