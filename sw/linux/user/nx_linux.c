// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
#include "nx_linux.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "nicxbar_ioctl.h"
#include "nx_bump.h"

struct nx_linux {
    int file;
    struct nicxbar_info info;
    unsigned char *memory;
    uint64_t next; /* bus address of what is free */
    nx_bus *bus;
    struct nx_platform platform;
};

/* Errors go on: nx_platform wants negative numbers. A read that nobody answers gives ones. */
static int config(nx_linux *l, int device, int reg, int size, uint32_t *value, int write)
{
    struct nicxbar_config c = {.reg = (uint32_t)reg, .size = (uint32_t)size, .value = *value, .write = (uint32_t)write};
    int result = (uint32_t)device == l->info.device ? ioctl(l->file, NICXBAR_CONFIG, &c) : -1;
    *value = result < 0 ? UINT32_MAX : c.value;
    return result;
}

static int config_read(void *self, int device, int reg, int size, uint32_t *value)
{
    *value = 0;
    return config(self, device, reg, size, value, 0);
}

static int config_write(void *self, int device, int reg, int size, uint32_t value)
{
    return config(self, device, reg, size, &value, 1);
}

static int reach(nx_linux *l, uint64_t address, uint32_t size, uint64_t *value, uint32_t write)
{
    struct nicxbar_access a = {.address = address, .value = *value, .size = size, .write = write};
    int result = ioctl(l->file, NICXBAR_ACCESS, &a);
    *value = result < 0 ? UINT64_MAX : a.value;
    return result;
}

static int read32(void *self, uint64_t address, uint32_t *value)
{
    uint64_t wide = 0;
    int result = reach(self, address, 4, &wide, 0);
    *value = (uint32_t)wide;
    return result;
}

static int write32(void *self, uint64_t address, uint32_t value)
{
    uint64_t wide = value;
    return reach(self, address, 4, &wide, 1);
}

static int read64(void *self, uint64_t address, uint64_t *value)
{
    *value = 0;
    return reach(self, address, 8, value, 0);
}

static int write64(void *self, uint64_t address, uint64_t value) { return reach(self, address, 8, &value, 1); }

static int write_combined(void *self, uint64_t address, const void *from, size_t size)
{
    nx_linux *l = self;
    struct nicxbar_post p = {.address = address, .size = (uint32_t)size};
    if (size > sizeof p.bytes) return -1;
    memcpy(p.bytes, from, size);
    return ioctl(l->file, NICXBAR_POST, &p);
}

static void *memory(nx_linux *l, uint64_t address, size_t size)
{
    const uint64_t offset = address - l->info.pool;
    if (address >= l->info.pool && size <= l->info.pool_bytes && offset <= l->info.pool_bytes - size)
        return l->memory + offset;
    fprintf(stderr, "%zu bytes at bus address 0x%llx: expected memory of 0x%llx..0x%llx\n", size,
            (unsigned long long)address, (unsigned long long)l->info.pool,
            (unsigned long long)(l->info.pool + l->info.pool_bytes - 1));
    abort();
}

static void mem_read(void *self, uint64_t address, void *to, size_t size)
{
    memcpy(to, memory(self, address, size), size);
}

static void mem_write(void *self, uint64_t address, const void *from, size_t size)
{
    memcpy(memory(self, address, size), from, size);
}

static uint64_t mem_exchange64(void *self, uint64_t address, uint64_t value)
{
    return __atomic_exchange_n((uint64_t *)memory(self, address, 8), value, __ATOMIC_SEQ_CST);
}

static uint64_t alloc(void *self, size_t size, size_t alignment)
{
    nx_linux *l = self;
    return nx_bump_alloc(&l->next, l->info.pool + l->info.pool_bytes, size, alignment);
}

static void release(void *self, uint64_t address, size_t size)
{
    nx_linux *l = self;
    nx_bump_release(&l->next, address, size);
}

static void wait_a_little(void *self)
{
    nx_linux *l = self;
    ioctl(l->file, NICXBAR_IDLE);
}

static int wait_interrupt(void *self, uint64_t timeout_ns)
{
    nx_linux *l = self;
    struct nicxbar_wait w = {.timeout_ns = timeout_ns};
    return ioctl(l->file, NICXBAR_WAIT, &w) < 0 ? -1 : w.result;
}

static uint64_t now(void *self)
{
    struct timespec t;
    (void)self;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* What the device and other hosts see is in its place, in program order, before a store to the device: x86, and each of
 * these is a system call. */
static int start(nx_linux *l, const char *path, char *error, size_t size)
{
    nx_bar bar[6] = {0};
    l->file = open(path, O_RDWR | O_CLOEXEC);
    if (l->file < 0 || ioctl(l->file, NICXBAR_INFO, &l->info)) {
        snprintf(error, size, "%s: %s", path,
                 errno == EBUSY ? "another program or a disk has the NIC" : strerror(errno));
        return -1;
    }
    l->memory = mmap(NULL, l->info.pool_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, l->file, 0);
    if (l->memory == MAP_FAILED) {
        snprintf(error, size, "%s: cannot map its memory for DMA: %s", path, strerror(errno));
        return -1;
    }
    l->next = l->info.pool;
    for (int i = 0; i < 6; i++) bar[i] = (nx_bar){.address = l->info.bar[i].address, .size = l->info.bar[i].size};
    if (!nx_bus_adopt(&l->platform, NULL, (int)l->info.device, bar, &l->bus)) return 0;
    snprintf(error, size, "%s: %s", path, nx_bus_last_error(l->bus));
    return -1;
}

nx_linux *nx_linux_open(const char *path, char *error, size_t size)
{
    nx_linux *l = calloc(1, sizeof *l);
    if (!l) {
        snprintf(error, size, "out of memory");
        return NULL;
    }
    l->memory = MAP_FAILED;
    l->platform = (struct nx_platform){.self = l,
                                       .config_read = config_read,
                                       .config_write = config_write,
                                       .read32 = read32,
                                       .write32 = write32,
                                       .read64 = read64,
                                       .write64 = write64,
                                       .write_combined = write_combined,
                                       .mem_read = mem_read,
                                       .mem_write = mem_write,
                                       .mem_exchange64 = mem_exchange64,
                                       .alloc = alloc,
                                       .release = release,
                                       .wait = wait_a_little,
                                       .wait_interrupt = wait_interrupt,
                                       .now = now};
    if (!start(l, path, error, size)) return l;
    nx_linux_close(l);
    return NULL;
}

void nx_linux_close(nx_linux *l)
{
    if (!l) return;
    nx_bus_free(l->bus);
    if (l->memory != MAP_FAILED) munmap(l->memory, l->info.pool_bytes);
    if (l->file >= 0) close(l->file);
    free(l);
}

const struct nx_platform *nx_linux_platform(const nx_linux *l) { return &l->platform; }
const nx_function *nx_linux_function(const nx_linux *l) { return nx_bus_get(l->bus, 0); }
unsigned nx_linux_node(const nx_linux *l) { return l->info.node; }
int nx_linux_direct(const nx_linux *l) { return (int)l->info.direct; }
unsigned nx_linux_hosts(const nx_linux *l) { return l->info.hosts; }
int nx_linux_file(const nx_linux *l) { return l->file; }
size_t nx_linux_room(const nx_linux *l) { return (size_t)(l->info.pool + l->info.pool_bytes - l->next); }
