#define _GNU_SOURCE /* fallocate */
#include "sim/app/disk/disk_store.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SECTOR = NX_DISK_SECTOR,
    BLOCK = NX_DISK_BLOCK,
    SECTORS = BLOCK / SECTOR,
    WAITING = NX_DISK_INITIATORS_MAX * NX_DISK_PLACES_MAX
};

/* A block of which some sectors are not in the file. */
typedef struct dirty {
    uint64_t block;
    uint8_t sectors; /* a bit for each; 0: none any more */
    struct dirty *chain;
    uint8_t data[BLOCK];
} dirty;

typedef struct waiting {
    nx_disk_io *io;
    unsigned status;
    sim_time due;
} waiting;

struct disk_store {
    nx_disk_store callbacks;
    node *host;
    nx_disk_target *target;
    int fd, reported; /* of the file; last reported failure: errno, -1: none */
    int unsynced,
        lost; /* it was written since the last sync; a sync has failed after that: the content of the file is unknown */
    char *path;
    disk_cache cache;
    sim_time latency, cost, disk_free;
    double mib_per_s;
    dirty *slot, **hash;
    uint64_t slots, first, used; /* a ring in the order in which they were written first */
    uint64_t moved;              /* bytes to and from the disk by the operation that goes on */
    uint64_t carried;            /* bytes to and from clients since it was asked */
    int asked;                   /* ... and whether it was asked at all */
    waiting wait[WAITING];
    unsigned waits;
    uint8_t piece[NX_DISK_PLACE_MAX];
};

/* ---- the file */

static unsigned failed(disk_store *s, const char *what, uint64_t offset)
{
    int error = errno;
    if (s->reported != error)
        fprintf(stderr, "block: %s: %s at byte %llu: %s; the request ends with an error, the service goes on\n",
                s->path, what, (unsigned long long)offset, error ? strerror(error) : "the file has become shorter");
    s->reported = error;
    return error == ENOSPC || error == EDQUOT || error == EFBIG ? NX_DISK_ENOSPC : NX_DISK_EIO;
}

static unsigned file_read(disk_store *s, uint64_t offset, uint8_t *to, size_t size)
{
    s->asked = 1;
    s->moved += size;
    while (size) {
        errno = 0;
        ssize_t got = pread(s->fd, to, size, (off_t)offset);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return failed(s, "read", offset);
        offset += (uint64_t)got;
        to += got;
        size -= (size_t)got;
    }
    return NX_DISK_OK;
}

static unsigned file_write(disk_store *s, uint64_t offset, const uint8_t *from, size_t size)
{
    s->asked = s->unsynced = 1;
    s->moved += size;
    while (size) {
        errno = 0;
        ssize_t put = pwrite(s->fd, from, size, (off_t)offset);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return failed(s, "write", offset);
        offset += (uint64_t)put;
        from += put;
        size -= (size_t)put;
    }
    return NX_DISK_OK;
}

/* After a failed sync the kernel takes for written what is not, and the next one says nothing of it: if that is more
 * than the data of this request, all clients are to know. */
static unsigned file_sync(disk_store *s, int others)
{
    s->asked = 1;
    s->unsynced = 0;
    if (!fdatasync(s->fd)) return NX_DISK_OK;
    const unsigned status = failed(s, "sync", 0);
    s->lost |= others;
    if (others) nx_disk_lost_writes(s->target);
    return status;
}

/* ---- data not yet in the file */

static dirty **head(const disk_store *s, uint64_t block)
{
    return &s->hash[(block * 0x9e3779b97f4a7c15u >> 20) % s->slots];
}

static dirty *find(const disk_store *s, uint64_t block)
{
    dirty *d = *head(s, block);
    while (d && d->block != block) d = d->chain;
    return d;
}

/* The sectors of one block go into the file. */
static unsigned clean(disk_store *s, dirty *d)
{
    for (unsigned i = 0; i < SECTORS;) {
        unsigned count = 0;
        while (i + count < SECTORS && d->sectors >> (i + count) & 1) count++;
        if (count) {
            unsigned status = file_write(s, d->block * BLOCK + i * SECTOR, d->data + i * SECTOR, count * SECTOR);
            if (status) return status;
        }
        i += count ? count : 1;
    }
    d->sectors = 0;
    return NX_DISK_OK;
}

static unsigned evict(disk_store *s)
{
    dirty *d = &s->slot[s->first], **at = head(s, d->block);
    unsigned status = clean(s, d);
    if (status) return status;
    while (*at != d) at = &(*at)->chain;
    *at = d->chain;
    s->first = (s->first + 1) % s->slots;
    s->used--;
    return NX_DISK_OK;
}

static unsigned clean_all(disk_store *s)
{
    unsigned status = NX_DISK_OK;
    while (s->used && !(status = evict(s))) {
    }
    return status;
}

/* Sectors of a range that lie in one block. */
static uint8_t mask_of(uint64_t block, uint64_t offset, uint64_t end)
{
    uint8_t mask = 0;
    for (unsigned i = 0; i < SECTORS; i++) {
        uint64_t at = block * BLOCK + i * SECTOR;
        if (at >= offset && at < end) mask |= (uint8_t)(1 << i);
    }
    return mask;
}

/* Drops earlier writes to this range. */
static void forget(disk_store *s, uint64_t offset, uint64_t length)
{
    if (length / BLOCK > s->used) {
        for (uint64_t i = 0; i < s->used; i++) {
            dirty *d = &s->slot[(s->first + i) % s->slots];
            d->sectors &= (uint8_t)~mask_of(d->block, offset, offset + length);
        }
        return;
    }
    for (uint64_t block = offset / BLOCK; block * BLOCK < offset + length; block++) {
        dirty *d = find(s, block);
        if (d) d->sectors &= (uint8_t)~mask_of(block, offset, offset + length);
    }
}

static unsigned keep(disk_store *s, uint64_t offset, const uint8_t *from, uint32_t length)
{
    for (uint32_t at = 0; at < length; at += SECTOR) {
        uint64_t block = (offset + at) / BLOCK, i = (offset + at) % BLOCK / SECTOR;
        dirty *d = find(s, block);
        if (!d) {
            unsigned status = s->used == s->slots ? evict(s) : NX_DISK_OK;
            if (status) return status;
            d = &s->slot[(s->first + s->used++) % s->slots];
            d->block = block;
            d->sectors = 0;
            d->chain = *head(s, block);
            *head(s, block) = d;
        }
        memcpy(d->data + i * SECTOR, from + at, SECTOR);
        d->sectors |= (uint8_t)(1 << i);
    }
    return NX_DISK_OK;
}

static uint32_t overlay(const disk_store *s, uint64_t offset, uint8_t *to, uint32_t length, int copy)
{
    uint32_t found = 0;
    for (uint32_t at = 0; at < length && s->used; at += SECTOR) {
        const dirty *d = find(s, (offset + at) / BLOCK);
        const uint64_t i = (offset + at) % BLOCK / SECTOR;
        if (!d || !(d->sectors >> i & 1)) continue;
        found += SECTOR;
        if (copy) memcpy(to + at, d->data + i * SECTOR, SECTOR);
    }
    return found;
}

/* ---- operations */

static unsigned do_read(disk_store *s, const nx_disk_io *io)
{
    unsigned status = NX_DISK_OK;
    if (overlay(s, io->offset, s->piece, io->length, 0) != io->length)
        status = file_read(s, io->offset, s->piece, io->length);
    if (status) return status;
    overlay(s, io->offset, s->piece, io->length, 1);
    memory_write(host_memory(s->host->host), io->data, s->piece, io->length);
    return NX_DISK_OK;
}

static unsigned do_write(disk_store *s, const nx_disk_io *io)
{
    memory_read(host_memory(s->host->host), io->data, s->piece, io->length);
    if (s->cache == DISK_WRITEBACK && !(io->flags & NX_DISK_FUA)) return keep(s, io->offset, s->piece, io->length);
    unsigned status = file_write(s, io->offset, s->piece, io->length);
    if (!status) forget(s, io->offset, io->length);
    return status;
}

static unsigned do_zeroes(disk_store *s, const nx_disk_io *io)
{
    memset(s->piece, 0, sizeof s->piece);
    for (uint32_t at = 0; at < io->length;) {
        uint32_t size = io->length - at < sizeof s->piece ? io->length - at : (uint32_t)sizeof s->piece;
        unsigned status = file_write(s, io->offset + at, s->piece, size);
        if (status) return status;
        at += size;
    }
    forget(s, io->offset, io->length);
    return NX_DISK_OK;
}

/* 0 also where files have no holes: then file and buffered data keep their content. */
static unsigned do_discard(disk_store *s, const nx_disk_io *io)
{
    if (!fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)io->offset, io->length)) {
        s->unsynced = 1;
        forget(s, io->offset, io->length);
    } else if (errno == EIO) return failed(s, "discard", io->offset);
    return NX_DISK_OK;
}

static unsigned execute(disk_store *s, const nx_disk_io *io)
{
    int others = s->unsynced;
    unsigned status;
    switch (io->operation) {
    case NX_DISK_READ:
        return do_read(s, io);
    case NX_DISK_WRITE:
        status = do_write(s, io);
        break;
    case NX_DISK_WRITE_ZEROES:
        status = do_zeroes(s, io);
        break;
    case NX_DISK_FLUSH:
        status = clean_all(s);
        others = s->unsynced;
        return status ? status : file_sync(s, others);
    default:
        status = do_discard(s, io);
    }
    if (!status && (io->flags & NX_DISK_FUA || s->cache == DISK_WRITETHROUGH)) status = file_sync(s, others);
    return status;
}

/* One operation after the other is on its way to and from the disk; then its latency. */
static sim_time due_of(disk_store *s)
{
    const sim_time now = sim_now(s->host->s);
    if (!s->asked) return now;
    if (s->disk_free < now) s->disk_free = now;
    if (s->mib_per_s > 0) s->disk_free += (sim_time)((double)s->moved / (s->mib_per_s * 1048576) * 1e12);
    return s->disk_free + s->latency;
}

static void begin(void *self, nx_disk_target *target, nx_disk_io *io)
{
    disk_store *s = self;
    if (s->cost) sim_wait_time(s->host->s, s->cost);
    s->target = target;
    if (io->operation == NX_DISK_READ || io->operation == NX_DISK_WRITE) s->carried += io->length;
    s->moved = 0;
    s->asked = 0;
    const unsigned status = execute(s, io);
    const sim_time due = due_of(s);
    if (due <= sim_now(s->host->s)) nx_disk_io_done(target, io, status);
    else s->wait[s->waits++] = (waiting){io, status, due};
}

int disk_store_due(const disk_store *s)
{
    for (unsigned i = 0; i < s->waits; i++)
        if (s->wait[i].due <= sim_now(s->host->s)) return 1;
    return 0;
}

static int poll_due(void *self)
{
    disk_store *s = self;
    int found = 0;
    for (unsigned i = 0; i < s->waits;) {
        const waiting w = s->wait[i];
        if (w.due > sim_now(s->host->s)) {
            i++;
            continue;
        }
        memmove(&s->wait[i], &s->wait[i + 1], (--s->waits - i) * sizeof *s->wait);
        nx_disk_io_done(s->target, w.io, w.status);
        found = 1;
    }
    return found;
}

uint64_t disk_store_carried(disk_store *s)
{
    const uint64_t bytes = s->carried;
    s->carried = 0;
    return bytes;
}

int disk_store_sync(disk_store *s)
{
    if ((fcntl(s->fd, F_GETFL) & O_ACCMODE) == O_RDONLY) return 0;
    s->reported = -1;
    return clean_all(s) || file_sync(s, 0) || s->lost ? -1 : 0;
}

void disk_store_crash(disk_store *s)
{
    memset(s->hash, 0, s->slots * sizeof(dirty *));
    s->first = s->used = 0;
    s->waits = 0;
}

uint64_t disk_store_dirty(const disk_store *s)
{
    uint64_t sectors = 0;
    for (uint64_t i = 0; i < s->used; i++)
        sectors += (uint64_t)__builtin_popcount(s->slot[(s->first + i) % s->slots].sectors);
    return sectors * SECTOR;
}

/* ---- life */

static int open_image(disk_store *s, const char *path, int *read_only, char error[DISK_SERVICE_ERROR])
{
    struct stat st;
    *read_only = 0;
    s->fd = open(path, O_RDWR | O_CLOEXEC);
    if (s->fd < 0 && (errno == EACCES || errno == EROFS || errno == EPERM)) {
        s->fd = open(path, O_RDONLY | O_CLOEXEC);
        *read_only = s->fd >= 0;
    }
    if (s->fd < 0 || fstat(s->fd, &st))
        return snprintf(error, DISK_SERVICE_ERROR, "image %s: %s; expected a file that can be read", path,
                        strerror(errno));
    if (!S_ISREG(st.st_mode)) return snprintf(error, DISK_SERVICE_ERROR, "image %s: expected a regular file", path);
    if (st.st_size <= 0 || st.st_size % SECTOR || (uint64_t)st.st_size > (uint64_t)1 << 48)
        return snprintf(error, DISK_SERVICE_ERROR,
                        "image %s: %lld bytes, expected a multiple of 512, more than 0, at most 2^48", path,
                        (long long)st.st_size);
    s->callbacks.disk.bytes = (uint64_t)st.st_size;
    return 0;
}

disk_store *disk_store_new(const disk_service_params *p, node *target, int *read_only, char error[DISK_SERVICE_ERROR])
{
    disk_store *s = calloc(1, sizeof *s);
    if (!s) {
        snprintf(error, DISK_SERVICE_ERROR, "out of memory");
        return NULL;
    }
    s->callbacks = (nx_disk_store){
        .disk = {.sector_bytes = SECTOR,
                 .disk_bytes = BLOCK,
                 .read_ahead = p->block.place_bytes,
                 .longest = NX_DISK_LONGEST,
                 .flags = NX_DISK_HAS_FLUSH | NX_DISK_HAS_FUA | NX_DISK_HAS_DISCARD | NX_DISK_HAS_ZEROES},
        .self = s,
        .begin = begin,
        .poll = poll_due};
    s->host = target;
    s->fd = s->reported = -1;
    signal(SIGXFSZ, SIG_IGN); /* a limit for files is an error of one request */
    s->path = strdup(p->image);
    s->cache = p->cache;
    s->latency = p->disk_latency;
    s->mib_per_s = p->disk_mib_per_s;
    s->cost = p->request_cost;
    s->slots = p->cache_bytes / BLOCK > 1 ? p->cache_bytes / BLOCK : 1;
    s->slot = calloc(s->slots, sizeof *s->slot);
    s->hash = calloc(s->slots, sizeof *s->hash);
    int wrong = open_image(s, p->image, read_only, error);
    if (!wrong && (!s->slot || !s->hash || !s->path)) wrong = snprintf(error, DISK_SERVICE_ERROR, "out of memory");
    if (wrong) {
        disk_store_free(s);
        return NULL;
    }
    if (*read_only) s->callbacks.disk.flags |= NX_DISK_HAS_READ_ONLY;
    return s;
}

void disk_store_free(disk_store *s)
{
    if (!s) return;
    if (s->fd >= 0) close(s->fd);
    free(s->slot);
    free(s->hash);
    free(s->path);
    free(s);
}

nx_disk_store *disk_store_callbacks(disk_store *s) { return &s->callbacks; }
