/* Handles, records and mailboxes of the file library; see nx_file.h and nx_file_internal.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "nx_file_internal.h"

nx_file_params nx_file_params_default(void)
{
    nx_file_params p = {.blocks = 8, .timeout_ns = 1000u * 1000 * 1000};
    return p;
}

int nx_file_fail(nx_file *f, int error, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(f->error, sizeof f->error, format, list);
    va_end(list);
    return error;
}

int nx_file_driver_failed(nx_file *f, int error, const char *what)
{
    return nx_file_fail(f, error, "%s: %s", what, nx_last_error(f->dev));
}

uint64_t nx_file_now(nx_file *f) { return f->platform->now(f->platform->self); }

uint64_t nx_file_news(nx_file *f)
{
    f->receive.news++;
    const uint64_t now = nx_file_now(f);
    f->receive.received_at = now;
    return now;
}

/* ---- words, records */

uint64_t nx_file_word(nx_file *f, unsigned box)
{
    uint8_t bytes[8];
    f->platform->mem_read(f->platform->self, f->mailbox + box, bytes, sizeof bytes);
    return nx_get64(bytes);
}

void nx_file_set_word(nx_file *f, unsigned box, uint64_t value)
{
    uint8_t bytes[8];
    nx_put64(bytes, value);
    f->platform->mem_write(f->platform->self, f->mailbox + box, bytes, sizeof bytes);
}

uint64_t nx_file_checksum(const uint8_t *bytes, size_t size)
{
    nx_checksum sum = nx_checksum_begin(size);
    nx_checksum_add(&sum, bytes, size);
    return nx_checksum_end(&sum);
}

int nx_file_tell(nx_file *f, struct nx_file_way *way, unsigned box, nx_record r, unsigned flags, nx_ticket *ticket)
{
    uint64_t place = way->records + way->next_record++ % RECORDS * RECORD_STRIDE;
    uint8_t bytes[RECORD_BYTES];
    for (int i = 0; i < RECORD_WORDS; i++) nx_put64(bytes + 8 * i, r.word[i]);
    nx_put64(bytes + 8 * RECORD_WORDS, nx_check(box, r.word, RECORD_WORDS));
    f->platform->mem_write(f->platform->self, place, bytes, sizeof bytes);
    if (f->params.interrupt_peer) flags |= NX_INTERRUPT;
    return nx_transfer(f->dev, f->flow, place, (uint32_t)(f->peer_mailbox + box), sizeof bytes, flags, ticket);
}

int nx_file_look(nx_file *f, unsigned box, nx_record *r)
{
    uint8_t bytes[RECORD_BYTES];
    f->platform->mem_read(f->platform->self, f->mailbox + box, bytes, sizeof bytes);
    for (int i = 0; i < RECORD_WORDS; i++) r->word[i] = nx_get64(bytes + 8 * i);
    return nx_get64(bytes + 8 * RECORD_WORDS) == nx_check(box, r->word, RECORD_WORDS);
}

/* ---- handles */

static int check_params(nx_file *f)
{
    nx_file_params *p = &f->params;
    const uint64_t all = (uint64_t)NX_FILE_MAILBOX_BYTES * NX_FILE_PEERS;
    const unsigned queues = nx_queues(f->dev);
    if (!p->peer_mailbox) p->peer_mailbox = p->mailbox;
    if (!p->block_bytes) p->block_bytes = 16 * nx_parameters(f->dev)->transfer_bytes;
    if (f->peer >= NX_FILE_PEERS)
        return nx_file_fail(f, NX_ERROR_ARGUMENT, "peer is %u, expected 0..%d", f->peer, NX_FILE_PEERS - 1);
    if (p->queue > queues) return nx_file_fail(f, NX_ERROR_ARGUMENT, "queue is %u, expected 0..%u", p->queue, queues);
    if (!p->queue && f->peer >= queues && !nx_parameters(f->dev)->direct)
        return nx_file_fail(f, NX_ERROR_ARGUMENT,
                            "peer is %u, expected 0..%u: a node that the device has a queue for, or queue given",
                            f->peer, queues - 1);
    f->flow = p->queue ? p->queue - 1 : f->peer % queues;
    if (!p->mailbox || p->mailbox % 8 || p->peer_mailbox % 8 || p->mailbox + all > (uint64_t)1 << 32 ||
        p->peer_mailbox + all > (uint64_t)1 << 32)
        return nx_file_fail(
            f, NX_ERROR_ARGUMENT,
            "mailbox 0x%llx, peer_mailbox 0x%llx: expected multiples of 8, not 0, 0x%llx bytes below 4 GB",
            (unsigned long long)p->mailbox, (unsigned long long)p->peer_mailbox, (unsigned long long)all);
    if (p->block_bytes % 8 || p->block_bytes > BLOCK_BYTES_MAX)
        return nx_file_fail(f, NX_ERROR_ARGUMENT, "block_bytes is %u, expected a multiple of 8 up to %d",
                            (unsigned)p->block_bytes, BLOCK_BYTES_MAX);
    if (p->blocks < 1 || p->blocks > NX_FILE_BLOCKS_MAX)
        return nx_file_fail(f, NX_ERROR_ARGUMENT, "blocks is %u, expected 1..%d", p->blocks, NX_FILE_BLOCKS_MAX);
    return NX_OK;
}

static int open_way(nx_file *f, struct nx_file_way *way)
{
    const struct nx_platform *p = f->platform;
    way->bounce = malloc(f->params.block_bytes);
    if (!way->bounce)
        return nx_file_fail(f, NX_ERROR_NO_MEMORY, "no memory for a block of %u bytes",
                            (unsigned)f->params.block_bytes);
    way->blocks = p->alloc(p->self, f->blocks_bytes, 4096);
    way->records = p->alloc(p->self, f->records_bytes, 4096);
    if (!way->blocks || !way->records)
        return nx_file_fail(f, NX_ERROR_NO_SPACE, "no bus memory for %zu + %zu bytes of buffers", f->blocks_bytes,
                            f->records_bytes);
    return NX_OK;
}

static void close_way(nx_file *f, struct nx_file_way *way)
{
    const struct nx_platform *p = f->platform;
    if (way->records) p->release(p->self, way->records, f->records_bytes);
    if (way->blocks) p->release(p->self, way->blocks, f->blocks_bytes);
    free(way->bounce);
}

int nx_file_open(nx_device *dev, unsigned peer, const nx_file_params *params, nx_file **result)
{
    nx_file *f = calloc(1, sizeof *f);
    int error;
    *result = f;
    if (!f) return NX_ERROR_NO_MEMORY;
    f->dev = dev;
    f->platform = nx_platform_of(dev);
    f->peer = peer;
    f->params = params ? *params : nx_file_params_default();
    if ((error = check_params(f))) return error;
    f->mailbox = f->params.mailbox + (uint64_t)peer * NX_FILE_MAILBOX_BYTES;
    f->peer_mailbox = f->params.peer_mailbox + (uint64_t)nx_parameters(dev)->node_id * NX_FILE_MAILBOX_BYTES;
    f->blocks_bytes = (size_t)f->params.blocks * f->params.block_bytes;
    f->records_bytes = (size_t)RECORDS * RECORD_STRIDE;
    if ((error = open_way(f, &f->send))) return error;
    return open_way(f, &f->receive);
}

void nx_file_close(nx_file *f)
{
    if (!f) return;
    if (f->receive.records) (void)nx_drain(f->dev, f->flow); /* buffers must not be freed under a running DMA */
    close_way(f, &f->receive);                               /* last allocated, first released */
    close_way(f, &f->send);
    free(f);
}

const char *nx_file_last_error(const nx_file *f) { return f ? f->error : "out of memory"; }
