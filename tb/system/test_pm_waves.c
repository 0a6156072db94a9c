/* A block in a slot of a packet-mode switch that does wrong: the run with models that record breaks the same rule in
 * the same clock, and the waves of the clocks before hold the fault. */
#include <string.h>

#include "full_models.h"
#include "pm_sm_bad_2.h"
#include "shell.h"
#include "sim/app/packet_mode/pm_run.h"
#include "test.h"

TEST_CASE("waves", .timeout = 60, .teardown = shell_clean);

enum { FORWARD_CLOCKS = 30 /* from an input to the crosspoints */ };

/* tb/system/bad_pm_turns.v, which sends without credit. */
static pm_result broken(uint64_t from, uint64_t clocks, const char *waves)
{
    static uint8_t weight[PM_PORTS][PM_PORTS];
    pm_run_params p = {
        .model = &pm_sm_bad_2_config,
        .quiet = 1,
        .warmup = 1000,
        .clocks = 100000,
        .weight = weight,
        .waves = waves,
        .wave_from = from,
        .wave_clocks = clocks,
        .traffic = {
            .pattern = {.kind = pattern_find("uniform"), .nodes = 2, .sizes = {SIZES_UNIFORM, 5, 300, 0}, .seed = 1},
            .process = PM_SATURATED,
            .grain = 1,
            .load = 1}};
    memset(weight, 3, sizeof weight);
    return pm_run(&p);
}

TEST(waves_of_a_broken_rule_hold_the_fault)
{
    char first[400], path[120];
    int recorded, chosen, reported;
    snprintf(path, sizeof path, "%s/bad.fst", shell_folder());
    pm_result r = broken(0, 0, NULL);
    ck_assert_msg(r.error && strstr(r.error, "a crosspoint overflowed or underflowed"), "%s",
                  r.error ? r.error : "no error");
    snprintf(first, sizeof first, "%s", r.error);
    uint64_t clock = r.clocks;
    ck_assert_uint_gt(clock, 2000);
    r = broken(clock - 500, 501, path);
    ck_assert_str_eq(r.error, first);
    ck_assert_uint_eq(r.clocks, clock);
    /* an input that chooses though nothing is eligible; then the error of an output, in the last clocks */
    shell_put("look",
              "/^.scope/ { s[++n] = $3 } /^.upscope/ { n-- }\n"
              "/^.var/ { p = \"\"; for (i = 1; i <= n; i++) p = p s[i] \".\"; sub(/^switch.pm_switch./, \"\", p); "
              "name[$4] = p $5 }\n"
              "/^#/ { t = substr($0, 2) / 3200; if (!from) from = t }\n"
              "/^[01b]/ { v = NF == 2 ? $1 : substr($1, 1, 1); of = name[NF == 2 ? $2 : substr($1, 2)]; value[of] = v\n"
              "  if (of == \"error_words\" && v ~ /1/ && !reported) reported = t\n"
              "  if (of ~ /card_in.of.0..scheduler.chosen$/) chosen[of] = v }\n"
              "/^#/ { for (of in chosen) if (chosen[of] == 1) {\n"
              "    e = of; sub(/chosen$/, \"eligible\", e); if (value[e] !~ /1/ && !bad) bad = t } }\n"
              "END { printf \"%d clocks, chosen %d, reported %d before the end\", t - from, t - bad, t - reported }\n");
    ck_shell_says(0, " before the end", "fst2vcd $D/bad.fst | awk -f $D/look");
    ck_assert_int_eq(sscanf(shell_output, "%d clocks, chosen %d, reported %d", &recorded, &chosen, &reported), 3);
    ck_assert_int_ge(recorded, 499);
    ck_assert_int_le(reported, 2);
    ck_assert_msg(chosen > FORWARD_CLOCKS && chosen < recorded, "chosen without credit %d clocks before the end",
                  chosen);
}
