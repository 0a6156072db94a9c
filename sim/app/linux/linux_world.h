/* The simulated world and its guests: a fabric whose hosts' CPUs are Linux, and the calendar that all of them share.
 *
 *     linux_world *w = linux_world_new(&options, chip, error);
 *     int code = linux_world_run(w);
 *     linux_report(w, stdout); json = linux_json(w);
 *     linux_world_free(w);                              no process is left
 *
 * Before guests start, sw/driver scans each bus once, and the file `config` in a guest's folder is what `lspci -F`
 * reads.
 *
 * Time. A guest runs while simulated time stands, until it waits for a time of its choice. When all guests wait, the
 * RTL runs to the first of these times, or until INTA# falls; the guest concerned gets a message then and asks for its
 * moment. A guest's clock is simulated time plus what has been skipped. Guests that wait for the same time run one
 * after the other: they may also meet in files of this machine, which both see.
 *
 * Skipping. When the pins have shown nothing for LINUX_QUIET (no transaction on a bus, no packet on a cable, no
 * interrupt) and no read is open, time jumps to the next guest's time with all RTL clocks standing. LINUX_QUIET is
 * longer than the repair of lost credits and packets takes. In this state a guest whose
 * time comes alone goes on without asking, up to the next event of another one (time_travel.h). With a console idle
 * time passes as it does on the wall.
 *
 * End. When the process of host1 has ended, the others find a file `stop` in their folders, and are ended after
 * LINUX_STOP of their time. The run ends also when all guests sleep for ever and nothing is under way, when one lets no
 * time pass for 30 s of wall time, does not connect within 10 s, and by Ctrl-C.
 */
#ifndef SIM_APP_LINUX_LINUX_WORLD_H
#define SIM_APP_LINUX_LINUX_WORLD_H

#include "sim/app/linux/linux_faults.h"
#include <termios.h>

#include "sim/app/linux/linux_guest.h"
#include "sim/system/nodes/fabric.h"

#define LINUX_WINDOW 0xf0000000u /* where Linux places BARs: up to 4 GiB */
#define LINUX_QUIET (300 * SIM_US)
#define LINUX_ALONE ((uint64_t)10000000) /* [ns] longest time without a guest's question */
#define LINUX_STOP ((uint64_t)50000000)  /* [ns] */

typedef struct linux_cable {
    sim_time active; /* last packet */
    int due[2];      /* by end: which word of a frame comes */
} linux_cable;

typedef struct linux_world {
    linux_options o;
    linux_faults faults;
    fabric *f;
    linux_guest guest[LINUX_HOSTS];
    unsigned guests;
    linux_cable cable[LINUX_HOSTS];
    char folder[80]; /* of sockets and files of this run */
    int signals, over, code;
    struct termios terminal; /* as it was before a console */
    int raw, keys_end;
    char keys[256]; /* for the console, not given yet */
    size_t key_count;
    uint64_t skipped; /* [ns] */
    uint64_t skips;   /* times */
    uint64_t stop_at; /* [ns] guests' time at which those that are left are ended; 0: none is to end */
    double began, wall_running, looked,
        shown;                 /* [s] of wall time: begin; in the RTL; last look at the outside, last progress */
    double paced;              /* [s] of wall time for time 0 of a console */
    sim_time simulated;        /* at the end */
    char failure[LINUX_ERROR]; /* why the run is bad; "": it is not */
} linux_world;

linux_world *linux_world_new(const linux_options *o, const sim_config *chip, char error[LINUX_ERROR]);
/* The exit code: that of the job of host1; 130 after Ctrl-C; 1 something failed. */
int linux_world_run(linux_world *w);
void linux_world_free(linux_world *w);
/* The guests' clock [ns]. */
uint64_t linux_world_now(const linux_world *w);

/* What a run has been, as a table and as JSON. */
void linux_report(const linux_world *w, FILE *out);
struct json_t *linux_json(const linux_world *w);

#endif
