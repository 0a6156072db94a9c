// Packets of several links as one stream, in the order in which their headers came: `order` says whose packet is next (rtl/link/link_order
// writes it), and its words are taken as they come, so cut-through stays as with one link. Nothing here takes a clock.
`default_nettype none
module dma_arrivals #(
    // links, 2..4
    parameter PATHS = 2
) (
    input  wire                clk,
    input  wire                rst,

    // link of the next packet, and of those behind it
    input  wire                order_valid,
    input  wire [1:0]          order_path,
    output wire                order_pop,

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
    input  wire                pop
);
    // padded: a path that is not there has nothing
    wire [3:0]   valids = {{4-PATHS{1'b0}}, n2h_valid};
    wire [3:0]   one    = 4'd1 << order_path;
    reg          open;              // its header has been taken

    assign valid     = order_valid && valids[order_path];
    assign path      = order_path;
    assign n2h_pop   = one[PATHS-1:0] & {PATHS{pop}};
    assign order_pop = pop && valid && open && data[65];

    one_of_four #(.WIDTH(68), .WORDS(PATHS)) of_data  (.words (n2h_data), .number (order_path), .word (data));
    one_of_four #(.WIDTH(11), .WORDS(PATHS)) of_count (.words (n2h_count), .number (order_path), .word (count));

    always @(posedge clk)
        if (rst)               open <= 1'b0;
        else if (pop && valid) open <= data[64] || (open && !data[65]);

    wire unused = &{1'b0, one, valids};

    // ---- measuring
    wire probe_busy        = order_valid;
    wire probe_stall_words = order_valid && !valid;
    wire probe_start       = pop && valid && data[64];
    wire probe_done        = order_pop;
endmodule
`default_nettype wire
