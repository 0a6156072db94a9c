#include "roce_header.h"

#include "rn_address.h"
#include "rnic_packet.h"

int roce_header_of(const uint8_t *frame, size_t length, roce_header *h)
{
    int v6 = length > 14 && rn_get16(frame + 12) == 0x86dd;
    size_t udp = 14 + (v6 ? 40 : 20), bth = udp + 8;
    if (length < bth + 16 || (!v6 && rn_get16(frame + 12) != 0x0800) || frame[v6 ? 20 : 23] != 17 ||
        rn_get16(frame + udp + 2) != RNIC_UDP_PORT)
        return 0;
    const uint8_t *b = frame + bth;
    *h = (roce_header){.qp = rn_get24(b + 5), .opcode = b[0], .syndrome = b[12], .psn = rn_get24(b + 9)};
    return 1;
}
