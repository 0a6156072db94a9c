/* See axi_monitor.h. */
#include "sim/model/axi/axi_monitor.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/model/axi/axi_lite_rules.h"
#include "sim/model/axi/axi_rules.h"

#define MASTER "master"
#define SLAVE "slave"
enum {
#define RULE(id, by, section, text) RULE_##id,
    AXI_RULE_LIST(RULE)
#undef RULE
        RULES
};
static const axi_rule full_rules[RULES] = {
#define RULE(id, by, section, text) [RULE_##id] = {"AXI_" #id, by, section, text},
    AXI_RULE_LIST(RULE)
#undef RULE
};
static const axi_rule lite_rules[RULES] = {
#define RULE(id, by, section, text) [RULE_##id] = {"AXI_LITE_" #id, by, section, text},
    AXI_LITE_RULE_LIST(RULE)
#undef RULE
};

enum { MOST = 1024 /* requests of a direction under way, and beats before their address */ };

struct request {
    axi_burst at;
    unsigned done; /* beats */
    uint64_t clock;
};

struct list {
    struct request at[MOST];
    unsigned count;
};

struct axi_monitor {
    axi_checker checker;
    axi_pins p;
    const axi_rule *rules;
    axi_channel channel[AXI_CHANNELS];
    struct list data;  /* writes whose data are not complete, the oldest first */
    struct list wrote; /* those without a response */
    struct list reads;
    struct {
        uint64_t strobes;
        bool last;
    } early[MOST]; /* beats without an address yet */
    unsigned early_count;
    axi_monitor_stats stats;
};

static void add(axi_monitor *m, struct list *l, const struct request *r)
{
    if (l->count == MOST) sim_fail(m->checker.s, "%s: more than %d requests under way", m->checker.port, MOST);
    else l->at[l->count++] = *r;
}

static void drop(struct list *l, unsigned i) { memmove(&l->at[i], &l->at[i + 1], (--l->count - i) * sizeof l->at[0]); }

/* The oldest of the list with this ID, or -1. */
static int oldest(const struct list *l, unsigned id)
{
    for (unsigned i = 0; i < l->count; i++)
        if (l->at[i].at.id == id) return (int)i;
    return -1;
}

static void check_address(axi_monitor *m, const axi_burst *b, int size_rule, int kind_rule, int edge_rule)
{
    uint64_t start = b->address & ~(uint64_t)(b->size - 1), end = start + (uint64_t)b->size * b->beats;
    if (b->size > m->p.bytes) {
        axi_break(&m->checker, &m->rules[size_rule], "beats of %u bytes, the bus has %u", b->size, m->p.bytes);
        return;
    }
    bool power = b->beats == 2 || b->beats == 4 || b->beats == 8 || b->beats == 16;
    if (b->kind > AXI_WRAP || (b->kind == AXI_FIXED && b->beats > 16) ||
        (b->kind == AXI_WRAP && (!power || start != b->address)))
        axi_break(&m->checker, &m->rules[kind_rule], "burst %u of %u beats at 0x%" PRIx64, b->kind, b->beats,
                  b->address);
    else if (b->kind == AXI_INCR && b->address >> 12 != (end - 1) >> 12)
        axi_break(&m->checker, &m->rules[edge_rule], "%u beats of %u bytes at 0x%" PRIx64, b->beats, b->size,
                  b->address);
}

/* The next beat of the oldest write whose data are not complete. */
static void check_data(axi_monitor *m, uint64_t strobes, bool last)
{
    struct request *w = &m->data.at[0];
    uint64_t lanes = w->at.size > m->p.bytes ? UINT64_MAX : axi_beat_lanes(&w->at, w->done, m->p.bytes);
    if (strobes & ~lanes)
        axi_break(&m->checker, &m->rules[RULE_W_STROBES],
                  "beat %u of a write at 0x%" PRIx64 ": strobes %" PRIx64 ", expected some of %" PRIx64, w->done,
                  w->at.address, strobes, lanes);
    w->done++;
    if (last != (w->done == w->at.beats))
        axi_break(&m->checker, &m->rules[RULE_W_LAST], "beat %u of %u of a write at 0x%" PRIx64, w->done, w->at.beats,
                  w->at.address);
    if (!last && w->done < w->at.beats) return;
    add(m, &m->wrote, w);
    drop(&m->data, 0);
}

static void look_writes(axi_monitor *m, const unsigned happens[])
{
    const axi_pins *p = &m->p;
    if (happens[AXI_B] & AXI_SHOWN) {
        unsigned id = (unsigned)axi_get(p, AXI_BID, 0);
        int i = oldest(&m->wrote, id);
        if (i >= 0) drop(&m->wrote, (unsigned)i);
        else axi_break(&m->checker, &m->rules[m->wrote.count ? RULE_B_ID : RULE_B_ALONE], "ID %u", id);
        if (axi_get(p, AXI_BRESP, AXI_OKAY) == AXI_EXOKAY) axi_break(&m->checker, &m->rules[RULE_B_RESP], "ID %u", id);
    }
    if (happens[AXI_AW] & AXI_VALID) {
        axi_burst b = axi_burst_at(p, AXI_AW);
        if (happens[AXI_AW] & AXI_SHOWN) check_address(m, &b, RULE_AW_SIZE, RULE_AW_KIND, RULE_AW_4KB);
        if (happens[AXI_AW] & AXI_TAKEN) {
            add(m, &m->data, &(struct request){b, 0, sim_clock_cycles(m->checker.clock)});
            m->stats.writes++;
        }
    }
    if (happens[AXI_W] & AXI_TAKEN) {
        m->stats.write_beats++;
        if (m->early_count == MOST)
            sim_fail(m->checker.s, "%s: more than %d beats of data before their address", m->checker.port, MOST);
        else {
            m->early[m->early_count].strobes = axi_get(p, AXI_WSTRB, 0);
            m->early[m->early_count++].last = axi_get(p, AXI_WLAST, 1);
        }
    }
    unsigned used = 0;
    while (used < m->early_count && m->data.count) check_data(m, m->early[used].strobes, m->early[used].last), used++;
    if (used) memmove(m->early, m->early + used, (m->early_count -= used) * sizeof m->early[0]);
}

static void look_reads(axi_monitor *m, const unsigned happens[])
{
    const axi_pins *p = &m->p;
    if (happens[AXI_R] & AXI_SHOWN) {
        unsigned id = (unsigned)axi_get(p, AXI_RID, 0);
        int i = oldest(&m->reads, id);
        if (i < 0) axi_break(&m->checker, &m->rules[m->reads.count ? RULE_R_ID : RULE_R_ALONE], "ID %u", id);
        else {
            struct request *r = &m->reads.at[i];
            r->done++;
            bool last = axi_get(p, AXI_RLAST, r->done == r->at.beats);
            if (last != (r->done == r->at.beats))
                axi_break(&m->checker, &m->rules[RULE_R_LAST], "beat %u of %u of a read at 0x%" PRIx64, r->done,
                          r->at.beats, r->at.address);
            if (last || r->done == r->at.beats) drop(&m->reads, (unsigned)i);
        }
        if (axi_get(p, AXI_RRESP, AXI_OKAY) == AXI_EXOKAY) axi_break(&m->checker, &m->rules[RULE_R_RESP], "ID %u", id);
    }
    m->stats.read_beats += (happens[AXI_R] & AXI_TAKEN) != 0;
    if (happens[AXI_AR] & AXI_VALID) {
        axi_burst b = axi_burst_at(p, AXI_AR);
        if (happens[AXI_AR] & AXI_SHOWN) check_address(m, &b, RULE_AR_SIZE, RULE_AR_KIND, RULE_AR_4KB);
        if (happens[AXI_AR] & AXI_TAKEN) {
            add(m, &m->reads, &(struct request){b, 0, sim_clock_cycles(m->checker.clock)});
            m->stats.reads++;
        }
    }
}

static void sample(void *self)
{
    axi_monitor *m = self;
    static const int held[] = {RULE_AW_HELD, RULE_W_HELD, RULE_B_HELD, RULE_AR_HELD, RULE_R_HELD};
    static const int in_reset[] = {RULE_AW_RESET, RULE_W_RESET, RULE_B_RESET, RULE_AR_RESET, RULE_R_RESET};
    unsigned happens[AXI_CHANNELS] = {0};
    bool reset = axi_in_reset(&m->p.rst);
    unsigned any = 0;
    m->stats.clocks++;
    for (int c = m->p.writes ? AXI_AW : AXI_AR; c < (m->p.reads ? AXI_CHANNELS : AXI_AR); c++) {
        happens[c] = axi_channel_look(&m->channel[c], &m->checker, reset, &m->rules[held[c]], &m->rules[in_reset[c]]);
        any |= happens[c];
        m->stats.valid[c] += happens[c] != 0;
        m->stats.waits[c] += happens[c] != 0 && !(happens[c] & AXI_TAKEN);
    }
    if (reset) m->data.count = m->wrote.count = m->reads.count = m->early_count = 0;
    if (!any) return;
    if (m->p.writes) look_writes(m, happens);
    if (m->p.reads) look_reads(m, happens);
    unsigned now = axi_monitor_outstanding(m);
    if (now > m->stats.most_outstanding) m->stats.most_outstanding = now;
}

static void waiting(void *self, FILE *f)
{
    const axi_monitor *m = self;
    const struct list *lists[] = {&m->data, &m->wrote, &m->reads};
    static const char *const what[] = {"data of a write", "the response to a write", "data of a read"};
    for (int i = 0; i < 3; i++)
        if (lists[i]->count)
            fprintf(f, "%s: %s of %u beats at 0x%" PRIx64 ", %u of them seen, outstanding since clock %" PRIu64 "\n",
                    m->checker.port, what[i], lists[i]->at[0].at.beats, lists[i]->at[0].at.address,
                    lists[i]->at[0].done, lists[i]->at[0].clock);
}

axi_monitor *axi_monitor_new(sim *s, sim_clock *clock, const axi_pins *pins, const char *port)
{
    axi_monitor *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    axi_checker_init(&m->checker, s, clock, port);
    m->p = *pins;
    m->rules = pins->lite ? lite_rules : full_rules;
    static const axi_signal first[] = {AXI_AWVALID, AXI_WVALID, AXI_BVALID, AXI_ARVALID, AXI_RVALID, AXI_SIGNALS};
    for (int c = 0; c < AXI_CHANNELS; c++) { /* VALID, READY, and what VALID stands for */
        m->channel[c].valid = &m->p.pin[first[c]];
        m->channel[c].ready = &m->p.pin[first[c] + 1];
        for (int i = (int)first[c] + 2; i < (int)first[c + 1]; i++) axi_channel_add(&m->channel[c], &m->p.pin[i]);
    }
    sim_clock_attach(clock, sample, NULL, m);
    sim_report_waiting(s, clock, waiting, m);
    return m;
}

void axi_monitor_free(axi_monitor *m)
{
    if (m) sim_clock_detach(m->checker.clock, m);
    free(m);
}

void axi_monitor_on_violation(axi_monitor *m, axi_on_violation fn, void *arg)
{
    m->checker.report = fn;
    m->checker.arg = arg;
}

unsigned axi_monitor_outstanding(const axi_monitor *m) { return m->data.count + m->wrote.count + m->reads.count; }

uint64_t axi_monitor_violations(const axi_monitor *m) { return m->checker.violations; }

const axi_monitor_stats *axi_monitor_get_stats(const axi_monitor *m) { return &m->stats; }
