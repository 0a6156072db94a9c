// A FIFO of whole frames: a frame shows when its last word is written, without a gap; a frame may be dropped.
//
// The writer gives words with wr_valid, as long as wr_ready, and ends a frame with wr_last; with wr_drop then, all of
// it is dropped. A frame that is longer than the FIFO can never be whole: it is discarded up to its end and reported by
// `too_long`. A writer that starts a frame only if `room` has words for all of it can ignore wr_ready.
//
// From the last word written to the first one shown: 2 clocks.
`default_nettype none
module roce_tx_fifo #(
    // bytes per word, a power of two, 8..64
    parameter BYTES = 8,
    // log2 of the words, 2..12
    parameter LOG2_WORDS = 10
) (
    input  wire                     clk,
    input  wire                     rst,
    // frames in
    input  wire                     wr_valid,
    output wire                     wr_ready,
    input  wire [8*BYTES-1:0]       wr_data,
    input  wire                     wr_last,
    input  wire [$clog2(BYTES)-1:0] wr_bytes,   // with wr_last: bytes of this word, 0 = all
    input  wire                     wr_drop,    // with wr_last: drop the frame
    output wire [LOG2_WORDS:0]      room,       // words that are free
    output reg                      too_long,   // one clock: a frame did not fit
    // whole frames out
    output reg                      out_valid,
    input  wire                     out_ready,
    output wire [8*BYTES-1:0]       out_data,
    output wire                     out_last,
    output wire [$clog2(BYTES)-1:0] out_bytes
);
    localparam LB   = $clog2(BYTES);
    localparam BITS = 8 * BYTES;
    localparam [LOG2_WORDS:0] WORDS = {1'b1, {LOG2_WORDS{1'b0}}};
    localparam [LOG2_WORDS:0] ONE   = {{LOG2_WORDS{1'b0}}, 1'b1};

    initial
        if (BYTES < 8 || BYTES > 64 || (1 << LB) != BYTES || LOG2_WORDS < 2 || LOG2_WORDS > 12) begin
            $display("%m: BYTES must be 8, 16, 32 or 64, is %0d, LOG2_WORDS 2..12, is %0d", BYTES, LOG2_WORDS);
            $finish;
        end

    (* ram_style = "block" *) reg [BITS+LB:0] memory [0:(1 << LOG2_WORDS)-1];   // bytes, last, data
    reg [BITS+LB:0]    q;
    reg [LOG2_WORDS:0] wr_pointer;   // the next word in
    reg [LOG2_WORDS:0] whole;        // behind the last word of the last whole frame
    reg [LOG2_WORDS:0] rd_pointer;   // the next word out
    reg                swallow;      // the remainder of a frame that is too long

    wire [LOG2_WORDS:0] used  = wr_pointer - rd_pointer;
    wire                full  = used[LOG2_WORDS];
    wire                stuck = full && whole == rd_pointer;   // nothing can leave before more has arrived
    wire                taken = wr_valid && wr_ready;
    wire                write = taken && !swallow;
    wire                read  = whole != rd_pointer && (!out_valid || out_ready);

    assign wr_ready = !full || swallow;
    assign room     = WORDS - used;
    assign {out_bytes, out_last, out_data} = q;

    always @(posedge clk)
        if (write) memory[wr_pointer[LOG2_WORDS-1:0]] <= {wr_bytes, wr_last, wr_data};
    always @(posedge clk)
        if (read) q <= memory[rd_pointer[LOG2_WORDS-1:0]];
    always @(posedge clk)
        if (rst) begin
            wr_pointer <= {(LOG2_WORDS+1){1'b0}};
            whole      <= {(LOG2_WORDS+1){1'b0}};
            rd_pointer <= {(LOG2_WORDS+1){1'b0}};
            out_valid  <= 1'b0;
            swallow    <= 1'b0;
            too_long   <= 1'b0;
        end else begin
            too_long <= wr_valid && stuck && !swallow;
            if (wr_valid && stuck && !swallow) begin
                swallow    <= 1'b1;
                wr_pointer <= whole;
            end else if (taken && swallow) begin
                swallow <= !wr_last;
            end else if (write) begin
                wr_pointer <= (wr_last && wr_drop) ? whole : wr_pointer + ONE;
                if (wr_last && !wr_drop) whole <= wr_pointer + ONE;
            end
            if (read) rd_pointer <= rd_pointer + ONE;
            if (read)           out_valid <= 1'b1;
            else if (out_ready) out_valid <= 1'b0;
        end

    // ---- measuring
    wire                probe_busy       = used != {(LOG2_WORDS+1){1'b0}} || out_valid;
    wire                probe_stall_full = wr_valid && !wr_ready;
    wire [LOG2_WORDS:0] probe_level      = used;
endmodule
`default_nettype wire
