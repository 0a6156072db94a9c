#include "sim/system/chips/coherent_chip.h"

#include <stdio.h>
#include <string.h>

struct finder {
    const sim_model *m;
    int missing;
};

/* Where a port is; `bits` of it are expected. */
static void *find(struct finder *f, const char *prefix, const char *name, unsigned bits)
{
    char whole[40];
    snprintf(whole, sizeof whole, "%s%s", prefix, name);
    const sim_port *p = sim_model_port(f->m, whole);
    if (p && p->bits == bits) return p->at;
    if (p)
        sim_fail(sim_model_sim(f->m), "%s: port %s has %u bits, expected %u", sim_model_name(f->m), whole, p->bits,
                 bits);
    f->missing = 1;
    return NULL;
}

#define AT(name, bits) find(&f, "", #name, bits)
#define OF(name, bits) find(&f, prefix, #name, bits)

int coherent_chip_make(const sim_config *kind, sim *s, const char *instance, coherent_chip *chip)
{
    struct finder f = {kind->make(s, instance), 0};
    if (!f.m) return -1;
    memset(chip, 0, sizeof *chip);
    chip->model = (sim_model *)f.m;
    chip->clk = AT(clk, 1);
    chip->net_clk = AT(net_clk, 1);
    chip->rst_n = AT(rst_n, 1);
    for (unsigned i = 0; i < COHERENT_CPUS; i++) {
        const char *prefix = i ? "p1_" : "p0_";
        chip->plb[i] =
            (plb_master_pins){OF(request, 1),  OF(rnw, 1),       OF(size2, 1),     OF(be, 8),      OF(abort, 1),
                              OF(priority, 2), OF(cacheable, 1), OF(writethru, 1), OF(guarded, 1), OF(u0attr, 1),
                              OF(abus, 32),    OF(wrdbus, 64),   OF(addrack, 1),   OF(ssize1, 1),  OF(rddack, 1),
                              OF(rdwdaddr, 3), OF(wrdack, 1),    OF(busy, 1),      OF(err, 1),     OF(rddbus, 64)};
        prefix = i ? "m1_" : "m0_";
        chip->private_plb[i] =
            (plb_slave_pins){OF(request, 1),  OF(rnw, 1),     OF(size2, 1),   OF(be, 8),     OF(abort, 1),
                             OF(abus, 32),    OF(wrdbus, 64), OF(addrack, 1), OF(ssize1, 1), OF(rddack, 1),
                             OF(rdwdaddr, 3), OF(wrdack, 1),  OF(busy, 1),    OF(err, 1),    OF(rddbus, 64)};
    }
    chip->memory = (external_pins){.mem_valid = AT(mem_valid, 1),
                                   .mem_we = AT(mem_we, 1),
                                   .mem_addr = AT(mem_addr, 25),
                                   .mem_wdata = AT(mem_wdata, 72),
                                   .mem_be = AT(mem_be, 9),
                                   .mem_ready = AT(mem_ready, 1),
                                   .mem_rvalid = AT(mem_rvalid, 1),
                                   .mem_rdata = AT(mem_rdata, 72)};
    chip->gt = (gt_pins){.rx_data = AT(gt_rx_data, 32),
                         .rx_k = AT(gt_rx_k, 4),
                         .rx_notintable = AT(gt_rx_notintable, 4),
                         .rx_disperr = AT(gt_rx_disperr, 4),
                         .rx_loss_of_sync = AT(gt_rx_loss_of_sync, 1),
                         .rx_buf_status = AT(gt_rx_buf_status, 2),
                         .tx_buf_err = AT(gt_tx_buf_err, 1),
                         .tx_data = AT(gt_tx_data, 32),
                         .tx_k = AT(gt_tx_k, 4),
                         .loopback = AT(gt_loopback, 2)};
    return f.missing ? -1 : 0;
}
