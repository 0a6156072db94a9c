// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* The service of a file or block device for other nodes. The thread takes commands and gives answers; what takes time
 * is done by a work queue, since a busy thread would be taken for dead. Data go between the file and the pool, whose
 * memory is the library's. */
#include <linux/blkdev.h>
#include <linux/falloc.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mempool.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "nxb_internal.h"

enum { AT_ONCE = 16, READ_AHEAD = 128 << 10 };

struct nxb_target {
    struct nxb *b;
    char *path;
    struct file *file;
    nx_disk_store store;
    nx_disk_target *end;
    struct nxb_context context;
    struct workqueue_struct *works;
    mempool_t *pieces;
};

/* An operation at the file. */
struct piece {
    struct work_struct work;
    struct nxb_target *t;
    nx_disk_io *io;
};

/* ---- the file */

static unsigned status_of(loff_t result)
{
    switch (result) {
    case 0:
        return NX_DISK_OK;
    case -ENOSPC:
    case -EDQUOT:
        return NX_DISK_ENOSPC;
    case -EROFS:
    case -EPERM:
        return NX_DISK_EPERM;
    default:
        return NX_DISK_EIO;
    }
}

/* 0, or a negative errno; short is -EIO: the file has become shorter, or has no room. */
static loff_t transfer(struct file *file, void *data, u64 offset, size_t length, bool writes)
{
    while (length) {
        loff_t at = offset;
        const ssize_t size = writes ? kernel_write(file, data, length, &at) : kernel_read(file, data, length, &at);
        if (size <= 0) return size ?: -EIO;
        data += size;
        offset += size;
        length -= size;
    }
    return 0;
}

static loff_t zeroes(struct file *file, u64 offset, u64 length)
{
    loff_t result = vfs_fallocate(file, FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, offset, length);
    if (result != -EOPNOTSUPP) return result;
    result = vfs_fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, length);
    if (result != -EOPNOTSUPP) return result;
    for (result = 0; length && !result;) {
        const size_t size = min_t(u64, length, PAGE_SIZE);
        result = transfer(file, page_address(ZERO_PAGE(0)), offset, size, true);
        offset += size;
        length -= size;
    }
    return result;
}

static loff_t execute(struct nxb_target *t, const nx_disk_io *io)
{
    loff_t result;
    switch (io->operation) {
    case NX_DISK_READ:
        return transfer(t->file, nicxbar_memory(t->b->n, io->data, io->length), io->offset, io->length, false);
    case NX_DISK_WRITE:
        result = transfer(t->file, nicxbar_memory(t->b->n, io->data, io->length), io->offset, io->length, true);
        break;
    case NX_DISK_FLUSH:
        return vfs_fsync(t->file, 1);
    case NX_DISK_DISCARD: /* what cannot be done leaves the content as it is */
        result = vfs_fallocate(t->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, io->offset, io->length);
        if (result == -EOPNOTSUPP) result = 0;
        break;
    case NX_DISK_WRITE_ZEROES:
        result = zeroes(t->file, io->offset, io->length);
        break;
    default:
        return -EINVAL;
    }
    if (!result && io->flags & NX_DISK_FUA)
        result = vfs_fsync_range(t->file, io->offset, io->offset + io->length - 1, 1);
    return result;
}

static void work(struct work_struct *w)
{
    struct piece *p = container_of(w, struct piece, work);
    struct nxb_target *t = p->t;
    nx_disk_io *io = p->io;
    const loff_t result = execute(t, io);
    mempool_free(p, t->pieces);
    /* the kernel reports a failed write to a file once: to whoever syncs next */
    if (result && (io->operation == NX_DISK_FLUSH || io->flags & NX_DISK_FUA)) nx_disk_lost_writes(t->end);
    nx_disk_io_done(t->end, io, status_of(result));
    nicxbar_wake(t->b->n);
}

static void begin(void *self, nx_disk_target *end, nx_disk_io *io)
{
    struct nxb_target *t = self;
    struct piece *p = mempool_alloc(t->pieces, GFP_NOIO);
    INIT_WORK(&p->work, work);
    p->t = t;
    p->io = io;
    queue_work(t->works, &p->work);
}

/* ---- its thread */

static int serve(void *self)
{
    struct nxb_target *t = self;
    return nx_disk_target_serve(t->end);
}

static bool busy(void *self)
{
    const struct nxb_target *t = self;
    return nx_disk_target_busy(t->end);
}

static void failed(void *self)
{
    struct nxb_target *t = self;
    dev_err(&t->b->n->pci->dev, "service of %s: %s\n", t->path, nx_last_error(t->b->dev));
}

/* ---- life */

static void free_target(struct nxb_target *t)
{
    nxb_context_end(&t->context);
    if (t->works) destroy_workqueue(t->works); /* all operations end */
    if (t->end) nx_disk_target_close(t->end);
    mempool_destroy(t->pieces);
    if (t->file) fput(t->file);
    kfree(t->path);
    kfree(t);
}

/* 0, or a negative errno, said in service_error. */
static int open_file(struct nxb_target *t, const char *path, bool read_only)
{
    struct nxb *b = t->b;
    struct file *file = read_only ? ERR_PTR(-EROFS) : filp_open(path, O_RDWR | O_LARGEFILE, 0);
    struct inode *inode;
    u64 bytes;
    if (file == ERR_PTR(-EROFS) || file == ERR_PTR(-EACCES)) {
        read_only = true;
        file = filp_open(path, O_RDONLY | O_LARGEFILE, 0);
    }
    if (IS_ERR(file)) {
        nxb_say(b->service_error, "%s: cannot be opened, error %ld", path, PTR_ERR(file));
        return PTR_ERR(file);
    }
    t->file = file;
    inode = file->f_mapping->host;
    bytes = i_size_read(inode);
    if (!S_ISREG(inode->i_mode) && !S_ISBLK(inode->i_mode)) {
        nxb_say(b->service_error, "%s: expected a file or a block device", path);
        return -EINVAL;
    }
    if (!bytes || bytes % NX_DISK_SECTOR) {
        nxb_say(b->service_error, "%s: has %llu bytes, expected a multiple of 512, not 0", path, bytes);
        return -EINVAL;
    }
    if (S_ISBLK(inode->i_mode) && bdev_read_only(I_BDEV(inode))) read_only = true;
    t->store = (nx_disk_store){.disk = {.bytes = bytes,
                                        .sector_bytes = NX_DISK_SECTOR,
                                        .disk_bytes = NX_DISK_BLOCK,
                                        .read_ahead = READ_AHEAD,
                                        .longest = NX_DISK_LONGEST,
                                        .flags = NX_DISK_HAS_FLUSH | NX_DISK_HAS_FUA | NX_DISK_HAS_DISCARD |
                                                 NX_DISK_HAS_ZEROES | (read_only ? NX_DISK_HAS_READ_ONLY : 0)},
                               .self = t,
                               .begin = begin};
    return 0;
}

int nxb_target_open(struct nxb *b, const char *path, bool read_only)
{
    struct nxb_target *t = kzalloc(sizeof *t, GFP_KERNEL);
    nx_disk_params params = nxb_params(b);
    int error;
    if (!t) return -ENOMEM;
    t->b = b;
    t->context = (struct nxb_context){.n = b->n, .serve = serve, .busy = busy, .failed = failed, .self = t};
    *b->service_error = 0;
    t->path = kstrdup(path, GFP_KERNEL);
    t->pieces = mempool_create_kmalloc_pool(AT_ONCE, sizeof(struct piece));
    t->works = alloc_workqueue("nxb-service%d", WQ_UNBOUND | WQ_MEM_RECLAIM, AT_ONCE, b->n->number);
    error = t->path && t->pieces && t->works ? open_file(t, path, read_only) : -ENOMEM;
    /* there are pools for all initiators that there may be: fewer places of each, if the memory is small */
    for (int result = NX_ERROR_NO_SPACE; !error && result == NX_ERROR_NO_SPACE; params.places /= 2) {
        nx_disk_target_close(t->end);
        result = nx_disk_target_open(b->dev, &t->store, &params, &t->end);
        if (result && (result != NX_ERROR_NO_SPACE || params.places == 1)) {
            nxb_say(b->service_error, "%s", nx_disk_target_last_error(t->end));
            error = nxb_errno(result);
        }
    }
    if (!error) error = nxb_context_begin(&t->context, "nxb-target");
    if (error) {
        free_target(t);
        return error;
    }
    b->target = t;
    return 0;
}

void nxb_target_close(struct nxb *b)
{
    struct nxb_target *t = b->target;
    b->target = NULL;
    free_target(t);
}

const char *nxb_target_path(const struct nxb_target *t) { return t->path; }
const nx_disk_disk *nxb_target_disk(const struct nxb_target *t) { return &t->store.disk; }
const nx_disk_target *nxb_target_end(const struct nxb_target *t) { return t->end; }
