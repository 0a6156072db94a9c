// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* Words and counters; see nx_sync.h. */
#include "nx_sync.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nx_sync_internal.h"

static const char *self_or(unsigned flow) { return flow == NX_SELF ? "this node" : "a node"; }

int nx_sync_wait(nx_sync *s, int (*ready)(void *arg), void *arg, const char *what)
{
    const struct nx_platform *p = s->dev->platform;
    const uint64_t start = p->now(p->self);
    int result, error;
    while (!(result = ready(arg))) {
        if (p->now(p->self) - start > s->dev->params.timeout_ns)
            return nx_fail(s->dev, NX_ERROR_TIMEOUT, "%s: nothing for %llu us", what,
                           (unsigned long long)(s->dev->params.timeout_ns / 1000));
        if ((error = nx_wait_event(s->dev, ready, arg))) return error;
    }
    return result;
}

/* ---- life */

static int write64(nx_sync *s, unsigned offset, uint64_t value)
{
    if (s->dev->platform->write64(s->dev->platform->self, s->dev->registers + offset, value) < 0)
        return nx_fail(s->dev, NX_ERROR_BUS, "write of 64 bits at 0x%03x failed", offset);
    return NX_OK;
}

static int set_base(nx_sync *s, unsigned offset, uint64_t address)
{
    int error = nx_register_write(s->dev, offset + 4, (uint32_t)(address >> 32));
    return error ? error : nx_register_write(s->dev, offset, (uint32_t)address | 1);
}

/* The device clears its memory after RST#. */
static int wait_ready(nx_sync *s, uint32_t *build)
{
    const struct nx_platform *p = s->dev->platform;
    const uint64_t start = p->now(p->self);
    int error;
    for (;;) {
        if ((error = nx_register_read(s->dev, SYNC_BUILD, build))) return error;
        if (!(*build & SYNC_BUILD_SYNC_MASK))
            return nx_fail(s->dev, NX_ERROR_NO_DEVICE, "BUILD at 0x%03x reads 0x%08x, expected a device with SYNC",
                           SYNC_BUILD, (unsigned)*build);
        if (*build & SYNC_BUILD_READY_MASK) return NX_OK;
        if (p->now(p->self) - start > s->dev->params.timeout_ns)
            return nx_fail(s->dev, NX_ERROR_TIMEOUT, "BUILD at 0x%03x reads 0x%08x, expected READY", SYNC_BUILD,
                           (unsigned)*build);
        p->wait(p->self);
    }
}

/* Answers to requests of before are not awaited. */
static int close_asked(nx_sync *s)
{
    uint32_t low, high;
    int error;
    if ((error = nx_register_read(s->dev, SYNC_UNANSWERED_LOW, &low)) ||
        (error = nx_register_read(s->dev, SYNC_UNANSWERED_HIGH, &high)))
        return error;
    for (unsigned i = 0; (low || high) && i < NX_SYNC_ANSWERS && !error; i++) error = nx_word_forget(s, i);
    return error;
}

static int set_up(nx_sync *s)
{
    static const uint8_t zero[NX_SYNC_BYTES];
    const struct nx_platform *p = s->dev->platform;
    uint32_t build;
    int error;
    if ((error = wait_ready(s, &build))) return error;
    s->words = (build & SYNC_BUILD_WORDS_MASK) >> SYNC_BUILD_WORDS_SHIFT;
    s->counters = (build & SYNC_BUILD_COUNTERS_MASK) >> SYNC_BUILD_COUNTERS_SHIFT;
    s->queues = (build & SYNC_BUILD_QUEUES_MASK) >> SYNC_BUILD_QUEUES_SHIFT;
    if (s->counters > NX_SYNC_COUNTERS || s->queues > NX_SYNC_QUEUES)
        return nx_fail(s->dev, NX_ERROR_DEVICE, "BUILD at 0x%03x reads 0x%08x, expected up to %d counters, %d queues",
                       SYNC_BUILD, (unsigned)build, NX_SYNC_COUNTERS, NX_SYNC_QUEUES);
    s->area = p->alloc(p->self, NX_SYNC_BYTES, 4096);
    if (!s->area)
        return nx_fail(s->dev, NX_ERROR_NO_SPACE, "no bus memory for %d bytes of answers and counts", NX_SYNC_BYTES);
    p->mem_write(p->self, s->area, zero, sizeof zero);
    s->dev->sync = 1;
    s->commanded = 1;
    if ((error = close_asked(s)) || (error = set_base(s, SYNC_COUNTER_BASE_LOW, s->area + NX_SYNC_COUNTER)) ||
        (error = set_base(s, SYNC_ANSWER_BASE_LOW, s->area + NX_SYNC_ANSWER)))
        return error;
    return set_base(s, SYNC_REFUSED_BASE_LOW, s->area + NX_SYNC_REFUSED);
}

int nx_sync_open(nx_device *dev, nx_sync **result)
{
    nx_sync *s = *result = calloc(1, sizeof *s);
    int error;
    if (!s) return nx_fail(dev, NX_ERROR_NO_MEMORY, "no memory for the state of operations");
    s->dev = dev;
    if (!dev->sync_counts) dev->sync_counts = calloc(1, sizeof *s->counts);
    s->counts = dev->sync_counts;
    error = s->counts ? set_up(s) : nx_fail(dev, NX_ERROR_NO_MEMORY, "no memory for the state of operations");
    if (!error) return NX_OK;
    nx_sync_close(s);
    *result = NULL;
    return error;
}

void nx_sync_close(nx_sync *s)
{
    static const unsigned bases[] = {SYNC_COUNTER_BASE_LOW, SYNC_ANSWER_BASE_LOW, SYNC_REFUSED_BASE_LOW};
    uint32_t build;
    if (!s) return;
    if (s->area) {
        for (unsigned i = 0; i < 3; i++) (void)nx_register_write(s->dev, bases[i], 0);
        (void)nx_register_read(s->dev, SYNC_BUILD, &build); /* pushes writes of the device ahead of it */
        s->dev->platform->release(s->dev->platform->self, s->area, NX_SYNC_BYTES);
    }
    free(s);
}

/* ---- what went wrong */

static void add_line(nx_sync_status *status, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_line(nx_sync_status *status, const char *format, ...)
{
    const size_t used = strlen(status->text);
    va_list list;
    va_start(list, format);
    vsnprintf(status->text + used, sizeof status->text - used, format, list);
    va_end(list);
}

int nx_sync_status_read(nx_sync *s, nx_sync_status *status)
{
    uint32_t value;
    int error;
    memset(status, 0, sizeof *status);
    if ((error = nx_register_read(s->dev, SYNC_STATUS, &status->status)) ||
        (error = nx_register_read(s->dev, SYNC_REFUSED_FULL, &value)))
        return error;
    status->refused = value;
    for (const struct sync_field *f = sync_fields; f < sync_fields + SYNC_FIELD_TABLE_COUNT; f++)
        if (f->offset == SYNC_STATUS && status->status >> f->lsb & 1)
            add_line(status, "status %s: %s\n", f->name, f->text);
    for (const struct sync_register *r = sync_registers; r < sync_registers + SYNC_REGISTER_TABLE_COUNT; r++) {
        if (!r->error || r->count > 1) continue;
        if ((error = nx_register_read(s->dev, r->offset, &value))) return error;
        status->errors += value;
        if (value) add_line(status, "%s %u: %s\n", r->name, (unsigned)value, r->text);
    }
    if (!status->text[0]) add_line(status, "no errors\n");
    return NX_OK;
}

int nx_sync_status_clear(nx_sync *s, uint32_t bits) { return nx_register_write(s->dev, SYNC_STATUS, bits); }

/* ---- operations */

int nx_sync_post(nx_sync *s, unsigned flow, enum nx_operation kind, unsigned object, unsigned operand, uint64_t data,
                 unsigned words)
{
    const nx_descriptor d = {.source = data,
                             .destination = nx_operation_word(kind, object, operand),
                             .words = words,
                             .flow = flow,
                             .flags = NX_OPERATION | NX_START | (words == 1 ? NX_IMMEDIATE : 0u)};
    return nx_post(s->dev, &d, NULL);
}

/* Waits until the last command of the host is done. */
static int command_done(nx_sync *s, uint32_t *command)
{
    const struct nx_platform *p = s->dev->platform;
    const uint64_t start = p->now(p->self);
    int error;
    for (;;) {
        if ((error = nx_register_read(s->dev, SYNC_HOST_COMMAND, command))) return error;
        if (!(*command & SYNC_HOST_COMMAND_BUSY_MASK)) break;
        if (p->now(p->self) - start > s->dev->params.timeout_ns)
            return nx_fail(s->dev, NX_ERROR_TIMEOUT, "HOST_COMMAND reads 0x%08x, expected BUSY to fall",
                           (unsigned)*command);
    }
    s->commanded = 0;
    return NX_OK;
}

/* Begins an operation of the host here; it is done before the next one. */
static int command(nx_sync *s, unsigned operation, unsigned object, uint64_t first, uint64_t second)
{
    const uint32_t value =
        (uint32_t)object << SYNC_HOST_COMMAND_OBJECT_SHIFT | operation << SYNC_HOST_COMMAND_OPERATION_SHIFT;
    uint32_t before;
    int error;
    if (s->commanded && (error = command_done(s, &before))) return error;
    if ((error = write64(s, SYNC_HOST_DATA_LOW, first)) ||
        (operation == NX_COMPARE_SWAP && (error = write64(s, SYNC_HOST_SECOND_LOW, second))))
        return error;
    s->commanded = 1;
    return nx_register_write(s->dev, SYNC_HOST_COMMAND, value);
}

/* The same with its result. */
static int command_result(nx_sync *s, unsigned operation, unsigned object, uint64_t first, uint64_t second,
                          uint64_t *old)
{
    uint32_t after, low, high;
    int error;
    if ((error = command(s, operation, object, first, second)) || (error = command_done(s, &after)) ||
        (error = nx_register_read(s->dev, SYNC_HOST_RESULT_LOW, &low)) ||
        (error = nx_register_read(s->dev, SYNC_HOST_RESULT_HIGH, &high)))
        return error;
    *old = (uint64_t)high << 32 | low;
    if (!(after & SYNC_HOST_COMMAND_REASON_MASK)) return NX_OK;
    return nx_fail(s->dev, NX_ERROR_DEVICE, "HOST_COMMAND reads 0x%08x, expected REASON 0", (unsigned)after);
}

/* ---- words */

static int check_word(nx_sync *s, unsigned word)
{
    return word < s->words ? NX_OK
                           : nx_fail(s->dev, NX_ERROR_ARGUMENT, "word is %u, expected 0..%u", word, s->words - 1);
}

int nx_word_read(nx_sync *s, unsigned word, uint64_t *value)
{
    int error = check_word(s, word);
    if (error) return error;
    if (s->dev->platform->read64(s->dev->platform->self, s->dev->registers + SYNC_WORD + 8 * word, value) < 0)
        return nx_fail(s->dev, NX_ERROR_BUS, "read of word %u failed", word);
    return NX_OK;
}

int nx_word_write(nx_sync *s, unsigned flow, unsigned word, uint64_t value)
{
    int error = check_word(s, word);
    if (error) return error;
    return flow == NX_SELF ? write64(s, SYNC_WORD + 8 * word, value)
                           : nx_sync_post(s, flow, NX_WRITE, word, 0, value, 1);
}

static uint64_t answer_at(const nx_sync *s, unsigned slot) { return s->area + NX_SYNC_ANSWER + 16 * slot; }

int nx_word_ask(nx_sync *s, unsigned flow, enum nx_operation kind, unsigned word, uint64_t first, uint64_t second,
                unsigned *result)
{
    const struct nx_platform *p = s->dev->platform;
    unsigned slot = s->last_slot;
    int error = check_word(s, word);
    if (error) return error;
    if (kind < NX_FETCH_ADD || kind > NX_COMPARE_SWAP)
        return nx_fail(s->dev, NX_ERROR_ARGUMENT, "operation %d to %s has no answer, expected %d..%d", (int)kind,
                       self_or(flow), NX_FETCH_ADD, NX_COMPARE_SWAP);
    if (s->asked == UINT64_MAX)
        return nx_fail(s->dev, NX_ERROR_NO_SPACE, "%d requests are unanswered, expected less", NX_SYNC_ANSWERS);
    do slot = (slot + 1) % NX_SYNC_ANSWERS;
    while (s->asked >> slot & 1);
    /* the tag turns with each use; it begins with 1, and the memory with 0 */
    const uint16_t operand = (uint16_t)((((s->operand[slot] >> 6) + 1u) & 511) << 6 | slot);
    uint64_t data = first;
    if (kind == NX_COMPARE_SWAP) {
        uint8_t bytes[16];
        nx_put64(bytes, first);
        nx_put64(bytes + 8, second);
        data = s->area + NX_SYNC_REQUEST + 16 * slot;
        p->mem_write(p->self, data, bytes, sizeof bytes);
    }
    if ((error = nx_sync_post(s, flow, kind, word, operand, data, kind == NX_COMPARE_SWAP ? 2 : 1))) return error;
    s->operand[slot] = operand;
    s->asked |= (uint64_t)1 << slot;
    *result = s->last_slot = slot;
    return NX_OK;
}

static int answered(const nx_sync *s, unsigned slot, uint64_t *word)
{
    *word = nx_memory_get64(s->dev, answer_at(s, slot) + 8);
    return (*word & 0x7fff) == s->operand[slot];
}

int nx_word_answer(nx_sync *s, unsigned slot, uint64_t *old)
{
    uint64_t word;
    if (slot >= NX_SYNC_ANSWERS || !(s->asked >> slot & 1))
        return nx_fail(s->dev, NX_ERROR_ARGUMENT, "answer slot is %u, expected one of a request", slot);
    if (!answered(s, slot, &word)) return 0;
    s->asked &= ~((uint64_t)1 << slot);
    *old = nx_memory_get64(s->dev, answer_at(s, slot));
    if (!(word >> 16 & 255)) return 1;
    return nx_fail(s->dev, NX_ERROR_ABANDONED, "node %u has refused a request: %s", (unsigned)(word >> 56 & 127),
                   (word >> 16 & 255) == 5 ? "it has no such word" : "wrong length of the payload");
}

int nx_word_forget(nx_sync *s, unsigned slot)
{
    uint32_t after;
    int error;
    if (slot >= NX_SYNC_ANSWERS)
        return nx_fail(s->dev, NX_ERROR_ARGUMENT, "answer slot is %u, expected 0..%d", slot, NX_SYNC_ANSWERS - 1);
    s->asked &= ~((uint64_t)1 << slot);
    return (error = command(s, NX_REPLY, slot, 0, 0)) ? error : command_done(s, &after);
}

struct answer {
    nx_sync *s;
    unsigned slot;
    uint64_t old;
};

static int answer_there(void *arg)
{
    struct answer *a = arg;
    uint64_t word;
    return answered(a->s, a->slot, &word);
}

static int request(nx_sync *s, unsigned flow, enum nx_operation kind, unsigned word, uint64_t first, uint64_t second,
                   uint64_t *old)
{
    struct answer a = {.s = s};
    int result = check_word(s, word);
    if (result) return result;
    if (flow == NX_SELF) return command_result(s, kind, word, first, second, old);
    if ((result = nx_word_ask(s, flow, kind, word, first, second, &a.slot))) return result;
    result = nx_sync_wait(s, answer_there, &a, "waiting for the answer of a node");
    if (result < 0) {
        char text[sizeof s->dev->error];
        for (unsigned i = 0; i < sizeof text; i++) text[i] = s->dev->error[i];
        (void)nx_word_forget(s, a.slot);
        return nx_fail(s->dev, result, "flow %u, word %u: %.400s", flow, word, text);
    }
    return (result = nx_word_answer(s, a.slot, old)) < 0 ? result : NX_OK;
}

int nx_fetch_add(nx_sync *s, unsigned flow, unsigned word, uint64_t add, uint64_t *old)
{
    return request(s, flow, NX_FETCH_ADD, word, add, 0, old);
}

int nx_swap(nx_sync *s, unsigned flow, unsigned word, uint64_t value, uint64_t *old)
{
    return request(s, flow, NX_SWAP, word, value, 0, old);
}

int nx_compare_swap(nx_sync *s, unsigned flow, unsigned word, uint64_t expected, uint64_t value, uint64_t *old)
{
    return request(s, flow, NX_COMPARE_SWAP, word, expected, value, old);
}

/* ---- counters */

static int check_counter(nx_sync *s, unsigned counter)
{
    if (counter < s->counters) return NX_OK;
    return nx_fail(s->dev, NX_ERROR_ARGUMENT, "counter is %u, expected 0..%u", counter, s->counters - 1);
}

/* How often it had acted before. */
static int know(nx_sync *s, unsigned counter)
{
    uint32_t state;
    int error = check_counter(s, counter);
    if (error || s->known >> counter & 1) return error;
    if ((error = nx_register_read(s->dev, SYNC_COUNTER_STATE + 8 * counter, &state))) return error;
    s->times[counter] = (uint8_t)(state >> SYNC_COUNTER_STATE_TIMES_SHIFT);
    s->known |= (uint64_t)1 << counter;
    return NX_OK;
}

int nx_counter_add(nx_sync *s, unsigned flow, unsigned counter, int32_t add)
{
    int error = check_counter(s, counter);
    if (error) return error;
    return flow == NX_SELF ? command(s, NX_ADD, counter, (uint32_t)add, 0)
                           : nx_sync_post(s, flow, NX_ADD, counter, 0, (uint32_t)add, 1);
}

int nx_counter_arm(nx_sync *s, unsigned flow, unsigned counter, int32_t add, unsigned at_zero, unsigned release)
{
    const uint64_t data = (uint64_t) !!(at_zero & NX_AT_ZERO_WORD) << 63 |
                          (uint64_t) !!(at_zero & NX_AT_ZERO_INTERRUPT) << 62 | (uint64_t)(release & 0xffff) << 32 |
                          (uint32_t)add;
    int error = flow == NX_SELF ? know(s, counter) : check_counter(s, counter);
    if (error) return error;
    return flow == NX_SELF ? command(s, NX_ARM, counter, data, 0) : nx_sync_post(s, flow, NX_ARM, counter, 0, data, 1);
}

static uint64_t counter_word(const nx_sync *s, unsigned counter)
{
    return nx_memory_get64(s->dev, s->area + NX_SYNC_COUNTER + 8 * counter);
}

int nx_counter_zeros(nx_sync *s, unsigned counter, uint32_t *zeros)
{
    uint64_t word;
    int error = know(s, counter);
    if (error) return error;
    word = counter_word(s, counter);
    if (word != s->taken[counter]) {
        s->zeros[counter] += (uint8_t)((uint8_t)word - s->times[counter]);
        s->times[counter] = (uint8_t)word;
        s->taken[counter] = word;
        if (word >> 55 & 1)
            error = nx_fail(s->dev, NX_ERROR_FLAGGED,
                            "counter %u: packets of source %u, or of others that counted, are "
                            "lost or damaged",
                            counter, (unsigned)(word >> 56 & 127));
    }
    *zeros = s->zeros[counter];
    return error;
}

struct zero {
    nx_sync *s;
    unsigned counter;
    uint32_t zeros;
};

static int zero_there(void *arg)
{
    struct zero *z = arg;
    uint32_t zeros = 0;
    const int error = nx_counter_zeros(z->s, z->counter, &zeros);
    return error ? error : (int32_t)(zeros - z->zeros) >= 0;
}

int nx_counter_wait(nx_sync *s, unsigned counter, uint32_t zeros)
{
    struct zero z = {s, counter, zeros};
    int result = know(s, counter);
    if (result) return result;
    result = nx_sync_wait(s, zero_there, &z, "waiting for a counter");
    return result < 0 ? result : NX_OK;
}

int nx_counter_read(nx_sync *s, unsigned counter, int32_t *value)
{
    uint32_t raw;
    int error = check_counter(s, counter);
    if (error || (error = nx_register_read(s->dev, SYNC_COUNTER_VALUE + 8 * counter, &raw))) return error;
    *value = (int32_t)raw;
    return NX_OK;
}
