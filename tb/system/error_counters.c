#include "error_counters.h"

#include <check.h>
#include <stdio.h>

/* The error counter with that number and its name; 0 after the last one. */
static unsigned counter(unsigned number, char *name, size_t size)
{
    for (const struct nic_register *r = nic_registers; r < nic_registers + NIC_REGISTER_TABLE_COUNT; r++) {
        if (!r->error) continue;
        if (number < r->count) {
            if (r->count > 1) snprintf(name, size, "%s[%u]", r->name, number);
            else snprintf(name, size, "%s", r->name);
            return r->offset + 4 * number;
        }
        number -= r->count;
    }
    return 0;
}

static uint32_t get(const error_counters *c, unsigned offset)
{
    uint32_t value;
    int r = nx_register_read(c->dev, offset, &value);
    ck_assert_msg(r == 0, "%s", nx_last_error(c->dev));
    return value;
}

void error_counters_take(error_counters *c, nx_device *dev)
{
    char name[64];
    unsigned offset;
    c->dev = dev;
    for (unsigned i = 0; (offset = counter(i, name, sizeof name)); i++) {
        ck_assert_uint_lt(i, ERROR_COUNTERS_MAX);
        c->before[i] = get(c, offset);
    }
}

uint32_t error_counters_risen(const error_counters *c, unsigned offset)
{
    char name[64];
    unsigned at;
    for (unsigned i = 0; (at = counter(i, name, sizeof name)); i++)
        if (at == offset) return get(c, offset) - c->before[i];
    ck_abort_msg("0x%x is no error counter", offset);
    return 0;
}

int error_counters_compare(error_counters *c, const change *list, char *text, size_t size)
{
    size_t n = 0;
    char name[64];
    unsigned offset;
    *text = 0;
    for (unsigned i = 0; (offset = counter(i, name, sizeof name)); i++) {
        uint32_t now = get(c, offset), by = now - c->before[i], want = 0;
        for (const change *l = list; l->offset; l++)
            if (l->offset == offset) want = l->by;
        c->before[i] = now;
        if (want != ANY && (want == SOME ? by == 0 : by != want) && n < size)
            n += (size_t)snprintf(text + n, size - n, " %s rose by %u, expected %u;", name, by, want);
    }
    return n ? -1 : 0;
}
