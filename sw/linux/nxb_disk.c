// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* /dev/nxbN: a disk of another node.
 *
 * Requests of the block layer become those of sw/disk, as they are: it cuts them and keeps many under way. Where the
 * data of one lie together on the bus, the NIC moves them from and into the pages themselves; else they are copied to
 * and from the pool. Pages do not change while they are written (stable writes), since their checksum is sent, too.
 *
 * A read that ends with an error because nobody answered may still get its data later: the NIC has no keys of memory
 * that could be taken back. So its pages are kept until the library knows that nothing can come any more. Their next
 * owner is safe then; a program that uses the buffer of its failed read again is not. */
#include <linux/backing-dev.h>
#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/dma-mapping.h>
#include <linux/highmem.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "nxb_internal.h"

static bool straight = true;
module_param_named(disk_straight, straight, bool, 0644);
MODULE_PARM_DESC(disk_straight, "data of disks go from and into pages where they can; else through the pool");

enum { QUEUES_MAX = 4, WAIT_FOR_TARGET_MS = 100 };

struct nxb_disk {
    struct nxb *b;
    unsigned target;
    nx_disk *end;
    struct nxb_context context;
    struct blk_mq_tag_set tags;
    struct gendisk *disk;
    wait_queue_head_t met; /* the first OFFER has come, or the NIC has failed */
    bool meeting, failed;
    u64 verifier; /* of the one client that we are */
    u64 offers;   /* as last seen */
    struct list_head held;
    spinlock_t held_lock;
};

/* Of a request of the block layer. */
struct nxb_request {
    nx_disk_request r;
    struct page *page; /* mapped: the first one, and where the data begin; NULL: they go through the pool */
    unsigned offset;
    dma_addr_t bus;
};

/* Pages of a read that failed. */
struct held {
    struct list_head list;
    struct page *page;
    unsigned count;
};

/* ---- data */

static enum dma_data_direction direction(const nx_disk_request *r)
{
    return r->operation == NX_DISK_READ ? DMA_FROM_DEVICE : DMA_TO_DEVICE;
}

static void copy(nx_disk_request *r, uint32_t at, void *piece, uint32_t length, int to_piece)
{
    struct nxb_request *q = container_of(r, struct nxb_request, r);
    struct req_iterator i;
    struct bio_vec v;
    rq_for_each_segment(v, blk_mq_rq_from_pdu(q), i)
    {
        const unsigned skipped = min(at, v.bv_len), size = min(length, v.bv_len - skipped);
        at -= skipped;
        if (!size) continue;
        if (to_piece) memcpy_from_page(piece, v.bv_page, v.bv_offset + skipped, size);
        else memcpy_to_page(v.bv_page, v.bv_offset + skipped, piece, size);
        piece += size;
        length -= size;
        if (!length) break;
    }
}

/* Whether all data are one piece of memory; then where. */
static bool lie_together(struct request *rq, struct page **page, unsigned *offset)
{
    struct req_iterator i;
    struct bio_vec v;
    phys_addr_t next = 0;
    bool first = true;
    rq_for_each_bvec(v, rq, i)
    {
        const phys_addr_t here = page_to_phys(v.bv_page) + v.bv_offset;
        if (PageHighMem(v.bv_page) || (!first && here != next)) return false;
        if (first) {
            *page = v.bv_page;
            *offset = v.bv_offset;
        }
        first = false;
        next = here + v.bv_len;
    }
    return !first;
}

static void map(struct nxb_disk *d, struct nxb_request *q, struct request *rq)
{
    struct device *device = &d->b->n->pci->dev;
    struct page *page;
    unsigned offset;
    if (!lie_together(rq, &page, &offset)) {
        q->r.copy = copy;
        return;
    }
    q->r.data = page_address(page) + offset;
    if (!straight) return;
    q->bus = dma_map_page(device, page, offset, q->r.length, direction(&q->r));
    if (dma_mapping_error(device, q->bus)) return;
    if (q->bus % 8 || q->bus + q->r.length > 1ull << 32) {
        dma_unmap_page(device, q->bus, q->r.length, direction(&q->r));
        return;
    }
    q->page = page;
    q->offset = offset;
    q->r.bus = q->bus;
}

static void hold(struct nxb_disk *d, const struct nxb_request *q)
{
    struct held *h = kmalloc(sizeof *h, GFP_NOIO | __GFP_NOFAIL);
    h->page = q->page;
    h->count = DIV_ROUND_UP(q->offset + q->r.length, PAGE_SIZE);
    for (unsigned i = 0; i < h->count; i++) get_page(nth_page(h->page, i));
    spin_lock(&d->held_lock);
    list_add(&h->list, &d->held);
    spin_unlock(&d->held_lock);
}

static void unmap(struct nxb_disk *d, struct nxb_request *q)
{
    if (!q->page) return;
    dma_unmap_page(&d->b->n->pci->dev, q->bus, q->r.length, direction(&q->r));
    if (q->r.late) hold(d, q);
}

void nxb_let_go(struct list_head *held)
{
    struct held *h, *next;
    list_for_each_entry_safe(h, next, held, list)
    {
        for (unsigned i = 0; i < h->count; i++) put_page(nth_page(h->page, i));
        list_del(&h->list);
        kfree(h);
    }
}

u64 nxb_disk_held(struct nxb_disk *d)
{
    const struct list_head *at;
    u64 count = 0;
    spin_lock(&d->held_lock);
    list_for_each(at, &d->held) count++;
    spin_unlock(&d->held_lock);
    return count;
}

/* ---- requests */

static blk_status_t status_of(unsigned status)
{
    switch (status) {
    case NX_DISK_OK:
        return BLK_STS_OK;
    case NX_DISK_ENOSPC:
        return BLK_STS_NOSPC;
    case NX_DISK_EINVAL:
        return BLK_STS_NOTSUPP;
    default:
        return BLK_STS_IOERR;
    }
}

static void done(nx_disk_request *r)
{
    struct nxb_request *q = container_of(r, struct nxb_request, r);
    struct nxb_disk *d = r->owner;
    if (r->operation == NX_DISK_FLUSH && r->verifier > d->verifier) d->verifier = r->verifier;
    unmap(d, q);
    blk_mq_end_request(blk_mq_rq_from_pdu(q), status_of(r->status));
}

static unsigned operation(const struct request *rq)
{
    switch (req_op(rq)) {
    case REQ_OP_READ:
        return NX_DISK_READ;
    case REQ_OP_WRITE:
        return NX_DISK_WRITE;
    case REQ_OP_FLUSH:
        return NX_DISK_FLUSH;
    case REQ_OP_DISCARD:
        return NX_DISK_DISCARD;
    case REQ_OP_WRITE_ZEROES:
        return NX_DISK_WRITE_ZEROES;
    default:
        return 0;
    }
}

static blk_status_t queue_rq(struct blk_mq_hw_ctx *queue, const struct blk_mq_queue_data *what)
{
    struct request *rq = what->rq;
    struct nxb_disk *d = queue->queue->queuedata;
    struct nxb_request *q = blk_mq_rq_to_pdu(rq);
    *q = (struct nxb_request){.r = {.operation = operation(rq), .done = done, .owner = d}};
    if (!q->r.operation) return BLK_STS_NOTSUPP;
    if (q->r.operation == NX_DISK_FLUSH) {
        q->r.verifier = d->verifier;
    } else {
        q->r.offset = blk_rq_pos(rq) << SECTOR_SHIFT;
        q->r.length = blk_rq_bytes(rq);
        if (q->r.operation != NX_DISK_READ && rq->cmd_flags & REQ_FUA) q->r.flags = NX_DISK_FUA;
    }
    if (q->r.operation == NX_DISK_READ || q->r.operation == NX_DISK_WRITE) map(d, q, rq);
    blk_mq_start_request(rq);
    if (nx_disk_submit(d->end, &q->r)) { /* it has been stopped */
        unmap(d, q);
        return BLK_STS_IOERR;
    }
    nicxbar_wake(d->b->n);
    return BLK_STS_OK;
}

/* The library ends every request: the block layer need not. */
static enum blk_eh_timer_return timeout(struct request *rq) { return BLK_EH_RESET_TIMER; }

static const struct blk_mq_ops operations = {.queue_rq = queue_rq, .timeout = timeout};

/* ---- its thread */

static void follow_offers(struct nxb_disk *d)
{
    const nx_disk_disk *is = nx_disk_get_disk(d->end);
    const u64 offers = nx_disk_get_counts(d->end).offers;
    struct gendisk *disk = READ_ONCE(d->disk);
    LIST_HEAD(free);
    if (offers == d->offers) return;
    d->offers = offers;
    spin_lock(&d->held_lock);
    list_splice_init(&d->held, &free);
    spin_unlock(&d->held_lock);
    nxb_let_go(&free);
    if (!disk) return;
    set_disk_ro(disk, is->flags & NX_DISK_HAS_READ_ONLY);
    set_capacity_and_notify(disk, is->bytes >> SECTOR_SHIFT);
}

static int serve(void *self)
{
    struct nxb_disk *d = self;
    const int error = nx_disk_serve(d->end);
    if (!error) follow_offers(d);
    if (!error && d->meeting && nx_disk_get_disk(d->end)) {
        WRITE_ONCE(d->meeting, false);
        wake_up(&d->met);
    }
    return error;
}

static bool busy(void *self)
{
    const struct nxb_disk *d = self;
    return d->meeting || nx_disk_busy(d->end);
}

/* Everything that was submitted ends with an error, and what is submitted from now on. */
static void shut_down(struct nxb_disk *d)
{
    nx_disk_stop(d->end);
    (void)nx_disk_serve(d->end);
}

static void failed(void *self)
{
    struct nxb_disk *d = self;
    dev_err(&d->b->n->pci->dev, "disk of node %u: %s\n", d->target, nx_last_error(d->b->dev));
    shut_down(d);
    WRITE_ONCE(d->failed, true);
    wake_up(&d->met);
}

/* ---- life */

static void free_disk(struct gendisk *disk) { kfree(disk->private_data); }

static const struct block_device_operations files = {.owner = THIS_MODULE, .free_disk = free_disk};

static void set_limits(struct request_queue *q, const nx_disk_disk *is, unsigned place_bytes)
{
    const unsigned longest = is->longest >> SECTOR_SHIFT;
    blk_queue_logical_block_size(q, is->sector_bytes);
    blk_queue_physical_block_size(q, is->disk_bytes);
    blk_queue_io_min(q, is->disk_bytes);
    blk_queue_io_opt(q, place_bytes);
    blk_queue_max_hw_sectors(q, longest);
    blk_queue_max_segments(q, USHRT_MAX);
    blk_queue_max_segment_size(q, UINT_MAX);
    blk_queue_dma_alignment(q, 7);
    blk_queue_write_cache(q, is->flags & NX_DISK_HAS_FLUSH, is->flags & NX_DISK_HAS_FUA);
    if (is->flags & NX_DISK_HAS_DISCARD) {
        q->limits.discard_granularity = is->disk_bytes;
        blk_queue_max_discard_sectors(q, longest);
    }
    if (is->flags & NX_DISK_HAS_ZEROES) blk_queue_max_write_zeroes_sectors(q, longest);
    blk_queue_flag_set(QUEUE_FLAG_NONROT, q);
    blk_queue_flag_set(QUEUE_FLAG_STABLE_WRITES, q);
}

static int make_disk(struct nxb_disk *d, const nx_disk_params *params)
{
    const nx_disk_disk is = *nx_disk_get_disk(d->end);
    struct gendisk *disk;
    int error;
    d->tags = (struct blk_mq_tag_set){.ops = &operations,
                                      .nr_hw_queues = min_t(unsigned, num_online_cpus(), QUEUES_MAX),
                                      .queue_depth = params->places,
                                      .numa_node = NUMA_NO_NODE,
                                      .cmd_size = sizeof(struct nxb_request),
                                      .flags = BLK_MQ_F_SHOULD_MERGE | BLK_MQ_F_BLOCKING};
    if ((error = blk_mq_alloc_tag_set(&d->tags))) return error;
    disk = blk_mq_alloc_disk(&d->tags, d);
    if (IS_ERR(disk)) {
        blk_mq_free_tag_set(&d->tags);
        return PTR_ERR(disk);
    }
    set_limits(disk->queue, &is, params->place_bytes);
    disk->fops = &files;
    disk->private_data = d;
    snprintf(disk->disk_name, sizeof disk->disk_name, "nxb%d", d->b->n->number);
    set_capacity(disk, is.bytes >> SECTOR_SHIFT);
    set_disk_ro(disk, is.flags & NX_DISK_HAS_READ_ONLY);
    d->verifier = nx_disk_verifier(d->end);
    WRITE_ONCE(d->disk, disk);
    if (!(error = device_add_disk(&d->b->n->pci->dev, disk, NULL))) {
        disk->bdi->ra_pages = is.read_ahead / PAGE_SIZE; /* else it is made of what it is best to ask for */
        return 0;
    }
    WRITE_ONCE(d->disk, NULL);
    disk->private_data = NULL;
    put_disk(disk);
    blk_mq_free_tag_set(&d->tags);
    return error;
}

/* The thread ends, and the library's end. */
static void close_end(struct nxb_disk *d)
{
    struct nxb *b = d->b;
    nxb_context_end(&d->context);
    shut_down(d);
    list_splice_init(&d->held, &b->held);
}

int nxb_disk_open(struct nxb *b, unsigned target)
{
    nx_disk_params params = nxb_params(b);
    const unsigned long patience =
        msecs_to_jiffies(WAIT_FOR_TARGET_MS) + usecs_to_jiffies(NX_DISK_TRIES * nxb_timeout_us);
    struct nxb_disk *d = kzalloc(sizeof *d, GFP_KERNEL);
    int error;
    if (!d) return -ENOMEM;
    d->b = b;
    d->target = target;
    d->meeting = true;
    d->context = (struct nxb_context){.n = b->n, .serve = serve, .busy = busy, .failed = failed, .self = d};
    init_waitqueue_head(&d->met);
    INIT_LIST_HEAD(&d->held);
    spin_lock_init(&d->held_lock);
    *b->disk_error = 0;
    if ((error = nx_disk_open(b->dev, target, &params, &d->end))) {
        nxb_say(b->disk_error, "%s", nx_disk_last_error(d->end));
        error = nxb_errno(error);
    } else if (!(error = nxb_context_begin(&d->context, "nxb"))) {
        wait_event_timeout(d->met, !READ_ONCE(d->meeting) || READ_ONCE(d->failed), patience);
        if (READ_ONCE(d->failed)) {
            nxb_say(b->disk_error, "%s", nx_last_error(b->dev));
            error = -EIO;
        } else if (READ_ONCE(d->meeting)) {
            nxb_say(b->disk_error, "node %u does not answer: it serves no disk", target);
            error = -ETIMEDOUT;
        } else {
            error = make_disk(d, &params);
        }
        if (error) close_end(d);
    }
    if (!error) {
        b->disk = d;
        return 0;
    }
    nx_disk_close(d->end);
    kfree(d);
    return error;
}

int nxb_disk_close(struct nxb *b, bool gone)
{
    struct nxb_disk *d = b->disk;
    struct gendisk *disk = d->disk;
    nx_disk *end = d->end;
    bool in_use;
    mutex_lock(&disk->open_mutex);
    in_use = atomic_read(&disk->part0->bd_openers) != 0;
    mutex_unlock(&disk->open_mutex);
    if (in_use && !gone) return -EBUSY;
    if (gone) {
        blk_mark_disk_dead(disk);
        close_end(d);
    }
    del_gendisk(disk);
    if (!gone) close_end(d);
    b->disk = NULL;
    blk_mq_free_tag_set(&d->tags);
    nx_disk_close(end);
    put_disk(disk); /* d is freed with it, by the last one that has it open */
    return 0;
}

unsigned nxb_disk_target(const struct nxb_disk *d) { return d->target; }
const nx_disk *nxb_disk_end(const struct nxb_disk *d) { return d->end; }
