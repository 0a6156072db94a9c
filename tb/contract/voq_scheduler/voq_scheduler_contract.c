/* All checks of this slot are those of queue_choice.c. */
#include "voq_scheduler_contract.h"

static void *bench_new(const sim_config *config, unsigned fault)
{
    choice_bench *b = choice_bench_new(config, fault, "take", "take_words");
    b->follows = true;
    b->level = sim_model_port(b->c.model, "level");
    return b;
}

const contract_slot voq_scheduler_slot = {
    "rtl/nic/voq/voq_scheduler.v", "packets",      choice_rules, CHOICE_RULES, bench_new, choice_part,
    choice_reset_sequence,         choice_all_ask, false};
