// The rules of an AXI4-Stream that carries frames: sim/model/axi/axi_stream_rules.h has the list, this file what each
// of them means in gates. All are the sender's; the receiver may be ready or not at any time.
//
// `broken` has a bit for each rule, in the order of the list (bus_rules.vh, made from it). To prove a sender is to show
// that no bit rises; to prove what a receiver does with the words, that it holds as long as none has risen.
`default_nettype none
`include "bus_rules.vh"
module axi_stream_properties #(
    // bytes of a word, 1..64
    parameter BYTES = 8,
    // 1: TVALID may not fall inside a frame
    parameter NO_GAPS = 0,
    // bytes of the longest frame, 0: no limit
    parameter MOST_BYTES = 0
) (
    input  wire                         clk,
    input  wire                         rst,
    input  wire                         tvalid,
    input  wire                         tready,
    input  wire [8*BYTES-1:0]           tdata,
    input  wire [BYTES-1:0]             tkeep,
    input  wire                         tlast,
    input  wire                         tuser,
    output wire [`AXI_STREAM_RULES-1:0] broken
);
    localparam [31:0] LONGEST = MOST_BYTES;
    wire [15:0] most = LONGEST[15:0];

    wire seen, unused_shown, taken;
    axi_channel_properties #(.WIDTH(9*BYTES+2)) word (
        .clk (clk), .rst (rst), .valid (tvalid), .ready (tready), .payload ({tuser, tlast, tkeep, tdata}), .seen (seen),
        .shown (unused_shown), .taken (taken), .broken_held (broken[`AXI_STREAM_HELD]),
        .broken_reset (broken[`AXI_STREAM_RESET])
    );

    wire [BYTES-1:0] all  = {BYTES{1'b1}};
    wire [BYTES-1:0] next = tkeep + {{BYTES-1{1'b0}}, 1'b1};
    reg  [15:0]      bytes, count;     // of the frame before this word; of the word
    reg              inside;
    integer          i;
    initial {inside, bytes} = 17'd0;
    always @* begin
        count = 16'd0;
        for (i = 0; i < BYTES; i = i + 1) count = count + {15'd0, tkeep[i]};
    end
    always @(posedge clk)
        if (rst) {inside, bytes} <= 17'd0;
        else if (taken) begin
            inside <= !tlast;
            bytes  <= tlast ? 16'd0 : (MOST_BYTES != 0 && bytes > most) ? bytes : bytes + count;
        end

    assign broken[`AXI_STREAM_KEEP]      = taken && !tlast && tkeep != all;
    assign broken[`AXI_STREAM_KEEP_LAST] = taken && tlast
                                           && (tkeep == {BYTES{1'b0}} || (tkeep & next) != {BYTES{1'b0}});
    assign broken[`AXI_STREAM_GAP]       = NO_GAPS != 0 && inside && !rst && !seen;
    assign broken[`AXI_STREAM_LONG]      = MOST_BYTES != 0 && taken && bytes <= most && bytes + count > most;

    wire unused = unused_shown;
endmodule
`default_nettype wire
