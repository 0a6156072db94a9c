/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Text into memory only: there are no files. By declarations, since the kernel's headers make words like `current`
 * macros. */
#ifndef SHIM_STDIO_H
#define SHIM_STDIO_H

#include <linux/stdarg.h>
#include <linux/types.h>

int __attribute__((format(printf, 3, 4))) snprintf(char *text, size_t size, const char *format, ...);
int __attribute__((format(printf, 3, 0))) vsnprintf(char *text, size_t size, const char *format, va_list list);

#endif
