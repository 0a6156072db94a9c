// Bus arbitration between reads and writes: signals to the initiator when a write not started should let a read go
// first.
//
// A read releases the bus at its Split Response; a write that starts then fills the latency of the read. A write that
// starts just before the completion delays it, and then the bus idles for the latency of the next read instead. So
// while a single read is outstanding and the next one is prepared (its space is reserved), a write that has not started
// waits
//   * when the completion is likely to be near: LATE to LATEST clocks after the request was taken, without data so far;
//   * from the last words of a read until the next request is taken, or 15 clocks have passed without one.
// In all a write loses at most MOST clocks to a read, however slowly its words arrive.
//
// With several outstanding reads nothing has to be held: while a write is on the bus the completions of the others
// queue in the bridge, and they follow without a gap. The rule then only acts when the host's set-up allows a single
// outstanding read, or all but one have ended.
`default_nettype none
module dma_read_turn (
    input  wire       clk,
    input  wire       rst,
    input  wire       enable,
    input  wire       rd_ack,              // one clock: a read request was taken,
    input  wire [9:0] rd_words,            // ... of this many words
    input  wire       rd_data_valid,       // one clock per word
    input  wire       outstanding_none,    // no read is outstanding
    input  wire       outstanding_one,     // exactly one is
    input  wire       prepared,            // a read could be requested, or is
    output wire       read_turn            // a write that has not started should wait
);
    localparam [6:0] LATE = 7'd28, LATEST = 7'd76;
    localparam [7:0] MOST = 8'd255;

    reg  [11:0] coming;     // words of the outstanding reads still to arrive
    reg         arriving;   // some have arrived since the last request was taken
    reg  [6:0]  waited;     // clocks since then
    reg  [3:0]  patience;
    reg  [7:0]  held;       // clocks in which a write had to wait since then
    wire        follows   = outstanding_one && prepared;
    wire        ends_soon = follows && arriving && (coming <= 12'd64);
    wire        data_near = follows && !arriving && (waited >= LATE) && (waited < LATEST);

    assign read_turn = enable && (held != MOST)
                       && (ends_soon || data_near || (outstanding_none && prepared && patience != 4'd0));

    always @(posedge clk)
        if (rst) begin
            coming   <= 12'd0;
            arriving <= 1'b0;
            waited   <= 7'd0;
            patience <= 4'd0;
            held     <= 8'd0;
        end else begin
            arriving <= !rd_ack && (arriving || rd_data_valid);
            coming   <= (outstanding_none ? 12'd0 : coming) + (rd_ack ? {2'b00, rd_words} : 12'd0)
                        - {11'd0, rd_data_valid && !outstanding_none};
            if (rd_ack)                waited <= 7'd0;
            else if (waited != LATEST) waited <= waited + 7'd1;
            if (rd_ack)         held <= 8'd0;
            else if (read_turn) held <= held + 8'd1;
            if (!outstanding_none)     patience <= 4'd15;
            else if (patience != 4'd0) patience <= patience - 4'd1;
        end

    // ---- measuring
    wire probe_busy            = !outstanding_none;
    wire probe_stall_read_turn = read_turn;
endmodule
`default_nettype wire
