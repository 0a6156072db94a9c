/* Reasons to stop a run from outside: signals, and a model that does not come back.
 *
 * A loop in Verilog that never ends, or a value that never settles, keeps the thread in one evaluation for ever. Each
 * thread that evaluates models has a timer of its own that runs with the processor time the thread takes: so it does
 * not matter how slow the machine is, or whether the program is stopped. A thread whose timer finds it too often in the
 * same evaluation leaves that by a jump, and the run ends with the name of the model. ThreadSanitizer holds the timer's
 * signals back: under it loops are not detected. */
#define _GNU_SOURCE /* gettid, REG_RIP */
#include "sim/core/kernel/kernel.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* ---- signals ---- */

enum { SAME_SIGNAL = 500 /* [ms] */, SIGNALS = 3 };
static const int signals[SIGNALS] = {SIGINT, SIGTERM, SIGHUP};
static struct sigaction before[SIGNALS];
static bool installed;
static volatile sig_atomic_t going; /* a run is; handlers stay between runs, of which a test may make one per clock */
static volatile sig_atomic_t interrupted;
static _Atomic int64_t interrupted_at; /* [ms] */

static int64_t wall_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Stopping make stops the program, too, and make passes the signal on: a second one at once is the same one. */
static void on_signal(int number)
{
    if (!going && !interrupted) { /* between two runs it is not ours */
        for (int i = 0; i < SIGNALS; i++) sigaction(signals[i], &before[i], NULL);
        installed = false;
        raise(number);
    } else if (!interrupted) {
        interrupted = number;
        interrupted_at = wall_ms();
    } else if (wall_ms() - interrupted_at > SAME_SIGNAL) {
        signal(number, SIG_DFL);
        raise(number);
    }
}

void guard_signals(void)
{
    struct sigaction act;
    interrupted = 0;
    going = 1;
    if (installed) return;
    memset(&act, 0, sizeof act);
    act.sa_handler = on_signal;
    act.sa_flags = SA_RESTART;
    for (int i = 0; i < SIGNALS; i++) {
        sigaction(signals[i], NULL, &before[i]);
        if (signals[i] != SIGHUP || before[i].sa_handler != SIG_IGN)
            sigaction(signals[i], &act, NULL); /* ignored: nohup */
    }
    installed = true;
}

void guard_signals_end(void) { going = 0; }

int sim_interrupted(void) { return interrupted != 0; }

/* ---- models that do not come back ---- */

enum { TICK = 100 /* [ms] */ };
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif
#define WATCH_SIGNAL SIGRTMIN

_Thread_local evaluation evaluating;
static _Thread_local sigjmp_buf *landing;
static _Thread_local char complaint[512];
static _Thread_local struct {
    bool made;
    timer_t timer;
    unsigned count, ticks; /* evaluation that was found last, and how often */
} watch;

const char *guard_complaint(void) { return complaint; }

bool guard_run(void (*work)(void *arg), void *arg)
{
    sigjmp_buf here, *const outer = landing;
    landing = &here;
    const bool back = !sigsetjmp(here, 0);
    if (back) work(arg);
    landing = outer;
    evaluating.model = NULL;
    return back;
}

/* Out of the evaluation that is going on. */
static void __attribute__((format(printf, 1, 2), noreturn)) give_up(const char *format, ...)
{
    const sim_model *m = evaluating.model;
    va_list list;
    int used = m ? snprintf(complaint, sizeof complaint, "%s (%s%s): ", m->name, m->config->name,
                            m->set ? ", or another in its lanes" : "")
                 : 0;
    va_start(list, format);
    vsnprintf(complaint + used, sizeof complaint - (size_t)used, format, list);
    va_end(list);
    if (landing && m && !sim_task_current(m->s)) siglongjmp(*landing, 1);
    fprintf(stderr, "sim: %s\n", complaint);
    exit(EXIT_FAILURE);
}

void sim_model_fatal(const char *file, int line, const char *text)
{
    if (file && *file) give_up("%s:%d: %s", file, line, text);
    give_up("%s", text);
}

/* Not in a library, which may hold a lock. */
static bool in_program(const ucontext_t *at)
{
    extern const char __executable_start[], etext[];
#if defined __x86_64__
    uintptr_t pc = (uintptr_t)at->uc_mcontext.gregs[REG_RIP];
#elif defined __aarch64__
    uintptr_t pc = (uintptr_t)at->uc_mcontext.pc;
#else
    uintptr_t pc = (uintptr_t)etext - 1;
    (void)at;
#endif
    return pc >= (uintptr_t)__executable_start && pc < (uintptr_t)etext;
}

static void on_tick(int number, siginfo_t *info, void *context)
{
    const sim_model *m = evaluating.model;
    (void)info;
    if (!m || evaluating.count != watch.count) {
        watch.count = evaluating.count;
        watch.ticks = 0;
        return;
    }
    if (++watch.ticks * (1e-3 * TICK) < m->s->params.patience || !in_program(context)) return;
    watch.ticks = 0;
    sigset_t open;
    sigemptyset(&open);
    sigaddset(&open, number);
    pthread_sigmask(SIG_UNBLOCK, &open, NULL);
    give_up("one evaluation has taken %g s of processor time: a loop in its Verilog does not end%s%s",
            m->s->params.patience, *m->config->loops ? "; it has " : "", m->config->loops);
}

/* Timers do not come along. */
static void after_fork(void) { watch.made = false; }

static void know_forks(void) { pthread_atfork(NULL, NULL, after_fork); }

void guard_thread(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (watch.made) return;
    pthread_once(&once, know_forks);
    watch.made = true;
    watch.ticks = 0;
    struct sigaction act;
    memset(&act, 0, sizeof act);
    act.sa_sigaction = on_tick;
    act.sa_flags = SA_RESTART | SA_SIGINFO;
    sigaction(WATCH_SIGNAL, &act, NULL);
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = WATCH_SIGNAL;
    event.sigev_notify_thread_id = gettid();
    const struct itimerspec ticks = {{0, TICK * 1000000}, {0, TICK * 1000000}};
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &watch.timer) || timer_settime(watch.timer, 0, &ticks, NULL))
        perror("sim: no timer: a model that does not come back will not be noticed");
}

void guard_thread_end(void)
{
    timer_delete(watch.timer);
    watch.made = false;
}
