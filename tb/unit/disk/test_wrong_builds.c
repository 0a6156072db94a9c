/* The library built wrong on purpose, in each of the ways of nx_disk_internal.h: the sequence that must notice reports
 * it. */
#include "wrong_build.h"

#include <string.h>

#include "disk_sequences.h"
#include "nx_disk_internal.h"
#include "test.h"

TEST_CASE("wrong builds", .timeout = 120);

static const struct {
    unsigned way;
    const char *(*sequence)(void);
    const char *text;
} builds[] = {
    {WRONG_PENDING_FIRST, sequence_slots_are_seen_whole, "a slot was taken before it was whole"},
    {WRONG_NO_SECOND_LOOK, sequence_no_arrival_is_slept_over,
     "came between the last look and the enabling of interrupts"},
    {WRONG_PLACE_REUSED, sequence_a_place_after_an_error,
     "a place served another request before the failed one was over"},
    {WRONG_FLUSH_EARLY, sequence_a_flush_is_on_the_disk, "was answered before a flush of client 0, which says OK"},
    {WRONG_TOLD_ONCE, sequence_a_loss_is_reported_to_every_client, "was answered before a flush of client"},
};

TEST(what_is_built_wrong_is_noticed, .to = COUNT(builds))
{
    wrong_build = builds[_i].way;
    const char *wrong = builds[_i].sequence();
    ck_assert_msg(strstr(wrong, builds[_i].text), "said is \"%s\", expected \"%s\"", wrong, builds[_i].text);
}

TEST(the_same_sources_built_right_are_right, .to = COUNT(builds))
{
    const char *wrong = builds[_i].sequence();
    ck_assert_msg(!*wrong, "%s", wrong);
}
