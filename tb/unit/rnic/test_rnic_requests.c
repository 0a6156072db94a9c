/* The RDMA peer as a requester, rule by rule (IBA 9); as a responder: test_rnic_rules. */
#include "rnic_rules.h"

static void post(rnic_operation operation, uint32_t length)
{
    static uint64_t id;

    ck_assert_int_eq(rnic_post_send(b.qp, &(rnic_send){.id = ++id,
                                                       .operation = operation,
                                                       .address = BASE,
                                                       .key = b.key,
                                                       .length = length,
                                                       .remote = 0x5000,
                                                       .rkey = 0xabc}),
                     0);
}

static void come_nak(uint8_t syndrome, uint32_t psn)
{
    rnic_packet p = packet(RNIC_ACKNOWLEDGE, psn, 0);

    p.syndrome = syndrome;
    take(&p);
}

TEST_CASE("requester", .setup = start);

TEST(a_message_is_cut_and_asks_for_an_ack_at_its_end)
{
    static const struct {
        uint8_t opcode;
        unsigned length;
    } parts[] = {{RNIC_WRITE_FIRST, 256}, {RNIC_WRITE_MIDDLE, 256}, {RNIC_WRITE_LAST, 88}, {RNIC_SEND_ONLY, 256}};

    post(RNIC_WRITE, 600);
    post(RNIC_SEND, 256);
    for (uint32_t i = 0; i < 4; i++) {
        expect(parts[i].opcode, 200 + i);
        ck_assert_uint_eq(b.out.length, parts[i].length);
        ck_assert_int_eq(b.out.ack_request, i >= 2);
        if (!i) {
            ck_assert_uint_eq(b.out.address, 0x5000);
            ck_assert_uint_eq(b.out.rkey, 0xabc);
            ck_assert_uint_eq(b.out.dma_length, 600);
        }
    }
    expect_silence();
    come(RNIC_ACKNOWLEDGE, 203, 0);
    expect_completion(0, RNIC_SUCCESS, 600);
    expect_completion(0, RNIC_SUCCESS, 256);
}

TEST(no_more_is_outstanding_than_agreed)
{
    rnic_connection c = defaults();

    c.reads = 2;
    c.window = 6;
    connect(c);
    for (int i = 0; i < 3; i++) post(RNIC_READ, 10);
    expect(RNIC_READ_REQUEST, 200);
    expect(RNIC_READ_REQUEST, 201);
    expect_silence();
    come(RNIC_RESPONSE_ONLY, 200, 10);
    expect(RNIC_READ_REQUEST, 202);
    come(RNIC_RESPONSE_ONLY, 201, 10);
    come(RNIC_RESPONSE_ONLY, 202, 10);
    post(RNIC_WRITE, 10 * PMTU);
    for (uint32_t i = 0; i < 6; i++) {
        ck_assert(goes());
        ck_assert_int_eq(b.out.ack_request, i == 5); /* else it would never be reported */
    }
    expect_silence();
    come(RNIC_ACKNOWLEDGE, 206, 0);
    expect(RNIC_WRITE_MIDDLE, 209);
}

/* Two connections: packets of the one wait for the ACK of the other. */
TEST(acks_go_before_requests)
{
    char error[RNIC_ERROR];
    rnic_connection c = defaults();
    rnic_qp *other = rnic_qp_new(b.r, &(rnic_qp_params){.number = 6, .domain = 1}, error);

    c.qp = 10;
    ck_assert_int_eq(rnic_connect(other, &c, error), 0);
    post(RNIC_WRITE, 10 * PMTU);
    for (uint32_t i = 0; i < 4; i++) {
        rnic_packet p = packet(RNIC_WRITE_ONLY, 100 + i, 10);

        p.qp = 6;
        take(&p);
        ck_assert(goes());
        ck_assert_uint_eq(b.out.opcode, RNIC_ACKNOWLEDGE);
        ck_assert_uint_eq(b.out.qp, 10);
        ck_assert(goes());
        ck_assert_uint_eq(b.out.qp, PEER_QP);
    }
}

/* Responses to a READ of 600 bytes, PSNs 200..202: after `good` right ones one that is wrong. */
TEST(a_wrong_response_ends_the_connection, .to = 12)
{
    static const struct {
        uint32_t good;
        uint8_t opcode;
        unsigned length;
        uint8_t syndrome;
    } rows[] = {
        {0, RNIC_RESPONSE_FIRST, 255, RNIC_ACK},  {0, RNIC_RESPONSE_FIRST, 260, RNIC_ACK},
        {0, RNIC_RESPONSE_MIDDLE, 256, RNIC_ACK}, {0, RNIC_RESPONSE_LAST, 256, RNIC_ACK},
        {0, RNIC_RESPONSE_ONLY, 256, RNIC_ACK},   {0, RNIC_RESPONSE_FIRST, 256, RNIC_NAK_INVALID},
        {1, RNIC_RESPONSE_FIRST, 256, RNIC_ACK},  {1, RNIC_RESPONSE_LAST, 88, RNIC_ACK},
        {1, RNIC_RESPONSE_MIDDLE, 100, RNIC_ACK}, {2, RNIC_RESPONSE_MIDDLE, 256, RNIC_ACK},
        {2, RNIC_RESPONSE_LAST, 87, RNIC_ACK},    {2, RNIC_RESPONSE_LAST, 89, RNIC_ACK},
    };
    static const uint8_t right[] = {RNIC_RESPONSE_FIRST, RNIC_RESPONSE_MIDDLE, RNIC_RESPONSE_LAST};

    post(RNIC_READ, 600);
    post(RNIC_SEND, 1);
    expect(RNIC_READ_REQUEST, 200);
    expect(RNIC_SEND_ONLY, 203);
    for (uint32_t i = 0; i < rows[_i].good; i++) come(right[i], 200 + i, 256);
    rnic_packet p = packet(rows[_i].opcode, 200 + rows[_i].good, rows[_i].length);
    p.syndrome = rows[_i].syndrome;
    take(&p);
    expect_completion(0, RNIC_BAD_RESPONSE, 600);
    expect_completion(0, RNIC_FLUSHED, 1);
    ck_assert_int_eq(rnic_qp_state(b.qp), RNIC_FAILED);
    expect_silence();
}

TEST(a_response_to_a_write_ends_the_connection)
{
    post(RNIC_WRITE, 100);
    expect(RNIC_WRITE_ONLY, 200);
    come(RNIC_RESPONSE_ONLY, 200, 100);
    expect_completion(0, RNIC_BAD_RESPONSE, 100);
}

/* A READ goes on from its first missing byte; late responses of the first try are accepted. */
TEST(a_read_is_asked_for_again_from_what_is_missing)
{
    post(RNIC_READ, 1000);
    expect(RNIC_READ_REQUEST, 200);
    come(RNIC_RESPONSE_FIRST, 200, 256);
    come(RNIC_RESPONSE_MIDDLE, 202, 256); /* 201 is missing */
    expect(RNIC_READ_REQUEST, 201);
    ck_assert_uint_eq(b.out.address, 0x5000 + 256);
    ck_assert_uint_eq(b.out.dma_length, 744);
    come(RNIC_RESPONSE_LAST, 203, 232); /* asked once */
    expect_silence();
    come(RNIC_RESPONSE_MIDDLE, 201, 256); /* it was only late */
    come(RNIC_RESPONSE_FIRST, 201, 256);  /* a ghost now */
    come(RNIC_RESPONSE_MIDDLE, 202, 256);
    come(RNIC_RESPONSE_LAST, 203, 232);
    expect_completion(0, RNIC_SUCCESS, 1000);
    for (int i = 0; i < 3; i++) ck_assert_mem_eq(b.memory + 256 * i, b.data, 256);
    ck_assert_uint_eq(rnic_get_counters(b.r)->ghosts, 1);
}

TEST(each_gap_is_asked_for_at_once)
{
    post(RNIC_READ, 1000);
    expect(RNIC_READ_REQUEST, 200);
    come(RNIC_RESPONSE_MIDDLE, 201, 256);
    expect(RNIC_READ_REQUEST, 200);
    come(RNIC_RESPONSE_FIRST, 200, 256);
    come(RNIC_RESPONSE_MIDDLE, 202, 256);
    expect(RNIC_READ_REQUEST, 201);
}

/* It has gone back, and before it has sent again the ACK comes after all. */
TEST(what_is_acknowledged_late_is_not_sent_again)
{
    for (int i = 0; i < 3; i++) post(RNIC_WRITE, 300);
    for (int i = 0; i < 6; i++) ck_assert(goes());
    come_nak(RNIC_NAK_SEQUENCE, 200);
    come(RNIC_ACKNOWLEDGE, 202, 0);
    expect(RNIC_WRITE_LAST, 203);
    expect(RNIC_WRITE_FIRST, 204);
    come(RNIC_ACKNOWLEDGE, 205, 0);
    expect_silence();
    for (int i = 0; i < 3; i++) expect_completion(0, RNIC_SUCCESS, 300);
}

TEST(acks_outside_of_what_is_outstanding_are_ignored)
{
    come(RNIC_ACKNOWLEDGE, 199, 0);
    come(RNIC_ACKNOWLEDGE, 200, 0); /* nothing has been sent */
    post(RNIC_SEND, 10);
    post(RNIC_SEND, 10);
    expect(RNIC_SEND_ONLY, 200);
    come(RNIC_ACKNOWLEDGE, 201, 0); /* posted, not sent */
    come(RNIC_ACKNOWLEDGE, 199, 0);
    come(RNIC_RESPONSE_ONLY, 199, 10);
    ck_assert_uint_eq(rnic_get_counters(b.r)->ghosts, 5);
    come(RNIC_ACKNOWLEDGE, 200, 0);
    expect_completion(0, RNIC_SUCCESS, 10);
    rnic_completion c;
    ck_assert(!rnic_poll(b.r, &c));
    ck_assert_int_eq(rnic_qp_state(b.qp), RNIC_READY);
}

TEST(a_nak_says_what_was_wrong_and_all_before_is_done, .to = 3)
{
    static const rnic_status status[] = {RNIC_REMOTE_INVALID, RNIC_REMOTE_ACCESS, RNIC_REMOTE_OPERATION};

    for (int i = 0; i < 3; i++) post(RNIC_WRITE, 10);
    for (uint32_t i = 0; i < 3; i++) expect(RNIC_WRITE_ONLY, 200 + i);
    come_nak((uint8_t)(RNIC_NAK_INVALID + _i), 201);
    expect_completion(0, RNIC_SUCCESS, 10);
    expect_completion(0, status[_i], 10);
    expect_completion(0, RNIC_FLUSHED, 10);
}

TEST(a_nak_for_the_sequence_goes_back_to_its_psn)
{
    post(RNIC_WRITE, 1000);
    for (uint32_t i = 0; i < 4; i++) ck_assert(goes());
    come_nak(RNIC_NAK_SEQUENCE, 202);
    expect(RNIC_WRITE_MIDDLE, 202);
    expect(RNIC_WRITE_LAST, 203);
    expect_silence();
    come_nak(0x40, 203); /* a reserved syndrome */
    come_nak(0x64, 203);
    expect_silence();
    come(RNIC_ACKNOWLEDGE, 203, 0);
    expect_completion(0, RNIC_SUCCESS, 1000);
}

/* IBA table 45 in microseconds. */
TEST(an_rnr_nak_waits_for_its_time, .to = 32)
{
    static const uint64_t times[] = {655360, 10,    20,    30,    40,    60,     80,     120,    160,    240,   320,
                                     480,    640,   960,   1280,  1920,  2560,   3840,   5120,   7680,   10240, 15360,
                                     20480,  30720, 40960, 61440, 81920, 122880, 163840, 245760, 327680, 491520};

    post(RNIC_SEND, 10);
    expect(RNIC_SEND_ONLY, 200);
    b.now = 7;
    come_nak((uint8_t)(RNIC_RNR_NAK | _i), 200);
    expect_silence();
    ck_assert_uint_le(rnic_wakes(b.r), 7 + times[_i] * US);
    b.now = 6 + times[_i] * US;
    expect_silence();
    b.now++;
    expect(RNIC_SEND_ONLY, 200);
}

/* rdma_rxe sends one for the packets behind each time, at once or when all have been sent again already. */
TEST(a_nak_for_the_sequence_behind_an_rnr_nak_is_no_retry)
{
    post(RNIC_SEND, 10);
    post(RNIC_WRITE, 10);
    for (unsigned i = 0; i < 100; i++) { /* more often than there are retries */
        expect(RNIC_SEND_ONLY, 200);
        expect(RNIC_WRITE_ONLY, 201);
        come_nak(RNIC_RNR_NAK | 1, 200);
        if (i & 1) come_nak(RNIC_NAK_SEQUENCE, 200);
        b.now += 10 * US;
        if (i & 2) come_nak(RNIC_NAK_SEQUENCE, 200);
    }
    expect(RNIC_SEND_ONLY, 200);
    expect(RNIC_WRITE_ONLY, 201);
    come_nak(RNIC_NAK_SEQUENCE, 201); /* the refused packet has been taken, and this one is lost */
    expect_completion(0, RNIC_SUCCESS, 10);
    expect(RNIC_WRITE_ONLY, 201);
    come_nak(RNIC_NAK_SEQUENCE, 201);
    expect(RNIC_WRITE_ONLY, 201);
}

/* Timeout 10: 4.096 us x 1024. */
TEST(nothing_received_for_the_timeout_goes_back)
{
    post(RNIC_SEND, 10);
    expect(RNIC_SEND_ONLY, 200);
    b.now = 4194304 * (US / 1000) - 1;
    expect_silence();
    b.now++;
    expect(RNIC_SEND_ONLY, 200);
    b.now *= 2;
    come(RNIC_ACKNOWLEDGE, 200, 0); /* at the last moment */
    expect_silence();
    expect_completion(0, RNIC_SUCCESS, 10);
    ck_assert_uint_eq(rnic_wakes(b.r), RNIC_NEVER);
}
