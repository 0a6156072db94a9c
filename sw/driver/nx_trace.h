/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The tracing memories of the network interface (S4 2.8; rtl/nic/monitor): recording, reading, packets, and findings;
 * and the files of traces, also of those of the switch (sw/switch/sx_trace.h). Only a device that was built with them
 * has any (MONITORING=1).
 *
 *     nx_trace_start(dev, 1, NIC_STATUS_BODY_CRC_MASK, 200);     // round and round, until a packet with a bad body
 * comes
 *     ...
 *     if (nx_trace_running(dev) == 0 || ...) nx_trace_take(dev, &trace);
 *     nx_trace_print(&trace, stdout);
 *     nx_trace_check(&trace, stdout);
 *
 * A trace is what the capture points of a device have seen, of a NIC the four sides of the two FIFOs between DMA engine
 * and link. Time is not in it but for events.
 *
 * Several links by packet: H2N_IN and N2H_OUT are of all links, H2N_OUT and N2H_IN of the link chosen at the start. By
 * byte these have whole words, and RAW has the words of the link chosen before they become whole: where words of the
 * bundle are wrong in the bytes of one link, it shows whether they came so. */
#ifndef NX_TRACE_H
#define NX_TRACE_H

#include <stdio.h>

#include "nx.h"

typedef enum nx_trace_device { NX_TRACE_NIC, NX_TRACE_SWITCH, NX_TRACE_DEVICES } nx_trace_device;

/* Where words are looked at: numbers of capture points, from 0 on in each device. */
enum {
    NX_H2N_IN,  /* from the DMA engine into the host-to-net FIFO */
    NX_H2N_OUT, /* from there to the link; and the credits that come */
    NX_N2H_IN,  /* from the link into the net-to-host FIFO; and the credits that go */
    NX_N2H_OUT, /* from there to the DMA engine */
    NX_RAW,     /* a link's words before the deskew, two in an entry; several links by byte */

    NX_PORT_IN = 0, /* what a port of the switch receives */
    NX_PORT_OUT,    /* what it sends */

    NX_TRACE_POINTS = 5 /* at most, of a device */
};

typedef struct nx_trace_point {
    nx_trace_device device;
    const char *name;
    int arrives; /* 1: it came by the link; 0: it goes there */
    int taken;   /* 1: the side of a FIFO where words are taken out; 0: where they go in, or no FIFO */
} nx_trace_point;

/* The table of capture points: a NIC has 4 or 5, a port of the switch 2. NULL: no such device has one. */
const nx_trace_point *nx_trace_point_get(nx_trace_device device, unsigned point);
/* How many entries a point of the device keeps, and what it is called in a file. */
unsigned nx_trace_room(nx_trace_device device);
const char *nx_trace_device_name(nx_trace_device device);

/* Bits of `flags`, as TRACE_FLAGS of the register map; [7:4] is a kind if neither VALID nor STALL is set, else [7:6]
 * the link. Bits 5:4 are of a NIC; those of the switch: sx_trace.h. */
enum {
    NX_TRACE_SOP = 1,
    NX_TRACE_EOP = 2,
    NX_TRACE_VALID = 4, /* the word passed */
    NX_TRACE_STALL =
        8, /* with VALID: held up since the entry before; without: refused by a full FIFO, or taken from an empty one */
    NX_TRACE_BAD_BODY = 0x10, /* N2H, with EOP: the body is bad. H2N, with SOP: this packet ends a transfer */
    NX_TRACE_DAMAGED = 0x20,  /* H2N: came damaged from external memory */
    /* several links by packet, without SOP: the word is a CRC, in [31:0] */
    NX_TRACE_CRC_OUT = 0x10, /* H2N_OUT */
    NX_TRACE_CRC_IN = 0x20,  /* N2H_IN */
    NX_TRACE_HALF = 0x10,    /* RAW: only the first word is there */
    NX_TRACE_BAD_CODE = 0x20 /* RAW: a code error */
};
#define NX_TRACE_LINK_OF(flags) ((unsigned)(flags) >> 6)
/* Events other than words; data [63:32] = clocks since the start, [31] = another one just before has been left out. */
enum nx_trace_kind {
    NX_TRACE_CREDIT =
        1, /* came: data [30:24] lane, [22:16] counter bits [11:5], [11:0] link words transmitted on that lane */
    NX_TRACE_REJECTED = 2, /* the same, not accepted */
    NX_TRACE_SENT = 3,     /* went: data [27:16] link words received, [11:0] forwarded */
    NX_TRACE_EVENTS = 4,   /* of a port of the switch: data [15:0] bits as in its register TRACE_FREEZE */
    NX_TRACE_DESKEW = 5,   /* RAW: data [15:0] waits of the links, [16] aligned, [17] the alignment was lost */
    NX_TRACE_FROZEN = 15   /* the trace was frozen here */
};

enum { NX_TRACE_ENTRIES = 2048 };

typedef struct nx_trace_entry {
    uint64_t data;
    uint8_t flags;
} nx_trace_entry;

typedef struct nx_trace {
    nx_trace_device device;
    unsigned number;   /* ID of the NIC; port of the switch */
    int direct;        /* of a NIC: one credit lane, 0, for all packets */
    unsigned links;    /* of a NIC */
    int by_packet;     /* these are links by packet */
    unsigned link;     /* the link chosen */
    unsigned capacity; /* of the buffer behind a lane; of a port: of the NIC behind it [link words] */
    int frozen;
    uint32_t cause; /* bits of STATUS; bit 31: header CRC; of a port: of TRACE_FREEZE; 0: the host, if frozen */
    unsigned entries[NX_TRACE_POINTS];
    nx_trace_entry entry[NX_TRACE_POINTS][NX_TRACE_ENTRIES]; /* oldest first */
} nx_trace;

/* ---- the device. ARGUMENT: it was built without tracing memories. */

/* Stops and restarts all points. `how`: 0, each ends when it is full, or 1, round and round; with NX_TRACE_LINK of
 * the link of the points that see one of several. `freeze`: bits of STATUS, bit 31 = a wrong header CRC; `after`:
 * entries of each point recorded after that, 0..2047. */
#define NX_TRACE_LINK(link) ((int)(link) << 1)
int nx_trace_start(nx_device *dev, int how, uint32_t freeze, unsigned after);
/* Freezes now. */
int nx_trace_freeze(nx_device *dev);
/* Bit p: point p records. Negative: an error. */
int nx_trace_running(nx_device *dev);
/* Stops what still records, and reads everything (some 16000 accesses). */
int nx_trace_take(nx_device *dev, nx_trace *trace);

/* ---- files: text, a line for an entry, with version and device at its start and a line at its end. Version 1 knew
 * NICs only, version 2 one link only; they are read, too. */

/* 0, or -1 if it cannot be written: errno. */
int nx_trace_save(const nx_trace *trace, FILE *file);
/* 0, or -1 with one line in `why`: the place, its content, and the expected one. */
int nx_trace_load(nx_trace *trace, FILE *file, char *why, size_t size);

/* ---- reports of a NIC's trace. `file` may be NULL for nx_trace_check. */

/* Packets and events of each point, a line each. */
void nx_trace_print(const nx_trace *trace, FILE *file);
/* Findings with their place, a line each: words lost, doubled, taken from an empty FIFO or changed in it, headers
 * without packets and packets without ends, lengths, sequences, bad bodies, credits that were rejected, jump or slip;
 * of several links with the link, by byte that whose bytes are wrong. RAW is printed, not compared.
 * Returns how many lines. */
unsigned nx_trace_check(const nx_trace *trace, FILE *file);

#endif
