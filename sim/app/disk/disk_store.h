/* The disk behind a target: a regular file, written blocks that are not in it yet, and the time that a disk takes.
 *
 * All calls come from the task of the target, or while it does not run. A failed read or write ends with EIO or ENOSPC
 * for that request, with a line on stderr, and the service goes on.
 */
#ifndef SIM_APP_DISK_DISK_STORE_H
#define SIM_APP_DISK_DISK_STORE_H

#include "sim/app/disk/disk_service.h"

typedef struct disk_store disk_store;

/* NULL: the file cannot be served; the reason is in `error`, and *read_only says whether it can only be read. */
disk_store *disk_store_new(const disk_service_params *p, node *target, int *read_only, char error[DISK_SERVICE_ERROR]);
void disk_store_free(disk_store *s);
/* For the target. */
nx_disk_store *disk_store_callbacks(disk_store *s);
/* An operation is to be ended now. */
int disk_store_due(const disk_store *s);
/* Writes all data into the file: 0, or -1, also if an earlier sync has failed and data may be missing. */
int disk_store_sync(disk_store *s);
/* The target has crashed: data not yet in the file and requests under way are lost. */
void disk_store_crash(disk_store *s);
/* [bytes] that clients have read and written since this was asked last. */
uint64_t disk_store_carried(disk_store *s);
/* [bytes] written, and not in the file. */
uint64_t disk_store_dirty(const disk_store *s);

#endif
