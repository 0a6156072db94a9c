/* Reads a file in the Trace Event format and checks it by the rules of the format alone. */
#ifndef TB_SYSTEM_TRACE_READER_H
#define TB_SYSTEM_TRACE_READER_H

#include <jansson.h>
#include <stdint.h>

typedef struct trace_slice_read {
    unsigned process, track, index; /* index: of the event */
    uint64_t begin, end;            /* [ns] */
    const char *name;
    const json_t *args;
} trace_slice_read;

typedef struct trace_read {
    json_t *events;
    trace_slice_read *slice; /* by process, track and begin; an enclosing one comes first */
    unsigned slices, lives, arrows;
} trace_read;

/* NULL, or the error: events without the fields of their kind, slices of a track that overlap and do not nest, tracks
 * and processes without a name, arrows that do not begin, end, or touch a slice, lives that are not nested or whose
 * stages leave a gap. Fills in the data read; free it in any case. The text may be without its last bracket; cut: the
 * last arrow and the last life may be without their ends. */
const char *trace_wrong(const char *text, int cut, trace_read *r);
/* The same of a file; fails the test. */
void trace_load(const char *path, trace_read *r);
void trace_load_cut(const char *path, trace_read *r);
void trace_read_free(trace_read *r);

/* Of the lives from one node to another that begin in [from, to) [ns] and have come to their end. */
typedef struct trace_lives {
    unsigned packets;
    uint64_t bytes;
    double min, max, mean; /* latency [ns] */
} trace_lives;
trace_lives trace_count_lives(const trace_read *r, int from, int to, uint64_t begin, uint64_t end);
/* The sum of a member of the args of all slices on the track of that name. */
uint64_t trace_sum(const trace_read *r, const char *track, const char *member);
/* The slices of a track, by its name, from *first on; how many. */
unsigned trace_slices_of(const trace_read *r, const char *process, const char *track, const trace_slice_read **first);

#endif
