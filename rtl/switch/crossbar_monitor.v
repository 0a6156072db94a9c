// Monitor of the switch (S4 3.7): settings, status and counters behind one register port. The registers: rtl/switch/registers.map.
//
// Everything that belongs to port p is kept in the clock of port p (clk_b if DOMAIN[p], else clk_a): p's settings, the counts of what it
// has forwarded as an output, of what went wrong there as an input or output. The register port is in clk_a; an access to a port of the
// other clock goes over and back through sync_word, and takes about 40 clocks; one of the same clock about 5.
//
// What is counted of a packet is told by the output port (`out_*`) when it starts to leave, and by the crosspoint (`arrived`) when its first
// word is there. The forwarding time is taken in clocks of the output from `arrived` to `out_start`, FORWARDING_OFFSET added, for one
// packet per flow at a time; its start is known to the clock that the synchronisation takes more or less.
//
// MONITOR = 0 leaves out all counters (they read 0). Settings and status stay.
`default_nettype none
module crossbar_monitor #(
    // ports of the switch, 2..16
    parameter PORTS = 8,
    // log2 of PORTS, rounded up
    parameter LOG2_PORTS = 3,
    // bit p: port p is on clk_b
    parameter [PORTS-1:0] DOMAIN = 0,
    // 1: with counters; 0: without
    parameter MONITOR = 1,
    // clocks from the header CRC at the receiving port to `arrived`, plus those from `out_start` to SOP at the transmitter, 0..255
    parameter FORWARDING_OFFSET = 0,
    // buffer of the NICs behind the ports after reset [units], 1..4095
    parameter CAPACITY_UNITS = 2046
) (
    input  wire                          clk_a,
    input  wire                          rst_a,
    input  wire                          clk_b,
    input  wire                          rst_b,

    // register port, clk_a: an access is taken in a clock with mon_valid and mon_ready; a read is answered by mon_rvalid
    input  wire                          mon_valid,
    input  wire                          mon_we,
    input  wire [15:2]                   mon_addr,
    input  wire [31:0]                   mon_wdata,
    output wire                          mon_ready,
    output wire                          mon_rvalid,
    output wire [31:0]                   mon_rdata,

    // settings, slice p in the clock of port p
    output wire [PORTS-1:0]              port_enable,      // 0: the port is down
    output wire [PORTS*24-1:0]           port_down_time,   // clocks without synchronisation after which a port is down
    output wire [PORTS*12-1:0]           port_capacity,    // buffer of the NIC behind it [units]
    output wire [PORTS*PORTS-1:0]        input_enable,     // bit o*PORTS+i: output o may serve input i
    output wire [PORTS*PORTS*8-1:0]      weight,           // [(o*PORTS+i)*8 +: 8]: weight of input i at output o

    // status, slice p in the clock of port p
    input  wire [PORTS*8-1:0]            port_status,      // [0] link synchronised [1] down [2] draining [3] credits valid [7:4] 0
    input  wire [PORTS*24-1:0]           port_view,        // [23:12] units transmitted to the NIC [11:0] its last credit

    // packets, in the clock of output o
    input  wire [PORTS*PORTS-1:0]        arrived,          // bit o*PORTS+i: from the crosspoint of input i
    input  wire [PORTS*PORTS*10-1:0]     occupancy,        // [(o*PORTS+i)*10 +: 10]: words in it
    input  wire [PORTS-1:0]              out_start,        // a packet starts to leave; not twice within 7 clocks
    input  wire [PORTS-1:0]              out_drained,      // ... or is drained; not twice within 5 clocks
    input  wire [PORTS*LOG2_PORTS-1:0]   out_input,        // its input
    input  wire [PORTS*10-1:0]           out_units,        // its size

    // events of port p in [16*p +: 16], in the clock of port p: one clock each
    //     0 header CRC wrong       1 dropped: length          2 dropped: no such output     3 dropped: no space
    //     4 alignment              5 padded (broke off)       6 credit rejected             7 check record received
    //     8 check record unknown   9 synchronisation lost    10 port went down             11 drained
    //    12 crosspoint overflow (of row p)    13 crosspoint underflow (of column p)    14 scheduler overflow    15 code error
    input  wire [PORTS*16-1:0]           port_events
);
endmodule
`default_nettype wire
