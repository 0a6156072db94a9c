#include "error_counters.h"

#include <check.h>
#include <stdio.h>

static const struct {
    unsigned offset;
    const char *name;
} counters[ERROR_COUNTERS] = {
#define ENTRY(name)                                                                                                                        \
    {                                                                                                                                      \
        NIC_##name, #name                                                                                                                  \
    }
#define SKIPPED(queue)                                                                                                                     \
    {                                                                                                                                      \
        NIC_QUEUE_SKIPPED + 4 * (queue), "QUEUE_SKIPPED[" #queue "]"                                                                       \
    }
    ENTRY(BODY_CRC_ERRORS),
    ENTRY(HEADER_ALIGNMENT_ERRORS),
    ENTRY(H2N_FIFO_FULL_ERRORS),
    ENTRY(N2H_FIFO_FULL_ERRORS),
    ENTRY(GT0_UNKNOWN_CHARACTERS),
    ENTRY(GT0_LOSS_OF_SYNC),
    ENTRY(GT0_PARITY_ERRORS),
    ENTRY(GT0_TX_BUFFER_FULL),
    ENTRY(HEADER_CRC_ERRORS),
    ENTRY(ALIGNMENT_ERRORS),
    ENTRY(DESCRIPTOR_ERRORS),
    ENTRY(DESCRIPTOR_OVERWRITES),
    ENTRY(READ_ERRORS),
    ENTRY(WRITE_ERRORS),
    ENTRY(SEQUENCE_GAPS),
    ENTRY(FLAGGED_NOTIFICATIONS),
    ENTRY(PACKETS_DROPPED),
    ENTRY(CREDITS_REJECTED),
    ENTRY(MEMORY_ERRORS),
    SKIPPED(0),
    SKIPPED(1),
    SKIPPED(2),
    SKIPPED(3),
    SKIPPED(4),
    SKIPPED(5),
    SKIPPED(6),
    SKIPPED(7),
};

static uint32_t get(const error_counters *c, unsigned i)
{
    uint32_t value;
    int r = nx_register_read(c->dev, counters[i].offset, &value);
    ck_assert_msg(r == 0, "%s", nx_last_error(c->dev));
    return value;
}

void error_counters_take(error_counters *c, nx_device *dev)
{
    c->dev = dev;
    for (unsigned i = 0; i < ERROR_COUNTERS; i++) c->before[i] = get(c, i);
}

uint32_t error_counters_risen(const error_counters *c, unsigned offset)
{
    for (unsigned i = 0; i < ERROR_COUNTERS; i++)
        if (counters[i].offset == offset) return get(c, i) - c->before[i];
    ck_abort_msg("0x%x is no error counter", offset);
    return 0;
}

int error_counters_compare(error_counters *c, const change *list, char *text, size_t size)
{
    size_t n = 0;
    *text = 0;
    for (unsigned i = 0; i < ERROR_COUNTERS; i++) {
        uint32_t now = get(c, i), by = now - c->before[i], want = 0;
        for (const change *l = list; l->offset; l++)
            if (l->offset == counters[i].offset) want = l->by;
        c->before[i] = now;
        if (want != ANY && (want == SOME ? by == 0 : by != want) && n < size)
            n += (size_t)snprintf(text + n, size - n, " %s rose by %u, expected %u;", counters[i].name, by, want);
    }
    return n ? -1 : 0;
}
