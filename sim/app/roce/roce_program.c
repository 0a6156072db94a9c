#include "sim/app/roce/roce_program.h"

#include <jansson.h>
#include <stdlib.h>

#include "sim/app/roce/roce_figures.h"
#include "sim/app/roce/roce_report.h"
#include "sim/core/kernel/cycles.h"
#include "sim/core/kernel/results.h"
#include "sim/observe/cycles/cycles_report.h"

static int refuse(const char *text) { return roce_refuse("roce-sim", text); }

/* Results of a soak's runs with one width. */
typedef struct soak {
    const sim_config *chip;
    uint64_t packets, runs, messages[ROCE_KINDS], bytes, sent_again[2];
    ethernet_wire_stats line[2];
    double us, clocks, wall;
} soak;

typedef struct run {
    roce_report report;
    const soak *before; /* NULL: no soak */
} run;

/* With Linux at the other end. */
static void talk(void *self, roce_linux *l)
{
    roce_report *r = &((run *)self)->report;
    roce_rping_params p = roce_rping_defaults();
    p.timeout = r->o->timeout;
    p.handshake = r->o->handshake;
    if (roce_system_open(r->system) || roce_system_answer(r->system) || roce_linux_boot(l)) return;
    const rn_verbs device = rn_verbs_of(r->system->device);
    if (!(r->rping = roce_rping_new(l, r->system->sim, &device, &p)) || roce_rping_run(r->rping, &r->pings, &r->pinged))
        return;
    roce_linux_read_counters(l);
    roce_rping_free(r->rping);
    r->rping = NULL;
}

/* When all has come: reads the chip's counters, and the run ends. Modules are counted while there is traffic. */
static void end_task(void *self)
{
    roce_report *r = &((run *)self)->report;
    while (r->cycles && r->traffic && !roce_traffic_opened(r->traffic)) sim_wait_cycles(r->system->board->clock, 64);
    if (r->cycles) sim_cycles_start(r->cycles);
    if (r->traffic) roce_traffic_wait(r->traffic);
    else
        while (!roce_linux_complete(r->linux_)) sim_wait_cycles(r->system->board->clock, 256);
    if (r->cycles) sim_cycles_stop(r->cycles);
    roce_report_count(r);
    roce_system_close(r->system);
    if (r->other) roce_system_close(r->other);
}

static void status(void *self, FILE *f)
{
    const run *r = self;
    uint64_t taken, all;
    if (r->report.linux_) {
        roce_linux_print_progress(r->report.linux_, f);
        roce_rping_print_progress(r->report.rping, f);
        return;
    }
    if (r->before)
        fprintf(f, "%u bytes per clock: %lu of %lu packets; run %lu: ", r->report.system->board->bytes,
                r->before->packets + roce_report_packets(&r->report), r->report.o->soak, r->before->runs + 1);
    roce_traffic_progress(r->report.traffic, &taken, &all);
    fprintf(f, "%lu of %lu messages", taken, all);
}

static void missing(void *self, FILE *f)
{
    const roce_report *r = &((run *)self)->report;
    if (r->linux_) {
        roce_linux_print(r->linux_, f);
        roce_rping_print(r->rping, f);
        return;
    }
    roce_traffic_print_missing(r->traffic, f, 20);
}

/* 0, or an exit code. */
static int make_all(run *u, roce_setup *setup)
{
    char error[ROCE_SYSTEM_ERROR];
    roce_report *r = &u->report;
    if (!(r->sim = sim_new(&setup->sim))) {
        fprintf(stderr, "roce-sim: no memory left\n");
        return 1;
    }
    r->pings = setup->pings;
    setup->guest.talk = talk;
    setup->guest.self = u;
    int made = (r->system = roce_system_new(r->sim, &setup->system, error)) != NULL;
    if (made && roce_options_two_chips(r->o)) {
        setup->system.other = r->system;
        made = (r->other = roce_system_new(r->sim, &setup->system, error)) != NULL;
        setup->traffic.other = r->other;
    }
    if (made && roce_options_linux(r->o))
        made = (r->linux_ = roce_linux_new(r->sim, r->system->board->clock, r->system->wire, &setup->guest)) &&
               (r->late = roce_late_new(r->system->wire, 1));
    else if (made) made = (r->traffic = roce_traffic_new(r->system, &setup->traffic, error)) != NULL;
    if (!made) return refuse(error);
    if (r->o->cycles &&
        (!(r->cycles = sim_cycles_new(r->sim)) || sim_cycles_add(r->cycles, r->system->board->chip) < 0 ||
         (r->other && sim_cycles_add(r->cycles, r->other->board->chip) < 0))) {
        fprintf(stderr, "roce-sim: cycles: %s\n", *sim_error(r->sim) ? sim_error(r->sim) : "no memory left");
        return 1;
    }
    sim_report(r->sim, NULL, missing, u, "messages");
    sim_status(r->sim, status, u);
    if (sim_task_new(r->sim, "end", end_task, u)) return 0;
    fprintf(stderr, "roce-sim: no memory left\n");
    return 1;
}

static void free_all(run *u)
{
    roce_report *r = &u->report;
    if (!r->sim) return;
    sim_cycles_free(r->cycles);
    roce_traffic_free(r->traffic);
    roce_linux_free(r->linux_);
    roce_late_free(r->late);
    roce_system_free(r->other);
    roce_system_free(r->system);
    sim_free(r->sim);
}

/* The table of counts, also written into the results, and as CSV and page next to these. Not 0: a limit is exceeded, or
 * a file cannot be written. */
static int tell_cycles(const roce_report *r, const sim_config *chip, json_t *base, json_t *results, const char *json)
{
    char words[ROCE_OPTIONS_WORDS];
    roce_options_words(r->o, chip, words);
    json_t *document = cycles_document(words);
    json_array_append_new(json_object_get(document, "simulations"), sim_cycles_json(r->cycles, ""));
    cycles_table(document, r->o->sort, stdout);
    int bad = base && cycles_compare(document, base, r->o->threshold, stdout) > 0;
    if (json && cycles_files(document, json)) bad = 1;
    json_object_set_new(results, "cycles", document);
    return bad;
}

static int run_once(const roce_options *o, const sim_config *chip, const char *json)
{
    char error[OPTION_ERROR], words[ROCE_OPTIONS_WORDS], why[CYCLES_ERROR];
    roce_setup setup;
    run u = {.report.o = o};
    json_t *base = NULL, *results = NULL;
    if (roce_options_setup(o, chip, &setup, error)) return refuse(error);
    roce_options_words(o, chip, words);
    if (o->base && !(base = cycles_base(o->base, words, why))) {
        fprintf(stderr, "roce-sim: base %s: %s\n", o->base, why);
        return 2;
    }
    int code = make_all(&u, &setup), ran = 0;
    if (!code) {
        roce_report_head(&u.report, chip);
        code = roce_simulate(u.report.sim, &u.report.wall);
        ran = !code;
    }
    if (ran) {
        code = roce_report_print(&u.report);
        results = roce_report_json(&u.report);
        if (u.report.cycles && tell_cycles(&u.report, chip, base, results, json)) code = 1;
    }
    code = roce_conclude(code, u.report.system, results, json, o->pcap);
    free_all(&u);
    json_decref(base);
    return code;
}

/* ---- a soak */

static void add_up(soak *s, const roce_report *r)
{
    const roce_traffic_kind *k = roce_traffic_kinds(r->traffic);
    for (int i = 0; i < ROCE_KINDS; i++) {
        s->messages[i] += k[i].messages;
        s->bytes += k[i].bytes;
    }
    for (int end = 0; end < 2; end++) {
        ethernet_wire_stats line = ethernet_wire_get_stats(r->system->wire, end);
        s->line[end].frames += line.frames;
        s->line[end].bytes += line.bytes;
        for (int i = 0; i < ETHERNET_FAULTS; i++) s->line[end].struck[i] += line.struck[i];
    }
    s->packets += roce_report_packets(r);
    s->sent_again[0] += roce_report_sent_again(r);
    s->sent_again[1] += roce_report_peer_sent_again(r);
    s->us += (double)sim_now(r->sim) / SIM_US;
    s->clocks += (double)sim_clock_cycles(r->system->board->clock);
    s->wall += r->wall;
    s->runs++;
}

/* One run; first packet numbers are at random, or such that they wrap, or their window does. 0, or an exit code. */
static int soak_run(const roce_options *o, soak *s)
{
    static const int psns[] = {-1, 0, 0xfffff0, 0x7ffff8};
    char error[OPTION_ERROR], text[ETHERNET_ERROR];
    roce_setup setup;
    roce_options one = *o;
    run u = {.report.o = &one, .before = s};
    one.seed = o->seed + s->runs;
    if (roce_options_setup(&one, s->chip, &setup, error)) return refuse(error);
    setup.traffic.psn = psns[one.seed % 4];
    int code = make_all(&u, &setup);
    if (!code) code = roce_simulate(u.report.sim, &u.report.wall);
    if (!code) {
        uint64_t before = s->packets;
        add_up(s, &u.report);
        printf("%2ld bytes per clock, seed %lu: %lu packets, every message once and every byte compared; %.1f s\n",
               sim_config_parameter(s->chip, "BYTES", 8), one.seed, s->packets - before, u.report.wall);
        fflush(stdout);
    }
    if (u.report.system && roce_system_record_ends(u.report.system, NULL, text)) {
        printf("BAD: %s\n", text);
        code = 1;
    }
    free_all(&u);
    if (code == 1)
        printf("rerun: make soak CHIP=roce BYTES=%ld PACKETS=1 SEED=%lu WAVES=1 and the same other options\n",
               sim_config_parameter(s->chip, "BYTES", 8), one.seed);
    return code;
}

static json_t *soak_json(const soak *s)
{
    json_t *kinds = json_object();
    for (int i = 0; i < ROCE_KINDS; i++)
        if (s->messages[i]) json_object_set_new(kinds, roce_kind_names[i], json_integer((json_int_t)s->messages[i]));
    return json_pack("{si sI sI so sI s{so so} sI sI sf sf}", "bytes_per_clock",
                     (int)sim_config_parameter(s->chip, "BYTES", 8), "runs", (json_int_t)s->runs, "packets",
                     (json_int_t)s->packets, "messages", kinds, "payload_bytes", (json_int_t)s->bytes, "line", "chip",
                     roce_report_line_json(&s->line[0]), "peer", roce_report_line_json(&s->line[1]),
                     "sent_again_by_chip", (json_int_t)s->sent_again[0], "sent_again_by_peer",
                     (json_int_t)s->sent_again[1], "simulated_us", s->us, "clocks", s->clocks);
}

static void print_soak(const soak *s)
{
    uint64_t messages = 0, lost = 0, doubled = 0, delayed = 0, damaged = 0;
    for (int i = 0; i < ROCE_KINDS; i++) messages += s->messages[i];
    for (int end = 0; end < 2; end++) {
        const uint64_t *struck = s->line[end].struck;
        lost += struck[ETHERNET_LOSE] + struck[ETHERNET_CUT];
        doubled += struck[ETHERNET_DUPLICATE];
        delayed += struck[ETHERNET_DELAY];
        damaged += struck[ETHERNET_FLIP] + struck[ETHERNET_SPOIL];
    }
    printf("%ld bytes per clock: %lu packets in %lu runs, %lu messages, %.1f MB; %lu packets lost, %lu doubled, %lu "
           "delayed, %lu damaged; "
           "sent again %lu by the chip, %lu by its peer; %.0f us, %.0f s\n",
           sim_config_parameter(s->chip, "BYTES", 8), s->packets, s->runs, messages, (double)s->bytes / 1e6, lost,
           doubled, delayed, damaged, s->sent_again[0], s->sent_again[1], s->us, s->wall);
}

static int run_soak(const roce_options *o, const sim_config *const chips[], const char *json)
{
    static const unsigned widths[] = {8, 64};
    char error[OPTION_ERROR];
    int code = 0;
    uint64_t packets = 0;
    if (o->bytes && !roce_chip_asked(chips, o->bytes, o->qps, error)) return refuse(error);
    json_t *all = json_array();
    for (unsigned i = 0; i < 2 && !code; i++) {
        soak s = {.chip = NULL};
        if (o->bytes && o->bytes != widths[i]) continue;
        if (!(s.chip = roce_chip_asked(chips, widths[i], o->qps, error))) return refuse(error);
        while (!code && s.packets < o->soak) code = soak_run(o, &s);
        if (!code) print_soak(&s);
        packets += s.packets;
        json_array_append_new(all, soak_json(&s));
    }
    json_t *results =
        json_pack("{ss si sI so}", "chip", "roce", "connections", o->qps, "seed", (json_int_t)o->seed, "soak", all);
    if (code || !json) json_decref(results);
    else if (results_write(results, json)) code = 1;
    if (!code)
        printf("GOOD: %lu packets, no message lost, doubled, torn or out of order%s%s\n", packets,
               json ? "; results in " : "", json ? json : "");
    else if (code == 130) puts("INTERRUPTED: results are not saved");
    return code;
}

int roce_program(int argc, char **argv, const sim_config *const chips[])
{
    roce_options o;
    char error[OPTION_ERROR];
    if (roce_options_read(&o, argc, argv, error)) return refuse(error);
    if (o.help) {
        option_help_table(roce_options_table, ROCE_OPTIONS_HEAD, stdout);
        return 0;
    }
    const sim_config *chip = o.figures || o.soak ? NULL : roce_chip_asked(chips, o.bytes, o.qps, error);
    if (!chip && !o.figures && !o.soak) return refuse(error);
    roce_claim(&o.json);
    roce_claim(&o.pcap);
    roce_claim(&o.console);
    roce_claim(&o.waves);
    if (o.figures) return roce_figures(o.figures, o.seed, o.json, chips);
    return o.soak ? run_soak(&o, chips, o.json) : run_once(&o, chip, o.json);
}
