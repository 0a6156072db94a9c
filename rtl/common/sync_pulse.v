// Carries single pulses into another clock domain; small. For pulses that may come in bursts use sync_event.
//
// Each pulse inverts a toggle; the destination synchronises it with two flip-flops and gives one pulse per change.
// Consecutive pulses must have a distance of at least 3 destination clocks (by construction: not checked).
// Latency: the pulse is out 1 source clock + 1 to 2 destination clocks after the edge that ends the source's pulse.
//
//     src_pulse  _/~\_______________      (source clock)
//     toggle     ____/~~~~~~~~~~~~~~
//     dst_pulse  __________/~\______      (destination clock)
//
// With SAME_CLOCK nothing is synchronised: dst_pulse is src_pulse one clock later. Both sides are reset together.
`default_nettype none
module sync_pulse #(
    // 1: source and destination share one clock
    parameter SAME_CLOCK = 0
) (
    input  wire src_clk,
    input  wire src_rst,
    input  wire src_pulse,
    input  wire dst_clk,
    input  wire dst_rst,
    output wire dst_pulse
);
    initial
        if (SAME_CLOCK != 0 && SAME_CLOCK != 1) begin
            $display("%m: SAME_CLOCK must be 0 or 1, is %0d", SAME_CLOCK);
            $finish;
        end

    generate
        if (SAME_CLOCK != 0) begin : same
            reg  pulse;
            wire unused_source = &{1'b0, src_clk, src_rst};
            always @(posedge dst_clk)
                if (dst_rst) pulse <= 1'b0;
                else         pulse <= src_pulse;
            assign dst_pulse = pulse;
        end else begin : crossing
            reg  toggle;
            reg  seen;
            wire arriving;
            always @(posedge src_clk)
                if (src_rst)        toggle <= 1'b0;
                else if (src_pulse) toggle <= !toggle;
            sync_bit toggle_crossing (.clk (dst_clk), .rst (dst_rst), .in (toggle), .out (arriving));
            always @(posedge dst_clk)
                if (dst_rst) seen <= 1'b0;
                else         seen <= arriving;
            assign dst_pulse = arriving ^ seen;
        end
    endgenerate
endmodule
`default_nettype wire
