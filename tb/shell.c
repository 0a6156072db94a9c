#include "shell.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

enum { COMMAND = 2048 };

char *shell_output;
static char folder[32];

static int code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }

int shell(const char *format, ...)
{
    char text[COMMAND];
    va_list list;
    va_start(list, format);
    int n = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    ck_assert_int_lt(n, (int)sizeof text);
    return code(system(text));
}

const char *shell_folder(void)
{
    if (!*folder) {
        strcpy(folder, "/tmp/nicxbar-test-XXXXXX");
        ck_assert_ptr_nonnull(mkdtemp(folder));
        setenv("D", folder, 1);
    }
    return folder;
}

const char *shell_path(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", shell_folder(), name);
    return path;
}

void shell_program(const char *name)
{
    char path[512], *end;
    ssize_t n = readlink("/proc/self/exe", path, 400);
    ck_assert_int_gt(n, 0);
    path[n] = '\0';
    end = strstr(path, "/full/tb/") ? strstr(path, "/full/tb/") : strstr(path, "/tb/");
    ck_assert_msg(end != NULL, "%s: expected below tb", path);
    snprintf(end, sizeof path - (size_t)(end - path), "/%s", name);
    ck_assert_int_eq(setenv("P", path, 1), 0);
}

FILE *shell_file(const char *name, const char *mode)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", shell_folder(), name);
    FILE *f = fopen(path, mode);
    ck_assert_msg(f != NULL, "%s cannot be opened", path);
    return f;
}

void shell_put(const char *name, const char *text)
{
    FILE *f = shell_file(name, "w");
    fputs(text, f);
    fclose(f);
}

int shell_says(const char *format, ...)
{
    char text[COMMAND];
    size_t size = 0;
    va_list list;
    shell_folder();
    va_start(list, format);
    int n = vsnprintf(text, sizeof text - 9, format, list);
    va_end(list);
    ck_assert_int_lt(n, (int)sizeof text - 9);
    memmove(text + 2, text, (size_t)n);
    memcpy(text, "{ ", 2);
    strcpy(text + 2 + n, "\n} 2>&1");
    free(shell_output);
    FILE *in = popen(text, "r"), *out = open_memstream(&shell_output, &size);
    for (int c; (c = fgetc(in)) != EOF;) fputc(c, out);
    fclose(out);
    return code(pclose(in));
}

int shell_output_has(const char *text) { return strstr(shell_output, text) != NULL; }

int shell_pass_fits(const char *pass)
{
    static const char behind[] = "; runs without, slower\n",
                      dialects[] = "${VERILATOR:-verilator} --version | grep -Eq ' 5[.](006|032) '";
    size_t length = strlen(shell_output);
    if (!length) return 1;
    ck_assert_msg(!strncmp(shell_output, pass, strlen(pass)) &&
                      !strncmp(shell_output + strlen(pass), ": not with Verilator ", 21) &&
                      strchr(shell_output, '\n') == shell_output + length - 1 && length >= sizeof behind &&
                      !strcmp(shell_output + length - strlen(behind), behind) && shell(dialects),
                  "%s: %s", pass, shell_output);
    return 0;
}

void shell_clean(void)
{
    if (*folder) ck_assert_int_eq(shell("rm -rf %s", folder), 0);
    *folder = 0;
    free(shell_output);
    shell_output = NULL;
}
