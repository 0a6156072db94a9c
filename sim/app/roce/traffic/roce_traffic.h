/* Messages between the chip and the peer of a roce_system, or another chip, on many QPs at once, and their checker:
 * each message comes once, in order, whole, and every byte is compared.
 *
 *     roce_traffic_params p = roce_traffic_defaults();
 *     roce_traffic *t = roce_traffic_new(system, &p, error);
 *     sim_run(...)                                             until all tasks have ended
 *     roce_traffic_result(t)
 *
 * Four kinds: SENDs of the peer to the chip, and SENDs, WRITEs and READs of the chip to the peer. All QPs have all
 * kinds that were asked for, as many messages as the queues hold under way. Content and length of a message follow from
 * QP, kind and number; the two ends share nothing else. A wrong message ends the run with sim_fail.
 *
 * When retries are exhausted, or one end is silent during roce_traffic_wait for 2 ms and 8 timeouts more, but 15 ms at
 * most, the run ends with sim_fail, which names a QP that waits and its last packet.
 *
 * A send buffer is software's again with the WQE's completion: it is overwritten there, and filled with the next
 * message. So each packet that a chip sends again must have the bytes that it had before, or the run ends with
 * sim_fail.
 *
 * A message counts as taken when software may look: the chip's doorbell of a SEND that came, or the completion of the
 * WQE; and it is looked at in that very moment, in the memory behind the masters. So a doorbell or completion that is
 * ahead of its data is found.
 */
#ifndef SIM_APP_ROCE_TRAFFIC_ROCE_TRAFFIC_H
#define SIM_APP_ROCE_TRAFFIC_ROCE_TRAFFIC_H

#include "sim/app/roce/board/roce_limits.h"
#include "sim/app/roce/board/roce_system.h"

typedef enum { ROCE_SEND_IN, ROCE_SEND_OUT, ROCE_WRITE, ROCE_READ, ROCE_KINDS } roce_kind;
extern const char *const roce_kind_names[ROCE_KINDS]; /* "send-in" ... */

typedef struct roce_traffic_params {
    unsigned connections;          /* QPs in use besides QP 1, 1..127; default 7 */
    unsigned messages[ROCE_KINDS]; /* of each QP; default 20 each */
    unsigned shortest, longest;    /* [bytes] of a message, 1..1 MB; default 1, 16384 */
    unsigned pmtu;                 /* [bytes]; 0, the default: all in turn over the QPs */
    unsigned ip;                   /* 4 or 6; 0, the default: in turn */
    unsigned depth;                /* messages of a kind and QP under way, 1..64; default 8 */
    unsigned timeout;              /* code of both ends; default 3: 32.8 us */
    unsigned reads;                /* READs of a QP outstanding, 1..16; default 16 */
    int handshake;                 /* 1: doorbells at the handshake ports for every second QP, 2: for all; default 0 */
    int psn;                       /* first packet numbers; -1, the default: at random */
    int hasty; /* 1: software refills a SEND's buffer when the other end has it: a planted fault, for the checks' own
                  test */
    roce_system
        *other; /* the chip at the other end: no WRITE, no READ, these chips take none; NULL, the default: y's peer */
    /* Completions of QPs of the peer that are not the traffic's, while it goes on; NULL, the default: they are dropped.
     */
    void (*foreign)(void *self, const rnic_completion *c);
    void *foreign_self;
} roce_traffic_params;
roce_traffic_params roce_traffic_defaults(void);

typedef struct roce_traffic_kind {
    uint64_t messages, bytes; /* taken and right */
    sim_time first, last;     /* [ps] when the first was posted, when the last was taken */
} roce_traffic_kind;

typedef struct roce_traffic roce_traffic;

/* -1: a parameter is out of range for `qps` QPs, QP 1 among them: `error` names it and the expectation. */
int roce_traffic_check(const roce_traffic_params *params, unsigned qps, char error[ROCE_SYSTEM_ERROR]);

/* Makes its tasks. NULL: a parameter is out of range (`error` names it and the expectation), or no memory. */
roce_traffic *roce_traffic_new(roce_system *y, const roce_traffic_params *params, char error[ROCE_SYSTEM_ERROR]);
void roce_traffic_free(roce_traffic *t);
const roce_traffic_kind *roce_traffic_kinds(const roce_traffic *t); /* ROCE_KINDS of them */
/* All QPs are connected. */
int roce_traffic_opened(const roce_traffic *t);
/* All that was asked for has come. */
int roce_traffic_complete(const roce_traffic *t);
/* From a task: until then, and until no QP is in use any more: now the device may be closed. */
void roce_traffic_wait(roce_traffic *t);
/* Messages taken, and messages in all. */
void roce_traffic_progress(const roce_traffic *t, uint64_t *taken, uint64_t *all);
/* QPs without all their messages: a line for each kind and QP, at most `lines` of them. */
void roce_traffic_print_missing(const roce_traffic *t, FILE *out, unsigned lines);

#endif
