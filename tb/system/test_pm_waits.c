/* Flows of the packet-mode switches that have something to send, and a path for
 * it, whatever sizes the others have: each of them sends within the clocks that
 * rtl/packet_mode/clocks.md says. Sources are back to back or periodic; a full
 * VOQ is obeyed. */
#include <string.h>

#include "pm_dpm_4.h"
#include "pm_oracle.h"
#include "pm_ppm_4.h"
#include "pm_ppm_lanes_4.h"
#include "pm_sm_lanes_4.h"
#include "pm_sm_split_4.h"
#include "pm_vps_lanes_4.h"
#include "sim/app/packet_mode/pm_run.h"
#include "test.h"

/* Packets of an input: `first` words once, then `words`, every `period` clocks
 * or as soon as the line is free (0); `count` of them, 0: for ever. */
typedef struct source {
    unsigned input, output, set, first, words, period, count;
} source;

enum { MOST = 4 };

typedef struct sources {
    const source *of;
    pm_journey journey[4000]; /* arrivals and departures, for the oracle */
    uint32_t number[PM_PORTS][PM_PORTS][4000], come[PM_PORTS][PM_PORTS], count;
    uint64_t end;
    uint64_t line_free[PM_PORTS], due[MOST];
    unsigned sent[MOST];
} sources;

/* Of the sources of this input the one that may begin first; of several the
 * first one. */
static pm_packet next(void *self, unsigned input)
{
    sources *s = self;
    pm_packet p = {.first = UINT64_MAX, .words = 1};
    int k = 0;
    for (int n = 0; n < MOST; n++) {
        const source *x = &s->of[n];
        uint64_t begins = s->due[n] > s->line_free[input] ? s->due[n] : s->line_free[input];
        if (!x->words || x->input != input || begins >= p.first || (x->count && s->sent[n] == x->count)) continue;
        p = (pm_packet){begins, x->first && !s->sent[n] ? x->first : x->words, x->output, 0, x->set};
        k = n;
    }
    if (p.first == UINT64_MAX) return p;
    s->line_free[input] = p.first + p.words;
    s->due[k] += s->of[k].period;
    s->sent[k]++;
    return p;
}

static void came(void *self, unsigned input, unsigned output, unsigned words, uint64_t first)
{
    sources *s = self;
    ck_assert_uint_lt(s->count, COUNT(s->journey));
    s->number[input][output][s->come[input][output]++] = s->count;
    s->journey[s->count++] = (pm_journey){.came = first, .words = words, .input = input, .output = output};
}

static void left(void *self, unsigned input, unsigned output, uint32_t number, uint64_t first, uint64_t last)
{
    sources *s = self;
    pm_journey *j = &s->journey[s->number[input][output][number]];
    j->first = first;
    s->end = j->last = last;
}

/* All that has left did so when the oracle says. */
static void ck_oracle(const sources *s, pm_oracle_kind kind)
{
    static pm_journey j[COUNT(s->journey)];
    pm_oracle_params oracle = pm_oracle_default(kind, 4);
    memcpy(j, s->journey, s->count * sizeof *j);
    const char *error = pm_oracle_run(&oracle, j, s->count);
    ck_assert_msg(!error, "%s", error);
    for (unsigned k = 0; k < s->count; k++)
        ck_assert_msg(!s->journey[k].first ? j[k].last > s->end : j[k].first == s->journey[k].first,
                      "input %u, output %u, came in clock %lu: left in clock %lu, "
                      "%lu of the oracle",
                      j[k].input, j[k].output, j[k].came, s->journey[k].first, j[k].first);
}

/* `kind`: the oracle that it is compared with; -1: there are sets, which that
 * does not know. */
static pm_result run(const sim_config *model, int kind, const source of[MOST], uint64_t clocks, uint64_t patience)
{
    static sources s;
    s = (sources){.of = of};
    pm_run_params p = {.model = model,
                       .quiet = 1,
                       .clocks = clocks,
                       .traffic = {.pattern = {.kind = pattern_find("uniform"),
                                               .nodes = 4,
                                               .sizes = {SIZES_FIXED, 64, 64, 0},
                                               .seed = 1},
                                   .process = PM_SATURATED,
                                   .grain = 1,
                                   .load = 1},
                       .patience = patience,
                       .next = next,
                       .came = kind < 0 ? NULL : came,
                       .seen = kind < 0 ? NULL : left,
                       .self = &s};
    pm_result r = pm_run(&p);
    if (kind >= 0 && !r.error) ck_oracle(&s, (pm_oracle_kind)kind);
    return r;
}

TEST_CASE("waits", .timeout = 60);

/* A VOQ needs credit for a segment at once, packets for sets take it in small
 * parts. In VPS it needs it for a packet, while another input loads the output;
 * there as many of the sets may be ahead of it in the crosspoint as leave no
 * room for that packet. */
TEST(a_voq_waits_for_sets_for_so_long_only, .to = 4)
{
    static const sim_config *const of[] = {&pm_sm_lanes_4_config, &pm_sm_split_4_config, &pm_ppm_lanes_4_config,
                                           &pm_vps_lanes_4_config};
    static const unsigned periods[] = {50, 64, 20};
    int vps = _i == 3;
    for (unsigned k = vps ? 2 : 0; k < COUNT(periods); k++) {
        source s[MOST] = {{.input = 1, .set = 3, .words = 5, .period = periods[k]},
                          {.input = 1, .words = vps ? 1024 : 100, .count = vps ? 6 : 60},
                          {.input = 2, .words = vps ? 1024 : 0}};
        pm_result r = run(of[_i], -1, s, vps ? 170000 : 20000, vps ? 80000 : 5000);
        ck_assert_msg(!r.error, "sets every %u clocks: %s", periods[k], r.error);
    }
}

/* Packets of 128 words behind one of 100 end within units, and the next unit is
 * always just coming: the output looks back, and finds it. */
TEST(an_output_that_looks_back_comes_to_the_others)
{
    static const source s[MOST] = {{.input = 1, .first = 100, .words = 128}, {.input = 2, .first = 100, .words = 128}};
    pm_result r = run(&pm_ppm_4_config, ORACLE_PPM, s, 30000, 12000);
    ck_assert_msg(!r.error, "%s", r.error);
}

/* DPM (S3 IV-A): output 0 looks at input 2 whenever it has sent a packet of
 * input 3, just when output 1 has the lock. */
TEST(a_lock_that_is_never_free_in_time_is_waited_for)
{
    static const source s[MOST] = {
        {.input = 2, .words = 1024, .count = 6}, {.input = 2, .output = 1, .words = 1024}, {.input = 3, .words = 1024}};
    pm_result r = run(&pm_dpm_4_config, ORACLE_DPM, s, 160000, 80000);
    ck_assert_msg(!r.error, "%s", r.error);
}
