/* Files of any size cross byte for byte, both ways at once, polling and with interrupts, on fast and slow hosts. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/traffic/scenario/exchange.h"
#include "test.h"

static const uint64_t sizes[][2] = {{0, 1},         {7, 8},         {9, 495},        {496, 497},
                                    {4096, 100001}, {65536, 63489}, {300000, 299999}};

static char *make_file(uint64_t size, unsigned seed)
{
    char *name = strdup("/tmp/nicxbar-file-XXXXXX");
    int fd = mkstemp(name);
    ck_assert_int_ge(fd, 0);
    FILE *f = fdopen(fd, "wb");
    srand(seed);
    for (uint64_t i = 0; i < size; i++) fputc(rand() >> 8, f);
    ck_assert_int_eq(fclose(f), 0);
    return name;
}

TEST_CASE("files", .timeout = 120);

TEST(files_of_any_size_cross_both_ways_at_once, .to = 4 * COUNT(sizes))
{
    int pair_of_sizes = _i / 4, interrupts = _i >> 1 & 1, ideal = _i & 1;
    pair_params params;
    pair_params_default(&params);
    if (ideal) params.node[0].host = params.node[1].host = host_params_ideal();
    exchange x = {.interrupts = interrupts};
    for (int i = 0; i < 2; i++) {
        x.direction[i].size = sizes[pair_of_sizes][i];
        x.direction[i].path = make_file(x.direction[i].size, (unsigned)_i + 1);
    }
    x.p = pair_new(&params);
    ck_assert_ptr_nonnull(x.p);
    sim_task_new(x.p->s, "exchange", exchange_run, &x);
    int r = sim_run(x.p->s, 200 * SIM_MS);
    ck_assert_msg(r == SIM_OK, "%s: %s %s", sim_result_name(r), sim_error(x.p->s), x.error);
    for (int i = 0; i < 2; i++) {
        const exchange_direction *d = &x.direction[i];
        ck_assert_msg(!d->sent && !d->received, "from node %d: %s", i, d->error);
        ck_assert_uint_eq(d->receiver.bytes, d->size);
        ck_assert_mem_eq(d->sent_hash, d->received_hash, 32);
    }
    ck_assert(exchange_good(&x));
    x.direction[1].received_hash[5] ^= 1; /* one wrong byte would not pass */
    ck_assert(!exchange_good(&x));
    for (int i = 0; i < 2; i++) {
        unlink(x.direction[i].path);
        free((char *)x.direction[i].path);
    }
    pair_free(x.p);
}
