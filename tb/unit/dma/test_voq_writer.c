/* dma_voq_writer alone: how often it reports (its writes are checked by the whole engine's bench). */
#include "dma_voq_writer.h"
#include "simulation.h"

TEST_CASE("voq_writer");

/* Pieces that are nothing gather behind a read, eight at most; when it ends, or is abandoned by a software reset, their
 * reports follow: each once, never in two clocks running (dma_transfer_counts relies on it). */
TEST(reports_never_come_in_two_clocks_running, .to = 2)
{
    sim *s = quiet_sim(0);
    sim_clock *clk = make_clock(s, "clk", 10 * SIM_NS, 5 * SIM_NS);
    dma_voq_writer *m = MODEL_AS(dma_voq_writer, make_clocked(s, clk, &dma_voq_writer_config, "writer"), NULL);
    *m->rst = 1;
    run_clocks(s, clk, 3);
    *m->rst = 0;
    for (unsigned i = 0; i < 8; i++) {
        *m->piece_valid = 1;
        *m->piece_kind = i == 0; /* a read, then nothings */
        *m->piece_reserved = *m->piece_first = *m->piece_last = 1;
        *m->piece_queue = (uint8_t)i;
        *m->piece_words = *m->piece_limit = 1;
        run_clocks(s, clk, 1);
    }
    *m->piece_valid = 0;
    run_clocks(s, clk, 5);
    unsigned served = 0, before = 0;
    for (unsigned i = 0; i < 60; i++) {
        *m->item_valid = i < 2;
        *m->item_end = i == 1;
        *m->flush = (uint8_t)_i;
        run_clocks(s, clk, 1);
        if (*m->served) {
            ck_assert_msg(!before, "report %u comes in the clock after another one", served);
            ck_assert_uint_eq(*m->served_queue, served);
            served++;
        }
        before = *m->served;
    }
    ck_assert_uint_eq(served, 8);
}
