// Proof of roce_tx_fifo with four words: `bad` is never high, whatever frames are written, of any length, and whenever
// the reader is ready.
//
//   whole       what shows is frames from their first word to their last, and within one there is no gap
//   dropped     no word shows of a frame that its writer drops in the end
//   stable      a word that shows stays until it is taken
//
// Each word carries whether it is its frame's first, and whether the frame will be dropped; the writer decides that at
// the beginning.
`default_nettype none
module prove_roce_tx_fifo (
    input  wire clk,
    input  wire any_valid,
    input  wire any_last,
    input  wire any_drop,
    input  wire any_data,
    input  wire any_out_ready,
    output wire bad
);
    reg running;                      // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;
    wire rst = !running;

    reg         inside, drops;        // what is written: within a frame; it will be dropped
    wire        drop = inside ? drops : any_drop;
    wire        wr_ready, out_valid, out_last, unused_long;
    wire [2:0]  unused_room, unused_bytes;
    wire [63:0] out_data;
    wire        taken = any_valid && wr_ready && running;

    roce_tx_fifo #(.BYTES(8), .LOG2_WORDS(2)) fifo (
        .clk (clk), .rst (rst), .wr_valid (any_valid && running), .wr_ready (wr_ready),
        .wr_data ({61'd0, any_data, drop, !inside}), .wr_last (any_last), .wr_bytes (3'd0), .wr_drop (drop),
        .room (unused_room), .too_long (unused_long), .out_valid (out_valid), .out_ready (any_out_ready),
        .out_data (out_data), .out_last (out_last), .out_bytes (unused_bytes)
    );

    reg       out_inside;             // what is read: within a frame
    reg       waits;                  // a word was shown and not taken:
    reg [3:0] shown;
    always @(posedge clk)
        if (rst) begin
            inside     <= 1'b0;
            out_inside <= 1'b0;
            waits      <= 1'b0;
        end else begin
            if (taken) inside <= !any_last;
            if (taken && !inside) drops <= any_drop;
            if (out_valid && any_out_ready) out_inside <= !out_last;
            waits <= out_valid && !any_out_ready;
            shown <= {out_last, out_data[2:0]};
        end

    assign bad = running && ((out_valid && (out_data[1] || out_data[0] == out_inside))
                             || (out_inside && !out_valid)
                             || (waits && (!out_valid || shown != {out_last, out_data[2:0]})));
endmodule
`default_nettype wire
