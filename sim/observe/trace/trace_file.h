/* A file in the Trace Event format, which ui.perfetto.dev, chrome://tracing and speedscope open.
 *
 *     trace_file *f = trace_file_new("trace.json");
 *     trace_file_process(f, 1, "host 0");                       what the tracks of it stand below; sorted by number
 *     trace_file_track(f, 1, 2, "bus");
 *     trace_file_slice(f, 1, 2, begin, end, "read", "\"bytes\":4096");
 *     if (trace_file_close(f, &all)) ...
 *
 * Times are simulated [ps]; in the file they are whole nanoseconds, a begin and an end both rounded down, so nesting
 * and order are kept. `args` are the members of a JSON object, NULL: none; names are plain text. The file is an array
 * with an event on each line, and spaces where one would reach into the next page. It is written in whole pages or
 * events, however the program is killed, so one that was cut off only lacks the last bracket, which the format allows;
 * a full disk is answered by cutting off the event that did not fit, and a bracket.
 */
#ifndef SIM_OBSERVE_TRACE_TRACE_FILE_H
#define SIM_OBSERVE_TRACE_TRACE_FILE_H

#include "sim/core/kernel/sim.h"

typedef struct trace_file trace_file;

typedef struct trace_file_counts {
    uint64_t events, bytes;
} trace_file_counts;

/* NULL: the file cannot be made, or there is no memory (errno). */
trace_file *trace_file_new(const char *path);
/* Ends the file and frees; NULL is allowed. Not 0, and errno says why: not all could be written, and nothing was after
 * that. */
int trace_file_close(trace_file *f, trace_file_counts *all);
/* So far, buffered data included. */
trace_file_counts trace_file_count(const trace_file *f);
/* 1: writing has failed, nothing more is taken. */
int trace_file_failed(const trace_file *f);

void trace_file_process(trace_file *f, unsigned process, const char *name);
void trace_file_track(trace_file *f, unsigned process, unsigned track, const char *name);
void trace_file_slice(trace_file *f, unsigned process, unsigned track, sim_time begin, sim_time end, const char *name,
                      const char *args);
/* Part of an arrow between slices of tracks: 's' it starts in the one that is there at this time, 't' goes on, 'f'
 * ends. */
void trace_file_arrow(trace_file *f, char part, unsigned process, unsigned track, sim_time at, uint64_t id);
/* Begin ('b') or end ('e') of something that has a row of its own; what has one id is nested, in the order of calls. */
void trace_file_span(trace_file *f, char part, unsigned process, sim_time at, uint64_t id, const char *name,
                     const char *args);
/* A curve has these values from now on. */
void trace_file_values(trace_file *f, unsigned process, sim_time at, const char *name, const char *args);

#endif
