#include <string.h>

#include "roce_counters.h"
#include "roce_program.h"
#include "roce_rping.h"
#include "roce_run.h"

enum { DETAIL = 300 };

typedef struct options {
    const char *only, *guest, *console, *pcap;
    unsigned bytes;
    uint64_t seed;
    int list, help;
} options;

/* clang-format off */
static const option table[] = {
    {.help = "rping of Linux against the RoCE v2 chip, all rows in one boot, and a line with a verdict for each:"},
    {"only", "TEXT", 0, OPTION_TEXT(options, only), 0, 0, NULL, "rows with it in their name (all)"},
    {"list", NULL, 0, OPTION_FLAG(options, list), 0, 0, NULL, "prints the names of the rows instead"},
    {"bytes", "N", 0, OPTION_WHOLE(options, bytes), 8, 64, "8 or 64", "per clock of the chip (8)"},
    {"guest", "FOLDER", 0, OPTION_TEXT(options, guest), 0, 0, NULL, "what scripts/guest.sh has made (build/guest)"},
    {"console", "FILE", 0, OPTION_TEXT(options, console), 0, 0, NULL, "what Linux prints (build/roce-console.log)"},
    {"pcap", "FILE", 0, OPTION_TEXT(options, pcap), 0, 0, NULL, "every packet that is sent, with simulated time"},
    {"seed", "N", 0, OPTION_WHOLE(options, seed), 0, 0, "a number", "of packet numbers (1)"},
    {"help", NULL, 0, OPTION_FLAG(options, help), 0, 0, NULL, "this text"},
    {0},
};
/* clang-format on */

typedef struct rpings {
    options o;
    sim *sim;
    roce_system *system;
    roce_linux *linux_;
    roce_rping *rping;
    roce_counters counters;
    const struct row *row; /* under way */
    unsigned rows, bad;
} rpings;

/* What Linux and the chip do together. `run` is called from a task (roce_linux.h): 1: it was well, 0: it was not, both with a detail; -1:
 * the run ends by sim_fail. */
typedef struct row {
    const char *name;
    int (*run)(rpings *i, const struct row *row, char detail[DETAIL]);
    roce_rping_row rping;
} row;

static int run_rping(rpings *i, const row *w, char detail[DETAIL])
{
    roce_rping_result r;
    roce_rping_params p = roce_rping_defaults();
    if (!(i->rping = roce_rping_new(i->linux_, i->system, &p))) return -1;
    if (roce_rping_run(i->rping, &w->rping, &r)) return -1;
    roce_rping_free(i->rping);
    i->rping = NULL;
    int n = snprintf(detail, DETAIL, "%u of %u clients, %lu of %u pings, %lu bytes, %.0f s", r.good, w->rping.times * w->rping.at_once,
                     r.pings, w->rping.times * w->rping.at_once * w->rping.pings, r.bytes, r.seconds);
    int well = roce_rping_well(&w->rping, &r);
    if (!well)
        snprintf(detail + n, (size_t)(DETAIL - n), "; %u ended badly, %lu ended by the server, path MTU %u to %u", r.bad, r.failures,
                 r.pmtu_least, r.pmtu_most);
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

static int chosen(const rpings *i, const char *name)
{
    return !i->o.only || strstr(name, i->o.only);
}

static void verdict(rpings *i, const char *name, int good, const char *detail)
{
    roce_verdict(name, good, detail);
    i->rows++;
    i->bad += !good;
}

static void talk(void *self, roce_linux *l)
{
    rpings *i = self;
    char detail[DETAIL] = "";
    if (roce_system_open(i->system) || roce_system_answer(i->system) || roce_linux_boot(l)) return;
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
    while (!roce_linux_complete(i->linux_)) sim_wait_cycles(i->system->board->clock, 256);
    if (roce_counters_read(i->system->device, &i->counters)) sim_fail(i->sim, "%s", rn_last_error(i->system->device));
    rn_close(i->system->device);
    i->system->device = NULL;
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
    for (const row *w = rows; w < rows + ROWS; w++)
        if (chosen(i, w->name)) puts(w->name);
    puts(counted);
    return 0;
}

static int refuse(const char *text)
{
    return roce_refuse("roce-rping", text);
}

/* 0, or an exit code. */
static int make_all(rpings *i, const sim_config *chip)
{
    char error[ROCE_SYSTEM_ERROR];
    roce_system_params params = roce_system_defaults(chip);
    roce_linux_params guest = roce_linux_defaults();
    params.no_peer = 1;
    params.pcap = i->o.pcap;
    if (i->o.guest) guest.guest = i->o.guest;
    if (i->o.console) guest.console = i->o.console;
    guest.talk = talk;
    guest.self = i;
    if (!(i->system = roce_system_new(i->sim, &params, error)) ||
        !(i->linux_ = roce_linux_new(i->sim, i->system->board->clock, i->system->wire, &guest)))
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
        unsigned different = roce_counters_compare(&i->counters, i->linux_, NULL);
        snprintf(detail, sizeof detail, "%u of %d counters of the chip are those of Linux; it was up after %.0f s, ran for %.0f s",
                 ROCE_COUNTERS_BOTH - different, ROCE_COUNTERS_BOTH, roce_linux_get_result(i->linux_)->boot,
                 roce_linux_get_result(i->linux_)->run);
        verdict(i, counted, !different, detail);
        if (different) roce_counters_compare(&i->counters, i->linux_, stderr);
        code = i->bad != 0;
    } else if (code == 1 && i->row) verdict(i, i->row->name, 0, sim_error(i->sim));
    char error[ETHERNET_ERROR];
    if (i->system && roce_system_record_ends(i->system, NULL, error)) {
        fprintf(stderr, "roce-rping: %s\n", error);
        code = 1;
    }
    return code;
}

int roce_rping_program(int argc, char **argv, const sim_config *const chips[])
{
    rpings i = {.o = {.bytes = 8, .seed = 1}};
    char error[OPTION_ERROR];
    if (option_arguments(table, &i.o, argc, argv, error)) return refuse(error);
    if (i.o.help) {
        option_help_table(table, "roce-rping: the RoCE v2 chip, and rping in Linux with its software RoCE at its other end", stdout);
        return 0;
    }
    const sim_config *chip = roce_chip_asked(chips, i.o.bytes, ROCE_RPING_CLIENTS, error);
    if (!chip) return refuse(error);
    if (i.o.list) return list(&i);
    sim_params sp;
    sim_params_default(&sp);
    sp.seed = i.o.seed;
    sp.watchdog = 0; /* for Linux counts what the clock on the wall says */
    if (!(i.sim = sim_new(&sp))) {
        fprintf(stderr, "roce-rping: no memory left\n");
        return 1;
    }
    int code = run_all(&i, chip);
    roce_linux_free(i.linux_);
    roce_system_free(i.system);
    sim_free(i.sim);
    return code;
}
