/* The sparse memory against a plain array and at the ends of the address space. */
#include <stdlib.h>
#include <string.h>

#include "sim/model/host/memory.h"
#include "test.h"

CLEANUP(memory_free);

static memory *new_memory(void)
{
    memory *m = memory_new();
    after_test(memory_free_cleanup, m);
    return m;
}

TEST(unwritten_memory_reads_zero_and_takes_no_room)
{
    memory *m = new_memory();
    uint8_t got[10000];
    memset(got, 0xee, sizeof got);
    memory_read(m, 0x123456789abcdefull, got, sizeof got);
    for (size_t i = 0; i < sizeof got; i++) ck_assert_int_eq(got[i], 0);
    ck_assert_uint_eq(memory_get64(m, 0x1000), 0);
    ck_assert_uint_eq(memory_used(m), 0);
}

TEST(a_part_may_be_memory_of_somebody_else)
{
    memory *m = new_memory();
    uint8_t *lent = test_memory(2 * 4096), got[16];
    memory_put64(m, 0x4ff8, 1, 0xff);
    memory_put64(m, 0x5000, 2, 0xff);
    memory_lend(m, 0x5000, 2 * 4096, lent);
    ck_assert_uint_eq(memory_get64(m, 0x5000), 0);
    memory_write(m, 0x4ffc, "abcdefgh", 8);
    ck_assert_int_eq(memcmp(lent, "efgh", 4), 0);
    memory_put64(m, 0x6ff8, 3, 0x01);
    ck_assert_int_eq(lent[0x1ff8], 3);
    memory_write(m, 0x6ffc, "ijklmnop", 8); /* beyond its end */
    memory_read(m, 0x6ff8, got, sizeof got);
    ck_assert_int_eq(memcmp(got, "\3\0\0\0ijklmnop", 12), 0);
    memory_lend(m, 0, 0, NULL);
    ck_assert_uint_eq(memory_get64(m, 0x5000), 2);
    ck_assert_uint_eq(memory_get64(m, 0x6ff8), 0);
}

TEST(zeros_take_no_room_and_replace_what_was_there)
{
    enum { SIZE = 3 * 4096 };
    static const uint8_t zeros[SIZE];
    memory *m = new_memory();
    memory_write(m, 0x1000, zeros, SIZE);
    ck_assert_uint_eq(memory_used(m), 0);
    memory_put64(m, 0x2008, 1, 0xff);
    uint8_t last = 7;
    memory_write(m, 0x3fff, &last, 1);
    ck_assert_uint_eq(memory_used(m), 2 * 4096);
    memory_write(m, 0x1000, zeros, SIZE);
    ck_assert_uint_eq(memory_get64(m, 0x2008), 0);
    memory_read(m, 0x3fff, &last, 1);
    ck_assert_uint_eq(last, 0);
}

TEST(agrees_with_an_array)
{
    enum { SIZE = 65536 };
    static uint8_t want[SIZE], got[SIZE], bytes[9000];
    memory *m = new_memory();
    uint64_t base = 0xfffffff8000ull - 0x3000;
    srand(1);
    for (int i = 0; i < 2000; i++) {
        size_t size = (size_t)rand() % sizeof bytes, at = (size_t)rand() % (SIZE - size);
        for (size_t k = 0; k < size; k++) bytes[k] = (uint8_t)rand();
        memory_write(m, base + at, bytes, size);
        memcpy(want + at, bytes, size);
        size = (size_t)rand() % sizeof bytes, at = (size_t)rand() % (SIZE - size);
        memory_read(m, base + at, got, size);
        ck_assert_mem_eq(got, want + at, size);
    }
}

TEST(words_write_only_their_lanes)
{
    memory *m = new_memory();
    memory_put64(m, 0x2008, 0x1122334455667788, 0xff);
    memory_put64(m, 0x2008, 0xaabbccddeeff0011, 0x42);
    ck_assert_uint_eq(memory_get64(m, 0x2008), 0x11bb334455660088);
    uint8_t byte;
    memory_read(m, 0x200e, &byte, 1); /* little endian */
    ck_assert_uint_eq(byte, 0xbb);
}

TEST(many_scattered_pages_stay_apart)
{
    memory *m = new_memory();
    enum { N = 20000 };
    for (uint64_t i = 0; i < N; i++) memory_put64(m, i * 0x100002000ull, i + 1, 0xff);
    for (uint64_t i = 0; i < N; i++) ck_assert_uint_eq(memory_get64(m, i * 0x100002000ull), i + 1);
    ck_assert_uint_eq(memory_used(m), (size_t)N * 4096);
}

TEST(addresses_wrap_at_the_end)
{
    memory *m = new_memory();
    uint8_t data[16], got[16];
    for (unsigned i = 0; i < 16; i++) data[i] = (uint8_t)(i + 1);
    memory_write(m, UINT64_MAX - 7, data, 16);
    memory_read(m, 0, got, 8);
    ck_assert_mem_eq(got, data + 8, 8);
    memory_read(m, UINT64_MAX - 7, got, 16);
    ck_assert_mem_eq(got, data, 16);
}
