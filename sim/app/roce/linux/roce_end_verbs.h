/* An end of the line (roce_end.h) as software sees it that makes connections (sw/roce/rn_verbs.h): so rping's server
 * runs on the NIC in C as it does on the chip.
 *
 *     roce_end_verbs *n = roce_end_verbs_new(end);     once the end is open
 *     rn_rping_new(roce_end_verbs_get(n), ...)
 */
#ifndef SIM_APP_ROCE_LINUX_ROCE_END_VERBS_H
#define SIM_APP_ROCE_LINUX_ROCE_END_VERBS_H

#include "rn_verbs.h"
#include "sim/app/roce/linux/roce_end.h"

typedef struct roce_end_verbs roce_end_verbs;

/* It uses all of the end's memory for data. NULL: no memory. */
roce_end_verbs *roce_end_verbs_new(sim *s, roce_end *end);
/* NULL is allowed. */
void roce_end_verbs_free(roce_end_verbs *n);
const rn_verbs *roce_end_verbs_get(const roce_end_verbs *n);

#endif
