// A packet-mode switch of 4 ports whose lines out do what sim/app/packet_mode must see: from packet AT on, on output
//
//   packets of low priority for one output    0  a word is lost          1  a word has the number of another packet
//                    2  a packet's last word is not marked          3  a word is said to be of another input
//   ... ten packets before that, if these have more than nine words
//                    0  word 8 comes twice, and not 9               1  word 10 comes in the place of 9
//                    2  word 9 is one for another output            3  word 9 is said to be the first of a packet
//   of high priority                          0  said to be of low priority          1  a word is lost
//   that name a set                           2  a packet is lost          3  a packet came twice, with its number
//
// ... or that reports an error: when a packet of 17 + k words arrives, on pin k of error_line, _credit, _notice, _lock,
// _words, _egress, as of the input's number.
//
// Same pins as pm_switch, so far as there is a use.
`default_nettype none
module pm_faulty #(
    parameter PORTS          = 4,
    parameter AT             = 20,     // packets that leave as they should
    parameter UNIT_IS_PACKET = 1,
    parameter XPOINT_WORDS   = 1280,
    parameter REASSEMBLY     = 0,
    parameter PRIORITIES     = 1,
    parameter MULTICAST      = 0,
    // computed, not to be set
    parameter FULL           = 4 * PRIORITIES * (4 + MULTICAST)
) (
    input  wire            clk,
    input  wire            rst,
    input  wire [3:0]      line_valid,
    input  wire [3:0]      line_first,
    input  wire [3:0]      line_priority,
    input  wire [3:0]      line_multicast,
    input  wire [15:0]     line_set,
    input  wire [7:0]      line_output,
    input  wire [51:0]     line_words,
    input  wire [255:0]    line_word,
    output wire [FULL-1:0] line_full,
    output wire [3:0]      out_valid,
    output wire [3:0]      out_first,
    output wire [3:0]      out_last,
    output wire [7:0]      out_input,
    output wire [3:0]      out_priority,
    output wire [3:0]      out_multicast,
    output wire [255:0]    out_word,
    output wire [3:0]      link_valid,
    output wire [255:0]    link_word,
    output wire [3:0]      column_valid,
    output wire [255:0]    column_word,
    output wire [3:0]      error_line,
    output wire [3:0]      error_credit,
    output wire [3:0]      error_notice,
    output wire [3:0]      error_lock,
    output wire [3:0]      error_words,
    output wire [3:0]      error_egress
);
    wire [3:0]   valid;
    wire [3:0]   first;
    wire [3:0]   last;
    wire [7:0]   from;
    wire [3:0]   high;
    wire [255:0] word;
    reg  [9:0]   packets [0:3];
    integer      o;
    always @(posedge clk)
        for (o = 0; o < 4; o = o + 1)
            if (rst) packets[o] <= 0;
            else if (valid[o] && last[o]) packets[o] <= packets[o] + 1'b1;

    wire [3:0] now  = {packets[3] >= AT, packets[2] >= AT, packets[1] >= AT, packets[0] >= AT};
    wire [3:0] low  = now & ~high & ~out_multicast;
    wire [3:0] sets = now & out_multicast;
    wire [3:0] lost = {1'b0, sets[2] && packets[2] == AT, now[1] && high[1] && word[79:64] == 1,
                       low[0] && word[15:0] == 1};
    wire [3:0] at_9 = {word[207:192] == 9, word[143:128] == 9, word[79:64] == 9, word[15:0] == 9};
    wire [3:0] soon = {packets[3] >= AT - 10, packets[2] >= AT - 10, packets[1] >= AT - 10, packets[0] >= AT - 10} &
                      at_9 & ~high & ~out_multicast;
    assign out_valid    = valid & ~lost;
    assign out_first    = first | {soon[3], 3'd0};
    assign out_word     = {word[255:192] - (sets[3] ? 64'h10000 : 64'd0),
                           word[191:128] ^ (soon[2] ? 64'h1 << 48 : 64'd0),
                           (word[127:64] ^ (low[1] ? 64'h10000 : 64'd0)) + (soon[1] ? 64'd1 : 64'd0),
                           word[63:0] - (soon[0] ? 64'd1 : 64'd0)};
    assign out_last     = last & ~{1'b0, low[2], 2'd0};
    assign out_input    = from ^ (low[3] && word[207:192] == 1 ? 8'h40 : 8'd0);
    assign out_priority = high & ~{3'd0, now[0]};
    wire unused = &{1'b0, sets};

    // per pin and input
    reg  [23:0] error;
    assign {error_egress, error_words, error_lock, error_notice, error_credit, error_line} = error;
    always @(posedge clk)
        for (o = 0; o < 24; o = o + 1)
            error[o] <= line_valid[o[1:0]] && line_first[o[1:0]]
                        && line_words[13*o[1:0] +: 13] == 13'd17 + {10'd0, o[4:2]};

    pm_switch #(
        .PORTS(PORTS), .UNIT_IS_PACKET(UNIT_IS_PACKET), .XPOINT_WORDS(XPOINT_WORDS), .REASSEMBLY(REASSEMBLY),
        .PRIORITIES(PRIORITIES), .MULTICAST(MULTICAST)
    ) sound (
        .clk (clk), .rst (rst), .weight_write (1'b0), .weight_multicast (1'b0), .weight_input (2'd0),
        .weight_output (2'd0), .weight (8'd0),
        .line_valid (line_valid), .line_first (line_first), .line_priority (line_priority),
        .line_multicast (line_multicast), .line_set (line_set), .line_output (line_output), .line_words (line_words),
        .line_word (line_word), .line_full (line_full), .line_held (1'b0), .line_release (4'd0), .release_output (8'd0),
        .out_valid (valid), .out_first (first), .out_last (last), .out_input (from), .out_priority (high),
        .out_multicast (out_multicast), .out_word (word), .link_valid (link_valid), .link_word (link_word),
        .column_valid (column_valid), .column_word (column_word), .error_line (), .error_credit (), .error_notice (),
        .error_lock (), .error_words (), .error_egress (), .event_pair (), .event_cancel (), .event_refused (),
        .egress_most ()
    );
endmodule
`default_nettype wire
