// Proof of voq_staging and voq_limits, as voq_body connects them: `bad` is never high, whatever pieces come, how many
// blocks are free and whenever words are taken.
//
//   places   a word, or the entry that ends a piece, finds a place
//   room     no more is offered than is neither used nor reserved
//
// Assumed: what is reserved is offered in that clock (proofs rings, pieces); pieces are written in their order, each
// with no more words than were reserved, and as many only if its end comes with the last one (proof pieces). `lemmas`
// is what makes a step enough.
`default_nettype none
module prove_voq_staging #(
    // log2 of the words
    parameter LOG2_STAGING = 10,
    // of the words of a piece
    parameter BITS = 11,
    // words of a piece more than its reservation
    parameter MORE = 0,
    // 0: what is claimed alone, for faults
    parameter LEMMAS = 1
) (
    input  wire            clk,
    input  wire            any_clear,
    input  wire            any_reserve,
    input  wire [BITS-1:0] any_words,         // of a reservation
    input  wire [BITS-1:0] any_piece,         // of the next piece to be written
    input  wire [3:0]      any_in,
    input  wire [66:0]     any_data,
    input  wire            any_pop,
    input  wire [12:0]     any_free,
    output wire            bad
);
    localparam L = LOG2_STAGING;
    localparam [L:0] CAPACITY = 1 << L;
    localparam [BITS-1:0] ONE = 1, NONE = 0, LONGEST = 1 << (BITS - 1), BEYOND = MORE;

    reg running;                              // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;

    // ---- pieces: of all that are reserved the oldest one has `piece` words, `used` of them are written
    reg  [L:0]      sum;                      // words of pieces that have not ended
    reg  [BITS-1:0] kept, used;               // kept: words of the piece, once it has begun
    wire            clear   = any_clear || !running;
    wire [BITS-1:0] room;
    wire [L:0]      space;
    wire            reserve = any_reserve && !clear && any_words != NONE && any_words <= LONGEST && any_words <= room;
    wire [BITS-1:0] most    = (any_piece > LONGEST) ? LONGEST : any_piece;
    wire [BITS-1:0] fresh   = (sum < {{L+1-BITS{1'b0}}, most}) ? sum[BITS-1:0] : most;
    wire [BITS-1:0] piece   = (kept != NONE) ? kept : fresh;
    wire            begun   = !clear && piece != NONE;
    wire            valid   = any_in[0] && begun && (any_in[3] || used + ONE < piece + BEYOND);
    wire            ends    = any_in[3] && begun;
    wire            commit  = any_in[1] && begun;
    wire            back    = any_in[2] && begun;

    wire        head_valid, head_word, head_end, head_voq, half_full, overflow, blocks_short, look;
    wire [66:0] head_data;
    wire [1:0]  open;
    wire [25:0] levels;
    voq_staging #(.LOG2_VOQS(1), .LOG2_DEPTH(L)) staging (
        .clk (clk), .rst (!running), .clear (clear), .in_valid (valid), .in_data (any_data), .in_voq (1'b0),
        .in_commit (commit), .in_rollback (back), .in_piece_end (ends), .in_piece_words (piece), .reserve (reserve),
        .reserve_words (any_words), .space (space), .head_valid (head_valid), .head_word (head_word),
        .head_end (head_end), .head_voq (head_voq), .head_data (head_data), .pop (any_pop && head_valid),
        .half_full (half_full), .overflow (overflow)
    );
    voq_limits #(.VOQS(2), .LOG2_STAGING(L)) limits (
        .clk (clk), .rst (!running), .slept (8'd0), .clear (clear), .limit (13'd1), .space (space),
        .free_blocks (any_free), .room (room), .blocks_short (blocks_short), .present (2'd0), .look (look),
        .look_level (13'd0), .open (open), .levels (levels)
    );

    (* hierconn *) wire [L:0] \staging.written , \staging.committed , \staging.piece , \staging.read ;
    (* hierconn *) wire [L:0] \staging.unreserved ;
    (* hierconn *) wire \staging.write , \staging.full ;
    always @(posedge clk)
        if (clear) {sum, kept, used} <= {L+1+2*BITS{1'b0}};
        else begin
            sum  <= sum + {{L+1-BITS{1'b0}}, any_words & {BITS{reserve}}} - {{L+1-BITS{1'b0}}, piece & {BITS{ends}}};
            kept <= ends ? NONE : (valid || commit || back) ? piece : kept;
            used <= ends ? NONE : used + {{BITS-1{1'b0}}, valid};
        end

    // ---- lemmas: what is in the staging and what may still come. Words of the piece may have been read, or dropped
    wire [L:0]   here   = \staging.written - \staging.piece , occupied = \staging.written - \staging.read ;
    wire [L+1:0] all    = {1'b0, occupied} + {1'b0, sum} - {1'b0, here};
    wire         lemmas = \staging.unreserved == CAPACITY - sum && kept <= LONGEST && {{L+1-BITS{1'b0}}, kept} <= sum
                          && (kept != NONE ? used < kept : used == NONE) && here <= {{L+1-BITS{1'b0}}, used}
                          && \staging.committed - \staging.piece <= here
                          && \staging.committed - \staging.read <= occupied
                          && occupied <= CAPACITY && all <= {1'b0, CAPACITY};
    assign bad = running && ((\staging.write && \staging.full ) || {{L+1-BITS{1'b0}}, room} > space || space > CAPACITY
                             || (LEMMAS != 0 && !lemmas));
endmodule
`default_nettype wire
