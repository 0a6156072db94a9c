/* Contract of the slot "VOQ scheduler" as checks that judge any candidate alone (the head of rtl/voq/voq_scheduler.v has it in words).
 *
 * A bench holds one candidate and knows which queues are eligible and for how many takes. Every clock it looks whether the candidate
 * keeps to the rules; a check is a story that brings it into a situation. What is wrong is not a failure of the test program but a
 * complaint, so that broken candidates can be judged, too. */
#ifndef TB_CONTRACT_VOQ_SCHEDULER_H
#define TB_CONTRACT_VOQ_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>

#include "contract.h"
#include "sim.h"
#include "slot_voq_scheduler_8.h"

#define VOQ_SCHEDULER_QUEUES 16
/* A queue that stays eligible is chosen within so many takes per queue; a scheduler that weighs by length may need some. */
#define VOQ_SCHEDULER_PATIENCE 8

typedef struct voq_scheduler_bench {
    sim *s;
    sim_clock *clk;

    /* the candidate, by the names of its ports */
    unsigned queues;
    sim_model *model;
    const slot_voq_scheduler_8_ports *p;

    unsigned served[VOQ_SCHEDULER_QUEUES];
    uint64_t words[VOQ_SCHEDULER_QUEUES];
    unsigned passed[VOQ_SCHEDULER_QUEUES]; /* takes of others since it became eligible */
    uint32_t shown_eligible, shown_waiting, shown_grant;
    bool was_taken, fresh; /* in the last clock; nothing to compare with */
    uint64_t clock;
    char complaint[CONTRACT_COMPLAINT]; /* "" = none; the first one stands */
} voq_scheduler_bench;

typedef struct {
    const char *name;
    void (*run)(voq_scheduler_bench *b);
} voq_scheduler_check;

extern const voq_scheduler_check voq_scheduler_checks[];
extern const size_t voq_scheduler_check_count;

/* Runs one check on a fresh candidate: 0, or 1 with the complaint. */
int voq_scheduler_judge(const sim_config *config, unsigned fault, const voq_scheduler_check *check, char complaint[CONTRACT_COMPLAINT]);

#endif
