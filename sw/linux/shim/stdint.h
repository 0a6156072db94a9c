/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* C library for sw/driver and sw/disk in a kernel module. */
#ifndef SHIM_STDINT_H
#define SHIM_STDINT_H

#include <linux/limits.h>
#include <linux/types.h>

#define UINT8_MAX U8_MAX
#define UINT16_MAX U16_MAX
#define UINT32_MAX U32_MAX
#define UINT64_MAX U64_MAX

#endif
