/* Streams of bytes between two nodes by RDMA writes: files of any length, in both directions at once.
 *
 *   node 0                                              node 1
 *   nx_file_open(dev, 1, &params, &file);               nx_file_open(dev, 0, &params, &file);
 *   nx_file_send(file, reader, self, &result);          nx_file_receive(file, writer, self, &result);
 *
 * The sender cuts the stream into blocks, writes each into a free place of a ring in the receiver's memory, and behind
 * it a control block (length, sequence number, checksum) that carries the remote notification. The receiver hands the
 * bytes to its writer and acknowledges, which frees the place. So a stream of any length needs buffers of blocks x
 * block_bytes at each end, and everything is on its way at once: the next block is read and posted while earlier ones
 * travel. The wire format is in nx_file_internal.h.
 *
 * Meeting: nodes meet in mailboxes, memory at addresses that both know beforehand (`mailbox`). Either side may start
 * first. A sender that restarts, after a failure or for the next file, opens a new session; records of old ones are
 * known by their number and ignored. After a failure call nx_file_send and nx_file_receive again, on the same handles:
 * they start from the first byte. A sender that fails returns when what it has posted has left.
 *
 * Nothing damaged is accepted: a flagged notification of the peer, a checksum, length or sequence number that is not
 * right, or a block that does not come ends the call with an error on this side, and notifies the other side, whose
 * call ends with NX_ERROR_PEER. Bytes already given to the writer are good, as a prefix; only NX_OK says that they are
 * all.
 *
 * While a handle is open, notifications of the peer on this device are consumed by it. One nx_file_send and one
 * nx_file_receive may run at the same time on a handle, in two threads or coroutines.
 */
#ifndef NX_FILE_H
#define NX_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "nx.h"

typedef struct nx_file nx_file;

/* Bytes of mailbox that each node needs at `mailbox`. */
enum { NX_FILE_BLOCKS_MAX = 64, NX_FILE_MAILBOX_BYTES = 8192, NX_FILE_PEERS = 128 };

typedef struct nx_file_params {
    /* Bus address of this node's mailboxes: NX_FILE_MAILBOX_BYTES for each node ID, multiple of 8, below 4 GB, zero
     * before the first use. The mailbox of peer p is at mailbox + p x NX_FILE_MAILBOX_BYTES. No default: 0 is refused.
     */
    uint64_t mailbox;
    /* The same of the peer; default 0 = the same address as here. */
    uint64_t peer_mailbox;
    /* Request queue that leads to the peer, counted from 1; default 0 = that of the peer's node ID. NIC to NIC all of
     * them do, and the default is one for any ID; behind a switch an ID that is not the number of the peer's port needs
     * port + 1 here. */
    unsigned queue;
    /* bytes of a block, a multiple of 8 from 8 to 16 MB; default 0 = sixteen full transfers (63488 with 496-byte
     * packets) */
    uint32_t block_bytes;
    /* places in the receiver's ring, 1..64; default 8 */
    unsigned blocks;
    /* a call ends with NX_ERROR_TIMEOUT when nothing has arrived from the peer for this time [ns]; default 1 s. Longer
     * than a block takes. Other data that may precede an answer, blocks of the other direction and of failed streams,
     * count as arriving. */
    uint64_t timeout_ns;
    /* ask for interrupts at the peer with control blocks and acknowledgements; default 0. Set it where the peer uses
     * nx_use_interrupts. */
    int interrupt_peer;
} nx_file_params;

nx_file_params nx_file_params_default(void);

typedef struct nx_file_result {
    uint64_t bytes; /* of the stream: taken from the reader, or given to the writer */
    uint64_t blocks;
    uint64_t elapsed_ns; /* from the first block posted or received to the end */
    uint64_t stalls;     /* sender: waits for a free place; receiver: waits for a block */
} nx_file_result;

/* Up to `size` bytes into `to`: the number of bytes, 0 = end of the stream, negative = failed. */
typedef long (*nx_file_reader)(void *self, void *to, size_t size);
/* Takes all `size` bytes: 0, or anything else for failed. */
typedef int (*nx_file_writer)(void *self, const void *from, size_t size);

/* Opens a handle to exchange streams with the node whose ID is `peer`. The parameters of the two sides may
 * differ: the smaller block size and number of blocks of sender and receiver count. On failure *file still holds the
 * error text (NULL only when malloc failed): close it in any case. */
int nx_file_open(nx_device *dev, unsigned peer, const nx_file_params *params, nx_file **file);
/* Waits until all posted blocks have left, and frees the buffers. Takes NULL. */
void nx_file_close(nx_file *file);

/* Sends everything the reader gives; returns when the receiver has acknowledged the last byte. If only that last
 * acknowledgement is lost, the receiver has succeeded and this side times out. `result` may be NULL; it is filled in on
 * failure too. */
int nx_file_send(nx_file *file, nx_file_reader reader, void *self, nx_file_result *result);
/* Receives one stream. */
int nx_file_receive(nx_file *file, nx_file_writer writer, void *self, nx_file_result *result);

/* Error text of the last failed call of either direction. */
const char *nx_file_last_error(const nx_file *file);

#endif
