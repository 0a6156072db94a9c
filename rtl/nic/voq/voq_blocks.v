// The blocks (pages) of external memory: which are free, which belong to which VOQ, and where in them the next word is
// written or read.
//
// Each VOQ's body is a linked list of blocks, written at its tail and read at its head; both may be in the same block.
// A block is taken when a word needs it and freed with its last word, even if that is not in the block's last place: an
// empty list has no block.
//
//     head                                  tail
//    [..####] -> [######] -> [######] -> [###...]        a list of 4 blocks: `rd` in the head, `wr` in the tail
//
// One access per clock, to VOQ `at`: the answers are combinational, `wrote` and `was_read` say that the memory has
// taken it. Between reads of two VOQs there is a clock without a read (the link behind the new head is fetched in it).
// A list never changes at both ends in one clock, so its five numbers are in one LUT memory each, single ported
// (levels: a second port to read).
//
// Free blocks: `fresh` counts up through those never used; after that they are taken from a stack linked through the
// same block RAM as the lists. No sweep is needed after reset, and `clear` frees all blocks at once. One block is
// always fetched ahead (`spare`); if it has just been used the next one is ready 2 clocks later (3 off the stack).
//
// A word may be read only after it was written, so no read address is given without a word. The caller reserves blocks
// so that `write_ok` never waits for a free block (`broken` if it would).
`default_nettype none
module voq_blocks #(
    // lists, 1..16
    parameter VOQS = 8,
    // words per block, power of two, 16..512
    parameter BLOCK_WORDS = 64,
    // log2 of the blocks, 4..14
    parameter LOG2_BLOCKS = 12
) (
    input  wire                                   clk,
    input  wire                                   rst,
    input  wire                                   clear,        // all lists empty from the next clock on

    // ---- an access to VOQ `at`
    input  wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0] at,
    input  wire                                   at_read,      // 1: the next read of `at`, 0: the next write
    output wire [LOG2_BLOCKS+$clog2(BLOCK_WORDS)-1:0] address,
    output wire                                   write_ok,
    output wire                                   read_ok,
    input  wire                                   wrote,        // the write at `address` has been taken
    input  wire                                   was_read,
    output wire                                   at_many,      // more words of `at` there than at_words says, > 512;
    output wire [9:0]                             at_words,     // else this many, if it is present

    // ---- words in memory
    output reg  [VOQS-1:0]                        present,      // the list is not empty
    output reg  [LOG2_BLOCKS:0]                   free_blocks,
    input  wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0] look,
    output wire [LOG2_BLOCKS:0]                   look_level,   // blocks of VOQ `look`, while it is present
    output wire                                   broken        // a word needs a block and none is free
);
    localparam LOG2_VOQS  = $clog2(VOQS > 1 ? VOQS : 2);
    localparam LOG2_WORDS = $clog2(BLOCK_WORDS);
    localparam ENTRIES    = 1 << LOG2_VOQS;
    localparam [LOG2_BLOCKS:0]    BLOCKS = {1'b1, {LOG2_BLOCKS{1'b0}}};
    localparam [LOG2_BLOCKS:0]    ONE    = {{LOG2_BLOCKS{1'b0}}, 1'b1};
    localparam [LOG2_WORDS-1:0]   STEP   = {{LOG2_WORDS-1{1'b0}}, 1'b1};
    localparam [LOG2_WORDS-1:0]   FIRST  = {LOG2_WORDS{1'b0}};
    // 2**FEW_BITS blocks: more than 512 words
    localparam FEW_BITS = (LOG2_WORDS == 4) ? 6 : (LOG2_WORDS == 9) ? 2 : 10 - LOG2_WORDS;

    initial begin
        if (VOQS < 1 || VOQS > 16) begin
            $display("%m: VOQS must be 1..16, is %0d", VOQS);
            $finish;
        end
        if (BLOCK_WORDS != (1 << LOG2_WORDS) || LOG2_WORDS < 4 || LOG2_WORDS > 9) begin
            $display("%m: BLOCK_WORDS must be 2**LOG2_WORDS, 16..512, are %0d and %0d", BLOCK_WORDS, LOG2_WORDS);
            $finish;
        end
        if (LOG2_BLOCKS < 4 || LOG2_BLOCKS > 14) begin
            $display("%m: LOG2_BLOCKS must be 4..14, is %0d", LOG2_BLOCKS);
            $finish;
        end
    end

    // ---- the lists
    reg [LOG2_BLOCKS-1:0] heads  [0:ENTRIES-1];
    reg [LOG2_BLOCKS-1:0] tails  [0:ENTRIES-1];
    reg [LOG2_WORDS-1:0]  rds    [0:ENTRIES-1];
    reg [LOG2_WORDS-1:0]  wrs    [0:ENTRIES-1];    // 0: the tail is full
    reg [LOG2_BLOCKS:0]   levels [0:ENTRIES-1];    // valid while `present`

    wire                   here  = present[at];
    wire [LOG2_BLOCKS-1:0] head  = heads[at];
    wire [LOG2_BLOCKS-1:0] tail  = tails[at];
    wire [LOG2_WORDS-1:0]  rd    = rds[at];
    wire [LOG2_WORDS-1:0]  wr    = wrs[at];
    wire [LOG2_BLOCKS:0]   level = levels[at];

    reg                    spare_valid;
    reg  [LOG2_BLOCKS-1:0] spare;
    reg                    popping;                // the uppermost block of the stack becomes the spare one
    reg                    next_valid;             // `next_of` is the successor of `at`'s head
    reg  [LOG2_BLOCKS-1:0] next_of;

    wire opens      = !here || (wr == FIRST);      // the next word written opens a block
    wire one_block  = (level == ONE);
    wire ends_block = (rd == ~FIRST);
    wire empties    = one_block && (rd + STEP == wr);
    wire takes      = wrote && opens;
    wire frees      = was_read && (ends_block || empties);

    wire [LOG2_BLOCKS-1:0] block = at_read ? head : tail;

    assign address  = {(!at_read && opens) ? spare : block, at_read ? rd : here ? wr : FIRST};
    assign write_ok = !opens || spare_valid;
    assign read_ok  = here && !popping && (!ends_block || one_block || next_valid);

    always @(posedge clk) begin
        if (takes)                                        tails[at]  <= spare;
        if (wrote)                                        wrs[at]    <= opens ? STEP : wr + STEP;
        if (was_read || (takes && !here))                 rds[at]    <= was_read ? rd + STEP : FIRST;
        if ((was_read && ends_block) || (takes && !here)) heads[at]  <= was_read ? next_of : spare;
        if (takes || frees)
            levels[at] <= (level & {LOG2_BLOCKS+1{here}}) + {{LOG2_BLOCKS{frees}}, 1'b1};
    end

    integer v;
    always @(posedge clk)
        if (rst || clear)
            present <= {VOQS{1'b0}};
        else if (takes || (frees && one_block))
            for (v = 0; v < VOQS; v = v + 1)
                if (v[LOG2_VOQS-1:0] == at) present[v] <= takes;

    // ---- how many words: from `rd` in the first block to `wr` in the last one, which is full if `wr` is 0
    wire [15:0]         level_wide = {{15-LOG2_BLOCKS{1'b0}}, level};
    wire [FEW_BITS-1:0] full       = level_wide[FEW_BITS-1:0] - {{FEW_BITS-1{1'b0}}, wr != FIRST};
    wire [11:0]         words      = {{12-FEW_BITS-LOG2_WORDS{1'b0}}, full, wr} - {{12-LOG2_WORDS{1'b0}}, rd};

    assign at_many    = (|level_wide[15:FEW_BITS]) || (|words[11:10]);
    assign at_words   = words[9:0];
    assign look_level = levels[look];

    // ---- free blocks, and the links of all lists
    reg [LOG2_BLOCKS-1:0] links [0:(1 << LOG2_BLOCKS)-1];
    reg [LOG2_BLOCKS:0]   fresh;                   // never used from here on; the top bit: all have been used
    reg [LOG2_BLOCKS-1:0] stack;                   // uppermost block of the stack

    wire all_used   = fresh[LOG2_BLOCKS];
    wire refill     = !spare_valid && !all_used;
    wire pop        = !spare_valid && all_used && !popping && !frees && (free_blocks != {LOG2_BLOCKS+1{1'b0}});
    wire link_write = frees || (takes && here);

    assign broken = !at_read && !write_ok && (free_blocks == {LOG2_BLOCKS+1{1'b0}});

    always @(posedge clk)
        if (link_write)
            links[block] <= at_read ? stack : spare;

    always @(posedge clk)
        next_of <= links[pop ? stack : head];

    always @(posedge clk)
        next_valid <= at_read;      // a head just entered has 15 more words at least before its successor is wanted

    always @(posedge clk)
        if (rst || clear) begin
            fresh       <= {LOG2_BLOCKS+1{1'b0}};
            free_blocks <= BLOCKS;
            spare_valid <= 1'b0;
            popping     <= 1'b0;
        end else begin
            popping <= pop;
            if (takes || frees) free_blocks <= free_blocks + {{LOG2_BLOCKS{takes}}, 1'b1};
            if (refill) fresh <= fresh + ONE;
            spare_valid <= (spare_valid && !takes) || refill || popping;
        end

    always @(posedge clk)
        if (!spare_valid)
            spare <= popping ? stack : fresh[LOG2_BLOCKS-1:0];

    // Reads wait while a block is being popped: `next_of` is not theirs, and `stack` takes one value at a time.
    always @(posedge clk)
        if (frees || popping)
            stack <= popping ? next_of : head;

    // ---- measuring
    wire probe_busy        = |present;
    wire probe_stall_block = !at_read && !write_ok;
endmodule
`default_nettype wire
