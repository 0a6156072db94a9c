// Puts the words of several outstanding reads back into the order of their requests. Completions of different tags may
// interleave in any way.
//
// Tags are handed out in order: 0, 1 .. SPLITS-1, 0 .. So the oldest read is always that of tag `oldest`. Its words
// pass without a clock of delay when the user is ready and none of its words is buffered; all others go into a buffer
// of 512 words per tag (block memory) and are delivered in order, one per clock. It cannot overflow: a read is never
// longer than its buffer. A tag may be used again in the clock after its end has been taken.
//
//     rd_data (tag)  |a0(0)|b0(1)|a1(0)|end a|b1(1)|end b|______
//     item           |a0   |     |a1   |end a|     |b0   |b1   |end b|      end -> first word that waited: 2 clocks
`default_nettype none
module dma_reorder #(
    // outstanding reads, 2..4
    parameter SPLITS = 4
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        rd_data_valid,
    input  wire [63:0] rd_data,
    input  wire [4:0]  rd_data_tag,
    input  wire        rd_done,
    input  wire [4:0]  rd_done_tag,
    input  wire [2:0]  rd_status,   // 0: good
    output wire        item_valid,
    output wire        item_end,    // the oldest read has ended
    output wire        item_bad,    // ... and failed
    output wire [63:0] item_data,
    input  wire        item_ready   // the item is taken
);
    localparam TAG_BITS = (SPLITS == 2) ? 1 : 2;
    localparam TAGS     = 1 << TAG_BITS;
    localparam [2:0] COUNT = SPLITS[2:0];
    localparam [2:0] LAST  = COUNT - 3'd1;

    initial
        if (SPLITS < 2 || SPLITS > 4) begin
            $display("%m: SPLITS must be 2..4, is %0d", SPLITS);
            $finish;
        end

    reg  [63:0]         buffer [0:TAGS*512-1];
    reg  [TAGS*10-1:0]  stored;          // words of each tag put into the buffer
    reg  [TAGS-1:0]     ended;           // the read of the tag has ended
    reg  [TAGS-1:0]     bad;             // ... with an error
    reg  [TAG_BITS-1:0] oldest;
    reg  [9:0]          fetched;         // words of the oldest read taken out of the buffer
    reg                 shown;           // the last one of them is in `word`
    reg  [63:0]         word;

    wire [TAG_BITS-1:0] tag      = rd_data_tag[TAG_BITS-1:0];
    wire [TAG_BITS-1:0] done_tag = rd_done_tag[TAG_BITS-1:0];
    wire [9:0]          place    = stored[tag*10 +: 10];
    wire [9:0]          there    = stored[oldest*10 +: 10];
    wire                waits    = shown || (there != fetched);
    wire                direct   = rd_data_valid && (tag == oldest) && !waits;
    wire                store    = rd_data_valid && !(direct && item_ready);
    wire                fetch    = (there != fetched) && (!shown || item_ready);
    wire                ends     = rd_done && (done_tag == oldest);
    wire                next     = item_end && item_ready;

    assign item_end   = (ended[oldest] || ends) && !waits && !direct;
    assign item_bad   = ended[oldest] ? bad[oldest] : (rd_status != 3'd0);
    assign item_valid = shown || direct || item_end;
    assign item_data  = shown ? word : rd_data;

    always @(posedge clk) begin
        if (store) buffer[{tag, place[8:0]}] <= rd_data;
        if (fetch) word <= buffer[{oldest, fetched[8:0]}];
    end

    wire [TAGS-1:0] one     = {{TAGS-1{1'b0}}, 1'b1};
    wire [TAGS-1:0] ends_at = rd_done ? one << done_tag : {TAGS{1'b0}};
    wire [TAGS-1:0] next_at = next ? one << oldest : {TAGS{1'b0}};

    genvar g;
    generate
        for (g = 0; g < TAGS; g = g + 1) begin : count
            always @(posedge clk)
                if (rst || next_at[g])
                    stored[g*10 +: 10] <= 10'd0;
                else if (store && tag == g[TAG_BITS-1:0])
                    stored[g*10 +: 10] <= place + 10'd1;
        end
    endgenerate

    always @(posedge clk)
        if (rst) begin
            ended   <= {TAGS{1'b0}};
            bad     <= {TAGS{1'b0}};
            oldest  <= {TAG_BITS{1'b0}};
            fetched <= 10'd0;
            shown   <= 1'b0;
        end else begin
            ended   <= (ended | ends_at) & ~next_at;
            bad     <= (bad & ~ends_at) | (ends_at & {TAGS{rd_status != 3'd0}});
            shown   <= fetch || (shown && !item_ready);
            fetched <= next ? 10'd0 : fetched + {9'd0, fetch};
            if (next) oldest <= (oldest == LAST[TAG_BITS-1:0]) ? {TAG_BITS{1'b0}} : oldest + {{TAG_BITS-1{1'b0}}, 1'b1};
        end

    wire unused = &{1'b0, rd_data_tag, rd_done_tag, LAST};

    // ---- measuring
    wire probe_busy        = waits || (ended != {TAGS{1'b0}});
    wire probe_stall_taker = item_valid && !item_ready;
    wire probe_start       = store;
    wire probe_done        = next;
endmodule
`default_nettype wire
