/* The tracing memories of the switch (S4 2.8; rtl/switch/monitor_trace.v): what one port of each network clock receives
 * and sends. Only a switch that was built with them has any (TRACE=1).
 *
 *     sx_trace_start(&sw, 1, 1, SX_TRACE_EVENT(0), 100);      port 1, round and round, until a header comes with a
 * wrong CRC
 *     ...
 *     if (sx_trace_take(&sw, 1, &trace)) die(sw.error);
 *     nx_trace_save(&trace, file);                            for the tool nxtrace
 *     sx_trace_check(&trace, stdout);
 *
 * The two points of a port are NX_PORT_IN and NX_PORT_OUT (nx_trace.h). An entry is two words of a frame, of 32 bits,
 * without the SOP. All functions that return int give 0, or -1 with the reason in sw->error. */
#ifndef SX_TRACE_H
#define SX_TRACE_H

#include <stdio.h>

#include "nx_trace.h"
#include "sx.h"

/* Bits of an entry's flags in addition to those of nx_trace.h, with NX_TRACE_VALID. */
enum { SX_TRACE_HALF = 0x10 /* only the first word is there */, SX_TRACE_ERROR = 0x20 /* a code error */ };

/* Of an event, sx_event_name(n): its bit. All but those of check records, which come without anything being wrong;
 * RECORDS_UNKNOWN are those of lanes that only a larger switch has. */
#define SX_TRACE_EVENT(n) (1u << (n))
#define SX_TRACE_ANY 0xfe7fu
/* Bits out of names with commas between them, HEADER_ERRORS,PADDED, or any; 0: one of them is none. */
uint32_t sx_trace_events(const char *names);
/* And back: the names of the bits with blanks between them. */
void sx_trace_names(uint32_t events, char *text, size_t size);

/* Records this port; a running trace of its clock is stopped before. `circular` 0: each point ends when it is full.
 * `events` freeze it; `after`, 0..1023: entries of each point recorded after that. */
int sx_trace_start(sx_switch *sw, unsigned port, int circular, uint32_t events, unsigned after);
/* Freezes now what the port's clock records. */
int sx_trace_freeze(sx_switch *sw, unsigned port);
/* Stops it and forgets it. (What passes in the clocks between two accesses may stand there afterwards.) */
int sx_trace_clear(sx_switch *sw, unsigned port);

typedef struct sx_trace_state {
    unsigned port;    /* the one of this clock that is, or was, traced */
    unsigned running; /* bit p: point p records */
    int frozen, circular;
    uint32_t events, cause; /* that freeze it; that have */
    unsigned after;
} sx_trace_state;

/* Of the memories of the port's clock. */
int sx_trace_state_get(sx_switch *sw, unsigned port, sx_trace_state *state);
/* Stops what still records, and reads everything (some 8000 accesses). Refused if the clock's memories are another
 * port's. */
int sx_trace_take(sx_switch *sw, unsigned port, nx_trace *trace);

/* Frames and events of both points, a line each. */
void sx_trace_print(const nx_trace *trace, FILE *file);
/* Findings with their place, a line each: words omitted or doubled, frames that have no end or no SOP, lengths, CRCs,
 * code errors, sequences, counts of words that do not follow the packets, credits that jump, and events of the port.
 * Returns how many lines; `file` may be NULL. */
unsigned sx_trace_check(const nx_trace *trace, FILE *file);

#endif
