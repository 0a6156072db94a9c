/* Writes waves in the FST format, which GTKWave, fst2vcd and others read.
 *
 * Signals that change at the same times are a stream, for example all of a model. Streams are filled side by side, each with its own time,
 * and by several threads; what they hold is sorted into one time line when a block is written. What was written before a program is
 * killed can be read.
 *
 * Why not the writer that comes with Verilator: it took two thirds of the time of a run with waves. It keeps all changes in the order of
 * time and gathers those of a signal from all over the memory when a block is written; and it knows one time for all.
 *
 * Format: as fstapi.c of GTKWave reads it (blocks HDR, GEOM, HIER_LZ4, VCDATA_DYN_ALIAS2). Signals of type real are left out. */
#ifndef SIM_RUNTIME_FST_H
#define SIM_RUNTIME_FST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fst_file fst_file;
typedef struct fst_stream fst_stream;

/* NULL: it cannot be written, errno says why. wanted(self, scope): are the signals of this scope, "nic0.nic.dma", to be recorded? Those
 * that are not may be declared and changed in vain. Times are in picoseconds. */
fst_file *fst_open(const char *path, int (*wanted)(void *self, const char *scope), void *self);
/* Ends with the file. Made before fst_begin. */
fst_stream *fst_stream_new(fst_file *f);

/* First all is declared. Kinds and directions are numbers of the format. */
void fst_scope(fst_stream *st, int kind, const char *name);
void fst_scope_end(fst_stream *st);
/* Returns its number; alias: number of one that it is another name for, or 0. */
uint32_t fst_signal(fst_stream *st, int kind, int direction, unsigned bits, const char *name, uint32_t alias);
/* The signal changes in this stream from now on, and what others say of it is dropped. `name` is that of a scope with a name in it,
 * "nic0.pci_clk". Returns 0 if it is not recorded. */
uint32_t fst_claim(fst_stream *st, const char *name);
/* Anything to be recorded? */
int fst_wanted(const fst_stream *st);
/* The file can be read from now on, and recording begins at this time. */
void fst_begin(fst_file *f, uint64_t time);

/* Changes of the stream happen at this time, until the next one, which is not earlier. */
void fst_time(fst_stream *st, uint64_t time);
/* The new value as digits 0 and 1, the highest bit first; from `digits` on 8 can always be read. */
void fst_change(fst_stream *st, uint32_t signal, const char *digits);

/* Bytes that wait for being written. */
size_t fst_waiting(const fst_file *f);
/* Writes what all streams hold of times before `until`; none of them gets another of those. */
void fst_write(fst_file *f, uint64_t until);
/* Writes the rest. Returns 0, or an errno if anything of the file could not be written. */
int fst_close(fst_file *f);

#ifdef __cplusplus
}
#endif
#endif
