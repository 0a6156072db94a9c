/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* nx: driver library of the RDMA network interface.
 *
 *   nx_device *dev;
 *   nx_params params = nx_params_default();
 *   params.node_id = 0;
 *   if (nx_open(&platform, nic, &params, &dev)) fail(nx_last_error(dev));
 *   nx_transfer(dev, 1, source, destination, bytes, NX_REMOTE | NX_LOCAL, &ticket);   // RDMA write into the memory of
 * node 1 nx_wait(dev, &ticket);                                                            // it has left: the source
 * may be reused
 *
 * and on node 1
 *
 *   nx_notification_wait(dev, 0, &notification);                                      // the data of node 0 are in
 * memory
 *
 * What moves are 64-bit words between addresses that are multiples of 8. A transfer whose length is no multiple of 8
 * moves the last word whole: up to 7 bytes beyond the end are read and written; the true length is the business of the
 * protocol above (sw/file).
 *
 * Waiting never spins on device registers: departures are counted by the device in host memory (local notification) and
 * that word is read only when slots run short or a caller waits (S4 4.2). Registers are read when nothing has happened
 * for a while, to find out why.
 *
 * Every function returns NX_OK or a negative NX_ERROR_ (nx_error.h); the text is in nx_last_error. Several contexts may
 * use one device (see `lock` in nx_platform.h); the error text is the last one of any of them.
 */
#ifndef NX_H
#define NX_H

#include <stdint.h>

#include "nx_bus.h"
#include "nx_error.h"
#include "nx_platform.h"

typedef struct nx_device nx_device;

/* How descriptors reach the request queue. */
enum nx_posting {
    NX_POST_STORES32, /* four 32-bit stores each (S4 2.2) */
    NX_POST_STORES64, /* two 64-bit stores each */
    NX_POST_COMBINED  /* write-combined bursts of 64 bytes: four descriptors at a time (S2 5.2) */
};

typedef struct nx_params {
    /* own node ID, 0..127: what receivers see as source; default 0 */
    unsigned node_id;
    /* 1: cable from NIC to NIC, 0: through a switch; default 1 */
    int direct;
    /* longest payload of a packet [64-bit words], 1..512; default 62 = 496 bytes, the longest that a switch forwards */
    unsigned payload_words;
    /* nx_transfer cuts transfers into descriptors of this many bytes, a multiple of 8 up to 4096; default 0 = the
     * largest multiple of payload_words that fits, so that all packets but the last are full */
    unsigned transfer_bytes;
    /* default NX_POST_COMBINED; NX_POST_STORES32 is used when the platform has no write combining */
    enum nx_posting posting;
    /* nx_transfer sets a start flag on every nth slot, 1..128; default 0 = 4 with write combining, else 1 */
    unsigned cluster;
    /* slots used of each request queue, 2..what the device has; default 0 = all */
    unsigned slots;
    /* a local notification at least every n descriptors; default 0 = a quarter of the slots */
    unsigned notify_every;
    /* packets carry sequence number 0 as in S1, nothing is checked; default 0 */
    int sequence_zero;
    /* receive side waits for whole packets; default 0 */
    int store_and_forward;
    /* receive buffer behind each credit lane [link words], 1..4064; default 0 = the buffer of the link partner: direct,
     * the buffer of a NIC built like this one; else a crosspoint of the switch, 512 */
    unsigned tx_capacity;
    /* loopback mode of the transceivers, 0..3; default 0 = normal operation */
    unsigned loopback;
    /* waiting ends with NX_ERROR_TIMEOUT when nothing has moved for this time [ns]; default 100 ms */
    uint64_t timeout_ns;
    /* waits for an interrupt look at memory again after this time [ns]; default 50 us */
    uint64_t interrupt_slice_ns;
} nx_params;

nx_params nx_params_default(void);

/* ---- life */

/* Takes over a NIC found by the bus scan: checks the version of its registers, resets it, allocates the notification
 * words, sets it up and enables its initiator. `params` NULL = defaults. `platform` must outlive the device. On failure
 * *dev still holds the error text (NULL only when malloc failed): nx_close it in any case. */
int nx_open(const struct nx_platform *platform, const nx_function *function, const nx_params *params, nx_device **dev);
/* Stops the initiator and frees everything; transfers still queued in the device are dropped. Takes NULL. */
void nx_close(nx_device *dev);
/* Software reset and set-up as in nx_open: queued transfers are lost, tickets and notifications taken before are
 * invalid. Nobody else may be using the device. TIMEOUT if the device does not come out of reset. */
int nx_reset(nx_device *dev);
/* Waits until the link is in synchronisation and its first credit has come: before that nothing leaves. TIMEOUT;
 * DEVICE: it never will, as links by byte differ in length by more than they may. */
int nx_wait_link(nx_device *dev);
/* The parameters in force, defaults filled in. */
const nx_params *nx_parameters(const nx_device *dev);
const struct nx_platform *nx_platform_of(const nx_device *dev);
unsigned nx_queues(const nx_device *dev); /* flows 0..n-1 can be sent to */
unsigned nx_slots(const nx_device *dev);  /* descriptors that may be under way per flow */
/* Links that each packet may take one of. With more than one, packets overtake each other: data in memory say nothing
 * about earlier packets; only notifications are in order. */
unsigned nx_paths(const nx_device *dev);
const char *nx_last_error(const nx_device *dev);

/* Registers of BAR1 by offset (nic_register_map.h, made from rtl/nic/monitor/registers.map). */
int nx_register_read(nx_device *dev, unsigned offset, uint32_t *value);
int nx_register_write(nx_device *dev, unsigned offset, uint32_t value);
/* The offset of a register by its name in that map; ARGUMENT: there is none. */
int nx_register_offset(const char *name);

/* ---- benchmark mode (S2 5.3) */

enum {
    NX_TIME_STAMPS =
        1,       /* packets of NX_STAMPED_WORDS or more carry time stamps in place of their first 16 bytes: nx_stamps */
    NX_ZEROS = 2 /* host memory is not read, payloads are zeros */
};
enum { NX_STAMPED_WORDS = 3 };

/* Switches both on or off, 0 is off, as nx_reset does. Waits until nothing is on its way. DEVICE: the NIC was built
 * without time stamps; TIMEOUT. The switch has a switch of its own (sx_stamps_set). With time stamps sources must end
 * at or below 4 GB, else posts are refused (ARGUMENT). */
int nx_benchmark_mode(nx_device *dev, unsigned mode);
/* The clock of the NIC's stamps: PCI clocks. */
int nx_time(nx_device *dev, uint32_t *now);

/* Time stamps in a payload, as clocks of two unrelated counters: PCI clocks of the sender, network clocks of
 * the switch. They wrap around. */
typedef struct nx_stamps {
    uint32_t created;  /* PCI clocks: the last part of the descriptor was written */
    uint32_t departed; /* PCI clocks: its SOP stood on the NIC's port */
    uint32_t arrived;  /* network clocks: its SOP stood on the switch's port; 0: there was none */
    uint32_t left;     /* network clocks: its SOP stood on the switch's other port */
} nx_stamps;

/* Decodes the two first words of a payload. */
nx_stamps nx_stamps_read(const uint64_t payload[2]);

/* ---- sending */

enum {
    NX_REMOTE = 1,     /* the receiver gets a notification word */
    NX_LOCAL = 2,      /* we get a local notification: give it to whatever will be waited for */
    NX_INTERRUPT = 4,  /* the receiver gets an interrupt */
    NX_START = 8,      /* nx_post: this descriptor and all waiting before it in its queue may be served */
    NX_HOLD = 16,      /* nx_transfer: no start flag on the last descriptor, more follows at once */
    NX_OPERATION = 32, /* nx_post: `destination` is an operation (nx_operation.h), no address; at most a packet long */
    NX_IMMEDIATE = 64  /* nx_post: `source` is the data, one word: host memory is not read */
};
/* nx_post, nx_transfer: counting group of these packets, 1..63; the receiver checks no order (rtl/sync/README.md). */
#define NX_GROUP(n) ((unsigned)(n) << 8)
#define NX_GROUP_MASK NX_GROUP(63)

typedef struct nx_descriptor {
    uint64_t source;      /* bus address in own memory, multiple of 8 */
    uint32_t destination; /* bus address in the receiver's memory, multiple of 8 */
    unsigned words;       /* 64-bit words, 1..512 */
    unsigned flow;        /* destination node = request queue */
    unsigned flags; /* NX_REMOTE | NX_LOCAL | NX_INTERRUPT | NX_START | NX_OPERATION | NX_IMMEDIATE | NX_GROUP(n) */
} nx_descriptor;

/* Names a posted descriptor, for nx_wait. */
typedef struct nx_ticket {
    unsigned flow;
    uint32_t position; /* free-running count of descriptors of the flow, this one included */
    uint32_t lost;     /* descriptors of the flow lost before this one was posted */
} nx_ticket;

/* Puts one descriptor into the next slot of its queue; waits for a slot if there is none. Without NX_START it waits in
 * the device (or, with write combining, in the driver) for a later one of the same flow that has it; the driver adds
 * the flag when the queue would otherwise be full of waiting descriptors. `ticket` may be NULL. ARGUMENT leaves the
 * queue as it was. ABANDONED: the device lost an earlier descriptor of this flow while this call waited; this one has
 * not been posted. */
int nx_post(nx_device *dev, const nx_descriptor *descriptor, nx_ticket *ticket);

/* A cluster of descriptors, all of one flow, without a start flag: it stays in the device until a counter releases it
 * (rtl/sync/README.md). Several of a flow are released one after the other. Until the last one has left, other posts on
 * this flow wait: their start flags would release it. NO_SPACE: there are not that many slots free, nothing was posted.
 */
int nx_prepare(nx_device *dev, const nx_descriptor *descriptor, unsigned count, nx_ticket *ticket);

/* RDMA write of `bytes` bytes, cut into descriptors; flags apply to the last one. Returns when all are posted, not when
 * they have left: until then the source must not change. 0 bytes post nothing and must not ask for notifications.
 * Errors as nx_post; after one of them a part may have been posted. */
int nx_transfer(nx_device *dev, unsigned flow, uint64_t source, uint32_t destination, uint64_t bytes, unsigned flags,
                nx_ticket *ticket);

/* Descriptors of the flow that could be posted now without waiting. */
int nx_free_slots(nx_device *dev, unsigned flow);
/* The same by registers, for who never waits: what the device has lost is seen, too. `lost`: descriptors of the flow
 * lost so far. */
int nx_free_slots_now(nx_device *dev, unsigned flow, uint32_t *lost);
/* 1: everything up to the ticket has left, 0: not known to have left yet. Reads memory only. */
int nx_done(nx_device *dev, const nx_ticket *ticket);
/* Waits for that. ABANDONED: a descriptor of the flow was skipped or abandoned since the ticket was given; TIMEOUT. */
int nx_wait(nx_device *dev, const nx_ticket *ticket);
/* Waits until everything posted on the flow has left. */
int nx_drain(nx_device *dev, unsigned flow);

/* ---- receiving: notifications and interrupts */

typedef struct nx_notification {
    uint64_t raw;         /* the word as the device wrote it: the header received, [63] = flagged */
    unsigned source;      /* node */
    int flagged;          /* data of this source are lost or damaged */
    unsigned sequence;    /* 9 bits; over several paths 10 */
    unsigned words;       /* length of the last packet */
    uint32_t destination; /* address of the last packet */
} nx_notification;

/* Takes the notification word of a source, if there is one: 1 = taken, 0 = none, FLAGGED = taken, but data are lost or
 * damaged
 * (`notification` is filled in all the same). A source has one word: notifications that come faster than they are taken
 * replace each other, flags too; NIC_FLAGGED_NOTIFICATIONS counts them all. Lossless protocols limit outstanding
 * packets, or check (sw/file). */
int nx_notification_poll(nx_device *dev, unsigned source, nx_notification *notification);
/* Waits for one; by polling, or by interrupts after nx_use_interrupts (then the sender must give NX_INTERRUPT too).
 * NX_OK = taken; FLAGGED, TIMEOUT. */
int nx_notification_wait(nx_device *dev, unsigned source, nx_notification *notification);

/* Waits sleep until the device interrupts (1) instead of polling memory (0, after nx_open). */
int nx_use_interrupts(nx_device *dev, int on);
/* One round of waiting for whatever `ready` looks at in memory: returns NX_OK at once if ready() is not 0, else idles a
 * little (polling) or sleeps until the next interrupt and returns NX_OK: look again. With interrupts the order is that
 * of S4 4.1: enable (which clears the flag), flush posted writes by a register read, look again, only then sleep; on
 * waking, disable (which clears the flag too), so that arrivals before the next wait cost no interrupt. Several threads
 * may wait: the last one that wakes disables. */
int nx_wait_event(nx_device *dev, int (*ready)(void *), void *arg);
/* Statistics of waiting. `late`: something was found when a sleep of interrupt_slice_ns ended without an interrupt. */
typedef struct nx_wait_statistics {
    uint64_t idles, sleeps, interrupts, late;
} nx_wait_statistics;
nx_wait_statistics nx_wait_counts(const nx_device *dev);

/* ---- what went wrong */

/* Masks, bit l is link l; all 0 with one path. */
typedef struct nx_path_status {
    unsigned up, dead;                   /* both ends receive; one has not for 1 ms: packets to send are dropped */
    unsigned remote_fault;               /* ... it is the link partner */
    unsigned char send[16], receive[16]; /* in use, per flow, and per source */
    unsigned depth, late, anew;          /* reordering since RST#: RESEQ_DEPTH, RESEQ_EVENTS */
} nx_path_status;

typedef struct nx_status {
    uint32_t status;   /* STATUS register: NIC_STATUS_*_MASK */
    uint32_t link;     /* LINK_STATUS register */
    uint32_t lost[16]; /* descriptors skipped or abandoned, per flow, since nx_open or nx_reset */
    nx_path_status paths;
    uint64_t errors; /* sum of all error counters of the device */
    char text[4096]; /* one line per status bit, per error counter that is not 0, and per path that is not as it should
                        be; else "no errors\n" */
} nx_status;

/* Reads STATUS, the link state, all error counters, and the state of the paths. */
int nx_status_read(nx_device *dev, nx_status *status);
/* Clears STATUS bits (write 1 to clear). */
int nx_status_clear(nx_device *dev, uint32_t bits);

#endif
