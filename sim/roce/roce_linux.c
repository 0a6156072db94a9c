#define _GNU_SOURCE
#include "roce_linux.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "roce_header.h"

enum { STUCK = 10 };                            /* [s] on the wall */
enum { FRAME_CLOCKS = 64, CONSOLE_EVERY = 64 }; /* how often it is looked for frames, and for lines among these */
enum { OVERHEAD = 204 /* more than all headers */, LEAST6 = 1280 /* MTU of IPv6 (RFC 8200) */ };

typedef struct packet {
    int seen;
    roce_header header;
    sim_time time;
} packet;

struct roce_linux {
    roce_system *system;
    roce_linux_params params;
    roce_guest *guest;
    rn_net *net;
    packet last[2]; /* by the end that sent it */
    int opened, ready, idle, done, complete;
    unsigned pmtu;         /* asked for last */
    double started, heard; /* when the guest was started, was heard */
    int (*work)(void *self);
    void *worker;
    uint8_t frame[1 << 16];
    roce_linux_result result;
};

roce_linux_params roce_linux_defaults(void)
{
    return (roce_linux_params){.guest = "build/guest", .console = "build/roce-console.log", .up = 120, .silent = 60};
}

/* ---- frames */

/* Notes what a RoCE v2 packet is. */
static void note(packet *p, const uint8_t *frame, size_t length, sim_time time)
{
    roce_header h;
    if (roce_header_of(frame, length, &h)) *p = (packet){1, h, time};
}

/* Linux may be busy with other things: simulated time waits for it. */
static void to_guest(void *self, const uint8_t *frame, size_t length, int bad_fcs, sim_time time)
{
    static const struct timespec little = {.tv_nsec = 200000};
    roce_linux *l = self;
    note(&l->last[0], frame, length, time);
    if (bad_fcs || !l->guest) return;
    double from = sim_wall();
    while (roce_guest_send(l->guest, frame, length)) {
        if (roce_guest_ended(l->guest, NULL)) return;
        if (sim_wall() - from > STUCK) {
            sim_fail(l->system->sim, "Linux has taken no frame for %d s", STUCK);
            return;
        }
        nanosleep(&little, NULL);
    }
}

static void from_guest(roce_linux *l)
{
    roce_system *y = l->system;
    for (size_t n; (n = roce_guest_receive(l->guest, l->frame, sizeof l->frame)) > 0;) {
        l->heard = sim_wall();
        note(&l->last[1], l->frame, n, sim_now(y->sim));
        if (ethernet_wire_send(y->wire, 1, l->frame, n, 0, sim_now(y->sim)))
            sim_fail(y->sim, "Linux has sent a frame of %zu bytes, expected at most %d", n, ETHERNET_LONGEST);
    }
}

/* ---- lines */

static void take_line(roce_linux *l, const char *line)
{
    roce_linux_result *r = &l->result;
    unsigned status, mtu;
    roce_linux_counter *c = &r->counter[r->counters];
    l->heard = sim_wall();
    if (!strcmp(line, "ready")) {
        l->ready = 1;
        r->boot = l->heard - l->started;
    } else if (!strcmp(line, "idle")) {
        l->idle = 1;
    } else if (!strcmp(line, "done")) {
        l->done = 1;
        r->run = l->heard - l->started - r->boot;
    } else if (sscanf(line, "exit %u", &status) == 1) {
        if (status) r->bad++;
        else r->good++;
    } else if (r->counters < ROCE_LINUX_COUNTERS && sscanf(line, "counter %31s %lu", c->name, &c->value) == 2) r->counters++;
    else if (sscanf(line, "%*s takes no MTU of %u", &mtu) == 1)
        sim_fail(l->system->sim, "pmtu %u: expected one that Linux can carry: it takes no MTU of %u", l->pmtu, mtu);
    else sim_fail(l->system->sim, "Linux says: %s", line);
}

static void look(roce_linux *l)
{
    sim *s = l->system->sim;
    int ended = roce_guest_ended(l->guest, NULL);
    for (const char *line; (line = roce_guest_says(l->guest));) take_line(l, line);
    double now = sim_wall();
    if (l->done) return;
    if (ended) sim_fail(s, "QEMU has ended before Linux was done");
    else if (!l->ready && now - l->started > l->params.up) sim_fail(s, "Linux is not up after %g s", l->params.up);
    else if (l->ready && now - l->heard > l->params.silent) {
        const packet *p = &l->last[1];
        if (p->seen)
            sim_fail(s, "Linux is silent for %g s: its last packet was for QP %u with PSN 0x%06x, opcode 0x%02x, at %.1f us",
                     l->params.silent, p->header.qp, p->header.psn, p->header.opcode, (double)p->time / SIM_US);
        else sim_fail(s, "Linux is silent for %g s: it has sent no RoCE packet", l->params.silent);
    }
}

static int is_open(void *self)
{
    return ((roce_linux *)self)->opened;
}

static void start(roce_linux *l)
{
    char error[ROCE_GUEST_ERROR];
    const char *const settings[] = {NULL};
    l->started = l->heard = sim_wall();
    l->guest = roce_guest_start(l->params.guest, l->params.console, settings, error);
    if (!l->guest) sim_fail(l->system->sim, "%s", error);
}

/* Between the guest and the line. While it boots simulated time all but stands. */
static void carry(void *self)
{
    roce_linux *l = self;
    sim_clock *clock = l->system->board->clock;
    sim_wait_until(clock, is_open, l);
    start(l);
    for (uint64_t turn = 0; l->guest && !l->done; turn++) {
        from_guest(l);
        if (!l->ready || turn % CONSOLE_EVERY == 0) look(l);
        if (!l->ready) roce_guest_wait(l->guest, 20);
        sim_wait_cycles(clock, l->ready ? FRAME_CLOCKS : 1);
    }
}

/* ---- commands */

void roce_linux_on_wait(roce_linux *l, int (*work)(void *self), void *self)
{
    l->work = work;
    l->worker = self;
}

/* Until a flag is set: 0, or -1. */
static int wait_for(roce_linux *l, const int *flag)
{
    for (int did; !*flag;) {
        if ((did = l->work ? l->work(l->worker) : 0) < 0) return -1;
        if (!did) sim_wait_time(l->system->sim, 500 * SIM_NS);
    }
    return 0;
}

static int tell(roce_linux *l, const char *line, const int *answered)
{
    l->idle = 0;
    l->heard = sim_wall();
    if (!roce_guest_tell(l->guest, line)) return wait_for(l, answered);
    sim_fail(l->system->sim, "Linux takes no command: %.200s", line);
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
    return tell(l, line, &l->idle);
}

int roce_linux_run(roce_linux *l, const char *commands)
{
    char line[ROCE_LINUX_COMMANDS + 8];
    snprintf(line, sizeof line, "run %s", commands);
    return tell(l, line, &l->idle);
}

int roce_linux_read_counters(roce_linux *l)
{
    l->result.counters = 0;
    return tell(l, "counters", &l->idle);
}

static void talk(void *self)
{
    roce_linux *l = self;
    if (roce_system_open(l->system)) return;
    l->opened = 1;
    if (wait_for(l, &l->ready)) return;
    l->params.talk(l->params.self, l);
    if (!tell(l, "end", &l->done)) l->complete = 1;
}

/* ---- frames that are no RoCE, of the chip's side */

static int net_send(void *self, const uint8_t *frame, size_t size)
{
    return roce_board_send_other(((roce_linux *)self)->system->board, frame, size) ? NX_ERROR_NO_MEMORY : 0;
}

static uint64_t net_now(void *self)
{
    return sim_now(((roce_linux *)self)->system->sim) / SIM_NS;
}

static void other(void *self, const uint8_t *frame, size_t size)
{
    rn_net_receive(((roce_linux *)self)->net, frame, size);
}

/* ---- life */

roce_linux *roce_linux_new(roce_system *y, const roce_linux_params *params, char error[ROCE_SYSTEM_ERROR])
{
    roce_linux *l = calloc(1, sizeof *l);
    rn_net_params n = {.self = l, .send = net_send, .now = net_now};
    memcpy(n.mac, y->driver.mac, sizeof n.mac);
    memcpy(n.ipv4, y->driver.ipv4, sizeof n.ipv4);
    memcpy(n.ipv6, y->driver.ipv6, sizeof n.ipv6);
    if (!l || !(l->net = rn_net_new(&n)) || !sim_task_new(y->sim, "software", talk, l) || !sim_task_new(y->sim, "guest", carry, l)) {
        snprintf(error, ROCE_SYSTEM_ERROR, "no memory left");
        roce_linux_free(l);
        return NULL;
    }
    l->system = y;
    l->params = *params;
    roce_board_on_other(y->board, other, l);
    ethernet_wire_connect(y->wire, 1, to_guest, l);
    return l;
}

void roce_linux_free(roce_linux *l)
{
    if (!l) return;
    roce_guest_free(l->guest);
    rn_net_free(l->net);
    free(l);
}

int roce_linux_complete(const roce_linux *l)
{
    return l->complete;
}

const roce_linux_result *roce_linux_get_result(const roce_linux *l)
{
    return &l->result;
}

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
    for (int end = 0; end < 2; end++) {
        const packet *p = &l->last[end];
        if (p->seen)
            fprintf(out, "last packet of %s: opcode 0x%02x for QP %u, PSN 0x%06x, at %.1f us\n", end ? "Linux" : "the chip",
                    p->header.opcode, p->header.qp, p->header.psn, (double)p->time / SIM_US);
    }
    if (l->guest) roce_guest_print_console(l->guest, out);
}
