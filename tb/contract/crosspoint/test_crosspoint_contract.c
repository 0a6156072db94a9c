/* The contract of the slot "crosspoint": every candidate keeps it, every broken one is caught.
 *
 * CASE=slot judges what is in the slot: make contract SLOT=crosspoint BLOCK=name RTL=path. */
#include "crosspoint_checks.h"
#include "faulty_crosspoint.h"
#include "faulty_crosspoint_same.h"
#include "slot_crosspoint_same.h"
#include "slot_crosspoint_small.h"
#include "slot_crosspoint_two.h"
#include "suite.h"

static const contract_candidate candidates[] = {
    {"the block in the slot between two clocks", IN_SLOT, &slot_crosspoint_two_config},
    {"the block in the slot within one clock", IN_SLOT, &slot_crosspoint_same_config},
    {"the block in the slot, 64 words", IN_SLOT, &slot_crosspoint_small_config},
    {"the broken one", BROKEN_BLOCK, &faulty_crosspoint_config},
    {"the broken one within one clock", BROKEN_BLOCK, &faulty_crosspoint_same_config},
};

static const contract_fault faults[] = {
    {1, "every_word_comes_out_once", "written was"},
    {2, "every_packet_is_announced_once", "have arrived"},
    {3, "it_holds_all_but_one_of_its_words", "wr_space is"},
    {4, "space_and_occupancy_settle", "occupancy is"},
    {5, "every_word_comes_out_once", "end 0"},
    {6, "every_word_comes_out_once", "spoiled 0"},
    {7, "an_arrival_is_announced_in_time", "clocks after"},
    {8, "an_arrival_is_announced_in_time", "does not show"},
    {9, "a_pop_without_a_word_does_nothing", "underflows"},
    {10, "a_write_without_space_is_reported", "no overflow"},
    {11, "every_word_comes_out_once", "without a word"},
    {12, "a_pop_without_a_word_does_nothing", "word"},
    {13, "every_word_comes_out_once", "written was"},
    {14, "a_packet_streams_through", "has to wait"},
    {15, "reset_forgets_everything", ""},
    {16, "it_holds_all_but_one_of_its_words", "no space after"},
    {17, "every_packet_is_announced_once", "arrived"},
};

CONTRACT(crosspoint);
