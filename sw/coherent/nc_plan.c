/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Sizes of the queues of a plan, and which plans cannot be had: known without registers, so also to who checks options.
 */
#include "nc_ni.h"

unsigned nc_log2_slot(unsigned bytes)
{
    unsigned log2 = 6;
    if (bytes > NC_PACKET_MAX) bytes = NC_PACKET_MAX;
    while (1u << log2 < bytes + 8) log2++;
    return log2;
}

unsigned nc_log2_send_slots(const nc_ni_plan *plan) { return nc_log2_slot(plan->message) > 7 ? 3 : 4; }

unsigned nc_log2_slots(const nc_ni_plan *plan, unsigned processor)
{
    if (plan->ni == NC_UNCACHED) return 11 - processor - nc_log2_slot(plan->message);
    return plan->senders > 2 ? 12 - nc_log2_slot(plan->message) : nc_log2_send_slots(plan);
}

const char *nc_ni_refusal(const nc_ni_plan *plan)
{
    for (unsigned p = 0; p < plan->receivers; p++)
        if (plan->senders > 1u << nc_log2_slots(plan, p))
            return "fewer NODES, or MESSAGE of at most 248, expected: NI=uncached has room for 4 longer ones";
    return NULL;
}
