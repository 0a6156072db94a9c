// Carries a pulse with a value into another clock domain. The source holds the value: `src_data` must not change from
// the clock of `src_pulse` on until at least 3 destination clocks and one source clock later. So it needs no register
// here, and one value can be handed to many destinations, each through a cell of its own.
//
// Latency and distance of the pulses: as in sync_pulse; `dst_data` is read in the clock of `dst_pulse` only.
`default_nettype none
module sync_held #(
    // bits of the value, >= 1
    parameter WIDTH = 8,
    // 1: source and destination share one clock; the pulse is still one clock late, as with different ones
    parameter SAME_CLOCK = 0
) (
    input  wire             src_clk,
    input  wire             src_rst,
    input  wire             src_pulse,
    input  wire [WIDTH-1:0] src_data,   // held by the source, see above
    input  wire             dst_clk,
    input  wire             dst_rst,
    output wire             dst_pulse,
    output wire [WIDTH-1:0] dst_data    // in the clock of dst_pulse only
);
    sync_pulse #(.SAME_CLOCK(SAME_CLOCK)) pulse_crossing (
        .src_clk (src_clk), .src_rst (src_rst), .src_pulse (src_pulse), .dst_clk (dst_clk), .dst_rst (dst_rst),
        .dst_pulse (dst_pulse)
    );
    assign dst_data = src_data;
endmodule
`default_nettype wire
