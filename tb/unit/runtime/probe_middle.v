// Fixture: a level of hierarchy without probes above one with.
`default_nettype none
module probe_middle (
    input  wire       clk,
    input  wire       rst,
    input  wire       start,
    input  wire [7:0] length,
    output wire [7:0] left
);
    probe_counter job (.clk (clk), .rst (rst), .start (start), .length (length), .hold (1'b0), .left (left));
endmodule
`default_nettype wire
