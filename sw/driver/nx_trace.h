/* The tracing memories of the network interface (S4 2.8; rtl/monitor): recording, reading, files, packets, and what is wrong with them.
 * Only a device that was built with them has any (MONITORING=1).
 *
 *     nx_trace_start(dev, 1, NIC_STATUS_BODY_CRC_MASK, 200);     // round and round, until a packet with a bad body comes
 *     ...
 *     if (nx_trace_running(dev) == 0 || ...) nx_trace_take(dev, &trace);
 *     nx_trace_print(&trace, stdout);
 *     nx_trace_check(&trace, stdout);
 *
 * A trace is what the four sides of the two FIFOs between DMA engine and link have seen. Time is not in it but for events. */
#ifndef NX_TRACE_H
#define NX_TRACE_H

#include <stdio.h>

#include "nx.h"

enum nx_trace_point {
    NX_H2N_IN,  /* from the DMA engine into the host-to-net FIFO */
    NX_H2N_OUT, /* from there to the link; and the credits that come */
    NX_N2H_IN,  /* from the link into the net-to-host FIFO; and the credits that go */
    NX_N2H_OUT, /* from there to the DMA engine */
    NX_TRACE_POINTS
};

/* Bits of `flags`, as TRACE_FLAGS of the register map; [7:4] is a kind if neither VALID nor STALL is set. */
enum {
    NX_TRACE_SOP = 1,
    NX_TRACE_EOP = 2,
    NX_TRACE_VALID = 4,       /* the word passed */
    NX_TRACE_STALL = 8,       /* with VALID: held up since the entry before; without: refused by a full FIFO, or taken from an empty one */
    NX_TRACE_BAD_BODY = 0x10, /* N2H, with EOP: the body is bad. H2N, with SOP: this packet ends a transfer */
    NX_TRACE_DAMAGED = 0x20   /* H2N: came damaged from external memory */
};
/* What happened beside the words; data [63:32] = clocks since the start, [31] = another one just before has been left out. */
enum nx_trace_kind {
    NX_TRACE_CREDIT = 1,   /* came: data [30:24] lane, [22:16] counter bits [11:5], [11:0] link words transmitted on that lane */
    NX_TRACE_REJECTED = 2, /* the same, not accepted */
    NX_TRACE_SENT = 3,     /* went: data [27:16] link words received, [11:0] forwarded */
    NX_TRACE_FROZEN = 15   /* the trace was frozen here */
};

enum { NX_TRACE_ENTRIES = 2048 };

typedef struct nx_trace_entry {
    uint64_t data;
    uint8_t flags;
} nx_trace_entry;

typedef struct nx_trace {
    unsigned node; /* ID of the device */
    int direct;    /* one credit lane, 0, for all packets */
    unsigned capacity; /* of the buffer behind a lane [link words] */
    int frozen;
    uint32_t cause; /* bits of STATUS; bit 31: header CRC; 0: the host, if frozen */
    unsigned entries[NX_TRACE_POINTS];
    nx_trace_entry entry[NX_TRACE_POINTS][NX_TRACE_ENTRIES]; /* oldest first */
} nx_trace;

/* "H2N_IN" ... */
const char *nx_trace_point_name(unsigned point);

/* ---- the device. ARGUMENT: it was built without tracing memories. */

/* All points start anew. `circular` 0: each ends when it is full. `freeze`: bits of STATUS, bit 31 = a wrong header CRC; `after`: entries
 * of each point kept behind that, 0..2047. What still records is stopped before. */
int nx_trace_start(nx_device *dev, int circular, uint32_t freeze, unsigned after);
/* Freezes now. */
int nx_trace_freeze(nx_device *dev);
/* Bit p: point p records. Negative: an error. */
int nx_trace_running(nx_device *dev);
/* Stops what still records, and reads everything (some 16000 accesses). */
int nx_trace_take(nx_device *dev, nx_trace *trace);

/* ---- files: text, a line for an entry, with a version at its start and a line at its end. */

/* 0, or -1 if it cannot be written: errno. */
int nx_trace_save(const nx_trace *trace, FILE *file);
/* 0, or -1 with one line in `why`: the place, what stands there, what was expected. */
int nx_trace_load(nx_trace *trace, FILE *file, char *why, size_t size);

/* ---- reports. `file` may be NULL for nx_trace_check. */

/* Packets and events of each point, a line each. */
void nx_trace_print(const nx_trace *trace, FILE *file);
/* What looks wrong, and where, a line each: words lost, doubled, taken from an empty FIFO or changed in it, headers without packets and
 * packets without ends, lengths, sequences, bad bodies, credits that were rejected, jump or slip. Returns how many lines. */
unsigned nx_trace_check(const nx_trace *trace, FILE *file);

#endif
