/* One connection of the whole RoCE v2 chip to which bad things are done, and others that must not notice. The
 * connection is QP 5, as in the example of S5 A; QPs 2, 3 and 4 carry messages of all kinds all the while, checked
 * by roce_traffic and roce_checker.
 *
 *     VICTIM_STORY(a_wrong_key)                          a test, in a task of the simulation, once for each chip and
 * each first PSN
 *     {
 *         victim_write(1, 0, 0, v.key, 3000);            posts a WRITE of 3000 bytes from the place 0 of our area to
 * that of theirs victim_write(2, 0, 0, v.key ^ 1, 3000); victim_completes(1, 0);                        with this ID,
 * without ERRFLAG victim_completes(2, 1); victim_is_fatal(10, RNIC_NAK_ACCESS, RNIC_ACKNOWLEDGE, 3); victim_works();
 * restarted, everything goes again
 *     }
 *
 * Of both memories the whole area is compared, so only declared bytes may change. victim_wrong reports deviations:
 * memory, or something unexpected: a completion of either end, an entry of the error status, a packet after an end.
 */
#ifndef TB_SYSTEM_ROCE_VICTIM_H
#define TB_SYSTEM_ROCE_VICTIM_H

#include "roce_bench.h"

enum {
    VICTIM = 5,
    VICTIM_PEER = 0x100,
    VICTIM_AREA = 1 << 16,
    VICTIM_PMTU = 1024,
    VICTIM_DEPTH = 16,
    VICTIM_BUFFERS = 4,
    VICTIM_BUFFER = 60 * 1024
};
enum { VICTIM_RUNS = ROCE_CHIPS * ROCE_STARTS, VICTIM_LOG = 8192 };
#define VICTIM_REMOTE 0x700000000ull

typedef struct victim_packet {
    int from; /* 0: the chip, 1: the peer */
    unsigned opcode, syndrome;
    uint32_t psn;
    sim_time time;
} victim_packet;

typedef struct victim {
    roce_bench *bench;
    roce_system *system;
    rn_device *device;
    sim_clock *clock;
    rn_qp *qp;
    rnic_qp *peer;
    rn_connection connection;                          /* for victim_connect; tests may change it */
    uint32_t psn;                                      /* the first one, of both ends */
    uint32_t key;                                      /* of all their area, all rights */
    uint64_t ours;                                     /* address of our area */
    uint8_t *theirs, *expected_ours, *expected_theirs; /* VICTIM_AREA bytes each */
    victim_packet packet[VICTIM_LOG];                  /* all of this connection, as sent */
    unsigned packets, lives /* that it has been set up */;
    rnic_completion done[64]; /* at the peer */
    unsigned done_count, done_seen;
    uint32_t others[2]; /* packets of QPs 2, 3, 4 */
} victim;
extern victim v;

/* make test leaves one first PSN out, another one with each width and seed; the long form none. */
int victim_is_due(int run);
/* The system with traffic, and the sequence as a task; then all others must still go on. checked 0: what is done
 * strikes the others, too; their messages arrive all the same, once and in order, but they may send twice. */
void victim_play(int run, void (*sequence)(void), int checked);
#define VICTIM_STORY(name) VICTIM_STORY_OF(name, 1)
#define VICTIM_STORY_THAT_STRIKES_ALL(name) VICTIM_STORY_OF(name, 0)
#define VICTIM_STORY_OF(name, checked)                                                                                 \
    static void name##_sequence(void);                                                                                 \
    TEST(name, .to = VICTIM_RUNS)                                                                                      \
    {                                                                                                                  \
        if (victim_is_due(_i)) victim_play(_i, name##_sequence, checked);                                              \
    }                                                                                                                  \
    static void name##_sequence(void)

/* ---- all that follows from a task. They fail the test if something is not as it should be */

/* Both ends new: disabled, set up, enabled. Keys and memory stay. At first the sequence's task is called with this
 * done. */
void victim_connect(void);
/* Registers of the QP by their place in those of QP 1. */
uint32_t victim_register(unsigned offset);
uint32_t victim_global(unsigned offset);
void victim_set_register(unsigned offset, uint32_t value);
void victim_wait(unsigned clocks);
/* Until there are this many packets from this end with this opcode (and syndrome, if it is an acknowledgement), counted
 * from packet `since`: the number of the last of them. */
unsigned victim_packet_comes(unsigned since, int from, unsigned opcode, unsigned syndrome, unsigned count);
unsigned victim_packets_from(unsigned since, int from, unsigned opcode);

/* Work of the chip; `at` places in the areas. They set the memory expected after execution. */
void victim_post(unsigned id, rn_opcode opcode, unsigned at, uint64_t remote, uint32_t key, unsigned length);
void victim_write(unsigned id, unsigned at, unsigned to, uint32_t key, unsigned length);
void victim_read(unsigned id, unsigned to, unsigned at, uint32_t key, unsigned length);
void victim_send(unsigned id, unsigned at, unsigned length);
/* A receive of the peer, a SEND of it. */
void victim_peer_receives(unsigned id, unsigned at, unsigned length);
void victim_peer_sends(unsigned id, unsigned at, unsigned length);
/* The next WQE is written with this value in this many bytes, 1..8, from this one on. */
void victim_corrupts(unsigned byte, unsigned size, uint64_t value);
/* It was executed: memory must be so. */
void victim_written(unsigned at, unsigned to, unsigned length);
void victim_was_read(unsigned to, unsigned at, unsigned length);

/* The next completion of the chip, of the peer. */
void victim_completes(unsigned id, int error);
void victim_peer_completes(unsigned id, int receive, rnic_status status);
/* The next message that came: the bytes at this place of theirs. It is released. */
void victim_receives(unsigned at, unsigned length);
/* STATQP, error status, interrupt: psn is counted from the first one; syndrome 0: none came. */
void victim_is_fatal(unsigned code, unsigned syndrome, unsigned opcode, unsigned psn);
/* It is restarted, and WRITE, READ and SENDs both ways go. */
void victim_works(void);
/* NULL, or an error text. `silent`: for this many clocks no packet of it may leave the chip. */
const char *victim_wrong(unsigned silent);
void victim_settles(void);

#endif
