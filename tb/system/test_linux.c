/* make linux without a kernel: guests in C in its place. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "c_guest.h"
#include "crossbar2.h"
#include "nx.h"
#include "nx_bus.h"
#include "shell.h"
#include "sim/app/linux/linux_world.h"
#include "test.h"

TEST_CASE("linux", .timeout = 120, .teardown = shell_clean);

/* Two of these guests; the world, after its run. */
static linux_world *run_guests(int (*guest)(int argc, char **argv), int code)
{
    char error[LINUX_ERROR] = "";
    linux_options o;
    char *const none[] = {(char *)"linux", NULL};
    ck_assert_int_eq(linux_options_read(&o, 1, (char **)none, error), 0);
    o.guest = guest;
    o.out = shell_folder();
    linux_world *w = linux_world_new(&o, &crossbar2_config, error);
    ck_assert_msg(w != NULL, "%s", error);
    const int got = linux_world_run(w);
    if (got != code) {
        (void)!system("cat $D/linux/*.log >&2");
        linux_report(w, stderr);
    }
    ck_assert_msg(got == code, "code %d, expected %d: %s", got, code, w->failure);
    return w;
}

/* Opens the driver on the NIC and waits for its link. */
static nx_device *open_nic(c_guest *g, struct nx_platform *p, nx_bus **bus)
{
    nx_params params = nx_params_default();
    nx_device *dev = NULL;
    params.node_id = g->host - 1;
    if (nx_bus_scan(p, NULL, bus) || nx_open(p, nx_bus_find(*bus, NX_VENDOR_ID, NX_DEVICE_ID, 0), &params, &dev) ||
        nx_wait_link(dev)) {
        fprintf(stderr, "%s\n", dev ? nx_last_error(dev) : nx_bus_last_error(*bus));
        exit(4);
    }
    return dev;
}

static int enumerate(int argc, char **argv)
{
    c_guest *g = c_guest_new(argc, argv);
    struct nx_platform p = c_guest_platform(g);
    nx_bus *bus = NULL;
    uint32_t id = 0;
    p.config_read(p.self, 1, 0, 4, &id);
    nx_device *dev = open_nic(g, &p, &bus);
    printf("id %08x, %u queues, %llu ns, %llu polls\n", id, nx_queues(dev), (unsigned long long)g->now,
           (unsigned long long)g->polls);
    return c_guest_end(g, id != (NX_DEVICE_ID << 16 | NX_VENDOR_ID));
}

TEST(two_guests_enumerate_their_nics_and_get_their_links_up)
{
    linux_world *w = run_guests(enumerate, 0);
    ck_assert_int_eq(shell("grep -q '^id 17df1600, 8 queues' $D/linux/host1.log"), 0);
    ck_assert_uint_gt(guest_bus_get_counts(w->guest[0].bus)->config_reads, 10);
    ck_assert_uint_eq(guest_bus_get_counts(w->guest[0].bus)->failed, 0);
   
    linux_world_free(w);
}
