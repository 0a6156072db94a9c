/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* State of the end that uses a disk, and what nx_disk_initiator.c and nx_disk_completion.c use of each other. */
#ifndef NX_DISK_INITIATOR_H
#define NX_DISK_INITIATOR_H

#include "nx_disk_internal.h"

/* Content of a command: a request, or a part of it that fits into a place. */
typedef struct part {
    nx_disk_request *r; /* NULL: this place is free */
    uint32_t at, length;
    unsigned tries;
    uint64_t number;         /* of its command */
    uint64_t placed, posted; /* [ns] */
    uint32_t straight;       /* bus address of its data; 0: they go through the pool */
    uint64_t writes;         /* flush: writes that were answered before it was sent */
} part;

enum { CLOSED, MEETING, OPEN };

struct nx_disk {
    wire w;
    nx_disk_params params;
    nx_disk_disk disk;
    int state, known, stopping;
    const char *error;
    part place[NX_DISK_PLACES_MAX]; /* under way in this session */
    unsigned used;
    part again[NX_DISK_PLACES_MAX]; /* under way in a session that was lost, oldest first */
    unsigned agains;
    nx_disk_request *waiting, **waiting_end;    /* not all of it has been made parts */
    nx_disk_request *inbox, **inbox_end;        /* submitted from any context */
    uint32_t cut;                               /* [bytes] longest part */
    uint32_t incarnation;                       /* of the target */
    uint64_t writes, flushed;                   /* answered; of these on the disk, or known to be lost */
    uint64_t verifier, reported;                /* write verifier; the last one reported to a client */
    uint32_t target_losses;                     /* of this incarnation, as its last flush said */
    uint64_t received_at, sent_at, hello_count; /* [ns] from the target; our last HELLO */
    uint64_t news;                              /* the last one seen */
    unsigned patience; /* silence lasts longer after each one that proved nothing, power of 2 */
    unsigned looks;    /* of the wait that goes on */
    nx_disk_counts counts;
};

/* All of it has been made parts; a failed one gets no more. */
int disk_is_cut(const nx_disk_request *r);
/* One part less under way. */
void disk_end_part(nx_disk *d, const part *p, unsigned status);
/* The session is lost, enum nx_disk_loss says why: the next one begins. */
void disk_lose(nx_disk *d, unsigned why);
/* The data of a part between the request and the pool, unless they go straight; their checksum. */
uint64_t disk_move_data(const nx_disk *d, const part *p, unsigned place);
/* All completions in the ring. 1: there was one, or a loss. */
int disk_take_completions(nx_disk *d);

#endif
