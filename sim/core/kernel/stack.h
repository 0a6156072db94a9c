/* Stacks that tasks run on: they begin by ucontext, and switch by setjmp, which asks nothing of the system. Private. */
#ifndef SIM_CORE_KERNEL_STACK_H
#define SIM_CORE_KERNEL_STACK_H

#include <stdbool.h>

typedef struct stack stack;

/* A new one, on which run(arg) begins when it is entered first; run ends by stack_leave with `over`. Ends the program
 * without memory. */
stack *stack_new(void (*run)(void *arg), void *arg);
/* For those that there are: where stack_enter has been called. Which one that is, may change from call to call. */
stack *stack_of_caller(void);
void stack_free(stack *k); /* NULL is allowed */

void stack_enter(stack *caller, stack *k); /* returns when that one is left */
void stack_leave(stack *k, bool over); /* from the one to where it was entered last; over: it is not entered again */

#endif
