#include "program_bench.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

char json_path[64];

void program_set_up(void) { snprintf(json_path, sizeof json_path, "%s/results.json", shell_folder()); }

static void on_timer(int number)
{
    (void)number;
    raise(SIGINT);
}

void program(unsigned cpu_ms, int code, const char *const *arguments)
{
    char *argv[24] = {"nicxbar-sim"};
    int argc = 1, status;
    size_t size = 0;
    while (*arguments && argc < 20) argv[argc++] = strdup(*arguments++);
    argv[argc++] = "--json";
    argv[argc++] = json_path;
    FILE *log = shell_file("log", "w+");
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        dup2(fileno(log), 1);
        dup2(fileno(log), 2);
        struct itimerval t = {.it_value = {cpu_ms / 1000, cpu_ms % 1000 * 1000}};
        signal(SIGVTALRM, on_timer);
        setitimer(ITIMER_VIRTUAL, &t, NULL);
        exit(nicxbar_sim(argc, argv, &program_under_test));
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    rewind(log);
    free(shell_output);
    shell_output = NULL;
    if (getdelim(&shell_output, &size, '\0', log) < 0) shell_output = strdup("");
    fclose(log);
    ck_assert_msg(WIFEXITED(status), "ended by signal %d:\n%s", WTERMSIG(status), shell_output);
    ck_assert_msg(WEXITSTATUS(status) == code, "exit code %d, expected %d:\n%s", WEXITSTATUS(status), code,
                  shell_output);
}
void program_printed(const char *const *texts)
{
    for (; *texts; texts++) ck_output_has(*texts);
}
