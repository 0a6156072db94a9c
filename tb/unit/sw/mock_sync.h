/* The part of the fake network interface that operations are for: remote queues, counters, words, their answers.
 * Written from what rtl/sync/README.md and registers.map say of formats and effects; it shares nothing with the RTL. An
 * operation takes effect in one step, when its whole packet has come.
 */
#ifndef MOCK_SYNC_H
#define MOCK_SYNC_H

#include <stdint.h>

struct mock_nic;

enum {
    MOCK_SYNC_FROM = 0x400, /* registers in BAR1 */
    MOCK_SYNC_TO = 0x2000,
    MOCK_SOURCES = 16,
    MOCK_RINGS = 16,
    MOCK_COUNTERS = 64,
    MOCK_WORDS = 256,
    MOCK_ANSWERS = 64
};

typedef struct mock_sync {
    int built;
    uint32_t reg[MOCK_SYNC_TO / 4]; /* those that are kept as they are written */
    struct mock_ring {
        unsigned head, tail; /* modulo 8192 */
        struct {
            unsigned taken, refused, reason; /* modulo 2^16 */
            int closed, tell;                /* tell: a REFUSED is due */
        } of[MOCK_SOURCES];
    } ring[MOCK_RINGS];
    struct {
        int32_t value;
        uint32_t state; /* as the register shows it */
        int phase;
    } counter[MOCK_COUNTERS];
    uint64_t word[MOCK_WORDS];
    int slot_mark[MOCK_SOURCES], counter_mark[MOCK_SOURCES];
    struct {
        unsigned source, operand, status;
        uint64_t value;
    } reply[4 * MOCK_SOURCES];
    unsigned replies, waiting[MOCK_SOURCES]; /* of each source */
    struct {
        int open;
        unsigned queue, operand;
    } asked[MOCK_ANSWERS];
    unsigned unanswered[MOCK_SOURCES]; /* by request queue */
    unsigned releases[MOCK_SOURCES];   /* of request queues, to come */

    /* behaviour to choose */
    uint64_t lose_answer_at; /* the nth answer that this node sends is lost; 0: none */
    int answer_twice;        /* each REPLY is sent twice */
    int forgets_refused;     /* a source that was refused stays open */
    int phase_first;         /* the first word of a slot is written before the others */

    /* observations */
    uint64_t executed, answers;
    unsigned most_waiting; /* answers for a source */
} mock_sync;

/* RST#. */
void mock_sync_reset(struct mock_nic *nic);
/* Registers by offset in BAR1, 32 bits. */
uint32_t mock_sync_read(struct mock_nic *nic, unsigned offset);
void mock_sync_write(struct mock_nic *nic, unsigned offset, uint32_t value);
/* A packet with an odd address has come whole, with a good body. */
void mock_sync_operation(struct mock_nic *nic, unsigned source, uint64_t header, const uint64_t *payload);
/* A source has lost something. */
void mock_sync_loss(struct mock_nic *nic, unsigned source);
/* A packet counted by its group is in memory. */
void mock_sync_group(struct mock_nic *nic, unsigned source, unsigned group, unsigned words, int damaged);
/* An operation may leave by this queue; it leaves. */
int mock_sync_may_ask(const struct mock_nic *nic, unsigned queue, uint64_t word1);
void mock_sync_ask(struct mock_nic *nic, unsigned queue, uint64_t word1);
/* Sends one answer that is due. */
void mock_sync_answer(struct mock_nic *nic);

#endif
