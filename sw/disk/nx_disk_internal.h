/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Inside of the disk library, and its wire format: not for users. Every record and slot is eight little-endian 64-bit
 * words at a multiple of 64: one packet, and one line of memory. README.md has the formats as tables. */
#ifndef NX_DISK_INTERNAL_H
#define NX_DISK_INTERNAL_H

#include "nx_disk.h"
#include "nx_words.h"

/* A build may be wrong on purpose, so that a test can show that it would be noticed (tb/unit/disk/test_wrong_builds.c).
 */
enum {
    WRONG_NOTHING,
    WRONG_PENDING_FIRST,
    WRONG_NO_SECOND_LOOK,
    WRONG_PLACE_REUSED,
    WRONG_FLUSH_EARLY,
    WRONG_TOLD_ONCE
};
#ifndef NX_DISK_WRONG
#define NX_DISK_WRONG WRONG_NOTHING
#endif

enum {
    SLOT_WORDS = 8,
    SLOT_BYTES = 64,
    /* mailbox: records of the peer, and one word of the node's own that outlives handles: the last session it began */
    BOX_HELLO = 0x00,
    BOX_OFFER = 0x40,
    BOX_NEWS = 0x80,
    BOX_LAST_SESSION = 0xc0,
    /* places that check words of slots are made for; those of records are the boxes */
    CHECK_COMMAND = 0x100,
    CHECK_COMPLETION = 0x101,
    /* words of a slot */
    SLOT_OPERATION = 0, /* [7:0] operation or status, [15:8] flags, [31:16] place */
    SLOT_OFFSET = 1,    /* command: bytes; completion: number of the command */
    SLOT_LENGTH = 2, /* [31:0] bytes, completion: losses; [63:32] command: bus address of the data, completion: ns from
                        taken to answered */
    SLOT_CHECKSUM = 3, /* of the data */
    SLOT_SESSION = 4,
    SLOT_TIME = 5, /* completion: when the command was taken [ns] */
    SLOT_CHECK = 6,
    SLOT_PENDING = 7, /* bit 63, and the number */
    /* behind a ring: two words that the peer writes with queues by pointers, [63:32] session, [31:0] number */
    POINTER_TAIL = 0,
    POINTER_HEAD = 8,
    POINTER_BYTES = 64,
    MESSAGES = 512, /* of a peer that wait for slots of the request queue */
    RECORDS = 4,
    BURST = 32,    /* descriptors posted for a peer before it is another one's turn */
    CHUNK = 4096,  /* bytes of the last descriptor of data */
    PIECE = 1024,  /* bytes looked at in one piece, on the stack */
    HELLO_BYE = 1, /* flags of HELLO */
    HELLO_POINTERS = 2,
    HELLO_POLLS = 4, /* in HELLO and OFFER: no interrupts, please */
    OFFER_POLLS = 0x8000,
    NEWS_AT_WORK = 1,
    NEWS_BROKEN = 2,
    NEWS_WAIT = 3,
};
#define PENDING ((uint64_t)1 << 63)
#define NUMBERS (PENDING - 1)
#define DISK_VERSION 2u
#define DISK_MAGIC ((uint64_t)0x4e58424bu << 32 | (uint64_t)DISK_VERSION << 16)

typedef struct slot {
    uint64_t word[SLOT_WORDS];
} slot;

/* Something for the peer that waits for slots of the request queue: data, and behind them in the same queue a record.
 */
typedef struct message {
    uint64_t data, record; /* own memory */
    uint32_t data_to, record_to;
    uint32_t left; /* bytes of data not posted yet */
    uint16_t record_bytes;
    int16_t place; /* initiator: whose command it is; -1: none's */
    unsigned flags;
} message;

/* One end's connection to one peer. */
typedef struct wire {
    nx_device *dev;
    const struct nx_platform *platform;
    unsigned peer;         /* node, and request queue */
    uint64_t mailbox;      /* ours, for the peer */
    uint32_t peer_mailbox; /* the peer's, for us */
    unsigned interrupt;    /* NX_INTERRUPT, or 0 if the peer polls */
    int pointers;
    uint64_t session;
    /* what both agreed on */
    unsigned places;
    uint32_t place_bytes;
    uint32_t peer_ring, peer_pool;
    /* own memory */
    uint64_t ring, staging, records, pointer_staging, pool;
    unsigned next_record, next_pointer;
    /* numbers of the next slot to be written and to be taken, 63 bits; and their places in the rings, which go on where
     * numbers wrap */
    uint64_t begin, sent, taken;
    unsigned sent_slot, taken_slot;
    message message[MESSAGES];
    unsigned first, count;
    int owed;        /* something was posted, and its departure has not been seen */
    uint64_t moved;  /* when something was posted last, or nothing waited [ns] */
    uint64_t looked; /* when registers were read last [ns] */
    uint32_t lost;   /* descriptors, when the session began */
} wire;

static inline uint64_t disk_time(const struct nx_platform *p) { return p->now(p->self); }

static inline uint64_t disk_now(const wire *w) { return disk_time(w->platform); }

/* Around what other contexts than an end's own touch. */
static inline void disk_lock(const struct nx_platform *p)
{
    if (p->lock) p->lock(p->self);
}

static inline void disk_unlock(const struct nx_platform *p)
{
    if (p->unlock) p->unlock(p->self);
}

/* Defaults filled in, or what is wrong: a text. */
const char *disk_check_params(nx_disk_params *p, nx_device *dev);
/* Word 2 of a peer's HELLO or OFFER: not 0, a ring and a pool of this many places that the NIC can write, below 4 GB.
 */
int disk_peer_memory(uint64_t word, unsigned places, uint32_t place_bytes);
/* 1: the disk's sizes are those of nx_disk.h. */
int disk_disk_fits(const nx_disk_disk *disk);
/* Bus memory that a connection needs, a multiple of 4096; `base` of disk_wire_open is where it is. */
size_t disk_wire_bytes(const nx_disk_params *p);
void disk_wire_open(wire *w, nx_device *dev, unsigned peer, const nx_disk_params *p, uint64_t base);
/* Nothing of before waits any more, the ring is empty, numbers begin with this one. */
void disk_wire_clear(wire *w, uint64_t number);
/* Nothing waits and all that was posted has left; asks registers. */
int disk_quiet(wire *w);

/* Records. look: 1 = the one in `box` of our mailbox is whole and of this kind. disk_tell: waits behind the entries
 * that wait already. */
int disk_look_at(const wire *w, unsigned box, slot *r);
void disk_tell(wire *w, unsigned box, slot *r);
uint64_t disk_get_word(const wire *w, unsigned box);
void disk_set_word(const wire *w, unsigned box, uint64_t value);

/* The next slot of our ring. 0: nothing there, 1: in *s and not taken off; negative: -1 - enum nx_disk_loss. */
int disk_next(const wire *w, unsigned check, slot *s);
/* It is pending, whatever it holds. */
int disk_next_pending(const wire *w);
/* Takes it off. */
void disk_take(wire *w);
/* 1: the slot behind the next one is pending and the next one is not. */
int disk_hole(const wire *w);
/* Room for one more message of each kind; with pointers also for one more slot at the peer. */
int disk_room(const wire *w);
/* Puts a command or completion into the next slot of the peer, behind `length` bytes of data. */
void disk_put(wire *w, unsigned check, slot *s, uint64_t data, uint32_t data_to, uint32_t length, int place);
/* Posts what can be posted: how many descriptors, or a negative error of the driver's. posted(self, place) for each
 * command. */
int disk_push(wire *w, void (*posted)(void *self, int place), void *self);
/* By registers, once in `interval`: LOST_ABANDONED as disk_next says it if our device lost descriptors of this session,
 * else 0. */
int disk_abandoned(wire *w, uint64_t interval);
/* Flagged notification of the peer: -1 - NX_DISK_LOST_FLAGGED; but not for what came with a record in `box`. */
int disk_flagged(const wire *w, unsigned box);

/* Checksum of `length` bytes of own bus memory. */
uint64_t disk_checksum(const wire *w, uint64_t address, uint32_t length);

#endif
