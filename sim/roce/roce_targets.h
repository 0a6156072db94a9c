/* Kinds of packets on a line with the RoCE v2 chip at end 0, and faults that strike one of them.
 *
 *     roce_strike s = {.target = &roce_targets[i], .fault = {ETHERNET_LOSE, 0}, .count = 1, .start = psn};
 *     ... in a tap of the line (ethernet_wire.h), for packets of one connection:
 *     if (roce_header_of(frame, length, &h)) return roce_strike_it(&s, from, &h);
 */
#ifndef SIM_ROCE_ROCE_TARGETS_H
#define SIM_ROCE_ROCE_TARGETS_H

#include "ethernet_wire.h"
#include "roce_header.h"

typedef enum { ROCE_NO_AETH, ROCE_IS_ACK, ROCE_IS_NAK } roce_answer;
typedef struct roce_target {
    const char *name;
    int from;
    unsigned opcode;
    roce_answer answer;
} roce_target;
enum { ROCE_TARGETS = 21 };
extern const roce_target roce_targets[ROCE_TARGETS];

/* Strikes a packet of that kind, and with `count` those of the same end that follow. There is a NAK only after something was lost: the
 * first packet of a WRITE (a SEND in) is lost for that. */
typedef struct roce_strike {
    const roce_target *target;
    ethernet_fault fault;
    unsigned count;
    uint32_t start;  /* first packet number of the connection */
    unsigned struck; /* so far */
    int lost;
} roce_strike;
/* from: 0: the chip, 1: the other end has sent it. */
ethernet_fault roce_strike_it(roce_strike *s, int from, const roce_header *h);

#endif
