/* test_link_receive for a port that keeps body CRCs, as each of several links by packet has one. */
#define BENCH link_bench_kept()

#include "test_link_receive.c"
