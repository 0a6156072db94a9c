/* The life of packets, from the descriptor in a NIC's queue to the notification in another host's memory, and what
 * every module does meanwhile: a file for ui.perfetto.dev, chrome://tracing or speedscope.
 *
 *     trace_params p = {.path = "trace.json", .to = SIM_FOREVER, .most = 100 << 20, .modules = 1};
 *     trace *t = trace_new(fabric, &p);
 *     ... run ...
 *     if (trace_close(t, &result)) ...                         before the fabric is freed
 *
 * It looks at pins and at probes and changes nothing: every simulated clock is as without. Stages of a packet are found
 * on the pins alone:
 *
 *     stage           from ... to
 *     host            host software has made the packet ... its descriptor has been written (scenarios only)
 *     request queue   the last 32 bits of the descriptor are on the bus of the sender ... the read of its first word
 * begins there DMA read        ... the completion with its last word ends, or its SOP if that is earlier VOQ ... SOP on
 * the pins of the NIC cable           ... the first byte of the SOP on the pins of the switch, or of the other NIC
 *     switch          ... SOP on the pins of its output
 *     cable
 *     receive buffer  ... the NIC begins to write the packet
 *     DMA write       ... its last word is in memory
 *     notification    ... the last word of the notification is, if the packet asks for one
 *
 * So the stages of a packet add up to its life. A read is known by its address: of several descriptors that send the
 * same memory at the same time the one that was posted first is taken for the one that is read. A packet that another
 * one behind it on its link has overtaken is lost.
 *
 * With modules: for each instance that declares probes (cycles.h) a track of when it was at work, pauses of up to 8
 * clocks included; what `busy`, `stalled`, `operations` and `latency` [clocks] of its slices add up to is what the
 * probes count. Longer stalls stand inside. Where probes show the begin and end of an operation, up to 8 at a time have
 * slices of their own. */
#ifndef SIM_OBSERVE_TRACE_TRACE_H
#define SIM_OBSERVE_TRACE_TRACE_H

#include "sim/system/nodes/fabric.h"

typedef struct trace_params {
    const char *path;
    sim_time from, to; /* [ps] what has ended before, or begins later, is left out */
    uint64_t most;     /* [bytes] at this size the recording ends */
    int modules;       /* 0: packets only; 1: modules too, needs models with probes */
} trace_params;

typedef struct trace trace;

typedef struct trace_result {
    uint64_t events, bytes;
    uint64_t packets, lost; /* that have come to their end */
    sim_time from, to;      /* that were recorded */
    int full;               /* `most` has ended it */
    int none;               /* the run ended before `from`: nothing is recorded, and a file that was there stays */
} trace_result;

/* Of a fabric, or of the two nodes and the cable that it may also be; before its first clock. NULL: the file cannot be
 * made, there is no memory (errno), or a model shows no probes (sim_error). */
trace *trace_new(fabric *f, const trace_params *params);
/* Ends the file and frees; NULL is allowed. Not 0, and errno says why: the disk was full, for instance; the file so far
 * opens. */
int trace_close(trace *t, trace_result *result);

#endif
