#include "sim/system/chips/switch_chip.h"

#include <stddef.h>
#include <string.h>

unsigned switch_ports(const sim_config *kind) { return (unsigned)sim_config_parameter(kind, "PORTS", 8); }

uint32_t switch_domain(const sim_config *kind)
{
    unsigned ports = switch_ports(kind);
    return (uint32_t)sim_config_parameter(kind, "DOMAIN", (1L << ports) - (1L << ports / 2));
}

#define PIN(name, member)                                                                                              \
    {                                                                                                                  \
#name, offsetof(switch_chip, member)                                                                           \
    }
static const struct {
    const char *name;
    size_t offset;
} pins[] = {
    PIN(clk_a, clk_a),
    PIN(run_clk_a, run_clk_a),
    PIN(run_a, run_a),
    PIN(clk_b, clk_b),
    PIN(run_clk_b, run_clk_b),
    PIN(run_b, run_b),
    PIN(rst_n, rst_n),
    PIN(mon_valid, mon_valid),
    PIN(mon_we, mon_we),
    PIN(mon_addr, mon_addr),
    PIN(mon_wdata, mon_wdata),
    PIN(mon_ready, mon_ready),
    PIN(mon_rvalid, mon_rvalid),
    PIN(mon_rdata, mon_rdata),
    PIN(gt_rx_data, pins.rx_data),
    PIN(gt_rx_k, pins.rx_k),
    PIN(gt_rx_notintable, pins.rx_notintable),
    PIN(gt_rx_disperr, pins.rx_disperr),
    PIN(gt_rx_loss_of_sync, pins.rx_loss_of_sync),
    PIN(gt_rx_buf_status, pins.rx_buf_status),
    PIN(gt_tx_buf_err, pins.tx_buf_err),
    PIN(gt_tx_data, pins.tx_data),
    PIN(gt_tx_k, pins.tx_k),
    PIN(gt_loopback, pins.loopback),
};

int switch_chip_make(const sim_config *kind, sim *s, const char *instance, switch_chip *chip)
{
    sim_model *m = kind->make(s, instance);
    if (!m) return -1;
    *chip = (switch_chip){.kind = kind, .ports = switch_ports(kind), .domain = switch_domain(kind), .model = m};
    for (size_t i = 0; i < sizeof pins / sizeof pins[0]; i++) {
        const sim_port *p = sim_model_port(m, pins[i].name);
        if (!p) return -1;
        memcpy((char *)chip + pins[i].offset, &p->at, sizeof p->at);
    }
    return 0;
}
