/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Words of the network interface in words of people: for reports, tools and readers of waves. Formats: design.md 3.
 *
 * Each function writes at most `size` bytes of text without a newline and ends it with 0.
 */
#ifndef NX_DECODE_H
#define NX_DECODE_H

#include <stddef.h>
#include <stdint.h>

/* Packet header or remote notification word; bits that must be 0 or 1 and are not are named. */
void nx_decode_header(uint64_t word, char *text, size_t size);
/* The two words of a transfer descriptor, and what makes it illegal. */
void nx_decode_descriptor(uint64_t source, uint64_t word1, char *text, size_t size);
/* One 16-bit credit. */
void nx_decode_credit(uint16_t credit, char *text, size_t size);
/* Local notification word. */
void nx_decode_local(uint64_t word, char *text, size_t size);
/* Words of rtl/sync in memory: "slot" (its first word), "refused", "answer" (its second word), "counter". 0: `kind` is
 * none of these. */
int nx_decode_sync(const char *kind, uint64_t word, char *text, size_t size);

#endif
