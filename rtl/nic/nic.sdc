# Clocks of nic.v (design.md 2): PCI-X at 100 MHz and the network's 78.125 MHz; run clocks are the same behind a buffer.
# Between them signals cross through cells of rtl/common. Pins have registers of their own (pcix_pins, link_gt_tx).
create_clock -name pci -period 10 [get_ports {pci_clk pci_run_clk}]
create_clock -name net -period 12.8 [get_ports {net_clk net_run_clk}]
set_clock_groups -asynchronous -group pci -group net
