// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* The C library's memory for sw/driver and sw/disk. */
#include <linux/mm.h>

#include "shim/stdlib.h"

void *malloc(size_t size) { return kvmalloc(size, GFP_KERNEL); }
void *calloc(size_t count, size_t size) { return kvcalloc(count, size, GFP_KERNEL); }
void free(void *memory) { kvfree(memory); }
