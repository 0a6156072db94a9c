/* How a host behaves: data only. Take one of the ready sets and change what matters.
 *
 *     host_params p = host_params_server2004();
 *     p.write_retries = 2;
 *     host *h = host_new(sim, pci_clock, &p, "host0");
 *
 * All times are PCI-X bus clocks.
 */
#ifndef SIM_MODEL_HOST_HOST_PARAMS_H
#define SIM_MODEL_HOST_HOST_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/model/host/write_combining.h"

enum { HOST_CUTS = 8 };

/* the agent that keeps GNT# on an idle bus */
enum pcix_park {
    PCIX_PARK_NOBODY,
    PCIX_PARK_BRIDGE,
    PCIX_PARK_DEVICE /* the device that used the bus last; at first the one with the lowest number */
};

typedef struct host_params {
    /* --- the bus --- */
    int mode; /* pattern {DEVSEL#,STOP#,TRDY#}, asserted = 1: 1 PCI-X 66, 2 PCI-X 100, 3 PCI-X 133, 0 conventional */
    unsigned reset_clocks; /* RST# low this long after host_reset is called, >= 16 */
    uint8_t bus_number;    /* of this bus segment */
    bool monitor;          /* check every clock; off only for speed runs */
    int capability; /* offset of the PCI-X capability in the devices' configuration space; 0 = their limits are not
                       checked */

    /* --- arbiter (pcix_arbiter.h) --- */
    bool hidden_arbitration; /* next owner chosen during a transaction; off: devices get GNT# on an idle bus only, lose
                                it at FRAME# */
    int park;                /* enum pcix_park */
    unsigned grant_delay;    /* from a device's REQ# to its GNT#, beyond the minimum of two */

    /* --- bridge as target --- */
    uint64_t hole_from, hole_to; /* addresses not claimed: where the devices are; inclusive */
    unsigned decode;             /* DEVSEL# at A + this: 2 (A), 3 (B), 4 (C) or 6 */
    bool narrow;                 /* 32-bit target: never ACK64# */
    unsigned write_waits;        /* wait states before the first word of a write; even */
    unsigned write_retries;      /* Retry each new memory write that often before it is taken */
    unsigned write_buffer; /* [bytes] a write is disconnected at multiples of this (a multiple of 128); 0 = never */
    unsigned read_retries; /* Retry each new memory read that often before it is taken */
    bool immediate_reads;  /* answer reads at once with data instead of a Split Response */
    unsigned read_waits;   /* wait states before immediate data */
    bool parity_response;  /* PERR# on bad data, SERR# on bad addresses */

    /* --- bridge as completer --- */
    unsigned splits;         /* reads accepted at once; more are retried. 1..32 */
    unsigned split_latency;  /* from the address phase of the request to the address phase of its first completion, if
                                the bus is free */
    unsigned split_growth;   /* the additional part for a read of 4096 bytes, in proportion for shorter ones */
    unsigned completion_gap; /* idle clocks between the end of one completion and the next, at least 2 */
    unsigned cuts;           /* how many of cut_adqs are used; 0 = one completion */
    unsigned cut_adqs[HOST_CUTS]; /* pieces of one sequence [ADQs of 128 bytes], the last one repeated */
    bool interleave;              /* completions of several reads take turns at each cut */
    bool narrow_completions;      /* return data with 32 bits */
    bool count_modified;          /* the first completion ends at its first ADB and counts no further: BCM (6.6) */

    /* --- bridge as initiator, for the CPU --- */
    unsigned latency_timer; /* a burst of ours may be cut after this when others want the bus */
    bool fast_start;        /* start one clock earlier after bursts, rule (b) of section 9 */
    unsigned post_depth;    /* posted writes that wait in the bridge; 1..64 */
    unsigned write_period;  /* least distance of the address phases of two posted writes; 0 = as fast as the bus goes */
    unsigned combined_period; /* the same of a write-combined line of 64 bytes; 0 for a part of a line, which follows at
                                 once */
    unsigned retry_delay;     /* from a Retry to the next attempt, >= 2 */
    bool narrow_writes;       /* never ask for 64 bits */

    /* --- the CPU's write-combining buffers --- */
    write_combining_params combining;
} host_params;

/* Decode A, no retries or disconnects, GNT# parked with the device on an idle bus, 16 clocks of read latency, one
 * completion. */
host_params host_params_ideal(void);
/* The server of pcix.md 13: 570 clocks per 4 KB written, 592 per 4 KB read, 10 clocks per single store, 24 per
 * write-combined line, 9 and 11 for one and two descriptors in a line that is not full. */
host_params host_params_server2004(void);
/* The same, but reads as S4 measured them on its server: 46 clocks from Split Response to data at 8 bytes, 57 at 4 KB,
 * 577 for 4 KB. */
host_params host_params_server2006(void);
/* One of these by its name; false: there is none. */
#define HOST_PARAMS_NAMES "server2004, server2006 or ideal"
bool host_params_named(const char *name, host_params *p);
/* NULL if usable, else what is wrong. */
const char *host_params_check(const host_params *p);

#endif
