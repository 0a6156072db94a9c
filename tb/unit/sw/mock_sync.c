#include "mock_sync.h"

#include <string.h>

#include "mock_nic.h"
#include "sync_register_map.h"

enum { ENQUEUE, ADD, ARM, WRITE = 4, FETCH_ADD, SWAP, COMPARE_SWAP, REOPEN, REFUSED = 14, REPLY };
enum { FULL = 1, OFF, SOURCE, LONG, NO_OBJECT, BAD_LENGTH, NO_OPERATION }; /* reasons */
enum { HOST = 127 /* as a source of what the host itself has done */ };

#define REG(name) sync.reg[(name) / 4]

static uint64_t base_of(const mock_nic *nic, unsigned offset, uint32_t align)
{
    return (uint64_t)nic->sync.reg[offset / 4 + 1] << 32 | (nic->sync.reg[offset / 4] & ~(align - 1));
}

static void count(mock_nic *nic, unsigned counter, uint32_t status)
{
    nic->sync.reg[counter / 4]++;
    nic->REG(SYNC_STATUS) |= status;
}

/* ---- counters */

static void act(mock_nic *nic, unsigned source, unsigned c)
{
    mock_sync *s = &nic->sync;
    uint32_t state = s->counter[c].state, times = (state >> 16 & 255) + 1;
    if (s->counter[c].value || !(state & SYNC_COUNTER_STATE_ARMED_MASK)) return;
    s->counter[c].phase = !s->counter[c].phase;
    if (state & SYNC_COUNTER_STATE_WRITE_MASK && s->reg[SYNC_COUNTER_BASE_LOW / 4] & 1)
        mock_device_writes(nic, base_of(nic, SYNC_COUNTER_BASE_LOW, 512) + 8 * c,
                           (uint64_t)s->counter[c].phase << 63 | (uint64_t)source << 56 |
                               (uint64_t) !!(state & SYNC_COUNTER_STATE_DAMAGED_MASK) << 55 | (uint64_t)c << 48 |
                               (times & 255));
    if (state & SYNC_COUNTER_STATE_INTERRUPT_MASK) nic->irq_flag = 1;
    for (unsigned q = 0; q < MOCK_QUEUES; q++)
        if (state >> q & 1) s->releases[q] += s->releases[q] < 7;
    s->counter[c].state = (state & 0xc000ffff) | (times & 255) << 16;
    s->reg[SYNC_COUNTERS_ACTED / 4]++;
}

static void count_by(mock_nic *nic, unsigned source, unsigned c, uint32_t by)
{
    nic->sync.counter[c].value = (int32_t)((uint32_t)nic->sync.counter[c].value + by);
    if (source < MOCK_SOURCES && nic->sync.counter_mark[source]) {
        nic->sync.counter_mark[source] = 0;
        nic->sync.counter[c].state |= SYNC_COUNTER_STATE_DAMAGED_MASK;
    }
    nic->REG(SYNC_COUNTED)++;
    act(nic, source, c);
}

static void arm(mock_nic *nic, unsigned c, uint32_t what)
{
    nic->sync.counter[c].state =
        (nic->sync.counter[c].state & ~0xc000ffffu) | (what & 0xc000ffff) | SYNC_COUNTER_STATE_ARMED_MASK;
}

void mock_sync_group(mock_nic *nic, unsigned source, unsigned group, unsigned words, int damaged)
{
    if (damaged) nic->sync.counter[group].state |= SYNC_COUNTER_STATE_DAMAGED_MASK;
    count_by(nic, source, group, -(uint32_t)words);
}

/* ---- words */

/* 0, or a reason. */
static unsigned change_word(mock_nic *nic, unsigned operation, unsigned w, uint64_t first, uint64_t second,
                            uint64_t *old)
{
    if (w >= MOCK_WORDS) return NO_OBJECT;
    *old = nic->sync.word[w];
    if (operation == FETCH_ADD) nic->sync.word[w] += first;
    else if (operation != COMPARE_SWAP) nic->sync.word[w] = first;
    else if (*old == first) nic->sync.word[w] = second;
    nic->REG(SYNC_WORD_OPERATIONS)++;
    return 0;
}

static void reply(mock_nic *nic, unsigned source, unsigned operand, unsigned status, uint64_t value)
{
    mock_sync *s = &nic->sync;
    if (s->waiting[source] == 4) {
        count(nic, SYNC_ANSWERS_LOST, SYNC_STATUS_ANSWER_LOST_MASK);
        return;
    }
    if (++s->waiting[source] > s->most_waiting) s->most_waiting = s->waiting[source];
    s->reply[s->replies].source = source;
    s->reply[s->replies].operand = operand;
    s->reply[s->replies].status = status;
    s->reply[s->replies++].value = value;
}

static void word_operation(mock_nic *nic, unsigned source, unsigned operation, unsigned object, unsigned operand,
                           unsigned words, const uint64_t *payload)
{
    uint64_t old = 0;
    unsigned reason = object >= MOCK_WORDS ? NO_OBJECT : words != (operation == COMPARE_SWAP ? 2 : 1) ? BAD_LENGTH : 0;
    if (!reason) reason = change_word(nic, operation, object, payload[0], payload[words - 1], &old);
    if (reason == BAD_LENGTH) count(nic, SYNC_BAD_LENGTH, SYNC_STATUS_BAD_LENGTH_MASK);
    if (reason == NO_OBJECT) count(nic, SYNC_BAD_OBJECT, SYNC_STATUS_BAD_OBJECT_MASK);
    if (operation != WRITE) reply(nic, source, operand, reason, reason ? 0 : old);
}

/* ---- queues */

static uint32_t of_ring(const mock_nic *nic, unsigned q, unsigned offset)
{
    return nic->sync.reg[(offset + 32 * q) / 4];
}

static unsigned slots_of(const mock_nic *nic, unsigned q)
{
    return 1u << (of_ring(nic, q, SYNC_QUEUE_SETUP) >> 4 & 15);
}

static unsigned bytes_of(const mock_nic *nic, unsigned q) { return 64u << (of_ring(nic, q, SYNC_QUEUE_SETUP) & 3); }

static uint64_t ring_at(const mock_nic *nic, unsigned q)
{
    return (uint64_t)of_ring(nic, q, SYNC_QUEUE_BASE_HIGH) << 32 | of_ring(nic, q, SYNC_QUEUE_BASE_LOW);
}

static int is_on(const mock_nic *nic, unsigned q)
{
    const unsigned log2 = of_ring(nic, q, SYNC_QUEUE_SETUP) >> 4 & 15;
    return of_ring(nic, q, SYNC_QUEUE_SETUP) >> 31 && log2 >= 1 && log2 <= 12 &&
           ring_at(nic, q) % ((uint64_t)slots_of(nic, q) * bytes_of(nic, q)) == 0;
}

static unsigned why_not(const mock_nic *nic, unsigned q, unsigned source, unsigned words)
{
    const struct mock_ring *r = &nic->sync.ring[q];
    if (!is_on(nic, q)) return OFF;
    if (!(of_ring(nic, q, SYNC_QUEUE_SOURCES) >> source & 1)) return SOURCE;
    if (8 * (words + 1) > bytes_of(nic, q)) return LONG;
    if ((r->tail - r->head) % 8192 >= slots_of(nic, q)) return FULL;
    return 0;
}

static void put_message(mock_nic *nic, unsigned q, unsigned source, unsigned operand, unsigned words,
                        const uint64_t *payload)
{
    mock_sync *s = &nic->sync;
    struct mock_ring *r = &s->ring[q];
    const unsigned slots = slots_of(nic, q), n = r->tail;
    const uint64_t at = ring_at(nic, q) + (uint64_t)(n % slots) * bytes_of(nic, q);
    const uint64_t first = (uint64_t) !(n / slots % 2) << 63 | (uint64_t)source << 56 |
                           (uint64_t)s->slot_mark[source] << 55 | (uint64_t)words << 32 | (uint64_t)n << 16 | operand;
    if (s->phase_first) mock_device_writes(nic, at, first);
    for (unsigned i = 0; i < words; i++) mock_device_writes(nic, at + 8 + 8 * i, payload[i]);
    if (!s->phase_first) mock_device_writes(nic, at, first);
    s->slot_mark[source] = 0;
    if (r->tail == r->head && of_ring(nic, q, SYNC_QUEUE_SETUP) & SYNC_QUEUE_SETUP_INTERRUPT_MASK) nic->irq_flag = 1;
    r->tail = (n + 1) % 8192;
    r->of[source].taken++;
    s->reg[SYNC_MESSAGES / 4]++;
}

static void enqueue(mock_nic *nic, unsigned source, unsigned object, unsigned operand, unsigned words,
                    const uint64_t *payload)
{
    mock_sync *s = &nic->sync;
    const unsigned q = object % MOCK_RINGS;
    unsigned reason = object >= MOCK_RINGS           ? NO_OBJECT
                      : s->ring[q].of[source].closed ? 0
                                                     : why_not(nic, q, source, words);
    const int closed = object < MOCK_RINGS && s->ring[q].of[source].closed;
    if (!reason && !closed) {
        put_message(nic, q, source, operand, words, payload);
        return;
    }
    s->ring[q].of[source].tell = 1;
    if (reason && !s->ring[q].of[source].closed) s->ring[q].of[source].reason = reason;
    s->ring[q].of[source].refused++;
    if (reason == NO_OBJECT) {
        count(nic, SYNC_BAD_OBJECT, SYNC_STATUS_BAD_OBJECT_MASK);
        return;
    }
    if (!s->forgets_refused) s->ring[q].of[source].closed = 1;
    if (reason == OFF) count(nic, SYNC_REFUSED_OFF, SYNC_STATUS_REFUSED_OFF_MASK);
    else if (reason == SOURCE) count(nic, SYNC_REFUSED_SOURCE, SYNC_STATUS_REFUSED_SOURCE_MASK);
    else if (reason == LONG) count(nic, SYNC_BAD_LENGTH, SYNC_STATUS_BAD_LENGTH_MASK);
    else s->reg[SYNC_REFUSED_FULL / 4]++;
}

static void reopen(mock_nic *nic, unsigned source, unsigned object, unsigned operand, unsigned words)
{
    if (object >= MOCK_RINGS) {
        count(nic, SYNC_BAD_OBJECT, SYNC_STATUS_BAD_OBJECT_MASK);
        return;
    }
    if (words != 1) {
        count(nic, SYNC_BAD_LENGTH, SYNC_STATUS_BAD_LENGTH_MASK);
        return;
    }
    if ((nic->sync.ring[object].of[source].refused & 0x7fff) != operand) {
        nic->sync.ring[object].of[source].tell = 1;
        return;
    }
    nic->sync.ring[object].of[source].closed = 0;
    nic->REG(SYNC_REOPENED)++;
}

/* ---- answers that come */

static void answered(mock_nic *nic, unsigned source, unsigned operation, unsigned object, unsigned operand,
                     uint64_t value)
{
    mock_sync *s = &nic->sync;
    const unsigned slot = operand % MOCK_ANSWERS;
    const unsigned offset = operation == REFUSED ? SYNC_REFUSED_BASE_LOW : SYNC_ANSWER_BASE_LOW;
    const uint64_t base = base_of(nic, offset, operation == REFUSED ? 2048 : 1024);
    if (operation == REFUSED && object >= MOCK_RINGS) {
        count(nic, SYNC_BAD_OBJECT, SYNC_STATUS_BAD_OBJECT_MASK);
        return;
    }
    if (!(s->reg[offset / 4] & 1) ||
        (operation == REPLY && (!s->asked[slot].open || s->asked[slot].operand != operand))) {
        count(nic, SYNC_UNEXPECTED_ANSWERS, SYNC_STATUS_UNEXPECTED_ANSWER_MASK);
        return;
    }
    s->reg[SYNC_ANSWERS_WRITTEN / 4]++;
    if (s->reg[offset / 4] & 2) nic->irq_flag = 1;
    if (operation == REFUSED) {
        mock_device_writes(nic, base + 128 * source + 8 * object, value);
        return;
    }
    s->asked[slot].open = 0;
    s->unanswered[s->asked[slot].queue]--;
    mock_device_writes(nic, base + 16 * slot, value);
    mock_device_writes(nic, base + 16 * slot + 8,
                       (uint64_t)(operand >> 6 & 1) << 63 | (uint64_t)source << 56 | (uint64_t)(object & 255) << 16 |
                           operand);
}

/* ---- operations */

static void counter_operation(mock_nic *nic, unsigned source, unsigned operation, unsigned object, unsigned words,
                              const uint64_t *payload)
{
    if (object >= MOCK_COUNTERS) {
        count(nic, SYNC_BAD_OBJECT, SYNC_STATUS_BAD_OBJECT_MASK);
        return;
    }
    if (words != 1) {
        count(nic, SYNC_BAD_LENGTH, SYNC_STATUS_BAD_LENGTH_MASK);
        return;
    }
    if (operation == ARM) arm(nic, object, (uint32_t)(payload[0] >> 32));
    count_by(nic, source, object, (uint32_t)payload[0]);
}

void mock_sync_operation(mock_nic *nic, unsigned source, uint64_t header, const uint64_t *payload)
{
    const unsigned object = (unsigned)(header >> 20 & 0xfff), operation = (unsigned)(header >> 16 & 15),
                   operand = (unsigned)(header >> 1 & 0x7fff), words = (unsigned)(header >> 32 & 0x3ff);
    source %= MOCK_SOURCES;
    nic->sync.executed++;
    switch (operation) {
    case ENQUEUE:
        enqueue(nic, source, object, operand, words, payload);
        break;
    case ADD:
    case ARM:
        counter_operation(nic, source, operation, object, words, payload);
        break;
    case WRITE:
    case FETCH_ADD:
    case SWAP:
    case COMPARE_SWAP:
        word_operation(nic, source, operation, object, operand, words, payload);
        break;
    case REOPEN:
        reopen(nic, source, object, operand, words);
        break;
    case REFUSED:
    case REPLY:
        answered(nic, source, operation, object, operand, payload[0]);
        break;
    default:
        count(nic, SYNC_BAD_OPERATION, SYNC_STATUS_BAD_OPERATION_MASK);
    }
}

void mock_sync_loss(mock_nic *nic, unsigned source)
{
    nic->sync.slot_mark[source % MOCK_SOURCES] = nic->sync.counter_mark[source % MOCK_SOURCES] = 1;
}

/* ---- requests and answers that leave */

static int is_answered(uint64_t word1)
{
    const unsigned operation = (unsigned)(word1 >> 16 & 15);
    return word1 & 1 && operation >= FETCH_ADD && operation <= COMPARE_SWAP;
}

int mock_sync_may_ask(const mock_nic *nic, unsigned queue, uint64_t word1)
{
    return !is_answered(word1) || nic->sync.unanswered[queue] < 4;
}

void mock_sync_ask(mock_nic *nic, unsigned queue, uint64_t word1)
{
    const unsigned operand = (unsigned)(word1 >> 1 & 0x7fff), slot = operand % MOCK_ANSWERS;
    if (!is_answered(word1)) return;
    if (nic->sync.asked[slot].open) nic->sync.unanswered[nic->sync.asked[slot].queue]--;
    nic->sync.asked[slot].open = 1;
    nic->sync.asked[slot].queue = queue;
    nic->sync.asked[slot].operand = operand;
    nic->sync.unanswered[queue]++;
}

static void send(mock_nic *nic, unsigned to, unsigned object, unsigned operation, unsigned operand, uint64_t value)
{
    nic->sync.answers++;
    nic->REG(SYNC_ANSWERS_SENT)++;
    mock_packet_send(nic, to, (uint64_t)1 << 32 | (uint32_t)(object << 20 | operation << 16 | operand << 1 | 1), value,
                     nic->sync.lose_answer_at && !--nic->sync.lose_answer_at);
}

/* A REFUSED for a source leaves before a REPLY for it. */
static int send_refused(mock_nic *nic, unsigned source)
{
    for (unsigned q = 0; q < MOCK_RINGS; q++) {
        struct mock_ring *r = &nic->sync.ring[q];
        if (!r->of[source].tell) continue;
        r->of[source].tell = 0;
        send(nic, source, q, REFUSED, 0,
             (uint64_t)r->of[source].reason << 56 | (uint64_t)(r->of[source].refused & 0xffff) << 32 |
                 (r->of[source].taken & 0xffff));
        return 1;
    }
    return 0;
}

void mock_sync_answer(mock_nic *nic)
{
    mock_sync *s = &nic->sync;
    for (unsigned source = 0; source < MOCK_SOURCES; source++)
        if (send_refused(nic, source)) return;
    if (!s->replies) return;
    const unsigned source = s->reply[0].source;
    for (int i = 0; i <= s->answer_twice; i++)
        send(nic, source, s->reply[0].status, REPLY, s->reply[0].operand, s->reply[0].value);
    s->waiting[source]--;
    memmove(&s->reply[0], &s->reply[1], --s->replies * sizeof s->reply[0]);
}

/* ---- registers */

void mock_sync_reset(mock_nic *nic)
{
    const int built = nic->sync.built;
    memset(&nic->sync, 0, sizeof nic->sync);
    nic->sync.built = built;
}

static void command(mock_nic *nic, uint32_t value)
{
    mock_sync *s = &nic->sync;
    const unsigned object = value >> 20, operation = value >> 16 & 15;
    const uint64_t first = (uint64_t)nic->REG(SYNC_HOST_DATA_HIGH) << 32 | nic->REG(SYNC_HOST_DATA_LOW),
                   second = (uint64_t)nic->REG(SYNC_HOST_SECOND_HIGH) << 32 | nic->REG(SYNC_HOST_SECOND_LOW);
    uint64_t old = 0;
    unsigned reason = 0;
    if (operation == ADD || operation == ARM || operation == 3) {
        if (object >= MOCK_COUNTERS) reason = NO_OBJECT;
        else if (operation == 3) {
            s->reg[SYNC_COUNTED / 4]++;
            s->counter[object].value = (int32_t)first;
            s->counter[object].state &= SYNC_COUNTER_STATE_TIMES_MASK;
        } else {
            if (operation == ARM) arm(nic, object, (uint32_t)(first >> 32));
            s->reg[SYNC_COUNTED / 4]++;
            s->counter[object].value = (int32_t)((uint32_t)s->counter[object].value + (uint32_t)first);
            act(nic, HOST, object);
        }
    } else if (operation >= WRITE && operation <= COMPARE_SWAP) {
        reason = change_word(nic, operation, object, first, second, &old);
    } else if (operation == REPLY) {
        if (object >= MOCK_ANSWERS) reason = NO_OBJECT;
        else if (s->asked[object].open) {
            s->asked[object].open = 0;
            s->unanswered[s->asked[object].queue]--;
        }
    } else {
        reason = NO_OPERATION;
    }
    nic->REG(SYNC_HOST_RESULT_LOW) = (uint32_t)old;
    nic->REG(SYNC_HOST_RESULT_HIGH) = (uint32_t)(old >> 32);
    nic->REG(SYNC_HOST_COMMAND) = (value & 0xffff0000) | reason;
}

uint32_t mock_sync_read(mock_nic *nic, unsigned offset)
{
    const mock_sync *s = &nic->sync;
    unsigned i = offset / 8 % 64;
    if (!s->built) return 0;
    if (offset < 0x600 && offset % 32 == SYNC_QUEUE_HEAD % 32) return s->ring[(offset - 0x400) / 32].head;
    if (offset < 0x600 && offset % 32 == SYNC_QUEUE_TAIL % 32) return s->ring[(offset - 0x400) / 32].tail;
    if (offset >= SYNC_COUNTER_VALUE && offset < SYNC_COUNTER_BASE_LOW)
        return offset % 8 ? s->counter[i].state : (uint32_t)s->counter[i].value;
    if (offset >= SYNC_ASKED && offset < SYNC_BUILD)
        return offset % 8 ? 0
                          : (uint32_t)s->asked[i].open << 31 | (uint32_t)s->asked[i].queue << 16 | s->asked[i].operand;
    if (offset == SYNC_BUILD) return 0xc0000000u | MOCK_COUNTERS << 20 | MOCK_WORDS << 8 | MOCK_RINGS;
    if (offset == SYNC_UNANSWERED_LOW || offset == SYNC_UNANSWERED_HIGH) {
        uint32_t value = 0;
        for (unsigned q = 0; q < 8; q++) value |= s->unanswered[q + (offset == SYNC_UNANSWERED_HIGH) * 8] << 4 * q;
        return value;
    }
    if (offset >= SYNC_WORD && offset < SYNC_WORD + 8 * MOCK_WORDS)
        return (uint32_t)(s->word[(offset - SYNC_WORD) / 8] >> 8 * (offset & 4));
    if (offset >= SYNC_SOURCE_MESSAGES) {
        const unsigned source = (offset - SYNC_SOURCE_MESSAGES) / 128, q = offset % 128 / 8;
        const struct mock_ring *r = &s->ring[q];
        return offset % 8 ? (uint32_t)r->of[source].closed << 31 | r->of[source].reason
                          : r->of[source].taken << 16 | (r->of[source].refused & 0xffff);
    }
    return s->reg[offset / 4];
}

void mock_sync_write(mock_nic *nic, unsigned offset, uint32_t value)
{
    mock_sync *s = &nic->sync;
    if (!s->built) return;
    if (offset >= SYNC_WORD && offset < SYNC_WORD + 8 * MOCK_WORDS) {
        uint64_t *w = &s->word[(offset - SYNC_WORD) / 8];
        const unsigned shift = 8 * (offset & 4);
        *w = (*w & ~((uint64_t)UINT32_MAX << shift)) | (uint64_t)value << shift;
    } else if (offset < 0x600 && offset % 32 == SYNC_QUEUE_HEAD % 32) {
        s->ring[(offset - 0x400) / 32].head = value % 8192;
    } else if (offset == SYNC_STATUS) {
        s->reg[offset / 4] &= ~value;
    } else if (offset == SYNC_HOST_COMMAND) {
        command(nic, value);
    } else if ((offset < 0x600 && offset % 32 < 0x10) || (offset >= SYNC_COUNTER_BASE_LOW && offset < SYNC_MESSAGES) ||
               offset == SYNC_CONTROL || (offset >= SYNC_HOST_DATA_LOW && offset < SYNC_HOST_COMMAND)) {
        s->reg[offset / 4] = value;
    }
}
