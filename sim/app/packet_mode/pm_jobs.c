#include "sim/app/packet_mode/pm_jobs.h"

#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
static volatile sig_atomic_t signalled;

static void on_signal(int number) { signalled = number; }

static void on_signals(void (*handler)(int))
{
    struct sigaction act = {.sa_handler = handler};
    for (unsigned k = 0; k < sizeof signals / sizeof signals[0]; k++) sigaction(signals[k], &act, NULL);
}

static pid_t start(const pm_jobs *j, int n)
{
    fflush(NULL);
    pid_t process = fork();
    if (process) return process;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    on_signals(SIG_DFL);
    int code = j->make(j->self, n);
    fflush(NULL);
    _exit(code);
}

int pm_jobs_run(const pm_jobs *j)
{
    struct {
        pid_t process;
        int n;
    } running[PM_MOST_JOBS];
    unsigned count = 0;
    int code = 0, status;
    signalled = 0;
    on_signals(on_signal);
    for (;;) {
        int n;
        while (!code && !signalled && count < j->at_a_time && (n = j->next(j->self)) >= 0) {
            if ((running[count].process = start(j, running[count].n = n)) < 0) {
                perror("fork");
                j->over(j->self, n, code = 1);
            } else count++;
        }
        if (!count) break;
        j->show(j->self);
        for (unsigned k = 0; k < count && signalled; k++) kill(running[k].process, SIGTERM);
        pid_t process = waitpid(-1, &status, 0);
        for (unsigned k = 0; k < count && process > 0; k++) {
            if (running[k].process != process) continue;
            int ended = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
            n = running[k].n;
            running[k] = running[--count];
            if (ended && !signalled) code = 1;
            j->over(j->self, n, ended);
            break;
        }
    }
    on_signals(SIG_DFL);
    return signalled ? 130 : code;
}
