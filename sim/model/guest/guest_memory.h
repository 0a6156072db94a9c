/* RAM of a guest: a file that guest and simulator map, from one bus address on. What the guest sends of it is checked
 * here; nothing else of this folder makes a pointer of a guest's address.
 *
 * The guest may change this memory at any time: who decides by what is in it takes a copy first. It may even make the
 * file shorter: then zeros are read from there, and `cut` says so. */
#ifndef SIM_MODEL_GUEST_GUEST_MEMORY_H
#define SIM_MODEL_GUEST_GUEST_MEMORY_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

enum { GUEST_MEMORIES = 64 };
enum { GUEST_ERROR = 200 }; /* bytes of a text that says what a guest has sent, and what was expected */

typedef struct guest_memory {
    uint64_t from, size; /* addresses */
    uint8_t *bytes;      /* NULL: none */
    volatile sig_atomic_t cut;
} guest_memory;

/* At most GUEST_MEMORIES at a time. Maps `size` bytes of the file `fd`, which stays the caller's, from `offset` on. 0,
 * or -1 with the reason. */
int guest_memory_map(guest_memory *m, int fd, uint64_t from, uint64_t size, uint64_t offset, char error[GUEST_ERROR]);
void guest_memory_unmap(guest_memory *m);
/* These bytes; NULL: not all of them are in the memory. */
uint8_t *guest_memory_at(const guest_memory *m, uint64_t address, uint64_t size);

#endif
