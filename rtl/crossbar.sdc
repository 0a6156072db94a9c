# Clocks of crossbar.v: two crystals of 78.125 MHz (design.md 2); run clocks are the same behind a buffer.
create_clock -name clk_a -period 12.8 [get_ports {clk_a run_clk_a}]
create_clock -name clk_b -period 12.8 [get_ports {clk_b run_clk_b}]
set_clock_groups -asynchronous -group clk_a -group clk_b
