#include "sim/app/roce/board/roce_header.h"

#include "rn_address.h"
#include "sim/model/rnic/rnic_packet.h"

size_t roce_header_udp(const uint8_t *frame, size_t length)
{
    int v6 = length > 14 && rn_get16(frame + 12) == 0x86dd;
    size_t udp = 14 + (v6 ? 40 : 20);
    return length < udp + 8 || (!v6 && rn_get16(frame + 12) != 0x0800) || frame[v6 ? 20 : 23] != 17 ? 0 : udp;
}

int roce_header_of(const uint8_t *frame, size_t length, roce_header *h)
{
    size_t udp = roce_header_udp(frame, length);
    if (!udp || length < udp + 8 + 16 || rn_get16(frame + udp + 2) != RNIC_UDP_PORT) return 0;
    const uint8_t *b = frame + udp + 8;
    *h = (roce_header){.qp = rn_get24(b + 5), .opcode = b[0], .syndrome = b[12], .psn = rn_get24(b + 9)};
    return 1;
}
