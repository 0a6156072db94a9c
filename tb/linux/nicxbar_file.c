/* /dev/nicxbar0 by its contract (sw/linux/nicxbar_ioctl.h), in a guest of make linux: nicxbar-file [INTERRUPTS]. A line
 * for each expectation that does not hold; exit code 1 then. Interrupts are those of transfers from the NIC to itself
 * through the switch (1000). */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nic_register_map.h"
#include "nicxbar_ioctl.h"
#include "nx_linux.h"

static const char device[] = "/dev/nicxbar0";
static int failures;

#define EXPECT(what)                                                                                                   \
    do {                                                                                                               \
        if (!(what)) {                                                                                                 \
            printf("%s:%d: expected %s (errno %d)\n", __FILE__, __LINE__, #what, errno);                               \
            failures++;                                                                                                \
        }                                                                                                              \
    } while (0)

static int refused(int result, int with) { return result == -1 && errno == with; }

static int access_is(int file, uint64_t address, uint32_t size, uint32_t write)
{
    struct nicxbar_access a = {.address = address, .size = size, .write = write};
    return ioctl(file, NICXBAR_ACCESS, &a);
}

static int config_is(int file, uint32_t reg, uint32_t size, uint32_t *value, uint32_t write)
{
    struct nicxbar_config c = {.reg = reg, .size = size, .value = value ? *value : 0, .write = write};
    int result = ioctl(file, NICXBAR_CONFIG, &c);
    if (value) *value = c.value;
    return result;
}

static int post_is(int file, uint64_t address, uint32_t size)
{
    struct nicxbar_post p = {.address = address, .size = size};
    return ioctl(file, NICXBAR_POST, &p);
}

static void registers(int file, const struct nicxbar_info *i)
{
    const uint64_t bar1 = i->bar[1].address;
    uint32_t id = 0;
    struct nicxbar_access version = {.address = bar1 + NIC_VERSION, .size = 4};
    EXPECT(!ioctl(file, NICXBAR_ACCESS, &version) && version.value == NIC_VERSION_RESET);
    EXPECT(refused(access_is(file, bar1, 2, 0), EINVAL));
    EXPECT(refused(access_is(file, bar1 + 2, 4, 0), EINVAL));
    EXPECT(refused(access_is(file, bar1 + 4, 8, 1), EINVAL));
    EXPECT(refused(access_is(file, bar1 + i->bar[1].size, 4, 0), EINVAL));
    EXPECT(refused(access_is(file, 0, 4, 0), EINVAL));
    EXPECT(refused(access_is(file, UINT64_MAX - 7, 8, 1), EINVAL));
    EXPECT(!config_is(file, 0, 4, &id, 0) && id == (NX_DEVICE_ID << 16 | NX_VENDOR_ID));
    EXPECT(refused(config_is(file, 0x10, 4, NULL, 1), EPERM));
    EXPECT(refused(config_is(file, 0x27, 1, NULL, 1), EPERM));
    EXPECT(refused(config_is(file, 0, 3, NULL, 0), EINVAL));
    EXPECT(refused(config_is(file, 2, 4, NULL, 0), EINVAL));
    EXPECT(refused(config_is(file, 256, 4, NULL, 0), EINVAL));
    EXPECT(refused(post_is(file, bar1 + 0x4000, 0), EINVAL));
    EXPECT(refused(post_is(file, bar1 + 0x4000, 68), EINVAL));
    EXPECT(refused(post_is(file, bar1 + 0x4020, 64), EINVAL));
    EXPECT(refused(post_is(file, bar1 + 0x8000, 64), EINVAL));
    EXPECT(refused(ioctl(file, _IO('x', 99)), ENOTTY));
    EXPECT(refused(ioctl(file, NICXBAR_CONFIG, NULL), EFAULT));
}

static void memory(int file, const struct nicxbar_info *i)
{
    const size_t size = i->pool_bytes, page = 4096;
    EXPECT(size >= 4 << 20 && i->pool && i->pool + size <= 1ull << 32);
    EXPECT(mmap(NULL, size + page, PROT_READ, MAP_SHARED, file, 0) == MAP_FAILED && errno == EINVAL);
    EXPECT(mmap(NULL, page, PROT_READ, MAP_SHARED, file, (off_t)size) == MAP_FAILED && errno == EINVAL);
    EXPECT(mmap(NULL, page, PROT_READ, MAP_PRIVATE, file, 0) == MAP_FAILED && errno == EINVAL);
    unsigned char *all = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
                  *last = mmap(NULL, page, PROT_READ, MAP_SHARED, file, (off_t)(size - page));
    EXPECT(all != MAP_FAILED && last != MAP_FAILED);
    if (all == MAP_FAILED || last == MAP_FAILED) return;
    all[size - 1] ^= 0xff;
    EXPECT(last[page - 1] == all[size - 1]);
    munmap(last, page);
    munmap(all, size);
}

static void waiting(int file)
{
    struct nicxbar_wait w = {.timeout_ns = 1000};
    struct pollfd p = {file, POLLIN, 0};
    uint64_t count;
    uint32_t on = 1, off = 0;
    EXPECT(poll(&p, 1, 0) == 0);
    EXPECT(refused((int)read(file, &count, sizeof count), EAGAIN));
    EXPECT(refused((int)read(file, &count, 4), EINVAL));
    EXPECT(!ioctl(file, NICXBAR_WAIT, &w) && w.result == 1); /* nobody has enabled it */
    EXPECT(!config_is(file, 0x40, 4, &on, 1) && !ioctl(file, NICXBAR_WAIT, &w) && w.result == -1);
    EXPECT(!config_is(file, 0x40, 4, &off, 1));
    EXPECT(!ioctl(file, NICXBAR_IDLE));
}

/* A NIC that is open, sends to itself. */
static nx_device *open_nic(nx_linux **l)
{
    char error[400];
    nx_params params = nx_params_default();
    nx_device *dev = NULL;
    *l = nx_linux_open(device, error, sizeof error);
    if (!*l) {
        printf("%s\n", error);
        return NULL;
    }
    params.node_id = nx_linux_node(*l);
    params.direct = nx_linux_direct(*l);
    if (!nx_open(nx_linux_platform(*l), nx_linux_function(*l), &params, &dev) && !nx_wait_link(dev)) return dev;
    printf("%s\n", nx_last_error(dev));
    return NULL;
}

static void interrupts(unsigned count)
{
    nx_linux *l;
    nx_device *dev = open_nic(&l);
    EXPECT(dev && !nx_use_interrupts(dev, 1));
    if (!dev) return;
    const unsigned self = nx_parameters(dev)->node_id;
    const struct nx_platform *p = nx_linux_platform(l);
    const uint64_t at = p->alloc(p->self, 4096, 4096);
    nx_notification n;
    unsigned had = 0;
    /* what an owner before had on its way may flag the first */
    EXPECT(!nx_transfer(dev, self, at, (uint32_t)at + 8, 8, NX_REMOTE | NX_LOCAL | NX_INTERRUPT, NULL));
    (void)nx_notification_wait(dev, self, &n);
    for (unsigned i = 0; i < count; i++) {
        if (nx_transfer(dev, self, at, (uint32_t)at + 8, 8, NX_REMOTE | NX_LOCAL | NX_INTERRUPT, NULL)) break;
        /* so that it arrives before, in and behind all that happens from enabling to sleeping */
        for (unsigned idle = i % 16; idle; idle--) p->wait(p->self);
        if (nx_notification_wait(dev, self, &n)) break;
        had++;
    }
    if (had < count) printf("interrupt %u of %u: %s\n", had, count, nx_last_error(dev));
    EXPECT(had == count);
    const nx_wait_statistics w = nx_wait_counts(dev);
    printf("%u arrivals, %llu sleeps, %llu interrupts, %llu late\n", had, (unsigned long long)w.sleeps,
           (unsigned long long)w.interrupts, (unsigned long long)w.late);
    EXPECT(w.interrupts > 0 && w.late == 0);
    nx_close(dev);
    nx_linux_close(l);
}

/* A driver that does not look again once it has enabled the interrupt sleeps on with its message there: the arrivals
 * above come at all phases. */
static void without_a_second_look(void)
{
    enum { ARRIVALS = 32, LONG_NS = 20000 };
    nx_linux *l;
    nx_device *dev = open_nic(&l);
    EXPECT(dev);
    if (!dev) return;
    const unsigned self = nx_parameters(dev)->node_id;
    const struct nx_platform *p = nx_linux_platform(l);
    const uint64_t at = p->alloc(p->self, 4096, 4096);
    const int file = nx_linux_file(l);
    nx_notification n;
    unsigned late = 0;
    for (unsigned i = 0; i < ARRIVALS; i++) {
        struct nicxbar_wait w = {.timeout_ns = LONG_NS};
        uint32_t on = 1, off = 0, value;
        EXPECT(!nx_transfer(dev, self, at, (uint32_t)at + 8, 8, NX_REMOTE | NX_LOCAL | NX_INTERRUPT, NULL));
        for (unsigned idle = i % 16; idle; idle--) p->wait(p->self);
        EXPECT(!config_is(file, 0x40, 4, &on, 1) && !nx_register_read(dev, NIC_CONTROL, &value));
        EXPECT(!ioctl(file, NICXBAR_WAIT, &w) && !config_is(file, 0x40, 4, &off, 1));
        EXPECT(nx_notification_poll(dev, self, &n) == 1);
        late += w.result < 0;
    }
    EXPECT(late > 0 && late < ARRIVALS);
    nx_close(dev);
    nx_linux_close(l);
}

/* The interrupts of transfers of the owner, by poll() and read(). */
static void polled(void)
{
    nx_linux *l;
    nx_device *dev = open_nic(&l);
    EXPECT(dev);
    if (!dev) return;
    const unsigned self = nx_parameters(dev)->node_id;
    const struct nx_platform *p = nx_linux_platform(l);
    const uint64_t at = p->alloc(p->self, 4096, 4096);
    struct pollfd wait = {nx_linux_file(l), POLLIN, 0};
    uint64_t count = 0;
    uint32_t on = 1;
    for (unsigned i = 1; i <= 3; i++) {
        EXPECT(!config_is(wait.fd, 0x40, 4, &on, 1));
        EXPECT(!nx_transfer(dev, self, at, (uint32_t)at + 8, 8, NX_REMOTE | NX_LOCAL | NX_INTERRUPT, NULL));
        EXPECT(poll(&wait, 1, 1000) == 1 && wait.revents == POLLIN);
        EXPECT(read(wait.fd, &count, sizeof count) == sizeof count && count == i);
    }
    nx_close(dev);
    nx_linux_close(l);
}

/* What a dead owner leaves is taken back. */
static void killed(void)
{
    int ready[2];
    char byte;
    if (pipe(ready)) return;
    pid_t child = fork();
    if (!child) {
        nx_linux *l;
        nx_device *dev = open_nic(&l);
        const unsigned self = dev ? nx_parameters(dev)->node_id : 0;
        for (unsigned i = 0; dev; i++) {
            const uint64_t at = nx_linux_platform(l)->alloc(nx_linux_platform(l)->self, 4096, 4096);
            if (nx_transfer(dev, self, at, (uint32_t)at, 4096, 0, NULL)) break;
            nx_linux_platform(l)->release(nx_linux_platform(l)->self, at, 4096);
            if (i == 100 && write(ready[1], "x", 1) != 1) break;
        }
        _exit(1);
    }
    EXPECT(read(ready[0], &byte, 1) == 1);
    EXPECT(refused(open(device, O_RDWR), EBUSY));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    struct nicxbar_info info;
    int file = open(device, O_RDWR);
    EXPECT(file >= 0 && !ioctl(file, NICXBAR_INFO, &info));
    struct nicxbar_access control = {.address = info.bar[1].address + NIC_CONTROL, .size = 4};
    EXPECT(!ioctl(file, NICXBAR_ACCESS, &control) && !(control.value & NIC_CONTROL_INITIATOR_ENABLE_MASK));
    close(file);
}

int main(int argc, char **argv)
{
    struct nicxbar_info info = {0};
    int file = open(device, O_RDWR | O_NONBLOCK);
    EXPECT(file >= 0 && !ioctl(file, NICXBAR_INFO, &info));
    EXPECT(refused(open(device, O_RDWR), EBUSY));
    registers(file, &info);
    memory(file, &info);
    waiting(file);
    close(file);
    polled();
    without_a_second_look();
    killed();
    interrupts(argc > 1 ? (unsigned)atoi(argv[1]) : 1000);
    return failures > 0;
}
