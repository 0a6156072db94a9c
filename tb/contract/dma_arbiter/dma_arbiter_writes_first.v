// DMA arbiter, writes first: another policy for the slot. Writes go first, but no read waits for more than
// WRITES_IN_ROW writes, and no write for more than one read. READS_IN_ROW is of the slot; it changes nothing.
`default_nettype none
module dma_arbiter_writes_first #(
    parameter READS_IN_ROW = 2,
    // writes that may start while a read waits, 1..7
    parameter WRITES_IN_ROW = 4
) (
    input  wire clk,
    input  wire rst,
    input  wire arb_read,
    input  wire arb_write,
    input  wire arb_started,
    input  wire arb_started_write,
    output wire arb_pick_write
);
    localparam [2:0] MOST = WRITES_IN_ROW[2:0];

    initial
        if (WRITES_IN_ROW < 1 || WRITES_IN_ROW > 7 || READS_IN_ROW < 1) begin
            $display("%m: WRITES_IN_ROW must be 1..7, is %0d; READS_IN_ROW at least 1, is %0d", WRITES_IN_ROW,
                     READS_IN_ROW);
            $finish;
        end

    reg [2:0] writes_in_row;    // writes started since the last read, saturating

    always @(posedge clk)
        if (rst)
            writes_in_row <= 3'd0;
        else if (arb_started)
            writes_in_row <= !arb_started_write ? 3'd0 : (writes_in_row == MOST) ? MOST : writes_in_row + 3'd1;

    assign arb_pick_write = arb_write && (!arb_read || writes_in_row != MOST);

    // ---- measuring
    wire probe_busy  = arb_read || arb_write;
    wire probe_stall = arb_read && arb_write;
    wire probe_start = arb_started;
    wire probe_done  = arb_started;
endmodule
`default_nettype wire
