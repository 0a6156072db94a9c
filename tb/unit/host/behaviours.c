/* See behaviours.h. */
#include "behaviours.h"

#include "test.h"

static void cut_in_pieces(host_params *p) { p->cuts = 2, p->cut_adqs[0] = 1, p->cut_adqs[1] = 2; }

host_params behaviour_params(int number)
{
    host_params p = host_params_ideal();
    int row = 1; /* number 0 is the ideal one */
#define ROW(...)                                                                                                       \
    if (row++ == number) __VA_ARGS__
    ROW(p.decode = 3);
    ROW(p.decode = 4);
    ROW(p.decode = 6); /* subtractive */
    ROW(p.write_waits = 4, p.read_waits = 3);
    ROW(p.write_retries = 3, p.read_retries = 2);
    ROW(p.write_buffer = 512);
    ROW(p.write_buffer = 128);
    ROW(p.narrow = true);
    ROW(p.narrow_completions = true);
    ROW(p.immediate_reads = true);
    ROW(p.immediate_reads = p.narrow = true, p.read_waits = 5);
    ROW(cut_in_pieces(&p));
    ROW(cut_in_pieces(&p), p.narrow_completions = true);
    ROW(cut_in_pieces(&p), p.interleave = true);
    ROW(p.park = PCIX_PARK_NOBODY);
    ROW(p.park = PCIX_PARK_BRIDGE);
    ROW(p.hidden_arbitration = false);
    ROW(p.fast_start = true, cut_in_pieces(&p));
    ROW(p.splits = 1, p.split_latency = 80);
    ROW(p = host_params_server2004());
    ROW(p = host_params_server2004(), p.count_modified = true);
    ROW(cut_in_pieces(&p), p.interleave = true, p.count_modified = true);
    ROW(p.narrow_completions = p.count_modified = true);
    ck_assert_int_eq(row, BEHAVIOURS);
    return p;
}
