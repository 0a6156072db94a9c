/* Weights in a packet-mode switch (S3 2): shares of saturated lines, short forms of what make shares measures. */
#include <string.h>

#include "pm_sm_4.h"
#include "pm_sm_weights_4.h"
#include "sim/app/packet_mode/pm_shares.h"
#include "test.h"

#define ALLOWED 2.0 /* [%], S3 2 */

/* Weights 1 to 4, each input's and each output's sum the same. The lightest flow sends 400 segments, so that one of
 * them is 0.25 %. */
static pm_shares_trial trial(unsigned inputs, unsigned outputs)
{
    pm_shares_trial t = {
        .model = &pm_sm_weights_4_config, .inputs = inputs, .outputs = outputs, .units = 400, .seed = 1};
    for (unsigned i = 0; i < 4; i++)
        for (unsigned o = 0; o < 4; o++) t.weight[i][o] = (uint8_t)(1 + (i + o) % 4);
    return t;
}

static double off(pm_shares_trial *t)
{
    const char *error = pm_shares_measure(t);
    ck_assert_msg(!error, "%s", error);
    return t->off;
}

TEST_CASE("shares", .timeout = 60);

TEST(saturated_flows_share_by_weight)
{
    static const struct {
        const char *what;
        unsigned inputs, outputs;
    } of[] = {{"four flows into an output", 0xf, 1},
              {"two of them idle: their part is spread by weight", 0xa, 1},
              {"all flows of the switch", 0xf, 4}};
    for (unsigned k = 0; k < sizeof of / sizeof of[0]; k++) {
        pm_shares_trial t = trial(of[k].inputs, of[k].outputs);
        ck_assert_msg(off(&t) <= ALLOWED, "%s: off by %.2f %%", of[k].what, t.off);
        ck_assert_msg(t.throughput > 0.98, "%s: %.4f words per line and clock", of[k].what, t.throughput);
    }
}

TEST(a_wrong_weight_is_seen)
{
    pm_shares_trial t = trial(0xf, 1), all = trial(0xf, 4), turns = trial(0xf, 1);
    uint8_t set[PM_PORTS][PM_PORTS];
    memcpy(set, t.weight, sizeof set);
    set[3][0] = 5; /* instead of 4 */
    t.set = all.set = set;
    ck_assert_msg(off(&t) > ALLOWED, "one output: off by %.2f %% only", t.off);
    ck_assert_msg(off(&all) > ALLOWED, "all outputs: off by %.2f %% only", all.off);
    turns.model = &pm_sm_4_config; /* schedulers that do not look at weights */
    ck_assert_msg(off(&turns) > ALLOWED, "round robin: off by %.2f %% only", turns.off);
}
