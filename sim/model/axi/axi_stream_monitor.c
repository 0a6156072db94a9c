/* See axi_stream_monitor.h. */
#include "sim/model/axi/axi_stream_monitor.h"

#include <inttypes.h>
#include <stdlib.h>

#include "sim/model/axi/axi_stream_rules.h"

enum {
#define RULE(id, section, text) RULE_##id,
    AXI_STREAM_RULE_LIST(RULE)
#undef RULE
        RULES
};
static const axi_rule rules[RULES] = {
#define RULE(id, section, text) [RULE_##id] = {"AXI_STREAM_" #id, "sender", section, text},
    AXI_STREAM_RULE_LIST(RULE)
#undef RULE
};

struct axi_stream_monitor {
    axi_checker checker;
    axi_stream_pins p;
    axi_stream_params params;
    axi_channel channel;
    bool inside;
    uint64_t frame_bytes;
    axi_stream_stats stats;
};

static void look_word(axi_stream_monitor *m)
{
    uint64_t all = m->p.bytes >= 64 ? UINT64_MAX : (UINT64_C(1) << m->p.bytes) - 1;
    uint64_t keep = m->p.tkeep.at ? sim_port_get(&m->p.tkeep) : all;
    bool last = sim_port_get(&m->p.tlast);
    if (!last && keep != all)
        axi_break(&m->checker, &rules[RULE_KEEP], "TKEEP %" PRIx64 ", expected %" PRIx64, keep, all);
    if (last && (keep == 0 || (keep & (keep + 1)) != 0))
        axi_break(&m->checker, &rules[RULE_KEEP_LAST], "TKEEP %" PRIx64, keep);
    uint64_t before = m->frame_bytes;
    m->frame_bytes += (unsigned)__builtin_popcountll(keep);
    if (m->params.most_bytes && before <= m->params.most_bytes && m->frame_bytes > m->params.most_bytes)
        axi_break(&m->checker, &rules[RULE_LONG], "more than %u bytes", m->params.most_bytes);
    m->stats.words++;
    m->stats.bytes += (unsigned)__builtin_popcountll(keep);
    m->stats.frames += last;
    m->inside = !last;
    if (last) m->frame_bytes = 0;
}

static void sample(void *self)
{
    axi_stream_monitor *m = self;
    bool reset = axi_in_reset(&m->p.rst);
    unsigned happens = axi_channel_look(&m->channel, &m->checker, reset, &rules[RULE_HELD], &rules[RULE_RESET]);
    m->stats.clocks++;
    if (reset) {
        m->inside = false;
        m->frame_bytes = 0;
        return;
    }
    if (m->inside && m->params.no_gaps && !(happens & AXI_VALID))
        axi_break(&m->checker, &rules[RULE_GAP], "after %" PRIu64 " bytes", m->frame_bytes);
    m->stats.waits += (happens & AXI_VALID) && !(happens & AXI_TAKEN);
    if (happens & AXI_TAKEN) look_word(m);
}

axi_stream_monitor *axi_stream_monitor_new(sim *s, sim_clock *clock, const axi_stream_pins *pins,
                                           const axi_stream_params *params, const char *port)
{
    axi_stream_monitor *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    axi_checker_init(&m->checker, s, clock, port);
    m->p = *pins;
    if (params) m->params = *params;
    m->channel.valid = &m->p.tvalid;
    m->channel.ready = m->p.tready.at ? &m->p.tready : NULL;
    const sim_port *const payload[] = {&m->p.tdata, &m->p.tkeep, &m->p.tlast, &m->p.tuser};
    for (int i = 0; i < 4; i++) axi_channel_add(&m->channel, payload[i]);
    sim_clock_attach(clock, sample, NULL, m);
    return m;
}

void axi_stream_monitor_free(axi_stream_monitor *m)
{
    if (m) sim_clock_detach(m->checker.clock, m);
    free(m);
}

void axi_stream_monitor_on_violation(axi_stream_monitor *m, axi_on_violation fn, void *arg)
{
    m->checker.report = fn;
    m->checker.arg = arg;
}

uint64_t axi_stream_monitor_violations(const axi_stream_monitor *m) { return m->checker.violations; }

int axi_stream_monitor_inside(const axi_stream_monitor *m) { return m->inside; }

const axi_stream_stats *axi_stream_monitor_get_stats(const axi_stream_monitor *m) { return &m->stats; }
