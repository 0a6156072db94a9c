#include "axi_bench.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const names[] = {
#define SIGNAL(name, channel, needed) #name,
    AXI_SIGNAL_LIST(SIGNAL)
#undef SIGNAL
};

void axi_bench_broken(void *bench, const axi_violation *v)
{
    axi_bench *b = bench;
    if (b->broken[0]) return;
    snprintf(b->broken, sizeof b->broken, "%s", v->rule->name);
    b->violation = *v;
}

static void set_pin(axi_bench *b, const char *name, uint64_t value)
{
    const sim_port *const others[] = {&b->pins.rst,     &b->stream.tvalid, &b->stream.tready, &b->stream.tdata,
                                      &b->stream.tkeep, &b->stream.tlast,  &b->stream.tuser};
    for (int i = 0; i < AXI_SIGNALS; i++)
        if (!strcasecmp(name, names[i]) && b->pins.pin[i].at) {
            sim_port_set_field(&b->pins.pin[i], 0, b->pins.pin[i].bits < 64 ? b->pins.pin[i].bits : 64, value);
            return;
        }
    for (int i = 0; i < COUNT(others); i++)
        if (!strcmp(name, others[i]->name)) {
            sim_port_set(others[i], value);
            return;
        }
    ck_abort_msg("the script names no pin: %s", name);
}

/* Steps of the script that are due. */
static void drive(void *self)
{
    axi_bench *b = self;
    b->now++;
    for (;;) {
        char name[32];
        int length = 0;
        unsigned long long value;
        while (b->script && isspace((unsigned char)*b->script)) b->script++;
        if (!b->script || !*b->script) return;
        if (isdigit((unsigned char)*b->script)) {
            if (strtoull(b->script, NULL, 10) > b->now) return;
            while (isdigit((unsigned char)*b->script)) b->script++;
        } else {
            ck_assert_msg(sscanf(b->script, "%31[a-z]=%llx%n", name, &value, &length) == 2, "script: %s", b->script);
            set_pin(b, name, value);
            b->script += length;
        }
    }
}

static unsigned bits_of(int signal, unsigned bytes)
{
    switch (signal) {
    case AXI_AWADDR:
    case AXI_ARADDR:
        return 32;
    case AXI_AWLEN:
    case AXI_ARLEN:
        return 8;
    case AXI_AWSIZE:
    case AXI_ARSIZE:
    case AXI_AWPROT:
    case AXI_ARPROT:
        return 3;
    case AXI_AWBURST:
    case AXI_ARBURST:
    case AXI_BRESP:
    case AXI_RRESP:
        return 2;
    case AXI_AWID:
    case AXI_ARID:
    case AXI_BID:
    case AXI_RID:
    case AXI_AWCACHE:
    case AXI_ARCACHE:
        return 4;
    case AXI_WDATA:
    case AXI_RDATA:
        return 8 * bytes;
    case AXI_WSTRB:
        return bytes;
    default:
        return 1;
    }
}

axi_bench *axi_bench_new(enum bench_kind kind, unsigned bytes, const char *without)
{
    axi_bench *b = test_memory(sizeof *b);
    b->s = quiet_sim(0);
    b->clock = make_clock(b->s, "clk", BENCH_PERIOD, 0);
    for (int i = 0; i < AXI_SIGNALS; i++) {
        char name[16];
        snprintf(name, sizeof name, " %s ", names[i]);
        bool slave = i == AXI_AWREADY || i == AXI_WREADY || i == AXI_ARREADY ||
                     (i >= AXI_BVALID && i != AXI_BREADY && i < AXI_ARVALID) || (i >= AXI_RVALID && i != AXI_RREADY);
        if (kind == BENCH_LITE && strstr(" AWLEN AWSIZE AWBURST AWID AWLOCK AWCACHE WLAST BID ARLEN ARSIZE ARBURST "
                                         "ARID ARLOCK ARCACHE RLAST RID ",
                                         name))
            continue;
        if (without && strstr(without, name)) continue;
        b->pins.pin[i] = (sim_port){names[i], bits_of(i, bytes), !slave, b->value[i]};
    }
    b->pins.rst = (sim_port){"rst", 1, 0, &b->rst};
    ck_assert_ptr_eq(axi_pins_check(&b->pins), NULL);
    b->stream = (axi_stream_pins){{"tvalid", 1, 1, &b->tvalid},
                                  {"tready", 1, 0, &b->tready},
                                  {"tdata", 64, 1, &b->tdata},
                                  {"tkeep", 8, 1, &b->tkeep},
                                  {"tlast", 1, 1, &b->tlast},
                                  {"tuser", 1, 1, &b->tuser},
                                  b->pins.rst,
                                  8};
    sim_clock_attach(b->clock, NULL, drive, b);
    return b;
}

void axi_bench_play(axi_bench *b, const char *script, unsigned clocks)
{
    b->script = script;
    run_clocks(b->s, b->clock, clocks);
}

void axi_bench_check(axi_bench *b, const axi_rule_case *c)
{
    axi_bench_play(b, c->script, BENCH_CASE);
    ck_assert_msg(!strcmp(b->broken, c->rule), "%s: broken is \"%s\" (%s), expected \"%s\"", c->script, b->broken,
                  b->violation.detail, c->rule);
}
