/* The initiator half of a C agent: runs one transaction at a time, as registered hardware would (pcix.md 3 to 6, 8).
 *
 * The owner (a bridge, a test's device) calls pcix_initiator_see and pcix_initiator_step once per clock from its own
 * step function, with the sample of two clocks ago. Between them it may learn the result of the last transaction
 * (pcix_initiator_done) and start the next one when pcix_initiator_may_start says so (section 9). PAR is not driven
 * here: see pcix_agent.h.
 */
#ifndef SIM_MODEL_HOST_PCIX_INITIATOR_H
#define SIM_MODEL_HOST_PCIX_INITIATOR_H

#include "sim/model/host/pcix.h"

/* One transaction to run. The buffers must stay until it is done. */
typedef struct pcix_request {
    int command;
    uint64_t
        address; /* byte address; above 4 GB a dual address cycle is used. Configuration: the whole Type 0 address */
    uint32_t attribute; /* AD[31:0] of the attribute phase; AD[7:0] is filled in with the count for burst commands */
    unsigned count;     /* burst commands: byte count written into the attribute, 1..4096 */
    uint8_t enables;    /* DWORD commands: byte enables, bit set = byte wanted */
    bool wide;          /* ask for 64 bits with REQ64# (burst commands) */
    const uint8_t
        *data; /* writes, completions: byte i is for address + i; DWORD commands: the four bytes of AD[31:0] */
    const uint8_t *lanes; /* Memory Write: byte i is written if lanes[i] != 0; NULL = all */
    uint8_t *read;        /* reads: where the bytes go, laid out like `data` */
    unsigned cut; /* bytes after which the initiator disconnects; address + cut must be an ADB; 0 = run to the end */
} pcix_request;

typedef struct pcix_result {
    int end;           /* enum pcix_end */
    unsigned bytes;    /* moved */
    bool parity_error; /* immediate read data came with wrong parity */
    uint64_t start;    /* clock of FRAME# */
} pcix_result;

typedef struct pcix_initiator {
    /* data; set by the owner before use */
    int agent;              /* bit of our GNT# */
    unsigned latency_timer; /* [clocks]; 0 = may be cut at once when GNT# is taken */
    bool parity_response;   /* drive PERR# */
    bool fast_start;        /* start rule (b): at L+2 after a burst of four or more phases; 0 = rule (a) only */

    /* state */
    bool active, finished;
    pcix_request q;
    bool dword, writes; /* the command is a DWORD one; data goes to the target */
    pcix_result result;
    uint64_t first, a0, a, d,
        r; /* first stepping clock or FRAME#; FRAME#; last address; DEVSEL#; response. 0 = not yet */
    uint64_t frame_rise, irdy_rise;      /* 0 = not known yet */
    unsigned width, phases, last, moved; /* bytes; data phases: all, index of the last one, done */
    bool data, stop_seen;
    uint64_t parity_of;               /* clock of the last word read, whose parity comes one clock later */
    uint64_t perr_until;              /* the clock in which PERR# is driven high again */
    uint16_t now_level, before_level; /* of samples m-2 and m-3, for rule (b) */
} pcix_initiator;

/* For the functions below only: the running transaction sees a sample, goes on. */
void pcix_initiator_take(pcix_initiator *x, const pcix_sample *now);
void pcix_initiator_go_on(pcix_initiator *x, const pcix_sample *now, const pcix_sample *before, pcix_drive *out);

/* In the middle of a burst to a target that goes on, too: FRAME# does not rise yet, and need not. */
static inline bool pcix_initiator_flows(const pcix_initiator *x, const pcix_sample *now)
{
    const unsigned answer = PCIX_BIT(PCIX_DEVSEL) | PCIX_BIT(PCIX_TRDY) | PCIX_BIT(PCIX_STOP);
    uint64_t m = now->clock + 2;
    return x->data && x->writes && m < x->frame_rise && (now->level & answer) == PCIX_BIT(PCIX_STOP) &&
           (m - x->a0 <= x->latency_timer || !(now->gnt_n >> x->agent & 1));
}
/* First thing in a clock: takes the newest sample. */
static inline void pcix_initiator_see(pcix_initiator *x, const pcix_sample *now)
{
    x->before_level = x->now_level;
    x->now_level = now->level;
    if (!x->active || now->clock < x->a0) return;
    if (pcix_initiator_flows(x, now)) x->moved = (unsigned)(now->clock - x->r) + 1;
    else pcix_initiator_take(x, now);
}

/* GNT# and an idle bus two clocks ago (rule (a)), or with fast_start rule (b); never while a transaction of ours runs.
 */
static inline bool pcix_initiator_may_start(const pcix_initiator *x, const pcix_sample *now)
{
    const unsigned both = PCIX_BIT(PCIX_FRAME) | PCIX_BIT(PCIX_IRDY);
    if (x->active || !now->rst_n || now->gnt_n >> x->agent & 1) return false;
    return pcix_idle(now) || (x->fast_start && (x->before_level & both) == PCIX_BIT(PCIX_FRAME));
}

/* Begins in the clock being made. */
void pcix_initiator_start(pcix_initiator *x, const pcix_request *q, const pcix_sample *now);

/* True once when GNT# has been taken away during the address stepping of a configuration transaction (6.4): nothing is
 * driven any more and the request must be started again. Ask right after pcix_initiator_see. */
static inline bool pcix_initiator_lost_grant(pcix_initiator *x, const pcix_sample *now)
{
    if (!x->active || now->clock + 2 > x->a0 || x->a0 == x->first || !(now->gnt_n >> x->agent & 1)) return false;
    x->active = false;
    return true;
}

/* Last thing in a clock: data for the bus. */
static inline void pcix_initiator_step(pcix_initiator *x, const pcix_sample *now, const pcix_sample *before,
                                       pcix_drive *out)
{
    if (x->active || x->perr_until >= now->clock + 2 || x->parity_of + 1 == now->clock)
        pcix_initiator_go_on(x, now, before, out);
}

/* 1 once per transaction, when it is over; the result is valid until the next start. */
static inline bool pcix_initiator_done(pcix_initiator *x)
{
    bool done = x->finished;
    x->finished = false;
    return done;
}

/* To be called while RST# is low. */
void pcix_initiator_reset(pcix_initiator *x);

#endif
