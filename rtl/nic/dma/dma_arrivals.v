// Packets of several links as one stream, in the order in which their headers arrived: `order` is the link of the next
// packet (rtl/nic/link/link_order writes it). Words are taken as they arrive, so cut-through works as with one link.
// Adds no clock of latency.
//
// The body CRC, behind the last word in N2H ([67] = 1, see link_rx_store), is checked here, once for all links. The
// last word shows when the CRC is stored too; the next clock takes the CRC out, and no word shows; `bad` is valid in
// the clock after that:
//
//     pop        header  word  word ... last       header
//     n2h_pop    header  word  word ... last  CRC  header
//     order_pop                                1
//     bad                                           1
//
// `count` includes the CRC.
`default_nettype none
`include "slots.vh"
module dma_arrivals #(
    // links, 2..4
    parameter PATHS = 2
) (
    input  wire                clk,
    input  wire                rst,

    // link of the next packet, and of those behind it
    input  wire                order_valid,
    input  wire [1:0]          order_path,
    output wire                order_pop,   // the CRC of a packet is taken, the next word is a header

    // N2H of each link
    input  wire [PATHS-1:0]    n2h_valid,
    input  wire [PATHS*68-1:0] n2h_data,
    input  wire [PATHS*11-1:0] n2h_count,
    output wire [PATHS-1:0]    n2h_pop,

    // all in one
    output wire                valid,
    output wire [67:0]         data,
    output wire [10:0]         count,
    output wire [1:0]          path,
    input  wire                pop,
    output reg                 bad          // one clock, behind order_pop: the body CRC is wrong
);
    // padded: a link that does not exist has no words
    wire [3:0]   valids = {{4-PATHS{1'b0}}, n2h_valid};
    wire [3:0]   one    = 4'd1 << order_path;
    wire         here   = order_valid && valids[order_path];
    wire         is_crc = data[67];
    wire         take   = pop && valid;
    reg          first;                // no word of the payload has been taken
    wire [31:0]  crc;

    assign valid     = here && !is_crc && (!data[65] || count[10:1] != 10'd0);
    assign path      = order_path;
    assign n2h_pop   = one[PATHS-1:0] & {PATHS{pop || order_pop}};
    assign order_pop = here && is_crc;

    one_of_four #(.WIDTH(68), .WORDS(PATHS)) of_data  (.words (n2h_data), .number (order_path), .word (data));
    one_of_four #(.WIDTH(11), .WORDS(PATHS)) of_count (.words (n2h_count), .number (order_path), .word (count));

    `NIC_BODY_CRC body_check (.clk (clk), .rst (rst), .first (first), .step (take && !data[64]), .data (data[63:0]),
                              .crc (crc));

    always @(posedge clk)
        if (take) first <= data[64];

    always @(posedge clk)
        if (rst) bad <= 1'b0;
        else     bad <= order_pop && (data[66] || data[31:0] != crc);

    wire unused = &{1'b0, one, valids};

    // ---- measuring
    wire probe_busy        = order_valid;
    wire probe_stall_words = order_valid && !here;
    wire probe_start       = take && data[64];
    wire probe_done        = order_pop;
endmodule
`default_nettype wire
