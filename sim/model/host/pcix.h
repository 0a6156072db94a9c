/* Common definitions of the PCI-X bus model: the signals, one clock of the bus, the commands and the arithmetic of
 * bursts.
 *
 * Numbers of sections (3.5, 5.1 ...) are those of the project's PCI-X sheet, pcix.md.
 *
 * Levels are those of the wires: a bit of `level` is 1 for high. Active-low signals are asserted when their bit is 0.
 * Nothing here has state.
 */
#ifndef SIM_MODEL_HOST_PCIX_H
#define SIM_MODEL_HOST_PCIX_H

#include <stdbool.h>
#include <stdint.h>

/* signals that several agents can drive. The wide ones appear as their two halves: one output enable each. */
enum pcix_signal {
    PCIX_FRAME,
    PCIX_IRDY,
    PCIX_DEVSEL,
    PCIX_TRDY,
    PCIX_STOP,
    PCIX_REQ64,
    PCIX_ACK64,
    PCIX_PERR,
    PCIX_SERR,
    PCIX_PAR,
    PCIX_PAR64,
    PCIX_AD,
    PCIX_AD64,
    PCIX_CBE,
    PCIX_CBE64,
    PCIX_SIGNALS
};
#define PCIX_BIT(signal) (1u << (signal))

#define PCIX_OE_TARGET (PCIX_BIT(PCIX_DEVSEL) | PCIX_BIT(PCIX_TRDY) | PCIX_BIT(PCIX_STOP))
#define PCIX_OE_AD (PCIX_BIT(PCIX_AD) | PCIX_BIT(PCIX_AD64))
#define PCIX_OE_CBE (PCIX_BIT(PCIX_CBE) | PCIX_BIT(PCIX_CBE64))
#define PCIX_PULLED_UP 0x07ffu /* level of the eleven one-bit signals when undriven */

enum { PCIX_AGENTS = 8 }; /* most agents on one bus */

/* commands on C/BE[3:0]# (section 2) */
enum pcix_command {
    PCIX_INTERRUPT_ACK = 0x0,
    PCIX_SPECIAL = 0x1,
    PCIX_IO_READ = 0x2,
    PCIX_IO_WRITE = 0x3,
    PCIX_RESERVED4 = 0x4,
    PCIX_RESERVED5 = 0x5,
    PCIX_MEMORY_READ_DWORD = 0x6,
    PCIX_MEMORY_WRITE = 0x7,
    PCIX_ALIAS_READ = 0x8,
    PCIX_ALIAS_WRITE = 0x9,
    PCIX_CONFIG_READ = 0xa,
    PCIX_CONFIG_WRITE = 0xb,
    PCIX_SPLIT_COMPLETION = 0xc,
    PCIX_DUAL_ADDRESS = 0xd,
    PCIX_READ_BLOCK = 0xe,
    PCIX_WRITE_BLOCK = 0xf
};

/* where in a transaction a clock lies; found by pcix_tracker */
enum pcix_phase {
    PCIX_PH_IDLE,     /* FRAME# and IRDY# high */
    PCIX_PH_ADDRESS,  /* first (or only) address phase */
    PCIX_PH_ADDRESS2, /* second address phase of a dual address cycle */
    PCIX_PH_ATTRIBUTE,
    PCIX_PH_RESPONSE,  /* no target has answered before this clock; DEVSEL# may fall in it */
    PCIX_PH_WAIT,      /* DEVSEL# was low before, no response yet */
    PCIX_PH_DATA,      /* a word moves */
    PCIX_PH_TERMINATE, /* the clock of a response that moves no data: Retry, Split Response, Target-Abort */
    PCIX_PH_OVER       /* over for the target, initiator not yet off the bus */
};

/* how a transaction ended */
enum pcix_end {
    PCIX_END_COUNT,     /* byte count satisfied */
    PCIX_END_INITIATOR, /* initiator disconnect at an ADB */
    PCIX_END_TARGET,    /* Disconnect at Next ADB */
    PCIX_END_SINGLE,    /* Single Data Phase Disconnect */
    PCIX_END_RETRY,
    PCIX_END_SPLIT,
    PCIX_END_TARGET_ABORT,
    PCIX_END_MASTER_ABORT
};

/* One clock of the bus: what everybody samples at this rising edge. */
typedef struct pcix_sample {
    uint64_t clock;
    uint64_t ad;
    union {
        struct {
            uint16_t level;        /* one-bit signals, pull-ups included */
            uint16_t gnt_n, req_n; /* bit per agent; not wired-or'ed, so always levels */
            uint8_t cbe;
            uint8_t rst_n;
        };
        uint64_t wires; /* all of these at once */
    };
    uint16_t driven;          /* driven signals */
    uint16_t oe[PCIX_AGENTS]; /* who drives what */
    uint8_t inta;             /* bit per agent that pulls INTA# low */
    uint8_t phase;            /* enum pcix_phase */
    uint16_t index;           /* of the data phase */
} pcix_sample;

/* Agent that drives this signal, or -1. */
static inline int pcix_driver(const pcix_sample *s, int signal)
{
    for (int i = 0; i < PCIX_AGENTS; i++)
        if (s->oe[i] & PCIX_BIT(signal)) return i;
    return -1;
}

/* Signals driven by one agent in one clock. `oe` 0 = nothing; req_n and gnt_n are point to point and always count. */
typedef struct pcix_drive {
    uint64_t ad;
    uint16_t level, oe;
    uint16_t gnt_n; /* the arbiter: GNT# of every agent; all others leave it at 0xffff */
    uint8_t cbe;
    uint8_t req_n;
    uint8_t inta; /* 1 pulls INTA# low */
} pcix_drive;

static inline bool pcix_low(const pcix_sample *s, int signal) { return (s->level & PCIX_BIT(signal)) == 0; }
static inline bool pcix_idle(const pcix_sample *s)
{
    return (s->level & (PCIX_BIT(PCIX_FRAME) | PCIX_BIT(PCIX_IRDY))) == (PCIX_BIT(PCIX_FRAME) | PCIX_BIT(PCIX_IRDY));
}

/* Drives one-bit signal(s) of `mask` to a level. */
static inline void pcix_put(pcix_drive *d, unsigned mask, int level)
{
    d->oe = (uint16_t)(d->oe | mask);
    d->level = (uint16_t)(level ? d->level | mask : d->level & ~mask);
}

/* PAR (bit 0) and PAR64 (bit 1): each is 1 if the number of ones on its 32 AD and 4 C/BE# lines is odd (section 10). */
static inline unsigned pcix_parity(uint64_t ad, unsigned cbe)
{
    uint64_t x = ad ^ (cbe & 15) ^ (uint64_t)(cbe >> 4 & 15) << 32;
    x ^= x >> 16;
    x ^= x >> 8;
    x ^= x >> 4;
    return (0x6996u >> (x & 15) & 1) | (0x6996u >> (x >> 32 & 15) & 1) << 1;
}

static inline bool pcix_is_dword(int command)
{
    return command < PCIX_MEMORY_WRITE || command == PCIX_CONFIG_READ || command == PCIX_CONFIG_WRITE;
}
/* Data flows from the target to the initiator. */
static inline bool pcix_is_read(int command)
{
    return command == PCIX_INTERRUPT_ACK || command == PCIX_IO_READ || command == PCIX_MEMORY_READ_DWORD ||
           command == PCIX_ALIAS_READ || command == PCIX_CONFIG_READ || command == PCIX_READ_BLOCK;
}
static inline bool pcix_is_memory_write(int command)
{
    return command == PCIX_MEMORY_WRITE || command == PCIX_ALIAS_WRITE || command == PCIX_WRITE_BLOCK;
}
static inline bool pcix_is_memory_read(int command)
{
    return command == PCIX_MEMORY_READ_DWORD || command == PCIX_ALIAS_READ || command == PCIX_READ_BLOCK;
}
static inline bool pcix_is_config(int command) { return command == PCIX_CONFIG_READ || command == PCIX_CONFIG_WRITE; }

/* Byte count of an attribute phase of a burst command: 12 bits, 0 stands for 4096 (3.3). */
static inline unsigned pcix_byte_count(uint32_t attribute, unsigned cbe)
{
    unsigned n = (cbe & 15) << 8 | (attribute & 0xff);
    return n ? n : 4096;
}
/* Data phases of `count` bytes from `address` with `width` bytes per phase (3.3). */
static inline unsigned pcix_phases(uint64_t address, unsigned count, unsigned width)
{
    return ((unsigned)(address & (width - 1)) + count + width - 1) / width;
}
/* Data phases from `address` up to the first ADB that needs at least `at_least` of them (3.6). */
static inline unsigned pcix_phases_to_adb(uint64_t address, unsigned width, unsigned at_least)
{
    unsigned per_adq = 128 / width, n = per_adq - (unsigned)(address & 127) / width;
    while (n < at_least) n += per_adq;
    return n;
}
/* Bytes moved by the first `phases` data phases of a burst. */
static inline unsigned pcix_bytes(uint64_t address, unsigned count, unsigned width, unsigned phases)
{
    unsigned n = phases * width;
    unsigned skip = (unsigned)(address & (width - 1));
    n = n > skip ? n - skip : 0;
    return n < count ? n : count;
}
#define PCIX_ID(bus, device, function)                                                                                 \
    ((unsigned)(bus) << 8 | (unsigned)(device) << 3 | (unsigned)(function)) /* AD[23:8] */

/* Names for reports; never NULL. */
const char *pcix_command_name(int command);
const char *pcix_phase_name(int phase);
const char *pcix_end_name(int end);
const char *pcix_signal_name(int signal);

#endif
