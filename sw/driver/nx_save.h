/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Files that are saved whole, or stay as they were: the old file is replaced only when all of the new one is on the
 * disk.
 *
 *     FILE *file = nx_save_open(path);
 *     if (!file || nx_save_close(file, path, nx_trace_save(&trace, file))) printf("%s: %s\n", path, strerror(errno));
 */
#ifndef NX_SAVE_H
#define NX_SAVE_H

#include <stdio.h>

/* Until it is whole it is PATH.part. An existing file that is not regular, such as /dev/stdout, is written in place.
 * NULL: errno. */
FILE *nx_save_open(const char *path);
/* `bad`: something went wrong with writing. 0, or -1: errno; nothing of the new one is left then. */
int nx_save_close(FILE *file, const char *path, int bad);

#endif
