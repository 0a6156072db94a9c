// Carries pulses from one clock domain to another; none is lost, none is doubled.
//
// The source counts its pulses in Gray code; the destination compares the synchronised count with the pulses it has
// emitted and emits one per clock until they agree. Any two clocks; up to 2**LOG2 - 1 pulses may be in flight.
// Latency of a lone pulse: 1 source clock + 3 destination clocks.
//
//     src_event  _/~\_____/~\___________      (source clock)
//     dst_event  ___________/~\_____/~\_      (destination clock)
//
// Both sides must be reset together, or a difference of old counts would come out as pulses.
`default_nettype none
module sync_event #(
    // log2 of the counters, 2..8
    parameter LOG2 = 4
) (
    input  wire src_clk,
    input  wire src_rst,
    input  wire src_event,   // one event per clock in which it is high
    input  wire dst_clk,
    input  wire dst_rst,
    output reg  dst_event    // as many clocks high as there were events
);
    reg  [LOG2-1:0] src_count;
    reg  [LOG2-1:0] src_gray;
    wire [LOG2-1:0] src_count_next = src_count + {{LOG2-1{1'b0}}, src_event};

    always @(posedge src_clk)
        if (src_rst) begin
            src_count <= {LOG2{1'b0}};
            src_gray  <= {LOG2{1'b0}};
        end else begin
            src_count <= src_count_next;
            src_gray  <= src_count_next ^ (src_count_next >> 1);
        end

    wire [LOG2-1:0] dst_gray;
    sync_bit #(.WIDTH(LOG2)) gray_crossing (.clk (dst_clk), .rst (dst_rst), .in (src_gray), .out (dst_gray));

    reg [LOG2-1:0] dst_given_gray;   // Gray code of the pulses emitted
    reg [LOG2-1:0] dst_given;
    wire [LOG2-1:0] dst_given_next = dst_given + {{LOG2-1{1'b0}}, 1'b1};

    always @(posedge dst_clk)
        if (dst_rst) begin
            dst_given      <= {LOG2{1'b0}};
            dst_given_gray <= {LOG2{1'b0}};
            dst_event      <= 1'b0;
        end else begin
            dst_event <= 1'b0;
            if (dst_gray != dst_given_gray) begin
                dst_event      <= 1'b1;
                dst_given      <= dst_given_next;
                dst_given_gray <= dst_given_next ^ (dst_given_next >> 1);
            end
        end
endmodule
`default_nettype wire
