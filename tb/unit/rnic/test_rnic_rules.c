/* One NIC in C and packets by hand: each rule of IBA for a responder and for a requester, with the packet that breaks
 * it. */
#include <string.h>

#include "sim/core/kernel/splitmix64.h"
#include "sim/model/rnic/rnic.h"
#include "test.h"

enum { PMTU = 256, MEMORY = 8192, OWN_QP = 5, PEER_QP = 9 };
#define BASE UINT64_C(0x10000)
#define US UINT64_C(1000000)

static struct {
    rnic *r;
    rnic_qp *qp;
    uint64_t now;
    uint8_t memory[MEMORY], data[4096 + 512];
    uint32_t key;
    rnic_packet out; /* the last one given; its payload is in frame */
    uint8_t frame[RNIC_FRAME];
} b;

static uint64_t clock_of(void *self)
{
    (void)self;
    return b.now;
}

CLEANUP(rnic_free);

/* PSNs: 100 is expected, and 200 is sent first. */
static rnic_connection defaults(void)
{
    rnic_connection c;

    rnic_connection_default(&c);
    c.peer.mac[5] = 2;
    rnic_set_ipv4(c.peer.ip, 0x0a000002);
    c.qp = PEER_QP;
    c.pmtu = PMTU;
    c.send_psn = 200;
    c.receive_psn = 100;
    c.rnr_timer = 5;
    c.answers = 3;
    c.timeout = 10;
    return c;
}

/* Its connection, or a new one in the place of it. */
static void connect(rnic_connection c)
{
    char error[RNIC_ERROR];

    rnic_reset(b.qp);
    ck_assert_msg(!rnic_connect(b.qp, &c, error), "%s", error);
}

static void start(void)
{
    rnic_params np = {.mac = {2, 0, 0, 0, 0, 1}, .clock = clock_of};
    char error[RNIC_ERROR];

    memset(&b, 0, sizeof b);
    for (unsigned i = 0; i < sizeof b.data; i++) b.data[i] = (uint8_t)(i * 7 + (i >> 8));
    rnic_set_ipv4(np.ip[0], 0x0a000001);
    b.r = rnic_new(&np, error);
    after_test(rnic_free_cleanup, b.r);
    b.key = rnic_register(b.r, 1, b.memory, BASE, MEMORY, RNIC_LOCAL_WRITE | RNIC_REMOTE_WRITE | RNIC_REMOTE_READ);
    b.qp = rnic_qp_new(b.r, &(rnic_qp_params){.number = OWN_QP, .domain = 1}, error);
    connect(defaults());
}

static rnic_packet packet(uint8_t opcode, uint32_t psn, unsigned length)
{
    rnic_packet p = {.from = {.mac = {2, 0, 0, 0, 0, 2}},
                     .to = {.mac = {2, 0, 0, 0, 0, 1}},
                     .udp_source = 0xc009,
                     .opcode = opcode,
                     .migrated = 1,
                     .pkey = 0xffff,
                     .qp = OWN_QP,
                     .psn = psn,
                     .address = BASE,
                     .rkey = b.key,
                     .dma_length = length,
                     .ack_request = 1,
                     .syndrome = RNIC_ACK,
                     .payload = b.data,
                     .length = opcode == RNIC_READ_REQUEST || opcode == RNIC_ACKNOWLEDGE ? 0 : length};

    rnic_set_ipv4(p.from.ip, 0x0a000002);
    rnic_set_ipv4(p.to.ip, 0x0a000001);
    return p;
}

static void take(const rnic_packet *p)
{
    uint8_t frame[RNIC_FRAME];

    rnic_take(b.r, frame, rnic_packet_write(p, frame));
}

static void come(uint8_t opcode, uint32_t psn, unsigned length)
{
    rnic_packet p = packet(opcode, psn, length);

    take(&p);
}

/* Its next packet; 0: none. */
static int goes(void)
{
    size_t length = rnic_give(b.r, b.frame);
    const char *why;

    return length && rnic_packet_read(&b.out, b.frame, length, &why) == RNIC_GOOD;
}

static void expect(uint8_t opcode, uint32_t psn)
{
    ck_assert(goes());
    ck_assert_uint_eq(b.out.opcode, opcode);
    ck_assert_uint_eq(b.out.psn, psn);
    ck_assert_uint_eq(b.out.qp, PEER_QP);
}

static void expect_ack(uint8_t syndrome, uint32_t psn, uint32_t msn)
{
    expect(RNIC_ACKNOWLEDGE, psn);
    ck_assert_uint_eq(b.out.syndrome, syndrome);
    ck_assert_uint_eq(b.out.msn, msn);
}

static void expect_silence(void)
{
    ck_assert_msg(!goes(), "%s PSN %u syndrome %x, expected nothing", rnic_opcode_name(b.out.opcode), b.out.psn,
                  b.out.syndrome);
}

static void post_receives(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        ck_assert_int_eq(
            rnic_post_receive(b.qp, &(rnic_receive){.id = i, .address = BASE + 1024 * i, .key = b.key, .length = 1000}),
            0);
}

static void expect_completion(int receive, rnic_status status, uint32_t length)
{
    rnic_completion c;

    ck_assert(rnic_poll(b.r, &c));
    ck_assert_int_eq(c.receive, receive);
    ck_assert_msg(c.status == status, "%s, expected %s", rnic_status_name(c.status), rnic_status_name(status));
    ck_assert_uint_eq(c.length, length);
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

TEST_CASE("requester", .setup = start);

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
