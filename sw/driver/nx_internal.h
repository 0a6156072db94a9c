/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Inside of the driver library: not for users. */
#ifndef NX_INTERNAL_H
#define NX_INTERNAL_H

#include "nic_register_map.h"
#include "nx.h"
#include "nx_words.h"

enum {
    NX_QUEUE_WINDOW = 0x4000, /* offset of the request queues in BAR1 (design.md 3) */
    NX_DESCRIPTOR_BYTES = 16,
    NX_LINE_BYTES = 64, /* write-combining line */
    NX_SOURCES = 128,
    NX_CROSSPOINT_UNITS = 512, /* [link words] a sender may have in a crosspoint of the switch: 2 Kbyte (S1 3.2.2) */
    NX_CAPACITY_MAX = 4064,    /* [link words] the most that counters of 12 bits can show in steps of 32 */
    NX_QUEUES_MAX = 16,        /* places in the arrays of the map and nx_status.lost */
    NX_CFG_INTERRUPT = 0x40,   /* Application Interrupt Register (S1 3.1.2) */
    /* idle rounds without progress before registers are read: with and without a local notification on its way */
    NX_SLOW = 4096,
    NX_UNTOLD = 16
};

/* One request queue. All counts are free-running modulo 2^32. */
struct nx_queue {
    uint32_t posted;   /* descriptors given a slot */
    uint32_t departed; /* as last read */
    uint32_t lost;     /* skipped or abandoned, as last read */
    uint32_t lost_at_open;
    uint32_t notified;     /* `posted` after the last descriptor with a local notification */
    uint32_t released;     /* `posted` after the last descriptor with a start flag */
    uint32_t prepared_end; /* `posted` after the last cluster of nx_prepare; 1: it may not have left yet */
    int prepared;
    unsigned slot;         /* where the next descriptor goes */
    unsigned staged_first; /* write combining: slots staged_first.. of one line wait in `line` */
    unsigned staged_count;
    uint8_t line[NX_LINE_BYTES];
};

struct nx_device {
    const struct nx_platform *platform;
    nx_function function;
    nx_params params;
    uint64_t registers; /* address of BAR1 */
    unsigned queues, depth;
    uint32_t build;
    unsigned buffer_units; /* [link words] receive buffer of a NIC built like this one */
    uint64_t remote_words; /* bus address of the notification words: NX_SOURCES, then one per queue */
    uint64_t local_words;
    struct nx_queue queue[NX_QUEUES_MAX];
    struct nx_path_state *paths; /* nx_path_begin; NULL: not watched */
    int time_stamps;             /* packets carry them */
    void *sync_counts;           /* of sw/sync, for the life of the device; freed with it */
    int sync;                    /* operations, immediates and groups are built (rtl/sync) */
    int locked;                  /* cooperative lock, when the platform has none */
    int interrupts;              /* waits sleep */
    unsigned sleepers;           /* waits between enabling the interrupt and waking */
    nx_wait_statistics waits;
    char error[512];
};

__attribute__((format(printf, 3, 4))) int nx_fail(nx_device *dev, int error, const char *format, ...);
void nx_lock(nx_device *dev);
void nx_unlock(nx_device *dev);
/* A store fence, where the platform has one. */
int nx_fence(nx_device *dev);
/* Queue state from the device after a reset; called by the set-up. */
int nx_queues_start(nx_device *dev);
/* nx_post into the slot that is kept for the words of nx_path.h: at most one of these is in a queue. Never waits for a
 * slot. */
int nx_post_reserved(nx_device *dev, const nx_descriptor *d, nx_ticket *ticket);
/* All links in use, as after RST#. Nothing with one path. */
int nx_path_all(nx_device *dev);
/* After a reset: words that were posted are gone. */
void nx_path_restart(nx_device *dev);
uint64_t nx_memory_get64(nx_device *dev, uint64_t address);
/* Links by byte: the error of their skew found last, 0 characters if there is none. */
int nx_skew_text(nx_device *dev, char *text, size_t size);
/* Names of the error bits set in a STATUS value, into `text`. */
void nx_status_names(uint32_t status, char *text, size_t size);
/* Bits of STATUS that report lost descriptors. */
#define NX_STATUS_LOST                                                                                                 \
    (NIC_STATUS_DESCRIPTOR_LENGTH_MASK | NIC_STATUS_DESCRIPTOR_ADDRESS_MASK | NIC_STATUS_DESCRIPTOR_FLOW_MASK |        \
     NIC_STATUS_READ_ERROR_MASK)

_Static_assert(NX_QUEUES_MAX <= NIC_QUEUE_DEPARTED_COUNT && NX_QUEUES_MAX <= NIC_QUEUE_SKIPPED_COUNT &&
                   NX_QUEUES_MAX <= NIC_QUEUE_POINTERS_COUNT,
               "the register map shows fewer queues than the driver serves");

/* Registers that a device with this BUILD lacks read 0, and take the time of a read. */
static inline int nx_register_there(const struct nic_register *r, uint32_t build)
{
    unsigned links = (build & NIC_BUILD_LINKS_MASK) >> NIC_BUILD_LINKS_SHIFT;
    return r->paths ? links > 1 && build & NIC_BUILD_BOND_MASK : r->links <= 1 || r->links <= links;
}

#endif
