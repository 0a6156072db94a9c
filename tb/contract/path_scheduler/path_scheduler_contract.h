/* The contract of the slot "path scheduler" (the head of rtl/nic/voq/path_scheduler.v has it in words). */
#ifndef TB_CONTRACT_PATH_SCHEDULER_H
#define TB_CONTRACT_PATH_SCHEDULER_H

#include "slot_path_scheduler_4.h"
#include "suite.h"

/* Rules, in addition to the common ones. */
enum { AMONG = CONTRACT_OWN, ONE_HOT, ANY, SAME_CLOCK, STANDS, PATH_RULES };

enum { PATHS_MOST = 4, LANES_MOST = 16, PATH_PATIENCE = 4096 /* words of each other path */, PATH_STORY = 300 };

typedef struct path_bench {
    contract_bench c;
    const slot_path_scheduler_4_ports *p;
    unsigned paths, lanes;
    uint64_t words[LANES_MOST][PATHS_MOST];  /* given to each path */
    uint64_t passed[LANES_MOST][PATHS_MOST]; /* words of others of that lane while it was eligible */
    int fresh;                               /* nothing to compare with */
    unsigned shown_lane, shown_eligible, shown_in_use, shown_grant;
    int known;
    unsigned chosen[PATH_STORY]; /* after the first reset */
} path_bench;

/* One clock: a packet of this many words, 0: none goes, of this lane may go by these paths; if it goes, three more in
 * which none does. Returns the path chosen, -1: none. */
int path_step(path_bench *b, unsigned lane, unsigned eligible, unsigned in_use, unsigned words);

extern const contract_slot path_scheduler_slot;

#endif
