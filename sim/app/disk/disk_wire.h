/* Messages between the server (disk_server.c) and the plugin in nbdkit (sim/bin/plugins), on one socket for each host.
 * Both are on the same machine and made by the same build, so structs go over as they are. The plugin sends calls,
 * behind a write its data; the server sends answers, in any order, behind a read that went well its data. When either
 * end closes, all calls without an answer have failed. */
#ifndef SIM_APP_DISK_DISK_WIRE_H
#define SIM_APP_DISK_DISK_WIRE_H

#include <stddef.h>
#include <stdint.h>

enum { DISK_WIRE_SOCKETS = 4 /* descriptor of host 1's socket in nbdkit; host 2's is the next one */ };

typedef struct disk_wire_call {
    uint64_t cookie, offset, verifier; /* nx_disk_verifier, of a flush */
    uint32_t length;
    uint16_t operation, flags; /* enum nx_disk_operation, NX_DISK_FUA */
} disk_wire_call;

typedef struct disk_wire_answer {
    uint64_t cookie, verifier;
    uint32_t status; /* enum nx_disk_status */
    uint32_t length; /* [bytes] of data behind it */
} disk_wire_answer;

/* The server's end: a call that comes in. Begins as {.fd}. */
typedef struct disk_wire_reader {
    int fd;
    disk_wire_call call;
    size_t got; /* of the call, then of its data */
    uint8_t *data;
} disk_wire_reader;
/* Reads what there is, without waiting. 1: `call` is whole; 0: not yet; -1: the other end has closed, or sent a call
 * with more data than NX_DISK_LONGEST, which is said on stderr. */
int disk_wire_take(disk_wire_reader *r);
/* Data of a call that is whole, or room for those of a read, or NULL; the caller frees it. The next call may come. */
void *disk_wire_data(disk_wire_reader *r);
void disk_wire_free(disk_wire_reader *r);

#endif
