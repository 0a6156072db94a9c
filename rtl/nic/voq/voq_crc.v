// CRCs of packets on their way into the FIFOs of several links by packet, made once for all links. A word with the
// header CRC follows the header, one with the body CRC follows the last word, both in [31:0] (the other bits are
// undefined), in clocks that the source leaves free. link_tx sends them unchanged.
//
//     clock      0      1      2      3   ...  n      n+1    n+2    n+3
//     in       |hdr  |      |w0    |w1    ...       |w n-1|       |hdr
//     out      |hdr  |CRC   |w0    |w1    ...       |w n-1|CRC    |hdr
//
// Words may pause anywhere. There is no delay. In `direct` mode the flow ID of a header is replaced by the own node ID.
// If [67] was set on any word of the packet, the lowest bit of its body's CRC is sent wrong and [67] is set there, and
// nowhere else; so the receiver surely rejects the body. A packet whose last word never arrives (voq_departure, `halt`)
// gets no CRC; the next header starts a new one.
//
// With `stamp` (S2 5.3) packets of three words or more have bit [55] of their header set; the low half of their first
// word and their second word are 0: link_tx and the switch write times there, and add to the CRC what these make of it.
// With MONITORING [65] of the last word stays, and words with a CRC have [66] set, so that traces can tell them.
`default_nettype none
`include "slots.vh"
module voq_crc #(
    // 1: with time stamps, and marks for traces
    parameter MONITORING = 0
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        direct,
    input  wire [6:0]  node_id,
    input  wire        stamp,        // level: packets carry time stamps

    // packets of voq_departure: [64] header, [65] last word, if it is no header; [66] of headers stays
    input  wire        in_valid,
    input  wire [1:0]  in_path,
    input  wire [67:0] in_data,

    output wire        out_valid,
    output wire [1:0]  out_path,
    output wire [67:0] out_data,
    output wire        ev_collision  // a bug: a word arrived in a clock that had to be free
);
    reg         after_header;    // the last clock had a header
    reg         after_last;      // ... the last word
    reg         first;           // the next word is the first one
    reg         poisoned;
    reg  [1:0]  path;
    wire        header = in_valid && in_data[64];
    wire        word   = in_valid && !in_data[64];
    wire        marked;          // the header gets [55]
    wire        low_free;        // the low half of this word is 0
    wire        high_free;
    wire [63:0] data   = {in_data[63] && !high_free,
                          (direct && in_data[64]) ? node_id : in_data[62:56] & {7{!high_free}},
                          (in_data[55] && !high_free) || marked, in_data[54:32] & {23{!high_free}},
                          in_data[31:0] & {32{!low_free}}};
    wire [15:0] header_crc;
    wire [31:0] body_crc;

    always @(posedge clk)
        if (rst) begin
            after_header <= 1'b0;
            after_last   <= 1'b0;
        end else begin
            after_header <= header;
            after_last   <= word && in_data[65];
        end

    always @(posedge clk) begin
        if (header) path <= in_path;
        if (in_valid) begin
            first    <= in_data[64];
            poisoned <= in_data[67] || (poisoned && !in_data[64]);
        end
    end

    generate
        if (MONITORING != 0) begin : stamps
            reg  carries;            // the packet does
            reg  second;             // the next word is the second one

            assign marked    = in_data[64] && stamp && (in_data[41:32] > 10'd2);
            assign low_free  = !in_data[64] && carries && (first || second);
            assign high_free = !in_data[64] && carries && second;

            always @(posedge clk)
                if (in_valid) begin
                    second <= first && !in_data[64];
                    if (in_data[64]) carries <= marked;
                end
        end else begin : no_stamps
            assign {marked, low_free, high_free} = 3'd0;
            wire   unused = stamp;
        end
    endgenerate

    `NIC_HEADER_CRC header_check (.clk (clk), .rst (rst), .first (1'b1), .step (header), .data (data),
                                  .crc (header_crc));
    `NIC_BODY_CRC body_check (.clk (clk), .rst (rst), .first (first), .step (word), .data (data), .crc (body_crc));

    assign out_valid       = in_valid || after_header || after_last;
    assign out_path        = in_valid ? in_path : path;
    assign out_data[67:64] = {after_last && poisoned, in_data[66] || ((MONITORING != 0) && !in_valid),
                              (MONITORING != 0) && word && in_data[65], header};
    assign out_data[63:32] = data[63:32];
    assign out_data[31:0]  = after_header ? {16'd0, header_crc} : after_last ? body_crc ^ {31'd0, poisoned}
                                          : data[31:0];

    assign ev_collision    = in_valid && (after_header || after_last);

    // ---- measuring
    wire probe_busy = out_valid;
    wire probe_done = after_last;
endmodule
`default_nettype wire
