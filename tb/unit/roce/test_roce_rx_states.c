/* The receiver of the RoCE chip: every opcode in every state (IBA 9.7). */
#include "rx_rules.h"

/* ---- every opcode in every state of a receiver */

static int is_response(unsigned opcode) { return opcode >= READ_FIRST && opcode <= ACKNOWLEDGE; }

enum state { OUTSIDE, INSIDE, MISSED, NOT_READY, INSIDE_FULL, FATAL, OFF, STATES };
enum {
    FIRST_QP = 2,
    LANES = 6,
    WITNESS = FIRST_QP + LANES,
    EXPECTED = 1 /* from the start: the packet that should come */
};

/* Outside of a message, inside, after a NAK-sequence, after an RNR NAK, inside with no entry left, in FATAL state,
 * disabled. */
static void into_state(unsigned qp, enum state state)
{
    rx_bench_switch(b, qp, 0);
    rx_bench_qp(b, qp, 0, 0, 8, 8, start);
    int inside = state == INSIDE || state == INSIDE_FULL;
    packet p = text_packet(inside ? SEND_FIRST : SEND_ONLY, qp, start, inside ? 256 : 4);
    if (!inside) rx_bench_expect(b, qp, text, 4);
    rx_bench_packet(b, &p);
    p.psn = after(start, EXPECTED + (state == MISSED));
    if (state == FATAL) p.opcode = SEND_LAST;
    if (state == MISSED || state == NOT_READY || state == FATAL) {
        if (state == NOT_READY) b->rows[qp - 1][RQCI] = 2;
        rx_bench_packet(b, &p);
    }
}

/* The expected result: number of doorbells, of answers, and the last answer. */
typedef struct outcome {
    unsigned bells, answers, syndrome, fatal, responses;
    uint32_t psn;
} outcome;

static outcome outcome_of(enum state state, unsigned opcode, int shift)
{
    outcome o = {0};
    int inside = state == INSIDE || state == INSIDE_FULL;
    int request = opcode < 0x20 && !is_response(opcode) && opcode != 0x12;
    int is_send = opcode <= SEND_ONLY && opcode != 3;
    int first = opcode == SEND_FIRST || opcode == SEND_ONLY, last = opcode == SEND_LAST || opcode == SEND_ONLY;
    if (state == FATAL || state == OFF) return o;
    o.responses = (unsigned)is_response(opcode);
    if (shift < 0 && is_send) o = (outcome){.answers = 1, .syndrome = ACK_GOOD, .psn = start};
    if (shift > 0 && request && state != MISSED && state != NOT_READY)
        o = (outcome){.answers = 1, .syndrome = NAK_SEQUENCE, .psn = after(start, EXPECTED)};
    if (shift || !request) return o;
    o = (outcome){.answers = 1, .syndrome = NAK_INVALID, .psn = after(start, EXPECTED), .fatal = 1};
    if (!is_send || first == inside) return o;
    o.fatal = 0;
    o.syndrome = state == NOT_READY && first ? RNR_NAK | 14 : ACK_GOOD;
    o.bells = last && o.syndrome == ACK_GOOD;
    return o;
}

TEST_CASE("rx_rules", .timeout = 120);

/* Its requester made it fatal, by retries that ran out for instance: it takes and answers nothing more, until it
 * restarts. */
TEST(what_the_requester_made_fatal_takes_nothing, .to = KINDS)
{
    static const unsigned opcodes[] = {SEND_ONLY, SEND_FIRST, 0x0a /* WRITE only */, READ_ONLY, ACKNOWLEDGE};
    bench(_i);
    for (int fatal = 1; fatal >= 0; fatal--) {
        rx_bench_switch(b, 2, 0);
        rx_bench_qp(b, 2, 0, 0, 8, 8, start);
        sim_port_set_field(&b->p->qp_fatal, 1, 1, (uint64_t)fatal);
        if (!fatal) break;
        for (unsigned i = 0; i < COUNT(opcodes); i++) {
            packet p = text_packet(opcodes[i], 2, start,
                                   opcodes[i] == SEND_FIRST    ? 256
                                   : opcodes[i] == ACKNOWLEDGE ? 0
                                                               : 8);
            rx_bench_packet(b, &p);
        }
        rx_bench_run(b, 2000);
        ck_assert_uint_eq(b->ack_count + b->bell_count + b->response_count + b->events[EV_set_fatal_valid], 0);
        ck_assert_uint_eq(b->events[EV_in_dropped], COUNT(opcodes));
    }
    rx_bench_message(b, 2, start, text, 300);
    rx_bench_run(b, 2000);
    rx_bench_holds(b);
    ck_assert_uint_eq(b->bell_count, 1);
}

/* With the packet number that is expected, one behind and one ahead; from one start, another one with the next seed; in
 * the long form from all of them. Six QPs at once; a seventh takes its messages all the while. */
TEST(every_opcode_in_every_state, .to = STATES * 3 * KINDS)
{
    enum state state = (enum state)(_i / KINDS % STATES);
    int shift = _i / KINDS / STATES - 1;
    bench(_i % KINDS);
    if (!long_form() && (sim_seed(b->s) + (unsigned)_i / KINDS + (unsigned)_i / WIDTHS) % STARTS) return;
    b->quiet = 100;
    rx_bench_qp(b, WITNESS, 0, 0, 8, 500, start);
    uint32_t witnessed = start;
    for (unsigned opcode = 0; opcode < 256; opcode += LANES) {
        unsigned lanes = 256 - opcode < LANES ? 256 - opcode : LANES;
        for (unsigned i = 0; i < lanes; i++) into_state(FIRST_QP + i, state);
        rx_bench_run(b, 3000);
        rx_bench_holds(b);
        for (unsigned i = 0; i < lanes && state == INSIDE_FULL; i++)
            b->rows[FIRST_QP + i - 1][RQCI] = 1; /* the one in use is the last */
        unsigned acks = b->ack_count, bells = b->bell_count, fatal_before = b->events[EV_set_fatal_valid],
                 responses = b->response_count;
        outcome sum = {0}, each[LANES];
        for (unsigned i = 0; i < lanes; i++) {
            unsigned qp = FIRST_QP + i, op = opcode + i;
            if (state == OFF) rx_bench_switch(b, qp, 0);
            unsigned length = op == SEND_FIRST || op == SEND_MIDDLE ? 256 : op == ACKNOWLEDGE ? 0 : 8;
            packet p = text_packet(op, qp, after(start, EXPECTED + (uint32_t)shift), length);
            p.ack_request = 1;
            each[i] = outcome_of(state, op, shift);
            sum.bells += each[i].bells, sum.answers += each[i].answers, sum.fatal += each[i].fatal,
                sum.responses += each[i].responses;
            uint8_t both[300];
            memcpy(both, text, 256), memcpy(both + 256, text, 8);
            if (each[i].bells) rx_bench_expect(b, qp, op == SEND_ONLY ? text : both, op == SEND_ONLY ? 8 : 264);
            rx_bench_packet(b, &p);
        }
        witnessed = rx_bench_message(b, WITNESS, witnessed, text + opcode, 5);
        rx_bench_run(b, 3000);
        rx_bench_holds(b);
        for (unsigned i = 0; i < lanes; i++) {
            const struct rx_ack *last = NULL;
            unsigned answers = 0, qp = FIRST_QP + i;
            for (unsigned k = acks; k < b->ack_count; k++)
                if (b->acks[k].qp == qp) answers++, last = &b->acks[k];
            int right = answers == each[i].answers &&
                        (!answers || (last->syndrome == each[i].syndrome && last->psn == each[i].psn));
            ck_must(right, "opcode %02x in state %d, PSN %+d: %u answers, the last one %02x of %06x", opcode + i,
                    (int)state, shift, answers, answers ? last->syndrome : 0, answers ? last->psn : 0);
        }
        ck_assert_uint_eq(b->bell_count - bells, sum.bells + 1);
        ck_assert_uint_eq(b->ack_count - acks, sum.answers + 1);
        ck_assert_uint_eq(b->events[EV_set_fatal_valid] - fatal_before, sum.fatal);
        ck_assert_uint_eq(b->response_count - responses, sum.responses);
    }
}
