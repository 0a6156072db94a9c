/* Sideband for non-RoCE frames of Linux: for an end of the line that cannot carry them, and for frames that a test
 * sends. Who asks by ARP, neighbour discovery or ping is answered as 10.0.0.1 and fd00::1 at 02:00:00:00:00:01, which
 * is for that end to have.
 */
#ifndef SIM_APP_ROCE_LINUX_ROCE_SIDEBAND_H
#define SIM_APP_ROCE_LINUX_ROCE_SIDEBAND_H

#include "sim/app/roce/linux/roce_linux.h"

typedef struct roce_sideband roce_sideband;

/* From now on. NULL: no memory. */
roce_sideband *roce_sideband_new(sim *s, roce_linux *l);
/* Before the Linux. NULL is allowed. */
void roce_sideband_free(roce_sideband *b);
/* Sees these frames first: 1, it has taken this one. NULL: none. */
void roce_sideband_on_frame(roce_sideband *b, int (*take)(void *self, const uint8_t *frame, size_t length), void *self);

#endif
