/* Runs of make linux with guests in C in place of kernels (c_guest.h). */
#ifndef TB_SYSTEM_LINUX_BENCH_H
#define TB_SYSTEM_LINUX_BENCH_H

#include "c_guest.h"
#include "nx.h"
#include "nx_bus.h"
#include "shell.h"
#include "sim/app/linux/linux_world.h"

/* What a test may say of a run. */
linux_options guest_options(int (*guest)(int argc, char **argv));
/* Two of these guests; the world, after its run, which must end with this code. */
linux_world *run_with(const linux_options *o, int code);
linux_world *run_guests(int (*guest)(int argc, char **argv), int code);
#define ck_log_has(host, text) ck_assert_int_eq(shell("grep -q '%s' $D/host%u.log", text, host), 0)

/* ---- software of guests: what is not so ends it with code 4 ---- */

void must(int good, const char *what);
typedef struct seat {
    c_guest *g;
    struct nx_platform p;
    nx_bus *bus;
    nx_device *dev;
} seat;
/* Opens the driver on the NIC and waits for its link. */
seat *open_nic(int argc, char **argv);
int close_nic(seat *n);

#endif
