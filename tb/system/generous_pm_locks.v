// Locks of packet mode that everybody gets who asks: pm_switch must report two that hold the same one.
`default_nettype none
module generous_pm_locks #(
    parameter PORTS = 16,
    // computed, not to be set
    parameter PW    = $clog2(PORTS)
) (
    input  wire                clk,
    input  wire                rst,
    input  wire [PORTS-1:0]    ask,
    input  wire [PORTS*PW-1:0] ask_input,
    output reg  [PORTS-1:0]    granted,
    input  wire [PORTS-1:0]    release_valid,
    input  wire [PORTS*PW-1:0] release_input,
    output wire [PORTS-1:0]    free
);
    assign free = {PORTS{1'b1}};
    always @(posedge clk) granted <= rst ? {PORTS{1'b0}} : ask;
    wire unused = &{1'b0, ask_input, release_valid, release_input};
endmodule
`default_nettype wire
