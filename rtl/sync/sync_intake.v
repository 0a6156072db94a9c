// Buffer of operation packets: eight places of 62 words. The oldest packet is shown from its header on, so that its
// queue can be looked up while it arrives; it may act only when it is `shown_complete`. A packet that ends with
// `op_drop` (its body is bad) disappears.
//
//     op_begin        ____/~~~\_________________________
//     op_valid        _________/~~~~~~~~~~~\____________     op_take: taken; low only while the host writes its data
//     op_end          _________________/~~~\____________     with the last word, or later
//     shown_valid     ________/~~~~~~~~~~~~~~~~~~~~~~~~~
//     shown_complete  _____________________/~~~~~~~~~~~~
//
// The place of a packet is free when it is taken or, with `shown_kept`, when the writer has read its words
// (`kept_over`). Packets behind it may be taken and others begin meanwhile, but not in that place.
//
// A packet carries in [63] that its source has lost something since its last one here (`loss_valid`; or, of a group,
// that it is damaged itself). With op_drop, or after it, its own loss must be reported.
//
// `group_valid` makes a packet by itself: ADD of minus its words to the counter of its group.
//
// The host's two operands (HOST_DATA, HOST_SECOND) are words 62 and 63 of place 0.
`default_nettype none
module sync_intake #(
    // sources whose losses are kept, 8 or 16
    parameter NODES = 8
) (
    input  wire        clk,
    input  wire        rst,

    // packets
    output wire        op_ready,         // level: one may begin
    input  wire        op_begin,
    input  wire [63:0] op_header,
    input  wire        op_valid,
    output wire        op_take,
    input  wire [63:0] op_word,
    input  wire        op_end,
    input  wire        op_drop,
    input  wire        op_written,
    input  wire        group_valid,
    input  wire [63:0] group_header,
    input  wire        group_damaged,
    input  wire        loss_valid,       // one clock
    input  wire [6:0]  loss_source,

    // operands of the host
    input  wire [1:0]  host_write,       // halves that are written
    input  wire        host_second,      // HOST_SECOND, else HOST_DATA
    input  wire [63:0] host_data,

    // the oldest packet
    output wire        shown_valid,
    output wire        shown_complete,
    output wire [63:0] shown_header,     // [63] something was lost; only source, interrupt, length and [31:1] besides
    output wire        shown_written,    // with shown_complete: op_written
    output wire [2:0]  shown_place,
    input  wire        shown_taken,      // one clock
    input  wire        shown_kept,       // with it: its words are still read, until
    input  wire        kept_over,        // ... this, one clock; only one packet at a time

    // words: of the address of the clock before
    input  wire        rd_enable,
    input  wire [2:0]  rd_place,
    input  wire [5:0]  rd_index,
    output reg  [63:0] rd_data,
    output wire        arriving          // a packet has begun and not ended
);
    localparam [5:0] LAST_WORD = 6'd61;

    // ---- headers
    (* ram_style = "distributed" *) reg [49:0] headers [0:7];
    reg  [2:0]  wr_place;
    reg  [2:0]  oldest;
    reg  [3:0]  complete;        // packets complete and not taken
    reg         kept;            // the words of kept_place are still read
    reg  [2:0]  kept_place;
    reg         incomplete;      // the newest packet is arriving
    reg  [5:0]  index;           // of the next word
    reg  [7:0]  written;         // of each place
    reg         full;            // ... there is none: the packet is too long

    wire        begins = op_begin || group_valid;
    reg  [NODES-1:0] lost;       // of each source, since its last packet
    wire [6:0]  source = group_valid ? group_header[62:56] : op_header[62:56];
    wire [NODES-1:0] one    = {{NODES-1{1'b0}}, 1'b1};
    wire [NODES-1:0] is_it  = (one << source) & {NODES{begins}};
    wire [NODES-1:0] losing = (one << loss_source) & {NODES{loss_valid}};
    wire        marked = (((lost | losing) & is_it) != {NODES{1'b0}});
    wire [49:0] coming = group_valid ? {group_damaged || marked, source, 1'b0, 10'd1, 6'd0, group_header[47:42], 4'd1,
                                        15'd0}
                                     : {marked, source, op_header[52], op_header[41:32], op_header[31:1]};
    wire [49:0] front  = headers[oldest];
    wire        keeps  = group_valid || (op_end && !op_drop);
    wire        word   = op_valid && op_take && !full;
    wire        hosts  = (host_write != 2'd0);

    wire        no_place = complete[3] || (kept && wr_place == kept_place);

    assign op_ready       = !incomplete && !no_place && !hosts;
    assign op_take        = !hosts;
    assign arriving       = incomplete;
    assign shown_valid    = (complete != 4'd0) || incomplete;
    assign shown_complete = (complete != 4'd0);
    assign shown_header   = {front[49:42], 3'd0, front[41], 10'd0, front[40:0], 1'b1};
    assign shown_written  = written[oldest];
    assign shown_place    = oldest;

    always @(posedge clk) begin
        if (begins) headers[wr_place] <= coming;
        if (keeps)  written[wr_place] <= op_written && !group_valid;
    end

    always @(posedge clk)
        if (rst) begin
            wr_place   <= 3'd0;
            oldest     <= 3'd0;
            complete   <= 4'd0;
            kept       <= 1'b0;
            incomplete <= 1'b0;
            index      <= 6'd0;
            full       <= 1'b0;
            lost       <= {NODES{1'b0}};
        end else begin
            lost       <= (lost | losing) & ~is_it;
            wr_place   <= wr_place + {2'd0, keeps};
            oldest     <= oldest + {2'd0, shown_taken};
            complete   <= complete + {3'd0, keeps} - {3'd0, shown_taken};
            kept       <= (shown_taken && shown_kept) || (kept && !kept_over);
            incomplete <= op_begin || (incomplete && !op_end);
            if (begins) begin
                index <= 6'd0;
                full  <= 1'b0;
            end else if (word) begin
                index <= index + 6'd1;
                full  <= (index == LAST_WORD);
            end
        end

    always @(posedge clk)
        if (shown_taken && shown_kept) kept_place <= oldest;

    // ---- words
    reg  [31:0] low  [0:511];
    reg  [31:0] high [0:511];
    wire [8:0]  wr_at   = hosts ? {3'd0, 5'h1F, host_second} : {wr_place, index & {6{!group_valid}}};
    wire [1:0]  wr_half = hosts ? host_write : {2{word || group_valid}};
    wire [63:0] wr_data = hosts ? host_data : group_valid ? {32'd0, 32'd0 - {22'd0, group_header[41:32]}} : op_word;

    always @(posedge clk) begin
        if (wr_half[0]) low[wr_at]  <= wr_data[31:0];
        if (wr_half[1]) high[wr_at] <= wr_data[63:32];
        if (rd_enable) rd_data <= {high[{rd_place, rd_index}], low[{rd_place, rd_index}]};
    end

    wire unused = &{1'b0, op_header, group_header, LAST_WORD};

    // ---- measuring
    wire       probe_busy       = shown_valid;
    wire       probe_stall_full = no_place;
    wire [3:0] probe_level      = complete;
endmodule
`default_nettype wire
