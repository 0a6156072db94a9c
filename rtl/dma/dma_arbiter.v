// DMA arbiter: which of the initiator's two sequences gets the bus next, the outgoing read or the incoming write.
//
// Contract: `arb_read` and `arb_write` say what could start now; `arb_pick_write` (combinational) chooses; `arb_started` with
// `arb_started_write` tells, for one clock, what has started. The choice matters only when both could start. Another policy is
// another file with these ports.
//
// This one lets a read go first, since it gives the bus back at its Split Response and a write then fills its latency; but no write
// waits for more than READS_IN_ROW reads (reads that are retried or answered at once would else keep it waiting). With several
// outstanding reads it should be 1: a read is then nearly always waiting, and what comes in would get a third of the bus only.
`default_nettype none
module dma_arbiter #(
    // reads that may start while a write waits, 1..3
    parameter READS_IN_ROW = 2
) (
    input  wire clk,
    input  wire rst,
    input  wire arb_read,
    input  wire arb_write,
    input  wire arb_started,
    input  wire arb_started_write,
    output wire arb_pick_write
);
    localparam [1:0] MOST = READS_IN_ROW[1:0];

    initial
        if (READS_IN_ROW < 1 || READS_IN_ROW > 3) begin
            $display("%m: READS_IN_ROW must be 1..3, is %0d", READS_IN_ROW);
            $finish;
        end

    reg [1:0] reads_in_row;    // reads started since the last write, saturating

    always @(posedge clk)
        if (rst)
            reads_in_row <= 2'd0;
        else if (arb_started)
            reads_in_row <= arb_started_write ? 2'd0 : (reads_in_row == MOST) ? MOST : reads_in_row + 2'd1;

    assign arb_pick_write = arb_write && (!arb_read || reads_in_row == MOST);

    // ---- measuring
    wire probe_busy  = arb_read || arb_write;
    wire probe_stall = arb_read && arb_write;
    wire probe_start = arb_started;
    wire probe_done  = arb_started;
endmodule
`default_nettype wire
