// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* nx_platform on the functions of the kernel: how sw/driver and sw/disk reach a NIC. */
#include <linux/delay.h>
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/io.h>
#include <linux/ktime.h>
#include <linux/sched.h>

#include "nic_register_map.h"
#include "nicxbar.h"

enum {
    IDLE_NS = 300, /* simulated hosts: 150; reading the clock takes another 256 in User-mode Linux */
    LONG_NS = 2000,
    LONG_ROUNDS = 256
};

/* Where a register is for the processor; NULL: it cannot be reached. */
static void __iomem *at(const struct nicxbar *n, u64 address, size_t size)
{
    for (int i = 0; i < 2; i++) {
        const u64 offset = address - n->function.bar[i].address;
        if (n->registers[i] && address >= n->function.bar[i].address && size <= n->mapped[i] &&
            offset <= n->mapped[i] - size)
            return n->registers[i] + offset;
    }
    return NULL;
}

/* Stores are posted, and the bridge takes so many: then one waits until they are through. */
static void stored(struct nicxbar *n)
{
    atomic_set(&n->idle, 0);
    if (atomic_inc_return(&n->stores) < NICXBAR_STORES) return;
    atomic_set(&n->stores, 0);
    readl(n->registers[1] + NIC_VERSION);
}

/* All ones is what a read without an answer gives. */
static int answered(struct nicxbar *n, u64 value, unsigned int size)
{
    if (value != (size == 8 ? U64_MAX : U32_MAX)) return 0;
    return readl(n->registers[1] + NIC_VERSION) == U32_MAX ? -EIO : 0;
}

int nicxbar_read(struct nicxbar *n, u64 address, unsigned int size, u64 *value)
{
    void __iomem *from = at(n, address, size);
    *value = U64_MAX;
    if (!from || (size != 4 && size != 8) || address % size) return -EINVAL;
    *value = size == 4 ? readl(from) : readq(from);
    atomic_set(&n->stores, 0);
    return answered(n, *value, size);
}

int nicxbar_write(struct nicxbar *n, u64 address, unsigned int size, u64 value)
{
    void __iomem *to = at(n, address, size);
    if (!to || (size != 4 && size != 8) || address % size) return -EINVAL;
    if (size == 4) writel((u32)value, to);
    else writeq(value, to);
    stored(n);
    return 0;
}

int nicxbar_post(struct nicxbar *n, u64 address, const void *from, size_t size)
{
    void __iomem *to = at(n, address, size);
    if (!to || !size || address % 4 || size % 4 || address % 64 + size > 64) return -EINVAL;
    wmb(); /* behind stores to memory */
    memcpy_toio(to, from, size);
    stored(n);
    return 0;
}

int nicxbar_config_read(struct nicxbar *n, int reg, int size, u32 *value)
{
    u16 word;
    u8 byte;
    int result = -EINVAL;
    *value = U32_MAX;
    if (reg < 0 || reg >= PCI_CFG_SPACE_SIZE) return result;
    if (size == 4) result = pci_read_config_dword(n->pci, reg, value);
    else if (size == 2 && !(result = pci_read_config_word(n->pci, reg, &word))) *value = word;
    else if (size == 1 && !(result = pci_read_config_byte(n->pci, reg, &byte))) *value = byte;
    atomic_set(&n->stores, 0);
    return pcibios_err_to_errno(result);
}

int nicxbar_config_write(struct nicxbar *n, int reg, int size, u32 value)
{
    int result = -EINVAL;
    if (reg < 0 || reg >= PCI_CFG_SPACE_SIZE) return result;
    if (reg == NICXBAR_CFG_INTERRUPT) result = nicxbar_enable(n, value & 1);
    else if (size == 4) result = pci_write_config_dword(n->pci, reg, value);
    else if (size == 2) result = pci_write_config_word(n->pci, reg, (u16)value);
    else if (size == 1) result = pci_write_config_byte(n->pci, reg, (u8)value);
    stored(n);
    return pcibios_err_to_errno(result);
}

/* Each round of a simulation costs as much wall time as it does: who has waited for long looks less often. */
void nicxbar_idle(struct nicxbar *n)
{
    ndelay(atomic_inc_return(&n->idle) > LONG_ROUNDS ? LONG_NS : IDLE_NS);
    cond_resched();
}

/* Writes `mode` and one more bit to CONTROL, and waits until that falls. */
static int reset(struct nicxbar *n, u64 control, u64 mode, u32 bit)
{
    const u64 start = ktime_get_ns();
    u64 value;
    nicxbar_write(n, control, 4, mode | bit);
    do {
        if (nicxbar_read(n, control, 4, &value)) return -EIO;
        if (!(value & bit)) return 0;
        nicxbar_idle(n);
    } while (ktime_get_ns() - start < 100 * NSEC_PER_MSEC);
    return -ETIMEDOUT;
}

void nicxbar_stop(struct nicxbar *n)
{
    const u64 control = n->function.bar[1].address + NIC_CONTROL;
    u64 value;
    nicxbar_config_write(n, NICXBAR_CFG_INTERRUPT, 4, 0);
    if (!nicxbar_read(n, control, 4, &value)) {
        value &= ~(u64)NIC_CONTROL_INITIATOR_ENABLE_MASK;
        if (!reset(n, control, value, 0) && !reset(n, control, value, NIC_CONTROL_SOFT_RESET_MASK) &&
            !reset(n, control, value, NIC_CONTROL_QUEUE_RESET_MASK))
            return;
    }
    pci_clear_master(n->pci); /* in this way, too, nothing is written any more */
    dev_err(&n->pci->dev, "the NIC cannot be reset: bus master is off\n");
}

/* ---- nx_platform; its functions fail when the NIC is gone ---- */

static int config_read(void *self, int device, int reg, int size, uint32_t *value)
{
    struct nicxbar *n = self;
    int result = -ENODEV;
    *value = U32_MAX;
    if (device != PCI_SLOT(n->pci->devfn)) return result;
    down_read(&n->life);
    if (!n->gone) result = nicxbar_config_read(n, reg, size, value);
    up_read(&n->life);
    return result;
}

static int config_write(void *self, int device, int reg, int size, uint32_t value)
{
    struct nicxbar *n = self;
    int result = -ENODEV;
    if (device != PCI_SLOT(n->pci->devfn)) return result;
    down_read(&n->life);
    if (!n->gone) result = nicxbar_config_write(n, reg, size, value);
    up_read(&n->life);
    return result;
}

static int read_any(void *self, u64 address, unsigned int size, u64 *value)
{
    struct nicxbar *n = self;
    int result = -ENODEV;
    *value = U64_MAX;
    down_read(&n->life);
    if (!n->gone) result = nicxbar_read(n, address, size, value);
    up_read(&n->life);
    return result;
}

static int write_any(void *self, u64 address, unsigned int size, u64 value)
{
    struct nicxbar *n = self;
    int result = -ENODEV;
    down_read(&n->life);
    if (!n->gone) result = nicxbar_write(n, address, size, value);
    up_read(&n->life);
    return result;
}

static int read32(void *self, uint64_t address, uint32_t *value)
{
    u64 wide;
    int result = read_any(self, address, 4, &wide);
    *value = (u32)wide;
    return result;
}

static int write32(void *self, uint64_t address, uint32_t value) { return write_any(self, address, 4, value); }
static int read64(void *self, uint64_t address, uint64_t *value) { return read_any(self, address, 8, value); }
static int write64(void *self, uint64_t address, uint64_t value) { return write_any(self, address, 8, value); }

/* memcpy_toio is one message of User-mode Linux, and one burst of the simulated bridge: nothing stays behind. */
static int write_combined(void *self, uint64_t address, const void *from, size_t size)
{
    struct nicxbar *n = self;
    int result = -ENODEV;
    down_read(&n->life);
    if (!n->gone) result = nicxbar_post(n, address, from, size);
    up_read(&n->life);
    return result;
}

static void mem_read(void *self, uint64_t address, void *to, size_t size)
{
    const void *from = nicxbar_memory(self, address, size);
    if (WARN_ON_ONCE(!from)) memset(to, 0, size);
    else memcpy(to, from, size);
}

static void mem_write(void *self, uint64_t address, const void *from, size_t size)
{
    void *to = nicxbar_memory(self, address, size);
    if (!WARN_ON_ONCE(!to)) memcpy(to, from, size);
}

static uint64_t mem_exchange64(void *self, uint64_t address, uint64_t value)
{
    __le64 *word = nicxbar_memory(self, address, sizeof *word);
    return WARN_ON_ONCE(!word) ? 0 : le64_to_cpu(xchg(word, cpu_to_le64(value)));
}

static uint64_t alloc(void *self, size_t size, size_t alignment) { return nicxbar_alloc(self, size, alignment); }
static void release(void *self, uint64_t address, size_t size) { nicxbar_release(self, address, size); }
static void wait(void *self) { nicxbar_idle(self); }

static int wait_interrupt(void *self, uint64_t timeout_ns)
{
    return nicxbar_wait(self, timeout_ns, TASK_UNINTERRUPTIBLE);
}

static uint64_t now(void *self)
{
    const struct nicxbar *n = self;
    return n->clock + ktime_get_ns();
}

static void lock(void *self)
{
    struct nicxbar *n = self;
    mutex_lock(&n->lock);
}

static void unlock(void *self)
{
    struct nicxbar *n = self;
    mutex_unlock(&n->lock);
}

void nicxbar_platform(struct nicxbar *n)
{
    n->clock = ktime_get_real_ns() - ktime_get_ns();
    n->platform = (struct nx_platform){
        .self = n,
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
        .wait = wait,
        .wait_interrupt = wait_interrupt,
        .now = now,
        .lock = lock,
        .unlock = unlock,
    };
}
