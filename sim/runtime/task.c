/* Tasks: host software on stacks of its own, switched with ucontext. */
#include "sim/runtime/internal.h"

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

#define STACK_BYTES ((size_t)256 * 1024)

struct sim_task {
    sim *s;
    char *name;
    void (*fn)(void *);
    void *arg;
    ucontext_t context;
    unsigned char *stack; /* a guard page, then STACK_BYTES */
    void *fake;           /* ASan's */
    bool done, queued, sleeping, woken;
    /* what it waits for; neither: sim_block */
    uint64_t cycle;
    int (*ready)(void *);
    void *ready_arg;
    sim_time time;
    LIST(sim_task *) joiners;
};

/* Where tasks switch back to: the stack of sim_run. */
typedef struct {
    ucontext_t context;
    void *fake;
    const void *bottom;
    size_t size;
} scheduler;

static void queue(sim_task *t)
{
    if (t->queued || t->done) return;
    t->queued = true;
    *list_add(&t->s->ready) = t;
}

static void leave(sim_task *t)
{
    scheduler *home = t->s->scheduler;
    SWITCH_BEGIN(t->done ? NULL : &t->fake, home->bottom, home->size);
    swapcontext(&t->context, &home->context);
    SWITCH_END(t->fake, &home->bottom, &home->size);
}

static void enter(sim *s, sim_task *t)
{
    scheduler *home = s->scheduler;
    const void *bottom;
    size_t size;
    s->current = t;
    SWITCH_BEGIN(&home->fake, t->stack + (size_t)getpagesize(), STACK_BYTES);
    swapcontext(&home->context, &t->context);
    SWITCH_END(home->fake, &bottom, &size);
    s->current = NULL;
}

/* makecontext passes ints only: the pointer comes in two halves. */
static void task_main(unsigned high, unsigned low)
{
    sim_task *t = (sim_task *)(((uintptr_t)high << 16 << 16) | low);
    scheduler *home = t->s->scheduler;
    SWITCH_END(NULL, &home->bottom, &home->size);
    t->fn(t->arg);
    t->done = true;
    t->s->live--;
    for (size_t i = 0; i < t->joiners.count; i++) queue(t->joiners.at[i]);
    leave(t);
    abort(); /* a finished task is never entered again */
}

sim_task *sim_task_new(sim *s, const char *name, void (*fn)(void *), void *arg)
{
    const size_t page = (size_t)getpagesize();
    if (!s->scheduler) s->scheduler = new_zeroed(sizeof(scheduler));
    sim_task *t = new_zeroed(sizeof *t);
    t->s = s;
    t->name = new_string(name);
    t->fn = fn;
    t->arg = arg;
    t->stack = mmap(NULL, page + STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (t->stack == MAP_FAILED || mprotect(t->stack, page, PROT_NONE) || getcontext(&t->context)) {
        perror("sim: no stack for a task");
        exit(EXIT_FAILURE);
    }
    t->context.uc_stack.ss_sp = t->stack + page;
    t->context.uc_stack.ss_size = STACK_BYTES;
    t->context.uc_link = NULL;
    uintptr_t self = (uintptr_t)t;
    makecontext(&t->context, (void (*)(void))task_main, 2, (unsigned)(self >> 16 >> 16), (unsigned)self);
    *list_add(&s->tasks) = t;
    s->live++;
    queue(t);
    return t;
}

void tasks_free(sim *s)
{
    for (size_t i = 0; i < s->tasks.count; i++) {
        sim_task *t = s->tasks.at[i];
        munmap(t->stack, (size_t)getpagesize() + STACK_BYTES);
        list_free(&t->joiners);
        free(t->name);
        free(t);
    }
    list_free(&s->tasks);
    list_free(&s->ready);
    list_free(&s->timed);
    free(s->scheduler);
    s->scheduler = NULL;
}

int sim_task_done(const sim_task *t)
{
    return t->done;
}

const char *sim_task_name(const sim_task *t)
{
    return t->name;
}

sim_task *sim_task_current(sim *s)
{
    return s->current;
}

/* ---- waiting ---- */

static sim_task *current(sim *s, const char *what)
{
    if (!s->current) {
        fprintf(stderr, "sim: %s outside of a task\n", what);
        abort();
    }
    return s->current;
}

void sim_wait_cycles(sim_clock *c, uint64_t n)
{
    sim_task *t = current(c->s, "sim_wait_cycles");
    if (!n) return;
    t->cycle = c->cycles + n;
    t->ready = NULL;
    *list_add(&c->waiting) = t;
    leave(t);
}

void sim_wait_until(sim_clock *c, int (*ready)(void *), void *arg)
{
    sim_task *t = current(c->s, "sim_wait_until");
    while (!ready(arg)) { /* again after the switch: a task that went on first may have undone it */
        t->ready = ready;
        t->ready_arg = arg;
        *list_add(&c->waiting) = t;
        leave(t);
    }
}

void sim_wait_time(sim *s, sim_time ps)
{
    sim_task *t = current(s, "sim_wait_time");
    if (!ps) return;
    t->time = s->now + ps;
    *list_add(&s->timed) = t;
    leave(t);
}

void sim_join(sim_task *other)
{
    sim_task *t = current(other->s, "sim_join");
    while (!other->done) {
        *list_add(&other->joiners) = t;
        leave(t);
    }
}

void sim_block(sim *s)
{
    sim_task *t = current(s, "sim_block");
    if (!t->woken) {
        t->sleeping = true;
        leave(t);
        t->sleeping = false;
    }
    t->woken = false;
}

void sim_wake(sim_task *t)
{
    t->woken = true;
    if (t->sleeping) queue(t);
}

/* ---- running ---- */

/* Moves the tasks of a list whose wait is over to the ready queue, keeps the others in order. */
#define COLLECT(list, t, over)                                                                                                             \
    do {                                                                                                                                   \
        size_t kept = 0;                                                                                                                   \
        for (size_t i = 0; i < (list)->count; i++) {                                                                                       \
            sim_task *t = (list)->at[i];                                                                                                   \
            if (over) queue(t);                                                                                                            \
            else (list)->at[kept++] = t;                                                                                                   \
        }                                                                                                                                  \
        (list)->count = kept;                                                                                                              \
    } while (0)

void tasks_run(sim *s)
{
    for (size_t r = 0; r < s->rising.count; r++) {
        sim_clock *c = s->rising.at[r];
        COLLECT(&c->waiting, t, t->ready ? t->ready(t->ready_arg) : c->cycles >= t->cycle);
    }
    COLLECT(&s->timed, t, t->time <= s->now);
    for (size_t i = 0; i < s->ready.count && !s->error && !s->stop; i++) {
        sim_task *t = s->ready.at[i];
        s->ready_next = i + 1;
        t->queued = false;
        enter(s, t);
    }
    /* What a stop left over goes on in the next run. */
    size_t kept = 0;
    for (size_t i = s->ready_next; i < s->ready.count; i++) s->ready.at[kept++] = s->ready.at[i];
    s->ready.count = kept;
    s->ready_next = 0;
}

/* Without clocks, tasks alone make time pass. */
sim_time tasks_next(const sim *s)
{
    sim_time t = s->ready.count ? s->now : SIM_FOREVER;
    for (size_t i = 0; i < s->timed.count; i++)
        if (s->timed.at[i]->time < t) t = s->timed.at[i]->time;
    return t;
}
