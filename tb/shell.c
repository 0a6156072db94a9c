#include "shell.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

int shell(const char *format, ...)
{
    char text[2048];
    va_list list;
    va_start(list, format);
    int n = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    ck_assert_int_lt(n, (int)sizeof text);
    int status = system(text);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
