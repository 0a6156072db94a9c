// DMA arbiter: which of the initiator's two sequences gets the bus next, the outgoing read or the incoming write.
//
// Contract: `arb_read` and `arb_write` say what could start now; `arb_pick_write` (combinational) chooses; `arb_started` with
// `arb_started_write` tells, for one clock, what has started. The choice matters only when both could start. Another policy is
// another file with these ports.
//
// This one alternates, so neither direction waits for more than one transaction of the other (S2 2.2: arbitration per packet).
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
    reg last_was_write;

    always @(posedge clk)
        if (rst)              last_was_write <= 1'b0;
        else if (arb_started) last_was_write <= arb_started_write;

    assign arb_pick_write = arb_write && (!arb_read || !last_was_write);

    // ---- measuring
    wire probe_busy  = arb_read || arb_write;
    wire probe_stall = arb_read && arb_write;
    wire probe_start = arb_started;
    wire probe_done  = arb_started;
endmodule
`default_nettype wire
