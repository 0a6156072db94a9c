/* Linux at the other end of the chip's line: a guest with software RoCE (roce_guest.h) runs rping against the chip, whose software
 * (sw/roce) is the server. Frames go between the line's end 1 and the guest as they come; simulated time goes on as fast as the simulator
 * can.
 *
 *     roce_system_params s = ...;  s.no_peer = 1;
 *     roce_linux *l = roce_linux_new(system, &p, error);       makes its tasks, one of which opens the chip and starts the guest
 *     sim_run(...)                                              until roce_linux_complete()
 *     roce_linux_verdict(l)
 *
 * What goes wrong with the guest ends the run by sim_fail: it is not up in time, ends too early, or is silent for a minute.
 */
#ifndef SIM_ROCE_ROCE_LINUX_H
#define SIM_ROCE_ROCE_LINUX_H

#include "rn_net.h"
#include "rn_rping.h"
#include "roce_guest.h"
#include "roce_system.h"

enum { ROCE_LINUX_CLIENTS = 16, ROCE_LINUX_SHORTEST = 64, ROCE_LINUX_LONGEST = 65535, ROCE_LINUX_COUNTERS = 32 };

typedef struct roce_linux_params {
    const char *guest;   /* folder that scripts/guest.sh has made; default build/guest */
    const char *console; /* file of what the guest prints; default build/roce-console.log */
    unsigned clients;    /* rpings at a time, 1..16; default 1 */
    unsigned pings;      /* of each; default 10 */
    unsigned size;       /* [bytes] of a ping, 64..65535; default 9000 */
    unsigned pmtu;       /* [bytes], which the guest's MTU follows; default 4096. Less than 1024: IPv4 only */
    unsigned ip;         /* 4 or 6; default 4 */
    unsigned timeout;    /* code of the chip's; default 8: 1 ms simulated, which is a second or two of Linux */
    int handshake;       /* 1: doorbells at the handshake ports; default 0 */
} roce_linux_params;
roce_linux_params roce_linux_defaults(void);

typedef struct roce_linux_counter {
    char name[32];
    uint64_t value;
} roce_linux_counter;

typedef struct roce_linux_result {
    unsigned good, bad;    /* rpings that ended with exit code 0, and with another one */
    rn_rping_stats server; /* of the chip's software */
    unsigned counters;     /* of /sys/class/infiniband/rxe0/ports/1/hw_counters, after the last rping */
    roce_linux_counter counter[ROCE_LINUX_COUNTERS];
    double boot, run; /* [s] of a clock on the wall: until the guest was up, and from then on */
} roce_linux_result;

typedef struct roce_linux roce_linux;

/* The system has no peer. NULL: a parameter is out of range, or there is no memory: error says which, and what was expected. */
roce_linux *roce_linux_new(roce_system *y, const roce_linux_params *params, char error[ROCE_SYSTEM_ERROR]);
/* Ends the guest, too. NULL is allowed. */
void roce_linux_free(roce_linux *l);
/* The guest has said that it is done, and the server has ended. */
int roce_linux_complete(const roce_linux *l);
const roce_linux_result *roce_linux_get_result(const roce_linux *l);
/* The value of a counter of Linux; 0: there is none of that name. */
uint64_t roce_linux_counter_of(const roce_linux *l, const char *name);
/* What is going on, as part of a line. */
void roce_linux_print_progress(const roce_linux *l, FILE *out);
/* For a run that failed: the last packets, what the server said last, and the end of the guest's console. */
void roce_linux_print(const roce_linux *l, FILE *out);

#endif
