// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* The NIC as a device of the PCI core: probe, remove, shutdown, and who owns it. */
#include <linux/dma-mapping.h>
#include <linux/idr.h>
#include <linux/io.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "nic_register_map.h"
#include "nicxbar.h"
#include "nxb.h"

static unsigned pool_mb = 32;
module_param(pool_mb, uint, 0444);
MODULE_PARM_DESC(pool_mb, "memory for DMA [MiB], a multiple of 4");
static ulong pool_at = 64ul << 20;
module_param(pool_at, ulong, 0444);
MODULE_PARM_DESC(pool_at, "its bus address, a multiple of 4 MiB: the same on all hosts");
static unsigned node;
module_param(node, uint, 0444);
MODULE_PARM_DESC(node, "node ID of this host, 0..127");
static bool direct;
module_param(direct, bool, 0444);
MODULE_PARM_DESC(direct, "cable to another NIC instead of a switch");
unsigned nicxbar_hosts;
module_param_named(hosts, nicxbar_hosts, uint, 0444);
MODULE_PARM_DESC(hosts, "hosts of the system; 0: not known");

static DEFINE_IDA(numbers);

static void last_reference(struct kref *references)
{
    struct nicxbar *n = container_of(references, struct nicxbar, references);
    nicxbar_pool_end(n);
    pci_dev_put(n->pci);
    ida_free(&numbers, (unsigned)n->number);
    kfree(n);
}

void nicxbar_put(struct nicxbar *n) { kref_put(&n->references, last_reference); }

int nicxbar_claim(struct nicxbar *n, const char *who)
{
    int result = 0;
    mutex_lock(&n->owner_lock);
    if (n->gone) result = -ENODEV;
    else if (n->owner) result = -EBUSY;
    else n->owner = who;
    mutex_unlock(&n->owner_lock);
    return result;
}

void nicxbar_unclaim(struct nicxbar *n)
{
    mutex_lock(&n->owner_lock);
    down_read(&n->life);
    if (!n->gone) nicxbar_stop(n);
    up_read(&n->life);
    nicxbar_pool_empty(n);
    n->owner = NULL;
    mutex_unlock(&n->owner_lock);
}

/* The NIC for sw/driver: where the kernel has placed it. */
static int adopt(struct nicxbar *n)
{
    nx_bar bar[6] = {};
    nx_bus *bus;
    int result;
    for (int i = 0; i < 6; i++) {
        const unsigned long flags = pci_resource_flags(n->pci, i);
        if (!pci_resource_len(n->pci, i)) continue;
        bar[i] = (nx_bar){.address = pci_resource_start(n->pci, i),
                          .size = pci_resource_len(n->pci, i),
                          .io = !!(flags & IORESOURCE_IO),
                          .prefetchable = !!(flags & IORESOURCE_PREFETCH),
                          .wide = !!(flags & IORESOURCE_MEM_64)};
    }
    result = nx_bus_adopt(&n->platform, NULL, PCI_SLOT(n->pci->devfn), bar, &bus);
    if (result) dev_err(&n->pci->dev, "%s\n", nx_bus_last_error(bus));
    else n->function = *nx_bus_get(bus, 0);
    nx_bus_free(bus);
    return result ? -EIO : 0;
}

/* BAR0 needs a patch in User-mode Linux, which could reach 16 MB of a BAR only. */
static int map(struct nicxbar *n)
{
    for (int i = 0; i < 2; i++) {
        n->mapped[i] = pci_resource_len(n->pci, i);
        n->registers[i] = ioremap(pci_resource_start(n->pci, i), n->mapped[i]);
        if (!n->registers[i]) return -ENOMEM;
        /* for at() */
        n->function.bar[i].address = pci_resource_start(n->pci, i);
    }
    return 0;
}

static void unmap(struct nicxbar *n)
{
    for (int i = 0; i < 2; i++)
        if (n->registers[i]) iounmap(n->registers[i]);
}

static struct nicxbar *new (struct pci_dev *pci)
{
    struct nicxbar *n = kzalloc(sizeof *n, GFP_KERNEL);
    int number = n ? ida_alloc(&numbers, GFP_KERNEL) : -ENOMEM;
    if (number < 0) {
        kfree(n);
        return ERR_PTR(number);
    }
    kref_init(&n->references);
    n->pci = pci_dev_get(pci);
    n->number = number;
    snprintf(n->name, sizeof n->name, "nicxbar%d", number);
    mutex_init(&n->lock);
    mutex_init(&n->owner_lock);
    init_rwsem(&n->life);
    init_waitqueue_head(&n->sleeping);
    spin_lock_init(&n->interrupt_lock);
    n->params = nx_params_default();
    n->params.node_id = node;
    n->params.direct = direct;
    nicxbar_platform(n);
    return n;
}

static int check_parameters(const struct device *dev)
{
    const size_t blocks = NICXBAR_BLOCK >> 20;
    if (!pool_mb || pool_mb % blocks || pool_mb > 2048 || pool_at % NICXBAR_BLOCK || !pool_at ||
        (u64)pool_at + ((u64)pool_mb << 20) > 0xf0000000) {
        dev_err(dev, "pool_mb=%u pool_at=0x%lx: expected multiples of %zu MiB below 0xf0000000\n", pool_mb, pool_at,
                blocks);
        return -EINVAL;
    }
    if (node <= 127) return 0;
    dev_err(dev, "node=%u: expected 0..127\n", node);
    return -EINVAL;
}

static int probe(struct pci_dev *pci, const struct pci_device_id *id)
{
    struct nicxbar *n;
    u32 version;
    int result = check_parameters(&pci->dev);
    if (result) return result;
    n = new (pci);
    if (IS_ERR(n)) return PTR_ERR(n);
    result = pci_enable_device(pci);
    if (result) goto put;
    result = pci_request_regions(pci, n->name);
    if (result) goto disable;
    result = dma_set_mask_and_coherent(&pci->dev, DMA_BIT_MASK(32));
    if (result) goto unmap;
    result = map(n);
    if (result) goto unmap;
    pci_set_master(pci);
    result = adopt(n);
    if (result) goto unmap;
    version = readl(n->registers[1] + NIC_VERSION);
    if (version != NIC_VERSION_RESET) {
        dev_err(&pci->dev, "VERSION reads 0x%08x, expected 0x%08x\n", version, NIC_VERSION_RESET);
        result = -ENODEV;
        goto unmap;
    }
    nicxbar_stop(n); /* whoever had it before */
    result = nicxbar_pool_begin(n, pool_at, (size_t)pool_mb << 20);
    if (result) goto unmap;
    result = nicxbar_interrupt_begin(n);
    if (result) goto unmap;
    pci_set_drvdata(pci, n);
    result = nicxbar_file_begin(n);
    if (result) goto interrupt;
    result = nxb_probe(n);
    if (result) goto file;
    dev_info(&pci->dev, "%s: node %u, %zu of %llu MiB of BAR 0, interrupt %d, memory for DMA at 0x%llx..0x%llx\n",
             n->name, node, n->mapped[0] >> 20, (u64)pci_resource_len(pci, 0) >> 20, pci->irq, n->pool.bus,
             n->pool.bus + n->pool.bytes - 1);
    return 0;
file:
    nicxbar_file_end(n);
interrupt:
    nicxbar_interrupt_end(n);
unmap:
    unmap(n);
    pci_clear_master(pci);
    pci_release_regions(pci);
disable:
    pci_disable_device(pci);
put:
    nicxbar_put(n);
    return result;
}

/* From here on nobody reaches the NIC. User-mode Linux removes its devices behind their shutdown, too. */
static void leave(struct nicxbar *n)
{
    down_write(&n->life);
    if (!n->gone) nicxbar_stop(n);
    n->gone = true;
    up_write(&n->life);
    nicxbar_wake(n);
}

/* The module unloads, or the NIC has been pulled out: then every read gives ones, and nicxbar_stop finds that out. */
static void remove(struct pci_dev *pci)
{
    struct nicxbar *n = pci_get_drvdata(pci);
    nxb_remove(n);
    nicxbar_file_end(n);
    leave(n);
    nicxbar_interrupt_end(n);
    unmap(n);
    pci_clear_master(pci);
    pci_release_regions(pci);
    pci_disable_device(pci);
    nicxbar_put(n);
}

static void shutdown(struct pci_dev *pci)
{
    struct nicxbar *n = pci_get_drvdata(pci);
    nxb_remove(n);
    leave(n);
    pci_clear_master(pci);
}

static const struct pci_device_id ids[] = {{PCI_DEVICE(NX_VENDOR_ID, NX_DEVICE_ID)}, {}};
MODULE_DEVICE_TABLE(pci, ids);
static struct pci_driver nicxbar_driver = {
    .name = "nicxbar", .id_table = ids, .probe = probe, .remove = remove, .shutdown = shutdown};
module_pci_driver(nicxbar_driver);
MODULE_DESCRIPTION("RDMA network interface");
MODULE_LICENSE("GPL");
