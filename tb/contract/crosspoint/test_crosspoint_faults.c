/* Broken crosspoints that must be rejected. */
#include "crosspoint_contract.h"
#include "faulty_crosspoint.h"
#include "faulty_crosspoint_same.h"
#include "faulty_crosspoint_small.h"

static const contract_candidate candidates[] = {
    {"the broken one, 64 words: 8 bits for occupancy", OTHER_BLOCK, &faulty_crosspoint_small_config},
    {"the broken one, 512 words between two clocks", BROKEN_BLOCK, &faulty_crosspoint_config},
    {"the broken one, 512 words within one clock", BROKEN_BLOCK, &faulty_crosspoint_same_config},
};

static const contract_fault faults[] = {
    {1, "every_word_comes_out_once", WHOLE, NOT_RARELY | AS_ANOTHER},
    {2, "every_packet_is_announced_once", ANNOUNCED, NOT_RARELY},
    {3, "it_holds_all_but_one_of_its_words", LEVELS, ALSO_RARELY},
    {4, "space_and_occupancy_settle", LEVELS, ALSO_RARELY},
    {5, "every_word_comes_out_once", WHOLE, NOT_RARELY},
    {6, "every_word_comes_out_once", WHOLE, ALSO_RARELY},
    {7, "an_arrival_is_announced_in_time", IN_TIME, AS_ANOTHER},
    {8, "an_arrival_is_announced_in_time", SHOWS, AS_ANOTHER},
    {9, "a_pop_without_a_word_does_nothing", UNDERFLOWS, NOT_RARELY},
    {10, "a_write_without_space_is_reported", OVERFLOWS, NOT_RARELY | NOT_LATE},
    {11, "every_word_comes_out_once", EMPTY, ALSO_RARELY},
    {12, "a_pop_without_a_word_does_nothing", WHOLE, NOT_RARELY | ANY_RULE},
    {13, "every_word_comes_out_once", WHOLE, NOT_RARELY},
    {14, "a_packet_streams_through", STREAMS, NOT_RARELY | AS_ANOTHER},
    {15, "reset_forgets_everything", CONTRACT_RESET, NOT_RARELY | NOT_LATE},
    {16, "it_holds_all_but_one_of_its_words", ROOM, NOT_RARELY},
    {17, "every_packet_is_announced_once", ANNOUNCED, NOT_RARELY},
    {18, "space_and_occupancy_settle", ROOM, NOT_RARELY}, /* with 512 words only */
};

const contract contract_of_program = {&crosspoint_slot, candidates, faults, COUNT(candidates), COUNT(faults)};
