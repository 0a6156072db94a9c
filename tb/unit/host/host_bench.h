/* A host with one device in slot 1, in C or the RTL core, and tests whose body is a task: the software on that host.
 *
 *     static host_bench b = {.core = true};
 *
 *     HOST_TEST(loads_work, p.read_waits = 3, .to = 4)
 *     {
 *         ck_assert_int_eq(host_read(b.h, ...), PCIX_OK);
 *     }
 */
#ifndef NICXBAR_TB_HOST_BENCH_H
#define NICXBAR_TB_HOST_BENCH_H

#include "c_device.h"
#include "core_user.h"
#include "sim/model/host/host.h"
#include "simulation.h"

/* Where BAR0 and BAR1 of the core are; the device in C has only the latter. */
enum { HOST_WINDOW = 0xc8000000u, HOST_REGISTERS = 0xd0000000u };

typedef struct host_bench {
    bool core;     /* the device is pcix_core with SPLITS = 4 */
    bool quiet;    /* some of its runs end badly, on purpose */
    bool in_reset; /* the software begins while RST# is low, and nothing is configured */
    sim *s;
    sim_clock *clk; /* 100 MHz */
    host *h;        /* NULL: the parameters were refused */
    memory *memory; /* these four are the host's */
    pcix_bridge *bridge;
    pcix_monitor *monitor;
    pcix_faults *faults;
    c_device device;
    core_user user;
    pcix_transaction records[256]; /* every transaction since the software began, the first ones */
    unsigned count;
    int result; /* of sim_run */
    void (*software)(int _i);
    int _i;
} host_bench;

/* Makes all but the three above again and runs software(_i) as a task to its end, at most 20 ms. It begins when the
 * device may be used and master the bus, with reads of 4096 bytes and the largest number of splits. */
void host_bench_run(host_bench *b, host_params p, void (*software)(int _i), int _i);
/* The run has ended well, the core has kept its contract, the monitor has seen nothing wrong and all that it was to
 * expect. */
void host_bench_ok(const host_bench *b);
/* Of the software: waits until the DMA (NULL: everything posted by the CPU) is done; fails the test after `limit`
 * clocks. */
void host_bench_finish(host_bench *b, const c_dma *dma, unsigned limit);
/* A posted write, past the CPU's buffers. */
void host_bench_post(host_bench *b, uint64_t address, const void *data, unsigned size, bool combined);

/* A test that must end well, on the bench `b` of its file. `p` is host_params_ideal() until `settings` changes it: just
 * p, if nothing. */
#define HOST_TEST(name, settings, ...)                                                                                 \
    static void name##_software(int _i);                                                                               \
    TEST(name, __VA_ARGS__)                                                                                            \
    {                                                                                                                  \
        host_params p = host_params_ideal();                                                                           \
        (void)(settings);                                                                                              \
        host_bench_run(&b, p, name##_software, _i);                                                                    \
        host_bench_ok(&b);                                                                                             \
    }                                                                                                                  \
    static void name##_software(__attribute__((unused)) int _i)

#endif
