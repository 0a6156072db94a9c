/* Linux at an end of an Ethernet line: a guest with software RoCE (roce_guest.h). Frames go between the line and the
 * guest as they come; simulated time goes on as fast as the simulator can. A function of the user chooses the programs
 * in the guest:
 *
 *     static void talk(void *self, roce_linux *l)                  called in a task
 *     {
 *         if (roce_system_open(y) || roce_linux_boot(l)) return;   the other end of the line first
 *         roce_linux_mtu(l, 1024);
 *         roce_linux_run(l, "rping -c -a 10.0.0.1 -V -C 5");       roce_linux_get_result(l)->good
 *         roce_linux_read_counters(l);
 *     }
 *
 *     roce_linux_params p = roce_linux_defaults();  p.talk = talk;
 *     roce_linux *l = roce_linux_new(sim, clock, wire, &p, error);
 *     sim_run(...)                                                 until roce_linux_complete()
 *
 * A failure of the guest ends the run by sim_fail: it is not up in time, ends too early, is silent for too long, or its
 * output cannot be saved.
 */
#ifndef SIM_APP_ROCE_LINUX_ROCE_LINUX_H
#define SIM_APP_ROCE_LINUX_ROCE_LINUX_H

#include "sim/app/roce/linux/roce_guest.h"
#include "sim/model/ethernet/ethernet_wire.h"

enum { ROCE_LINUX_COUNTERS = 32, ROCE_LINUX_COMMANDS = 4000 };

typedef struct roce_linux roce_linux;

typedef struct roce_linux_params {
    const char *guest;   /* folder that scripts/guest.py has made; default build/guest */
    const char *console; /* file of the guest's output; default build/roce-console.log */
    int end;             /* of the line; default 1 */
    double up;           /* [s] on the wall until it must be up; default 120 */
    double silent;       /* [s] wall time without an awaited frame or line; default 60 */
    void (*talk)(void *self, roce_linux *l);
    void *self;
} roce_linux_params;
roce_linux_params roce_linux_defaults(void);

typedef struct roce_linux_counter {
    char name[32];
    uint64_t value;
} roce_linux_counter;

typedef struct roce_linux_result {
    unsigned good, bad; /* commands that ended with exit code 0, and with another one */
    unsigned counters;  /* of /sys/class/infiniband/rxe0/ports/1/hw_counters, as read last */
    roce_linux_counter counter[ROCE_LINUX_COUNTERS];
    double boot, run; /* [s] on the wall: until the guest was up, and from then on */
} roce_linux_result;

/* The clock is the one by which it looks for frames. NULL: there is no memory. */
roce_linux *roce_linux_new(sim *s, sim_clock *clock, ethernet_wire *wire, const roce_linux_params *params);
/* Also ends the guest. NULL is allowed. */
void roce_linux_free(roce_linux *l);
/* `talk` has returned, and the guest has said that it is done. */
int roce_linux_complete(const roce_linux *l);
const roce_linux_result *roce_linux_get_result(const roce_linux *l);
/* The value of a counter of Linux; 0: there is none of that name. */
uint64_t roce_linux_counter_of(const roce_linux *l, const char *name);

/* ---- from `talk`: each waits until Linux has done it. 0, or -1: the run ends (sim_fail). */

/* Starts the guest. Until it is up simulated time advances very slowly. */
int roce_linux_boot(roce_linux *l);
/* The MTU for a path MTU; from 1024 on it is enough for IPv6. */
unsigned roce_linux_mtu_for(unsigned pmtu);
int roce_linux_mtu(roce_linux *l, unsigned pmtu);
/* Programs with their arguments; with semicolons between several, all at once. */
int roce_linux_run(roce_linux *l, const char *commands);
/* start: returns when the program has printed its name, so is ready; join: when it has ended, which must be with exit
 * code 0. */
int roce_linux_start(roce_linux *l, const char *program);
int roce_linux_join(roce_linux *l);
int roce_linux_read_counters(roce_linux *l);
/* Waits until a message from Linux sets the flag. */
int roce_linux_wait(roce_linux *l, const int *flag);
/* Software at the other end that does something meanwhile. It returns 1: something was done, 0: nothing, negative:
 * sim_fail was called. NULL: none. */
void roce_linux_on_wait(roce_linux *l, int (*work)(void *self), void *self);

/* ---- sideband frames */

/* Linux' frames, before they go to the line: 1, the function has taken it. NULL: none. */
void roce_linux_on_frame(roce_linux *l, int (*take)(void *self, const uint8_t *frame, size_t length), void *self);
/* A frame for Linux: simulated time waits until it is taken. 0, or -1: the run ends. */
int roce_linux_give(roce_linux *l, const uint8_t *frame, size_t length);

/* The current activity, as part of a line. */
void roce_linux_print_progress(const roce_linux *l, FILE *out);
/* For a run that failed: the last packets, and the end of the guest's console. */
void roce_linux_print(const roce_linux *l, FILE *out);

#endif
