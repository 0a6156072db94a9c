/* Messages between the server (disk_server.c) and the plugin in nbdkit (sim/bin/plugins), on one socket for each host. Both are on
 * the same machine and made by the same build, so structs go over as they are. The plugin sends calls, behind a write its data; the server
 * sends answers, in any order, behind a read that went well its data. When either end closes, all calls without an answer have failed. */
#ifndef SIM_APP_DISK_DISK_WIRE_H
#define SIM_APP_DISK_DISK_WIRE_H

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

#endif
