/* Stacks of tasks; known to the sanitizers. */
#undef _FORTIFY_SOURCE /* takes a jump to another stack for a mistake */
#include "sim/core/kernel/stack.h"
#include "sim/core/kernel/kernel.h"

#include <setjmp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#if defined __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#define SWITCH_BEGIN(save, bottom, size) __sanitizer_start_switch_fiber(save, bottom, size)
#define SWITCH_END(fake, bottom, size) __sanitizer_finish_switch_fiber(fake, bottom, size)
#else
#define SWITCH_BEGIN(save, bottom, size) ((void)(save), (void)(bottom), (void)(size))
#define SWITCH_END(fake, bottom, size) ((void)(fake), (void)(bottom), (void)(size))
#endif

/* ThreadSanitizer knows stacks as fibers. */
#if defined __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#define FIBER_NEW() __tsan_create_fiber(0)
#define FIBER_FREE(fiber) __tsan_destroy_fiber(fiber)
#define FIBER_HERE() __tsan_get_current_fiber()
#define FIBER_SWITCH(fiber) __tsan_switch_to_fiber(fiber, 0)
#else
#define FIBER_NEW() NULL
#define FIBER_FREE(fiber) ((void)(fiber))
#define FIBER_HERE() NULL
#define FIBER_SWITCH(fiber) ((void)(fiber))
#endif

#define STACK_BYTES ((size_t)256 * 1024)

struct stack {
    bool begun;
    jmp_buf left;     /* where it was left, if it has begun */
    ucontext_t start; /* else */
    stack *caller;    /* by which it was entered last */
    void (*run)(void *arg);
    void *arg;
    unsigned char *memory; /* a guard page, then STACK_BYTES; NULL: of a caller */
    const void *bottom;    /* as ASan knows it, of a caller since it has been left */
    size_t size;
    void *fake, *fiber; /* ASan's, TSan's */
};

/* makecontext passes ints only: the pointer comes in two halves. */
static void begin(unsigned high, unsigned low)
{
    stack *k = (stack *)(((uintptr_t)high << 16 << 16) | low);
    SWITCH_END(NULL, &k->caller->bottom, &k->caller->size);
    k->run(k->arg);
    abort(); /* it has been left for good */
}

stack *stack_of_caller(void) { return new_zeroed(sizeof(stack)); }

stack *stack_new(void (*run)(void *arg), void *arg)
{
    const size_t page = (size_t)getpagesize();
    const uintptr_t self = (uintptr_t)new_zeroed(sizeof(stack));
    stack *k = (stack *)self;
    k->run = run;
    k->arg = arg;
    k->memory = mmap(NULL, page + STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (k->memory == MAP_FAILED || mprotect(k->memory, page, PROT_NONE) || getcontext(&k->start)) {
        perror("sim: no stack for a task");
        exit(EXIT_FAILURE);
    }
    k->bottom = k->memory + page;
    k->size = STACK_BYTES;
    k->fiber = FIBER_NEW();
    k->start.uc_stack.ss_sp = k->memory + page;
    k->start.uc_stack.ss_size = STACK_BYTES;
    k->start.uc_link = NULL;
    makecontext(&k->start, (void (*)(void))begin, 2, (unsigned)(self >> 16 >> 16), (unsigned)self);
    return k;
}

void stack_free(stack *k)
{
    if (k && k->memory) {
        FIBER_FREE(k->fiber);
        munmap(k->memory, (size_t)getpagesize() + STACK_BYTES);
    }
    free(k);
}

/* Returns when `from` is switched to. */
static void switch_to(stack *from, stack *to, bool over)
{
    SWITCH_BEGIN(over ? NULL : &from->fake, to->bottom, to->size);
    FIBER_SWITCH(to->fiber);
    from->begun = true;
    if (_setjmp(from->left)) return;
    if (to->begun) _longjmp(to->left, 1);
    setcontext(&to->start);
}

void stack_enter(stack *caller, stack *k)
{
    const void *bottom;
    size_t size;
    k->caller = caller;
    caller->fiber = FIBER_HERE();
    switch_to(caller, k, false);
    SWITCH_END(caller->fake, &bottom, &size);
}

void stack_leave(stack *k, bool over)
{
    switch_to(k, k->caller, over);
    SWITCH_END(k->fake, &k->caller->bottom, &k->caller->size); /* another one may have come back to it */
}
