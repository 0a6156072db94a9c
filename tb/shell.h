/* A command of the shell in a test. */
#ifndef TB_SHELL_H
#define TB_SHELL_H

/* Runs it, at most 2047 characters; its exit code, or -1 if it did not end by itself. */
int shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
