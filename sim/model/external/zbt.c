/* See zbt.h. */
#include "sim/model/external/zbt.h"

#include <stdlib.h>

#include "sim/model/external/external_private.h"

struct zbt {
    external *port;
    uint64_t mask;
    unsigned latency;
};

zbt_params zbt_params_default(void) { return (zbt_params){.log2_words = 24, .latency = 2}; }

const char *zbt_params_check(const zbt_params *p)
{
    if (p->log2_words < 10 || p->log2_words > 24) return "log2_words must be 10..24";
    if (p->latency < 1 || p->latency > 64) return "latency must be 1..64";
    return NULL;
}

void *zbt_new(external *m, const zbt_params *p)
{
    struct zbt *z = calloc(1, sizeof *z);
    if (!z) return NULL;
    *z = (struct zbt){m, (UINT64_C(1) << p->log2_words) - 1, p->latency};
    return z;
}

static void zbt_clock(void *self, uint64_t clock, const external_request *taken)
{
    struct zbt *z = self;
    (void)clock;
    external_access(z->port, taken, taken->word & z->mask, z->latency - 1);
}

const external_ops zbt_ops = {.clock = zbt_clock, .free = free};
