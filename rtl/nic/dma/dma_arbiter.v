// DMA arbiter: which of the initiator's two sequences gets the bus next, the outgoing read or the incoming write.
//
// Contract. `arb_read` and `arb_write` are levels: sequences that could start now. They may change in any clock (a
// request may be withdrawn).
//   * `arb_pick_write` = 1 chooses the write, 0 the read. It matters only in a clock in which both could start and the
//     bus is free; the bus interface chooses that clock and does not announce it. Combinational from `arb_read`,
//     `arb_write` and registers, or from registers alone; never from `arb_started*`, which count from the next one on.
//   * `arb_started` is high for one clock after the clock in which a sequence has started; `arb_started_write` says
//     which and is valid only with it. No choice is made in that clock. A sequence starts each time it gets the bus:
//     again after a Retry or Disconnect. The sequence started may differ from the choice: a single request starts
//     anyway, and a read starts past a chosen write while the engine holds writes back (`arb_hold_write`, 255 clocks).
//   * No starvation: while both could start at every choice, neither is passed over by more than 32 starts of the other
//     (tb/contract/README.md), not counting starts past a held write, whatever the history and length of a start.
//   * A clock of `rst` clears all history, whatever the state after power-up.
// No policy can cause other faults. READS_IN_ROW must exist as a parameter (1 with several outstanding reads, else 2);
// a policy may ignore it.
//
// This policy lets a read go first, since it releases the bus at its Split Response and a write then fills its latency;
// but no write waits for more than READS_IN_ROW reads (else reads that are retried or answered at once could starve
// it), and no read for more than one write. With several outstanding reads it should be 1: a read is then nearly always
// waiting, and with 2 writes would get a third of the bus only.
//
// Measured with packets of 496 bytes received at link rate, 284 MiB/s, on server2004 (tb/unit/dma/test_on_bus.c): with
// several reads, READS_IN_ROW = 2 writes 207 MiB/s of them, 1 all of them, and 339 MiB/s are read; with a single one
// 311 (2) or 285 MiB/s (1).
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
    output wire arb_pick_write       // 1: if both could start, the write goes first
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
