/* Threads that work side by side on the same thing and wait for each other. */
#include "sim/core/parallel/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Looks at a number before a thread goes to sleep: about as long as a window takes. To be woken takes a good part of
 * that, and with 400 two threads were slower than one. */
enum { SPINS = 4000 };

struct thread_pool {
    unsigned threads;
    pthread_t *helper; /* threads - 1 */
    void (*work)(void *arg, unsigned thread);
    void *arg;
    atomic_uint round, left; /* changed by thread_pool_run, and by helpers that are through */
    atomic_uint asleep;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

typedef struct {
    thread_pool *c;
    unsigned number;
} helper;

static void relax(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#endif
}

/* Until the number is another one; which it is then. */
static unsigned await(thread_pool *c, atomic_uint *number, unsigned old)
{
    for (unsigned i = 0; i < SPINS; i++) {
        unsigned now = atomic_load(number);
        if (now != old) return now;
        relax();
    }
    pthread_mutex_lock(&c->lock);
    atomic_fetch_add(&c->asleep, 1);
    while (atomic_load(number) == old) pthread_cond_wait(&c->changed, &c->lock);
    atomic_fetch_sub(&c->asleep, 1);
    pthread_mutex_unlock(&c->lock);
    return atomic_load(number);
}

/* A number has changed: sleeping threads look again. A thread that counts itself asleep after this check has not missed
 * the change. */
static void announce(thread_pool *c)
{
    if (!atomic_load(&c->asleep)) return;
    pthread_mutex_lock(&c->lock);
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

static void *help(void *arg)
{
    helper h = *(helper *)arg;
    thread_pool *c = h.c;
    free(arg);
    guard_thread();
    for (unsigned round = 0;;) {
        round = await(c, &c->round, round);
        if (!c->work) {
            guard_thread_end();
            return NULL;
        }
        c->work(c->arg, h.number);
        if (atomic_fetch_sub(&c->left, 1) == 1) announce(c);
    }
}

thread_pool *thread_pool_new(unsigned threads)
{
    thread_pool *c = new_zeroed(sizeof *c);
    c->threads = 1;
    c->helper = new_zeroed(threads * sizeof *c->helper);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    while (c->threads < threads) {
        helper *h = new_zeroed(sizeof *h);
        *h = (helper){c, c->threads};
        if (pthread_create(&c->helper[c->threads - 1], NULL, help, h)) {
            free(h);
            break;
        }
        c->threads++;
    }
    return c;
}

unsigned thread_pool_threads(const thread_pool *c) { return c->threads; }

static void begin_round(thread_pool *c, void (*work)(void *arg, unsigned thread), void *arg)
{
    c->work = work;
    c->arg = arg;
    atomic_store(&c->left, c->threads - 1);
    atomic_fetch_add(&c->round, 1);
    announce(c);
}

void thread_pool_run(thread_pool *c, void (*work)(void *arg, unsigned thread), void *arg)
{
    begin_round(c, work, arg);
    work(arg, 0);
    for (unsigned left = atomic_load(&c->left); left; left = atomic_load(&c->left)) await(c, &c->left, left);
}

void thread_pool_free(thread_pool *c)
{
    if (!c) return;
    begin_round(c, NULL, NULL);
    for (unsigned i = 0; i + 1 < c->threads; i++) pthread_join(c->helper[i], NULL);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    free(c->helper);
    free(c);
}
