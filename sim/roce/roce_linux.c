#define _GNU_SOURCE
#include "roce_linux.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { UP = 120, SILENT = 60, STUCK = 10 };     /* [s] on the wall */
enum { FRAME_CLOCKS = 64, CONSOLE_EVERY = 64 }; /* how often it is looked for frames, and for lines among these */
enum { RUN_ROOM = 1024, OVERHEAD = 204, LEAST6 = 1280 /* MTU of IPv6 (RFC 8200) */ };
enum { SAID = 8, ROCE_PORT = 4791 };

typedef struct packet {
    int seen;
    unsigned opcode, qp, psn;
    sim_time time;
} packet;

struct roce_linux {
    roce_system *system;
    roce_linux_params params;
    char run[RUN_ROOM], mtu[16]; /* settings of the guest */
    roce_guest *guest;
    rn_rping *server;
    rn_net *net;
    packet last[2]; /* by the end that sent it */
    int opened, ready, done, complete;
    double started, heard; /* when the guest was started, was heard */
    char said[SAID][128];  /* by the server */
    unsigned lines;
    uint8_t frame[1 << 16];
    roce_linux_result result;
};

roce_linux_params roce_linux_defaults(void)
{
    return (roce_linux_params){.guest = "build/guest",
                               .console = "build/roce-console.log",
                               .clients = 1,
                               .pings = 10,
                               .size = 9000,
                               .pmtu = 4096,
                               .ip = 4,
                               .timeout = 8};
}

/* ---- frames */

/* Notes what a RoCE v2 packet is. */
static void note(packet *p, const uint8_t *f, size_t length, sim_time time)
{
    int v6 = length > 14 && rn_get16(f + 12) == 0x86dd;
    size_t udp = 14 + (v6 ? 40 : 20), bth = udp + 8;
    if (length < bth + 12 || (!v6 && rn_get16(f + 12) != 0x0800) || f[v6 ? 20 : 23] != 17 || rn_get16(f + udp + 2) != ROCE_PORT) return;
    *p = (packet){1, f[bth], rn_get32(f + bth + 4) & 0xffffff, rn_get32(f + bth + 8) & 0xffffff, time};
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
    unsigned status;
    roce_linux_counter *c = &r->counter[r->counters];
    l->heard = sim_wall();
    if (!strcmp(line, "ready")) {
        l->ready = 1;
        r->boot = l->heard - l->started;
    } else if (!strcmp(line, "done")) {
        l->done = 1;
        r->run = l->heard - l->started - r->boot;
    } else if (sscanf(line, "exit %u", &status) == 1) {
        if (status) r->bad++;
        else r->good++;
    } else if (r->counters < ROCE_LINUX_COUNTERS && sscanf(line, "counter %31s %lu", c->name, &c->value) == 2) r->counters++;
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
    else if (!l->ready && now - l->started > UP) sim_fail(s, "Linux is not up after %d s", UP);
    else if (l->ready && now - l->heard > SILENT) {
        const packet *p = &l->last[1];
        if (p->seen)
            sim_fail(s, "Linux is silent for %d s: its last packet had opcode 0x%02x, was for QP %u with PSN 0x%06x, at %.1f us", SILENT,
                     p->opcode, p->qp, p->psn, (double)p->time / SIM_US);
        else sim_fail(s, "Linux is silent for %d s: it has sent no RoCE packet", SILENT);
    }
}

static int is_open(void *self)
{
    return ((roce_linux *)self)->opened;
}

static void start(roce_linux *l)
{
    char error[ROCE_GUEST_ERROR];
    const char *const settings[] = {l->mtu, l->run, NULL};
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

/* ---- software of the chip */

static void log_line(void *self, const char *line)
{
    roce_linux *l = self;
    snprintf(l->said[l->lines++ % SAID], sizeof l->said[0], "%s", line);
}

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

static int work(roce_linux *l)
{
    int result = rn_rping_poll(l->server);
    l->result.server = *rn_rping_get_stats(l->server);
    return result;
}

static void serve(void *self)
{
    roce_linux *l = self;
    roce_system *y = l->system;
    int result;
    if (roce_system_open(y)) return;
    rn_rping_params p = rn_rping_params_default();
    p.log = log_line;
    p.self = l;
    p.timeout = l->params.timeout;
    p.handshake = l->params.handshake;
    p.seed = (uint32_t)sim_seed(y->sim);
    if (rn_rping_new(y->device, &p, &l->server)) {
        sim_fail(y->sim, "no memory for the server of rping");
        return;
    }
    l->opened = 1;
    while (!l->done) {
        if ((result = work(l)) < 0) {
            sim_fail(y->sim, "the server of rping: %s", rn_last_error(y->device));
            return;
        }
        if (!result) sim_wait_time(y->sim, 500 * SIM_NS);
    }
    rn_rping_free(l->server);
    l->server = NULL;
    l->complete = 1;
}

/* ---- life */

static int refuse(char *error, const char *format, unsigned value)
{
    snprintf(error, ROCE_SYSTEM_ERROR, format, value);
    return -1;
}

static int check(const roce_linux_params *p, char *error)
{
    if (p->clients < 1 || p->clients > ROCE_LINUX_CLIENTS) return refuse(error, "qps %u: expected 1 to 16 with peer rxe", p->clients);
    if (p->size < ROCE_LINUX_SHORTEST || p->size > ROCE_LINUX_LONGEST)
        return refuse(error, "longest %u: expected 64 to 65535 with peer rxe, the size of a ping", p->size);
    if (p->pmtu < 256 || p->pmtu > 4096 || (p->pmtu & (p->pmtu - 1)))
        return refuse(error, "pmtu %u: expected 256, 512, 1024, 2048 or 4096", p->pmtu);
    if (p->ip == 6 && p->pmtu < 1024) return refuse(error, "pmtu %u: expected 1024 or more with IPv6, whose MTU is at least 1280", p->pmtu);
    return 0;
}

static void make_settings(roce_linux *l)
{
    const roce_linux_params *p = &l->params;
    unsigned mtu = p->pmtu + OVERHEAD;
    size_t n = 0;
    snprintf(l->mtu, sizeof l->mtu, "MTU=%u", p->pmtu >= 1024 && mtu < LEAST6 ? LEAST6 : mtu);
    for (unsigned i = 0; i < p->clients; i++)
        n += (size_t)snprintf(l->run + n, sizeof l->run - n, "%srping,-c,-a,%s,-V,-C,%u,-S,%u",
                              i ? ";" : "RUN=", p->ip == 6 ? "fd00::1" : "10.0.0.1", p->pings, p->size);
}

roce_linux *roce_linux_new(roce_system *y, const roce_linux_params *params, char error[ROCE_SYSTEM_ERROR])
{
    if (check(params, error)) return NULL;
    roce_linux *l = calloc(1, sizeof *l);
    rn_net_params n = {.self = l, .send = net_send, .now = net_now};
    memcpy(n.mac, y->driver.mac, sizeof n.mac);
    memcpy(n.ipv4, y->driver.ipv4, sizeof n.ipv4);
    memcpy(n.ipv6, y->driver.ipv6, sizeof n.ipv6);
    if (!l || !(l->net = rn_net_new(&n)) || !sim_task_new(y->sim, "server", serve, l) || !sim_task_new(y->sim, "guest", carry, l)) {
        snprintf(error, ROCE_SYSTEM_ERROR, "no memory left");
        roce_linux_free(l);
        return NULL;
    }
    l->system = y;
    l->params = *params;
    make_settings(l);
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
    if (!l->ready) fprintf(out, "Linux boots, %.0f s", l->guest ? sim_wall() - l->started : 0.);
    else fprintf(out, "%lu of %u pings", l->result.server.pings, l->params.clients * l->params.pings);
}

void roce_linux_print(const roce_linux *l, FILE *out)
{
    for (int end = 0; end < 2; end++) {
        const packet *p = &l->last[end];
        if (p->seen)
            fprintf(out, "last packet of %s: opcode 0x%02x for QP %u, PSN 0x%06x, at %.1f us\n", end ? "Linux" : "the chip", p->opcode,
                    p->qp, p->psn, (double)p->time / SIM_US);
    }
    for (unsigned i = l->lines > SAID ? l->lines - SAID : 0; i < l->lines; i++) fprintf(out, "server: %s\n", l->said[i % SAID]);
    if (l->guest) roce_guest_print_console(l->guest);
}
