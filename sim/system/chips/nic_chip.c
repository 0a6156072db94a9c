#include "sim/system/chips/nic_chip.h"

#include <string.h>

const sim_config *nic_kind_of(const nic_kind *kinds, const char *name)
{
    for (; kinds && kinds->name; kinds++)
        if (!strcmp(kinds->name, name)) return kinds->config;
    return NULL;
}

/* Vectors over the links. */
#define OF_LINKS                                                                                                       \
    "gt_tx_data gt_tx_k gt_rx_data gt_rx_k gt_rx_notintable gt_rx_disperr gt_rx_loss_of_sync gt_rx_buf_status "        \
    "gt_tx_buf_err gt_loopback"

int nic_chip_make(const sim_config *kind, sim *s, const char *instance, nic_chip *chip)
{
    sim_model *m = kind->make(s, instance);
    const nic *n = m ? sim_model_as(m, &nic_config, OF_LINKS) : NULL;
    const nic_ports *p = n ? sim_model_ports_as(m, &nic_config) : NULL;
    if (!p) return -1;
    const gt_pins gt = {p->gt_rx_data.at,
                        p->gt_rx_k.at,
                        p->gt_rx_notintable.at,
                        p->gt_rx_disperr.at,
                        p->gt_rx_loss_of_sync.at,
                        p->gt_rx_buf_status.at,
                        p->gt_tx_buf_err.at,
                        p->gt_tx_data.at,
                        p->gt_tx_k.at,
                        p->gt_loopback.at,
                        0};
    *chip = (nic_chip){m,          n->pci_clk, n->pci_run_clk, n->net_clk,       n->net_run_clk,
                       n->pci_run, n->net_run, PCIX_PINS(n),   EXTERNAL_PINS(n), gt};
    return 0;
}
