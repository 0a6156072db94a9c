// DMA arbiter: which of the initiator's two sequences gets the bus next, the outgoing read or the incoming write.
//
// Contract. `arb_read` and `arb_write` are levels: what could start now. They come and go in any clock (a request may be withdrawn).
//   * `arb_pick_write` = 1 chooses the write, 0 the read. It matters only in a clock in which both could start and the bus is free; the
//     bus interface chooses that clock and does not tell when. Combinational from `arb_read`, `arb_write` and registers, or from
//     registers alone; never from `arb_started*`, which count from the next clock on.
//   * `arb_started` tells, for one clock, that one has started in the clock before, and `arb_started_write` which; without `arb_started`
//     the latter means nothing. No choice is made in that clock. A sequence starts as often as it gets the bus: again after a Retry or
//     Disconnect. What starts need not be what was chosen: with only one there is no choice, and a read starts past a chosen write
//     while the engine holds writes back (`arb_hold_write`, 255 clocks at most).
//   * Nobody starves: of two that both could start whenever there is a choice, neither is passed by more than 32 starts of the other
//     (tb/contract/README.md), not counting those past a held write; whatever came before, and however long each start takes.
//   * After a clock of `rst` nothing of what was before matters, nor does power-up.
// Nothing else can go wrong, whatever the policy. READS_IN_ROW must be there (1 with several outstanding reads, else 2); what a policy
// makes of it is its own.
//
// This one lets a read go first, since it gives the bus back at its Split Response and a write then fills its latency; but no write
// waits for more than READS_IN_ROW reads (reads that are retried or answered at once would else keep it waiting), and no read for more
// than one write. With several outstanding reads it should be 1: a read is then nearly always waiting, and what comes in would get a
// third of the bus only.
//
// Measured with packets of 496 bytes that arrive at link rate, 284 MiB/s, on server2004 (tb/unit/dma/test_on_bus.c): with several reads,
// READS_IN_ROW = 2 lets 207 MiB/s of them through, 1 all of them, and 339 MiB/s are read; with a single one 311 (2) or 285 MiB/s (1).
`default_nettype none
module dma_arbiter #(
    // reads that may start while a write waits, 1..3
    parameter READS_IN_ROW = 2
) (
    input  wire clk,
    input  wire rst,
    input  wire arb_read,            // a read could start now
    input  wire arb_write,           // a write could start now
    input  wire arb_started,         // one clock: one has started in the clock before
    input  wire arb_started_write,   // with it: a write
    output wire arb_pick_write       // 1: of both the write goes first
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
    wire probe_busy       = arb_read || arb_write;
    wire probe_stall_both = arb_read && arb_write;
    wire probe_start      = arb_started;
    wire probe_done       = arb_started;
endmodule
`default_nettype wire
