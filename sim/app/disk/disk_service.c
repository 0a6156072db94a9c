#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "nic_register_map.h"
#include "sim/app/disk/disk_load.h"
#include "sim/app/disk/disk_private.h"

enum {
    ROOM = 512 /* requests of a host that are taken from outside */,
    MAILBOXES = NX_DISK_MAILBOX_BYTES * NX_DISK_PEERS
};
static const double LOOK = 0.0008; /* [s] of wall time from look to look */

disk_service_params disk_service_params_default(unsigned nodes, const sim_config *chip)
{
    disk_service_params p = {
        .cache_bytes = 16 << 20, .block = nx_disk_params_default(), .window = FABRIC_WINDOW, .threads = 1};
    fabric_params_default(&p.fabric, nodes, chip);
    p.fabric.sim.watchdog = 0;
    return p;
}

/* ---- software of the hosts ---- */

static int awake(void *arg)
{
    const host_seat *seat = arg;
    return seat->kick || (!seat->host && disk_store_due(seat->service->store));
}

/* The NIC has written into the memory of an initiator: completions have come if it is the end of slots. */
static void landed(void *self, const pcix_transaction *t, sim_time when)
{
    host_seat *seat = self;
    const uint64_t ring = seat->disk ? nx_disk_ring(seat->disk) : 0, end = t->address + t->bytes;
    if (!ring || end <= ring || end > ring + seat->service->p.block.places * NX_DISK_SLOT ||
        (end - ring) % NX_DISK_SLOT)
        return;
    seat->landed[(end - ring) / NX_DISK_SLOT - 1] = when / SIM_NS;
}

/* Replaces the platform's own: counts interrupts, and waits for their cost. */
static int (*sleep_of_platform)(void *self, uint64_t timeout_ns);
static int sleep_for_interrupt(void *self, uint64_t timeout_ns)
{
    node *n = self;
    host_seat *seat = n->awake_arg;
    int result = sleep_of_platform(self, timeout_ns);
    seat->sleeps++;
    if (result) return result;
    seat->interrupts++;
    if (seat->service->p.interrupt_cost) sim_wait_time(n->s, seat->service->p.interrupt_cost);
    return result;
}

static int open_host(disk_service *s, host_seat *seat)
{
    node *n = seat->n;
    int error = seat->host ? nx_disk_open(n->dev, 0, &s->p.block, &seat->disk)
                           : nx_disk_target_open(n->dev, disk_store_callbacks(s->store), &s->p.block, &s->target);
    if (error)
        snprintf(s->error, sizeof s->error, "host %u: %s", seat->host,
                 seat->host ? nx_disk_last_error(seat->disk) : nx_disk_target_last_error(s->target));
    return error;
}

/* The target crashes: its bus gets RST#, its memory and state are lost, and after a time it restarts. */
static void crash(disk_service *s, host_seat *seat)
{
    static const uint8_t zeros[NX_DISK_MAILBOX_BYTES];
    node *n = seat->n;
    nx_disk_target *gone = s->target;
    nx_params driver = s->f->params.driver;
    driver.direct = !s->f->chip.model;
    s->target = NULL;
    disk_store_crash(s->store);
    host_reset(n->host);
    memset(seat->counted, 0, sizeof seat->counted);
    while (sim_now(n->s) < seat->crashed_until) sim_wait_time(n->s, seat->crashed_until - sim_now(n->s));
    seat->crashed = 0;
    nx_disk_target_close(gone);
    nx_close(n->dev);
    nx_bus_free(n->bus);
    n->dev = NULL;
    n->bus = NULL;
    n->next = NODE_MEMORY; /* its memory keeps its addresses: the same software restarts */
    for (unsigned i = 0; i < NX_DISK_PEERS; i++)
        n->platform.mem_write(n, s->p.block.mailbox + i * sizeof zeros, zeros, sizeof zeros);
    if (node_start(n, &driver)) sim_fail(n->s, "host 0 does not come back: %s", n->error);
    else if (n->platform.alloc(n, MAILBOXES, 4096) != s->p.block.mailbox)
        sim_fail(n->s, "host 0 does not come back: no mailboxes");
    else if (open_host(s, seat)) sim_fail(n->s, "%s", s->error);
}

static void dma(host_seat *seat, int on)
{
    uint32_t control = 0;
    nx_device *dev = seat->n->dev;
    if (!dev || nx_register_read(dev, NIC_CONTROL, &control)) return;
    control = on ? control | NIC_CONTROL_INITIATOR_ENABLE_MASK : control & ~NIC_CONTROL_INITIATOR_ENABLE_MASK;
    (void)nx_register_write(dev, NIC_CONTROL, control);
}

static int is_dead(const host_seat *seat) { return !seat->service->over && sim_now(seat->n->s) < seat->dead_until; }

static int alive_or_struck(void *arg)
{
    const host_seat *seat = arg;
    return seat->struck || !is_dead(seat);
}

/* Applies the faults in force; a crashed host does nothing else. */
static void obey(host_seat *seat)
{
    int dead;
    do {
        seat->struck = 0;
        if (seat->crashed) crash(seat->service, seat);
        dead = is_dead(seat);
        dma(seat, !dead && !seat->dma_off);
        if (dead) sim_wait_until(seat->n->pci_clock, alive_or_struck, seat);
    } while (dead || seat->struck);
}

static void software(void *arg)
{
    host_seat *seat = arg;
    disk_service *s = seat->service;
    while (!s->over) {
        seat->kick = 0;
        if (seat->struck) obey(seat);
        if (!seat->host) seat->moved += disk_store_carried(s->store);
        if (seat->moved >= DISK_WORDS_LOOK) (void)disk_words_look(seat);
        int error = seat->host ? nx_disk_serve(seat->disk) : nx_disk_target_serve(s->target);
        if (!error) continue;
        sim_fail(s->f->s, "host %u: %s: %s", seat->host, nx_strerror(error),
                 seat->host ? nx_disk_last_error(seat->disk) : nx_disk_target_last_error(s->target));
        return;
    }
    if (seat->struck) obey(seat); /* what lasted has ended */
}

/* All links come up; then each host has its software. */
static void start(void *arg)
{
    disk_service *s = arg;
    if (fabric_start(s->f)) {
        snprintf(s->error, sizeof s->error, "%s", fabric_error(s->f));
        return;
    }
    for (unsigned i = 0; i < s->nodes; i++) {
        node *n = s->f->node[i];
        const uint64_t mailbox = n->platform.alloc(n->platform.self, MAILBOXES, 4096);
        if (!i) s->p.block.mailbox = mailbox;
        if (mailbox != s->p.block.mailbox) {
            snprintf(s->error, sizeof s->error, "host %u: no mailboxes at the same address as in host 0", i);
            return;
        }
        if (open_host(s, &s->seat[i])) return;
    }
    for (unsigned i = 0; i < s->nodes; i++) {
        char name[32];
        snprintf(name, sizeof name, "host %u", i);
        s->seat[i].task = sim_task_new_in(s->f->node[i]->group, name, software, &s->seat[i]);
    }
    s->opened = 1;
    /* Hosts run in windows (fabric_lookahead) although there is a task of no group: it accesses nothing until then. */
    while (!s->over) sim_wait_time(s->f->s, 50 * SIM_US);
}

/* ---- requests ---- */

static void ended(nx_disk_request *r)
{
    op *o = r->owner;
    host_seat *seat = o->seat;
    if (seat->service->p.request_cost) sim_wait_time(seat->n->s, seat->service->p.request_cost);
    disk_count(seat, r);
    o->next = seat->done;
    seat->done = o;
}

/* Between two slices: reports ended requests, in their order of completion. */
int disk_deliver(disk_service *s)
{
    int found = 0;
    for (unsigned i = 1; i < s->nodes; i++) {
        host_seat *seat = &s->seat[i];
        op *list = NULL, *o = seat->done;
        seat->done = NULL;
        while (o) {
            op *next = o->next;
            o->next = list;
            list = o;
            o = next;
        }
        while ((o = list)) {
            disk_request *outer = o->outer;
            list = o->next;
            outer->status = o->r.status;
            outer->verifier = o->r.verifier;
            o->next = seat->free;
            seat->free = o;
            seat->under_way--;
            found = 1;
            outer->done(outer->self, outer);
        }
    }
    return found;
}

unsigned disk_service_room(const disk_service *s, unsigned host)
{
    return s->ending ? 0 : ROOM - s->seat[host].under_way;
}

void disk_service_submit(disk_service *s, unsigned host, disk_request *r)
{
    host_seat *seat = &s->seat[host];
    op *o = seat->free;
    disk_record(s, host, r);
    if (o) seat->free = o->next;
    else if (!(o = calloc(1, sizeof *o))) {
        perror("block");
        exit(1);
    }
    *o = (op){.r = {.operation = r->operation,
                    .flags = r->flags,
                    .offset = r->offset,
                    .length = r->length,
                    .data = r->data,
                    .verifier = r->verifier,
                    .done = ended},
              .outer = r,
              .seat = seat};
    o->r.owner = o;
    seat->under_way++;
    s->active = sim_now(s->f->s);
    if (nx_disk_submit(seat->disk, &o->r) != NX_OK) { /* stopped */
        o->r.status = NX_DISK_ESHUTDOWN;
        o->next = seat->done;
        seat->done = o;
    }
    seat->kick = 1;
}

unsigned disk_service_under_way(const disk_service *s)
{
    unsigned all = 0;
    for (unsigned i = 1; i < s->nodes; i++) all += s->seat[i].under_way;
    return all;
}

/* ---- time ---- */

int disk_active(const disk_service *s)
{
    if (disk_service_under_way(s) || !s->target || nx_disk_target_busy(s->target)) return 1;
    for (unsigned i = 1; i < s->nodes; i++)
        if (s->seat[i].load || nx_disk_busy(s->seat[i].disk)) return 1;
    return 0;
}

int disk_slice(disk_service *s, sim_time until)
{
    const double began = sim_wall();
    int result = SIM_TIME_LIMIT;
    for (sim_time next; result == SIM_TIME_LIMIT && (next = disk_fault_next(s)) <= until;) {
        if (next > sim_now(s->f->s)) result = sim_run(s->f->s, next);
        if (result == SIM_TIME_LIMIT) disk_fault_strike(s);
    }
    if (result == SIM_TIME_LIMIT) result = sim_run(s->f->s, until);
    s->running += sim_wall() - began;
    return result == SIM_TIME_LIMIT ? 0 : result;
}

/* Slices are as long as they may take of wall time, if anybody waits for the end of one. */
static int run_a_while(disk_service *s, int fd)
{
    const double began = sim_wall();
    const int result = disk_slice(s, sim_now(s->f->s) + s->slice);
    const double took = sim_wall() - began;
    if (fd < 0) return result;
    if (took > 1.5 * LOOK && s->slice > SIM_US) s->slice -= s->slice / 4;
    if (took < 0.7 * LOOK && s->slice < 100 * SIM_US) s->slice += s->slice / 4;
    return result;
}

void disk_stop(disk_service *s)
{
    disk_record_mark(s, sim_now(s->f->s), RECORD_STOP);
    s->ending = 1;
    s->active = sim_now(s->f->s);
    for (unsigned i = 1; i < s->nodes; i++) {
        nx_disk_stop(s->seat[i].disk);
        s->seat[i].kick = 1;
    }
}

int disk_interrupted(disk_service *s)
{
    sigset_t back;
    struct signalfd_siginfo info;
    if (s->interrupted) return 1;
    if (read(s->signals, &info, sizeof info) < 0) return 0;
    s->interrupted = 1;
    disk_stop(s);
    sigemptyset(&back); /* a second one kills */
    sigaddset(&back, SIGINT);
    sigaddset(&back, SIGTERM);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &back, NULL);
    return 1;
}

void disk_service_end(disk_service *s) { s->ending = 1; }

static int serve(disk_service *s, int fd, void (*look)(void *self), void *self)
{
    for (;;) {
        struct pollfd wait[2] = {{.fd = s->signals, .events = POLLIN}, {.fd = fd, .events = POLLIN}};
        const int active = disk_active(s);
        if (active) s->active = sim_now(s->f->s);
        const int runs = active || sim_now(s->f->s) - s->active < DISK_SERVICE_TAIL_US * SIM_US;
        if (!runs && (s->ending || fd < 0)) {
            if (!s->ending) look(self);
            if (s->ending || !disk_active(s)) return s->interrupted ? 130 : 0;
            continue;
        }
        const double began = sim_wall();
        const int ready = poll(wait, 2, runs ? 0 : -1);
        if (!runs) s->standing += sim_wall() - began;
        if (ready < 0 && errno != EINTR) return perror("block: poll"), 1;
        if (ready > 0 && wait[0].revents) disk_interrupted(s);
        if ((fd < 0 || (ready > 0 && wait[1].revents)) && !s->ending) look(self);
        if (runs && run_a_while(s, fd)) return 1;
        disk_deliver(s);
    }
}

int disk_service_serve(disk_service *s, int fd, void (*look)(void *self), void *self)
{
    const int result = serve(s, fd, look, self);
    s->ended = sim_now(s->f->s);
    return result;
}

int disk_service_sync(disk_service *s)
{
    const int stored = disk_store_sync(s->store), recorded = disk_record_end(s);
    return stored || recorded ? -1 : 0;
}

/* ---- life ---- */

/* Slow software is no silence: an interrupt at each end, and the requests of all places. */
static uint64_t timeout_of(const disk_service_params *p)
{
    const sim_time slow = 2 * p->interrupt_cost + p->block.places * (p->fabric.nodes - 1) * p->request_cost;
    return p->block.timeout_ns + slow / SIM_NS;
}

static int meet(disk_service *s)
{
    const sim_time limit = 100 * SIM_MS + NX_DISK_TRIES * s->p.block.timeout_ns * SIM_NS;
    const disk_fault_plan faults = s->p.faults;
    unsigned met = 0;
    s->p.faults.count = 0;
    sim_task_new(s->f->s, "start", start, s);
    while (met < s->nodes - 1) {
        const int result = disk_slice(s, sim_now(s->f->s) + 20 * SIM_US);
        if (!*s->error && result)
            snprintf(s->error, sizeof s->error, "%s: %s", sim_result_name(result),
                     *sim_error(s->f->s) ? sim_error(s->f->s) : "no task runs");
        if (!*s->error && sim_now(s->f->s) > limit)
            snprintf(s->error, sizeof s->error, "initiators and target have not met within %g ms",
                     1e-9 * (double)limit);
        if (*s->error) return -1;
        met = 0;
        for (unsigned i = 1; i < s->nodes && s->opened; i++) met += nx_disk_get_disk(s->seat[i].disk) != NULL;
    }
    s->began = s->active = sim_now(s->f->s);
    s->p.faults = faults; /* their times begin now */
    s->disk = *nx_disk_get_disk(s->seat[1].disk);
    return 0;
}

disk_service *disk_service_new(disk_service_params *params, char error[DISK_SERVICE_ERROR])
{
    disk_service *s = calloc(1, sizeof *s);
    sigset_t ours;
    *error = '\0';
    if (!s) return NULL;
    s->p = *params;
    s->p.block.timeout_ns = timeout_of(params);
    s->nodes = params->fabric.nodes;
    s->slice = 4 * SIM_US;
    s->signals = -1;
    sigemptyset(&ours);
    sigaddset(&ours, SIGINT);
    sigaddset(&ours, SIGTERM);
    if (params->record && !(s->record = fopen(params->record, "w")))
        snprintf(error, DISK_SERVICE_ERROR, "record %s: %s", params->record, strerror(errno));
    if (s->record) fputs(RECORD_BEGIN, s->record);
    if (!*error && !(s->f = fabric_new(&params->fabric)))
        snprintf(error, DISK_SERVICE_ERROR, "the system cannot be built");
    if (!*error) s->store = disk_store_new(&s->p, s->f->node[0], &params->read_only, error);
    if (*error) goto failed;
    for (unsigned i = 0; i < s->nodes; i++) {
        node *n = s->f->node[i];
        s->seat[i] = (host_seat){.service = s, .host = i, .n = n};
        n->awake = awake;
        n->awake_arg = &s->seat[i];
        sleep_of_platform = n->platform.wait_interrupt;
        n->platform.wait_interrupt = sleep_for_interrupt;
        if (i) host_on_written(n->host, landed, &s->seat[i]);
    }
    pthread_sigmask(SIG_BLOCK, &ours, NULL);
    s->signals = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
    fabric_lookahead(s->f, s->p.faults.count ? 0 : s->p.window, s->p.threads);
    if (!meet(s)) return s;
    snprintf(error, DISK_SERVICE_ERROR, "%s", s->error);
failed:
    disk_service_free(s);
    return NULL;
}

static void stop(void *arg)
{
    disk_service *s = arg;
    for (unsigned i = 0; i < s->nodes; i++)
        if (s->seat[i].task) sim_join(s->seat[i].task);
    for (unsigned i = s->nodes; i-- > 1;) {
        nx_disk *disk = s->seat[i].disk;
        s->seat[i].disk = NULL; /* `landed` is still called */
        nx_disk_close(disk);
    }
    nx_disk_target_close(s->target);
    fabric_stop(s->f);
}

void disk_service_free(disk_service *s)
{
    if (!s) return;
    s->over = 1;
    if (s->opened && !*sim_error(s->f->s)) {
        disk_fault_end_all(s);
        for (unsigned i = 0; i < s->nodes; i++) s->seat[i].kick = 1;
        sim_task_new(s->f->s, "stop", stop, s);
        sim_run(s->f->s, sim_now(s->f->s) + 200 * SIM_MS);
    }
    for (unsigned i = 0; i < FABRIC_NODES; i++) {
        for (op *o = s->seat[i].free; o;) {
            op *next = o->next;
            free(o);
            o = next;
        }
        for (unsigned k = 0; k < OPERATIONS; k++) free(s->seat[i].figures[k].latencies);
    }
    if (s->signals >= 0) {
        sigset_t ours;
        close(s->signals);
        sigemptyset(&ours);
        sigaddset(&ours, SIGINT);
        sigaddset(&ours, SIGTERM);
        pthread_sigmask(SIG_UNBLOCK, &ours, NULL);
    }
    (void)disk_record_end(s);
    for (unsigned i = 0; i < FABRIC_NODES; i++) frame_tap_free(s->tap[i]);
    disk_store_free(s->store);
    fabric_free(s->f);
    free(s);
}

const nx_disk_disk *disk_service_disk(const disk_service *s) { return &s->disk; }

unsigned disk_service_initiators(const disk_service *s) { return s->nodes - 1; }
