/* See host_bench.h. */
#include "host_bench.h"

#include "pcix_core_4.h"

CLEANUP(host_free);

static void configure(host_bench *b, int reg, int size, uint32_t value)
{
    ck_assert_int_eq(host_config_write(b->h, 1, reg, size, value), PCIX_OK);
}

static void bring_up(host_bench *b)
{
    host_reset(b->h);
    if (b->core) {
        uint32_t id = 0;
        ck_assert_int_eq(host_config_read(b->h, 1, 0x00, 4, &id), PCIX_OK);
        ck_assert_uint_eq(id, 0x17df1600u);
        configure(b, 0x10, 4, HOST_WINDOW);
        configure(b, 0x14, 4, HOST_REGISTERS);
    }
    configure(b, 0x04, 2, 0x146); /* memory, master, parity response, SERR# */
    configure(b, 0x4a, 2, b->core ? 0x3c : 0x7c);
    sim_wait_cycles(b->clk, 20);
    host_stats_clear(b->h);
    b->count = 0;
}

static void run_software(void *bench)
{
    host_bench *b = bench;
    if (b->h != NULL && !b->in_reset) bring_up(b);
    b->software(b->_i);
}

static void record(void *bench, const pcix_transaction *t)
{
    host_bench *b = bench;
    if (b->count < COUNT(b->records)) b->records[b->count++] = *t;
}

static void drive_core(void *user)
{
    core_user *u = user;
    *u->p.rst = !*u->p.rst_n_pin;
    *u->p.arb_pick_write = !u->started_write; /* take turns */
    core_user_drive(u);
}

static void plug_core(host_bench *b)
{
    pcix_core_4 *m = pcix_core_4_new(b->s, "core");
    pcix_pins pins = CORE_PINS(m);
    sim_model_clock(m->model, b->clk, m->pin_clk);
    sim_model_clock(m->model, b->clk, m->clk);
    ck_assert_int_ge(host_plug(b->h, 1, &pins), 0);
    core_user_init(&b->user, b->s, m->model);
    sim_clock_attach(b->clk, core_user_sample, drive_core,
                     &b->user); /* behind the host, so that inputs of the core follow the bus */
}

static void plug_c_device(host_bench *b)
{
    c_device_init(&b->device, host_bus(b->h), 1);
    pcix_monitor_set_capability(host_monitor(b->h), b->device.agent, 0x48);
}

static void make_host(host_bench *b, const host_params *p)
{
    b->h = host_new(b->s, b->clk, p, "host0");
    after_test(host_free_cleanup, b->h);
    if (b->h == NULL) return;
    b->memory = host_memory(b->h);
    b->bridge = host_bridge(b->h);
    b->monitor = host_monitor(b->h);
    b->faults = host_faults(b->h);
    host_on_transaction(b->h, record, b);
    (b->core ? plug_core : plug_c_device)(b);
}

void host_bench_run(host_bench *b, host_params p, void (*software)(int _i), int _i)
{
    b->software = software;
    b->_i = _i;
    b->s = b->quiet ? quiet_sim(0) : loud_sim(0);
    b->clk = make_clock(b->s, "pci", 10 * SIM_NS, 0);
    make_host(b, &p);
    sim_task_new(b->s, "software", run_software, b);
    b->result = sim_run(b->s, 20 * SIM_MS);
}

void host_bench_ok(const host_bench *b)
{
    ck_assert_msg(b->result == SIM_OK, "%s: %s", sim_result_name(b->result), sim_error(b->s));
    ck_assert_msg(b->user.problem == NULL, "%s", b->user.problem);
    ck_assert_uint_eq(b->user.ev.underflow, 0);
    ck_assert_uint_eq(pcix_monitor_violations(b->monitor), 0);
    ck_assert_uint_eq(pcix_monitor_missing(b->monitor), 0);
}

void host_bench_finish(host_bench *b, const c_dma *dma, unsigned limit)
{
    while (dma != NULL ? !dma->done : pcix_bridge_posted(b->bridge) != 0) {
        ck_assert_msg(limit-- > 0, "not finished");
        sim_wait_cycles(b->clk, 1);
    }
    sim_wait_cycles(b->clk, 10);
}

void host_bench_post(host_bench *b, uint64_t address, const void *data, unsigned size, bool combined)
{
    while (!pcix_bridge_post(b->bridge, address, data, size, NULL, combined)) sim_wait_cycles(b->clk, 1);
}
