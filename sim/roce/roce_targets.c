#include "roce_targets.h"

#include "rnic_packet.h"

enum { WINDOW = 10 /* packets of a connection before something is struck, so that packet numbers wrap around it */ };

const roce_target roce_targets[ROCE_TARGETS] = {
    {"SEND in, first", 1, RNIC_SEND_FIRST, ROCE_NO_AETH},
    {"SEND in, middle", 1, RNIC_SEND_MIDDLE, ROCE_NO_AETH},
    {"SEND in, last", 1, RNIC_SEND_LAST, ROCE_NO_AETH},
    {"SEND in, only", 1, RNIC_SEND_ONLY, ROCE_NO_AETH},
    {"READ response, first", 1, RNIC_RESPONSE_FIRST, ROCE_NO_AETH},
    {"READ response, middle", 1, RNIC_RESPONSE_MIDDLE, ROCE_NO_AETH},
    {"READ response, last", 1, RNIC_RESPONSE_LAST, ROCE_NO_AETH},
    {"READ response, only", 1, RNIC_RESPONSE_ONLY, ROCE_NO_AETH},
    {"ACK in", 1, RNIC_ACKNOWLEDGE, ROCE_IS_ACK},
    {"NAK in", 1, RNIC_ACKNOWLEDGE, ROCE_IS_NAK},
    {"SEND out, first", 0, RNIC_SEND_FIRST, ROCE_NO_AETH},
    {"SEND out, middle", 0, RNIC_SEND_MIDDLE, ROCE_NO_AETH},
    {"SEND out, last", 0, RNIC_SEND_LAST, ROCE_NO_AETH},
    {"SEND out, only", 0, RNIC_SEND_ONLY, ROCE_NO_AETH},
    {"WRITE, first", 0, RNIC_WRITE_FIRST, ROCE_NO_AETH},
    {"WRITE, middle", 0, RNIC_WRITE_MIDDLE, ROCE_NO_AETH},
    {"WRITE, last", 0, RNIC_WRITE_LAST, ROCE_NO_AETH},
    {"WRITE, only", 0, RNIC_WRITE_ONLY, ROCE_NO_AETH},
    {"READ request", 0, RNIC_READ_REQUEST, ROCE_NO_AETH},
    {"ACK out", 0, RNIC_ACKNOWLEDGE, ROCE_IS_ACK},
    {"NAK out", 0, RNIC_ACKNOWLEDGE, ROCE_IS_NAK},
};

static int is_target(const roce_strike *s, const roce_header *h)
{
    const roce_target *t = s->target;
    if (h->opcode != t->opcode) return 0;
    if (t->answer == ROCE_IS_NAK) return h->syndrome == RNIC_NAK_SEQUENCE;
    return (h->psn - s->start) % RNIC_PSNS >= WINDOW && (t->answer == ROCE_NO_AETH || h->syndrome == RNIC_ACK);
}

ethernet_fault roce_strike_it(roce_strike *s, int from, const roce_header *h)
{
    const ethernet_fault none = {ETHERNET_NO_FAULT, 0}, lose = {ETHERNET_LOSE, 0};
    const roce_target *t = s->target;
    if (from != t->from) {
        if (t->answer != ROCE_IS_NAK || s->lost || h->opcode != (t->from ? RNIC_WRITE_FIRST : RNIC_SEND_FIRST)) return none;
        s->lost = 1;
        return lose;
    }
    if (s->struck >= s->count || (!s->struck && !is_target(s, h))) return none;
    s->struck++;
    return s->fault;
}
