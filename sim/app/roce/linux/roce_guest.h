/* Linux with its software RoCE (rdma_rxe), in QEMU or in User mode, at the end of an Ethernet line: what
 * scripts/guest.py or uml.py has made, started and stopped.
 *
 *     roce_guest *g = roce_guest_start("build/guest", "build/roce-guest.log", settings, error);
 *     while (!roce_guest_ended(g, NULL)) {
 *         length = roce_guest_receive(g, frame, sizeof frame);       0: nothing has come
 *         roce_guest_send(g, frame, length);
 *         roce_guest_says(g), roce_guest_tell(g, "run rping -c ...")     lines of its console; commands of
 * scripts/guest/init
 *     }
 *     roce_guest_free(g);
 *
 * Frames are Ethernet frames without FCS. Linux has no simulated time: its progress in a simulated second varies. Its
 * console goes to the log, and lines that begin with "guest: " are returned to the caller. QEMU ends with the program,
 * however that ends.
 */
#ifndef SIM_APP_ROCE_LINUX_ROCE_GUEST_H
#define SIM_APP_ROCE_LINUX_ROCE_GUEST_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { ROCE_GUEST_ERROR = 512, ROCE_GUEST_LINE = 512 };

typedef struct roce_guest roce_guest;

/* folder: where `start` is; log: a file that is overwritten; settings: NAME=VALUE of scripts/guest/init, NULL
 * at the end. NULL: error says what failed. */
roce_guest *roce_guest_start(const char *folder, const char *log, const char *const settings[],
                             char error[ROCE_GUEST_ERROR]);
/* The longest MTU that the guest of this folder takes; 0: it does not say. */
unsigned roce_guest_mtu(const char *folder);
/* Ends QEMU and waits for that. NULL is allowed. */
void roce_guest_free(roce_guest *g);

/* Both return at once. A frame that has come: its length, at most `size`; 0: none. Sent: 0, or -1: it is not taken now,
 * the guest is too slow or missing. */
size_t roce_guest_receive(roce_guest *g, uint8_t *frame, size_t size);
int roce_guest_send(roce_guest *g, const uint8_t *frame, size_t length);
/* Waits for a frame or a line, at most so long [ms]. */
void roce_guest_wait(roce_guest *g, int milliseconds);

/* The next line of its console that begins with "guest: ", without that; NULL: none yet. Valid until the next call. */
const char *roce_guest_says(roce_guest *g);
/* Why its output cannot be saved, a full disk for instance; NULL: it is saved. */
const char *roce_guest_unsaved(const roce_guest *g);
/* A line for its console, without the end of a line. -1: the guest does not take it. */
int roce_guest_tell(roce_guest *g, const char *line);
/* QEMU has ended: 1; *status is its exit code, if wanted. */
int roce_guest_ended(roce_guest *g, int *status);
/* Prints the last lines of the console, for the error text of a failed guest. */
void roce_guest_print_console(roce_guest *g, FILE *out);

#endif
