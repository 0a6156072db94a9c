/* Headers of a RoCE v2 frame, valid or not, for observers of a line. (sim/model/rnic/rnic_packet.h checks whole
 * packets.)
 */
#ifndef SIM_APP_ROCE_BOARD_ROCE_HEADER_H
#define SIM_APP_ROCE_BOARD_ROCE_HEADER_H

#include <stddef.h>
#include <stdint.h>

typedef struct roce_header {
    unsigned qp, opcode, syndrome; /* syndrome: of an AETH, if there is one */
    uint32_t psn;
} roce_header;
/* Where its UDP header is, behind one of IP without options; 0: there is none. */
size_t roce_header_udp(const uint8_t *frame, size_t length);
/* 0: it is no RoCE v2. */
int roce_header_of(const uint8_t *frame, size_t length, roce_header *h);

#endif
