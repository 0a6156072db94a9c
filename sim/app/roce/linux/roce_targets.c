#include "sim/app/roce/linux/roce_targets.h"

#include "sim/model/rnic/rnic_packet.h"

const roce_target roce_targets[ROCE_TARGETS] = {
    [STRIKE_SEND_IN_FIRST] = {"SEND in, first", 1, RNIC_SEND_FIRST, ROCE_NO_AETH},
    [STRIKE_SEND_IN_MIDDLE] = {"SEND in, middle", 1, RNIC_SEND_MIDDLE, ROCE_NO_AETH},
    [STRIKE_SEND_IN_LAST] = {"SEND in, last", 1, RNIC_SEND_LAST, ROCE_NO_AETH},
    [STRIKE_SEND_IN_ONLY] = {"SEND in, only", 1, RNIC_SEND_ONLY, ROCE_NO_AETH},
    [STRIKE_RESPONSE_FIRST] = {"READ response, first", 1, RNIC_RESPONSE_FIRST, ROCE_NO_AETH},
    [STRIKE_RESPONSE_MIDDLE] = {"READ response, middle", 1, RNIC_RESPONSE_MIDDLE, ROCE_NO_AETH},
    [STRIKE_RESPONSE_LAST] = {"READ response, last", 1, RNIC_RESPONSE_LAST, ROCE_NO_AETH},
    [STRIKE_RESPONSE_ONLY] = {"READ response, only", 1, RNIC_RESPONSE_ONLY, ROCE_NO_AETH},
    [STRIKE_ACK_IN] = {"ACK in", 1, RNIC_ACKNOWLEDGE, ROCE_IS_ACK},
    [STRIKE_NAK_IN] = {"NAK in", 1, RNIC_ACKNOWLEDGE, ROCE_IS_NAK},
    [STRIKE_SEND_OUT_FIRST] = {"SEND out, first", 0, RNIC_SEND_FIRST, ROCE_NO_AETH},
    [STRIKE_SEND_OUT_MIDDLE] = {"SEND out, middle", 0, RNIC_SEND_MIDDLE, ROCE_NO_AETH},
    [STRIKE_SEND_OUT_LAST] = {"SEND out, last", 0, RNIC_SEND_LAST, ROCE_NO_AETH},
    [STRIKE_SEND_OUT_ONLY] = {"SEND out, only", 0, RNIC_SEND_ONLY, ROCE_NO_AETH},
    [STRIKE_WRITE_FIRST] = {"WRITE, first", 0, RNIC_WRITE_FIRST, ROCE_NO_AETH},
    [STRIKE_WRITE_MIDDLE] = {"WRITE, middle", 0, RNIC_WRITE_MIDDLE, ROCE_NO_AETH},
    [STRIKE_WRITE_LAST] = {"WRITE, last", 0, RNIC_WRITE_LAST, ROCE_NO_AETH},
    [STRIKE_WRITE_ONLY] = {"WRITE, only", 0, RNIC_WRITE_ONLY, ROCE_NO_AETH},
    [STRIKE_READ_REQUEST] = {"READ request", 0, RNIC_READ_REQUEST, ROCE_NO_AETH},
    [STRIKE_ACK_OUT] = {"ACK out", 0, RNIC_ACKNOWLEDGE, ROCE_IS_ACK},
    [STRIKE_NAK_OUT] = {"NAK out", 0, RNIC_ACKNOWLEDGE, ROCE_IS_NAK},
};

static int far_enough(const roce_strike *s, const roce_header *h)
{
    return (h->psn - s->start) % RNIC_PSNS >= s->behind;
}

static int is_target(const roce_strike *s, const roce_header *h)
{
    const roce_target *t = s->target;
    if (h->opcode != t->opcode) return 0;
    if (t->answer == ROCE_IS_NAK) return h->syndrome == RNIC_NAK_SEQUENCE;
    return far_enough(s, h) && (t->answer == ROCE_NO_AETH || h->syndrome == RNIC_ACK);
}

ethernet_fault roce_strike_it(roce_strike *s, int from, const roce_header *h)
{
    const ethernet_fault none = {ETHERNET_NO_FAULT, 0}, lose = {ETHERNET_LOSE, 0};
    const roce_target *t = s->target;
    if (from != t->from) {
        unsigned first = t->from ? RNIC_WRITE_FIRST : RNIC_SEND_FIRST;
        if (t->answer != ROCE_IS_NAK || s->lost || h->opcode != first || !far_enough(s, h)) return none;
        s->lost = 1;
        return lose;
    }
    if (s->struck >= s->count || (!s->struck && !is_target(s, h))) return none;
    s->struck++;
    return s->fault;
}
