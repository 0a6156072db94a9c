/* Posting through write-combining buffers: lines, fences, and effects of a driver or a device that breaks the rules. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver_bench.h"
#include "test.h"

/* ---- the driver's calls of its platform, as text: L64 a line of 64 bytes, F a fence, w a register written, r one read
 */

static char calls[4096];
static struct nx_platform real;

static void say(const char *format, unsigned value)
{
    size_t n = strlen(calls);
    snprintf(calls + n, sizeof calls - n, format, value);
}

static int logged_line(void *self, uint64_t address, const void *from, size_t size)
{
    say("L%u ", (unsigned)size);
    return real.write_combined(self, address, from, size);
}

static int logged_fence(void *self)
{
    say("F ", 0);
    return real.fence(self);
}

static int logged_write(void *self, uint64_t address, uint32_t value)
{
    say("w ", 0);
    return real.write32(self, address, value);
}

static void listen(void)
{
    real = host[0].platform;
    host[0].platform.write_combined = logged_line;
    host[0].platform.fence = logged_fence;
    host[0].platform.write32 = logged_write;
    calls[0] = 0;
}

TEST_CASE("combining", .timeout = 120, .setup = set_up, .teardown = tear_down);

TEST(four_descriptors_go_in_one_line_between_fences)
{
    open_both();
    listen();
    must(dev[0], nx_transfer(dev[0], 1, SOURCE, DESTINATION, 10 * 3968, NX_LOCAL, NULL));
    ck_assert_str_eq(calls, "F L64 F F L64 F F L32 F ");
    calls[0] = 0; /* slots 10 and 11 complete the line, then lines are aligned again */
    must(dev[0], nx_transfer(dev[0], 1, SOURCE, DESTINATION, 5 * 3968, NX_LOCAL, NULL));
    ck_assert_str_eq(calls, "F L32 F F L48 F ");
    calls[0] = 0; /* a single one goes at once */
    must(dev[0], nx_transfer(dev[0], 1, SOURCE, DESTINATION, 8, NX_LOCAL, NULL));
    ck_assert_str_eq(calls, "F L16 F ");
}

TEST(lines_without_a_start_flag_need_no_fence)
{
    params.cluster = 16;
    open_both();
    listen();
    must(dev[0], nx_transfer(dev[0], 1, SOURCE, DESTINATION, 16 * 3968, 0, NULL));
    ck_assert_str_eq(calls, "L64 L64 L64 F L64 F ");
    calls[0] = 0;
    for (unsigned i = 0; i < 4; i++) must(dev[0], nx_transfer(dev[0], 1, SOURCE, DESTINATION, 8, NX_HOLD, NULL));
    ck_assert_str_eq(calls, "L64 ");
    must(dev[0], nx_transfer(dev[0], 1, SOURCE, DESTINATION, 8, NX_LOCAL, NULL));
    ck_assert_str_eq(calls, "L64 F L16 F ");
}

TEST(a_fence_comes_before_a_reset)
{
    open_both();
    listen();
    must(dev[0], nx_reset(dev[0]));
    ck_assert_msg(!strncmp(calls, "F w ", 4), "the calls are %s", calls);
}

TEST(uncached_stores_need_no_fence, .to = 2)
{
    params.posting = _i ? NX_POST_STORES64 : NX_POST_STORES32;
    open_both();
    listen();
    must(dev[0], nx_transfer(dev[0], 1, SOURCE, DESTINATION, 3 * 3968, 0, NULL));
    ck_assert_str_eq(calls, _i ? "" : "w w w w w w w w w w w w ");
}

TEST(a_failing_line_is_passed_on)
{
    open_both();
    host[0].nic->config[4] = 0; /* memory decoding off */
    ck_assert_int_eq(nx_transfer(dev[0], 1, SOURCE, DESTINATION, 8, 0, NULL), NX_ERROR_BUS);
    ck_assert_str_eq(nx_last_error(dev[0]), "a write through the write-combining buffers failed");
    host[0].nic->config[4] = 0x46;
    host[0].combining_failed = 0;
}

/* ---- all queues through a processor whose buffers do whatever they may */

enum { MOVES = 3000 };

/* Single words from places of their own to places of their own, over all queues, in clusters of any size. */
static void traffic(nx_device *d, unsigned moves)
{
    nx_ticket ticket;
    for (uint64_t i = 0; i < moves; i++) mock_set64(host[0].nic, SOURCE + 8 * i, 0x1000 + i);
    for (unsigned i = 0; i < moves; i++) {
        unsigned flow = (unsigned)(mock_random(&net) % 8), hold = mock_random(&net) % 3 ? NX_HOLD : 0;
        must(d, nx_transfer(d, flow, SOURCE + 8 * i, DESTINATION + 8 * i, 8, hold, NULL));
    }
    for (unsigned flow = 0; flow < 8; flow++) {
        must(d, nx_transfer(d, flow, SOURCE + 8 * moves, DESTINATION + 8 * (moves + flow), 8, NX_LOCAL, &ticket));
        must(d, nx_wait(d, &ticket));
    }
    steps(2000);
}

static unsigned missing(unsigned moves)
{
    unsigned count = 0;
    for (uint64_t i = 0; i < moves; i++) count += mock_get64(host[1].nic, DESTINATION + 8 * i) != 0x1000 + i;
    return count;
}

TEST(eight_queues_survive_torn_late_and_disordered_lines, .to = 4)
{
    params.slots = (unsigned[]){128, 128, 12, 2}[_i];
    params.cluster = (unsigned[]){4, 16, 3, 1}[_i];
    open_both();
    mock_host_wild(&host[0]);
    traffic(dev[0], MOVES);
    ck_assert_uint_eq(missing(MOVES), 0);
    ck_assert_uint_eq(host[0].nic->descriptors, MOVES + 8);
    ck_assert_uint_gt(write_combining_get_stats(host[0].combining)->by_chance, 20);
    ck_assert_uint_gt(host[0].nic->early_starts, 300);
}

/* ---- the rules broken, one by one: each shows */

TEST(a_device_that_trusts_the_start_flag_is_caught)
{
    open_both();
    mock_host_wild(&host[0]);
    host[0].nic->trusting = 1;
    mock_allow(&net.node[1], 0, 4096); /* where stale and empty descriptors point */
    nx_ticket ticket;
    unsigned wrong = 0;
    for (uint64_t i = 0; i < 400; i++) mock_set64(host[0].nic, SOURCE + 8 * i, 0x1000 + i);
    for (unsigned i = 0; i < 400 && !wrong; i++) {
        int error = nx_transfer(dev[0], 1, SOURCE + 8 * i, DESTINATION + 8 * i, 8, NX_LOCAL, &ticket);
        if (!error) error = nx_wait(dev[0], &ticket);
        steps(20);
        wrong += error || mock_get64(host[1].nic, DESTINATION + 8 * i) != 0x1000 + i;
    }
    ck_assert_uint_gt(wrong, 0);
    net.node[1].wild = 0;
    host[0].nic->reg[NIC_DESCRIPTOR_OVERWRITES / 4] = 0;
}

static int no_fence(void *self)
{
    (void)self;
    return 0;
}

TEST(a_driver_without_fences_is_caught)
{
    nx_ticket ticket;
    params.timeout_ns = 1000 * 1000;
    host[0].platform.fence = no_fence;
    open_both();
    must(dev[0], nx_transfer(dev[0], 1, SOURCE, DESTINATION, 8, NX_LOCAL, &ticket));
    ck_assert_int_eq(nx_wait(dev[0], &ticket), NX_ERROR_TIMEOUT);
    ck_assert_uint_eq(host[0].nic->tail[1], 0); /* it is held in the processor */
}

/* The start flag in the first descriptor of the line instead of the last. */
static int start_first(void *self, uint64_t address, const void *from, size_t size)
{
    uint8_t line[64];
    memcpy(line, from, size);
    if (line[size - 1] & 8) {
        line[size - 1] &= (uint8_t)~8;
        line[15] |= 8;
    }
    return real.write_combined(self, address, line, size);
}

TEST(a_driver_with_the_start_flag_in_the_wrong_place_is_caught)
{
    nx_ticket ticket;
    params.timeout_ns = 1000 * 1000;
    real = host[0].platform;
    host[0].platform.write_combined = start_first;
    open_both();
    must(dev[0], nx_transfer(dev[0], 1, SOURCE, DESTINATION, 4 * 3968, NX_LOCAL, &ticket));
    ck_assert_int_eq(nx_wait(dev[0], &ticket), NX_ERROR_TIMEOUT);
    ck_assert_uint_eq(host[0].nic->descriptors, 1); /* the other three wait for a start flag behind them */
}

/* Every descriptor posted counts as departed: slots are used again at once. */
static uint64_t posted;
static void all_departed(void *self, uint64_t address, void *to, size_t size)
{
    real.mem_read(self, address, to, size);
    if (size == 8 && address == host[0].nic->reg[NIC_LOCAL_NOTIFY_LOW / 4] + 8) memcpy(to, &posted, 8);
}

TEST(a_driver_that_uses_slots_too_early_is_caught)
{
    nx_descriptor d = descriptor(1, NX_START);
    real = host[0].platform;
    host[0].platform.mem_read = all_departed;
    open_both();
    host[0].nic->stuck = 1;
    for (posted = 0; posted < 130; posted++) must(dev[0], nx_post(dev[0], &d, NULL));
    ck_assert_uint_eq(host[0].nic->reg[NIC_DESCRIPTOR_OVERWRITES / 4], 8);
    ck_assert_uint_eq(host[0].nic->reg[NIC_STATUS / 4] & NIC_STATUS_DESCRIPTOR_OVERWRITE_MASK,
                      NIC_STATUS_DESCRIPTOR_OVERWRITE_MASK);
    host[0].nic->reg[NIC_DESCRIPTOR_OVERWRITES / 4] = 0;
}
