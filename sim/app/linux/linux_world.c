#define _GNU_SOURCE /* nftw */
#include "sim/app/linux/linux_world.h"

#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "nx_dump.h"
#include "sim/model/cable/frame.h"

#define SLICE (50 * SIM_US)                   /* most simulated time without a look at the outside */
static const double LOOK = 0.05, SHOW = 0.25; /* [s] of wall time from one to the next */

uint64_t linux_world_now(const linux_world *w) { return w->skipped + (sim_now(w->f->s) + SIM_NS - 1) / SIM_NS; }

static void __attribute__((format(printf, 2, 3))) fail(linux_world *w, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (!*w->failure) vsnprintf(w->failure, sizeof w->failure, format, list);
    va_end(list);
    w->over = 1;
    w->code = 1;
}

/* ---- what the pins show ---- */

/* The word behind the SOP is a header or credits, then a header may follow. A check record is no packet. */
static void see_word(void *self, int from, uint64_t index, sim_time time, uint64_t clock, const uint32_t *data,
                     const uint8_t *k)
{
    linux_cable *c = self;
    int *due = &c->due[from];
    (void)index, (void)clock;
    if (*k) *due = frame_is_sop(*data, *k);
    else if (*due == 1 && frame_is_credit(*data)) *due = 2;
    else if (*due) {
        *due = 0;
        if (frame_length(*data)) c->active = time;
    }
}

static sim_time later(sim_time a, sim_time b) { return a > b ? a : b; }

/* When the pins have shown something last, or a fault has struck. */
static sim_time active(const linux_world *w)
{
    sim_time last = w->faults.struck;
    for (unsigned i = 0; i < w->guests; i++)
        last = later(last, later(w->cable[i].active, guest_bus_active(w->guest[i].bus)));
    return last;
}

static unsigned open_accesses(const linux_world *w)
{
    unsigned open = 0;
    for (unsigned i = 0; i < w->guests; i++) open += guest_bus_open(w->guest[i].bus);
    return open;
}

static int is_quiet(const linux_world *w) { return !open_accesses(w) && sim_now(w->f->s) >= active(w) + LINUX_QUIET; }

/* ---- the outside ---- */

static void show(linux_world *w)
{
    const double now = sim_wall();
    if (!isatty(STDERR_FILENO) || w->o.console || now - w->shown < SHOW) return;
    w->shown = now;
    fprintf(stderr, "\r\033[Kguests' time %.3f ms, %.3f ms simulated, %.0f s", 1e-6 * (double)linux_world_now(w),
            1e-9 * (double)sim_now(w->f->s), now - w->began);
}

static void clear_line(const linux_world *w)
{
    if (isatty(STDERR_FILENO) && !w->o.console) fputs("\r\033[K", stderr);
}

/* One guest that has not said anything for too long. */
static void check_silence(linux_world *w, linux_guest *g)
{
    const double silent = sim_wall() - g->heard;
    if (!linux_guest_lives(g) || linux_guest_waits(g)) return;
    if (!g->time.started && silent > w->o.connect)
        fail(w, "%s has not connected within %g s, see its log", g->name, w->o.connect);
    else if (silent > w->o.silence)
        fail(w, "%s has let no time pass for %g s of wall time; the last that it asked for: %s", g->name, w->o.silence,
             g->front ? vhost_user_last(g->front) : "nothing");
}

static void take_signal(linux_world *w)
{
    struct signalfd_siginfo info;
    if (read(w->signals, &info, sizeof info) != sizeof info) return;
    w->over = 1;
    w->code = 130;
}

/* Keys for the console of host1. */
static void take_keys(linux_world *w)
{
    const ssize_t n = read(STDIN_FILENO, w->keys + w->key_count, sizeof w->keys - w->key_count);
    if (n > 0) w->key_count += (size_t)n;
    else w->keys_end = 1;
}

/* The guest sees only keys that come while it computes: when it asks for something, its kernel looks at its sockets and
 * forgets what is at those that it cannot serve at that moment. */
static void give_keys(linux_world *w)
{
    linux_guest *g = &w->guest[0];
    if (w->key_count && write(g->input, w->keys, w->key_count) < 0) w->keys_end = 1;
    w->key_count = 0;
    if (!w->keys_end) return;
    close(g->input);
    g->input = -1;
}

/* A guest that was alone says its time: that time has been skipped. */
static void catch_up(linux_world *w, const linux_guest *g)
{
    const uint64_t now = linux_world_now(w);
    if (g->time.updated <= now) return;
    w->skipped += g->time.updated - now;
    w->skips++;
}

/* Keys go to the guest as they are, Ctrl-C too. */
static void own_terminal(linux_world *w)
{
    struct termios raw;
    if (!w->o.console || tcgetattr(STDIN_FILENO, &w->terminal)) return;
    w->raw = 1;
    raw = w->terminal;
    raw.c_iflag &= ~(tcflag_t)(ICRNL | IXON);
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG | IEXTEN);
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

static void return_terminal(linux_world *w)
{
    if (w->raw) tcsetattr(STDIN_FILENO, TCSANOW, &w->terminal);
    w->raw = 0;
}

/* Keys wait for a guest that runs. */
static int has_keys(const linux_world *w)
{
    const linux_guest *g = &w->guest[0];
    return g->input >= 0 && (w->key_count || w->keys_end) && !linux_guest_waits(g);
}

/* Takes what has come from guests within this time [ms]; -1: until something comes. */
static void look(linux_world *w, int timeout)
{
    static const struct timespec computes = {.tv_nsec = 200000};
    struct pollfd fds[LINUX_HOSTS * LINUX_POLLS + 2];
    const unsigned count = w->guests * LINUX_POLLS;
    for (unsigned i = 0; i < w->guests; i++) linux_guest_polls(&w->guest[i], fds + i * LINUX_POLLS);
    fds[count] = (struct pollfd){.fd = w->signals, .events = POLLIN};
    fds[count + 1] = (struct pollfd){
        .fd = w->guest[0].input >= 0 && !w->keys_end && w->key_count < sizeof w->keys ? STDIN_FILENO : -1,
        .events = POLLIN};
    int ready = has_keys(w) ? ppoll(fds, count + 2, &computes, NULL) : 0;
    if (!ready && has_keys(w)) give_keys(w);
    if (!ready) ready = poll(fds, count + 2, timeout);
    if (ready > 0) {
        if (fds[count].revents) take_signal(w);
        if (fds[count + 1].revents) take_keys(w);
        for (unsigned i = 0; i < w->guests; i++) {
            linux_guest_polled(&w->guest[i], fds + i * LINUX_POLLS, linux_world_now(w));
            catch_up(w, &w->guest[i]);
        }
    }
    show(w);
}

/* ---- the end of guests ---- */

/* Host 1 has ended, and there is no result of its job. */
static void explain(linux_world *w, const linux_guest *g)
{
    const char *hint = strstr(g->last, "noexec") ? " (TMPDIR=folder: its memory goes there)" : "";
    if (g->up) fail(w, "%s has ended without a result of its job (exit code %d), see its log", g->name, g->exit);
    else fail(w, "%s does not start (exit code %d): %.300s%s", g->name, g->exit, g->last, hint);
    w->over = 0; /* the others are asked to stop */
}

/* Host 1 has ended, and with it the run. */
static void conclude(linux_world *w)
{
    linux_guest *main = &w->guest[0];
    if (main->status < 0) explain(w, main);
    w->code = main->status < 0 ? 1 : main->status;
    w->stop_at = linux_world_now(w) + LINUX_STOP;
    for (unsigned i = 0; i < w->guests; i++) {
        if (i && w->guest[i].pid) linux_guest_put(&w->guest[i], "stop", "");
        w->guest[i].stopping = 1;
    }
}

static void check_ends(linux_world *w)
{
    unsigned left = 0;
    for (unsigned i = 0; i < w->guests; i++) {
        left += linux_guest_lives(&w->guest[i]);
        check_silence(w, &w->guest[i]);
    }
    if (!w->stop_at && !linux_guest_lives(&w->guest[0]) && !linux_faults_restart(&w->faults, 0)) conclude(w);
    if (w->stop_at && (!left || linux_world_now(w) >= w->stop_at)) w->over = 1;
}

/* ---- time ---- */

static int all_wait(const linux_world *w)
{
    for (unsigned i = 0; i < w->guests; i++)
        if (linux_guest_lives(&w->guest[i]) && !linux_guest_waits(&w->guest[i])) return 0;
    return 1;
}

/* The first time that a guest has asked for, or of a fault. */
static uint64_t next_time(const linux_world *w)
{
    uint64_t next = linux_faults_next(&w->faults);
    for (unsigned i = 0; i < w->guests; i++)
        if (linux_guest_lives(&w->guest[i]) && w->guest[i].time.asked < next) next = w->guest[i].time.asked;
    return next;
}

static int is_due(const linux_world *w, const linux_guest *g)
{
    return linux_guest_lives(g) && g->time.asked <= linux_world_now(w);
}

/* Up to when a guest that is due may go on without asking: the others wait, and nothing is under way. One that has used
 * its device at this very time would not say so again. */
static uint64_t alone_until(const linux_world *w, const linux_guest *g)
{
    uint64_t until = linux_world_now(w) + LINUX_ALONE;
    if (!w->o.skip || w->o.console || !is_quiet(w) || g->time.updated == linux_world_now(w)) return 0;
    if (w->stop_at && w->stop_at < until) until = w->stop_at;
    if (linux_faults_next(&w->faults) < until) until = linux_faults_next(&w->faults);
    for (unsigned i = 0; i < w->guests; i++)
        if (&w->guest[i] != g && linux_guest_lives(&w->guest[i]) && w->guest[i].time.asked < until)
            until = w->guest[i].time.asked;
    return until;
}

/* One that has asked for a time up to now gets it, the first of them: the others run when it waits again. */
static void run_guest(linux_world *w)
{
    unsigned i = 0;
    linux_faults_strike(w);
    while (i < w->guests && !is_due(w, &w->guest[i])) i++;
    if (i == w->guests) return;
    linux_guest *g = &w->guest[i];
    g->heard = sim_wall();
    if (time_travel_run(&g->time, g->time.asked, alone_until(w, g))) linux_guest_drop(g, g->time.error);
}

/* With a console idle time passes as it does on the wall. */
static void pace(linux_world *w, uint64_t to)
{
    const double until = w->paced + 1e-9 * (double)to;
    if (!w->o.console) return;
    for (double left; !w->over && (left = until - sim_wall()) > 0;) look(w, (int)ceil(1e3 * left));
    w->paced = fmax(w->paced, sim_wall() - 1e-9 * (double)to);
}

static void skip_to(linux_world *w, uint64_t time)
{
    pace(w, time);
    if (w->over || !all_wait(w) || next_time(w) < time) return; /* something has come meanwhile */
    w->skipped += time - linux_world_now(w);
    w->skips++;
}

static void run_rtl(linux_world *w, sim_time until)
{
    const double began = sim_wall();
    const int result = sim_run(w->f->s, until);
    w->wall_running += sim_wall() - began;
    if (result != SIM_TIME_LIMIT && result != SIM_STOPPED)
        fail(w, "the simulation has failed: %s", *sim_error(w->f->s) ? sim_error(w->f->s) : sim_result_name(result));
    for (unsigned i = 0; i < w->guests; i++) linux_guest_interrupt(&w->guest[i]);
}

/* The end of the next slice of simulated time. */
static sim_time slice_end(const linux_world *w, uint64_t next)
{
    const sim_time now = sim_now(w->f->s), slice = now + SLICE;
    const uint64_t left = next - linux_world_now(w);
    const sim_time wanted = left < SLICE / SIM_NS ? (next - w->skipped) * SIM_NS : slice;
    const sim_time quiet = active(w) + LINUX_QUIET;
    return w->o.skip && !open_accesses(w) && quiet > now && quiet < wanted ? quiet : wanted;
}

/* All guests wait: to the next event of one of them, or of a bus. */
static void advance(linux_world *w)
{
    const uint64_t next = next_time(w), now = linux_world_now(w);
    if (next <= now) run_guest(w);
    else if (next == TIME_TRAVEL_NEVER && is_quiet(w)) fail(w, "all guests sleep for ever, and nothing is under way");
    else if (w->o.skip && is_quiet(w)) skip_to(w, w->stop_at && w->stop_at < next ? w->stop_at : next);
    else run_rtl(w, slice_end(w, next));
}

int linux_world_run(linux_world *w)
{
    while (!w->over) {
        const int wait = all_wait(w);
        if (wait) advance(w);
        if (!wait || sim_wall() - w->looked > LOOK) {
            look(w, wait ? 0 : 1000 * (int)ceil(SHOW));
            w->looked = sim_wall();
            check_ends(w);
        }
    }
    clear_line(w);
    return_terminal(w);
    w->simulated = sim_now(w->f->s);
    for (unsigned i = 0; i < w->guests; i++) w->guest[i].stopping = 1;
    for (unsigned i = 0; i < w->guests; i++) linux_guest_kill(&w->guest[i]);
    return w->code;
}

/* ---- life ---- */

/* The configuration space of a NIC as a scan by sw/driver leaves it, for `lspci -F`; then RST# again. */
static int dump_config(node *n, const linux_guest *g)
{
    char path[sizeof g->folder + 8];
    snprintf(path, sizeof path, "%s/config", g->folder);
    FILE *f = node_scan(n) ? NULL : fopen(path, "we");
    const int failed = !f || nx_config_dump(&n->platform, NODE_DEVICE, "nicxbar", f);
    nx_bus_free(n->bus);
    n->bus = NULL;
    pcix_bus_set_reset(host_bus(n->host), 0);
    return (f && fclose(f)) || failed;
}

static void start(void *arg)
{
    linux_world *w = arg;
    if (fabric_start_switch(w->f)) sim_fail(w->f->s, "%s", fabric_error(w->f));
    for (unsigned i = 0; i < w->guests; i++)
        if (dump_config(w->f->node[i], &w->guest[i]))
            sim_fail(w->f->s, "no configuration space: %s", w->f->node[i]->error);
    sim_stop(w->f->s);
}

static int build(linux_world *w, const sim_config *chip, char *error)
{
    fabric_params p;
    fabric_params_default(&p, w->o.nodes, chip);
    p.sim.seed = w->o.seed;
    p.sim.watchdog = 0;
    p.sim.waves = w->o.waves;
    p.sim.waves_scopes = w->o.wave_scopes;
    for (unsigned i = 0; i < w->o.nodes; i++) {
        host_params_named(w->o.bridge, &p.node[i].host);
        p.node[i].window = LINUX_WINDOW;
    }
    w->f = fabric_new(&p);
    if (!w->f) return snprintf(error, LINUX_ERROR, "the system cannot be built"), -1;
    return 0;
}

/* What is done before there are guests. */
static int prepare(linux_world *w, char *error)
{
    sim_task_new(w->f->s, "start", start, w);
    if (sim_run(w->f->s, SIM_MS) == SIM_STOPPED) return 0;
    snprintf(error, LINUX_ERROR, "the system does not start: %s", sim_error(w->f->s));
    return -1;
}

static int add_guest(linux_world *w, unsigned i, char *error)
{
    node *n = w->f->node[i];
    int end;
    guest_bus *b = guest_bus_new(w->f->s, n->group, n->host, NODE_DEVICE);
    if (!b) return snprintf(error, LINUX_ERROR, "no memory"), -1;
    cable_add_observer(fabric_wire(w->f, i, &end), see_word, &w->cable[i]);
    w->guests = i + 1;
    return linux_guest_init(&w->guest[i], i + 1, w->folder, w->f->s, b, error);
}

static int make_folder(linux_world *w, char *error)
{
    const char *in = getenv("TMPDIR");
    const int n = snprintf(w->folder, sizeof w->folder, "%s/nicxbar-linux-XXXXXX", in && *in ? in : "/tmp");
    if (n < (int)sizeof w->folder && mkdtemp(w->folder)) return 0;
    snprintf(error, LINUX_ERROR, "%.200s: %s; expected a folder, with a name of less than 60 characters, in TMPDIR",
             w->folder, n < (int)sizeof w->folder ? strerror(errno) : "too long");
    *w->folder = '\0';
    return -1;
}

static int watch_signals(linux_world *w)
{
    sigset_t ours;
    sigemptyset(&ours);
    sigaddset(&ours, SIGINT);
    sigaddset(&ours, SIGTERM);
    sigaddset(&ours, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &ours, NULL);
    w->signals = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
    return w->signals < 0;
}

linux_world *linux_world_new(const linux_options *o, const sim_config *chip, char error[LINUX_ERROR])
{
    linux_world *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    w->o = *o;
    w->faults = o->plan;
    w->signals = -1;
    w->began = w->paced = sim_wall();
    int failed = make_folder(w, error) || build(w, chip, error);
    for (unsigned i = 0; i < o->nodes && !failed; i++) failed = add_guest(w, i, error);
    failed = failed || prepare(w, error);
    if (!failed && watch_signals(w)) failed = snprintf(error, LINUX_ERROR, "signalfd: %s", strerror(errno));
    if (!failed) own_terminal(w);
    for (unsigned i = 0; i < w->guests && !failed; i++) failed = linux_guest_start(&w->guest[i], o, error);
    if (!failed) return w;
    linux_world_free(w);
    return NULL;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    remove(path);
    return 0;
}

void linux_world_free(linux_world *w)
{
    if (!w) return;
    return_terminal(w);
    for (unsigned i = 0; i < w->guests; i++) linux_guest_free(&w->guest[i]);
    for (unsigned i = 0; i < w->guests; i++) guest_bus_free(w->guest[i].bus);
    fabric_free(w->f);
    if (w->signals >= 0) close(w->signals);
    if (*w->folder) nftw(w->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    free(w);
}
