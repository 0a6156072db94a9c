// How much may be reserved for the bodies: by the staging, by the free blocks, and by the limit of each VOQ.
//
// `room` never promises a block twice. Words staged or reserved of VOQS queues fill at most (words + VOQS x
// (BLOCK_WORDS - 1)) / BLOCK_WORDS blocks, so that many free words are kept for them: less than one block per VOQ more
// than needed. A reservation within a `room` shown earlier is good if no other was made in between: blocks used by
// reserved words do not reduce it.
//
// `open`: the VOQ has less than `limit` blocks. Words reserved before are still written, so the limit is exceeded by
// the content of the staging at most. The VOQs are visited in cyclic order, one in each clock, and the levels for the
// host are copied along.
`default_nettype none
module voq_limits #(
    // 1..16
    parameter VOQS = 8,
    // words per block, power of two
    parameter BLOCK_WORDS = 64,
    // log2 of the blocks
    parameter LOG2_BLOCKS = 12,
    // log2 of the entries of the staging, 10..12
    parameter LOG2_STAGING = 10
) (
    input  wire                                   clk,
    input  wire                                   rst,
    input  wire [7:0]                             slept,          // clock_gate: clocks missed
    input  wire                                   clear,
    input  wire [LOG2_BLOCKS:0]                   limit,          // blocks that one VOQ may have, 0: none has a body

    input  wire [LOG2_STAGING:0]                  space,          // entries of the staging, neither used nor reserved
    input  wire [LOG2_BLOCKS:0]                   free_blocks,
    output wire [10:0]                            room,
    output wire                                   blocks_short,   // free blocks leave < 512 words, staging may more

    input  wire [VOQS-1:0]                        present,        // has blocks in memory
    output reg  [$clog2(VOQS > 1 ? VOQS : 2)-1:0] look,
    input  wire [LOG2_BLOCKS:0]                   look_level,     // this many
    output reg  [VOQS-1:0]                        open,
    output reg  [VOQS*(LOG2_BLOCKS+1)-1:0]        levels          // up to VOQS clocks old
);
    localparam LOG2_VOQS  = $clog2(VOQS > 1 ? VOQS : 2);
    localparam LOG2_WORDS = $clog2(BLOCK_WORDS);
    localparam LEVEL_BITS = LOG2_BLOCKS + 1;
    // With this many free words the blocks are no limit: all of the staging, its output, free_blocks a clock old.
    localparam NEED       = (1 << LOG2_STAGING) + VOQS * (BLOCK_WORDS - 1) + 2;
    localparam FEW_BITS   = $clog2((NEED - 1) / BLOCK_WORDS + 1);                // 2**FEW_BITS blocks are enough
    localparam BITS       = FEW_BITS + LOG2_WORDS;                               // of NEED
    localparam SUM_BITS   = ((BITS > LOG2_STAGING) ? BITS : LOG2_STAGING) + 2;
    localparam [31:0]           NEED_WORDS = NEED;
    localparam [31:0]           LAST       = VOQS - 1;
    localparam [LOG2_VOQS-1:0]  NEXT       = {{LOG2_VOQS-1{1'b0}}, 1'b1};

    // ---- space
    reg  [BITS-1:0]       lacking;                            // free words below NEED
    wire [31:0]           free_wide = {{31-LOG2_BLOCKS{1'b0}}, free_blocks};
    wire [BITS:0]         gap       = {1'b0, NEED_WORDS[BITS-1:0]} - {1'b0, free_wide[FEW_BITS-1:0],
                                                                      {LOG2_WORDS{1'b0}}};
    wire [SUM_BITS-1:0]   open_words;

    always @(posedge clk)
        if (rst || (|free_wide[31:FEW_BITS]) || gap[BITS])
            lacking <= {BITS{1'b0}};
        else
            lacking <= gap[BITS-1:0];

    assign open_words   = {{SUM_BITS-1-LOG2_STAGING{1'b0}}, space} - {{SUM_BITS-BITS{1'b0}}, lacking};
    assign room         = (open_words[10:0] | {11{|open_words[SUM_BITS-2:11]}}) & {11{!open_words[SUM_BITS-1]}};
    assign blocks_short = (lacking != {BITS{1'b0}}) && !(|room[10:9]);

    // ---- limits
    integer i;
    wire [LOG2_VOQS-1:0] look_now = look + (slept[LOG2_VOQS-1:0] & {LOG2_VOQS{VOQS != 1}});

    always @(posedge clk)
        if (rst || clear)
            look <= {LOG2_VOQS{1'b0}};
        else
            look <= (look_now == LAST[LOG2_VOQS-1:0]) ? {LOG2_VOQS{1'b0}} : look_now + NEXT;

    always @(posedge clk)
        for (i = 0; i < VOQS; i = i + 1)
            if (rst || !present[i]) begin
                open[i] <= (limit != {LEVEL_BITS{1'b0}});
                levels[LEVEL_BITS*i +: LEVEL_BITS] <= {LEVEL_BITS{1'b0}};
            end else if (i[LOG2_VOQS-1:0] == look) begin
                open[i] <= (look_level < limit);
                levels[LEVEL_BITS*i +: LEVEL_BITS] <= look_level;
            end

    wire unused = &{1'b0, LAST[31:LOG2_VOQS], NEED_WORDS[31:BITS], slept};
endmodule
`default_nettype wire
