/* The target half of a C agent: answers one transaction at a time, as registered hardware would (pcix.md 3 to 6, 8).
 *
 * The owner decides through two calls, in the clocks in which hardware could decide: `claim` when the address has been
 * seen, `answer` when the attribute has. It then gets the words of a write one by one, or has given the bytes of a
 * read. PAR is not driven here: see pcix_agent.h.
 */
#ifndef SIM_MODEL_HOST_PCIX_TARGET_H
#define SIM_MODEL_HOST_PCIX_TARGET_H

#include "sim/model/host/pcix.h"

/* State of the transaction; `attribute` and later fields only from `answer` on. */
typedef struct pcix_access {
    int command;
    uint64_t address;
    uint32_t attribute;
    uint8_t attribute_cbe;
    unsigned count; /* bytes; 4 for DWORD commands */
    bool dac, req64, idsel;
    bool parity_error; /* in an address phase (as far as known yet) or the attribute phase */
    uint64_t start;    /* clock of FRAME# */
} pcix_access;

/* The answer. `claim` fills in decode and wide, `answer` the rest. */
typedef struct pcix_answer {
    unsigned decode; /* DEVSEL# at A + this: 2, 3, 4 (A, B, C) or 6 */
    bool wide;       /* ACK64# if REQ64# */
    int end; /* PCIX_END_COUNT: data; PCIX_END_TARGET: Disconnect at Next ADB; _SINGLE, _RETRY, _SPLIT, _TARGET_ABORT */
    unsigned waits;      /* wait states before the response; even for writes and completions (3.2) */
    unsigned at;         /* data phase index in which PCIX_END_TARGET or PCIX_END_TARGET_ABORT is signalled */
    const uint8_t *read; /* reads: byte i is for address + i; DWORD commands: the four bytes of AD[31:0]. Must stay
                            until the end */
} pcix_answer;

typedef struct pcix_target_calls {
    /* True: this agent answers. */
    bool (*claim)(void *owner, const pcix_access *q, pcix_answer *a);
    void (*answer)(void *owner, const pcix_access *q, pcix_answer *a);
    /* A word of a write or completion: `ad` with byte lanes as on the bus, `lanes` bit per byte to take, `address` of
     * lane 0. */
    void (*take)(void *owner, const pcix_access *q, uint64_t address, uint64_t ad, unsigned lanes);
    /* The transaction is over for the target after `bytes` bytes; `end` may be PCIX_END_INITIATOR. parity_error: of a
     * data phase. */
    void (*end)(void *owner, const pcix_access *q, int end, unsigned bytes, bool parity_error);
} pcix_target_calls;

enum { PCIX_TARGET_IDLE }; /* pcix_target.state; others are its own */

typedef struct pcix_target {
    /* data; set by the owner before use */
    const pcix_target_calls *calls;
    void *owner;
    bool parity_response; /* drive PERR# */
    bool serr_enable;     /* drive SERR# on address and attribute parity errors */

    /* state */
    int state;
    pcix_access q;
    pcix_answer answer;
    uint64_t a, d, r;
    bool was_idle, wide, data;
    unsigned width, last;
    unsigned taken; /* data phases captured */
    bool bad_word;
    uint64_t parity_of; /* clock whose parity is to be checked in the next one; 0 = none */
    bool parity_data;
    uint64_t perr_until;
} pcix_target;

/* For the function below only: a step in which something may happen. */
void pcix_target_act(pcix_target *x, const pcix_sample *now, const pcix_sample *before, bool own, int device,
                     pcix_drive *out);
/* `own`: the transaction on the bus is the agent's own, nothing to answer. */
static inline void pcix_target_step(pcix_target *x, const pcix_sample *now, const pcix_sample *before, bool own,
                                    int device, pcix_drive *out)
{
    bool answers = x->state != PCIX_TARGET_IDLE || (x->was_idle && pcix_low(now, PCIX_FRAME) && !own);
    if (answers || x->parity_of == now->clock - 1 || x->perr_until == now->clock + 2)
        pcix_target_act(x, now, before, own, device, out);
    x->was_idle = pcix_idle(now);
}
void pcix_target_reset(pcix_target *x);
/* No transaction to answer, and the newest sample showed an idle bus. */
bool pcix_target_idle(const pcix_target *x);

#endif
