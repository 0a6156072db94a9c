/* A disk in a simulated world: host 0 is the target and serves a file, the other hosts are initiators. Requests come
 * from outside of the simulation; every block of them crosses the hosts' buses, the NICs and the switch.
 *
 *     disk_service_params p = disk_service_params_default();
 *     p.nodes = 2; p.image = "disk.img";
 *     disk_service *s = disk_service_new(&p, &chips, error);         links are up, initiators have met the target
 *     ... disk_service_serve(s, fd, look, self);                      until disk_service_end, Ctrl-C or a failure
 *     disk_service_report(s, stdout);
 *     disk_service_free(s);
 *
 * and in look(), which is called when `fd` can be read, about every millisecond of wall time while simulated time runs
 * and at once while it is stopped:
 *
 *     while (a request is at the server && disk_service_room(s, host)) disk_service_submit(s, host, request);
 *
 * Time. Simulated time runs only while something is under way: a request without its completion, work left at the
 * target, or less than DISK_SERVICE_TAIL simulated since. Else all clocks stop together and the process sleeps in
 * poll(): nothing is skipped and no timeout can fire because a client is slow. A request enters at the next bus clock
 * of its host.
 *
 * Everything here belongs to one thread: that of disk_service_serve. done() is called from it, between two slices of
 * simulated time, never from within the simulation.
 */
#ifndef SIM_APP_DISK_DISK_SERVICE_H
#define SIM_APP_DISK_DISK_SERVICE_H

#include <stdint.h>
#include <stdio.h>

#include "nx_disk.h"
#include "sim/app/disk/disk_faults.h"
#include "sim/app/disk/disk_record.h"
#include "sim/system/nodes/fabric.h"

enum { DISK_SERVICE_ERROR = 400, DISK_SERVICE_TAIL_US = 20 };

typedef enum disk_cache { DISK_WRITEBACK, DISK_WRITETHROUGH } disk_cache;

typedef struct disk_service_params {
    fabric_params fabric; /* nodes, chip, seed, waves; host 0 is the target */
    const char *image;    /* regular file, not empty, a multiple of 512 bytes, at most 2^48 */
    int read_only;        /* out: the file could be opened for reading only */
    disk_cache cache;
    uint64_t cache_bytes;     /* of written blocks that are not in the file yet; default 16 MiB */
    sim_time disk_latency;    /* [ps] of each operation of the disk; default 0 */
    double disk_mib_per_s;    /* 0, the default: without limit */
    sim_time interrupt_cost;  /* [ps] that software of a host spends for each interrupt taken; default 0 */
    sim_time request_cost;    /* [ps] ... for each request, at its initiator and at the target; default 0 */
    nx_disk_params block;     /* places, poll, pointers, timeout; `mailbox` is filled in */
    unsigned window, threads; /* fabric_lookahead */
    disk_fault_plan faults;   /* none: no lines */
    const char *record;       /* NULL: not asked for; requests with their times go there */
} disk_service_params;
disk_service_params disk_service_params_default(unsigned nodes, const sim_config *chip);

typedef struct disk_service disk_service;

/* Opens the image, builds the fabric, starts all hosts and has the initiators meet the target. NULL: it cannot be; the
 * reason, one line, is in `error`. */
disk_service *disk_service_new(disk_service_params *params, char error[DISK_SERVICE_ERROR]);
void disk_service_free(disk_service *s);

/* The disk, the same for all initiators. */
const nx_disk_disk *disk_service_disk(const disk_service *s);
/* Hosts 1 .. initiators may submit. */
unsigned disk_service_initiators(const disk_service *s);
/* Requests that this host takes now without more waiting than for one of its places: back-pressure is up to the caller.
 */
unsigned disk_service_room(const disk_service *s, unsigned host);
/* An invalid request (a bad length, beyond the end) also completes with its status in the next slice. */
void disk_service_submit(disk_service *s, unsigned host, disk_request *r);
/* Requests without their completion, of all hosts. */
unsigned disk_service_under_way(const disk_service *s);

/* Runs the world while something is under way and sleeps in poll() while nothing is; look(self) is called whenever `fd`
 * can be read. fd -1: look() is called after each slice of 4 us simulated, and this returns when nothing is under way
 * after it. Returns 0 after disk_service_end, 130 after Ctrl-C, SIGTERM (requests end with ESHUTDOWN first), 1 if the
 * simulation failed (the reason is on stderr).
 */
int disk_service_serve(disk_service *s, int fd, void (*look)(void *self), void *self);
/* Runs what another run has recorded, without anybody outside: the same requests at the same simulated times, so with
 * the same parameters the same run, bit for bit. 0; 1 and 130 as disk_service_serve; -1: the record is of another
 * version, or not whole, or asks for hosts that are missing; the reason is in `error`. */
int disk_service_replay(disk_service *s, const char *path, char error[DISK_SERVICE_ERROR]);
/* From look() and done(): serve returns when nothing is under way. */
void disk_service_end(disk_service *s);

/* Everything that was written is in the file, and the record has its end. 0, or -1: one of both could not be written
 * (said on stderr). */
int disk_service_sync(disk_service *s);

/* Table of requests, rates, latencies and their parts, interrupts, recoveries, time; the same as JSON. */
void disk_service_report(const disk_service *s, FILE *out);
struct json_t *disk_service_json(const disk_service *s);

#endif
