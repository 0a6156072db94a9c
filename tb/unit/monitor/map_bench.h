/* The NIC's registers with their default parameters, and the counters that are copied. */
#ifndef TB_MAP_BENCH_H
#define TB_MAP_BENCH_H

#include <string.h>

#include "nic_register_map.h"
#include "register_bench.h"
#include "test.h"

static struct register_bench *b;

static inline void make_bench(void) { b = register_bench_new(0); }

#endif
