#include "memory_bench.h"

CLEANUP(axi_memory_free);
CLEANUP(axi_monitor_free);

enum {
#define RULE(id, text) RULE_##id,
    MEMORY_RULE_LIST(RULE)
#undef RULE
};
static const axi_rule rules[] = {
#define RULE(id, text) {#id, "master", "rtl/roce", text},
    MEMORY_RULE_LIST(RULE)
#undef RULE
};

axi_memory *memory_bench_new(sim *s, sim_clock *clk, const axi_memory_params *params)
{
    axi_memory_params p = params ? *params : axi_memory_defaults();
    axi_memory *m = axi_memory_new(s, clk, &p, "memory");
    ck_assert_msg(m != NULL, "%s", sim_error(s));
    after_test(axi_memory_free_cleanup, m);
    return m;
}

memory_port *memory_bench_pins(axi_memory *memory, sim *s, sim_clock *clk, const axi_pins *pins, const char *name)
{
    memory_port *p = test_memory(sizeof *p);
    p->memory = memory;
    p->pins = *pins;
    p->number = axi_memory_plug(memory, pins, name);
    ck_assert_msg(p->number >= 0, "%s", sim_error(s));
    p->monitor = axi_monitor_new(s, clk, pins, name);
    after_test(axi_monitor_free_cleanup, p->monitor);
    axi_checker_init(&p->checker, s, clk, name);
    return p;
}

memory_port *memory_bench_port(axi_memory *memory, sim_clock *clk, sim_model *model, const char *prefix)
{
    sim *s = sim_model_sim(model);
    axi_pins pins;
    ck_assert_msg(axi_pins_of(model, prefix, &pins) == 0, "%s", sim_error(s));
    return memory_bench_pins(memory, s, clk, &pins, prefix);
}

static bool shows(memory_port *p, axi_signal valid)
{
    if (!axi_bit(&p->pins.pin[valid])) return false;
    uint64_t address = axi_get(&p->pins, valid + AXI_AWADDR, 0);
    if (address % p->pins.bytes)
        axi_break(&p->checker, &rules[RULE_WITHIN_WORD], "0x%llx", (unsigned long long)address);
    return true;
}

static void sample(void *self)
{
    memory_port *p = self;
    if (axi_in_reset(&p->pins.rst)) {
        p->owed = 0;
        return;
    }
    if (p->pins.reads) shows(p, AXI_ARVALID);
    if (!p->pins.writes) return;
    bool address = shows(p, AXI_AWVALID);
    int64_t beats = address ? (int64_t)axi_get(&p->pins, AXI_AWLEN, 0) + 1 : 0;
    if (axi_bit(&p->pins.pin[AXI_WVALID])) {
        if (p->owed + beats <= 0)
            axi_break(&p->checker, &rules[RULE_DATA_FIRST], "strobes %llx",
                      (unsigned long long)axi_get(&p->pins, AXI_WSTRB, 0));
        p->owed -= axi_bit(&p->pins.pin[AXI_WREADY]);
    }
    if (axi_bit(&p->pins.pin[AXI_AWREADY])) p->owed += beats;
}

static void written(void *self, const axi_written *w)
{
    memory_port *p = self;
    if (w->port == p->number && (!w->strobes || w->strobes < w->bytes))
        axi_break(&p->checker, &rules[RULE_HOLE], "%u of the %u bytes from 0x%llx on", w->strobes, w->bytes,
                  (unsigned long long)w->address);
}

void memory_bench_rules(memory_port *p)
{
    sim_clock_attach(p->checker.clock, sample, NULL, p);
    ck_assert_int_eq(axi_memory_on_written(p->memory, written, p), 0);
}
