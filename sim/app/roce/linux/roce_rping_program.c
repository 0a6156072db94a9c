#include <string.h>

#include "sim/app/roce/board/roce_run.h"
#include "sim/app/roce/linux/roce_counters.h"
#include "sim/app/roce/linux/roce_end_verbs.h"
#include "sim/app/roce/linux/roce_rping.h"
#include "sim/app/roce/linux/roce_sideband.h"
#include "sim/app/roce/roce_program.h"

enum { DETAIL = 300, NAME = 64, NIC_TIMEOUT = 16 /* code: 0.3 s; its time goes faster than that of the chip */ };

typedef struct options {
    const char *end, *only, *guest, *console, *pcap;
    unsigned bytes;
    uint64_t seed;
    int list, help;
} options;

/* clang-format off */
static const option table[] = {
    {.help = "rping of Linux against the RoCE v2 chip, all rows in one boot, and a line with a verdict for each:"},
    ROCE_LINUX(options),
    {0},
};
/* clang-format on */

typedef struct rpings {
    options o;
    sim *sim;
    roce_system *system; /* of the chip; or */
    roce_end_line nic;
    roce_end_verbs *verbs;
    roce_sideband *sideband; /* of the NIC in C */
    rn_verbs device;         /* of either */
    sim_clock *clock;
    roce_linux *linux_;
    roce_late *late;
    roce_rping *rping;
    roce_counters_both counted;
    const struct row *row; /* under way */
    unsigned rows, bad;
} rpings;

/* A run of Linux and the chip. `run` is called from a task (roce_linux.h): 1: it was well, 0: it was not, both with a
 * detail; -1: the run ends by sim_fail. */
typedef struct row {
    const char *name;
    int (*run)(rpings *i, const struct row *row, char detail[DETAIL]);
    roce_rping_row rping;
} row;

static int run_rping(rpings *i, const row *w, char detail[DETAIL])
{
    roce_rping_result r;
    roce_rping_params p = roce_rping_defaults();
    if (!i->system) p.timeout = NIC_TIMEOUT;
    if (!(i->rping = roce_rping_new(i->linux_, i->sim, &i->device, &p))) return -1;
    if (roce_rping_run(i->rping, &w->rping, &r)) return -1;
    roce_rping_free(i->rping);
    i->rping = NULL;
    int n = snprintf(detail, DETAIL, "%u of %u clients, %lu of %u pings, %lu bytes, %.0f s", r.good,
                     w->rping.times * w->rping.at_once, r.pings, w->rping.times * w->rping.at_once * w->rping.pings,
                     r.bytes, r.seconds);
    int well = roce_rping_well(&w->rping, &r);
    if (!well)
        snprintf(detail + n, (size_t)(DETAIL - n), "; %u ended badly, %lu ended by the server, path MTU %u to %u",
                 r.bad, r.failures, r.pmtu_least, r.pmtu_most);
    return well;
}

static const row rows[] = {
    {"rping-256-ipv4", run_rping, {256, 4, 100, 1, 2, 64, 65535}},
    {"rping-1024-ipv4", run_rping, {1024, 4, 100, 1, 2, 64, 65535}},
    {"rping-1024-ipv6", run_rping, {1024, 6, 100, 1, 2, 64, 65535}},
    {"rping-4096-ipv4", run_rping, {4096, 4, 100, 1, 2, 64, 65535}},
    {"rping-4096-ipv6", run_rping, {4096, 6, 100, 1, 2, 64, 65535}},
    {"rping-16-at-once-ipv4", run_rping, {1024, 4, 5, 16, 10, 64, 65535}},
    {"rping-16-at-once-ipv6", run_rping, {4096, 6, 5, 16, 10, 64, 65535}},
    {"rping-connect", run_rping, {1024, 4, 100, 1, 1, 64, 64}},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* After the others: what both ends have counted of all their packets. */
static const char counted[] = "counters";

static int is_nic(const rpings *i) { return i->o.end && !strcmp(i->o.end, "nic"); }

static const char *named(const rpings *i, const char *row, char name[NAME])
{
    snprintf(name, NAME, "%s%s", is_nic(i) ? "nic-" : "", row);
    return name;
}

static int chosen(const rpings *i, const char *row)
{
    char name[NAME];
    return !i->o.only || strstr(named(i, row, name), i->o.only);
}

static void verdict(rpings *i, const char *row, int good, const char *detail)
{
    char name[NAME];
    roce_verdict(named(i, row, name), good, detail);
    i->rows++;
    i->bad += !good;
}

static void talk(void *self, roce_linux *l)
{
    rpings *i = self;
    char detail[DETAIL] = "";
    if (i->system && (roce_system_open(i->system) || roce_system_answer(i->system))) return;
    i->device = i->system ? rn_verbs_of(i->system->device) : *roce_end_verbs_get(i->verbs);
    if (roce_linux_boot(l)) return;
    for (const row *w = rows; w < rows + ROWS; w++) {
        if (!chosen(i, w->name)) continue;
        i->row = w;
        int result = w->run(i, w, detail);
        if (result < 0) return;
        verdict(i, w->name, result, detail);
    }
    i->row = NULL;
    roce_linux_read_counters(l);
}

/* ---- the program */

static void end_task(void *self)
{
    rpings *i = self;
    roce_counters c;
    while (!roce_linux_complete(i->linux_)) sim_wait_cycles(i->clock, 256);
    if (!i->system) {
        i->counted = roce_counters_of_nic(roce_end_nic_counters(i->nic.end));
        return;
    }
    if (roce_counters_read(i->system->device, &c)) sim_fail(i->sim, "%s", rn_last_error(i->system->device));
    else i->counted = roce_counters_of_chip(&c);
    roce_system_close(i->system);
}

static void status(void *self, FILE *f)
{
    const rpings *i = self;
    fprintf(f, "%s: ", i->row ? i->row->name : "Linux");
    roce_linux_print_progress(i->linux_, f);
    roce_rping_print_progress(i->rping, f);
}

static void missing(void *self, FILE *f)
{
    const rpings *i = self;
    roce_linux_print(i->linux_, f);
    roce_rping_print(i->rping, f);
}

static int list(const rpings *i)
{
    char name[NAME];
    for (const row *w = rows; w < rows + ROWS; w++)
        if (chosen(i, w->name)) puts(named(i, w->name, name));
    puts(named(i, counted, name));
    return 0;
}

static int refuse(const char *text) { return roce_refuse("roce-rping", text); }

static int make_chip(rpings *i, const sim_config *chip, char *error)
{
    roce_system_params params = roce_system_defaults(chip);
    params.no_peer = 1;
    params.pcap = i->o.pcap;
    if (!(i->system = roce_system_new(i->sim, &params, error))) return -1;
    i->clock = i->system->board->clock;
    return 0;
}

static int make_nic(rpings *i, char *error)
{
    if (roce_end_line_make(&i->nic, i->sim, i->o.seed, i->o.pcap, error)) return -1;
    i->clock = i->nic.clock;
    return (i->verbs = roce_end_verbs_new(i->sim, i->nic.end)) ? 0 : -1;
}

/* 0, or an exit code. */
static int make_all(rpings *i, const sim_config *chip)
{
    char error[ROCE_SYSTEM_ERROR] = "no memory left";
    roce_linux_params guest = roce_linux_defaults();
    if (i->o.guest) guest.guest = i->o.guest;
    if (i->o.console) guest.console = i->o.console;
    guest.talk = talk;
    guest.self = i;
    if ((chip ? make_chip(i, chip, error) : make_nic(i, error)) ||
        !(i->linux_ = roce_linux_new(i->sim, i->clock, i->system ? i->system->wire : i->nic.wire, &guest)) ||
        !(i->late = roce_late_new(i->system ? i->system->wire : i->nic.wire, guest.end)) ||
        (!chip && !(i->sideband = roce_sideband_new(i->sim, i->linux_))))
        return refuse(error);
    sim_report(i->sim, NULL, missing, i, "Linux");
    sim_status(i->sim, status, i);
    if (sim_task_new(i->sim, "end", end_task, i)) return 0;
    fprintf(stderr, "roce-rping: no memory left\n");
    return 1;
}

static int run_all(rpings *i, const sim_config *chip)
{
    double wall;
    int code = make_all(i, chip);
    if (!code && !(code = roce_simulate(i->sim, &wall))) {
        char detail[DETAIL];
        const roce_late_counts late = roce_late_count(i->late);
        unsigned different = roce_counters_compare(&i->counted, &late, i->linux_, NULL);
        snprintf(detail, sizeof detail,
                 "%u of %d counters are those of Linux, %u packets came when it had gone; it was up after %.0f s, ran "
                 "for %.0f s",
                 ROCE_COUNTERS_BOTH - different, ROCE_COUNTERS_BOTH, late.packets,
                 roce_linux_get_result(i->linux_)->boot, roce_linux_get_result(i->linux_)->run);
        verdict(i, counted, !different, detail);
        if (different) roce_counters_compare(&i->counted, &late, i->linux_, stderr);
        code = i->bad != 0;
    } else if (code == 1 && i->row) verdict(i, i->row->name, 0, sim_error(i->sim));
    return code;
}

int roce_rping_program(int argc, char **argv, const sim_config *const chips[])
{
    rpings i = {.o = {.bytes = 8, .seed = 1}};
    char error[OPTION_ERROR > (int)ETHERNET_ERROR ? (int)OPTION_ERROR : (int)ETHERNET_ERROR];
    if (option_arguments(table, &i.o, argc, argv, error)) return refuse(error);
    if (i.o.help) {
        option_help_table(
            table, "roce-rping: the RoCE v2 chip, and rping in Linux with its software RoCE at its other end", stdout);
        return 0;
    }
    const sim_config *chip = NULL;
    if (!is_nic(&i) && !(chip = roce_chip_asked(chips, i.o.bytes, ROCE_RPING_CLIENTS, error))) return refuse(error);
    if (i.o.list) return list(&i);
    sim_params sp;
    sim_params_default(&sp);
    sp.seed = i.o.seed;
    sp.watchdog = 0; /* Linux runs in wall-clock time */
    if (!(i.sim = sim_new(&sp))) {
        fprintf(stderr, "roce-rping: no memory left\n");
        return 1;
    }
    int code = run_all(&i, chip);
    roce_sideband_free(i.sideband);
    roce_linux_free(i.linux_);
    roce_late_free(i.late);
    roce_end_verbs_free(i.verbs);
    if (i.system ? roce_system_record_ends(i.system, NULL, error) : roce_end_line_free(&i.nic, error)) {
        fprintf(stderr, "roce-rping: %s\n", error);
        code = 1;
    }
    roce_system_free(i.system);
    sim_free(i.sim);
    return code;
}
