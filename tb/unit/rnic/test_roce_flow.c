/* Counts of both ends as derived from the line (sim/app/roce/linux/roce_flow.h): exchanges by hand, each with its
 * counts. */
#include "sim/app/roce/linux/roce_flow.h"
#include "test.h"

enum { PMTU = 1024, START = 0xfffffe /* so that numbers restart in each exchange */ };
enum { ACK = RNIC_ACK, RNR = RNIC_RNR_NAK | 14, SEQUENCE = RNIC_NAK_SEQUENCE, ACCESS = RNIC_NAK_ACCESS };
enum { LOST = 1, TWICE = 2 };

CLEANUP(roce_flow_free);

/* A packet: PSN from START on, its kind (for an ACK its syndrome, for a READ its bytes), its fate on the line. */
typedef struct event {
    int psn;
    uint8_t opcode;
    unsigned what, fate;
} event;

static roce_flow_counts counted(const event *events, unsigned count, int quiet)
{
    roce_flow *f = roce_flow_new(START, PMTU);
    roce_flow_counts c;
    after_test(roce_flow_free_cleanup, f);
    for (const event *e = events; e < events + count; e++) {
        rnic_packet p = {.psn = (uint32_t)(START + e->psn) & (RNIC_PSNS - 1), .opcode = e->opcode};
        if (e->opcode == RNIC_READ_REQUEST) p.dma_length = e->what;
        else p.syndrome = (uint8_t)e->what;
        roce_flow_sent(f, &p);
        for (unsigned n = e->fate == LOST ? 0 : e->fate == TWICE ? 2 : 1; n; n--) roce_flow_arrived(f, &p);
    }
    ck_assert_int_eq(roce_flow_count(f, quiet, &c), 0);
    return c;
}

#define EXPECT(field, value) ck_assert_uint_eq(c.field, value)
#define EXPECT_ALL(a, o, e, n, d, g)                                                                                   \
    do {                                                                                                               \
        EXPECT(again, a);                                                                                              \
        EXPECT(outside, o);                                                                                            \
        EXPECT(early, e);                                                                                              \
        EXPECT(news, n);                                                                                               \
        EXPECT(duplicates, d);                                                                                         \
        EXPECT(gaps, g);                                                                                               \
    } while (0)

TEST_CASE("flow");

TEST(a_good_line_has_nothing_to_count)
{
    static const event events[] = {
        {0, RNIC_SEND_FIRST, 0, 0},        {1, RNIC_SEND_LAST, 0, 0},       {1, RNIC_ACKNOWLEDGE, ACK, 0},
        {2, RNIC_READ_REQUEST, 2500, 0},   {5, RNIC_WRITE_ONLY, 0, 0},      {2, RNIC_RESPONSE_FIRST, ACK, 0},
        {3, RNIC_RESPONSE_MIDDLE, ACK, 0}, {4, RNIC_RESPONSE_LAST, ACK, 0}, {5, RNIC_ACKNOWLEDGE, ACK, 0},
        {6, RNIC_READ_REQUEST, 0, 0},      {6, RNIC_RESPONSE_ONLY, ACK, 0}};
    roce_flow_counts c = counted(events, COUNT(events), 0);
    EXPECT_ALL(0, 0, 0, 0, 0, 0);
}

/* The second of three is lost: the third is ahead, and comes again; so does a packet that the line doubles. */
TEST(what_is_sent_again_is_a_duplicate_only_if_it_had_come)
{
    static const event events[] = {{0, RNIC_WRITE_FIRST, 0, 0},      {1, RNIC_WRITE_MIDDLE, 0, LOST},
                                   {2, RNIC_WRITE_LAST, 0, 0},       {1, RNIC_ACKNOWLEDGE, SEQUENCE, 0},
                                   {1, RNIC_WRITE_MIDDLE, 0, 0},     {2, RNIC_WRITE_LAST, 0, TWICE},
                                   {2, RNIC_ACKNOWLEDGE, ACK, TWICE}};
    roce_flow_counts c = counted(events, COUNT(events), 0);
    EXPECT_ALL(2, 1, 0, 1, 1, 1);
}

/* An ACK is lost: all of the message comes again, and each packet is a duplicate. */
TEST(a_message_whose_ack_was_lost_comes_as_duplicates)
{
    static const event events[] = {{0, RNIC_SEND_FIRST, 0, 0},       {1, RNIC_SEND_LAST, 0, 0},
                                   {1, RNIC_ACKNOWLEDGE, ACK, LOST}, {0, RNIC_SEND_FIRST, 0, 0},
                                   {1, RNIC_SEND_LAST, 0, 0},        {1, RNIC_ACKNOWLEDGE, ACK, 0}};
    roce_flow_counts c = counted(events, COUNT(events), 0);
    EXPECT_ALL(2, 0, 0, 0, 2, 0);
}

/* One NAK for each gap; a second one of the same gap says nothing new, nor does one for the beginning of a message. */
TEST(a_gap_is_reported_once)
{
    static const event events[] = {{0, RNIC_SEND_FIRST, 0, 0},
                                   {1, RNIC_SEND_MIDDLE, 0, LOST},
                                   {2, RNIC_SEND_MIDDLE, 0, 0},
                                   {3, RNIC_SEND_LAST, 0, 0},
                                   {1, RNIC_ACKNOWLEDGE, SEQUENCE, TWICE},
                                   {1, RNIC_SEND_MIDDLE, 0, 0},
                                   {2, RNIC_SEND_MIDDLE, 0, 0},
                                   {3, RNIC_SEND_LAST, 0, 0},
                                   {4, RNIC_SEND_ONLY, 0, LOST},
                                   {5, RNIC_SEND_ONLY, 0, 0},
                                   {4, RNIC_ACKNOWLEDGE, SEQUENCE, 0},
                                   {4, RNIC_SEND_ONLY, 0, 0},
                                   {5, RNIC_SEND_ONLY, 0, 0},
                                   {5, RNIC_ACKNOWLEDGE, ACK, 0}};
    roce_flow_counts c = counted(events, COUNT(events), 0);
    EXPECT_ALL(5, 0, 0, 1, 0, 2);
}

/* The receiver has no buffer, twice. Packets behind the SEND are ahead then: rxe reports that each time, a quiet
 * receiver does not. The RNR NAK is on the line behind a packet that Linux took later. */
TEST(a_request_that_is_refused_is_not_taken, .to = 2)
{
    static const event events[] = {
        {0, RNIC_SEND_ONLY, 0, 0}, {1, RNIC_WRITE_ONLY, 0, 0}, {0, RNIC_ACKNOWLEDGE, RNR, 0},
        {0, RNIC_SEND_ONLY, 0, 0}, {1, RNIC_WRITE_ONLY, 0, 0}, {0, RNIC_ACKNOWLEDGE, RNR, 0},
        {0, RNIC_SEND_ONLY, 0, 0}, {1, RNIC_WRITE_ONLY, 0, 0}, {1, RNIC_ACKNOWLEDGE, ACK, 0}};
    roce_flow_counts c = counted(events, COUNT(events), _i);
    EXPECT_ALL(4, 0, 0, 0, 0, _i ? 0 : 2);
}

/* Nothing counts behind a NAK that ends the connection. */
TEST(a_fatal_nak_ends_it)
{
    static const event events[] = {{0, RNIC_WRITE_ONLY, 0, 0},
                                   {1, RNIC_WRITE_ONLY, 0, 0},
                                   {0, RNIC_WRITE_ONLY, 0, 0},
                                   {2, RNIC_WRITE_ONLY, 0, 0},
                                   {1, RNIC_ACKNOWLEDGE, ACCESS, 0}};
    roce_flow_counts c = counted(events, COUNT(events), 0);
    EXPECT_ALL(1, 0, 0, 0, 0, 0);
}

/* The middle response is lost: the last one comes too early, and an ACK behind the READ acknowledges nothing. The READ
 * is asked for again from there. An answer to a finished request is outside. */
TEST(a_read_waits_for_its_data)
{
    static const event events[] = {
        {0, RNIC_READ_REQUEST, 3000, 0},      {3, RNIC_SEND_ONLY, 0, 0},        {0, RNIC_RESPONSE_FIRST, ACK, 0},
        {1, RNIC_RESPONSE_MIDDLE, ACK, LOST}, {2, RNIC_RESPONSE_LAST, ACK, 0},  {3, RNIC_ACKNOWLEDGE, ACK, 0},
        {1, RNIC_READ_REQUEST, 1976, 0},      {3, RNIC_SEND_ONLY, 0, 0},        {1, RNIC_RESPONSE_FIRST, ACK, 0},
        {2, RNIC_RESPONSE_LAST, ACK, TWICE},  {3, RNIC_ACKNOWLEDGE, ACK, TWICE}};
    roce_flow_counts c = counted(events, COUNT(events), 0);
    EXPECT_ALL(2, 2, 1, 0, 2, 0);
}
