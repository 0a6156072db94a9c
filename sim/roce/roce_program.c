#include "roce_program.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "results.h"
#include "roce_figures.h"
#include "roce_linux.h"
#include "roce_register_map.h"
#include "roce_run.h"
#include "roce_traffic.h"

typedef struct options {
    unsigned bytes, qps, messages, shortest, longest, pmtu, ip, depth, timeout, reads, latency, stall;
    uint64_t seed;
    double loss, duplicate, reorder, corrupt;
    const char *mix, *faults, *peer, *guest, *console, *figures, *pcap, *json, *waves, *wave_scopes, *wave_from, *wave_to;
    int handshake, help;
} options;

enum { MAKE = 1 /* of an option: a variable of make, too */ };
/* Without a message for so long the run ends: some long ones may have to be sent again many times. */
#define PATIENCE (20 * SIM_MS)

#define WHOLE(field) OPTION_WHOLE(options, field)
#define TEXT(field) OPTION_TEXT(options, field)
#define CHANCE(field) ROCE_CHANCE(options, field)

/* clang-format off */
static const option table[] = {
    {.help = "The chip:"},
    {"bytes", "N", MAKE, WHOLE(bytes), 8, 64, "8 or 64", "per clock: 8 at 156.25 MHz for 10 Gb/s (default), 64 at 200 MHz for 100 Gb/s"},
    {"qps", "N", MAKE, WHOLE(qps), 1, 127, "a number of connections", "connections, beside QP 1 (7); rxe: rpings at a time, 1 to 16 (1)"},
    {"latency", "N", MAKE, WHOLE(latency), 1, 100000, "a number of clocks", "of memory, from address to data (20)"},
    {"stall", "P", MAKE, WHOLE(stall), 0, 99, "a percentage", "of the clocks in which memory takes or shows nothing (0)"},
    {"handshake", "0|1", MAKE, WHOLE(handshake), 0, 1, "0 or 1", "1: doorbells of half of the QPs go by the handshake ports (0)"},
    {.help = "Messages:"},
    {"mix", "KINDS", MAKE, TEXT(mix), 0, 0, NULL,
        "of send-in (to the chip), send-out, send (both), write, read; commas between (all of them)"},
    {"messages", "N", MAKE, WHOLE(messages), 1, 1000000, "a number of messages", "of each kind on each connection (20); rxe: pings (10)"},
    {"shortest", "N", MAKE, WHOLE(shortest), 1, 1 << 20, "a number of bytes", "bytes of a message, at least (1)"},
    {"longest", "N", MAKE, WHOLE(longest), 1, 1 << 20, "a number of bytes", "... and at most (16384); rxe: of a ping, 64 to 65535 (9000)"},
    {"pmtu", "N", MAKE, WHOLE(pmtu), 256, 4096, "256, 512, 1024, 2048 or 4096", "path MTU; default: all, in turn; rxe: 4096"},
    {"ip", "4|6", MAKE, WHOLE(ip), 4, 6, "4 or 6", "version of IP; default: both, in turn; rxe: 4"},
    {"depth", "N", MAKE, WHOLE(depth), 1, 64, "a number of messages", "messages of a kind under way on a connection (8)"},
    {"reads", "N", MAKE, WHOLE(reads), 1, 16, "a number of READs", "READs outstanding on a connection (16)"},
    {"timeout", "N", MAKE, WHOLE(timeout), 1, 31, "a code of IBA",
        "of an answer, 4.096 us * 2^N (3, with more than 16 connections 6, rxe: 8)"},
    {.help = "The line:"},
    {"loss", "P", MAKE, CHANCE(loss), "packets lost (0.001; rxe: 0)"},
    {"duplicate", "P", MAKE, CHANCE(duplicate), "packets that come twice (0)"},
    {"reorder", "P", MAKE, CHANCE(reorder), "packets that come after 1 to 16 later ones (0)"},
    {"corrupt", "P", MAKE, CHANCE(corrupt), "packets with one bit flipped, half of them with a right FCS (0)"},
    {"faults", "PLAN", MAKE, TEXT(faults), 0, 0, NULL,
        "faults by plan: 'lose chip 17; cut peer at 20us for 5us' (sim/ethernet/ethernet_wire.h)"},
    {.help = "The other end:"},
    {"peer", "NAME", MAKE, OPTION_CHOICE(options, peer), 0, 0, "c or rxe",
        "c (default): a NIC in C. rxe: Linux with its software RoCE, in QEMU, whose rping is the client of the chip's software"},
    {"guest", "FOLDER", 0, TEXT(guest), 0, 0, NULL, "with rxe: what scripts/guest.sh has made (build/guest)"},
    {"console", "FILE", 0, TEXT(console), 0, 0, NULL, "with rxe: what Linux prints (build/roce-console.log)"},
    {.help = "The run:"},
    {"figures", "NAME", MAKE, TEXT(figures), 0, 0, NULL,
        "instead of one run: what is measured, beside its limit; all, or a part of names, roce_read for instance"},
    {"seed", "N", 0, WHOLE(seed), 0, 0, "a number", "of everything random (1)"},
    {"pcap", "FILE", 0, TEXT(pcap), 0, 0, NULL, "every packet that is sent, with simulated time"},
    {"json", "FILE", 0, TEXT(json), 0, 0, NULL, "results go there, too"},
    {"waves", "FILE", 0, TEXT(waves), 0, 0, NULL, "an FST file; build/full/roce-sim only"},
    {"wave-scopes", "NAME,...", 0, TEXT(wave_scopes), 0, 0, NULL, "what is recorded: chip.receive for instance (all)"},
    {"wave-from", "WHEN", MAKE, TEXT(wave_from), 0, 0, NULL, "only from then on: 20us, or an event such as 'chip.die_valid == 1'"},
    {"wave-to", "WHEN", MAKE, TEXT(wave_to), 0, 0, NULL, "and only up to then"},
    {"help", NULL, 0, OPTION_FLAG(options, help), 0, 0, NULL, "this text"},
    {0},
};
/* clang-format on */

static int refuse(const char *text)
{
    return roce_refuse("roce-sim", text);
}

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
        if (!known) return option_complain(error, "mix", mix, "some of send-in, send-out, send, write, read, with commas between");
        at += n + (at[n] == ',');
    }
    return *mix ? 0 : option_complain(error, "mix", mix, "some of send-in, send-out, send, write, read, with commas between");
}

/* ---- what comes out */

static const struct {
    const char *name;
    uint32_t offset;
    unsigned shift, bits;
    const char *words;
} counters[] = {
    {"packets_in", ROCE_INALLDRPPKTCNT, 0, 16, "packets in"},
    {"dropped", ROCE_INALLDRPPKTCNT, 16, 16, "dropped"},
    {"invalid", ROCE_ININVDUPCNT, 0, 16, "invalid"},
    {"duplicates", ROCE_ININVDUPCNT, 16, 16, "duplicates"},
    {"naks_in", ROCE_INNAKPKTCNT, 0, 16, "NAKs in"},
    {"naks_out", ROCE_OUTNAKPKTCNT, 0, 16, "NAKs out"},
    {"rnr_out", ROCE_OUTRNRPKTSTS, 16, 16, "receiver not ready, out"},
    {"sent_again", ROCE_RETRYCNTSTS, 0, 32, "packets sent again"},
    {"sends_out", ROCE_OUTIOPKTCNT, 0, 16, "SENDs out"},
    {"reads_writes_out", ROCE_OUTIOPKTCNT, 16, 16, "READs and WRITEs out"},
    {"acks_out", ROCE_OUTAMPKTCNT, 0, 16, "ACKs out"},
    {"mads_out", ROCE_OUTAMPKTCNT, 16, 16, "MADs out"},
};
enum { PACKETS_IN, NAKS_IN = 4, NAKS_OUT, RNR_OUT, SENT_AGAIN, SENDS_OUT, READS_WRITES_OUT, ACKS_OUT, MADS_OUT, COUNTERS };

typedef struct run {
    const options *o;
    sim *sim;
    roce_system *system;
    roce_traffic *traffic; /* or */
    roce_linux *linux_;
    uint32_t counter[COUNTERS];
    double wall;
} run;

/* When all has come: reads the chip's counters, and the run ends. */
static void end_task(void *self)
{
    run *r = self;
    if (r->traffic) roce_traffic_wait(r->traffic);
    else
        while (!roce_linux_complete(r->linux_)) sim_wait_cycles(r->system->board->clock, 256);
    for (unsigned i = 0; i < COUNTERS; i++) {
        uint32_t value;
        if (rn_register_read(r->system->device, counters[i].offset, &value)) sim_fail(r->sim, "%s", rn_last_error(r->system->device));
        r->counter[i] = value >> counters[i].shift & (uint32_t)((1ull << counters[i].bits) - 1);
    }
    rn_close(r->system->device);
    r->system->device = NULL;
}

static void status(void *self, FILE *f)
{
    const run *r = self;
    uint64_t taken, all;
    if (r->linux_) {
        roce_linux_print_progress(r->linux_, f);
        return;
    }
    roce_traffic_progress(r->traffic, &taken, &all);
    fprintf(f, "%lu of %lu messages", taken, all);
}

static void missing(void *self, FILE *f)
{
    const run *r = self;
    if (r->linux_) {
        roce_linux_print(r->linux_, f);
        return;
    }
    roce_traffic_print_missing(r->traffic, f, 20);
    rnic_print(r->system->peer, f);
}

static double microseconds(sim_time t)
{
    return (double)t / SIM_US;
}

static double rate(const roce_traffic_kind *k) /* [MB/s] */
{
    return k->last > k->first ? (double)k->bytes / microseconds(k->last - k->first) : 0;
}

static uint64_t damaged(const ethernet_wire_stats *s)
{
    return s->struck[ETHERNET_FLIP] + s->struck[ETHERNET_SPOIL];
}

static void print_line(const run *r)
{
    printf("\n%-10s %9s %12s %9s %9s %9s %9s\n", "line from", "frames", "bytes", "lost", "doubled", "delayed", "damaged");
    for (int end = 0; end < 2; end++) {
        ethernet_wire_stats s = ethernet_wire_get_stats(r->system->wire, end);
        printf("%-10s %9lu %12lu %9lu %9lu %9lu %9lu\n", end ? "peer" : "chip", s.frames, s.bytes,
               s.struck[ETHERNET_LOSE] + s.struck[ETHERNET_CUT], s.struck[ETHERNET_DUPLICATE], s.struck[ETHERNET_DELAY], damaged(&s));
    }
}

/* Packets out by their kind are for comparison with Linux. */
static unsigned shown(const run *r)
{
    return r->linux_ ? COUNTERS : SENDS_OUT;
}

static void print_counters(const run *r)
{
    printf("\nchip:");
    for (unsigned i = 0; i < shown(r); i++) printf("%s %s %u", i ? "," : "", counters[i].words, r->counter[i]);
    puts("");
}

static void print(const run *r)
{
    const roce_traffic_kind *k = roce_traffic_kinds(r->traffic);
    printf("%-10s %9s %12s %12s %10s %10s\n", "", "messages", "bytes", "from [us]", "to [us]", "MB/s");
    for (int i = 0; i < ROCE_KINDS; i++)
        if (k[i].messages)
            printf("%-10s %9lu %12lu %12.1f %10.1f %10.1f\n", roce_kind_names[i], k[i].messages, k[i].bytes, microseconds(k[i].first),
                   microseconds(k[i].last), rate(&k[i]));
    print_line(r);
    print_counters(r);
    const rnic_counters *c = rnic_get_counters(r->system->peer);
    printf("peer: packets in %lu, duplicates %lu, NAKs out %lu, NAKs in %lu, packets sent again %lu\n", c->rcvd_pkts, c->duplicate_request,
           c->out_of_seq_request, c->rcvd_seq_err, c->resent_pkts);
    uint64_t clocks = sim_clock_cycles(r->system->board->clock), bytes = 0;
    for (int i = 0; i < ROCE_KINDS; i++) bytes += k[i].bytes;
    printf("%.1f us, %lu clocks of the chip in %.1f s: %.0f kHz, %.2f MB of payload per second; every byte compared\n",
           microseconds(sim_now(r->sim)), clocks, r->wall, (double)clocks / r->wall / 1e3, (double)bytes / r->wall / 1e6);
}

static json_t *wire_json(const ethernet_wire_stats *s)
{
    return json_pack("{sI sI sI sI sI sI}", "frames", (json_int_t)s->frames, "bytes", (json_int_t)s->bytes, "lost",
                     (json_int_t)(s->struck[ETHERNET_LOSE] + s->struck[ETHERNET_CUT]), "doubled", (json_int_t)s->struck[ETHERNET_DUPLICATE],
                     "delayed", (json_int_t)s->struck[ETHERNET_DELAY], "damaged", (json_int_t)damaged(s));
}

/* What both ends count of the same packets: sums of the chip's counters by their places in `counters`, and the name in Linux. */
static const struct {
    const char *words, *of_linux;
    uint32_t plus, minus;
} both[] = {
    {"packets to the chip", "sent_pkts", 1u << PACKETS_IN, 0},
    {"packets to Linux", "rcvd_pkts", 1u << SENDS_OUT | 1u << READS_WRITES_OUT | 1u << ACKS_OUT | 1u << MADS_OUT | 1u << NAKS_OUT, 0},
    {"sent again by the chip", "duplicate_request", 1u << SENT_AGAIN, 0},
    {"NAK-sequence of Linux", "out_of_seq_request", 1u << NAKS_IN, 0},
    {"NAK-sequence of the chip", "rcvd_seq_err", 1u << NAKS_OUT, 1u << RNR_OUT},
    {"not ready, of the chip", "rcvd_rnr_err", 1u << RNR_OUT, 0},
};
enum { BOTH = sizeof both / sizeof *both };

static uint32_t chip_counts(const run *r, unsigned row) /* modulo 2^16, as the chip's counters */
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < COUNTERS; i++) {
        if (both[row].plus >> i & 1) sum += r->counter[i];
        if (both[row].minus >> i & 1) sum -= r->counter[i];
    }
    return sum & 0xffff;
}

/* Rows in which the two differ. */
static unsigned print_linux(const run *r)
{
    const roce_linux_result *l = roce_linux_get_result(r->linux_);
    unsigned differ = 0;
    printf("rping: %u ended well, %u did not; %lu connections, %lu pings, %lu bytes to the chip and back\n", l->good, l->bad,
           l->server.connections, l->server.pings, l->server.bytes);
    print_line(r);
    printf("\n%-26s %9s %9s\n", "counted by", "the chip", "Linux");
    for (unsigned i = 0; i < BOTH; i++) {
        uint32_t chip = chip_counts(r, i), peer = (uint32_t)roce_linux_counter_of(r->linux_, both[i].of_linux) & 0xffff;
        printf("%-26s %9u %9u%s%s\n", both[i].words, chip, peer, chip == peer ? "" : "   differs: ", chip == peer ? "" : both[i].of_linux);
        differ += chip != peer;
    }
    print_counters(r);
    uint64_t clocks = sim_clock_cycles(r->system->board->clock);
    printf("%.1f us, %lu clocks of the chip; Linux was up after %.1f s and ran for %.1f s: %.0f kHz\n", microseconds(sim_now(r->sim)),
           clocks, l->boot, l->run, (double)clocks / l->run / 1e3);
    return differ;
}

static json_t *linux_json(const run *r)
{
    const roce_linux_result *l = roce_linux_get_result(r->linux_);
    json_t *seen = json_object();
    for (unsigned i = 0; i < l->counters; i++) json_object_set_new(seen, l->counter[i].name, json_integer((json_int_t)l->counter[i].value));
    return json_pack("{si si si sI sI sI so}", "size", r->o->longest, "good", l->good, "bad", l->bad, "connections",
                     (json_int_t)l->server.connections, "pings", (json_int_t)l->server.pings, "bytes", (json_int_t)l->server.bytes,
                     "hw_counters", seen);
}

/* Wall time is not in it: the same seed gives the same file. */
static json_t *to_json(const run *r)
{
    ethernet_wire_stats chip = ethernet_wire_get_stats(r->system->wire, 0), peer = ethernet_wire_get_stats(r->system->wire, 1);
    json_t *kinds = r->linux_ ? linux_json(r) : json_object(), *seen = json_object();
    const roce_traffic_kind *k = r->traffic ? roce_traffic_kinds(r->traffic) : NULL;
    for (int i = 0; k && i < ROCE_KINDS; i++)
        if (k[i].messages)
            json_object_set_new(kinds, roce_kind_names[i],
                                json_pack("{sI sI sf sf sf}", "messages", (json_int_t)k[i].messages, "bytes", (json_int_t)k[i].bytes,
                                          "from_us", microseconds(k[i].first), "to_us", microseconds(k[i].last), "mbyte_per_s",
                                          rate(&k[i])));
    for (unsigned i = 0; i < shown(r); i++) json_object_set_new(seen, counters[i].name, json_integer(r->counter[i]));
    return json_pack("{ss si si sI so s{so so} so sf sI}", "chip", "roce", "bytes_per_clock", r->system->board->bytes, "connections",
                     r->o->qps, "seed", (json_int_t)r->o->seed, r->linux_ ? "rping" : "kinds", kinds, "line", "chip", wire_json(&chip),
                     "peer", wire_json(&peer), "counters", seen, "simulated_us", microseconds(sim_now(r->sim)), "clocks",
                     (json_int_t)sim_clock_cycles(r->system->board->clock));
}

/* ---- the program ---- */

static void wire_params(ethernet_wire_params *w, const options *o)
{
    w->lose = o->loss;
    w->duplicate = o->duplicate;
    w->delay = o->reorder;
    w->flip = w->spoil = o->corrupt / 2;
    w->seed = o->seed;
}

/* 0, or an exit code. */
static int make_all(run *r, const roce_system_params *params, const roce_traffic_params *traffic, const roce_linux_params *linux_)
{
    char error[ROCE_SYSTEM_ERROR];
    int made = (r->system = roce_system_new(r->sim, params, error)) != NULL;
    if (made && params->no_peer) made = (r->linux_ = roce_linux_new(r->system, linux_, error)) != NULL;
    else if (made) made = (r->traffic = roce_traffic_new(r->system, traffic, error)) != NULL;
    if (!made) {
        refuse(error);
        return 2;
    }
    sim_report(r->sim, NULL, missing, r, "messages");
    sim_status(r->sim, status, r);
    if (sim_task_new(r->sim, "end", end_task, r)) return 0;
    fprintf(stderr, "roce-sim: no memory left\n");
    return 1;
}

static void print_head(const run *r, const sim_config *chip)
{
    const options *o = r->o;
    if (r->linux_) printf("Linux with software RoCE at the other end, %u pings of %u bytes each; ", o->messages, o->longest);
    char pmtu[16] = "256 to 4096";
    if (o->pmtu) snprintf(pmtu, sizeof pmtu, "%u", o->pmtu);
    printf("RoCE v2 chip (%s), %u bytes per clock, %u connections, path MTU %s, %s, seed %lu\n\n", chip->name, o->bytes, o->qps, pmtu,
           o->ip == 4   ? "IPv4"
           : o->ip == 6 ? "IPv6"
                        : "IPv4 and IPv6",
           o->seed);
}

static int of_linux(const options *o)
{
    return o->peer && !strcmp(o->peer, "rxe");
}

static unsigned or (unsigned given, unsigned otherwise)
{
    return given ? given : otherwise;
}

/* The first option that is not as it was before the arguments were read, and that is one of these names (among = 1) or none of them (0). */
static const char *changed(const options *o, const options *was, const char *const names[], int among)
{
    for (const option *row = table; row->name || row->help; row++) {
        int listed = 0;
        if (!row->name || !memcmp((const char *)o + row->at, (const char *)was + row->at, row->size)) continue;
        for (unsigned i = 0; names[i]; i++) listed |= !strcmp(names[i], row->name);
        if (listed == among) return row->name;
    }
    return NULL;
}

/* What is not given; and what is given but means nothing: 0, or -1. */
static int complete(options *o, const options *was, char error[OPTION_ERROR])
{
    static const char *const not_rxe[] = {"mix", "shortest", "depth", "reads", "figures", NULL};
    static const char *const of_figures[] = {"figures", "seed", "json", "pcap", "help", NULL};
    int rxe = of_linux(o);
    const char *wrong;
    if (rxe && (wrong = changed(o, was, not_rxe, 1)))
        return option_complain(error, wrong, "", "without peer rxe, whose rping knows no such thing");
    if (o->figures && (wrong = changed(o, was, of_figures, 0)))
        return option_complain(error, wrong, "", "without figures, each of which says itself what is run");
    if (!rxe && o->guest) return option_complain(error, "guest", o->guest, "together with peer rxe");
    if (!rxe && o->console) return option_complain(error, "console", o->console, "together with peer rxe");
    const roce_linux_params l = roce_linux_defaults();
    if (!o->mix) o->mix = "send,write,read";
    if (o->loss < 0) o->loss = rxe ? 0 : 1e-3;
    o->qps = or (o->qps, rxe ? l.clients : 7);
    o->messages = or (o->messages, rxe ? l.pings : 20);
    o->shortest = or (o->shortest, 1);
    o->longest = or (o->longest, rxe ? l.size : 16384);
    o->pmtu = or (o->pmtu, rxe ? l.pmtu : 0);
    o->ip = or (o->ip, rxe ? l.ip : 0);
    o->depth = or (o->depth, 8);
    o->timeout = or (o->timeout, rxe ? l.timeout : o->qps > 16 ? 6 : 3);
    o->reads = or (o->reads, 16);
    return 0;
}

/* Nothing strikes on the line. */
static int quiet(const options *o)
{
    return !(o->loss > 0) && !(o->duplicate > 0) && !(o->reorder > 0) && !(o->corrupt > 0) && !o->faults;
}

/* After a run of Linux: what it says, 0 or an exit code. */
static int judge_linux(const run *r)
{
    const roce_linux_result *l = roce_linux_get_result(r->linux_);
    unsigned differ = print_linux(r);
    if (l->bad || l->good != r->o->qps) {
        fflush(stdout);
        roce_linux_print(r->linux_, stderr);
        printf("BAD: %u of %u rpings did not end well\n", r->o->qps - l->good, r->o->qps);
        return 1;
    }
    if (l->server.failures) printf("BAD: the server ended %lu connections\n", l->server.failures);
    else if (differ && quiet(r->o)) puts("BAD: the chip and Linux have counted different things on a good line");
    else return 0;
    return 1;
}

int roce_program(int argc, char **argv, const sim_config *const chips[])
{
    static const options was = {.bytes = 8, .latency = 20, .seed = 1, .loss = -1};
    options o = was;
    roce_traffic_params traffic = roce_traffic_defaults();
    char error[OPTION_ERROR], *json = NULL;
    if (option_arguments(table, &o, argc, argv, error)) return refuse(error);
    if (complete(&o, &was, error)) return refuse(error);
    if (o.help) {
        option_help_table(table, "roce-sim: the RoCE v2 chip at an Ethernet line, with a NIC in C or Linux at its other end", stdout);
        return 0;
    }
    if (o.figures) {
        if (o.json && !(json = results_claim(o.json))) return 1;
        int result = roce_figures(o.figures, o.seed, json, chips);
        free(json);
        return result;
    }
    const sim_config *chip = roce_chip_asked(chips, o.bytes, o.qps, error);
    memset(traffic.messages, 0, sizeof traffic.messages);
    if (!chip) return refuse(error);
    if (set_mix(o.mix, o.messages, traffic.messages, error)) return refuse(error);
    sim_params sp;
    sim_params_default(&sp);
    sp.seed = o.seed;
    sp.watchdog = of_linux(&o) ? 0 : PATIENCE; /* for Linux counts what the clock on the wall says */
    const roce_waves waves = {o.waves, o.wave_scopes, o.wave_from, o.wave_to};
    if (roce_wave_params(&waves, chip, "build/full/roce-sim", &sp, error)) return refuse(error);
    traffic.connections = o.qps;
    traffic.shortest = o.shortest;
    traffic.longest = o.longest;
    traffic.pmtu = o.pmtu;
    traffic.ip = o.ip;
    traffic.depth = o.depth;
    traffic.timeout = o.timeout;
    traffic.reads = o.reads;
    traffic.handshake = o.handshake;
    roce_system_params params = roce_system_defaults(chip);
    roce_linux_params guest = roce_linux_defaults();
    guest.clients = o.qps;
    guest.pings = o.messages;
    guest.size = o.longest;
    guest.pmtu = o.pmtu;
    guest.ip = o.ip;
    guest.timeout = o.timeout;
    guest.handshake = o.handshake;
    if (o.guest) guest.guest = o.guest;
    if (o.console) guest.console = o.console;
    params.no_peer = of_linux(&o);
    params.qps = params.no_peer ? params.qps : o.qps + 1;
    params.pcap = o.pcap;
    params.faults = o.faults;
    params.board.memory.latency = o.latency;
    for (int c = 0; c < AXI_CHANNELS; c++) params.board.memory.stall[c] = o.stall;
    wire_params(&params.wire, &o);
    if (o.json && !(json = results_claim(o.json))) return 1;

    run r = {.o = &o, .sim = sim_new(&sp)};
    int code = 1;
    if (r.sim) {
        code = make_all(&r, &params, &traffic, &guest);
        if (!code) {
            print_head(&r, chip);
            code = roce_simulate(r.sim, &r.wall);
        }
        int ran = !code;
        if (ran && r.linux_) code = judge_linux(&r);
        else if (ran) print(&r);
        code = roce_conclude(code, r.system, ran ? to_json(&r) : NULL, json, o.pcap);
    } else fprintf(stderr, "roce-sim: no memory left\n");
    if (r.sim) {
        roce_traffic_free(r.traffic);
        roce_linux_free(r.linux_);
        roce_system_free(r.system);
        sim_free(r.sim);
    }
    free(json);
    return code;
}
