/* The connection manager: messages of Linux 6.1 (rping over rdma_rxe) as they came, and what answered them so that
 * Linux went on; fields at the places of IBA's tables, typed in; two managers that talk over a way that loses, doubles
 * and corrupts. */
#include "cm_bench.h"

TEST_CASE("cm", .timeout = 60, .setup = set_up);

/* ---- Linux */

TEST(the_request_of_linux_is_taken_apart)
{
    uint8_t frame[FRAME];
    rn_mad_frame f;
    rn_cm_message m;
    const char *why = "";
    linux_frame(linux_req, frame);
    ck_assert_int_eq(rn_mad_frame_parse(frame, FRAME, &f, &why), 0);
    ck_assert(!f.from.ipv6 && !memcmp(f.from.ip, "\x0a\0\0\2", 4) && !memcmp(f.from.mac, "\x52\x54\0\0\0\2", 6));
    ck_assert(!memcmp(f.to.ip, "\x0a\0\0\1", 4) && f.source_qp == 1 && f.pkey == 0xffff && f.psn == 0);
    ck_assert_ptr_eq(f.mad, frame + MAD_AT);
    ck_assert_int_eq(rn_cm_decode(f.mad, &m, &why), 0);
    ck_assert_int_eq((int)m.kind, RN_CM_REQ);
    ck_assert_uint_eq(m.transaction, 0x2971fdab3);
    ck_assert_uint_eq(m.local_id, 0xb3da1f97);
    ck_assert_uint_eq(m.service, RN_CM_TCP_SERVICE(SERVICE_PORT)); /* rdma_cm, TCP port 7174 */
    ck_assert_int_eq(memcmp(m.guid, "\x50\x54\0\xff\xfe\0\0\2", 8), 0);
    ck_assert_uint_eq(m.qp, 0x11);
    ck_assert_uint_eq(m.psn, 0x7c67ed);
    ck_assert(m.responder_resources == 1 && m.initiator_depth == 1 && m.remote_timeout == 20 && m.local_timeout == 20);
    ck_assert(m.retries == 7 && m.rnr_retries == 7 && m.cm_retries == 15 && m.transport == 0 && m.srq == 0 &&
              m.flow_control == 0);
    ck_assert(m.pkey == 0xffff && m.pmtu_code == 5 && m.hop_limit == 64 && m.ack_timeout == 19 && m.traffic_class == 0);
    ck_assert_int_eq(memcmp(m.local_gid, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\0\0\2", 16), 0);
    ck_assert_int_eq(memcmp(m.remote_gid, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\0\0\1", 16), 0);
    uint8_t header[RN_CM_IP_HEADER], again[256];
    rn_cm_put_ip_header(header, &f.from, 0xb7a9, &f.to);
    ck_assert_int_eq(memcmp(m.private_data, header, RN_CM_IP_HEADER), 0);
    rn_cm_encode(&m, again); /* and put together again */
    for (int i = 0; i < 256; i++)
        ck_assert_msg(again[i] == f.mad[i], "byte %d is %02x, expected %02x", i, again[i], f.mad[i]);
}

/* The answers to Linux here are those of the recording, which Linux accepted. */
TEST(linux_is_answered_as_it_was)
{
    uint8_t frame[FRAME], expected[FRAME];
    rn_connection c;
    linux_frame(linux_req, frame);
    ck_assert_int_eq(rn_cm_receive_frame(b.cm, frame, FRAME), 0);
    linux_frame(target_rep, expected);
    for (int i = 0; i < 256; i++)
        ck_assert_msg(b.mad[0][i] == expected[MAD_AT + i], "REP: byte %d is %02x", i, b.mad[0][i]);
    rn_cm_connection(b.id, NULL, &c);
    ck_assert(c.qp == 0x11 && c.send_psn == 0x7c67ed && c.receive_psn == 0xfffffa && c.pmtu == 4096 && c.timeout == 19);
    ck_assert(c.retries == 7 && c.rnr_retries == 7 && c.reads_outstanding == 1 && c.peer.mac[1] == 0x54 &&
              c.peer.ip[3] == 2);
    linux_frame(linux_rtu, frame);
    ck_assert_int_eq(rn_cm_receive_frame(b.cm, frame, FRAME), 0);
    linux_frame(linux_dreq, frame);
    ck_assert_int_eq(rn_cm_receive_frame(b.cm, frame, FRAME), 0);
    linux_frame(target_drep, expected);
    for (int i = 0; i < 256; i++)
        ck_assert_msg(b.mad[1][i] == expected[MAD_AT + i], "DREP: byte %d is %02x", i, b.mad[1][i]);
    ck_assert_uint_eq(b.count, 2);
    EXPECT_EVENTS(&b, RN_CM_REQUESTED, RN_CM_ESTABLISHED, RN_CM_DISCONNECTED);
    ck_assert_int_eq(rn_cm_receive_frame(b.cm, frame, FRAME), 0); /* once more: our DREP was lost */
    ck_assert_uint_eq(b.count, 3);
    pass(1000000);
    EXPECT_EVENTS(&b, RN_CM_REQUESTED, RN_CM_ESTABLISHED, RN_CM_DISCONNECTED, RN_CM_ENDED);
}

TEST(fields_of_rep_stand_where_iba_says)
{
    uint8_t mad[256];
    rn_cm_message m = {.kind = RN_CM_REP,
                       .transaction = 0x1122334455667788,
                       .local_id = 0xa1a2a3a4,
                       .remote_id = 0xb1b2b3b4,
                       .qp = 0xc1c2c3,
                       .psn = 0xd1d2d3,
                       .responder_resources = 0xe1,
                       .initiator_depth = 0xe2,
                       .target_ack_delay = 21,
                       .flow_control = 1,
                       .rnr_retries = 5,
                       .srq = 1};
    memcpy(m.guid, "GUIDGUID", 8);
    memset(m.private_data, 0x77, 196);
    rn_cm_encode(&m, mad);
    char data[196];
    memset(data, 0x77, 196);
    const struct place places[] = {{8, "\x11\x22\x33\x44\x55\x66\x77\x88", 8},
                                   {16, "\x00\x13", 2},
                                   {24, "\xa1\xa2\xa3\xa4", 4},
                                   {28, "\xb1\xb2\xb3\xb4", 4},
                                   {36, "\xc1\xc2\xc3", 3},
                                   {44, "\xd1\xd2\xd3", 3},
                                   {48, "\xe1\xe2", 2},
                                   {50, "\xa9", 1} /* 21, failover 0, flow control */,
                                   {51, "\xb0", 1} /* 5, SRQ */,
                                   {52, "GUIDGUID", 8},
                                   {60, data, 196}};
    check_places(mad, places, COUNT(places));
}

TEST(fields_of_the_others_stand_where_iba_says)
{
    uint8_t mad[256];
    rn_cm_message m = {.kind = RN_CM_REJ,
                       .transaction = 1,
                       .local_id = 2,
                       .remote_id = 3,
                       .about = 2,
                       .reason = 0x0104,
                       .info_size = 8};
    memcpy(m.info, "GUIDGUID", 8);
    m.private_data[0] = 0x55;
    rn_cm_encode(&m, mad);
    const struct place rej[] = {
        {15, "\1", 1},   {17, "\x12", 1}, {27, "\2", 1}, {31, "\3", 1}, {32, "\x80\x10\x01\x04GUIDGUID", 12},
        {108, "\x55", 1}};
    check_places(mad, rej, COUNT(rej));
    m = (rn_cm_message){.kind = RN_CM_MRA, .local_id = 2, .remote_id = 3, .about = 1, .service_timeout = 19};
    rn_cm_encode(&m, mad);
    const struct place mra[] = {{17, "\x11", 1}, {27, "\2", 1}, {31, "\3", 1}, {32, "\x40\x98", 2}};
    check_places(mad, mra, COUNT(mra));
    m = (rn_cm_message){.kind = RN_CM_DREQ, .local_id = 2, .remote_id = 3, .qp = 0x010203};
    rn_cm_encode(&m, mad);
    const struct place dreq[] = {{17, "\x15", 1}, {27, "\2", 1}, {31, "\3", 1}, {32, "\1\2\3", 3}};
    check_places(mad, dreq, COUNT(dreq));
}

TEST(our_request_has_the_fields_of_iba)
{
    connect_a();
    const struct place req[] = {{14, "\x01\x00", 2},
                                {16, "\x00\x10", 2},
                                {24, "\x00\x00\x01\x00", 4},
                                {32, "\x00\x00\x00\x00\x01\x06\x1c\x06", 8},
                                {40, "ACTIVE__", 8},
                                {56, "\x00\x00\x11\x10", 4},
                                {63, "\x01", 1},
                                {67, "\x90", 1} /* 18, RC */,
                                {68, "\x7c\x67\xed", 3},
                                {71, "\x97", 1} /* 18, 7 */,
                                {72, "\xff\xff\x37\x50", 4} /* P_Key, 1024 and 7, 5 */,
                                {76, "\xff\xff\xff\xff", 4},
                                {90, "\xff\xff\x0a\x00\x00\x02", 6},
                                {106, "\xff\xff\x0a\x00\x00\x01", 6},
                                {115, "\x02", 1} /* rate */,
                                {117, "\x40", 1},
                                {119, "\x70", 1} /* 14 */,
                                {165, "\x40\xb7\xa9", 3},
                                {180, "\x0a\x00\x00\x02", 4},
                                {196, "\x0a\x00\x00\x01", 4}};
    check_places(a.mad[0], req, COUNT(req));
}

/* ---- both roles */

TEST(two_managers_connect_and_either_disconnects, .to = 2)
{
    rn_connection c;
    rn_cm_id *id = connect_a();
    deliver_all();
    EXPECT_EVENTS(&a, RN_CM_REPLIED, RN_CM_ESTABLISHED);
    EXPECT_EVENTS(&b, RN_CM_REQUESTED, RN_CM_ESTABLISHED);
    /* each starts with the PSN that the other one sent */
    rn_cm_connection(id, NULL, &c);
    ck_assert(c.qp == 2 && c.send_psn == 0xfffffa && c.receive_psn == 0x7c67ed && c.pmtu == 1024 &&
              c.reads_outstanding == 1);
    rn_cm_connection(b.id, NULL, &c);
    ck_assert(c.qp == 0x11 && c.send_psn == 0x7c67ed && c.receive_psn == 0xfffffa && c.timeout == 14);
    ck_assert_int_eq(rn_cm_disconnect(_i ? b.id : id), 0);
    ck_assert_int_eq(rn_cm_disconnect(_i ? b.id : id), NX_ERROR_ARGUMENT);
    deliver_all();
    pass(1000000);
    EXPECT_EVENTS(&a, RN_CM_REPLIED, RN_CM_ESTABLISHED, RN_CM_DISCONNECTED, RN_CM_ENDED);
    EXPECT_EVENTS(&b, RN_CM_REQUESTED, RN_CM_ESTABLISHED, RN_CM_DISCONNECTED, RN_CM_ENDED);
    ck_assert_uint_eq(a.sent + b.sent, 5);
}

static int established(const side *s) { return s->event_count && s->events[s->event_count - 1] == RN_CM_ESTABLISHED; }

/* Each message of a connection, in turn: lost once, doubled, lost with all before its third repetition. */
TEST(what_is_lost_or_doubled_changes_nothing, .to = 15)
{
    int message = _i % 5, what = _i / 5;
    unsigned number[5] = {0};
    static const rn_cm_kind kinds[] = {RN_CM_REQ, RN_CM_REP, RN_CM_RTU, RN_CM_DREQ, RN_CM_DREP};
    rn_cm_id *id = connect_a();
    int asked = 0;
    for (int turns = 0; turns < 400 && (a.event_count < 4 || b.event_count < 4); turns++) {
        uint8_t mad[256];
        side *s = take(&a, mad) ? &a : take(&b, mad) ? &b : NULL;
        if (!s) {
            if (established(&a) && established(&b) && !asked) rn_cm_disconnect(id), asked = 1;
            else pass(UINT64_C(4096) << 16);
            continue;
        }
        int of = 0;
        while (of < 4 && kinds[of] != (rn_cm_kind)mad[17]) of++;
        number[of]++;
        if (of == message && (what == 0 ? number[of] == 1 : what == 2 ? number[of] <= 3 : 0)) continue;
        rn_cm_receive(s->other->cm, &s->own, mad);
        if (of == message && what == 1) rn_cm_receive(s->other->cm, &s->own, mad);
    }
    EXPECT_EVENTS(&a, RN_CM_REPLIED, RN_CM_ESTABLISHED, RN_CM_DISCONNECTED, RN_CM_ENDED);
    EXPECT_EVENTS(&b, RN_CM_REQUESTED, RN_CM_ESTABLISHED, RN_CM_DISCONNECTED, RN_CM_ENDED);
    if (what != 1) ck_assert_uint_ge(number[message], what ? 4 : 2);
}

TEST(nobody_answers_a_request)
{
    rn_cm_id *id = connect_a();
    for (int i = 0; i < 5; i++) {
        ck_assert_uint_eq(a.sent, 1 + (unsigned)i);
        pass((UINT64_C(4096) << 18) - 1);
        ck_assert_uint_eq(a.sent, 1 + (unsigned)i);
        pass(1);
    }
    EXPECT_EVENTS(&a, );
    pass(UINT64_C(4096) << 18);
    EXPECT_EVENTS(&a, RN_CM_UNREACHABLE);
    ck_assert_int_eq(id->state, RN_CM_TIME_WAIT);
    /* REJ, about no message, reason 4, with our GUID, since we have no ID of the other side */
    const struct place rej[] = {{14, "\1\0", 2},
                                {17, "\x12", 1},
                                {26, "\1\0", 2},
                                {32,
                                 "\x80\x10\x00\x04"
                                 "ACTIVE__",
                                 12}};
    check_places(a.mad[a.count - 1], rej, COUNT(rej));
    pass(1000000);
    EXPECT_EVENTS(&a, RN_CM_UNREACHABLE, RN_CM_ENDED);
}

TEST(nobody_answers_a_reply_or_the_end)
{
    uint8_t frame[FRAME];
    linux_frame(linux_req, frame);
    rn_cm_receive_frame(b.cm, frame, FRAME);
    for (int i = 0; i < 15; i++) {
        ck_assert_uint_eq(b.sent, 1 + (unsigned)i);
        pass(UINT64_C(4096) << 20); /* as REQ says, 15 times as REQ says */
        b.count = 1;
    }
    ck_assert_uint_eq(b.sent, 16);
    pass(UINT64_C(4096) << 20);
    EXPECT_EVENTS(&b, RN_CM_REQUESTED, RN_CM_UNREACHABLE);
    pass(1000000);
    rn_cm_id *id = connect_a();
    deliver_all();
    rn_cm_disconnect(id);
    for (int i = 0; i < 6; i++) pass(UINT64_C(4096) << 18);
    EXPECT_EVENTS(&a, RN_CM_REPLIED, RN_CM_ESTABLISHED, RN_CM_DISCONNECTED);
}

TEST(more_time_is_given_when_asked_for)
{
    uint8_t mad[256];
    rn_cm_message mra = {.kind = RN_CM_MRA, .local_id = 0x777, .remote_id = 0x100, .service_timeout = 20};
    connect_a();
    rn_cm_encode(&mra, mad);
    ck_assert_int_eq(rn_cm_receive(a.cm, &b.own, mad), 0);
    pass(UINT64_C(4096) << 20);
    ck_assert_uint_eq(a.sent, 1);
    pass(UINT64_C(4096) << 18);
    ck_assert_uint_eq(a.sent, 2);
}

/* A REQ, and MRAs, that ask for hours: a connection that is not made is gone after 75 s. While more than half of all
 * wait so, after 1 s. */
TEST(nobody_holds_a_connection_by_asking_for_it, .to = 3)
{
    enum { MANY = 1, GREEDY = 2 };
    uint8_t frame[FRAME], mad[256];
    linux_frame(linux_req, frame);
    frame[MAD_AT + 24 + 47] |= 0xf8; /* local_timeout */
    for (int i = 0; i < (_i == MANY ? 4 : 1); i++) {
        frame[MAD_AT + 24] = (uint8_t)i;
        ck_assert_int_eq(rn_cm_receive_frame(b.cm, frame, FRAME), 0);
    }
    rn_cm_message mra = {
        .kind = RN_CM_MRA, .local_id = b.id->remote_id, .remote_id = b.id->local_id, .about = 1, .service_timeout = 31};
    rn_cm_encode(&mra, mad);
    for (unsigned seconds = 0; seconds < (_i == MANY ? 2 : 76); seconds++) {
        b.count = 0;
        if (_i == GREEDY) rn_cm_receive(b.cm, &b.id->peer, mad);
        pass(UINT64_C(1000000000));
    }
    pass(UINT64_C(100000000));
    unsigned gone = 0;
    for (unsigned i = 0; i < b.event_count; i++) gone += b.events[i] == RN_CM_ENDED;
    ck_assert_uint_eq(gone, _i == MANY ? 2 : 1);
    frame[MAD_AT + 24] = 9;
    b.count = 0;
    ck_assert_int_eq(rn_cm_receive_frame(b.cm, frame, FRAME), 0);
    ck_assert_uint_eq(b.mad[0][17], 0x13); /* REP */
}

/* The RTU is lost, but data come. */
TEST(data_count_as_rtu)
{
    uint8_t frame[FRAME];
    linux_frame(linux_req, frame);
    rn_cm_receive_frame(b.cm, frame, FRAME);
    rn_cm_heard(b.id);
    rn_cm_heard(b.id);
    linux_frame(linux_rtu, frame);
    rn_cm_receive_frame(b.cm, frame, FRAME);
    EXPECT_EVENTS(&b, RN_CM_REQUESTED, RN_CM_ESTABLISHED);
}

TEST(a_request_that_comes_again_gets_the_same_reply)
{
    uint8_t frame[FRAME];
    linux_frame(linux_req, frame);
    b.late = 1;
    rn_cm_receive_frame(b.cm, frame, FRAME);
    rn_cm_receive_frame(b.cm, frame, FRAME);
    ck_assert_uint_eq(b.sent, 0);
    rn_cm_accept(b.id, &b.offer);
    ck_assert_int_eq(rn_cm_accept(b.id, &b.offer), NX_ERROR_ARGUMENT);
    rn_cm_receive_frame(b.cm, frame, FRAME);
    ck_assert_uint_eq(b.sent, 2);
    ck_assert_int_eq(memcmp(b.mad[0], b.mad[1], 256), 0);
    EXPECT_EVENTS(&b, RN_CM_REQUESTED);
    rn_cm_disconnect(b.id);
    pass(0);
    uint8_t dreq[FRAME];
    linux_frame(linux_dreq, dreq);
    rn_cm_receive_frame(b.cm, dreq, FRAME);
    b.count = 0;
    rn_cm_receive_frame(b.cm, frame, FRAME); /* an old one, delayed: REJ, stale */
    ck_assert_uint_eq(b.count, 1);
    ck_assert_uint_eq(b.mad[0][17], 0x12);
    ck_assert_uint_eq(b.mad[0][35], 10);
}
