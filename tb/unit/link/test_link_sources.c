/* A receive buffer that knows nine sources: others are dropped whole, and their units returned. */
#include "link_reference.h"
#include "link_rx_store9.h"
#include "simulation.h"
#include "test.h"

enum { SOURCES = 9, WORDS = 3, PERIOD = 12800 };

struct bench {
    sim *s;
    sim_clock *clk;
    link_rx_store9 *store;
    unsigned stored, dropped, headers;
};

static void on_clock(void *self)
{
    struct bench *b = self;
    b->stored += *b->store->ev_packet;
    b->dropped += *b->store->ev_drop_flow;
    b->headers += *b->store->wr_valid && (b->store->wr_data[2] & 1);
}

static void clocks(struct bench *b, unsigned n)
{
    ck_assert_int_eq(sim_run(b->s, sim_now(b->s) + n * (sim_time)PERIOD), SIM_TIME_LIMIT);
}

TEST(a_source_that_is_not_known_is_dropped_whole_and_its_units_returned)
{
    struct bench b = {0};
    b.s = loud_sim(0);
    b.clk = make_clock(b.s, "clk", PERIOD, 0);
    b.store = link_rx_store9_new(b.s, "store");
    link_rx_store9 *m = b.store;
    sim_model_clock(m->model, b.clk, m->clk);
    *m->rst = 1;
    *m->cfg_max_words = 512;
    *m->header_good = *m->record_good = *m->body_word = *m->body_last = *m->body_end = *m->body_bad = *m->body_abort =
        0;
    *m->trouble = 0;
    *m->wr_count = 0;
    *m->body_data = *m->header = 0;
    *m->header_next = 0;
    clocks(&b, 4);
    *m->rst = 0;
    sim_clock_attach(b.clk, on_clock, NULL, &b); /* before the reset events are anything */
    for (unsigned id = 0; id < 128; id++) {
        *m->body_data = *m->header = header_of(id, 0, 0, WORDS, 0x1000);
        *m->header_next = 1;
        clocks(&b, 1);
        *m->header_next = 0;
        *m->header_good = 1;
        clocks(&b, 1);
        *m->header_good = 0;
        for (unsigned i = 0; i < WORDS; i++) {
            *m->body_word = 1;
            *m->body_last = i == WORDS - 1;
            clocks(&b, 1);
        }
        *m->body_word = *m->body_last = 0;
        *m->body_end = 1;
        clocks(&b, 1);
        *m->body_end = 0;
        clocks(&b, 4);
        unsigned known = id < SOURCES ? id + 1 : SOURCES;
        ck_assert_uint_eq(b.stored, known);
        ck_assert_uint_eq(b.headers, known);
        ck_assert_uint_eq(b.dropped, id + 1 - known);
        ck_assert_uint_eq(*m->received, (id + 1) * (2 * WORDS + 4) % 4096);
        ck_assert_uint_eq(*m->forwarded, *m->received);
    }
    link_rx_store9_free(m);
}
