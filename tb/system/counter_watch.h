/* An independent count of everything that a NIC counts, from the pins of its bus, its cable and its external memory and
 * from the memory of its host; and the comparison with its registers. registers.map names the reference of each counter
 * (compare=).
 *
 *     counter_watch *w = counter_watch_new(pair, 0);      both nodes are up, nothing is under way
 *     ... traffic ...
 *     counter_watch_made(w, NIC_SEQUENCE_GAPS, 1);        a fault from outside that must be counted
 *     counter_watch_compare(w, text, sizeof text);        nothing is under way again
 *
 * A counter is read at one moment, and one of the network clock is a copy some microseconds old; continuous events
 * (check records) give a range. So a count is taken before and after a pause, the counter read behind it, and both ends
 * of the range must agree with what the counter has risen by.
 */
#ifndef TB_SYSTEM_COUNTER_WATCH_H
#define TB_SYSTEM_COUNTER_WATCH_H

#include <stddef.h>
#include <stdint.h>

#include "sim/system/nodes/pair.h"

typedef struct counter_watch counter_watch;

/* Attaches to node `which` and takes its counters as they are. From a task. It goes after the test. */
counter_watch *counter_watch_new(pair *p, int which);
/* So many events of this counter's kind have been caused from outside (compare=made). */
void counter_watch_made(counter_watch *w, unsigned offset, uint32_t count);
/* The reads under way have been abandoned by the NIC: their duration is unknown, and late completions of them are
 * dropped. */
void counter_watch_given_up(counter_watch *w);
/* Something is damaged on the way to this node: until the next comparison it may have received less than was sent. If
 * it is a credit for which packets could wait, this is said before. */
void counter_watch_damaged(counter_watch *w);
/* Compares every counter of the map and takes them again. Waits some time. 0, or -1 with all counters that differ in
 * `text`. From a task.
 */
int counter_watch_compare(counter_watch *w, char *text, size_t size);
/* The count named by `compare`, since the counters were taken: the least and the most. 0, or -1: there is no such name.
 */
int counter_watch_value(counter_watch *w, unsigned offset, const char *compare, uint64_t *least, uint64_t *most);
/* 1: the counter at `offset` was compared and had risen. */
int counter_watch_has_seen(const counter_watch *w, unsigned offset);

#endif
