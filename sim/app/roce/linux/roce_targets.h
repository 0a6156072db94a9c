/* Kinds of packets on a line with the RoCE v2 chip at end 0, and faults that strike one of them.
 *
 *     roce_strike s = {.target = &roce_targets[STRIKE_ACK_IN], .fault = {ETHERNET_LOSE, 0}, .count = 1, .start = psn,
 * .behind = 10};
 *     ... in a tap of the line (ethernet_wire.h), for packets of one connection:
 *     if (roce_header_of(frame, length, &h)) return roce_strike_it(&s, from, &h);
 */
#ifndef SIM_APP_ROCE_LINUX_ROCE_TARGETS_H
#define SIM_APP_ROCE_LINUX_ROCE_TARGETS_H

#include "sim/app/roce/board/roce_header.h"
#include "sim/model/ethernet/ethernet_wire.h"

typedef enum {
    STRIKE_SEND_IN_FIRST,
    STRIKE_SEND_IN_MIDDLE,
    STRIKE_SEND_IN_LAST,
    STRIKE_SEND_IN_ONLY,
    STRIKE_RESPONSE_FIRST,
    STRIKE_RESPONSE_MIDDLE,
    STRIKE_RESPONSE_LAST,
    STRIKE_RESPONSE_ONLY,
    STRIKE_ACK_IN,
    STRIKE_NAK_IN,
    STRIKE_SEND_OUT_FIRST,
    STRIKE_SEND_OUT_MIDDLE,
    STRIKE_SEND_OUT_LAST,
    STRIKE_SEND_OUT_ONLY,
    STRIKE_WRITE_FIRST,
    STRIKE_WRITE_MIDDLE,
    STRIKE_WRITE_LAST,
    STRIKE_WRITE_ONLY,
    STRIKE_READ_REQUEST,
    STRIKE_ACK_OUT,
    STRIKE_NAK_OUT,
    ROCE_TARGETS
} roce_target_kind;

typedef enum { ROCE_NO_AETH, ROCE_IS_ACK, ROCE_IS_NAK } roce_answer;
typedef struct roce_target {
    const char *name;
    int from; /* 0: the chip, 1: the other end sends it */
    unsigned opcode;
    roce_answer answer;
} roce_target;
extern const roce_target roce_targets[ROCE_TARGETS]; /* by roce_target_kind */

/* Strikes a packet of that kind, and with `count` those of the same end that follow. There is a NAK only after
 * something was lost: the first packet of a WRITE (a SEND in) is lost for that. */
typedef struct roce_strike {
    const roce_target *target;
    ethernet_fault fault;
    unsigned count;
    uint32_t start;  /* first packet number of the connection */
    uint32_t behind; /* packets of it that nothing strikes */
    unsigned struck; /* so far */
    int lost;        /* for a NAK */
} roce_strike;
/* from: the end that has sent it. */
ethernet_fault roce_strike_it(roce_strike *s, int from, const roce_header *h);

#endif
