#include "sim/app/roce/board/roce_last_packet.h"

#include "sim/model/rnic/rnic_packet.h"

const char *roce_last_packet_words(const roce_last_packet *h, const char *who, char text[ROCE_LAST_PACKET])
{
    if (!h->time) snprintf(text, ROCE_LAST_PACKET, "nothing has come from %s", who);
    else
        snprintf(text, ROCE_LAST_PACKET, "the last from %s was %s, PSN %06x, for QP %u, at %.3f us", who,
                 rnic_opcode_name((uint8_t)h->header.opcode), h->header.psn, h->header.qp, (double)h->time / SIM_US);
    return text;
}

sim_time roce_last_packet_patience(unsigned timeout)
{
    sim_time timeouts = SIM_US * 33 << (timeout < 10 ? timeout : 10);
    return timeouts < 13 * SIM_MS ? 2 * SIM_MS + timeouts : 15 * SIM_MS;
}
