// The data side of a DMA write: values of AD, and when a word is popped from the caller.
//
// Until the target answers, an initiator shows the first two data items alternately (D0, D1, D0 ...), and after a Retry
// or a single data phase they must still be available. So two words are held in flops (`head`, `next`); they are filled
// between transactions and while the target has not answered, and shifted out with the data phases. From the third item
// on (`stream`), words come straight from the caller: by then every item put on the bus is certain to be taken.
//
// In 32-bit transfers an item is a dword; both halves of AD carry it. D0 of a sequence that resumes at an odd dword is
// the upper half on both halves of AD, because the width is not known yet.
//
// Exactly `load_words` words are popped per sequence: words left after an error are dropped (`flush`). If a word is
// needed but missing, `underflow` pulses, the value of wr_data is sent, and the late word is dropped at the end.
`default_nettype none
module pcix_write_source (
    input  wire        clk,
    input  wire        rst,

    // ---- caller
    input  wire [63:0] wr_data,
    input  wire        wr_data_valid,
    output wire        wr_data_pop,
    output wire        wr_underflow,

    // ---- sequence
    input  wire        load,
    input  wire [9:0]  load_words,
    input  wire        odd,                    // the next dword is the upper half of `head`
    input  wire        word_done,              // a word was transferred
    input  wire        flush,                  // the sequence is over: drop the remainder
    output wire        empty,                  // all words of the sequence are popped

    // ---- bus
    input  wire        may_fill,               // no streaming in this cycle
    input  wire        need_first,             // D0 must be valid now
    input  wire        need_second,            // D1 goes out first time now
    input  wire        wide,                   // 64-bit data phases
    input  wire        stream_start,           // D2 goes out now
    input  wire        stream,                 // D2 or a later one goes out now
    output wire [63:0] first,                  // D0
    output wire [63:0] second,                 // D1
    output wire [63:0] streamed                // D2...
);
    reg [63:0] head;
    reg [63:0] next;
    reg        head_valid;
    reg        next_valid;
    reg [9:0]  to_pop;
    reg        from_next;                      // 32-bit streaming: next item is in `next`, else in wr_data
    reg        upper;                          // 32-bit streaming: next item is the upper half

    assign empty = (to_pop == 10'd0);

    // ---- items
    wire        item_in_next = stream_start ? 1'b1 : from_next;
    wire        item_upper   = stream_start ? odd : upper;
    wire [63:0] item_word    = item_in_next ? next : wr_data;
    wire [31:0] item_dword   = item_upper ? item_word[63:32] : item_word[31:0];
    wire [31:0] second_dword = odd ? next[31:0] : head[63:32];

    assign first    = odd ? {head[63:32], head[63:32]} : head;
    assign second   = wide ? next : {second_dword, second_dword};
    assign streamed = wide ? wr_data : {item_dword, item_dword};

    always @(posedge clk)
        if (stream && !wide) begin
            upper     <= !item_upper;
            from_next <= item_in_next && !item_upper;
        end

    // ---- pops
    wire fill_head   = may_fill && !word_done && !head_valid;
    wire fill_next   = may_fill && !word_done && head_valid && !next_valid;
    wire from_source = stream && (wide || !item_in_next);
    wire stream_pop  = stream && (wide || (!item_in_next && item_upper));
    wire filling     = !flush && (fill_head || fill_next);
    wire pop         = wr_data_valid && !empty && (stream_pop || filling || flush);

    assign wr_data_pop  = pop;
    assign wr_underflow = (from_source && (!wr_data_valid || empty)) || (need_first && !head_valid) ||
                          (need_second && (wide || odd) && !next_valid);

    always @(posedge clk)
        if (rst) begin
            to_pop     <= 10'd0;
            head_valid <= 1'b0;
            next_valid <= 1'b0;
        end else if (load || flush) begin
            to_pop     <= load ? load_words : to_pop - {9'd0, pop};
            head_valid <= 1'b0;
            next_valid <= 1'b0;
        end else begin
            to_pop <= to_pop - {9'd0, pop};
            if (word_done) begin
                head_valid <= next_valid;
                next_valid <= 1'b0;
            end else if (pop && fill_head)
                head_valid <= 1'b1;
            else if (pop && fill_next)
                next_valid <= 1'b1;
        end

    always @(posedge clk)
        if (word_done)
            head <= next;
        else if (fill_head)
            head <= wr_data;

    always @(posedge clk)
        if (fill_next)
            next <= wr_data;

    wire probe_busy       = !empty || head_valid;
    wire probe_stall_data = !empty && !wr_data_valid && (may_fill ? !next_valid : stream);
endmodule
`default_nettype wire
