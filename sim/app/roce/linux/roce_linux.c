#define _GNU_SOURCE
#include "sim/app/roce/linux/roce_linux.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/app/roce/board/roce_last_packet.h"

enum { STUCK = 10 };                            /* [s] on the wall */
enum { FRAME_CLOCKS = 64, CONSOLE_EVERY = 64 }; /* how often it is looked for frames, and for lines among these */
enum { OVERHEAD = 204 /* more than all headers */, LEAST6 = 1280 /* MTU of IPv6 (RFC 8200) */ };

struct roce_linux {
    sim *sim;
    sim_clock *clock;
    ethernet_wire *wire;
    roce_linux_params params;
    roce_guest *guest;
    roce_last_packet last[2]; /* of Linux, and for it */
    int ready, idle, done, complete, waiting;
    const char *program; /* that was started; NULL: none */
    int program_ready;
    unsigned pmtu;              /* asked for last */
    double started, last_event; /* start of the guest; last message from or to it */
    int (*work)(void *self);
    void *worker;
    int (*take)(void *self, const uint8_t *frame, size_t length);
    void *taker;
    uint8_t frame[1 << 16];
    roce_linux_result result;
};

roce_linux_params roce_linux_defaults(void)
{
    return (roce_linux_params){
        .guest = "build/guest", .console = "build/roce-console.log", .end = 1, .up = 120, .silent = 60};
}

/* ---- frames */

static void note(roce_last_packet *h, const uint8_t *frame, size_t length, sim_time time)
{
    roce_header header;
    if (roce_header_of(frame, length, &header)) *h = (roce_last_packet){time, header};
}

/* Linux may be busy with other things. */
int roce_linux_give(roce_linux *l, const uint8_t *frame, size_t length)
{
    static const struct timespec little = {.tv_nsec = 200000};
    char last[ROCE_LAST_PACKET];
    for (double from = sim_wall(); roce_guest_send(l->guest, frame, length); nanosleep(&little, NULL)) {
        if (roce_guest_ended(l->guest, NULL)) return -1;
        if (sim_wall() - from <= STUCK) continue;
        sim_fail(l->sim, "Linux has taken no frame for %d s: %s", STUCK,
                 roce_last_packet_words(&l->last[0], "Linux", last));
        return -1;
    }
    return 0;
}

static void to_guest(void *self, const uint8_t *frame, size_t length, int bad_fcs, sim_time time)
{
    roce_linux *l = self;
    note(&l->last[1], frame, length, time);
    if (!bad_fcs && l->guest) roce_linux_give(l, frame, length);
}

static void from_guest(roce_linux *l)
{
    for (size_t n; (n = roce_guest_receive(l->guest, l->frame, sizeof l->frame)) > 0;) {
        l->last_event = sim_wall();
        if (l->take && l->take(l->taker, l->frame, n)) continue;
        note(&l->last[0], l->frame, n, sim_now(l->sim));
        if (ethernet_wire_send(l->wire, l->params.end, l->frame, n, 0, sim_now(l->sim)))
            sim_fail(l->sim, "Linux has sent a frame of %zu bytes, expected at most %d", n, ETHERNET_LONGEST);
    }
}

void roce_linux_on_frame(roce_linux *l, int (*take)(void *self, const uint8_t *frame, size_t length), void *self)
{
    l->take = take;
    l->taker = self;
}

/* ---- lines */

static void take_line(roce_linux *l, const char *line)
{
    roce_linux_result *r = &l->result;
    unsigned status, mtu;
    roce_linux_counter *c = &r->counter[r->counters];
    l->last_event = sim_wall();
    if (!strcmp(line, "ready")) {
        l->ready = 1;
        r->boot = l->last_event - l->started;
    } else if (!strcmp(line, "idle")) {
        l->idle = 1;
    } else if (!strcmp(line, "done")) {
        l->done = 1;
        r->run = l->last_event - l->started - r->boot;
    } else if (l->program && !strcmp(line, l->program)) {
        l->program_ready = 1;
    } else if (sscanf(line, "exit %u", &status) == 1 && !(status && l->program)) {
        if (status) r->bad++;
        else r->good++;
    } else if (r->counters < ROCE_LINUX_COUNTERS && sscanf(line, "counter %31s %lu", c->name, &c->value) == 2)
        r->counters++;
    else if (sscanf(line, "%*s takes no MTU of %u", &mtu) == 1)
        sim_fail(l->sim, "pmtu %u: expected one that Linux can carry: it takes no MTU of %u", l->pmtu, mtu);
    else sim_fail(l->sim, "Linux says: %s", line);
}

static void look(roce_linux *l)
{
    int ended = roce_guest_ended(l->guest, NULL);
    for (const char *line; (line = roce_guest_says(l->guest));) take_line(l, line);
    const char *unsaved = roce_guest_unsaved(l->guest);
    double now = sim_wall();
    char last[ROCE_LAST_PACKET];
    if (unsaved) sim_fail(l->sim, "%s", unsaved);
    if (l->done) return;
    if (ended) sim_fail(l->sim, "QEMU has ended before Linux was done");
    else if (!l->ready && now - l->started > l->params.up) sim_fail(l->sim, "Linux is not up after %g s", l->params.up);
    else if (l->ready && l->waiting && now - l->last_event > l->params.silent)
        sim_fail(l->sim, "Linux is silent for %g s: %s", l->params.silent,
                 roce_last_packet_words(&l->last[0], "Linux", last));
}

/* Between the guest and the line. */
static void carry(void *self)
{
    roce_linux *l = self;
    for (uint64_t turn = 0; !l->done; turn++) {
        from_guest(l);
        if (!l->ready || turn % CONSOLE_EVERY == 0) look(l);
        if (!l->ready) roce_guest_wait(l->guest, 20);
        sim_wait_cycles(l->clock, l->ready ? FRAME_CLOCKS : 1);
    }
}

/* ---- commands */

void roce_linux_on_wait(roce_linux *l, int (*work)(void *self), void *self)
{
    l->work = work;
    l->worker = self;
}

int roce_linux_wait(roce_linux *l, const int *flag)
{
    l->waiting = 1;
    l->last_event = sim_wall();
    for (int did; !*flag;) {
        if ((did = l->work ? l->work(l->worker) : 0) < 0) return -1;
        if (!did) sim_wait_time(l->sim, 500 * SIM_NS);
    }
    l->waiting = 0;
    return 0;
}

int roce_linux_boot(roce_linux *l)
{
    char error[ROCE_GUEST_ERROR] = "no memory left";
    const char *const settings[] = {NULL};
    l->started = sim_wall();
    l->guest = roce_guest_start(l->params.guest, l->params.console, settings, error);
    if (l->guest && sim_task_new(l->sim, "guest", carry, l)) return roce_linux_wait(l, &l->ready);
    sim_fail(l->sim, "%s", error);
    return -1;
}

static int command(roce_linux *l, const char *line, const int *answered)
{
    l->idle = 0;
    if (!roce_guest_tell(l->guest, line)) return roce_linux_wait(l, answered);
    sim_fail(l->sim, "Linux takes no command: %.200s", line);
    return -1;
}

unsigned roce_linux_mtu_for(unsigned pmtu)
{
    unsigned mtu = pmtu + OVERHEAD;
    return pmtu >= 1024 && mtu < LEAST6 ? LEAST6 : mtu;
}

int roce_linux_mtu(roce_linux *l, unsigned pmtu)
{
    char line[32];
    l->pmtu = pmtu;
    snprintf(line, sizeof line, "mtu %u", roce_linux_mtu_for(pmtu));
    return command(l, line, &l->idle);
}

int roce_linux_run(roce_linux *l, const char *commands)
{
    char line[ROCE_LINUX_COMMANDS + 8];
    snprintf(line, sizeof line, "run %s", commands);
    return command(l, line, &l->idle);
}

int roce_linux_start(roce_linux *l, const char *program)
{
    char line[100];
    l->program = program;
    l->program_ready = 0;
    snprintf(line, sizeof line, "run %s", program);
    return command(l, line, &l->program_ready);
}

int roce_linux_join(roce_linux *l) { return roce_linux_wait(l, &l->idle); }

int roce_linux_read_counters(roce_linux *l)
{
    l->result.counters = 0;
    return command(l, "counters", &l->idle);
}

static void talk(void *self)
{
    roce_linux *l = self;
    l->params.talk(l->params.self, l);
    if (l->ready && !command(l, "end", &l->done)) l->complete = 1;
}

/* ---- life */

roce_linux *roce_linux_new(sim *s, sim_clock *clock, ethernet_wire *wire, const roce_linux_params *params)
{
    roce_linux *l = calloc(1, sizeof *l);
    if (!l || !sim_task_new(s, "software", talk, l)) {
        free(l);
        return NULL;
    }
    l->sim = s;
    l->clock = clock;
    l->wire = wire;
    l->params = *params;
    ethernet_wire_connect(wire, params->end, to_guest, l);
    return l;
}

void roce_linux_free(roce_linux *l)
{
    if (!l) return;
    roce_guest_free(l->guest);
    free(l);
}

int roce_linux_complete(const roce_linux *l) { return l->complete; }

const roce_linux_result *roce_linux_get_result(const roce_linux *l) { return &l->result; }

uint64_t roce_linux_counter_of(const roce_linux *l, const char *name)
{
    for (unsigned i = 0; i < l->result.counters; i++)
        if (!strcmp(l->result.counter[i].name, name)) return l->result.counter[i].value;
    return 0;
}

void roce_linux_print_progress(const roce_linux *l, FILE *out)
{
    if (l->ready) fprintf(out, "%u programs of Linux have ended", l->result.good + l->result.bad);
    else fprintf(out, "Linux boots, %.0f s", l->guest ? sim_wall() - l->started : 0.);
}

void roce_linux_print(const roce_linux *l, FILE *out)
{
    char last[ROCE_LAST_PACKET];
    fprintf(out, "%s\n", roce_last_packet_words(&l->last[0], "Linux", last));
    fprintf(out, "%s\n", roce_last_packet_words(&l->last[1], "the other end", last));
    if (l->guest) roce_guest_print_console(l->guest, out);
}
