#define _GNU_SOURCE
#include "roce_verbs.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rn_net.h"

enum { UP = 120, SILENT = 60, STUCK = 10 };     /* [s] on the wall */
enum { FRAME_CLOCKS = 64, CONSOLE_EVERY = 64 }; /* how often it is looked for frames, and for lines among these */
enum { PORT = 4800, ROCE_PORT = 4791, HEADERS = 14 + 20 + 8 };

struct roce_verbs {
    sim *sim;
    sim_clock *clock;
    ethernet_wire *wire;
    roce_verbs_params params;
    roce_guest *guest;
    rn_net *net;
    int up /* commands of scripts/guest/init given */, ready, done, answered;
    double started, asked;
    char command[ROCE_VERBS_COMMAND], answer[8192];
    uint8_t frame[1 << 16];
};

static const uint8_t own_mac[6] = {2, 0, 0, 0, 0, 1}, guest_mac[6] = {0x52, 0x54, 0, 0, 0, 2};

roce_verbs_params roce_verbs_defaults(void)
{
    return (roce_verbs_params){.guest = "build/guest", .console = "build/roce-console.log", .end = 1};
}

rn_address roce_verbs_address(int ipv6)
{
    rn_address a = {.ipv6 = (uint8_t)(ipv6 != 0), .ip = {10, 0, 0, 2}};
    memcpy(a.mac, guest_mac, sizeof a.mac);
    if (ipv6) memcpy(a.ip, (const uint8_t[16]){0xfd, [15] = 2}, sizeof a.ip);
    return a;
}

/* ---- frames */

/* Linux may be busy with other things: simulated time waits for it. */
static int give(roce_verbs *v, const uint8_t *frame, size_t length)
{
    static const struct timespec little = {.tv_nsec = 200000};
    for (double from = sim_wall(); roce_guest_send(v->guest, frame, length); nanosleep(&little, NULL)) {
        if (roce_guest_ended(v->guest, NULL)) return -1;
        if (sim_wall() - from <= STUCK) continue;
        sim_fail(v->sim, "Linux has taken no frame for %d s", STUCK);
        return -1;
    }
    return 0;
}

static void to_guest(void *self, const uint8_t *frame, size_t length, int bad_fcs, sim_time time)
{
    roce_verbs *v = self;
    (void)time;
    if (!bad_fcs && v->guest) give(v, frame, length);
}

static int net_send(void *self, const uint8_t *frame, size_t size)
{
    return give(self, frame, size) ? NX_ERROR_DEVICE : 0;
}

static uint64_t net_now(void *self)
{
    return sim_now(((roce_verbs *)self)->sim) / SIM_NS;
}

/* The UDP datagram in a frame: its place, its length and ports; NULL: none. */
static const uint8_t *datagram(const uint8_t *f, size_t length, size_t *size, unsigned *from, unsigned *to)
{
    int v6 = length > 14 && rn_get16(f + 12) == 0x86dd;
    size_t udp = 14 + (v6 ? 40 : 20);
    if (length < udp + 8 || (!v6 && rn_get16(f + 12) != 0x0800) || f[v6 ? 20 : 23] != 17) return NULL;
    *from = rn_get16(f + udp);
    *to = rn_get16(f + udp + 2);
    *size = rn_get16(f + udp + 4);
    if (*size < 8 || *size > length - udp) return NULL;
    *size -= 8;
    return f + udp + 8;
}

static void from_guest(roce_verbs *v)
{
    for (size_t n, size; (n = roce_guest_receive(v->guest, v->frame, sizeof v->frame)) > 0;) {
        unsigned from, to;
        const uint8_t *text = datagram(v->frame, n, &size, &from, &to);
        if (text && to == ROCE_PORT) {
            if (ethernet_wire_send(v->wire, v->params.end, v->frame, n, 0, sim_now(v->sim)))
                sim_fail(v->sim, "Linux has sent a frame of %zu bytes, expected at most %d", n, ETHERNET_LONGEST);
        } else if (text && from == PORT && size < sizeof v->answer) {
            memcpy(v->answer, text, size);
            v->answer[size] = 0;
            v->answered = 1;
        } else rn_net_receive(v->net, v->frame, n);
    }
}

/* ---- lines */

static void tell(roce_verbs *v, const char *command)
{
    if (roce_guest_tell(v->guest, command)) sim_fail(v->sim, "Linux does not take \"%s\"", command);
}

/* An MTU for all path MTUs, then the program; Linux ends when the program has ended. */
static void take_line(roce_verbs *v, const char *line)
{
    static const char *const first[] = {"mtu 4300", "run verbs", "end"};
    if (!strcmp(line, "verbs")) v->ready = 1;
    else if (!strcmp(line, "done")) v->done = 1;
    else if (!strcmp(line, "ready") || !strcmp(line, "idle")) {
        if (v->up < 3) tell(v, first[v->up++]);
    } else if (strncmp(line, "exit 0 ", 7)) sim_fail(v->sim, "Linux says: %s", line);
}

static void look(roce_verbs *v)
{
    int ended = roce_guest_ended(v->guest, NULL);
    for (const char *line; (line = roce_guest_says(v->guest));) take_line(v, line);
    if (v->done) return;
    if (ended) sim_fail(v->sim, "QEMU has ended before Linux was done");
    else if (!v->ready && sim_wall() - v->started > UP) sim_fail(v->sim, "Linux is not up after %d s", UP);
    else if (v->ready && !v->answered && sim_wall() - v->asked > SILENT)
        sim_fail(v->sim, "Linux has not answered \"%s\" within %d s", v->command, SILENT);
}

/* Between the guest and the line. While it boots simulated time all but stands. */
static void carry(void *self)
{
    roce_verbs *v = self;
    char error[ROCE_GUEST_ERROR];
    static const char *const settings[] = {NULL};
    v->started = sim_wall();
    v->guest = roce_guest_start(v->params.guest, v->params.console, settings, error);
    if (!v->guest) sim_fail(v->sim, "%s", error);
    for (uint64_t turn = 0; v->guest && !v->done; turn++) {
        from_guest(v);
        if (!v->ready || turn % CONSOLE_EVERY == 0) look(v);
        if (!v->ready) roce_guest_wait(v->guest, 20);
        sim_wait_cycles(v->clock, v->ready ? FRAME_CLOCKS : 1);
    }
}

/* ---- commands */

static int is_ready(void *self)
{
    const roce_verbs *v = self;
    return v->ready || *sim_error(v->sim);
}

static int is_answered(void *self)
{
    const roce_verbs *v = self;
    return v->answered || *sim_error(v->sim);
}

static int is_done(void *self)
{
    const roce_verbs *v = self;
    return v->done || *sim_error(v->sim);
}

int roce_verbs_ready(roce_verbs *v)
{
    sim_wait_until(v->clock, is_ready, v);
    return *sim_error(v->sim) ? -1 : 0;
}

static int call(roce_verbs *v)
{
    uint8_t frame[HEADERS + ROCE_VERBS_COMMAND] = {0};
    size_t n = strlen(v->command);
    memcpy(frame, guest_mac, 6);
    memcpy(frame + 6, own_mac, 6);
    rn_put16(frame + 12, 0x0800);
    uint8_t *ip = frame + 14, *udp = ip + 20;
    ip[0] = 0x45;
    rn_put16(ip + 2, (uint32_t)(28 + n));
    ip[8] = 64;
    ip[9] = 17;
    rn_put32(ip + 12, 0x0a000001);
    rn_put32(ip + 16, 0x0a000002);
    rn_put16(ip + 10, rn_sum_end(rn_sum(0, ip, 20)));
    rn_put16(udp, PORT);
    rn_put16(udp + 2, PORT);
    rn_put16(udp + 4, (uint32_t)(8 + n));
    memcpy(udp + 8, v->command, n);
    v->answered = 0;
    v->asked = sim_wall();
    if (give(v, frame, HEADERS + n)) return -1;
    sim_wait_until(v->clock, is_answered, v);
    return *sim_error(v->sim) ? -1 : 0;
}

int roce_verbs_call(roce_verbs *v, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(v->command, sizeof v->command, format, args);
    va_end(args);
    return call(v) || !strncmp(v->answer, "failed", 6) ? -1 : 0;
}

const char *roce_verbs_answer(const roce_verbs *v)
{
    return v->answer;
}

int roce_verbs_end(roce_verbs *v)
{
    if (roce_verbs_call(v, "bye")) return -1;
    sim_wait_until(v->clock, is_done, v);
    return *sim_error(v->sim) ? -1 : 0;
}

/* ---- life */

roce_verbs *roce_verbs_new(sim *s, sim_clock *clock, ethernet_wire *wire, const roce_verbs_params *params, char error[ROCE_VERBS_ERROR])
{
    roce_verbs *v = calloc(1, sizeof *v);
    rn_net_params n = {.self = v, .send = net_send, .now = net_now, .ipv4 = {10, 0, 0, 1}, .ipv6 = {0xfd, [15] = 1}};
    memcpy(n.mac, own_mac, sizeof n.mac);
    if (!v || !(v->net = rn_net_new(&n)) || !sim_task_new(s, "guest", carry, v)) {
        snprintf(error, ROCE_VERBS_ERROR, "no memory left");
        roce_verbs_free(v);
        return NULL;
    }
    v->sim = s;
    v->clock = clock;
    v->wire = wire;
    v->params = *params;
    v->answered = 1;
    ethernet_wire_connect(wire, params->end, to_guest, v);
    return v;
}

void roce_verbs_free(roce_verbs *v)
{
    if (!v) return;
    roce_guest_free(v->guest);
    rn_net_free(v->net);
    free(v);
}

void roce_verbs_print_progress(const roce_verbs *v, FILE *out)
{
    if (!v->ready) fprintf(out, "Linux boots, %.0f s", v->guest ? sim_wall() - v->started : 0.);
    else fputs(v->command, out);
}

void roce_verbs_print(const roce_verbs *v, FILE *out)
{
    fprintf(out, "last command: %s\nlast answer: %s\n", v->command, v->answered ? v->answer : "none yet");
    if (v->guest) roce_guest_print_console(v->guest, out);
}
