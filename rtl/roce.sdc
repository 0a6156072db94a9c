# The clock of roce.v with 8 bytes per clock: 156.25 MHz, 10 Gb/s. Its ports are registered outside.
create_clock -name clk -period 6.4 [get_ports clk]
