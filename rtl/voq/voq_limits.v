// How much may be reserved for the bodies: by the staging, by the free blocks, and by the limit of each VOQ.
//
// `room` never promises a block twice: words staged or reserved (`taken`) of VOQS queues fill at most (taken + VOQS x (BLOCK_WORDS - 1))
// / BLOCK_WORDS blocks, so that many words are kept free, less than one block per VOQ more than needed. A reservation within a `room`
// shown earlier is good as long as no other came in between: blocks used by what was promised make nothing scarcer.
//
// `open`: the VOQ has less than `limit` blocks, counting what it may have in the staging. So the limit is passed by one piece at most.
// It is looked at in turn, one VOQ in each clock, and with it the levels for the host are copied; a reservation closes its VOQ until
// it is looked at again.
`default_nettype none
module voq_limits #(
    // 1..16
    parameter VOQS = 8,
    // bits of a VOQ number, >= 1
    parameter LOG2_VOQS = 3,
    // words per block and its log2
    parameter BLOCK_WORDS = 64,
    parameter LOG2_WORDS = 6,
    // log2 of the blocks
    parameter LOG2_BLOCKS = 12,
    // log2 of the entries of the staging, 10..12
    parameter LOG2_STAGING = 10
) (
    input  wire                             clk,
    input  wire                             rst,
    input  wire                             clear,
    input  wire [LOG2_BLOCKS:0]             limit,          // blocks that one VOQ may have, 0: none has a body

    input  wire                             reserve,
    input  wire [LOG2_VOQS-1:0]             reserve_voq,
    input  wire [LOG2_STAGING:0]            taken,
    input  wire [LOG2_BLOCKS:0]             free_blocks,

    output wire [10:0]                      room,           // from the clock after `reserve`
    output wire                             blocks_short,   // the free blocks, not the staging, keep the largest piece (514 words) away

    output reg  [LOG2_VOQS-1:0]             look,
    input  wire [LOG2_BLOCKS:0]             look_level,
    output reg  [VOQS-1:0]                  open,
    output reg  [VOQS*(LOG2_BLOCKS+1)-1:0]  levels          // up to VOQS clocks old
);
    // bits of n
    function integer width_of;
        input integer n;
        for (width_of = 0; (n >> width_of) > 0; width_of = width_of + 1)
            ;
    endfunction

    localparam LEVEL_BITS = LOG2_BLOCKS + 1;
    localparam NEED       = (1 << LOG2_STAGING) + 1 + VOQS * (BLOCK_WORDS - 1);   // with so many free words the blocks are no limit
    localparam BITS       = width_of(NEED + BLOCK_WORDS);
    localparam ENOUGH     = (NEED + BLOCK_WORDS - 1) / BLOCK_WORDS;
    localparam [31:0]           ENOUGH_BLOCKS = ENOUGH;
    localparam [31:0]           NEED_WORDS    = NEED;
    localparam [31:0]           HOLDS         = (1 << LOG2_STAGING) - 1;          // words; one entry more ends a piece
    localparam [31:0]           LAST          = VOQS - 1;
    localparam [LOG2_VOQS-1:0]  NEXT          = {{LOG2_VOQS-1{1'b0}}, 1'b1};

    // ---- room
    reg  [BITS-1:0] lacking;                                  // free words below NEED
    wire [31:0] free_wide  = {{31-LOG2_BLOCKS{1'b0}}, free_blocks};
    wire [31:0] free_words = {free_wide[31-LOG2_WORDS:0], {LOG2_WORDS{1'b0}}};
    wire [31:0] gap        = NEED_WORDS - free_words;
    wire        enough     = (free_wide >= ENOUGH_BLOCKS);

    always @(posedge clk)
        if (rst || enough)
            lacking <= {BITS{1'b0}};
        else
            lacking <= gap[BITS-1:0];

    wire [15:0] open_words = HOLDS[15:0] - {{15-LOG2_STAGING{1'b0}}, taken} - {{16-BITS{1'b0}}, lacking};

    assign room         = open_words[15] ? 11'd0 : (|open_words[14:11]) ? 11'h7ff : open_words[10:0];
    assign blocks_short = (lacking != {BITS{1'b0}}) && (room < 11'd514);

    // ---- limits
    wire [15:0] staged     = {{15-LOG2_STAGING{1'b0}}, taken} >> LOG2_WORDS;
    wire [15:0] would_have = {{15-LOG2_BLOCKS{1'b0}}, look_level} + staged;
    integer i;

    always @(posedge clk)
        if (rst || clear) begin
            look <= {LOG2_VOQS{1'b0}};
            open <= {VOQS{1'b0}};
        end else begin
            look       <= (look == LAST[LOG2_VOQS-1:0]) ? {LOG2_VOQS{1'b0}} : look + NEXT;
            open[look] <= (would_have < {{15-LOG2_BLOCKS{1'b0}}, limit});
            if (reserve)
                open[reserve_voq] <= 1'b0;
        end

    always @(posedge clk)
        for (i = 0; i < VOQS; i = i + 1)
            if (rst)
                levels[LEVEL_BITS*i +: LEVEL_BITS] <= {LEVEL_BITS{1'b0}};
            else if (i[LOG2_VOQS-1:0] == look)
                levels[LEVEL_BITS*i +: LEVEL_BITS] <= look_level;

    wire unused = &{1'b0, gap[31:BITS], free_wide[31:32-LOG2_WORDS], HOLDS[31:16], LAST[31:LOG2_VOQS]};
endmodule
`default_nettype wire
