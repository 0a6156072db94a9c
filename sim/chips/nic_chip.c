#include "nic_chip.h"

int nic_chip_make(const sim_config *kind, sim *s, const char *instance, nic_chip *chip)
{
    sim_model *m = kind->make(s, instance);
    const nic *n = m ? sim_model_as(m, &nic_config, NULL) : NULL;
    if (!n) return -1;
    *chip = (nic_chip){m,          n->pci_clk, n->pci_run_clk, n->net_clk,       n->net_run_clk,
                       n->pci_run, n->net_run, PCIX_PINS(n),   EXTERNAL_PINS(n), *GT_PINS(n)};
    return 0;
}
