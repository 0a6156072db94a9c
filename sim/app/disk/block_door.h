/* The door for clients: nbdkit with the plugin of sim/bin/plugins speaks NBD, on a Unix socket or a port of 127.0.0.1, and hands each request to
 * the simulation, over one socket for each host. A command may be run beside it.
 *
 *     block_door *d = block_door_new(&p, error);       listens: before anything is simulated
 *     code = block_door_serve(d, service);             until the command ends, Ctrl-C or a failure
 *     block_door_free(d);
 */
#ifndef SIM_APP_DISK_BLOCK_DOOR_H
#define SIM_APP_DISK_BLOCK_DOOR_H

#include "sim/app/disk/block_service.h"

typedef struct block_door_params {
    const char *socket; /* path of the Unix socket; one that nobody listens to is replaced */
    unsigned port;      /* not 0: instead, this port of 127.0.0.1 */
    const char *run;    /* command for sh, with $uri, $uri1 ... set; NULL: serve until Ctrl-C */
} block_door_params;

typedef struct block_door block_door;

/* NULL: it cannot be listened; the reason, one line, is in `error`. */
block_door *block_door_new(const block_door_params *p, char error[BLOCK_SERVICE_ERROR]);
/* Prints the URIs and serves. With all places of a host taken no further request of it is read. Returns the command's exit code (128 and
 * its signal), without one 0; 130 after Ctrl-C; 1: the simulation has failed, or nbdkit has ended by itself (said on stderr). */
int block_door_serve(block_door *d, block_service *s);
/* nbdkit has ended by itself: the code is not that of the command. */
int block_door_died(const block_door *d);
void block_door_free(block_door *d);

#endif
