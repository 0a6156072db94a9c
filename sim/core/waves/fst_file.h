/* Shared by fst.c, fst_log.c, fst_condition.c and fst_place.c: a file of waves, and what is known of its signals. */
#ifndef SIM_CORE_WAVES_FST_FILE_H
#define SIM_CORE_WAVES_FST_FILE_H

#include "sim/core/kernel/kernel.h"
#include "sim/core/waves/fst.h"

#include <stdatomic.h>

typedef LIST(uint8_t) bytes;

/* Some of what a signal does in a block: as the file wants it, whole changes only. */
typedef struct piece {
    struct piece *next;
    uint32_t size, room;
    uint8_t at[];
} piece;

/* A signal in the file, and what it does in the block that is being made. */
typedef struct {
    uint32_t bits;
    uint16_t watched,
        size; /* by a condition: 1 + index, 0: by none; bytes of a value behind the number, none of one bit */
    uint32_t time, before; /* of the last change and of the one before: indices of the block's times */
    uint8_t *at, *end;     /* room in the last piece */
    uint8_t *last;         /* the last change; NULL: there is none in this block */
    union {
        uint64_t value;  /* up to 64 bits */
        uint32_t *words; /* more */
    };
    piece *first, *latest; /* not used at each change; the fields above are, and share a cache line */
} wave;

/* What streams have noted: pieces of a log, and the times that it goes through. */
typedef struct {
    uint8_t *begin, *end;
} chunk;
typedef struct {
    LIST(chunk) chunks;
    LIST(uint64_t) times;
} notes;

/* How far a log has been read: in which chunk, where in it (NULL: at its beginning), and before which of the times. */
typedef struct {
    size_t chunk, next;
    const uint8_t *at;
} cursor;

/* Where a signal stands in memory. */
typedef struct {
    const uint8_t *at;
    uint32_t signal; /* as fst_signal returned it */
    unsigned bytes;
} place;

/* A line of memory that holds such signals: values seen last, and their places. */
enum { LINE = 64 };
typedef struct {
    _Alignas(16) uint8_t bytes[LINE];
} line_seen;
typedef struct {
    uint64_t begin[4], wide; /* a bit for each byte: where one of 1, 2, 4 or 8 bytes begins, where one of more is */
    size_t heads; /* in fst_log.heads: for each (1 << shift) bytes what precedes the value in the log; of more than 8:
                     the place */
    unsigned shift;
} line_signals;

/* The part of a stream that does not stand in fst.h. */
typedef struct fst_log {
    fst_stream open; /* what its owner fills */
    fst_file *f;
    bool wanted;
    LIST(place) places;          /* of signals that are recorded, by address */
    LIST(const uint8_t *) lines; /* once fst_find has been called */
    LIST(line_seen) seen;
    LIST(line_signals) inside;
    LIST(uint32_t) heads;
    notes filled;         /* by its owner, and not handed on yet */
    uint64_t time;        /* the last one of its owner */
    size_t full;          /* bytes of chunks that are full */
    notes taken;          /* belong to the writer */
    cursor read, look;    /* of the writer: into blocks; for conditions */
    uint64_t looked;      /* the time where `look` is */
    LIST(uint32_t) where; /* times that belong to the block: indices of its times */
    atomic_bool is_taken; /* by the block: all before its end */
    atomic_bool is_held;  /* a thread takes some of it */
    size_t done;          /* times that have been taken, while it is not taken whole */
} fst_log;

/* Working memory of a thread that makes a block: where pieces stand, and a signal before and behind lz4. */
typedef struct {
    LIST(uint8_t *) arenas;
    size_t arena, arena_used;
    bytes body, packed;
} bench;

/* Neighbouring signals, which one thread packs; and their changes as they stand in the file. */
typedef struct {
    size_t first, behind; /* indices of signals */
    size_t digits;        /* where their values begin in fst_file.values */
    bytes changes;
    LIST(uint32_t) sizes; /* of each signal there */
    uint64_t unpacked;    /* bytes of all changes before they were packed */
} section;

/* A scope of the current declaration. */
typedef struct {
    char *name; /* with all around it */
    int kind;
    bool wanted, written;
} scope;

typedef struct {
    char *name;
    uint32_t signal;
} named;

/* A signal that a condition asks for. */
typedef struct {
    uint32_t signal; /* as fst_signal returned it */
    uint32_t *words; /* its value where the condition looks */
} watched;

/* ... gets this value. */
typedef struct {
    uint64_t time, value;
    size_t order;
    uint32_t which, size; /* of fst_file.watched; bytes of the value */
    const uint8_t *words; /* more than 64 bits; else NULL */
} seen;

typedef enum { WAITING, RECORDING, OVER } recording_state;

struct fst_file {
    /* fst.c */
    char *path;
    FILE *out; /* NULL: it is closed */
    int lost;  /* errno: not all could be written */
    fst_wants *wants;
    void *self;
    LIST(scope) scopes;
    LIST(uint32_t) numbers; /* in the file, of what fst_signal has returned */
    LIST(named) named;      /* signals of one bit in outer scopes */
    LIST(uint32_t) claimed;
    LIST(wave) signals; /* the first one has the number 1 */
    bytes hierarchy, geometry, values, packed, index;
    bytes packed_values, plain_times, packed_times; /* of the block */
    size_t digits;                                  /* of all values */
    uint64_t scope_count, name_count, begin, end;
    uint64_t blocks, written; /* in this file, in all */
    long whole;               /* up to there the file can be read */
    uint64_t share;           /* most of a file of a ring, 0: there is none */
    uint64_t block_size;      /* of the last one */
    int (*next)(void *self);
    void *next_self;

    /* fst_log.c */
    LIST(fst_log *) logs;
    LIST(uint64_t) times, merged; /* of the block */
    LIST(section) sections;       /* all signals */
    LIST(bench) benches;          /* one for each thread that works here */
    recording_state state;
    fst_condition from, to; /* holds NULL: none */
    uint64_t before, not_before;
    LIST(watched) watched;
    LIST(seen) seen;
    struct writer *writer;
};

/* What a stream has noted, read. */
typedef struct {
    uint32_t number; /* 0: the time goes on */
    uint64_t value;
    const uint8_t *words; /* of more than 64 bits, not aligned; else NULL */
} entry;

static inline uint32_t words_of(const wave *s) { return (s->bits + 31) / 32; }

/* Entry at the cursor, and behind it; or at the end. */
static inline bool entry_next(const fst_log *l, cursor *c, entry *e)
{
    while (!c->at || c->at == l->taken.chunks.at[c->chunk].end) {
        if (c->at) c->chunk++;
        if (c->chunk == l->taken.chunks.count) {
            c->at = NULL;
            return false;
        }
        c->at = l->taken.chunks.at[c->chunk].begin;
    }
    uint32_t head;
    memcpy(&head, c->at, sizeof head);
    const unsigned size = head % (1 << FST_SIZE_BITS);
    e->number = head >> FST_SIZE_BITS;
    if (size == FST_WIDE) {
        e->words = c->at + sizeof head;
        e->value = 0;
        c->at += sizeof head + words_of(&l->f->signals.at[e->number - 1]) * sizeof(uint32_t);
        return true;
    }
    e->words = NULL;
    memcpy(&e->value, c->at + sizeof head,
           sizeof e->value); /* up to eight bytes behind the chunk's last one: they are there */
    e->value &= UINT64_MAX >> (-8 * size & 63);
    c->at += sizeof head + size;
    return true;
}

/* Back to before the entry that says that the time goes on. */
static inline void entry_back(cursor *c) { c->at -= sizeof(uint32_t); }

/* fst.c */
void fst_file_begin(fst_file *f, uint64_t time);
void fst_file_turn(fst_file *f);        /* before a block: perhaps the next file of a ring */
void fst_file_values(fst_file *f);      /* what all signals are now, before the changes of a block */
void fst_file_pack_values(fst_file *f); /* by any thread, as the next two */
void fst_file_pack_times(fst_file *f);
void fst_file_pack(fst_file *f, bench *b, section *of); /* changes of signals, when all are in pieces */
void fst_file_block(fst_file *f); /* the changes of f->times, which begin with f->end; all are packed */

/* fst_place.c */
void fst_places_end(fst_log *l);

/* fst_condition.c: begins and ends recording; returns the time behind the last one that is recorded. */
uint64_t fst_conditions(fst_file *f, uint64_t until);

/* fst_log.c */
void fst_log_skip(fst_file *f, uint64_t until); /* changes before `until` are not recorded, but values are kept */
void fst_logs_end(fst_file *f, thread_pool *by);
size_t fst_number_put(uint8_t *at, uint64_t n);

#endif
