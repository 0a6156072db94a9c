/* See host_bench.h. */
#include "host_bench.h"

#include "pcix_core_4.h"

CLEANUP(host_free);

static void run_software(void *bench)
{
    const host_bench *b = bench;
    b->software(b->_i);
}

static void plug_core(host_bench *b)
{
    pcix_core_4 *m = pcix_core_4_new(b->s, "core");
    pcix_pins pins = CORE_PINS(m);
    sim_model_clock(m->model, b->clk, m->clk);
    ck_assert_int_ge(host_plug(b->h, 1, &pins), 0);
    core_user_init(&b->user, b->clk, m->model);
}

static void plug_c_device(host_bench *b)
{
    c_device_init(&b->device, host_bus(b->h), 1);
    pcix_monitor_set_capability(host_monitor(b->h), b->device.agent, 0x48);
}

void host_bench_run(host_bench *b, host_params p, void (*software)(int _i), int _i)
{
    b->software = software;
    b->_i = _i;
    b->s = b->quiet ? quiet_sim(0) : loud_sim(0);
    b->clk = make_clock(b->s, "pci", 10 * SIM_NS, 0);
    b->h = host_new(b->s, b->clk, &p, "host0");
    after_test(host_free_cleanup, b->h);
    if (b->h != NULL) (b->core ? plug_core : plug_c_device)(b);
    sim_task_new(b->s, "software", run_software, b);
    b->result = sim_run(b->s, 20 * SIM_MS);
}

static void configure(host_bench *b, int reg, int size, uint32_t value)
{
    ck_assert_int_eq(host_config_write(b->h, 1, reg, size, value), PCIX_OK);
}

void host_bench_up(host_bench *b)
{
    host_reset(b->h);
    if (b->core) {
        uint32_t id = 0;
        ck_assert_int_eq(host_config_read(b->h, 1, 0x00, 4, &id), PCIX_OK);
        ck_assert_uint_eq(id, 0x17df1600u);
        configure(b, 0x10, 4, HOST_WINDOW);
        configure(b, 0x14, 4, HOST_REGISTERS);
        configure(b, 0x4a, 2, 0x3c);
    }
    configure(b, 0x04, 2, 0x146); /* memory, master, parity response, SERR# */
}

void host_bench_ok(const host_bench *b)
{
    ck_assert_msg(b->result == SIM_OK, "%s: %s", sim_result_name(b->result), sim_error(b->s));
    ck_assert_uint_eq(b->user.problems, 0);
    ck_assert_uint_eq(b->user.underflows, 0);
    ck_assert_uint_eq(pcix_monitor_violations(host_monitor(b->h)), 0);
    ck_assert_uint_eq(pcix_monitor_missing(host_monitor(b->h)), 0);
}
