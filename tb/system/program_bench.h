/* nicxbar-sim in a process of its own, as a test runs it. For test cases with .teardown = shell_clean. */
#ifndef TB_SYSTEM_PROGRAM_BENCH_H
#define TB_SYSTEM_PROGRAM_BENCH_H

#include "shell.h"
#include "sim/app/nicxbar/program.h"

/* The chips of the program; defined by the test. */
extern const program_chips program_under_test;

/* Runs it with these arguments and NULL behind them; after `cpu_ms` (0: never) of its time it gets Ctrl-C. It must end
 * with this exit code; its output on both streams is then in shell_output. */
void program(unsigned cpu_ms, int code, const char *const *arguments);
#define PROGRAM(code, ...) program(0, code, (const char *const[]){__VA_ARGS__, NULL})
#define INTERRUPTED(cpu_ms, ...) program(cpu_ms, 130, (const char *const[]){__VA_ARGS__, NULL})

/* Where its results go; to begin with, results.json in the folder of shell.h (program_set_up). */
extern char json_path[64];
void program_set_up(void);

/* All of these are in shell_output. */
void program_printed(const char *const *texts);
#define HAS(...) program_printed((const char *const[]){__VA_ARGS__, NULL})

#endif
