#include <stdlib.h>
#include <string.h>

#include "sim/app/roce/board/roce_run.h"
#include "sim/app/roce/linux/roce_verbs_rows.h"
#include "sim/app/roce/roce_program.h"

typedef struct options {
    unsigned bytes, timeout, stall;
    uint64_t seed;
    const char *end, *only, *record, *guest, *console, *pcap;
    int list, help;
} options;

/* clang-format off */
static const option table[] = {
    {"timeout", "N", 0, OPTION_WHOLE(options, timeout), 1, 31, "a code of IBA",
        "retransmission timeout, 4.096 us * 2^N simulated (default chip 8, nic 16)"},
    {"record", "FOLDER", 0, OPTION_TEXT(options, record), 0, 0, NULL, "run a few short rows and record their packets as FOLDER/ROW.pcap"},
    ROCE_STALL(0, options),
    ROCE_LINUX(options),
    {0},
};
/* clang-format on */

static int is_nic(const options *o) { return o->end && !strcmp(o->end, "nic"); }

typedef struct run {
    const options *o;
    sim *sim;
    roce_system *system; /* of the chip; or */
    roce_end_line nic;
    ethernet_wire *wire; /* of either */
    sim_clock *clock;
    roce_end *end;
    roce_linux *linux_;
    roce_verbs *verbs;
    roce_verbs_rows *rows;
} run;

static void status(void *self, FILE *f)
{
    const run *r = self;
    const char *row = roce_verbs_rows_row(r->rows);
    if (row) fputs(row, f);
    else roce_linux_print_progress(r->linux_, f);
}

static void missing(void *self, FILE *f)
{
    const run *r = self;
    const char *row = roce_verbs_rows_row(r->rows);
    if (row) fprintf(f, "row: %s\n", row);
    roce_verbs_print(r->verbs, f);
    roce_linux_print(r->linux_, f);
}

static void talk(void *self, roce_linux *l)
{
    run *r = self;
    if (!roce_end_open(r->end) && !roce_linux_boot(l) && !roce_verbs_start(r->verbs) && !roce_verbs_rows_run(r->rows) &&
        !roce_verbs_end(r->verbs))
        roce_end_close(r->end);
}

static void verdict(void *self, const char *row, int good, const char *detail)
{
    (void)self;
    roce_verdict(row, good, detail);
}

static int make_chip(run *r, const sim_config *chip, char *error)
{
    roce_system_params params = roce_system_defaults(chip);
    params.no_peer = 1;
    params.pcap = r->o->pcap;
    params.wire.seed = r->o->seed;
    for (int c = 0; c < AXI_CHANNELS; c++) params.board.memory.stall[c] = r->o->stall;
    if (!(r->system = roce_system_new(r->sim, &params, error))) return -1;
    r->wire = r->system->wire;
    r->clock = r->system->board->clock;
    return (r->end = roce_end_of_chip(r->system)) ? 0 : -1;
}

static int make_nic(run *r, char *error)
{
    if (roce_end_line_make(&r->nic, r->sim, r->o->seed, r->o->pcap, error)) return -1;
    r->wire = r->nic.wire;
    r->clock = r->nic.clock;
    r->end = r->nic.end;
    return 0;
}

static roce_verbs_rows_params rows_of(const options *o)
{
    roce_verbs_rows_params p = roce_verbs_rows_defaults();
    p.name = o->record ? "rxe" : is_nic(o) ? "nic" : "verbs";
    p.record = o->record;
    p.only = o->only;
    p.timeout = o->timeout;
    p.verdict = verdict;
    return p;
}

/* 0, or an exit code. */
static int make_all(run *r, const sim_config *chip)
{
    char error[ROCE_SYSTEM_ERROR] = "";
    const options *o = r->o;
    roce_linux_params guest = roce_linux_defaults();
    roce_verbs_rows_params p = rows_of(o);
    if (o->guest) guest.guest = o->guest;
    if (o->console) guest.console = o->console;
    guest.talk = talk;
    guest.self = r;
    if ((chip ? make_chip(r, chip, error) : make_nic(r, error)) ||
        !(r->linux_ = roce_linux_new(r->sim, r->clock, r->wire, &guest)) ||
        !(r->verbs = roce_verbs_new(r->sim, r->linux_)) ||
        !(r->rows = roce_verbs_rows_new(r->end, r->verbs, r->sim, r->clock, r->wire, &p)))
        return roce_refuse("roce-verbs", error);
    sim_report(r->sim, NULL, missing, r, "Linux");
    sim_status(r->sim, status, r);
    return 0;
}

int roce_verbs_program(int argc, char **argv, const sim_config *const chips[])
{
    options o = {.bytes = 8, .seed = 1};
    char error[OPTION_ERROR > (int)ETHERNET_ERROR ? (int)OPTION_ERROR : (int)ETHERNET_ERROR];
    const sim_config *chip = NULL;
    if (option_arguments(table, &o, argc, argv, error)) return roce_refuse("roce-verbs", error);
    if (o.help) {
        option_help_table(table, "roce-verbs: the RoCE v2 chip, or the NIC in C, with Linux' software RoCE, row by row",
                          stdout);
        return 0;
    }
    if (!is_nic(&o) && !(chip = roce_chip_asked(chips, o.bytes, 1, error))) return roce_refuse("roce-verbs", error);
    if (!o.timeout) o.timeout = is_nic(&o) ? 16 : 8;
    const roce_verbs_rows_params rows_asked = rows_of(&o);
    unsigned rows = roce_verbs_rows_list(&rows_asked, o.list ? stdout : NULL), bad;
    if (o.list) return 0;
    if (!rows && o.only) {
        option_complain(error, "only", o.only, "a part of the name of a row, which --list prints");
        return roce_refuse("roce-verbs", error);
    }
    sim_params sp;
    sim_params_default(&sp);
    sp.seed = o.seed;
    sp.watchdog = 0; /* Linux runs in wall-clock time */
    run r = {.o = &o, .sim = sim_new(&sp)};
    if (!r.sim) return roce_refuse("roce-verbs", "no memory left");
    double wall;
    int code = make_all(&r, chip);
    if (!code) code = roce_simulate(r.sim, &wall);
    const char *row = r.rows ? roce_verbs_rows_row(r.rows) : NULL;
    if (!code) {
        roce_verbs_rows_count(r.rows, &rows, &bad);
        code = bad != 0;
    } else if (code == 1 && row) verdict(NULL, row, 0, sim_error(r.sim));
    roce_verbs_free(r.verbs);
    roce_linux_free(r.linux_);
    roce_verbs_rows_free(r.rows);
    if (r.system) roce_end_free(r.end);
    if (r.system ? roce_system_record_ends(r.system, NULL, error) : roce_end_line_free(&r.nic, error)) {
        fprintf(stderr, "roce-verbs: %s\n", error);
        code = 1;
    }
    roce_system_free(r.system);
    sim_free(r.sim);
    return code;
}
