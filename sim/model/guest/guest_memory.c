#include "sim/model/guest/guest_memory.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { PAGE = 4096 };
#define MOST ((uint64_t)1 << 32) /* below the devices, which have 32-bit addresses */

/* ---- files that become shorter ---- */

static guest_memory *mapped[GUEST_MEMORIES];

/* Access behind the end of a guest's file: zeros are there from now on. Any other one is as it was. */
static void on_bus_error(int number, siginfo_t *info, void *context)
{
    uint8_t *at = info->si_addr, *page = at - (uintptr_t)at % PAGE;
    (void)context;
    for (unsigned i = 0; i < GUEST_MEMORIES; i++) {
        guest_memory *m = mapped[i];
        if (!m || at < m->bytes || at >= m->bytes + m->size) continue;
        m->cut = 1;
        if (mmap(page, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page) return;
    }
    signal(number, SIG_DFL);
}

/* Puts `m` where `old` is; 0: there is no such place. */
static int replace(guest_memory *old, guest_memory *m)
{
    const struct sigaction act = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};
    for (unsigned i = 0; i < GUEST_MEMORIES; i++) {
        if (mapped[i] != old) continue;
        mapped[i] = m;
        return m ? !sigaction(SIGBUS, &act, NULL) : 1;
    }
    return 0;
}

/* ---- mapping ---- */

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
    *m = (guest_memory){from, size, map, 0};
    if (replace(NULL, m)) return 0;
    snprintf(error, GUEST_ERROR, "expected no more than %d memories", GUEST_MEMORIES);
    guest_memory_unmap(m);
    return -1;
}

void guest_memory_unmap(guest_memory *m)
{
    if (m->bytes) munmap(m->bytes, m->size);
    if (m->bytes) replace(m, NULL);
    *m = (guest_memory){0};
}

uint8_t *guest_memory_at(const guest_memory *m, uint64_t address, uint64_t size)
{
    const uint64_t in = address - m->from;
    return m->bytes && address >= m->from && in <= m->size && size <= m->size - in ? m->bytes + in : NULL;
}
