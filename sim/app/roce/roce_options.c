#include "sim/app/roce/roce_options.h"

#include <string.h>

#include "sim/observe/cycles/cycles_names.h"
#include "sim/traffic/faults/line.h"

enum { MAKE = 1 /* of an option: it is also a variable of make */ };
/* Without a message for so long the run ends: some long ones may have to be sent again many times. */
#define PATIENCE (20 * SIM_MS)

#define WHOLE(field) OPTION_WHOLE(roce_options, field)
#define TEXT(field) OPTION_TEXT(roce_options, field)

/* clang-format off */
const option roce_options_table[] = {
    {.help = "The chip:"},
    ROCE_CHIP(MAKE, roce_options),
    {"qps", "N", MAKE, WHOLE(qps), 1, 127, "a number of connections",
        "connections, not counting QP 1 (default 7, soak: 127); rxe: rpings at a time, 1 to 16 (default 1)"},
    {"handshake", "0|1", MAKE, WHOLE(handshake), 0, 1, "0 or 1", "1: half of the QPs use the handshake ports for doorbells (default 0)"},
    {.help = "Messages:"},
    {"mix", "KINDS", MAKE, TEXT(mix), 0, 0, NULL,
        "kinds of messages: send-in (to the chip), send-out, send (both), write, read, with commas (default all; peer roce: send)"},
    {"messages", "N", MAKE, WHOLE(messages), 1, 1000000, "a number of messages",
        "messages of each kind on each connection (default 20, in a run of a soak 40); rxe: pings (default 10)"},
    {"shortest", "N", MAKE, WHOLE(shortest), 1, 1048576, "a number of bytes", "shortest message [bytes] (default 1)"},
    {"longest", "N", MAKE, WHOLE(longest), 1, 1048576, "a number of bytes",
        "longest message [bytes] (default 16384); rxe: of a ping, 64 to 65535 (default 9000)"},
    {"pmtu", "N", MAKE, WHOLE(pmtu), 256, 4096, "256, 512, 1024, 2048 or 4096", "path MTU (default: all, in turn; rxe: 4096)"},
    {"ip", "4|6", MAKE, WHOLE(ip), 4, 6, "4 or 6", "version of IP (default: both, in turn; rxe: 4)"},
    {"depth", "N", MAKE, WHOLE(depth), 1, 64, "a number of messages", "messages of a kind in flight on a connection (default 8)"},
    {"reads", "N", MAKE, WHOLE(reads), 1, 16, "a number of READs", "outstanding READs of a connection (default 16)"},
    {"timeout", "N", MAKE, WHOLE(timeout), 1, 31, "a code of IBA",
        "retransmission timeout, 4.096 us * 2^N (default 3, with more than 16 connections 6, rxe: 8)"},
    {.help = "The line:"},
    {"faults", "PLAN", MAKE, TEXT(faults), 0, 0, NULL,
        "faults by plan: 'lose chip 17; flip line 0.1%; cut peer at 20us for 5us'; make help faults. Probabilities that it does not say: "
        "lose line 0.1%; in a soak lose, duplicate and delay 1%, flip and spoil 0.5%; rxe: none"},
    {.help = "The other end:"},
    {"peer", "NAME", MAKE, OPTION_CHOICE(roce_options, peer), 0, 0, "c, roce or rxe",
        "c (default): a NIC in C. roce: another one of these chips, SENDs both ways. rxe: Linux with its software RoCE, in QEMU, whose "
        "rping is the client of the chip's software"},
    {"guest", "FOLDER", 0, TEXT(guest), 0, 0, NULL, "with rxe: folder made by scripts/guest.py (default build/guest)"},
    {"console", "FILE", 0, TEXT(console), 0, 0, NULL, "with rxe: file of the console of Linux (default build/roce-console.log)"},
    {.help = "The run:"},
    {"soak", "N", 0, WHOLE(soak), 1, 1e12, "a number of packets",
        "runs with one seed after the other until N packets have been on the line; without --bytes for both widths"},
    {"figures", "NAME", MAKE, TEXT(figures), 0, 0, NULL,
        "measure the figures and compare with their limits: all, or those whose names contain NAME, roce_read for instance"},
    RUN_CYCLES(0, roce_options, CYCLES_SORTS),
    RUN_INITIAL(MAKE, roce_options),
    ROCE_RUN(MAKE, roce_options),
    {0},
};
/* clang-format on */

/* Messages of the kinds that MIX names. */
static int set_mix(const char *mix, unsigned messages, unsigned of_kind[ROCE_KINDS], char error[OPTION_ERROR])
{
    for (const char *at = mix; *at;) {
        size_t n = strcspn(at, ",");
        int known = 0;
        for (int k = 0; k < ROCE_KINDS; k++) {
            const char *name = roce_kind_names[k];
            int both = n == 4 && !strncmp(at, "send", 4) && !strncmp(name, "send", 4);
            if (!both && (strlen(name) != n || strncmp(at, name, n))) continue;
            of_kind[k] = messages;
            known = 1;
        }
        if (!known)
            return option_complain(error, "mix", mix,
                                   "some of send-in, send-out, send, write, read, with commas between");
        at += n + (at[n] == ',');
    }
    return *mix ? 0
                : option_complain(error, "mix", mix,
                                  "some of send-in, send-out, send, write, read, with commas between");
}

static void wire_params(ethernet_wire_params *w, const roce_options *o)
{
    w->lose = o->chance[ETHERNET_LOSE];
    w->duplicate = o->chance[ETHERNET_DUPLICATE];
    w->delay = o->chance[ETHERNET_DELAY];
    w->flip = o->chance[ETHERNET_FLIP];
    w->spoil = o->chance[ETHERNET_SPOIL];
    w->seed = o->seed;
}

int roce_options_linux(const roce_options *o) { return o->peer && !strcmp(o->peer, "rxe"); }

int roce_options_two_chips(const roce_options *o) { return o->peer && !strcmp(o->peer, "roce"); }

static unsigned or (unsigned given, unsigned otherwise) { return given ? given : otherwise; }

/* The first option changed by the arguments that is one of these names (among = 1) or none of them (0). */
static const char *changed(const roce_options *o, const roce_options *was, const char *const names[], int among)
{
    for (const option *row = roce_options_table; row->name || row->help; row++) {
        int listed = 0;
        if (!row->name || !memcmp((const char *)o + row->at, (const char *)was + row->at, row->size)) continue;
        for (unsigned i = 0; names[i]; i++) listed |= !strcmp(names[i], row->name);
        if (listed == among) return row->name;
    }
    return NULL;
}

/* Refuses options without meaning in this run: -1. */
static int refuse_what_means_nothing(const roce_options *o, const roce_options *was, char error[OPTION_ERROR])
{
    static const char *const not_rxe[] = {"mix", "shortest", "depth", "reads", "figures", "soak", NULL};
    static const char *const of_cycles[] = {"sort", "base", "threshold", NULL};
    static const char *const of_figures[] = {"figures", "seed", "json", "help", NULL};
    int rxe = roce_options_linux(o);
    const char *wrong;
    if (rxe && (wrong = changed(o, was, not_rxe, 1)))
        return option_complain(error, wrong, "", "without peer rxe, whose rping knows no such thing");
    if (o->figures && (wrong = changed(o, was, of_figures, 0)))
        return option_complain(error, wrong, "", "without figures, each of which defines its own run");
    if (!o->cycles && (wrong = changed(o, was, of_cycles, 1)))
        return option_complain(error, wrong, "", "together with cycles");
    if (o->cycles && o->soak) return option_complain(error, "cycles", "", "without soak");
    if (!rxe && o->guest) return option_complain(error, "guest", o->guest, "together with peer rxe");
    if (!rxe && o->console) return option_complain(error, "console", o->console, "together with peer rxe");
    return 0;
}

/* Of Linux, if it is the peer. */
static unsigned mtu_of(const roce_options *o)
{
    unsigned mtu = roce_guest_mtu(o->guest ? o->guest : roce_linux_defaults().guest);
    return mtu ? mtu : UINT32_MAX;
}

static roce_rping_row pings_of(const roce_options *o)
{
    return (roce_rping_row){o->pmtu, o->ip, 1, o->qps, o->messages, o->longest, o->longest};
}

static void complete(roce_options *o)
{
    const roce_rping_params d = roce_rping_defaults();
    int rxe = roce_options_linux(o), soak = o->soak != 0;
    if (!o->mix) o->mix = roce_options_two_chips(o) ? "send" : "send,write,read";
    for (int k = ETHERNET_LOSE; k <= ETHERNET_SPOIL; k++) {
        double otherwise = soak ? (k < ETHERNET_FLIP ? 0.01 : 0.005) : k == ETHERNET_LOSE && !rxe ? 1e-3 : 0;
        o->chance[k] = fault_line_chance(&o->plan, k, otherwise);
    }
    o->bytes = or (o->bytes, soak ? 0 : 8);
    o->qps = or (o->qps, rxe ? 1 : soak ? 127 : 7);
    o->messages = or (o->messages, rxe ? 10 : soak ? 40 : 20);
    o->shortest = or (o->shortest, 1);
    o->longest = or (o->longest, rxe ? 9000 : 16384);
    o->pmtu = or (o->pmtu, rxe ? roce_rping_longest_pmtu(mtu_of(o)) : 0);
    o->ip = or (o->ip, rxe ? 4 : 0);
    o->depth = or (o->depth, 8);
    o->timeout = or (o->timeout, rxe ? d.timeout : o->qps > 16 ? 6 : 3);
    o->reads = or (o->reads, 16);
}

int roce_options_read(roce_options *o, int argc, char **argv, char error[OPTION_ERROR])
{
    static const roce_options was = {.latency = 20, .seed = 1, .sort = "name", .threshold = 5};
    *o = was;
    if (option_arguments(roce_options_table, o, argc, argv, error) || refuse_what_means_nothing(o, &was, error))
        return -1;
    if (fault_plan_asked(&fault_line, o->faults, 2, &o->plan, error)) return -1;
    complete(o);
    const roce_rping_row pings = pings_of(o);
    return roce_options_linux(o) ? roce_rping_check(&pings, mtu_of(o), error) : 0;
}

void roce_options_words(const roce_options *o, const sim_config *chip, char words[ROCE_OPTIONS_WORDS])
{
    char others[FAULT_PLAN_MOST * FAULT_TEXT] = "";
    for (const fault *f = o->plan.fault; f < o->plan.fault + o->plan.count; f++)
        if (!fault_is_of_line(f))
            snprintf(others + strlen(others), sizeof others - strlen(others), "%s%s", *others ? "; " : "", f->text);
    snprintf(words, ROCE_OPTIONS_WORDS,
             "%s peer %s qps %u messages %u mix %s bytes %u..%u pmtu %u ip %u depth %u reads %u timeout %u latency %u "
             "stall %u "
             "handshake %d "
             "loss %g duplicate %g reorder %g corrupt %g faults '%s' seed %lu%s",
             chip->name, o->peer ? o->peer : "c", o->qps, o->messages, o->mix, o->shortest, o->longest, o->pmtu, o->ip,
             o->depth, o->reads, o->timeout, o->latency, o->stall, o->handshake, o->chance[ETHERNET_LOSE],
             o->chance[ETHERNET_DUPLICATE], o->chance[ETHERNET_DELAY],
             o->chance[ETHERNET_FLIP] + o->chance[ETHERNET_SPOIL], others, o->seed,
             o->initial && !strcmp(o->initial, "0") ? " initial 0" : "");
}

/* Nothing strikes on the line. */
int roce_options_quiet(const roce_options *o)
{
    int quiet = 1;
    for (int k = ETHERNET_LOSE; k <= ETHERNET_SPOIL; k++) quiet &= o->chance[k] <= 0;
    for (const fault *f = o->plan.fault; f < o->plan.fault + o->plan.count; f++)
        quiet &= f->when == FAULT_PART && f->part <= 0;
    return quiet;
}

int roce_options_setup(const roce_options *o, const sim_config *chip, roce_setup *setup, char error[OPTION_ERROR])
{
    int rxe = roce_options_linux(o);
    sim_params_default(&setup->sim);
    setup->sim.seed = o->seed;
    setup->sim.initial_zero = o->initial && !strcmp(o->initial, "0");
    setup->sim.watchdog = rxe ? 0 : PATIENCE; /* Linux runs in wall-clock time */
    const roce_waves waves = {o->waves, o->wave_scopes, o->wave_from, o->wave_to};
    if (roce_wave_params(&waves, chip, "build/full/roce-sim", &setup->sim, error)) return -1;
    if (o->cycles && !chip->waves)
        return option_complain(error, "cycles", "", "build/full/roce-sim, which make cycles builds and runs");

    roce_traffic_params *t = &setup->traffic;
    *t = roce_traffic_defaults();
    memset(t->messages, 0, sizeof t->messages);
    if (set_mix(o->mix, o->messages, t->messages, error)) return -1;
    if (roce_options_two_chips(o) && (t->messages[ROCE_WRITE] || t->messages[ROCE_READ]))
        return option_complain(error, "mix", o->mix,
                               "SENDs alone with peer roce: these chips take no WRITEs and READs");
    t->connections = o->qps;
    t->shortest = o->shortest;
    t->longest = o->longest;
    t->pmtu = o->pmtu;
    t->ip = o->ip;
    t->depth = o->depth;
    t->timeout = o->timeout;
    t->reads = o->reads;
    t->handshake = o->handshake;

    t->other = NULL;
    if (!rxe && roce_traffic_check(t, o->qps + 1, error)) return -1;

    roce_linux_params *g = &setup->guest;
    *g = roce_linux_defaults();
    if (o->guest) g->guest = o->guest;
    if (o->console) g->console = o->console;
    setup->pings = pings_of(o);

    roce_system_params *y = &setup->system;
    *y = roce_system_defaults(chip);
    y->no_peer = rxe || roce_options_two_chips(o);
    if (!rxe) y->qps = o->qps + 1;
    y->pcap = o->pcap;
    y->faults = o->faults;
    y->board.memory.latency = o->latency;
    for (int c = 0; c < AXI_CHANNELS; c++) y->board.memory.stall[c] = o->stall;
    wire_params(&y->wire, o);
    return 0;
}
