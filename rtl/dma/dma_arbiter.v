// DMA arbiter: which of the initiator's two sequences gets the bus next, the outgoing read or the incoming write.
//
// Contract: `arb_read` and `arb_write` say what could start now; `arb_pick_write` (combinational) chooses; `arb_started` with
// `arb_started_write` tells, for one clock, what has started. The choice matters only when both could start. Another policy is
// another file with these ports.
//
// This one lets a read go first, since it gives the bus back at its Split Response and a write then fills its latency; but no write
// waits for more than two reads (reads that are retried or answered at once would else keep it waiting).
`default_nettype none
module dma_arbiter (
    input  wire clk,
    input  wire rst,
    input  wire arb_read,
    input  wire arb_write,
    input  wire arb_started,
    input  wire arb_started_write,
    output wire arb_pick_write
);
    reg [1:0] reads_in_row;    // reads started since the last write, saturating

    always @(posedge clk)
        if (rst)
            reads_in_row <= 2'd0;
        else if (arb_started)
            reads_in_row <= arb_started_write ? 2'd0 : (reads_in_row == 2'd2) ? 2'd2 : reads_in_row + 2'd1;

    assign arb_pick_write = arb_write && (!arb_read || reads_in_row == 2'd2);

    // ---- measuring
    wire probe_busy  = arb_read || arb_write;
    wire probe_stall = arb_read && arb_write;
    wire probe_start = arb_started;
    wire probe_done  = arb_started;
endmodule
`default_nettype wire
