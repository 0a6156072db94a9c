/* Sparse byte memory over the whole 64-bit address space.
 *
 * Pages of 4 KB appear when something but zeros is first written there; unwritten memory reads as zero. Several
 * gigabytes may be in use: the page table is a hash that grows, and the last page touched is remembered, so that
 * streams cost one comparison per page. Addresses wrap at 2^64. Not safe for use by several threads at once.
 *
 * A part of it may be memory of somebody else (memory_lend): of a guest whose RAM is a mapped file.
 */
#ifndef SIM_MODEL_HOST_MEMORY_H
#define SIM_MODEL_HOST_MEMORY_H

#include <stddef.h>
#include <stdint.h>

typedef struct memory memory;

/* An empty memory; NULL when the machine has none left. */
memory *memory_new(void);
void memory_free(memory *m);

void memory_read(memory *m, uint64_t address, void *to, size_t size);
/* Ends the program with a message if the machine runs out of memory. */
void memory_write(memory *m, uint64_t address, const void *from, size_t size);

/* One 64-bit word, little endian. `address` must be a multiple of 8. memory_put64 writes the bytes whose bit is set in
 * `lanes`. */
uint64_t memory_get64(memory *m, uint64_t address);
void memory_put64(memory *m, uint64_t address, uint64_t value, unsigned lanes);

/* From now on the pages from `address` on are those at `bytes`, which must stay until another call; one part at a time.
 * Address and size are multiples of 4096. bytes NULL: no part. */
void memory_lend(memory *m, uint64_t address, size_t size, uint8_t *bytes);

/* Bytes of pages in use, without lent ones. */
size_t memory_used(const memory *m);

#endif
