/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Disks over RDMA: remote block I/O between an initiator and a target (S4 2.5). One initiator has one target, a target
 * has many initiators.
 *
 *   on the target                                       on an initiator
 *   nx_disk_target_open(dev, &params, &target);        nx_disk_open(dev, 0, &params, &disk);
 *   while (!nx_disk_target_serve(target)) ;            while (!nx_disk_serve(disk)) ;
 *                                                       ... from anywhere: nx_disk_submit(disk, &request); its done()
 * is called
 *
 * The initiator knows no disk, the target no initiator: each has callbacks. Formats, the argument why no slot is
 * overwritten, and how losses are made good stand in sw/disk/README.md.
 *
 * Contexts: each end has one context of its own, a thread or a coroutine, that does all its work by calling serve()
 * again and again; all callbacks come from there. submit(), stop() and io_done() may be called from any context, and
 * from callbacks; where threads run at the same time the platform has `lock`. Submitting or finishing a request wakes a
 * context that sleeps in `wait_interrupt` by means of the platform (nx_platform.h); one that polls finds it.
 *
 * Nothing is allocated after open. Sizes and places on the disk are in bytes and multiples of NX_DISK_SECTOR.
 */
#ifndef NX_DISK_H
#define NX_DISK_H

#include <stddef.h>
#include <stdint.h>

#include "nx.h"

enum {
    NX_DISK_SECTOR = 512,
    NX_DISK_BLOCK = 4096,        /* what a disk is asked for at best */
    NX_DISK_PLACES_MAX = 128,    /* commands under way between an initiator and a target */
    NX_DISK_PLACE_MAX = 1 << 20, /* [bytes] */
    NX_DISK_LONGEST = 32 << 20,  /* [bytes] of a request */
    NX_DISK_INITIATORS_MAX = 16, /* of a target */
    NX_DISK_TRIES = 8,           /* of a request, until it ends with NX_DISK_EIO */
    NX_DISK_MAILBOX_BYTES = 256, /* of each peer */
    NX_DISK_PEERS = 128,         /* mailboxes of a node, one for each node ID */
    NX_DISK_SLOT = 64            /* [bytes] of a command or completion; its last word comes last */
};
#define NX_DISK_TIMEOUT_MAX ((uint64_t)3600 * 1000 * 1000 * 1000) /* [ns] */

enum nx_disk_operation {
    NX_DISK_READ = 1,
    NX_DISK_WRITE = 2,
    NX_DISK_FLUSH = 3,   /* what this initiator wrote, and was answered before, is on the disk when this is answered; no
                            offset, no length */
    NX_DISK_DISCARD = 4, /* the content is not needed any more: it may stay or read as zeros */
    NX_DISK_WRITE_ZEROES = 5
};

/* Of a request: with everything but reads and flushes. Its own data are on the disk when it is answered. */
enum { NX_DISK_FUA = 1 };

/* How a request ended. */
enum nx_disk_status {
    NX_DISK_OK = 0,
    NX_DISK_EIO = 1, /* the disk failed, or the target did not answer in NX_DISK_TRIES tries: blocks are old or new */
    NX_DISK_EINVAL = 2,   /* no such operation, no multiple of 512, too long; a read beyond the end */
    NX_DISK_ENOSPC = 3,   /* a write beyond the end, or the disk has no room */
    NX_DISK_EPERM = 4,    /* a write to a disk that is read-only */
    NX_DISK_ESHUTDOWN = 5 /* the initiator was stopped */
};
/* "OK", "EIO" ... */
const char *nx_disk_status_name(unsigned status);

/* Parameters of both ends. */
typedef struct nx_disk_params {
    /* Bus address of this node's mailboxes: NX_DISK_MAILBOX_BYTES for each node ID, multiple of 64, below 4 GB, zero
     * before the first use. The mailbox of peer p is at mailbox + p x NX_DISK_MAILBOX_BYTES. The same address on all
     * nodes. No default. */
    uint64_t mailbox;
    /* commands under way at most, 1..128; the smaller number of both ends counts; default 32 */
    unsigned places;
    /* [bytes] of data of a command, a multiple of 4096 up to NX_DISK_PLACE_MAX; the smaller one of both counts; default
     * 128 KiB */
    uint32_t place_bytes;
    /* [ns] of silence with commands under way after which the initiator begins a new session. A busy target sends NEWS
     * four times in it. At least 4 x the driver's interrupt_slice_ns unless it polls (time is checked when a sleep
     * ends); at most NX_DISK_TIMEOUT_MAX. Default 2 ms */
    uint64_t timeout_ns;
    /* 1: memory is polled; 0, the default: sleep until the peer interrupts (the platform has wait_interrupt) */
    int poll;
    /* 1: queue heads and tails are written over the wire after each command, completion and dequeue, as before S4 4.4.
     * The initiator's value counts; the default, 0, is the pending flag */
    int pointers;
    /* number of the first command and completion of a session, 63 bits; for tests of what wraps. Initiator only;
     * default 0 */
    uint64_t first_number;
} nx_disk_params;

nx_disk_params nx_disk_params_default(void);

/* The disk, as its target describes it. */
enum {
    NX_DISK_HAS_READ_ONLY = 1,
    NX_DISK_HAS_FLUSH = 2,
    NX_DISK_HAS_FUA = 4,
    NX_DISK_HAS_DISCARD = 8,
    NX_DISK_HAS_ZEROES = 16
};
typedef struct nx_disk_disk {
    uint64_t bytes;
    uint32_t sector_bytes, disk_bytes; /* 512, 4096 */
    uint32_t read_ahead;               /* [bytes] that it makes sense to read ahead */
    uint32_t longest;                  /* [bytes] of a request */
    unsigned flags;                    /* NX_DISK_HAS_ */
} nx_disk_disk;

/* ---- initiator */

/* When it happened, by the clock of the initiator's platform [ns]. Of a request in several parts: those of the last
 * part to end. */
typedef struct nx_disk_times {
    uint64_t submitted;
    uint64_t placed;   /* it had a place */
    uint64_t posted;   /* its command was with the NIC */
    uint64_t taken;    /* by the clock of the target's platform: it took the command; 0: it never did */
    uint64_t answered; /* by that clock: it gave the completion to its NIC */
    uint64_t done;     /* its data were checked */
    unsigned slot;     /* of the ring of completions: where its completion came */
} nx_disk_times;

typedef struct nx_disk_request nx_disk_request;
struct nx_disk_request {
    unsigned operation; /* enum nx_disk_operation */
    unsigned flags;     /* NX_DISK_FUA */
    uint64_t offset;    /* [bytes] a multiple of 512 */
    uint32_t length;    /* [bytes] a multiple of 512, up to NX_DISK_LONGEST */
    void *data;         /* of a read or write; stays the caller's, and must stay until done; or NULL: */
    /* data that do not lie together: moves bytes at .. at + length of them to `piece`, or from it */
    void (*copy)(nx_disk_request *r, uint32_t at, void *piece, uint32_t length, int to_piece);
    /* Bus address of the data, if they lie together on the bus, too: a multiple of 8, all of it below 4 GB. The first
     * try then goes straight from or into them, instead of through the pool; 0: none does. Until done the data of a
     * write must not change, or tries are lost. */
    uint64_t bus;
    void (*done)(nx_disk_request *r); /* once, from the context of the initiator; the request is the caller's again */
    void *owner;                      /* the caller's own */
    unsigned status;                  /* out: enum nx_disk_status */
    /* out: 1: a read ended with an error, and data may still arrive at `bus`: until `offers` of nx_disk_counts grows,
     * or the device is closed */
    int late;
    uint64_t verifier;   /* of a flush, in and out: the write verifier that its client knows, see nx_disk_verifier */
    unsigned tries;      /* out: of the part that needed most; 1: nothing went wrong */
    nx_disk_times times; /* out */
    struct nx_disk_request *next; /* inside: list of those that wait; */
    uint32_t at;                  /* bytes that have been made parts; */
    uint32_t parts;               /* that are not done; */
    uint64_t answered;            /* write verifier + 1 when the first of them was answered; 0: none was */
};

typedef struct nx_disk nx_disk;

typedef struct nx_disk_counts {
    uint64_t requests, parts, bytes_read, bytes_written;
    uint64_t straight, pooled; /* tries of parts with data: from or into the request's own memory; through the pool */
    uint64_t offers;           /* taken: all data of earlier tries have arrived */
    uint64_t recoveries;       /* sessions after the first */
    uint64_t losses[8];        /* why: index enum nx_disk_loss */
    uint64_t hellos;           /* sent, with those that were repeated */
    uint64_t served;           /* rounds in which something was found */
} nx_disk_counts;
enum nx_disk_loss {
    NX_DISK_LOST_SILENCE,    /* nothing received for timeout_ns */
    NX_DISK_LOST_FLAGGED,    /* a notification with bit 63 */
    NX_DISK_LOST_CHECKSUM,   /* data are not those that were sent */
    NX_DISK_LOST_HOLE,       /* a number is missing */
    NX_DISK_LOST_DAMAGED,    /* a pending slot whose check word is wrong: read before it was complete, or damaged */
    NX_DISK_LOST_COMPLETION, /* a completion for a place that is free, or of another command */
    NX_DISK_LOST_TOLD,       /* the target says that it has lost something */
    NX_DISK_LOST_ABANDONED   /* the own NIC lost descriptors */
};
/* "silence", "flagged notification" ... */
const char *nx_disk_loss_name(unsigned loss);

/* Opens the end that uses the disk of `target`: node ID and request queue of dev are the same number. Nothing is sent
 * before serve(). On failure *disk still holds the error text (NULL only when malloc failed): close it in any case.
 * NX_ERROR_ARGUMENT, NO_SPACE, NO_MEMORY. */
int nx_disk_open(nx_device *dev, unsigned target, const nx_disk_params *params, nx_disk **disk);
/* Requests that are not done must not be there any more. Takes NULL. */
void nx_disk_close(nx_disk *disk);
/* One round of its context: takes what has come, sends what can be sent, and if there was nothing sleeps or idles once.
 * NX_OK; a negative error of the driver's that no session can make good (NX_ERROR_BUS, DEVICE). */
int nx_disk_serve(nx_disk *disk);
/* The request waits until there is a place. An impossible request ends with its status, too. NX_ERROR_ARGUMENT: there
 * is no done(), or the initiator is stopped; the request stays the caller's. */
int nx_disk_submit(nx_disk *disk, nx_disk_request *r);
/* All requests end with ESHUTDOWN in the next serve(); the target gets a message. */
void nx_disk_stop(nx_disk *disk);
/* The disk, from the first OFFER on; NULL before. */
const nx_disk_disk *nx_disk_get_disk(const nx_disk *disk);
/* Not 0: serve() has something to do now, or something is under way for which it waits. */
int nx_disk_ready(const nx_disk *disk);
int nx_disk_busy(const nx_disk *disk);
nx_disk_counts nx_disk_get_counts(const nx_disk *disk);
/* Bus address of the ring of completions, NX_DISK_SLOT bytes for each place; for who watches the bus. */
uint64_t nx_disk_ring(const nx_disk *disk);
/* The write verifier. It changes when writes that were answered, but not flushed, may be lost: by a crash of the
 * target, or by a disk that failed to sync. Each client of this initiator (a connection, an open file) keeps the one it
 * knows: first this one, then what its flushes return. A flush with a verifier other than the current one ends with
 * EIO, so each client learns of a loss once. It only grows. */
uint64_t nx_disk_verifier(const nx_disk *disk);
const char *nx_disk_last_error(const nx_disk *disk);

/* ---- target */

/* One command at the disk behind the target. */
typedef struct nx_disk_io {
    unsigned operation, flags; /* enum nx_disk_operation, NX_DISK_FUA */
    unsigned initiator;        /* node ID */
    uint64_t offset;           /* [bytes] */
    uint32_t length;           /* [bytes] */
    uint64_t data;             /* bus address in the target's memory: data to write, or buffer of a read */
    void *owner;               /* the store's own */
    struct nx_disk_io *next;   /* the store's own until io_done */
    unsigned status;           /* inside: out of io_done; */
    struct session *session;   /* whose it is; */
    uint64_t number, taken;    /* of the command, and when [ns]; */
    uint32_t to;               /* bus address of the data of a read in the initiator's memory; */
    uint32_t losses;           /* of the target until then */
} nx_disk_io;

typedef struct nx_disk_target nx_disk_target;

typedef struct nx_disk_store {
    nx_disk_disk disk;
    void *self;
    /* Begins one operation; nx_disk_io_done() ends it, from within this call or later. Its ranges are within the disk.
     */
    void (*begin)(void *self, nx_disk_target *target, nx_disk_io *io);
    /* In each round of serve(), for a store that finishes operations by the time; may be NULL. Not 0: it has done
     * something. */
    int (*poll)(void *self);
} nx_disk_store;

typedef struct nx_disk_target_counts {
    uint64_t sessions, commands, completions;
    uint64_t given_up;  /* sessions that ended because their initiator took nothing any more */
    uint64_t losses[8]; /* index enum nx_disk_loss */
    uint64_t news;      /* signs of life sent */
    uint64_t served;    /* rounds in which something was found */
} nx_disk_target_counts;

/* Opens the end that has the disk; `store` must stay. Errors as nx_disk_open. */
int nx_disk_target_open(nx_device *dev, const nx_disk_store *store, const nx_disk_params *params,
                        nx_disk_target **target);
void nx_disk_target_close(nx_disk_target *target);
/* As nx_disk_serve. */
int nx_disk_target_serve(nx_disk_target *target);
void nx_disk_io_done(nx_disk_target *target, nx_disk_io *io, unsigned status);
/* For the store: writes that were answered may be lost, as after a failed fdatasync. The next flush of each client of
 * each initiator ends with EIO. Before io_done of the operation that found out. */
void nx_disk_lost_writes(nx_disk_target *target);
/* Not 0: serve() has something to do now; something is under way: at the store, or on its way to the NIC. */
int nx_disk_target_ready(const nx_disk_target *target);
int nx_disk_target_busy(const nx_disk_target *target);
nx_disk_target_counts nx_disk_target_get_counts(const nx_disk_target *target);
const char *nx_disk_target_last_error(const nx_disk_target *target);

#endif
