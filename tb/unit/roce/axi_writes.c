#include "axi_writes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void mistake(axi_writes *a, const char *fmt, ...)
{
    if (a->mistake[0]) return;
    int n = snprintf(a->mistake, sizeof a->mistake, "clock %llu: ", (unsigned long long)a->clocks);
    va_list args;
    va_start(args, fmt);
    vsnprintf(a->mistake + n, sizeof a->mistake - (size_t)n, fmt, args);
    va_end(args);
}

axi_writes *axi_writes_of(sim *s, const sim_port *const ports[12], unsigned bytes)
{
    axi_writes *a = test_memory(sizeof *a);
    const sim_port **to[12] = {&a->awvalid, &a->awready, &a->awaddr, &a->awlen,  &a->wvalid, &a->wready,
                               &a->wdata,   &a->wstrb,   &a->wlast,  &a->bvalid, &a->bready, &a->bresp};
    for (int i = 0; i < 12; i++) *to[i] = ports[i];
    a->s = s;
    a->bytes = bytes;
    a->memory = test_memory(AXI_SIZE);
    a->times = test_memory(AXI_SIZE);
    a->bursts = test_memory(AXI_BURSTS * sizeof *a->bursts);
    return a;
}

axi_writes *axi_writes_new(sim *s, sim_clock *clk, sim_model *m, const char *prefix, unsigned bytes)
{
    static const char *const names[12] = {"awvalid", "awready", "awaddr", "awlen",  "wvalid", "wready",
                                          "wdata",   "wstrb",   "wlast",  "bvalid", "bready", "bresp"};
    const sim_port *ports[12];
    for (int i = 0; i < 12; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s%s", prefix, names[i]);
        ports[i] = sim_model_port(m, name);
        ck_assert_msg(ports[i] != NULL, "no port %s", name);
    }
    axi_writes *a = axi_writes_of(s, ports, bytes);
    a->rst = sim_model_port(m, "rst");
    sim_clock_attach(clk, axi_writes_sample, axi_writes_drive, a);
    return a;
}

static uint64_t folded(const axi_writes *a)
{
    uint64_t sum = 0, part;
    for (unsigned i = 0; i < a->bytes; i += 8) {
        memcpy(&part, (const uint8_t *)a->wdata->at + i, 8);
        sum = sum * 31 + part;
    }
    return sum;
}

static void take_address(axi_writes *a)
{
    uint64_t address = sim_port_get(a->awaddr), length = sim_port_get(a->awlen);
    if (a->aw_held && (address != a->held_addr || length != a->held_len)) mistake(a, "the address changed before it was taken");
    a->held_addr = address, a->held_len = length;
    a->aw_held = !sim_port_get(a->awready);
    if (a->aw_held) return;
    if (address % a->bytes) mistake(a, "address %llx is not aligned", (unsigned long long)address);
    if (address / 4096 != (address + (length + 1) * a->bytes - 1) / 4096)
        mistake(a, "burst at %llx crosses 4 KB", (unsigned long long)address);
    if (a->asked - a->done == AXI_BURSTS) mistake(a, "too many bursts wait");
    axi_burst *b = &a->bursts[a->asked++ % AXI_BURSTS];
    memset(b, 0, sizeof *b);
    b->address = (uint32_t)address;
    b->beats = (unsigned)length + 1;
}

static void take_word(axi_writes *a)
{
    uint64_t strobes = sim_port_get(a->wstrb), data = folded(a);
    if (a->w_held && (strobes != a->held_strobes || data != a->held_data)) mistake(a, "a word changed before it was taken");
    a->held_strobes = strobes, a->held_data = data;
    a->w_held = !sim_port_get(a->wready);
    if (a->filled - a->asked >= 1 && a->filled - a->asked < 1u << 31) mistake(a, "a word two bursts before its address");
    if (a->filled == a->asked && !a->aw_held) mistake(a, "a word before its address");
    if (a->w_held) return;
    ck_must(a->filled != a->asked, "wready without an address");
    axi_burst *b = &a->bursts[a->filled % AXI_BURSTS];
    unsigned at = b->taken * a->bytes;
    for (unsigned i = 0; i < a->bytes; i++) {
        b->data[at + i] = ((const uint8_t *)a->wdata->at)[i];
        b->strobes[at + i] = strobes >> i & 1;
    }
    b->taken++;
    a->beats++;
    if (sim_port_get(a->wlast) != (b->taken == b->beats)) mistake(a, "last at beat %u of %u", b->taken, b->beats);
    if (b->taken < b->beats) return;
    int runs = 0;
    for (unsigned i = 0; i < b->beats * a->bytes; i++) {
        if (b->strobes[i] && (i == 0 || !b->strobes[i - 1])) runs++;
        if (b->strobes[i] && b->address + i >= a->bad_from && b->address + i < a->bad_to) b->bad = 1;
    }
    if (runs != 1) mistake(a, "%d runs of bytes in the burst at %x", runs, (unsigned)b->address);
    b->due = a->clocks + a->latency;
    a->filled++;
}

/* The bytes of a burst can be read from now on. */
static void land(axi_writes *a, const axi_burst *b)
{
    for (unsigned i = 0; i < b->beats * a->bytes && !b->bad; i++) {
        uint32_t at = (b->address + i) % AXI_SIZE;
        if (!b->strobes[i]) continue;
        if (a->times[at] && !a->again) mistake(a, "byte %x is written twice", (unsigned)at);
        if (a->times[at] < 255) a->times[at]++;
        a->memory[at] = b->data[i];
    }
}

void axi_writes_reset(axi_writes *a)
{
    a->asked = a->filled = a->done = 0;
    a->aw_held = a->w_held = a->told = 0;
    sim_port_set(a->bvalid, 0);
}

void axi_writes_sample(void *self)
{
    axi_writes *a = self;
    a->clocks++;
    if (a->rst && sim_port_get(a->rst)) return;
    if (a->aw_held && !sim_port_get(a->awvalid)) mistake(a, "an address went before it was taken");
    if (a->w_held && !sim_port_get(a->wvalid)) mistake(a, "a word went before it was taken");
    if (sim_port_get(a->awvalid)) take_address(a);
    if (sim_port_get(a->wvalid)) take_word(a);
    if (sim_port_get(a->bvalid) && sim_port_get(a->bready)) {
        a->done++;
        a->answered++;
        a->last_answer = a->clocks;
        a->told = 1;
    }
}

void axi_writes_drive(void *self)
{
    axi_writes *a = self;
    int frozen = a->clocks < a->frozen_to;
    int ready = !frozen && sim_random_below(a->s, 100) >= a->stall_percent && a->asked - a->done < AXI_BURSTS;
    sim_port_set(a->awready, ready);
    sim_port_set(a->wready, a->filled != a->asked && !frozen && sim_random_below(a->s, 100) >= a->stall_percent);
    if (a->told) sim_port_set(a->bvalid, 0);
    a->told = 0;
    if (sim_port_get(a->bvalid) || a->done == a->filled || frozen) return;
    const axi_burst *b = &a->bursts[a->done % AXI_BURSTS];
    if (b->due > a->clocks) return;
    land(a, b);
    sim_port_set(a->bvalid, 1);
    sim_port_set(a->bresp, b->bad ? 2 : 0);
}
