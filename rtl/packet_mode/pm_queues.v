// Queues of words that share one memory, as linked lists of blocks (S3 appendix II: a line card's memory is served in
// blocks). Every queue may take all of it. Used by both line cards; the memory represents SRAM or DRAM off chip.
//
// A word that is written may be read from the next clock on. Its flag shows in the clock in which it is read, the word
// one clock later.
`default_nettype none
module pm_queues #(
    // queues, 2..128
    parameter QUEUES = 16,
    // bits per word
    parameter WIDTH = 64,
    // log2 of the words in a block, 1..10
    parameter LOG2_BLOCK = 6,
    // blocks, 2..65536
    parameter BLOCKS = 32
) (
    input  wire                      clk,
    input  wire                      rst,
    input  wire                      write,
    input  wire [$clog2(QUEUES)-1:0] write_queue,
    input  wire [WIDTH-1:0]          write_word,
    input  wire                      write_flag,
    input  wire                      read,           // the queue must hold a word
    input  wire [$clog2(QUEUES)-1:0] read_queue,
    output wire                      read_flag,      // of the word that is read in this clock
    output reg  [WIDTH-1:0]          read_word,      // the word read in the clock before
    output reg                       overflow,       // a word was written without space and is lost
    output reg                       underflow       // an empty queue was read
);
    localparam BLOCK = 1 << LOG2_BLOCK;
    localparam BITS  = $clog2(BLOCKS);
    localparam [31:0] ALL = BLOCKS;

    initial
        if (QUEUES < 2 || QUEUES > 128 || LOG2_BLOCK < 1 || LOG2_BLOCK > 10 || BLOCKS < 2 || BLOCKS > 65536) begin
            $display("%m: QUEUES must be 2..128, LOG2_BLOCK 1..10, BLOCKS 2..65536; they are %0d, %0d, %0d", QUEUES,
                     LOG2_BLOCK, BLOCKS);
            $finish;
        end

    reg [WIDTH-1:0] memory [0:BLOCKS*BLOCK-1];
    reg             flags  [0:BLOCKS*BLOCK-1];
    reg [BITS-1:0]  next   [0:BLOCKS-1];

    // Free blocks: a stack of those that were freed, and those that were never used.
    reg [BITS-1:0] stack [0:BLOCKS-1];
    reg [BITS:0]   stacked;
    reg [BITS:0]   fresh;
    wire [BITS-1:0] top_place = stacked[BITS-1:0] - 1'b1;
    wire [BITS-1:0] block     = (stacked != 0) ? stack[top_place] : fresh[BITS-1:0];

    // Per queue: the block at either end, the place in it, and whether there is a block at all.
    reg [BITS-1:0]       head       [0:QUEUES-1];
    (* mem2reg *) reg [BITS-1:0]       tail       [0:QUEUES-1];
    reg [LOG2_BLOCK-1:0] head_place [0:QUEUES-1];
    reg [LOG2_BLOCK-1:0] tail_place [0:QUEUES-1];
    reg [QUEUES-1:0]     some;

    wire room = (stacked != 0) || (fresh != ALL[BITS:0]);

    wire                  accept    = write && (room || tail_place[write_queue] != 0);
    wire                  take      = accept && (tail_place[write_queue] == 0);
    wire [BITS-1:0]       at_block  = take ? block : tail[write_queue];
    wire                  empty     = !some[read_queue] ||
                                      (head[read_queue] == tail[read_queue] &&
                                       head_place[read_queue] == tail_place[read_queue] && head_place[read_queue] != 0);
    wire                  give      = read && (head_place[read_queue] == {LOG2_BLOCK{1'b1}});
    wire                  gone      = give && (head[read_queue] == tail[read_queue]); // the queue has no block any more
    wire [BITS+LOG2_BLOCK-1:0] write_address = {at_block, tail_place[write_queue]};
    wire [BITS+LOG2_BLOCK-1:0] read_address  = {head[read_queue], head_place[read_queue]};

    // A block that is freed in the clock in which one is taken goes into its place.
    wire [BITS-1:0] stack_place = (take && stacked != 0) ? top_place : stacked[BITS-1:0];

    assign read_flag = flags[read_address];

    always @(posedge clk) begin
        if (accept) begin
            memory[write_address] <= write_word;
            flags[write_address]  <= write_flag;
        end
        if (read) read_word <= memory[read_address];
        if (take && some[write_queue]) next[tail[write_queue]] <= block;
        if (give) stack[stack_place] <= head[read_queue];
    end

    integer q;
    always @(posedge clk)
        if (rst) begin
            stacked   <= 0;
            fresh     <= 0;
            some      <= {QUEUES{1'b0}};
            overflow  <= 1'b0;
            underflow <= 1'b0;
            for (q = 0; q < QUEUES; q = q + 1) begin
                head_place[q] <= 0;
                tail_place[q] <= 0;
            end
        end else begin
            overflow  <= write && !accept;
            underflow <= read && empty;
            if (accept) begin
                tail_place[write_queue] <= tail_place[write_queue] + 1'b1;
                if (take) begin
                    tail[write_queue] <= block;
                    some[write_queue] <= 1'b1;
                    if (!some[write_queue] || (gone && read_queue == write_queue)) head[write_queue] <= block;
                end
            end
            if (read) begin
                head_place[read_queue] <= head_place[read_queue] + 1'b1;
                if (give && !gone) head[read_queue] <= next[head[read_queue]];
                if (gone && !(take && write_queue == read_queue)) some[read_queue] <= 1'b0;
            end
            if (take && stacked == 0) fresh <= fresh + 1'b1;
            if (give && !(take && stacked != 0)) stacked <= stacked + 1'b1;
            if (take && stacked != 0 && !give) stacked <= stacked - 1'b1;
        end
endmodule
`default_nettype wire
