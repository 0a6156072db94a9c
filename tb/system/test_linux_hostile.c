/* make linux with guests in C that do what no kernel does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crossbar2.h"
#include "linux_bench.h"
#include "nic_register_map.h"
#include "test.h"

/* ---- hostile guests ---- */

TEST_CASE("linux_hostile", .timeout = 120, .teardown = shell_clean);

static void kick(c_guest *g)
{
    const uint32_t queue[2] = {0, 0};
    c_guest_say(g, 35, queue, 8, -1);
}

/* A command of these bytes, as its descriptors say. */
static void command(c_guest *g, const void *bytes, uint32_t size, uint32_t said, uint16_t flags, uint16_t next)
{
    const uint64_t at = 0x700000;
    const struct {
        uint64_t address;
        uint32_t length;
        uint16_t flags, next;
    } d = {at, said, flags, next};
    const uint16_t head = 0, one = (uint16_t)(g->ring[0].given + 1);
    memcpy(g->memory + at, bytes, size);
    memcpy(g->memory + g->ring[0].descriptors, &d, sizeof d);
    memcpy(g->memory + g->ring[0].available + 4 + 2 * (g->ring[0].given++ % C_GUEST_RING), &head, 2);
    memcpy(g->memory + g->ring[0].available + 2, &one, 2);
    kick(g);
}

static void odd_operation(c_guest *g) { command(g, "\x09", 2, 16, 0, 0); }
static void short_command(c_guest *g) { command(g, "\x02", 2, 7, 0, 0); }
static void outside_of_memory(c_guest *g) { command(g, "\x02", 2, 0x7fffffff, 0, 0); }
static void loop(c_guest *g) { command(g, "\x02", 2, 16, 1, 0); }
static void indirect(c_guest *g) { command(g, "\x02", 2, 16, 4, 0); }
static void no_such_descriptor(c_guest *g) { command(g, "\x02", 2, 16, 1, 999); }
static void memset_io(c_guest *g)
{
    const uint8_t message[24] = {2, 0, 0, 0, 100};
    command(g, message, sizeof message, sizeof message, 0, 0);
}
static void no_such_bar(c_guest *g)
{
    const uint8_t message[24] = {4, 9, 0, 0, 4};
    command(g, message, sizeof message, sizeof message, 0, 0);
}
static void no_data(c_guest *g)
{
    const uint8_t message[16] = {4, 0, 0, 0, 200};
    command(g, message, sizeof message, sizeof message, 0, 0);
}
static void no_room_for_an_answer(c_guest *g)
{
    const uint8_t message[16] = {3, 0, 0, 0, 4};
    command(g, message, sizeof message, sizeof message, 0, 0);
}
static void ring_outside(c_guest *g)
{
    const uint64_t place[5] = {0, 0x10, 0x20, 0x30, 0};
    c_guest_say(g, 9, place, sizeof place, -1);
}
static void ring_of_odd_size(c_guest *g)
{
    const uint32_t size[2] = {0, 77};
    c_guest_say(g, 8, size, sizeof size, -1);
}
static void no_such_queue(c_guest *g)
{
    const uint32_t size[2] = {7, 64};
    c_guest_say(g, 8, size, sizeof size, -1);
}
static void unknown_message(c_guest *g) { c_guest_say(g, 30, NULL, 0, -1); }
static void long_message(c_guest *g)
{
    const vhost_user_header h = {35, 9, 100000};
    (void)!write(g->device, &h, sizeof h);
    pause();
}
static void half_a_message(c_guest *g)
{
    const vhost_user_header h = {35, 9, 8};
    (void)!write(g->device, &h, 7);
    close(g->device);
    pause();
}
static void half_of_time(c_guest *g)
{
    (void)!write(g->clock, "abc", 3);
    close(g->clock);
    pause();
}
static void odd_time(c_guest *g) { c_guest_ask(g, 6, 0); }
static void wait_for_nothing(c_guest *g) { c_guest_ask(g, 3, 0); }
static void memory_twice(c_guest *g)
{
    const uint64_t memory[5] = {1, C_GUEST_FROM, 4096, C_GUEST_FROM, C_GUEST_FROM};
    c_guest_say(g, 5, memory, sizeof memory, g->file);
}
static void shorter_memory(c_guest *g)
{
    memcpy(g->memory + g->ring[0].available + 2, "\0", 2);
    (void)!ftruncate(g->file, 0);
    c_guest_say(g, 35, (const uint32_t[2]){0, 0}, 8, -1);
    c_guest_say(g, 1, NULL, 0, -1);
}
static void many_stores(c_guest *g)
{
    const uint32_t zero = 0;
    for (;;) c_guest_put(g, C_WRITE, 1, 0x1000, &zero, 4);
}
static void too_many_chains(c_guest *g)
{
    const uint16_t far = (uint16_t)(g->ring[0].given + 5000);
    memcpy(g->memory + g->ring[0].available + 2, &far, 2);
    kick(g);
}

static const struct attack {
    void (*strike)(c_guest *g);
    const char *text;
} attacks[] = {
    {odd_operation, "command 9, expected 1 to 5"},
    {short_command, "command of 7 bytes, expected 16 or more"},
    {outside_of_memory, "queue 0: 0x7fffffff bytes at 0x700000, expected at most 65552 in the guest's memory"},
    {loop, "queue 0: descriptors that form a loop"},
    {indirect, "queue 0: an indirect descriptor, which was not offered"},
    {no_such_descriptor, "queue 0: descriptor 999 of 256"},
    {memset_io, "(memset_io comes as one)"},
    {no_such_bar, "of BAR9, expected 1 to 65536 bytes of BAR0 to BAR5"},
    {no_data, "write of 200 bytes with 0 of data"},
    {no_room_for_an_answer, "read of 4 bytes with room for 0, expected no less"},
    {ring_outside, "queue 0: 0x10, 0x20, 0x30: expected all of it in the guest's memory"},
    {ring_of_odd_size, "queue 0: size 77, expected a power of two up to 1024"},
    {no_such_queue, "message 8 of queue 7, expected 0 or 1"},
    {unknown_message, "message 30 of 0 bytes with flags 0x9"},
    {long_message, "message 35 of 100000 bytes"},
    {half_a_message, "the socket is closed in the middle of a message"},
    {half_of_time, "time travel: the socket is closed in the middle of a message"},
    {odd_time, "time travel: a message that is none of a guest's"},
    {wait_for_nothing, "time travel: the guest waits, and has not asked for a time"},
    {memory_twice, "another table of memory, expected one"},
    {shorter_memory, "the file of its memory has become shorter"},
    {many_stores, "more than 65536 accesses without letting time pass"},
    {too_many_chains, "queue 0: 5000 chains at once in 256 descriptors"},
};
static const struct attack *attack;

/* Host 1 uses its NIC all the time, host 2 is hostile. */
static int be_hostile(int argc, char **argv)
{
    c_guest *g = c_guest_new(argc, argv);
    uint32_t id;
    for (int i = 0; g->host == 1 && i < 100; i++) {
        c_guest_get(g, C_CONFIG_READ, 0, 0, &id, 4);
        must(id == (NX_DEVICE_ID << 16 | NX_VENDOR_ID), "the other host goes on");
    }
    if (g->host == 1) return c_guest_end(g, 0);
    c_guest_get(g, C_CONFIG_READ, 0, 0, &id, 4);
    attack->strike(g);
    return 0;
}

TEST(a_hostile_guest_is_dropped_alone, .to = COUNT(attacks))
{
    attack = &attacks[_i];
    linux_world *w = run_guests(be_hostile, 0);
    ck_assert_str_eq(w->guest[0].error, "");
    ck_assert_msg(strstr(w->guest[1].error, attack->text) != NULL, "expected \"%s\" in: %s", attack->text,
                  w->guest[1].error);
    ck_assert_ptr_null(w->guest[1].front);
    linux_world_free(w);
}
