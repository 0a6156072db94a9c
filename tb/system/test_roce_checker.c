/* The IBA checker of the RoCE chip's line, fed its faults: frames by hand, on a line without ends. */
#include <string.h>

#include "roce_checker.h"

TEST_CASE("roce_checker");

/* w: a WRITE of one packet that asks for an ACK, from the chip; W: one that is lost. a, n: an ACK, a NAK of sequence
 * from the peer, A: an ACK that is lost. r: a READ request of two packets; f, l: the first and the last packet of its
 * answer. t: 1 ms passes, longer than a timeout. Behind each its packet number from the first one on, and of ACKs a
 * full stop and the MSN. */
static const struct {
    const char *says, *wrong; /* NULL: nothing is */
    int disturbed;
} lines[] = {
    {"w0 w1 a0.1 a1.2", NULL, 0},
    {"w0 w1 w2 a2.3", NULL, 0},
    {"w0 W1 w2 a0.1 n1.1 w1 w2 a2.3", NULL, 1},
    {"w0 a0.1 W1 t w1 a1.2", NULL, 1},
    {"w0 A0.1 t w0 a0.1", NULL, 1},
    {"r0 f0.1 l1.1 w2 a2.2", NULL, 1},
    {"r0 w2 a2.2 r0 f0.2 l1.2 w2 a2.2", NULL, 1},
    {"w0 w1 w0 a0.1", "sent again without a NAK, a gap or a timeout", 1},
    {"w0 w1 t w0 w0 a1.2", "sent again without a NAK, a gap or a timeout", 1},
    {"w0 W1 w2 n1.1 w1 w1 a1.2", "sent again without a NAK, a gap or a timeout", 1},
    {"r0 f0.1 l1.1 t w2 W3 w4 n3.2 r0", "sent again, and it was acknowledged long ago", 1},
    {"W0 w1 w2 n0.0 w1", "goes back to behind the first missing packet", 1},
    {"w0 w2", "packets before it are left out", 1},
    {"w0 t w0 a0.1", "sent again, and nothing disturbs this connection", 0},
    {"W0 w1 n0.0", "a NAK, and nothing disturbs this connection", 0},
    {"w0 n1.1", "a NAK, and no packet was missing there", 1},
    {"W0 w1 w2 n0.0 n0.0", "a NAK, and no packet was missing there", 1},
    {"W0 w1 n1.0", "a NAK, and no packet was missing there", 1},
    {"W0 a0.1", "an answer to a request that has not come", 1},
    {"w0 a1.2", "an answer to a request that has not come", 1},
    {"w0 w1 a1.1", "an ACK with another MSN than its message has", 1},
    {"w0 a0.1 a0.1", "more ACKs than packets have come", 1},
    {"w0 w1 a0.1", "its ACK is missing", 1},
    {"w0 A0.1 t w0", "its ACK is missing", 1},
    {"W0 w1", "the NAK for it is missing", 1},
    {"w0 A0.1", "it was never acknowledged", 1},
    {"r0 f0.1", "it was never acknowledged", 1},
};
static const uint32_t starts[] = {0, 0xffffff, 0x7fffff};

enum { LANE = 3, PMTU = 256 };

static int lost;

static ethernet_fault strike(void *self, int from, uint64_t number, const uint8_t *frame, size_t length)
{
    (void)self, (void)from, (void)number, (void)frame, (void)length;
    return (ethernet_fault){lost ? ETHERNET_LOSE : ETHERNET_NO_FAULT, 0};
}

static void say(ethernet_wire *w, char what, uint32_t psn, unsigned msn, sim_time now)
{
    static const uint8_t payload[PMTU];
    uint8_t frame[RNIC_FRAME];
    int from = strchr("wWr", what) == NULL;
    rnic_packet p = {.qp = LANE + (from ? ROCE_FIRST_QP : ROCE_FIRST_PEER_QP),
                     .psn = psn,
                     .msn = msn,
                     .migrated = 1,
                     .pkey = RNIC_PKEY};
    lost = what == 'W' || what == 'A';
    memcpy(p.to.mac, (const uint8_t[]){2, 0, 0, 0, 0, from ? 1 : 2}, 6);
    memcpy(p.from.mac, (const uint8_t[]){2, 0, 0, 0, 0, from ? 2 : 1}, 6);
    rnic_set_ipv4(p.to.ip, from ? 0x0a000001 : 0x0a000002);
    rnic_set_ipv4(p.from.ip, from ? 0x0a000002 : 0x0a000001);
    p.opcode = what == 'w' || what == 'W' ? RNIC_WRITE_ONLY
               : what == 'r'              ? RNIC_READ_REQUEST
               : what == 'f'              ? RNIC_RESPONSE_FIRST
               : what == 'l'              ? RNIC_RESPONSE_LAST
                                          : RNIC_ACKNOWLEDGE;
    p.syndrome = what == 'n' ? RNIC_NAK_SEQUENCE : RNIC_ACK;
    p.ack_request = !from;
    p.dma_length = what == 'r' ? 2 * PMTU : PMTU;
    p.payload = payload;
    p.length = what == 'r' || p.opcode == RNIC_ACKNOWLEDGE ? 0 : PMTU;
    ethernet_wire_send(w, from, frame, rnic_packet_write(&p, frame), 0, now);
}

TEST(what_IBA_forbids_is_found, .to = COUNT(lines) * COUNT(starts))
{
    const char *says = lines[_i / COUNT(starts)].says, *wrong = lines[_i / COUNT(starts)].wrong;
    char error[ETHERNET_ERROR];
    ethernet_wire_params params;
    ethernet_wire_params_default(&params);
    sim *s = quiet_sim(0);
    ethernet_wire *w = ethernet_wire_new(&params, error);
    ck_must(w, "%s", error);
    ethernet_wire_set_tap(w, strike, NULL);
    roce_checker *j = roce_checker_new(s, w);
    roce_checker_set_queue(j, 0, 3 * SIM_US);
    roce_checker_set_queue(j, 1, 1000 * SIM_MS); /* excuses none of the requests, which are all of the chip */
    roce_checker_expect(j, LANE, PMTU, 2, lines[_i / COUNT(starts)].disturbed);
    sim_time now = 0;
    for (unsigned psn = 0, msn = 0; *says; says += *says == ' ') {
        char what = *says++;
        if (*says >= '0' && *says <= '9') psn = (unsigned)(*says++ - '0');
        if (*says == '.') msn = (unsigned)(says[1] - '0'), says += 2;
        if (what == 't') now += SIM_MS;
        else say(w, what, (starts[_i % COUNT(starts)] + psn) & (RNIC_PSNS - 1), msn, now);
        ethernet_wire_run(w, now += 2 * SIM_US);
    }
    roce_checker_at_rest(j, LANE);
    if (!wrong) ck_assert_str_eq(sim_error(s), "");
    else
        ck_must(strstr(sim_error(s), wrong) != NULL, "%s: '%s', expected '%s'", lines[_i / COUNT(starts)].says,
                sim_error(s), wrong);
    ethernet_wire_free(w);
}
