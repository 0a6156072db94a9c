#include "sim/model/guest/guest_memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { PAGE = 4096 };
#define MOST ((uint64_t)1 << 32) /* below the devices, which have 32-bit addresses */

static const char *wrong_region(int fd, uint64_t from, uint64_t size, uint64_t offset)
{
    struct stat st;
    if (!size || (from | size | offset) % PAGE) return "expected whole pages of 4096 bytes";
    if (from >= MOST || size > MOST - from) return "expected addresses below 4 GiB";
    if (fstat(fd, &st) || !S_ISREG(st.st_mode)) return "expected a file";
    if (offset > (uint64_t)st.st_size || size > (uint64_t)st.st_size - offset) return "its file is shorter";
    return NULL;
}

int guest_memory_map(guest_memory *m, int fd, uint64_t from, uint64_t size, uint64_t offset, char error[GUEST_ERROR])
{
    const char *wrong = wrong_region(fd, from, size, offset);
    void *map = wrong ? NULL : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
    if (map == MAP_FAILED) wrong = strerror(errno);
    if (wrong) {
        snprintf(error, GUEST_ERROR, "memory of 0x%llx bytes at 0x%llx, 0x%llx of a file: %s", (unsigned long long)size,
                 (unsigned long long)from, (unsigned long long)offset, wrong);
        return -1;
    }
    guest_memory_unmap(m);
    *m = (guest_memory){from, size, map};
    return 0;
}

void guest_memory_unmap(guest_memory *m)
{
    if (m->bytes) munmap(m->bytes, m->size);
    *m = (guest_memory){0};
}

uint8_t *guest_memory_at(const guest_memory *m, uint64_t address, uint64_t size)
{
    const uint64_t in = address - m->from;
    return m->bytes && address >= m->from && in <= m->size && size <= m->size - in ? m->bytes + in : NULL;
}
