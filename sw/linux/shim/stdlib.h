/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Memory of any size (library.c); callers may sleep. */
#ifndef SHIM_STDLIB_H
#define SHIM_STDLIB_H

#include <linux/types.h>

#define malloc nicxbar_malloc
#define calloc nicxbar_calloc
#define free nicxbar_free

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void free(void *memory);

#endif
