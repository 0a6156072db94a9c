/* Disks over fake devices: integrity, rings of every size, numbers that wrap, splitting, what requests get that cannot be. */
#include <string.h>

#include "block_mock.h"
#include "test.h"

TEST_CASE("block", .timeout = 120);

static const unsigned all_operations[6] = {0, 40, 40, 5, 5, 10};

static block_client everything(unsigned host, unsigned depth, unsigned operations)
{
    block_client c = {.host = host,
                      .depth = depth,
                      .operations = operations,
                      .first = 600 * (host - 1),
                      .sectors = 600,
                      .least = 1,
                      .most = 40,
                      .fua = 20};
    memcpy(c.mix, all_operations, sizeof c.mix);
    return c;
}

static void good(block_bench *b)
{
    ck_assert_msg(!*b->wrong, "%s", b->wrong);
    for (unsigned i = 0; i < b->clients; i++) ck_assert_uint_eq(b->client[i].status[NX_BLOCK_OK], b->client[i].operations);
}

TEST(what_is_written_is_read_by_interrupts_and_by_polling_with_flags_and_with_pointers, .to = 4)
{
    block_bench *b = block_mock_new(2);
    for (unsigned i = 0; i < 2; i++) {
        b->params[i].poll = _i & 1;
        b->params[i].pointers = _i / 2;
    }
    b->client[0] = everything(1, 16, 400);
    block_mock_run(b, NULL);
    good(b);
}
