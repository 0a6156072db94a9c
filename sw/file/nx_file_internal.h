/* Inside of the file library, and its wire format: not for users.
 *
 * Everything that nodes send each other about a file is a record: five little-endian 64-bit words, the last one a check
 * over the others and the kind of record, so that an old, torn or incomplete record is detected. Records go into the
 * other node's mailbox:
 *
 *   0x0000 REQUEST  by its sender:    session, state (OPEN, ABORTED), error, places it can use; ABORTED: places of the
 * offer, 0: none came 0x0040 OFFER    by its receiver:  session, bus address of the ring, bytes of a place, places: the
 * smaller number of both 0x0080 ABORT    by its receiver:  session, blocks taken so far, ABORTED, error 0x0200 CONTROL
 * by its sender:    session, block number, bytes | LAST, checksum of the data; 64 of them, block n in place n mod
 * places 0x1200 ACK      by its receiver:  session, blocks taken so far, state (OPEN, DONE); 64 of them, n blocks in
 * place n mod places
 *
 * Two words of the mailbox belong to the node itself and outlive handles: the last session it sent (0x0100) and the
 * last one it took part in as receiver (0x0108).
 *
 * Where packets may overtake each other (nx_paths), a CONTROL counts when a notification of it, or of a later one, has
 * come: then its data are in memory. An ACK has a place for each number, so that a late one does not lie on a newer
 * one.
 *
 * Requests, offers and acknowledgements that get no answer for a while are repeated, in case they got lost; data never
 * are.
 *
 * One request queue leads to the peer. A record waits in it behind up to two windows of blocks: those of the other
 * direction, and those of a session that has failed. So a sender that fails returns when its blocks have left, remains
 * of old sessions count as a sign of life, and so do blocks of the other direction, but no more of them than can
 * precede a record. An ABORTED request that no offer had reached is about no stream: the receiver goes on waiting.
 *
 *   sender                          receiver
 *   REQUEST(session, OPEN)  ------>
 *                           <------ OFFER(session, ring)
 *   data of block n, CONTROL(n) -->                          (n < acknowledged + places)
 *                           <------ ACK(session, n + 1)
 *   data, CONTROL(n | LAST) ------>
 *                           <------ ACK(session, n + 1, DONE)
 */
#ifndef NX_FILE_INTERNAL_H
#define NX_FILE_INTERNAL_H

#include "nx_file.h"
#include "nx_words.h"

enum {
    BOX_REQUEST = 0x0000,
    BOX_OFFER = 0x0040,
    BOX_ABORT = 0x0080,
    BOX_LAST_SENT = 0x0100,
    BOX_LAST_TAKEN = 0x0108,
    BOX_CONTROL = 0x0200,
    BOX_ACK = 0x1200,
    RECORD_WORDS = 4, /* without the check */
    RECORD_BYTES = 40,
    RECORD_STRIDE = 64, /* of CONTROL; ACK: RECORD_BYTES */
    RECORDS = 256,      /* staging places of one direction: more than a request queue has slots */
    STATE_OPEN = 1,
    STATE_DONE = 2,
    STATE_ABORTED = 3,
    BLOCK_BYTES_MAX = 16 << 20
};
#define CONTROL_LAST ((uint64_t)1 << 63)

typedef struct nx_record {
    uint64_t word[RECORD_WORDS];
} nx_record;

/* One direction's own things: the two directions share nothing else that changes. */
struct nx_file_way {
    uint64_t records; /* bus address of the staging places for records */
    unsigned next_record;
    uint64_t blocks; /* bus address: sender: blocks in flight; receiver: the ring */
    uint8_t *bounce; /* one block */
    _Atomic int busy;
    /* receiver: signs of life, for both directions: how many, and when the last one came [ns] */
    _Atomic uint64_t news, received_at;
};

struct nx_file {
    nx_device *dev;
    const struct nx_platform *platform;
    nx_file_params params;
    unsigned peer;         /* node ID */
    unsigned flow;         /* request queue that leads there */
    uint64_t mailbox;      /* ours, for this peer */
    uint64_t peer_mailbox; /* the peer's, for us */
    size_t blocks_bytes, records_bytes;
    struct nx_file_way send, receive;
    char error[768];
};

__attribute__((format(printf, 3, 4))) int nx_file_fail(nx_file *f, int error, const char *format, ...);
/* A failure of the driver, with its text. */
int nx_file_driver_failed(nx_file *f, int error, const char *what);
/* Posts a record to `box` of the peer's mailbox. `ticket` may be NULL. */
int nx_file_tell(nx_file *f, struct nx_file_way *way, unsigned box, nx_record r, unsigned flags, nx_ticket *ticket);
/* Reads the record at `box` of our own mailbox: 1 = it is whole. */
int nx_file_look(nx_file *f, unsigned box, nx_record *r);
uint64_t nx_file_word(nx_file *f, unsigned box);
void nx_file_set_word(nx_file *f, unsigned box, uint64_t value);
/* Over `size` bytes, a multiple of 8: every word and its place count. */
uint64_t nx_file_checksum(const uint8_t *bytes, size_t size);
uint64_t nx_file_now(nx_file *f);
/* The receiver: something of the peer has come. Returns when: now. */
uint64_t nx_file_news(nx_file *f);

#endif
