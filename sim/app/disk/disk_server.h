/* The server for clients: nbdkit with the plugin of sim/bin/plugins speaks NBD, on a Unix socket or a port of
 * 127.0.0.1, and hands each request to the simulation, over one socket for each host. A command may run at the same
 * time.
 *
 *     disk_server *d = disk_server_new(&p, error);       listens: before anything is simulated
 *     code = disk_server_serve(d, service);             until the command ends, Ctrl-C or a failure
 *     disk_server_free(d);
 */
#ifndef SIM_APP_DISK_DISK_SERVER_H
#define SIM_APP_DISK_DISK_SERVER_H

#include "sim/app/disk/disk_service.h"

typedef struct disk_server_params {
    const char *socket; /* path of the Unix socket; a stale one is replaced */
    unsigned port;      /* not 0: instead, this port of 127.0.0.1 */
    const char *run;    /* command for sh, with $uri, $uri1 ... set; NULL: serve until Ctrl-C */
} disk_server_params;

typedef struct disk_server disk_server;

/* NULL: it cannot be listened; the reason, one line, is in `error`. */
disk_server *disk_server_new(const disk_server_params *p, char error[DISK_SERVICE_ERROR]);
/* Prints the URIs and serves. With all places of a host taken no further request of it is read. Returns the command's
 * exit code (128 and its signal), without one 0; 130 after Ctrl-C; 1: the simulation has failed, or nbdkit has ended by
 * itself (said on stderr). */
int disk_server_serve(disk_server *d, disk_service *s);
/* nbdkit has ended by itself: the code is not that of the command. */
int disk_server_died(const disk_server *d);
void disk_server_free(disk_server *d);

#endif
