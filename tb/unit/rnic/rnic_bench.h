/* Two NICs in C on an Ethernet wire, without a simulation: time goes from event to event.
 *
 * Each side has memory of MEMORY bytes: a part that never changes and is read from, and one that is written, with
 * guards around whatever is written there. traffic() posts random work on all QPs of both sides and checks it by
 * itself: each message exactly once, whole and in order; the data of a completion are in memory when it comes; no other
 * byte has changed.
 */
#ifndef TB_UNIT_RNIC_RNIC_BENCH_H
#define TB_UNIT_RNIC_RNIC_BENCH_H

#include "sim/model/ethernet/ethernet_wire.h"
#include "sim/model/rnic/rnic.h"
#include "test.h"

enum { QPS = 4, SOURCE = 1 << 16, SLOTS = 16, SLOT = 13 << 10, MEMORY = SOURCE + 2 * QPS * SLOTS * SLOT };
enum { FIRST_QP = 0x20, DOMAIN_1 = 7 };
/* Where side s has its memory; not a multiple of anything. */
#define BASE(s) (UINT64_C(0x7f0123456003) + (uint64_t)(s)*UINT64_C(0x100000000))

typedef struct side {
    rnic *r;
    rnic_qp *qp[QPS];
    uint8_t *memory; /* SOURCE bytes that are read, then QPS x SLOTS for READs and receives, then as many for WRITEs of
                        the other side */
    uint32_t key;
} side;

extern struct bench {
    ethernet_wire *wire;
    uint64_t now;
    side side[2];
    /* completions of each side, for tests with checks of their own */
    unsigned polled;
    rnic_completion completion[256];
    char error[ETHERNET_ERROR];
} b;

typedef struct bench_params {
    ethernet_wire_params wire;
    rnic_connection connection; /* peer, numbers of QPs and PSNs are filled in, but for send_psn, from which both
                                   directions follow */
    int ipv6;
    unsigned qps;
} bench_params;
bench_params bench_defaults(void);
/* Both sides, connected; everything goes after the test, or with the next start. */
void start(const bench_params *p);

/* Everything up to this time [ps], or until nothing more would happen; the time then. */
uint64_t run_to(uint64_t time);
/* ... until `done` says so, at most this time [ps]; 0: it never did. */
int run_until(int (*done)(void), uint64_t most);
/* Takes completions of that side into b.completion, from b.polled on. */
void poll_side(int s);

/* Work on QP 0 of a side; addresses are offsets into the memory. */
void post(int s, rnic_operation operation, uint64_t id, uint32_t at, uint32_t length, uint32_t remote);
void post_receive(int s, uint64_t id, uint32_t at, uint32_t length);

typedef struct traffic_params {
    unsigned messages;     /* of each QP and side */
    unsigned depth;        /* outstanding */
    uint32_t longest;      /* [bytes], at most SLOT - 64 */
    unsigned sends;        /* of 100 messages; the rest are WRITEs and READs */
    unsigned late_receive; /* [us] a receive is posted up to so late; 0: at once */
    uint64_t seed;
    uint64_t most; /* [ps] all must be done by then */
} traffic_params;
traffic_params traffic_defaults(void);
/* NULL, or the error: the first thing that was. Messages that were posted are all complete if it is NULL. */
const char *traffic(const traffic_params *p);
/* Called with each SEND of the traffic that has been received, before it is checked; a test may damage its data. */
extern void (*before_judging)(int s, unsigned qp, uint8_t *data, uint32_t *length);

#endif
