/* The weight of packets that name sets, and that of an output: of two flows of an ingress card that always wait, and
 * have credit, the one whose weight was set gets that multiple. */
#include "pm_card_in_weights.h"
#include "sim/core/kernel/sim.h"
#include "simulation.h"
#include "test.h"

enum {
    WORDS = 64,
    PACKETS = 24,
    UNITS = 12,
    HEAVY = 3,
    VOQ = 1 << 1,
    SET = 1 << 2 | 1 << 3 /* outputs of both flows */
};

TEST_CASE("set_weight");

TEST(packets_that_name_sets_have_a_weight_of_their_own, .to = 2)
{
    sim *s = loud_sim(0);
    sim_clock *clk = make_clock(s, "clk", 3200, 0);
    pm_card_in_weights *m =
        MODEL_AS(pm_card_in_weights, make_clocked(s, clk, &pm_card_in_weights_config, "card"), NULL);
    unsigned units = 0, sets = 0, back = 0; /* back: outputs whose credit is to come back */
    *m->rst = 1;
    run_clocks(s, clk, 4);
    *m->rst = 0;
    *m->weight_write = 1;
    *m->weight_multicast = (uint8_t)_i;
    *m->weight_output = 1;
    *m->weight = HEAVY;
    run_clocks(s, clk, 1);
    *m->weight_write = 0;
    for (unsigned clock = 0; units < UNITS; clock++) {
        int filling = clock < PACKETS * WORDS; /* without credit, packets of both flows in turn */
        ck_assert_uint_lt(clock, 2 * PACKETS * WORDS);
        *m->line_valid = (uint8_t)filling;
        *m->line_first = filling && clock % WORDS == 0;
        *m->line_multicast = clock / WORDS & 1;
        *m->line_set = SET;
        *m->line_output = 1;
        *m->line_words = WORDS;
        *m->credit_valid = !filling && back;
        *m->credit_words = WORDS;
        if (*m->credit_valid) {
            *m->credit_output = (uint8_t)__builtin_ctz(back);
            back &= back - 1;
        }
        run_clocks(s, clk, 1);
        ck_assert(!*m->error_line && !*m->error_credit);
        if (!*m->link_valid || !*m->link_first) continue;
        back |= *m->link_multicast ? SET : VOQ;
        if (!filling) units++, sets += *m->link_multicast;
    }
    unsigned heavy = _i ? sets : units - sets;
    ck_assert_msg(heavy >= 8 && heavy <= 10, "%u of %u units", heavy, units);
}
