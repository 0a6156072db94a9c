/* Writes waves in the FST format, which GTKWave, fst2vcd and others read.
 *
 * Signals that change at the same times are a stream, for example all of a model. Streams are filled side by side, each
 * with its own time, and by several threads: a change costs those some instructions, for it is only noted in a log.
 * Threads of its own, or those that have noted it, sort what streams have noted into one time line, signal by signal,
 * pack it and write it, block by block. Blocks written before a program is killed are readable.
 *
 * Why not the writer that comes with Verilator: it took two thirds of the time of a run with waves. It makes digits of
 * all values, keeps all changes in the order of time and gathers those of a signal from all over the memory when a
 * block is written; and it knows one time for all.
 *
 * Format: as fstapi.c of GTKWave reads it (blocks HDR, GEOM, HIER_LZ4, VCDATA_DYN_ALIAS2). Signals of type real are
 * left out. */
#ifndef SIM_CORE_WAVES_FST_H
#define SIM_CORE_WAVES_FST_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fst_file fst_file;
typedef struct fst_stream fst_stream;

/* Scopes to be recorded: a scope with all below it ("nic0.nic.dma", signal 0), or a signal of a scope that is not
 * ("nic0.nic.dma.state [2:0]", by what fst_signal returns). Asked for each name. */
typedef int fst_wants(void *self, const char *name, uint32_t signal, unsigned bits);
/* NULL: it cannot be written, errno says why. Signals outside of them may be declared and changed without effect. Times
 * are in picoseconds.
 */
fst_file *fst_open(const char *path, fst_wants *wants, void *self);
/* Ends with the file. Made before fst_begin. */
fst_stream *fst_stream_new(fst_file *f);

/* First all is declared. Kinds and directions are numbers of the format. */
void fst_scope(fst_stream *st, int kind, const char *name);
void fst_scope_end(fst_stream *st);
/* Returns what fst_bit and the like call it; alias: that of one that it is another name for, or 0. */
uint32_t fst_signal(fst_stream *st, int kind, int direction, unsigned bits, const char *name, uint32_t alias);
/* The signal, of what fst_signal has returned, is here in this many bytes: 1, 2, 4, 8, or 4 for each 32 bits of its
 * value, at an address that is a multiple of as many or of 4. Those of a stream do not overlap. All bytes of the same
 * 64 must be readable as long as they. */
void fst_place(fst_stream *st, uint32_t signal, const void *at, unsigned bytes);
/* The signal changes in this stream from now on, and what others say of it is dropped. `name` is that of a scope with a
 * name in it, "nic0.pci_clk". Returns its number, for fst_put; 0 if it is not recorded. */
uint32_t fst_claim(fst_stream *st, const char *name);
/* Anything to be recorded? */
int fst_wanted(const fst_stream *st);

/* ---- which part of the time is in the file; before fst_begin ---- */

/* Whether something is so, by the values of some signals. */
typedef struct fst_condition {
    int (*holds)(void *self);
    void *self;
    const uint32_t *signals; /* those that it asks for by fst_bits; recorded ones */
    size_t count;
} fst_condition;
/* Recording begins this long [ps] before `from` holds, or when fst_begin says if that is less; it ends when `to` holds
 * after that. NULL: it does not wait for anything. Neither is asked about a time before `not_before`. Both are copied;
 * who is asked is asked by any thread. */
void fst_wait(fst_file *f, const fst_condition *from, uint64_t before, const fst_condition *to, uint64_t not_before);
/* Only this many bytes, the last ones, are kept, in several files: as soon as one has its share, next(self) is called
 * with the file closed, by any thread, and a file of the same name is begun. It returns 0, or an errno. */
void fst_ring(fst_file *f, uint64_t size, int (*next)(void *self), void *self);

/* Up to 64 bits of the value of a signal, in a condition. */
uint64_t fst_bits(const fst_file *f, uint32_t signal, unsigned lsb, unsigned bits);

/* Recording begins at this time. The file can be read from now on, or when it begins. So many threads may be made that
 * write; 0: who hands on does. */
void fst_begin(fst_file *f, uint64_t time, unsigned threads);

/* ---- changes ---- */

/* Prefix of the value in a log: the signal's number, and in the lowest bits how many bytes the value has: 1, 2, 4 or 8;
 * more than 8: FST_WIDE. Both are 0 where the time goes on. */
enum { FST_WIDE = 15, FST_SIZE_BITS = 4 };

/* Public part of a stream, so that a change is noted where it is found. */
struct fst_stream {
    uint8_t *at, *end;       /* room in the log */
    const uint32_t *numbers; /* of signals in the file; 0: not recorded */
    struct fst_log *log;
};
/* Makes space for this many bytes. */
void fst_room(fst_stream *st, size_t size);

/* Changes of the stream happen at this time, until the next one, which is not earlier. */
void fst_time(fst_stream *st, uint64_t time);
/* The value of the signal with this number: its lowest bytes. */
static inline void fst_put(fst_stream *st, uint32_t number, uint64_t value, unsigned bytes)
{
    uint32_t head = number << FST_SIZE_BITS | bytes;
    if (st->end - st->at < 16) fst_room(st, 16);
    memcpy(st->at, &head, 4);
    memcpy(st->at + 4, &value, 8);
    st->at += 4 + bytes;
}
/* The new value of a signal, by what fst_signal has returned. */
static inline void fst_change(fst_stream *st, uint32_t signal, uint64_t value, unsigned bytes)
{
    uint32_t number = st->numbers[signal];
    if (number) fst_put(st, number, value, bytes);
}
/* More than 64 bits: words, the lowest one first. */
void fst_change_wide(fst_stream *st, uint32_t signal, const uint32_t *words, unsigned count);
/* All signals with a place that is not what it was the last time. The first time, after fst_begin, none: the caller
 * notes them. */
void fst_find(fst_stream *st);

/* ---- writing ---- */

/* Bytes that wait for being written. */
size_t fst_waiting(const fst_file *f);
struct thread_pool;
/* Hands on what all streams hold of times before `until`; none of them gets another of those. With a thread pool
 * (parallel.h) it is for its threads, when they call fst_help; what they have not done when this is called again, they
 * do then. Returns 1 if there is nothing to record any more: something could not be written, or the condition to end
 * holds. */
int fst_write(fst_file *f, uint64_t until, struct thread_pool *by);
/* A thread of the pool has some microseconds: does a part of what there is to do. Returns 0 if there is nothing. Not
 * during fst_write. */
int fst_help(fst_file *f, unsigned thread);
/* Writes the rest, with the threads of a pool that has nothing else to do, or NULL. The file is readable in any case.
 * Returns 0, or an errno if not all could be written. *blocks: how many there are; 0: nothing has been recorded. */
int fst_close(fst_file *f, struct thread_pool *by, uint64_t *blocks);

#ifdef __cplusplus
}
#endif
#endif
