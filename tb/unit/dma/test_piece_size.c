/* Sizes of packets and pieces for every payload limit and every read size, and the outputs while they are being
 * computed. */
#include "dma_piece_size.h"
#include "dma_piece_size_100.h"
#include "simulation.h"

TEST(sizes_follow_the_settings, .to = 2)
{
    static const unsigned reads[] = {64, 128, 256, 512};
    unsigned most = _i ? 100 : 512;
    sim *s = quiet_sim(0);
    sim_clock *clk = make_clock(s, "clk", 10000, 5000);
    const sim_config *config = _i ? &dma_piece_size_100_config : &dma_piece_size_config;
    dma_piece_size *m = MODEL_AS(dma_piece_size, make_clocked(s, clk, config, "dut"), NULL);
    *m->rst = 1;
    *m->cfg_payload_limit = 62;
    *m->cfg_max_read_words = 512;
    run_clocks(s, clk, 3);
    *m->rst = 0;
    run_clocks(s, clk, 100);
    for (unsigned r = 0; r < 4; r++)
        for (unsigned limit = 1; limit <= 512; limit++) {
            unsigned longest = reads[r] < most ? reads[r] : most, packet = limit < longest ? limit : longest,
                     clocks = 0;
            unsigned before = packet != *m->limit || longest != *m->longest;
            *m->cfg_payload_limit = (uint16_t)limit;
            *m->cfg_max_read_words = (uint16_t)reads[r];
            sim_model_eval(m->model);
            ck_assert_uint_eq(*m->settled, !before);
            for (; !*m->settled; clocks++) run_clocks(s, clk, 1);
            ck_assert_uint_le(clocks, longest + 2);
            ck_assert_uint_eq(*m->longest, longest);
            ck_assert_uint_eq(*m->limit, packet);
            ck_assert_uint_eq(*m->whole, longest / packet * packet);
        }
}
