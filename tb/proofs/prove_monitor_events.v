// Proof of monitor_events: `bad` is never high, whatever events occur, and in whatever order turns come:
//
//   none lost   the short count of an event, 5 bits, is what has occurred since its last turn (31 at most)
//
// Assumed: `turn` counts, as monitor_side counts it, and goes on from elsewhere after a rest; rests are 16 clocks apart
// (STILL of crossbar).
`default_nettype none
module prove_monitor_events #(
    parameter RESTS_APART = 16,
    // the one that is looked at, 0..15: all are alike
    parameter EVENT = 7
) (
    input  wire        clk,
    input  wire        any_clear,
    input  wire        any_rest,
    input  wire [3:0]  any_slept,
    input  wire [15:0] any_events,
    output wire        bad
);
    reg running;                      // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;

    reg  [3:0] turn;
    reg  [4:0] since_rest;
    reg  [5:0] occurred;
    wire       rests = any_rest && since_rest >= RESTS_APART - 1;
    always @(posedge clk)
        if (!running || any_clear) begin
            turn       <= 4'd0;
            since_rest <= 5'd31;
            occurred   <= 6'd0;
        end else begin
            turn       <= turn + (rests ? any_slept : 4'd0) + 4'd1;
            since_rest <= rests ? 5'd0 : since_rest == 5'd31 ? 5'd31 : since_rest + 5'd1;
            occurred   <= (turn == EVENT ? 6'd0 : occurred) + {5'd0, any_events[EVENT]};
        end

    monitor_events counts (.clk (clk), .rst (!running), .clear (any_clear), .turn (turn), .events (any_events));

    (* hierconn *) wire [79:0] \counts.pending ;
    assign bad = running && {1'b0, \counts.pending [5*EVENT +: 5]} != occurred;
endmodule
`default_nettype wire
