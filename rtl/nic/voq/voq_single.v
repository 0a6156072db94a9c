// One shared output queue (VOQS = 1): which request queue may reserve.
//
// Pieces of transfers of different destinations may interleave. Separate queues keep them apart; in a shared one a
// transfer must be complete before the next one begins, since only its first piece has a header. So the queue that
// reserves locks the others out (`mine` of the others is 0) until the last word of its transfer is being written, or
// the transfer has ended otherwise, and it has reserved nothing behind it. It may go on with its own meanwhile.
`default_nettype none
module voq_single #(
    // request queues, 2..16
    parameter QUEUES = 8
) (
    input  wire                      clk,
    input  wire                      clear,
    input  wire                      reserve,
    input  wire [$clog2(QUEUES)-1:0] reserve_queue,
    input  wire                      head_only,   // the piece being written is the only one in the list
    input  wire                      wr_opens,    // a header is written
    input  wire                      wr_closes,   // the last word of a transfer, or an ABORT is written
    input  wire                      piece_end,
    output wire [QUEUES-1:0]         mine         // this queue may reserve
);
    localparam LOG2_QUEUES = $clog2(QUEUES);

    reg                   locked;
    reg [LOG2_QUEUES-1:0] owner;
    reg                   open;     // a transfer has begun and has not ended

    wire still  = (open || wr_opens) && !wr_closes;
    wire unlock = head_only && (wr_closes || (piece_end && !still)) && !reserve;

    assign mine = {QUEUES{!locked}} | ({{QUEUES-1{1'b0}}, 1'b1} << owner);

    always @(posedge clk)
        if (clear) begin
            locked <= 1'b0;
            open   <= 1'b0;
        end else begin
            open   <= still;
            locked <= reserve || (locked && !unlock);
        end

    always @(posedge clk)
        if (reserve) owner <= reserve_queue;

    // ---- measuring
    wire probe_busy  = locked;
    wire probe_start = reserve && !locked;
    wire probe_done  = locked && unlock;
endmodule
`default_nettype wire
