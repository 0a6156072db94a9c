/* Expressions over signals, by which recording begins and ends: nic0.dma.outgoing.state == 3 && nic0.status_set[4] != 0
 *
 * Numbers: 12, 0x1f. Signals: hierarchical names as in the waves, from the model on (nic0.nic.dma.aborting); the name
 * of the module may be left out (nic0.dma.aborting), and a group of clocks may stand for its model
 * (node0.dma.aborting). Behind them one bit or some, [4] or [7:4], up to 64. Operators, with the precedence of
 * Verilog: ! ~, < <= > >=, == !=, &, |, &&, ||, and parentheses. Unsigned, 64 bits.
 *
 * An event is looked at from the first edge of each clock of the models of its signals on: before, registers have any
 * value. */
#ifndef SIM_CORE_KERNEL_EVENT_H
#define SIM_CORE_KERNEL_EVENT_H

#include "sim/core/kernel/sim.h"

#include <stddef.h>

enum { EVENT_ERROR = 500 };

typedef struct event event;
/* Does not keep the text. NULL: it is none; `error` says what was expected where. */
event *event_new(const char *text, char error[EVENT_ERROR]);
void event_free(event *e);
/* A signal by the name it has in the waves, "nic0.nic.dma.state [2:0]", and that of its group. Returns 1 if the event
 * looks at it. */
int event_offer(event *e, const char *group, const char *name, uint32_t signal, unsigned bits);
/* All have been offered. 0; -1: something is not there, and `error` says what and what is. */
int event_complete(event *e, char error[EVENT_ERROR]);
/* The signals it looks at. */
const uint32_t *event_signals(const event *e, size_t *count);
/* Whether it is so. bits(from, signal, lsb, bits): of the value of a signal. */
int event_holds(const event *e, uint64_t (*bits)(void *from, uint32_t signal, unsigned lsb, unsigned bits), void *from);

/* A time: 100us, 20ns, 1.5ms, 700ps. 0, or -1 if it is none. */
int event_time(const char *text, sim_time *time);

#endif
