/* Rules, as sequences that report violations: with the right build nothing (the same sources built right), with a wrong
 * one that it is noticed (test_wrong_builds.c). Each makes a bench on fake devices and runs it; "" or the first thing
 * that is wrong. */
#ifndef TB_BLOCK_STORIES_H
#define TB_BLOCK_STORIES_H

/* Words of a slot arrive one by one while the recipient looks in every step. */
const char *sequence_slots_are_seen_whole(void);
/* Requests come and end at random moments by interrupts: nothing waits until a sleep ends by itself. */
const char *sequence_no_arrival_is_slept_over(void);
/* The target's answers do not come while writes wait at a slow disk: a place does not get new data for which an old
 * write waits. */
const char *sequence_a_place_after_an_error(void);
/* The target crashes as soon as a flush is answered: earlier writes are present. */
const char *sequence_a_flush_is_on_the_disk(void);
/* Two clients of one initiator, and one of another, flush while writes are under way, and the target crashes. */
const char *sequence_a_loss_is_reported_to_every_client(void);

#endif
