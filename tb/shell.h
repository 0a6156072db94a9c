/* Commands of the shell in a test, and a folder of its own for files. */
#ifndef TB_SHELL_H
#define TB_SHELL_H

#include <stdio.h>

/* Runs a command, at most 2047 characters; its exit code, or -1 if it did not end by itself. */
int shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The rest is for test cases with .teardown = shell_clean. */

/* A folder below /tmp, made with the first use of it; to commands it is $D. */
const char *shell_folder(void);
/* Path of a file in it, until the next call; the file, for fclose; or one with this text. */
const char *shell_path(const char *name);
FILE *shell_file(const char *name, const char *mode);
void shell_put(const char *name, const char *text);
/* A program of this build (test.h, RUNS) is $P to commands. */
void shell_program(const char *name);
/* Like shell(), and what the command prints on both outputs is then in shell_output. */
int shell_says(const char *format, ...) __attribute__((format(printf, 1, 2)));
extern char *shell_output;
int shell_output_has(const char *text);
/* What scripts/passes.py said is in shell_output. 1: nothing. 0: in one line that this pass does not know what this
 * Verilator prints, which only those without a dialect in scripts/printed.py may be. */
int shell_pass_fits(const char *pass);
/* Removes the folder, forgets the output. */
void shell_clean(void);

#define ck_output_has(text) ck_assert_msg(shell_output_has(text), "expected \"%s\" in: %s", text, shell_output)
#define ck_output_lacks(text) ck_assert_msg(!shell_output_has(text), "did not expect \"%s\" in: %s", text, shell_output)
/* A command that must end with this code, or with any but 0, and print this among others. */
#define ck_shell_says(code, text, ...)                                                                                 \
    do {                                                                                                               \
        ck_assert_int_eq(shell_says(__VA_ARGS__), code);                                                               \
        ck_output_has(text);                                                                                           \
    } while (0)
#define ck_shell_fails(text, ...)                                                                                      \
    do {                                                                                                               \
        ck_assert_int_ne(shell_says(__VA_ARGS__), 0);                                                                  \
        ck_output_has(text);                                                                                           \
    } while (0)

#endif
