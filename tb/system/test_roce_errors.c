/* Errors of one QP of the whole RoCE v2 chip, with its driver and the NIC in C at the other end: errors of the peer,
 * what software does wrong. Expected: both memories, registers, packets, completions; and that the QP works again once
 * it is restarted, while all others lose nothing and send nothing twice (roce_victim). */
#include <string.h>

#include "roce_register_map.h"
#include "roce_victim.h"

TEST_CASE("roce_errors", .timeout = 60);

enum { REMOTE_ERROR = 10, FIRST_BAD = 3 /* packets of the WRITE before */, LENGTH = 2500 };

/* ---- refusals of the peer: S5 A */

/* Of five WQEs the second one may not access the peer's memory. */
static void refused(rn_opcode opcode, uint64_t remote, uint32_t key, unsigned length)
{
    unsigned begin = v.packets;
    victim_write(1, 0, 0, v.key, LENGTH);
    victim_written(0, 0, LENGTH);
    victim_post(2, opcode, 9000, remote, key, length);
    victim_read(3, 20000, 30000, v.key, LENGTH);
    victim_send(4, 0, LENGTH);
    victim_write(5, 0, 10000, v.key, LENGTH);
    victim_completes(1, 0);
    for (unsigned id = 2; id <= 5; id++) victim_completes(id, 1);
    victim_is_fatal(REMOTE_ERROR, RNIC_NAK_ACCESS, RNIC_ACKNOWLEDGE, FIRST_BAD);
    ck_assert_uint_eq(v.packet[victim_packet_comes(begin, 1, RNIC_ACKNOWLEDGE, RNIC_NAK_ACCESS, 1)].psn,
                      (v.psn + FIRST_BAD) % RNIC_PSNS);
    victim_write(6, 0, 10000, v.key, LENGTH); /* posted later: it fails in its turn, and nothing leaves */
    victim_completes(6, 1);
    ck_assert_uint_eq(victim_register(ROCE_CQHEAD), 6);
    victim_settles();
    victim_connect();
}

VICTIM_STORY(keys_rights_and_addresses_that_the_peer_refuses)
{
    rnic *r = v.system->peer;
    static const rn_opcode both[] = {RN_WRITE, RN_READ};
    uint32_t of_others =
        rnic_register(r, 8, v.theirs, VICTIM_REMOTE, VICTIM_AREA, RNIC_REMOTE_READ | RNIC_REMOTE_WRITE);
    uint32_t dead = rnic_register(r, 7, v.theirs, VICTIM_REMOTE, VICTIM_AREA, RNIC_REMOTE_READ | RNIC_REMOTE_WRITE);
    uint32_t only[] = {rnic_register(r, 7, v.theirs, VICTIM_REMOTE, VICTIM_AREA, RNIC_REMOTE_READ),
                       rnic_register(r, 7, v.theirs, VICTIM_REMOTE, VICTIM_AREA, RNIC_REMOTE_WRITE)};
    ck_must(of_others && dead && only[0] && only[1] && !rnic_deregister(r, dead), "no memory left");
    for (int i = 0; i < COUNT(both); i++) {
        if (!long_form() && (sim_seed(v.bench->sim) + (v.psn >> 20) + (unsigned)i) % 2)
            continue;                                                   /* the other one with the next seed */
        refused(both[i], VICTIM_REMOTE, v.key ^ 0x40, LENGTH);          /* wrong RTAG */
        refused(both[i], VICTIM_REMOTE, only[i], LENGTH);               /* without this right */
        refused(both[i], VICTIM_REMOTE + VICTIM_AREA - 99, v.key, 100); /* ROFFSET: a byte behind the end */
        refused(both[i], VICTIM_REMOTE - 1, v.key, LENGTH);             /* ... before the begin */
        refused(both[i], VICTIM_REMOTE ^ 1ull << 40, v.key, 1);         /* ... far off */
        refused(both[i], VICTIM_REMOTE, i ? dead : of_others,
                1); /* a key of a deregistered region, or of another one */
    }
    victim_works();
}

/* ---- answers that no peer may give, made by hand while its own ones are lost: S5 tables 2-3 and 2-4 */

enum { BY_HAND = 0xdead /* UDP source */, TO = 8192 };

static ethernet_fault lose_its_answers(void *self, int from, uint64_t number, const uint8_t *frame, size_t length)
{
    rnic_packet p;
    const char *why;
    (void)self, (void)number;
    int good = from == 1 && rnic_packet_read(&p, frame, length, &why) == RNIC_GOOD && p.qp == VICTIM;
    return (ethernet_fault){good && p.udp_source != BY_HAND ? ETHERNET_LOSE : ETHERNET_NO_FAULT, 0};
}

/* `psn` from the first one, `at` the place of its payload in their area. The frame stays in `frame`. */
static size_t answer_by_hand(unsigned opcode, unsigned psn, unsigned syndrome, unsigned at, unsigned length,
                             uint8_t frame[RNIC_FRAME])
{
    rnic_address from = {0};
    memcpy(from.mac, v.connection.peer.mac, sizeof from.mac);
    rnic_set_ipv4(from.ip, rn_get32(v.connection.peer.ip));
    const rnic_packet p = {.from = from,
                           .to = roce_system_chip_address(0),
                           .udp_source = BY_HAND,
                           .opcode = (uint8_t)opcode,
                           .migrated = 1,
                           .pkey = RNIC_PKEY,
                           .qp = VICTIM,
                           .psn = (v.psn + psn) % RNIC_PSNS,
                           .syndrome = (uint8_t)syndrome,
                           .payload = v.expected_theirs + at,
                           .length = length};
    size_t size = rnic_packet_write(&p, frame);
    ck_must(!ethernet_wire_send(v.system->wire, 1, frame, size, 0, sim_now(v.bench->sim)), "the line takes no frame");
    return size;
}

/* The third argument: this many good packets of the READ's answer come before. */
static const struct answer {
    unsigned opcode, syndrome, before, length, code, checks;
} answers[] = {
    {RNIC_RESPONSE_FIRST, RNIC_ACK, 0, VICTIM_PMTU + 1, 0x1a, 1 << 19},
    {RNIC_RESPONSE_FIRST, RNIC_ACK, 0, VICTIM_PMTU - 4, 0x1a, 1 << 19},
    {RNIC_RESPONSE_FIRST, RNIC_NAK_ACCESS, 0, VICTIM_PMTU, 0x19, 1 << 22},
    {RNIC_RESPONSE_MIDDLE, 0, 0, VICTIM_PMTU, 0x1c, 1 << 16},
    {RNIC_RESPONSE_ONLY, RNIC_ACK, 0, 100, 0x1e, 1 << 16 | 1 << 19},
    {RNIC_RESPONSE_LAST, RNIC_ACK, 1, VICTIM_PMTU, 0x1c, 1 << 16},
    {RNIC_RESPONSE_LAST, RNIC_ACK, 2, LENGTH - 2 * VICTIM_PMTU + 1, 0x1a, 1 << 19},
    {RNIC_RESPONSE_LAST, RNIC_ACK, 2, LENGTH - 2 * VICTIM_PMTU - 1, 0x1a, 1 << 19},
};

VICTIM_STORY(answers_that_no_peer_may_give)
{
    uint8_t frame[RNIC_FRAME], headers[RN_DROPPED_BYTES];
    uint32_t checks;
    for (unsigned i = 0; i <= COUNT(answers); i++) {
        int of_a_write = i == COUNT(answers); /* a READ response */
        const struct answer a = of_a_write ? (struct answer){RNIC_RESPONSE_ONLY, RNIC_ACK, 0, 10, 12, 0} : answers[i];
        victim_connect();
        victim_write(1, 0, 0, v.key, LENGTH);
        victim_written(0, 0, LENGTH);
        victim_completes(1, 0);
        ethernet_wire_set_tap(v.system->wire, lose_its_answers, NULL);
        if (of_a_write) victim_write(2, 0, 40000, v.key, 10);
        else victim_read(2, TO, 20000, v.key, LENGTH);
        if (of_a_write) victim_written(0, 40000, 10);
        unsigned begin = v.packets;
        victim_packet_comes(begin, 0, of_a_write ? RNIC_WRITE_ONLY : RNIC_READ_REQUEST, 0, 1);
        uint32_t ghosts = victim_global(ROCE_ININVDUPCNT) >> 16;
        answer_by_hand(RNIC_RESPONSE_ONLY, 0, RNIC_ACK, 0, 100, frame);                 /* from the past */
        answer_by_hand(RNIC_RESPONSE_FIRST, 0x7fffff, RNIC_ACK, 0, VICTIM_PMTU, frame); /* never asked for */
        for (unsigned n = 0; n < a.before; n++)
            answer_by_hand(n ? RNIC_RESPONSE_MIDDLE : RNIC_RESPONSE_FIRST, FIRST_BAD + n, RNIC_ACK,
                           20000 + n * VICTIM_PMTU, VICTIM_PMTU, frame);
        victim_was_read(TO, 20000, a.before * VICTIM_PMTU);
        victim_wait(3000);
        ck_assert_uint_ge((victim_global(ROCE_ININVDUPCNT) >> 16) - ghosts, 2);
        ck_assert_uint_eq(victim_register(ROCE_STATQP) & 1, 0);
        size_t size = answer_by_hand(a.opcode, FIRST_BAD + a.before, a.syndrome, 30000, a.length, frame);
        victim_completes(2, 1);
        victim_is_fatal(a.code, a.syndrome, a.opcode, FIRST_BAD + a.before);
        ck_assert_int_eq(rn_dropped_next(v.device, &checks, headers, sizeof headers), 1);
        ck_assert_uint_eq(checks, 1u << 23 | a.checks);
        ck_assert_mem_eq(headers, frame, size < 124 ? size : 124);
        ethernet_wire_set_tap(v.system->wire, NULL, NULL);
        victim_settles();
    }
    victim_works();
}

/* ---- a peer that has become silent */

/* The chip sends all that is not acknowledged again, after 8 us each time: as often as it may, then the QP is fatal; or
 * for ever. */
VICTIM_STORY(nobody_answers)
{
    enum { RETRIES = 2, MANY = 9, TIMEOUT = 2 * 4096 /* [ns] */ };
    v.connection.timeout = 1;
    v.connection.retries = RETRIES;
    for (int for_ever = 0; for_ever < 2; for_ever++) {
        victim_connect();
        ethernet_wire_set_tap(v.system->wire, lose_its_answers, NULL);
        uint32_t advanced = victim_global(ROCE_XRNICADCONF) & ~ROCE_XRNICADCONF_RETRY_FOR_EVER_MASK;
        if (for_ever) advanced |= ROCE_XRNICADCONF_RETRY_FOR_EVER_MASK;
        ck_must(!rn_register_write(v.device, ROCE_XRNICADCONF, advanced), "%s", rn_last_error(v.device));
        unsigned begin = v.packets, times = for_ever ? MANY : 1 + RETRIES;
        victim_write(1, 0, 0, v.key, LENGTH);
        victim_read(2, 20000, 30000, v.key, LENGTH);
        victim_written(0, 0, LENGTH); /* the peer receives from the chip */
        for (unsigned n = 1; n < times; n++) {
            unsigned before = victim_packet_comes(begin, 0, RNIC_WRITE_FIRST, 0, n);
            unsigned next = victim_packet_comes(begin, 0, RNIC_WRITE_FIRST, 0, n + 1);
            ck_assert_uint_ge(v.packet[next].time - v.packet[before].time, TIMEOUT * SIM_NS);
        }
        if (for_ever) {
            ck_assert_uint_eq(victim_register(ROCE_STATQP) & 1, 0);
            ethernet_wire_set_tap(v.system->wire, NULL, NULL);
            victim_was_read(20000, 30000, LENGTH);
        }
        for (unsigned id = 1; id <= 2; id++) victim_completes(id, !for_ever);
        if (for_ever) continue;
        victim_is_fatal(6, 0, RNIC_WRITE_FIRST, 0);
        ck_assert_uint_eq(victim_register(ROCE_STATQP) >> 24 & 7, RETRIES);
        ethernet_wire_set_tap(v.system->wire, NULL, NULL);
        victim_settles();
        ck_assert_uint_eq(victim_packets_from(begin, 0, RNIC_WRITE_FIRST), times);
        ck_assert_uint_eq(victim_packets_from(begin, 0, RNIC_READ_REQUEST), times);
    }
    victim_works();
}

/* ---- receivers that are not ready */

enum { RNR = RNIC_RNR_NAK | 1 /* code 1: 10 us */ };

/* The peer has no receive: the chip waits 10 us each time and asks again, until there is one, or its retries are out.
 */
VICTIM_STORY(the_peer_has_no_receive)
{
    unsigned begin = v.packets;
    victim_send(1, 0, LENGTH);
    victim_write(2, 0, 30000, v.key, LENGTH);
    unsigned nak = victim_packet_comes(begin, 1, RNIC_ACKNOWLEDGE, RNR, 3);
    victim_wait(300);
    uint32_t status = victim_register(ROCE_STATQP);
    ck_assert_uint_eq(status >> 28 & 7, 3);
    ck_assert_uint_eq(status & 1, 0);
    victim_peer_receives(7, 40000, LENGTH);
    victim_completes(1, 0);
    victim_completes(2, 0);
    victim_written(0, 40000, LENGTH);
    victim_written(0, 30000, LENGTH);
    victim_peer_completes(7, 1, RNIC_SUCCESS);
    unsigned again = victim_packet_comes(nak, 0, RNIC_SEND_FIRST, 0, 1);
    ck_assert_uint_ge(v.packet[again].time - v.packet[nak].time, 10 * SIM_US);
    ck_assert_uint_eq(victim_packets_from(begin, 0, RNIC_SEND_FIRST), 4);
    ck_assert_uint_eq(victim_register(ROCE_STATQP) >> 28 & 7, 0);
    victim_settles();

    v.connection.rnr_retries = 2;
    victim_connect();
    begin = v.packets;
    victim_send(1, 0, LENGTH);
    victim_write(2, 0, 30000, v.key, LENGTH);
    victim_completes(1, 1);
    victim_completes(2, 1);
    victim_is_fatal(13, RNR, RNIC_ACKNOWLEDGE, 0);
    ck_assert_uint_eq(victim_packets_from(begin, 0, RNIC_SEND_FIRST), 3);
    victim_works();
}

/* The chip's receive queue is full: RNR NAKs until software has done with a buffer; each message comes once, in order.
 */
VICTIM_STORY(the_receive_queue_of_the_chip_is_full)
{
    enum { MESSAGES = 6, USABLE = VICTIM_BUFFERS - 1 };
    unsigned begin = v.packets, naks = 0;
    for (unsigned i = 0; i < MESSAGES; i++) victim_peer_sends(i, 3000 * i + i, LENGTH + i);
    victim_packet_comes(begin, 0, RNIC_ACKNOWLEDGE, RNR, 2);
    victim_wait(300);
    ck_assert_uint_eq(victim_register(ROCE_STATQP) & 3, 2);
    ck_assert_uint_eq(victim_register(ROCE_STATRQPIDB), USABLE);
    ck_assert(victim_global(ROCE_INTSTS) & ROCE_INTSTS_RNR_MASK);
    for (unsigned i = begin; i < v.packets; i++) naks += !v.packet[i].from && v.packet[i].syndrome == RNR;
    uint32_t counts = victim_global(ROCE_OUTRNRPKTSTS);
    ck_assert_uint_eq(counts & 0xff, VICTIM);
    ck_assert_uint_eq(counts >> 16, naks);
    for (unsigned i = 0; i < USABLE; i++) victim_peer_completes(i, 0, RNIC_SUCCESS);
    for (unsigned i = 0; i < MESSAGES; i++) victim_receives(3000 * i + i, LENGTH + i);
    for (unsigned i = USABLE; i < MESSAGES; i++) victim_peer_completes(i, 0, RNIC_SUCCESS);
    ck_assert_uint_eq(victim_register(ROCE_STATMSN), MESSAGES);
    victim_works();
}

/* ---- work that cannot be done: a program that writes other WQEs than the driver lets through */

static const struct illegal {
    unsigned byte, size;
    uint64_t value; /* value written there */
    unsigned reason;
} illegals[] = {
    {16, 1, 1, 1},               /* opcode: SEND with immediate data */
    {16, 1, 5, 1},               /* ... fetch and add */
    {16, 1, 0xff, 1},            /* ... none of IBA's */
    {12, 4, 0, 2},               /* SEND of 0 bytes */
    {8, 4, 1, 4},                /* LADDR above 4 GiB */
    {12, 4, 0xffffffff, 8 | 16}, /* more than 2^31 bytes, whose end is also above 4 GiB */
    {4, 8, 0xffffff00, 16},      /* the last bytes of 4 GiB and later ones */
    {4, 8, 0x1ffffff00, 4 | 16}  /* several at once */
};
/* Each between two that are good: it ends with ERRFLAG in its turn and is handed out with its reason; the QP goes on.
 */
VICTIM_STORY(work_that_is_illegal)
{
    for (unsigned i = 0; i < COUNT(illegals); i++) {
        unsigned begin = v.packets;
        victim_write(3 * i, 0, 100 * i, v.key, LENGTH);
        victim_corrupts(illegals[i].byte, illegals[i].size, illegals[i].value);
        victim_send(3 * i + 1, 0, LENGTH);
        victim_read(3 * i + 2, 30000, 40000, v.key, 100);
        victim_written(0, 100 * i, LENGTH);
        victim_was_read(30000, 40000, 100);
        for (unsigned k = 0; k < 3; k++) victim_completes(3 * i + k, k == 1);
        rn_illegal e;
        ck_assert_int_eq(rn_illegal_next(v.device, &e), 1);
        ck_assert(e.qp == VICTIM && e.id == 3 * i + 1 && e.reason == illegals[i].reason);
        ck_assert_uint_eq(e.opcode, illegals[i].byte == 16 ? illegals[i].value : RN_SEND);
        ck_assert(victim_global(ROCE_INTSTS) & ROCE_INTSTS_ILLEGAL_MASK);
        ck_must(!rn_register_write(v.device, ROCE_INTSTS, ROCE_INTSTS_ILLEGAL_MASK), "%s", rn_last_error(v.device));
        ck_assert_uint_eq(victim_register(ROCE_STATQP) & 1, 0);
        ck_assert_uint_eq(victim_packets_from(begin, 0, RNIC_SEND_FIRST), 0);
    }
    victim_works();
}

/* ---- doorbells */

static unsigned refused_doorbells(void) { return victim_global(ROCE_ACCESSERRCNT) >> 16; }

static void by_hand(axi_doorbell kind, unsigned qp, unsigned index)
{
    ck_must(!axi_doorbells_post(v.system->board->doorbells, kind, qp, (uint16_t)index), "too many doorbells wait");
    while (!axi_doorbells_idle(v.system->board->doorbells)) victim_wait(1);
    victim_wait(8);
}

/* In pieces, out of range, for QPs that are off or missing, by register and by handshake: counted, and nothing happens.
 * The same one again, at once or later: nothing happens either. */
VICTIM_STORY(doorbells_torn_doubled_and_for_a_qp_that_is_off)
{
    static const unsigned places[] = {ROCE_SQPI, ROCE_RQCI};
    unsigned at = VICTIM - 1, beyond = v.system->board->qps + 1, begin = v.packets, wrong = refused_doorbells();
    for (int i = 0; i < COUNT(places); i++) {
        axi_doorbell kind = i ? AXI_RQCI : AXI_SQPI;
        unsigned depth = i ? VICTIM_BUFFERS : VICTIM_DEPTH, place = places[i] + 0x100 * at;
        axi_cpu *cpu = v.system->board->cpu;
        for (unsigned strobes = 1; strobes < 16; strobes++)
            if ((strobes & 3) != 3) {
                ck_must(!axi_cpu_write_bytes(cpu, place, 1, strobes), "the processor cannot write");
                wrong++;
            }
        victim_set_register(places[i], depth);
        victim_set_register(places[i], 0xffff);
        by_hand(kind, VICTIM, depth);
        by_hand(kind, VICTIM, 0xffff);
        by_hand(kind, VICTIM + 1, 1); /* off */
        by_hand(kind, beyond, 1);
        ck_must(!rn_register_write(v.device, places[i] + 0x100 * (at + 1), 1), "%s", rn_last_error(v.device));
        ck_must(!rn_register_write(v.device, places[i] + 0x100 * (beyond - 1), 1), "%s", rn_last_error(v.device));
        ck_assert_uint_eq(refused_doorbells(), wrong += 8);
        ck_assert_uint_eq(victim_register(places[i]), 0);
    }
    victim_settles();
    ck_assert_uint_eq(v.packets, begin);
    for (unsigned id = 1; id <= 5; id++) {
        victim_write(id, 0, 10000 * id, v.key, LENGTH);
        victim_written(0, 10000 * id, LENGTH);
        for (unsigned n = 0; n < 3; n++) {
            victim_set_register(ROCE_SQPI, id);
            by_hand(AXI_SQPI, VICTIM, id);
        }
        victim_completes(id, 0);
        victim_peer_sends(id, 0, 100);
        victim_receives(0, 100);
        victim_peer_completes(id, 0, RNIC_SUCCESS);
        for (unsigned n = 0; n < 3; n++) {
            victim_set_register(ROCE_SQPI, id);
            victim_set_register(ROCE_RQCI, id % VICTIM_BUFFERS);
            by_hand(AXI_RQCI, VICTIM, id % VICTIM_BUFFERS);
        }
    }
    ck_assert_uint_eq(victim_packets_from(begin, 0, RNIC_WRITE_FIRST), 5);
    ck_assert_uint_eq(victim_register(ROCE_CQHEAD), 5);
    victim_works();
    /* of a QP that has been switched off */
    ck_must(!rn_qp_disable(v.qp), "%s", rn_last_error(v.device));
    wrong = refused_doorbells();
    for (int i = 0; i < COUNT(places); i++) {
        victim_set_register(places[i], 1);
        by_hand(i ? AXI_RQCI : AXI_SQPI, VICTIM, 1);
    }
    ck_assert_uint_eq(refused_doorbells(), wrong + 4);
    victim_works();
}

/* ---- a QP that is switched off in mid-message */

enum { LONG = 60000 };

/* Of a WRITE that leaves, of a SEND. The peer has received a part from the beginning; there is no completion, then or
 * later. */
VICTIM_STORY(switched_off_while_it_sends)
{
    for (int what = 0; what < 2; what++) {
        victim_connect();
        unsigned begin = v.packets, middle = what ? RNIC_SEND_MIDDLE : RNIC_WRITE_MIDDLE, count;
        victim_peer_receives(1, 3000, LONG);
        if (what) victim_send(1, 0, LONG);
        else victim_write(1, 0, 3000, v.key, LONG);
        victim_packet_comes(begin, 0, middle, 0, 4);
        ck_must(!rn_qp_disable(v.qp), "%s", rn_last_error(v.device));
        victim_wait(6000);
        count = 1 + victim_packets_from(begin, 0, middle);
        ck_assert_uint_lt(count, LONG / VICTIM_PMTU);
        victim_written(0, 3000, count * VICTIM_PMTU);
        ck_assert_uint_eq(victim_register(ROCE_CQHEAD), 0);
        victim_settles();
    }
    victim_works();
}

/* Of a SEND that comes, and of a READ's answer: a part from the beginning is in memory, and nothing more gets there;
 * nothing is reported or acknowledged, and later packets are dropped. */
VICTIM_STORY(switched_off_while_it_receives)
{
    memory *bytes = v.system->board->bytes_of;
    uint8_t *found = test_memory(LONG), *later = test_memory(LONG);
    for (int what = 0; what < 2; what++) {
        victim_connect();
        unsigned begin = v.packets, middle = what ? RNIC_RESPONSE_MIDDLE : RNIC_SEND_MIDDLE, came = 0;
        uint32_t dropped = victim_global(ROCE_INALLDRPPKTCNT) >> 16;
        uint64_t place = what ? v.ours + 3000 : victim_register(ROCE_RQBA);
        if (what) victim_read(1, 3000, 0, v.key, LONG);
        else victim_peer_sends(1, 0, LONG);
        victim_packet_comes(begin, 1, middle, 0, 4);
        victim_wait(200); /* 500 ns of line, and the way to memory */
        ck_must(!rn_qp_disable(v.qp), "%s", rn_last_error(v.device));
        victim_wait(500);
        memory_read(bytes, place, found, LONG);
        while (came < LONG && found[came] == v.expected_theirs[came]) came++;
        ck_must(came > VICTIM_PMTU && came < LONG - VICTIM_PMTU, "%u of %d bytes have come", came, (int)LONG);
        if (what) memory_read(bytes, v.ours, v.expected_ours, VICTIM_AREA);
        victim_settles();
        memory_read(bytes, place, later, LONG);
        ck_assert_mem_eq(found, later, LONG);
        ck_assert_uint_gt((victim_global(ROCE_INALLDRPPKTCNT) >> 16) - dropped, 0);
        ck_assert_uint_eq(victim_register(ROCE_STATRQPIDB), 0);
        ck_assert_uint_eq(victim_register(ROCE_CQHEAD), 0);
    }
    victim_works();
}

/* ---- each check, fed its fault */

static int fault;
static const char *const faults[] = {"of our area is",
                                     "of their area is",
                                     "completion of the chip",
                                     "an unexpected message",
                                     "an unexpected error status",
                                     "completion of the peer",
                                     "a packet with opcode 04 leaves the chip"};

static void flip(uint64_t address)
{
    uint8_t byte;
    memory_read(v.system->board->bytes_of, address, &byte, 1);
    byte ^= 0x10;
    memory_write(v.system->board->bytes_of, address, &byte, 1);
}

static void does_wrong(void)
{
    if (fault == 0) flip(v.ours + 777);
    if (fault == 1) v.theirs[VICTIM_AREA - 1] ^= 1;
    if (fault == 2) {
        victim_write(1, 0, 0, v.key, 10);
        victim_written(0, 0, 10);
    }
    if (fault == 3 || fault == 5) victim_peer_sends(1, 0, 10);
    if (fault == 5) victim_receives(0, 10);
    if (fault == 4) {
        victim_write(1, 0, 0, v.key ^ 1, 10);
        victim_completes(1, 1);
    }
    if (fault == 6) victim_send(1, 0, 10); /* it is not taken */
    victim_wait(3000);
    const char *wrong = victim_wrong(fault == 6 ? 10000 : 100);
    ck_must(wrong && strstr(wrong, faults[fault]), "\"%s\", expected \"%s\"", wrong ? wrong : "", faults[fault]);
}

TEST(each_check_notices_its_fault, .to = COUNT(faults))
{
    fault = _i;
    victim_play(0, does_wrong, 1);
}
