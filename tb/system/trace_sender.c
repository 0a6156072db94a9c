#include "trace_sender.h"

#include "nx.h"
#include "sim/system/nodes/node.h"

enum { TRANSFERS = 70, LONGEST = 2048 };

unsigned trace_senders_done;

void trace_sender(void *arg)
{
    node *n = arg;
    sim *s = n->s;
    uint64_t source = n->platform.alloc(n->platform.self, LONGEST, 8),
             target = n->platform.alloc(n->platform.self, 2 * LONGEST, 8);
    for (unsigned i = 0; i < TRANSFERS; i++) {
        for (unsigned k = 0; k < LONGEST; k += 8) {
            uint64_t word = sim_random(s);
            n->platform.mem_write(n->platform.self, source + k, &word, sizeof word);
        }
        unsigned bytes = 8 * (1 + (unsigned)sim_random_below(s, LONGEST / 8));
        uint32_t to = (uint32_t)target + 8 * (uint32_t)sim_random_below(s, LONGEST / 8);
        nx_transfer(n->dev, !n->id, source, to, bytes, sim_random_below(s, 4) ? 0 : NX_REMOTE, NULL);
        nx_drain(n->dev, !n->id);
        sim_progress(s);
        if (!sim_random_below(s, 8)) sim_wait_time(s, sim_random_below(s, 5 * SIM_US));
    }
    trace_senders_done++;
}
