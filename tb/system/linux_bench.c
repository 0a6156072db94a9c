#include "linux_bench.h"

#include <stdio.h>
#include <stdlib.h>

#include "crossbar2.h"
#include "nic_register_map.h"
#include "test.h"

/* What a test may say of a run. */
linux_options guest_options(int (*guest)(int argc, char **argv))
{
    char error[OPTION_ERROR] = "";
    char name[] = "linux";
    char *none[] = {name, NULL};
    linux_options o;
    ck_assert_int_eq(linux_options_read(&o, 1, none, error), 0);
    o.guest = guest;
    o.logs = shell_folder();
    return o;
}

/* Two of these guests; the world, after its run. */
linux_world *run_with(const linux_options *o, int code)
{
    char error[LINUX_ERROR] = "";
    linux_world *w = linux_world_new(o, &crossbar2_config, error);
    ck_assert_msg(w != NULL, "%s", error);
    const int got = linux_world_run(w);
    if (got != code) {
        (void)shell("cat $D/*.log >&2");
        linux_report(w, stderr);
    }
    ck_assert_msg(got == code, "code %d, expected %d: %s", got, code, w->failure);
    return w;
}

linux_world *run_guests(int (*guest)(int argc, char **argv), int code)
{
    const linux_options o = guest_options(guest);
    return run_with(&o, code);
}

/* ---- software of guests ---- */

void must(int good, const char *what)
{
    if (good) return;
    fprintf(stderr, "not so: %s\n", what);
    exit(4);
}

/* Opens the driver on the NIC and waits for its link. */
seat *open_nic(int argc, char **argv)
{
    static seat n;
    nx_params params = nx_params_default();
    n.g = c_guest_new(argc, argv);
    n.p = c_guest_platform(n.g);
    params.node_id = n.g->host - 1;
    params.direct = 0;
    must(!nx_bus_scan(&n.p, NULL, &n.bus), "the bus is scanned");
    must(!nx_open(&n.p, nx_bus_find(n.bus, NX_VENDOR_ID, NX_DEVICE_ID, 0), &params, &n.dev), "the driver opens");
    must(!nx_wait_link(n.dev), "the link is up");
    return &n;
}

int close_nic(seat *n)
{
    const c_guest *g = n->g;
    printf("at %llu ns, %llu polls, %u interrupts\n", (unsigned long long)g->now, (unsigned long long)g->polls,
           g->interrupts);
    nx_close(n->dev);
    nx_bus_free(n->bus);
    return c_guest_end(n->g, 0);
}
