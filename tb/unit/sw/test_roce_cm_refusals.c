/* The connection manager: what is refused, and bad input. */
#include <stdlib.h>

#include "cm_bench.h"

/* ---- refusals */

static const struct {
    int at; /* in the datagram, changed in Linux' REQ */
    uint8_t to;
    unsigned reason;
} refusals[] = {{39, 7, 8}, {67, 0xa2, 9}, {74, 0x07, 26}, {74, 0x67, 26}};

TEST_CASE("cm", .timeout = 60, .setup = set_up);

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
