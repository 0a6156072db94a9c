#include "sim/app/roce/board/roce_limits.h"

#include <stdio.h>

const unsigned roce_pmtus[5] = {256, 512, 1024, 2048, 4096};

int roce_limits_check(const roce_limit limits[], size_t count, char error[ROCE_LIMITS_ERROR])
{
    for (const roce_limit *l = limits; l < limits + count; l++)
        if (l->is < l->least || l->is > l->most) {
            snprintf(error, ROCE_LIMITS_ERROR, "%s: %u, expected %u to %u", l->name, l->is, l->least, l->most);
            return -1;
        }
    return 0;
}

int roce_limits_path(unsigned pmtu, unsigned ip, int in_turn, char error[ROCE_LIMITS_ERROR])
{
    const char *or_0 = in_turn ? " (0: in turn)" : "";
    int known = in_turn && !pmtu;
    for (unsigned i = 0; i < 5; i++) known |= pmtu == roce_pmtus[i];
    if (known && (ip == 4 || ip == 6 || (in_turn && !ip))) return 0;
    if (known) snprintf(error, ROCE_LIMITS_ERROR, "version of IP: %u, expected 4 or 6%s", ip, or_0);
    else snprintf(error, ROCE_LIMITS_ERROR, "path MTU: %u, expected 256, 512, 1024, 2048 or 4096%s", pmtu, or_0);
    return -1;
}
