/* One NIC in C and packets by hand: each rule of IBA for a responder and for a requester, with the packet that breaks
 * it. */
#include "rnic_rules.h"
#include "sim/core/kernel/splitmix64.h"

static void expect_ack(uint8_t syndrome, uint32_t psn, uint32_t msn)
{
    expect(RNIC_ACKNOWLEDGE, psn);
    ck_assert_uint_eq(b.out.syndrome, syndrome);
    ck_assert_uint_eq(b.out.msn, msn);
}

static void post_receives(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        ck_assert_int_eq(
            rnic_post_receive(b.qp, &(rnic_receive){.id = i, .address = BASE + 1024 * i, .key = b.key, .length = 1000}),
            0);
}

TEST_CASE("responder", .setup = start);

TEST(messages_are_counted_and_acknowledged)
{
    post_receives(2);
    come(RNIC_SEND_FIRST, 100, 256);
    expect_ack(RNIC_ACK, 100, 0);
    come(RNIC_SEND_LAST, 101, 17);
    expect_ack(RNIC_ACK, 101, 1);
    expect_completion(1, RNIC_SUCCESS, 273);
    ck_assert_mem_eq(b.memory + 256, b.data, 17);
    come(RNIC_SEND_ONLY, 102, 0);
    expect_ack(RNIC_ACK, 102, 2);
    expect_completion(1, RNIC_SUCCESS, 0);
    rnic_packet p = packet(RNIC_WRITE_FIRST, 103, 256);
    p.dma_length = 300;
    p.ack_request = 0;
    take(&p);
    expect_silence();
    come(RNIC_WRITE_LAST, 104, 44);
    expect_ack(RNIC_ACK, 104, 3);
    expect_silence();
}

/* In the state after `before`, the packet is answered so. before: 0 nothing, 1 SEND first, 2 WRITE first of 700 bytes
 */
TEST(what_must_not_follow_is_refused, .to = 22)
{
    static const struct {
        unsigned before;
        uint8_t opcode;
        unsigned length;
        uint32_t dma_length; /* 0: as long as the packet */
        uint8_t syndrome;
    } rows[] = {
        {0, RNIC_SEND_MIDDLE, 256, 0, RNIC_NAK_INVALID},
        {0, RNIC_SEND_LAST, 10, 0, RNIC_NAK_INVALID},
        {0, RNIC_WRITE_MIDDLE, 256, 0, RNIC_NAK_INVALID},
        {0, RNIC_WRITE_LAST, 10, 0, RNIC_NAK_INVALID},
        {0, RNIC_SEND_FIRST, 255, 0, RNIC_NAK_INVALID},
        {0, RNIC_SEND_FIRST, 260, 0, RNIC_NAK_INVALID},
        {0, RNIC_SEND_ONLY, 257, 0, RNIC_NAK_INVALID},
        {0, RNIC_WRITE_ONLY, 10, 11, RNIC_NAK_INVALID},
        {0, RNIC_WRITE_ONLY, 11, 10, RNIC_NAK_INVALID},
        {0, RNIC_WRITE_FIRST, 256, 256, RNIC_NAK_INVALID},
        {0, 0x03, 10, 0, RNIC_NAK_INVALID},
        {0, 0x13, 28, 0, RNIC_NAK_INVALID},
        {0, 0x1f, 0, 0, RNIC_NAK_INVALID},
        {1, RNIC_SEND_FIRST, 256, 0, RNIC_NAK_INVALID},
        {1, RNIC_SEND_ONLY, 10, 0, RNIC_NAK_INVALID},
        {1, RNIC_WRITE_MIDDLE, 256, 0, RNIC_NAK_INVALID},
        {1, RNIC_READ_REQUEST, 10, 0, RNIC_NAK_INVALID},
        {1, RNIC_SEND_LAST, 0, 0, RNIC_NAK_INVALID},
        {1, RNIC_SEND_MIDDLE, 252, 0, RNIC_NAK_INVALID},
        {2, RNIC_SEND_LAST, 10, 0, RNIC_NAK_INVALID},
        {2, RNIC_WRITE_LAST, 100, 0, RNIC_NAK_INVALID},
        {2, RNIC_WRITE_ONLY, 10, 0, RNIC_NAK_INVALID},
    };

    post_receives(3);
    if (rows[_i].before == 1) come(RNIC_SEND_FIRST, 100, 256);
    if (rows[_i].before == 2) {
        rnic_packet first = packet(RNIC_WRITE_FIRST, 100, 256);

        first.dma_length = 700;
        take(&first);
    }
    if (rows[_i].before) expect_ack(RNIC_ACK, 100, 0);
    uint32_t psn = rows[_i].before ? 101 : 100;
    rnic_packet p = packet(rows[_i].opcode, psn, rows[_i].length);
    if (rows[_i].dma_length) p.dma_length = rows[_i].dma_length;
    take(&p);
    expect_ack(rows[_i].syndrome, psn, 0);
    ck_assert_int_eq(rnic_qp_state(b.qp), RNIC_FAILED);
    for (int i = 0; i < 3; i++) expect_completion(1, RNIC_FLUSHED, 0);
    come(RNIC_SEND_ONLY, psn, 10); /* and nothing more is taken */
    expect_silence();
    ck_assert_uint_eq(rnic_get_counters(b.r)->naks_sent, 1);
}

/* Every opcode in every state: an answer of the right kind, or none; a QP that has refused one says nothing more. */
TEST(every_opcode_has_an_answer_in_every_state, .to = 3)
{
    for (unsigned opcode = 0; opcode < 256; opcode++)
        for (int ahead = -1; ahead < 2; ahead++) {
            clean_up();
            start();
            post_receives(2);
            rnic_packet before = packet(_i == 1 ? RNIC_SEND_FIRST : RNIC_WRITE_FIRST, 100, 256);
            before.dma_length = 700;
            if (_i) {
                take(&before);
                ck_assert(goes());
            } else come(RNIC_SEND_ONLY, 100, 10), ck_assert(goes());
            come((uint8_t)opcode, (uint32_t)(101 + ahead), 256);
            int answered = goes(), response = opcode >= RNIC_RESPONSE_FIRST && opcode <= 0x12, other = opcode >= 0x20;
            ck_assert_msg(answered == (!response && !other), "opcode %02x", opcode);
            if (!answered) ck_assert_int_eq(rnic_qp_state(b.qp), RNIC_READY);
            else if (b.out.opcode == RNIC_ACKNOWLEDGE)
                ck_assert_int_eq(b.out.syndrome, ahead > 0                            ? RNIC_NAK_SEQUENCE
                                                 : rnic_qp_state(b.qp) == RNIC_FAILED ? RNIC_NAK_INVALID
                                                                                      : RNIC_ACK);
            else ck_assert_uint_eq(opcode, RNIC_READ_REQUEST);
            if (ahead) ck_assert_int_eq(rnic_qp_state(b.qp), RNIC_READY);
        }
}

/* Packets with any fields, their ICRC right: nothing outside of its memory is touched (the sanitizer watches), no
 * packet makes it stop. */
TEST(any_packet_does_no_harm)
{
    uint64_t random = 3;

    for (int round = 0; round < 400; round++) {
        clean_up();
        start();
        post_receives(4);
        for (int i = 0; i < 4; i++)
            rnic_post_send(b.qp, &(rnic_send){.operation = i % 3, .address = BASE, .key = b.key, .length = 700});
        for (int i = 0; i < 50; i++) {
            rnic_packet p =
                packet((uint8_t)splitmix64_below(&random, 0x14), (uint32_t)(98 + splitmix64_below(&random, 8)), 0);

            if (p.opcode >= RNIC_RESPONSE_FIRST && p.opcode <= 0x12) p.psn += 100;
            p.length = (unsigned)(splitmix64_below(&random, 2) ? PMTU : splitmix64_below(&random, 4097));
            if (p.opcode == RNIC_READ_REQUEST) p.length = 0;
            p.dma_length =
                (uint32_t)(splitmix64_below(&random, 4) ? splitmix64_below(&random, 1000) : splitmix64(&random));
            p.address += splitmix64_below(&random, 3) ? splitmix64_below(&random, MEMORY) : splitmix64(&random);
            p.rkey += splitmix64_below(&random, 8) == 0;
            p.syndrome = (uint8_t)(splitmix64_below(&random, 2) ? RNIC_ACK : splitmix64(&random));
            take(&p);
            while (splitmix64_below(&random, 3) && goes())
                ;
            b.now += splitmix64_below(&random, 100 * US);
        }
        while (goes())
            ;
    }
}

TEST(what_is_not_for_a_queue_pair_is_dropped, .to = 8)
{
    rnic_packet p = packet(RNIC_SEND_ONLY, 100, 10);
    const rnic_counters *c = rnic_get_counters(b.r);
    const uint64_t *counter = &c->foreign;

    post_receives(1);
    switch (_i) {
    case 0:
        p.qp = 6, counter = &c->no_qp;
        break;
    case 1:
        p.pkey = 0x1234, counter = &c->bad_key;
        break;
    case 2:
        p.to.mac[5] = 9;
        break;
    case 3:
        p.to.ip[15] = 9;
        break;
    case 4:
        p.from.ip[15] = 9;
        break;
    case 5:
        p.opcode = 0x24, counter = &c->malformed;
        break; /* of an unreliable connection */
    case 6:
        p.opcode = RNIC_UD_SEND_ONLY, counter = &c->no_qp;
        break;
    case 7:
        rnic_reset(b.qp), counter = &c->no_qp;
        break;
    }
    take(&p);
    expect_silence();
    ck_assert_uint_eq(*counter, 1);
    ck_assert_uint_eq(c->duplicate_request + c->out_of_seq_request + c->rdma_recvs, 0);
    if (_i == 7) return;
    come(RNIC_SEND_ONLY, 100, 10);
    expect_ack(RNIC_ACK, 100, 1);
}

/* P_Key: the bit of full membership is not compared. */
TEST(a_limited_member_may_send)
{
    rnic_packet p = packet(RNIC_SEND_ONLY, 100, 10);

    post_receives(1);
    p.pkey = 0x7fff;
    take(&p);
    expect_ack(RNIC_ACK, 100, 1);
}

TEST(a_datagram_with_another_q_key_is_dropped)
{
    rnic_packet p = packet(RNIC_UD_SEND_ONLY, 7, 100);
    char error[RNIC_ERROR];
    rnic_qp *manager = rnic_qp_new(b.r, &(rnic_qp_params){.number = 1, .type = RNIC_UD, .domain = 1}, error);

    rnic_post_receive(manager, &(rnic_receive){.address = BASE, .key = b.key, .length = 256});
    p.qp = 1;
    p.qkey = 0x80010001;
    take(&p);
    ck_assert_uint_eq(rnic_get_counters(b.r)->bad_key, 1);
    p.qkey = 0x80010000;
    take(&p);
    expect_completion(1, RNIC_SUCCESS, 100);
}

TEST(one_nak_is_sent_until_the_packet_comes_that_is_expected)
{
    post_receives(4);
    come(RNIC_SEND_ONLY, 102, 10);
    expect_ack(RNIC_NAK_SEQUENCE, 100, 0);
    come(RNIC_SEND_ONLY, 103, 10);
    come(RNIC_SEND_ONLY, (100 + (1 << 23) - 1), 10); /* the farthest that is ahead */
    expect_silence();
    come(RNIC_SEND_ONLY, 100, 10);
    expect_ack(RNIC_ACK, 100, 1);
    come(RNIC_SEND_ONLY, 102, 10);
    expect_ack(RNIC_NAK_SEQUENCE, 101, 1);
    ck_assert_uint_eq(rnic_get_counters(b.r)->out_of_seq_request, 2);
}

TEST(what_is_behind_is_acknowledged_and_does_nothing)
{
    post_receives(4);
    come(RNIC_SEND_ONLY, 100, 10);
    come(RNIC_SEND_ONLY, 101, 10);
    expect_ack(RNIC_ACK, 101, 2); /* both with one */
    expect_silence();
    memset(b.memory, 0, sizeof b.memory);
    come(RNIC_SEND_ONLY, 100, 10);
    expect_ack(RNIC_ACK, 101, 2);
    come(RNIC_WRITE_ONLY, 102 + (1 << 23), 10); /* 2^23 away: behind */
    expect_ack(RNIC_ACK, 101, 2);
    for (unsigned i = 0; i < MEMORY; i++) ck_assert_uint_eq(b.memory[i], 0);
    expect_completion(1, RNIC_SUCCESS, 10);
    expect_completion(1, RNIC_SUCCESS, 10);
    rnic_completion c;
    ck_assert(!rnic_poll(b.r, &c));
}

TEST(who_is_not_ready_says_so_and_nothing_about_what_follows)
{
    come(RNIC_SEND_FIRST, 100, 256);
    expect_ack(RNIC_RNR_NAK | 5, 100, 0);
    come(RNIC_SEND_LAST, 101, 10);
    expect_silence();
    come(RNIC_SEND_FIRST, 100, 256);
    expect_ack(RNIC_RNR_NAK | 5, 100, 0);
    post_receives(1);
    come(RNIC_SEND_FIRST, 100, 256);
    expect_ack(RNIC_ACK, 100, 0);
    come(RNIC_WRITE_ONLY, 102, 4);
    expect_ack(RNIC_NAK_SEQUENCE, 101, 0); /* the state is over */
}

static void expect_responses(uint32_t psn, uint32_t end, uint32_t last, uint32_t msn, unsigned offset)
{
    for (uint32_t first = psn; psn < end; psn++) {
        uint8_t opcode = psn == first  ? psn == last ? RNIC_RESPONSE_ONLY : RNIC_RESPONSE_FIRST
                         : psn == last ? RNIC_RESPONSE_LAST
                                       : RNIC_RESPONSE_MIDDLE;

        expect(opcode, psn);
        if (opcode != RNIC_RESPONSE_MIDDLE) {
            ck_assert_uint_eq(b.out.msn, msn);
            ck_assert_uint_eq(b.out.syndrome, RNIC_ACK);
        }
        ck_assert_mem_eq(b.out.payload, b.memory + offset + (psn - first) * PMTU, b.out.length);
    }
}

TEST(a_read_is_answered_and_answered_again_from_any_packet)
{
    memcpy(b.memory, b.data, sizeof b.data);
    come(RNIC_READ_REQUEST, 100, 1000);
    come(RNIC_WRITE_ONLY, 104, 10); /* acknowledged behind the responses */
    memcpy(b.memory, b.data, sizeof b.data);
    expect_responses(100, 104, 103, 1, 0);
    expect_ack(RNIC_ACK, 104, 2);
    rnic_packet p = packet(RNIC_READ_REQUEST, 102, 488);
    p.address += 512;
    take(&p);
    expect_responses(102, 104, 103, 2, 512);
    expect_silence();
    ck_assert_uint_eq(rnic_get_counters(b.r)->duplicate_request, 1);
    /* a copy that comes while the first is being answered: from the begin, and the end once */
    come(RNIC_READ_REQUEST, 105, 600);
    expect(RNIC_RESPONSE_FIRST, 105);
    come(RNIC_READ_REQUEST, 105, 600);
    expect_responses(105, 108, 107, 3, 0);
    expect_silence();
    /* one that would exceed the request: ignored */
    come(RNIC_READ_REQUEST, 107, 600);
    expect_silence();
}

TEST(more_reads_than_agreed_are_refused)
{
    for (uint32_t i = 0; i < 4; i++) come(RNIC_READ_REQUEST, 100 + i, 10);
    for (uint32_t i = 0; i < 3; i++) expect(RNIC_RESPONSE_ONLY, 100 + i);
    expect_ack(RNIC_NAK_INVALID, 103, 3);
}

TEST(requests_of_no_bytes_need_no_key)
{
    rnic_packet p = packet(RNIC_READ_REQUEST, 100, 0);

    p.rkey = 0x777;
    p.address = 3;
    take(&p);
    expect(RNIC_RESPONSE_ONLY, 100);
    ck_assert_uint_eq(b.out.length, 0);
    p = packet(RNIC_WRITE_ONLY, 101, 0);
    p.rkey = 0x777;
    take(&p);
    expect_ack(RNIC_ACK, 101, 2);
}

TEST(acks_may_wait_for_each_other)
{
    rnic_connection c = defaults();

    c.ack_delay = 5 * US;
    connect(c);
    come(RNIC_WRITE_ONLY, 100, 8);
    b.now = 3 * US;
    expect_silence();
    come(RNIC_WRITE_ONLY, 101, 8);
    expect_silence();
    ck_assert_uint_eq(rnic_wakes(b.r), 5 * US);
    b.now = 5 * US;
    expect_ack(RNIC_ACK, 101, 2);
    come(RNIC_WRITE_ONLY, 103, 8); /* a NAK does not wait */
    expect_ack(RNIC_NAK_SEQUENCE, 102, 2);
    come(RNIC_WRITE_ONLY, 102, 8);
    expect_silence();
    come(RNIC_READ_REQUEST, 103, 8); /* nor does the answer to a READ, nor requests in front of it */
    expect_ack(RNIC_ACK, 102, 3);
    expect(RNIC_RESPONSE_ONLY, 103);
}
