/* The error counters of a NIC (error=yes in registers.map), by the driver: what has risen since they were last looked at, against what
 * must have. */
#ifndef TB_SYSTEM_ERROR_COUNTERS_H
#define TB_SYSTEM_ERROR_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

#include "nic_register_map.h"
#include "nx.h"

enum { ERROR_COUNTERS_MAX = 128 };

typedef struct error_counters {
    nx_device *dev;
    uint32_t before[ERROR_COUNTERS_MAX]; /* in the order of the map */
} error_counters;

typedef struct change {
    unsigned offset; /* of an error counter; 0 ends the list */
    uint32_t by;     /* SOME: at least one, ANY: not looked at */
} change;
enum { SOME = 0x40000000, ANY = 0x40000001 };
#define CHANGES(...) ((const change[]){__VA_ARGS__, {0, 0}})

/* Forgets what they did until now. */
void error_counters_take(error_counters *c, nx_device *dev);
/* What one of them has risen by. */
uint32_t error_counters_risen(const error_counters *c, unsigned offset);
/* The counters must have changed like this, all others not at all. 0, or -1 with those that have not in `text`. Takes them anew. */
int error_counters_compare(error_counters *c, const change *list, char *text, size_t size);

#endif
