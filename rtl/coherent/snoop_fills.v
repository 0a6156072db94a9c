// Lines that are being read from memory: four at a time, one of each cache and two of the network interface. They come
// back in the order of their broadcasts.
//
// `allowed` is low for a request of the same line as one of them, until the line has been delivered, and for a third
// read of the network interface. Words wait in a queue until the agent can take them: bus P goes first.
`default_nettype none
module snoop_fills #(
    // as of snoop_switch
    parameter LINE_BITS = 23,
    parameter LOG2_WORDS = 2,
    parameter BYTES = 8,
    parameter LOG2_QUEUE = 4
) (
    input  wire                    clk,
    input  wire                    rst,

    // requests that want to be broadcast
    input  wire [3*LINE_BITS-1:0]  req_line,
    input  wire                    reads,       // agent 2 wants a READ or READ_ONCE
    output wire [2:0]              allowed,

    // one has been, and memory is read
    input  wire                    add,
    input  wire [LINE_BITS-1:0]    add_line,
    input  wire [2:0]              add_agent,
    input  wire [LOG2_WORDS-1:0]   add_word,    // the first; the others follow, around the line
    input  wire                    add_tag,

    // from memory
    input  wire                    mem_rvalid,
    input  wire [8*BYTES-1:0]      mem_rdata,

    // to the agent
    output wire                    valid,
    output wire [2:0]              agent,
    output wire [LOG2_WORDS-1:0]   word,
    output wire                    last,
    output wire                    tag,
    output wire [8*BYTES-1:0]      data,
    input  wire                    go,          // taken

    output wire                    overflow,
    output wire                    underflow    // a word that was not asked for
);
    localparam ENTRY = 4 + LOG2_WORDS;
    localparam [LOG2_WORDS-1:0] LAST_WORD = {LOG2_WORDS{1'b1}}, ONE_WORD = {{LOG2_WORDS-1{1'b0}}, 1'b1};

    // Entry 0 is the next one that comes. `go` and `add` are never in one clock.
    reg  [3:0]              under_way;
    reg  [LOG2_WORDS-1:0]   got;
    wire [4*ENTRY-1:0]      entries;
    wire [4*LINE_BITS-1:0]  lines;
    wire [3:0]              of_interface, same_0, same_1, same_2;
    wire                    unasked, unused_full;
    wire [LOG2_QUEUE:0]     unused_count;
    wire [LOG2_WORDS-1:0]   start;
    wire                    second = (of_interface & (of_interface - 4'd1)) != 4'd0;
    wire                    leaves = go && last;

    assign {agent, tag, start} = entries[ENTRY-1:0];
    assign word    = start + got;
    assign last    = got == LAST_WORD;
    assign allowed = ~{same_2 != 4'd0 || (second && reads), same_1 != 4'd0, same_0 != 4'd0};

    always @(posedge clk)
        if (rst) begin
            under_way <= 4'd0;
            got       <= {LOG2_WORDS{1'b0}};
        end else begin
            if (add)         under_way <= {under_way[2:0], 1'b1};
            else if (leaves) under_way <= {1'b0, under_way[3:1]};
            if (go) got <= got + ONE_WORD;
        end

    genvar i;
    generate
        for (i = 0; i < 4; i = i + 1) begin : place
            localparam BEHIND = (i < 3) ? i + 1 : 3;
            reg [ENTRY-1:0]     entry;
            reg [LINE_BITS-1:0] line;
            assign entries[ENTRY*i +: ENTRY]       = entry;
            assign lines[LINE_BITS*i +: LINE_BITS] = line;
            assign of_interface[i] = under_way[i] && entry[ENTRY-1];
            assign same_0[i] = under_way[i] && line == req_line[LINE_BITS-1:0];
            assign same_1[i] = under_way[i] && line == req_line[2*LINE_BITS-1:LINE_BITS];
            assign same_2[i] = under_way[i] && line == req_line[3*LINE_BITS-1:2*LINE_BITS];
            always @(posedge clk)
                if (leaves) begin
                    entry <= entries[ENTRY*BEHIND +: ENTRY];
                    line  <= lines[LINE_BITS*BEHIND +: LINE_BITS];
                end else if (add && !under_way[i]) begin
                    entry <= {add_agent, add_tag, add_word};
                    line  <= add_line;
                end
        end
    endgenerate

    fifo_sync #(.WIDTH(8*BYTES), .LOG2_DEPTH(LOG2_QUEUE)) words (
        .clk (clk), .rst (rst), .wr_valid (mem_rvalid), .wr_data (mem_rdata), .full (unused_full), .rd_data (data),
        .rd_valid (valid), .rd_pop (go), .count (unused_count), .overflow (overflow), .underflow (unasked)
    );

    assign underflow = unasked || (valid && !under_way[0]);

    wire unused = &{1'b0, unused_full, unused_count, lines[LINE_BITS-1:0]};
endmodule
`default_nettype wire
