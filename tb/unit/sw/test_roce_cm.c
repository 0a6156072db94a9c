/* The connection manager: messages of Linux 6.1 (rping over rdma_rxe) as they came, and what answered them so that
 * Linux went on; fields at the places of IBA's tables, typed in; two managers that talk over a way that loses, doubles
 * and corrupts. */
#include <stdlib.h>
#include <string.h>

#include "linux_cm.h"
#include "rn_cm.h"
#include "test.h"

enum { FRAME = LINUX_FRAME, MAD_AT = LINUX_MAD_AT, QUEUE = 64, EVENTS = 64 };

/* ---- two sides, each a manager, with their messages kept in the order of sending */

typedef struct side side;
struct side {
    rn_cm *cm;
    side *other;
    rn_address own;
    uint8_t mad[QUEUE][256]; /* sent and not delivered */
    unsigned count, sent;
    rn_cm_event events[EVENTS];
    rn_cm_id *id;
    unsigned event_count;
    int refuse; /* on_event: reject the request, or the reply */
    int late;   /* on_event: leave it to the test */
    int bus_fails;
    rn_cm_offer offer;
    unsigned reason;
};

static side a, b; /* b listens */
static uint64_t time_ns;

static int send(void *self, const rn_address *to, const uint8_t mad[256])
{
    side *s = self;
    (void)to;
    if (s->bus_fails) return NX_ERROR_BUS;
    ck_assert_uint_lt(s->count, QUEUE);
    memcpy(s->mad[s->count++], mad, 256);
    s->sent++;
    return 0;
}

static uint64_t now(void *self)
{
    (void)self;
    return time_ns;
}

static int on_event(void *self, rn_cm_id *id, rn_cm_event event)
{
    side *s = self;
    ck_assert_uint_lt(s->event_count, EVENTS);
    s->events[s->event_count++] = event;
    s->id = event == RN_CM_ENDED ? NULL : id;
    if (event == RN_CM_REJECTED) s->reason = id->reason;
    if (event == RN_CM_REQUESTED && !s->late)
        ck_assert_int_eq(s->refuse ? rn_cm_reject(id, RN_REJ_CONSUMER) : rn_cm_accept(id, &s->offer), 0);
    return event == RN_CM_REPLIED && s->refuse;
}

CLEANUP(rn_cm_free);

static void make(side *s, side *other, const uint8_t ip[4], const char *guid, uint32_t first_id)
{
    memset(s, 0, sizeof *s);
    s->other = other;
    memcpy(s->own.ip, ip, 4);
    s->own.mac[5] = ip[3];
    rn_cm_params p = rn_cm_params_default();
    p.own = s->own;
    memcpy(p.guid, guid, 8);
    p.connections = 4;
    p.first_id = first_id;
    p.self = s;
    p.send = send;
    p.now = now;
    p.on_event = on_event;
    p.retries = 5;
    s->cm = rn_cm_new(&p);
    after_test(rn_cm_free_cleanup, s->cm);
}

enum { PORT = 7174, SERVICE_PORT = 0x1c06 };

static void set_up(void)
{
    time_ns = 1000;
    make(&a, &b, (uint8_t[]){10, 0, 0, 2}, "ACTIVE__", 0x100);
    make(&b, &a, (uint8_t[]){10, 0, 0, 1}, "NICTARGT", 0x4d494e45);
    ck_assert_int_eq(rn_cm_listen(b.cm, RN_CM_TCP_SERVICE(PORT)), 0);
    a.offer = (rn_cm_offer){.qp = 0x11,
                            .psn = 0x7c67ed,
                            .responder_resources = 16,
                            .initiator_depth = 1,
                            .retries = 7,
                            .rnr_retries = 7,
                            .pmtu = 1024,
                            .ack_timeout = 14,
                            .port = 0xb7a9};
    b.offer = (rn_cm_offer){.qp = 2, .psn = 0xfffffa, .responder_resources = 1, .initiator_depth = 1, .rnr_retries = 7};
}

TEST_CASE("cm", .timeout = 60, .setup = set_up);

/* The oldest message that s has sent goes away; 1 if there was one. */
static int take(side *s, uint8_t mad[256])
{
    if (!s->count) return 0;
    memcpy(mad, s->mad[0], 256);
    memmove(s->mad[0], s->mad[1], --s->count * sizeof s->mad[0]);
    return 1;
}

static int deliver(side *s)
{
    uint8_t mad[256];
    return take(s, mad) && (rn_cm_receive(s->other->cm, &s->own, mad), 1);
}

static void deliver_all(void)
{
    while (deliver(&a) || deliver(&b)) {
    }
}

static void expect_events(const side *s, int count, const rn_cm_event *events)
{
    for (int i = 0; i < count || i < (int)s->event_count; i++)
        ck_assert_msg(i < count && i < (int)s->event_count && s->events[i] == events[i],
                      "event %d of %s is %d of %u, expected %d of %d", i, s == &a ? "a" : "b",
                      i < (int)s->event_count ? (int)s->events[i] : -1, s->event_count, i < count ? (int)events[i] : -1,
                      count);
}
#define EXPECT_EVENTS(side, ...)                                                                                       \
    expect_events(side, COUNT(((rn_cm_event[]){__VA_ARGS__})), (rn_cm_event[]){__VA_ARGS__})

static rn_cm_id *connect_a(void)
{
    rn_cm_id *id;
    ck_assert_int_eq(rn_cm_connect(a.cm, &b.own, RN_CM_TCP_SERVICE(PORT), &a.offer, NULL, &id), 0);
    return id;
}

/* Any time may pass. */
static void pass(uint64_t ns)
{
    time_ns += ns;
    rn_cm_poll(a.cm);
    rn_cm_poll(b.cm);
}

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

/* ---- places of fields, by IBA's tables: a byte or some of them each, all else zero */

struct place {
    unsigned at; /* in the datagram; 24 is the first byte of the message */
    const char *bytes;
    unsigned size;
};

static void check_places(const uint8_t mad[256], const struct place *p, int count)
{
    uint8_t expected[256] = {1, 7, 2, 3};
    for (; count--; p++) memcpy(expected + p->at, p->bytes, p->size);
    for (int i = 0; i < 256; i++)
        ck_assert_msg(mad[i] == expected[i], "byte %d is %02x, expected %02x", i, mad[i], expected[i]);
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

/* ---- refusals */

static const struct {
    int at; /* in the datagram, changed in Linux' REQ */
    uint8_t to;
    unsigned reason;
} refusals[] = {{39, 7, 8}, {67, 0xa2, 9}, {74, 0x07, 26}, {74, 0x67, 26}};

TEST(a_request_that_cannot_be_granted_is_rejected, .to = COUNT(refusals))
{
    uint8_t frame[FRAME];
    linux_frame(linux_req, frame);
    frame[MAD_AT + refusals[_i].at] = refusals[_i].to;
    ck_assert_int_eq(rn_cm_receive_frame(b.cm, frame, FRAME), 0);
    const char reason[2] = {0, (char)refusals[_i].reason};
    const struct place rej[] = {
        {8, "\0\0\0\2\x97\x1f\xda\xb3", 8}, {17, "\x12", 1}, {28, "\xb3\xda\x1f\x97", 4}, {34, reason, 2}};
    check_places(b.mad[0], rej, COUNT(rej));
    EXPECT_EVENTS(&b, );
}

TEST(there_are_only_so_many_connections)
{
    uint8_t frame[FRAME];
    linux_frame(linux_req, frame);
    for (int i = 0; i < 5; i++) {
        frame[MAD_AT + 24] = (uint8_t)i; /* other IDs */
        rn_cm_receive_frame(b.cm, frame, FRAME);
        ck_assert_uint_eq(b.mad[i][17], i < 4 ? 0x13 : 0x12);
    }
    ck_assert_uint_eq(b.mad[4][35], 3);
    rn_cm_id *id;
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(rn_cm_connect(a.cm, &b.own, 1, &a.offer, NULL, &id), i < 4 ? 0 : NX_ERROR_NO_SPACE);
    for (int i = 0; i < 16; i++) ck_assert_int_eq(rn_cm_listen(b.cm, (uint64_t)i), i < 15 ? 0 : NX_ERROR_NO_SPACE);
}

/* By the program of either side. */
TEST(programs_refuse, .to = 2)
{
    (_i ? &a : &b)->refuse = 1;
    connect_a();
    deliver_all();
    if (_i) {
        EXPECT_EVENTS(&a, RN_CM_REPLIED, RN_CM_REJECTED);
        EXPECT_EVENTS(&b, RN_CM_REQUESTED, RN_CM_REJECTED);
        ck_assert_uint_eq(b.reason, 28);
    } else {
        EXPECT_EVENTS(&a, RN_CM_REJECTED);
        EXPECT_EVENTS(&b, RN_CM_REQUESTED, RN_CM_REJECTED);
        ck_assert_uint_eq(a.reason, 28);
    }
    pass(1000000);
    ck_assert_int_eq((int)a.events[a.event_count - 1], RN_CM_ENDED);
    ck_assert_int_eq((int)b.events[b.event_count - 1], RN_CM_ENDED);
    ck_assert_str_eq(rn_reject_text(28), "the program there refused");
}

TEST(offers_out_of_range_are_refused)
{
    rn_cm_id *id;
#define REFUSED(field, value)                                                                                          \
    do {                                                                                                               \
        rn_cm_offer o = a.offer;                                                                                       \
        o.field = value;                                                                                               \
        ck_assert_int_eq(rn_cm_connect(a.cm, &b.own, 1, &o, NULL, &id), NX_ERROR_ARGUMENT);                            \
    } while (0)
    REFUSED(pmtu, 1500);
    REFUSED(qp, 0x1000000);
    REFUSED(psn, 0x1000000);
    REFUSED(responder_resources, 256);
    REFUSED(initiator_depth, 256);
    REFUSED(retries, 8);
    REFUSED(rnr_retries, 8);
    REFUSED(ack_timeout, 32);
    REFUSED(port, 65536);
    REFUSED(private_size, 57);
    ck_assert_uint_eq(a.sent, 0);
    rn_cm_params p = rn_cm_params_default();
    ck_assert_ptr_eq(rn_cm_new(&p), NULL);
}

TEST(what_belongs_to_no_connection_is_answered_as_iba_says)
{
    uint8_t frame[FRAME];
    rn_cm_message m;
    const char *why;
    linux_frame(linux_dreq, frame);
    ck_assert_int_eq(rn_cm_receive_frame(b.cm, frame, FRAME), 0); /* DREP: we know nothing of it, so it is over */
    ck_assert_int_eq(rn_cm_decode(b.mad[0], &m, &why), 0);
    ck_assert(m.kind == RN_CM_DREP && m.local_id == 0x4d494e45 && m.remote_id == 0xb3da1f97);
    linux_frame(target_rep, frame);
    ck_assert_int_eq(rn_cm_receive_frame(b.cm, frame, FRAME), 0);
    ck_assert_int_eq(rn_cm_decode(b.mad[1], &m, &why), 0);
    ck_assert(m.kind == RN_CM_REJ && m.reason == 6 && m.about == 1 && m.remote_id == 0x4d494e45);
    linux_frame(linux_rtu, frame);
    ck_assert_int_eq(rn_cm_receive_frame(b.cm, frame, FRAME), NX_ERROR_PROTOCOL);
    ck_assert_str_eq(rn_cm_error(b.cm), "about no connection of ours");
    linux_frame(target_drep, frame);
    ck_assert_int_eq(rn_cm_receive_frame(b.cm, frame, FRAME), NX_ERROR_PROTOCOL);
    ck_assert_uint_eq(b.count, 2);
    ck_assert_uint_eq(rn_cm_get_stats(b.cm)->ignored, 2);
}

/* A third host that knows all numbers, and a DREQ with another QP. */
TEST(only_the_other_side_may_end_a_connection)
{
    uint8_t frame[FRAME];
    linux_frame(linux_req, frame);
    rn_cm_receive_frame(b.cm, frame, FRAME);
    linux_frame(linux_rtu, frame);
    rn_cm_receive_frame(b.cm, frame, FRAME);
    linux_frame(linux_dreq, frame);
    frame[29] = 9; /* from 10.0.0.9 */
    rn_cm_receive_frame(b.cm, frame, FRAME);
    frame[29] = 2;
    frame[MAD_AT + 34] = 3; /* QP 3 */
    ck_assert_int_eq(rn_cm_receive_frame(b.cm, frame, FRAME), NX_ERROR_PROTOCOL);
    ck_assert_str_eq(rn_cm_error(b.cm), "DREQ with another QP");
    EXPECT_EVENTS(&b, RN_CM_REQUESTED, RN_CM_ESTABLISHED);
    ck_assert_int_eq(b.id->state, RN_CM_CONNECTED);
}

TEST(a_bus_that_fails_is_reported)
{
    uint8_t frame[FRAME];
    rn_cm_id *id;
    linux_frame(linux_req, frame);
    a.bus_fails = 1;
    ck_assert_int_eq(rn_cm_connect(a.cm, &b.own, 1, &a.offer, NULL, &id), NX_ERROR_BUS);
    time_ns += UINT64_C(4096) << 18;
    ck_assert_int_eq(rn_cm_poll(a.cm), NX_ERROR_BUS);
    b.bus_fails = 1;
    frame[MAD_AT + 39] = 7;
    ck_assert_int_eq(rn_cm_receive_frame(b.cm, frame, FRAME), NX_ERROR_BUS);
}

/* ---- bad input */

static const struct {
    int at; /* of the frame */
    uint8_t to;
    const char *why;
} bad[] = {
    {12, 0x81, "neither IPv4 nor IPv6"},
    {13, 0x06, "neither IPv4 nor IPv6"},
    {14, 0x46, "wrong IP version or header length"},
    {14, 0x65, "wrong IP version or header length"},
    {23, 6, "no UDP"},
    {17, 0x30, "the datagram has not 256 bytes"},
    {16, 2, "the datagram has not 256 bytes"},
    {37, 0xb8, "not to UDP port 4791"},
    {39, 0x21, "the UDP length is not that of IP"},
    {42, 4, "no UD SEND only without padding"},
    {43, 0x10, "no UD SEND only without padding"},
    {49, 2, "not for QP 1"},
    {54, 0, "the Q_Key is not 80010000"},
    {62, 2, "base version is not 1"},
    {63, 3, "class is not 7, that of the connection manager"},
    {64, 1, "class version is not 2"},
    {65, 1, "method is not 3, Send"},
    {79, 0x17, "unknown attribute"},
    {78, 1, "unknown attribute"},
};

TEST(a_frame_that_is_no_message_is_left_alone, .to = COUNT(bad))
{
    uint8_t frame[FRAME];
    linux_frame(linux_req, frame);
    frame[bad[_i].at] = bad[_i].to;
    ck_assert_int_eq(rn_cm_receive_frame(b.cm, frame, FRAME), NX_ERROR_PROTOCOL);
    ck_assert_str_eq(rn_cm_error(b.cm), bad[_i].why);
    ck_assert_uint_eq(b.sent + b.event_count, 0);
}

TEST(a_rejection_with_too_much_information_is_left_alone)
{
    uint8_t mad[256];
    connect_a();
    rn_cm_encode(&(rn_cm_message){.kind = RN_CM_REJ, .remote_id = 0x100, .info_size = 73, .reason = 28}, mad);
    ck_assert_int_eq(rn_cm_receive(a.cm, &b.own, mad), NX_ERROR_PROTOCOL);
    ck_assert_str_eq(rn_cm_error(a.cm), "REJ with more than 72 bytes of information");
}

TEST(every_length_but_the_right_one_is_refused)
{
    uint8_t frame[FRAME];
    linux_frame(linux_req, frame);
    for (size_t size = 0; size < FRAME; size++) {
        uint8_t *exact = malloc(size ? size : 1); /* so that a read beyond is found */
        memcpy(exact, frame, size);
        ck_must(rn_cm_receive_frame(b.cm, exact, size) == NX_ERROR_PROTOCOL, "%zu bytes were taken", size);
        free(exact);
    }
    ck_assert_int_eq(rn_cm_receive_frame(b.cm, frame, FRAME), 0);
}

/* Over IPv6, made of the same request. */
TEST(a_frame_of_ipv6_is_taken)
{
    uint8_t v4[FRAME], v6[FRAME + 20] = {0};
    rn_mad_frame f;
    const char *why = "";
    linux_frame(linux_req, v4);
    memcpy(v6, v4, 12);
    v6[12] = 0x86, v6[13] = 0xdd, v6[14] = 0x60, v6[18] = 1, v6[19] = 0x20, v6[20] = 17, v6[21] = 64;
    v6[22] = 0xfe, v6[23] = 0x80, v6[37] = 2, v6[38] = 0xfe, v6[39] = 0x80, v6[53] = 1;
    memcpy(v6 + 54, v4 + 34, FRAME - 34);
    ck_assert_msg(rn_mad_frame_parse(v6, sizeof v6, &f, &why) == 0, "%s", why);
    ck_assert(f.from.ipv6 && f.from.ip[0] == 0xfe && f.from.ip[15] == 2 && f.to.ip[15] == 1 && f.mad == v6 + 82);
    ck_assert_int_eq(rn_mad_frame_parse(v6, sizeof v6 - 1, &f, &why), NX_ERROR_PROTOCOL);
}

/* Every bit of every message of Linux, one at a time: nothing is read beyond its end, and the result is plausible. */
TEST(every_bit_may_be_wrong)
{
    static const char *const frames[] = {linux_req, linux_rtu, linux_dreq};
    for (int i = 0; i < 3; i++) {
        uint8_t frame[FRAME];
        linux_frame(frames[i], frame);
        for (unsigned bit = 0; bit < 8 * FRAME; bit++) {
            uint8_t good[FRAME];
            make(&b, &a, (uint8_t[]){10, 0, 0, 1}, "NICTARGT", 0x4d494e45);
            rn_cm_listen(b.cm, RN_CM_TCP_SERVICE(PORT));
            for (int before = 0; before < i; before++)
                linux_frame(frames[before], good), rn_cm_receive_frame(b.cm, good, FRAME);
            unsigned events = b.event_count;
            frame[bit / 8] ^= (uint8_t)(1 << bit % 8);
            rn_cm_receive_frame(b.cm, frame, FRAME);
            frame[bit / 8] ^= (uint8_t)(1 << bit % 8);
            ck_must(b.event_count <= events + 1 && b.count <= 3, "frame %d, bit %u", i, bit);
            clean_up();
        }
    }
}
