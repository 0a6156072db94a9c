/* The last RoCE v2 packet from an end of the line: for the error text of a run without progress. */
#ifndef SIM_APP_ROCE_BOARD_ROCE_LAST_PACKET_H
#define SIM_APP_ROCE_BOARD_ROCE_LAST_PACKET_H

#include "sim/app/roce/board/roce_header.h"
#include "sim/core/kernel/sim.h"

typedef struct roce_last_packet {
    sim_time time; /* 0: none */
    roce_header header;
} roce_last_packet;

enum { ROCE_LAST_PACKET = 120 };
/* "the last from WHO was ACK, PSN 00abcd, for QP 5, at 12.345 us", or that nothing has come. Returns text. */
const char *roce_last_packet_words(const roce_last_packet *h, const char *who, char text[ROCE_LAST_PACKET]);
/* How long [ps] both ends may be silent while a QP waits, with timeouts of this code: 2 ms and 8 timeouts, 15 ms at
 * most. */
sim_time roce_last_packet_patience(unsigned timeout);

#endif
