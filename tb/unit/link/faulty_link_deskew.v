// link_deskew with faults that a test switches on one at a time: its inputs or its outputs are changed.
`default_nettype none
module faulty_link_deskew #(
    parameter LINKS = 2
) (
    input  wire                clk,
    input  wire                rst,
    input  wire [32*LINKS-1:0] lane_word,
    input  wire [LINKS-1:0]    lane_valid,
    input  wire [LINKS-1:0]    lane_sop,
    input  wire [LINKS-1:0]    lane_k,
    input  wire [LINKS-1:0]    lane_error,
    input  wire                good,
    input  wire                bad,
    output wire [32*LINKS-1:0] word,
    output wire                word_valid,
    output wire                word_sop,
    output wire                word_k,
    output wire                word_error,
    output wire                aligned,
    output wire [4*LINKS-1:0]  waits,
    output wire                ev_deskew,
    input  wire [2:0]          fault           // 0: none
);
    localparam [2:0] REPEATS_WORDS  = 3'd1;    // a link without data repeats its last word (S4 3.4)
    localparam [2:0] MIXES_FRAMES   = 3'd2;    // the last link is a clock late
    localparam [2:0] CROSSES_BYTES  = 3'd3;    // of links 0 and 1
    localparam [2:0] FORGETS_WAITS  = 3'd4;    // a frame that is missing costs more than itself
    localparam [2:0] HIDES_ERRORS   = 3'd5;    // links that are not aligned are not reported
    localparam [2:0] TRUSTS_STARTS  = 3'd6;    // frames are never called bad
    localparam [2:0] HIDES_WEAKNESS = 3'd7;    // code errors are not reported

    // what stood on the links a clock ago: of those without data, their last word
    reg  [32*LINKS-1:0] last_word;
    reg  [LINKS-1:0]    last_k, last_error;
    wire [LINKS-1:0]    repeats = ~lane_valid & {LINKS{fault == REPEATS_WORDS}};
    wire [32*LINKS-1:0] seen_word, real_word;
    wire                real_error, real_deskew;
    reg  [32*LINKS-1:0] late_word;

    genvar l;
    generate
        for (l = 0; l < LINKS; l = l + 1) begin : lane
            always @(posedge clk)
                if (lane_valid[l]) begin
                    last_word[32*l +: 32] <= lane_word[32*l +: 32];
                    last_k[l]             <= lane_k[l];
                    last_error[l]         <= lane_error[l];
                end
            assign seen_word[32*l +: 32] = repeats[l] ? last_word[32*l +: 32] : lane_word[32*l +: 32];
        end
    endgenerate

    link_deskew #(.LINKS(LINKS)) real_one (
        .clk (clk), .rst (rst), .lane_word (seen_word), .lane_valid (lane_valid | repeats), .lane_sop (lane_sop & ~repeats),
        .lane_k (lane_k & ~repeats | last_k & repeats), .lane_error (lane_error & ~repeats | last_error & repeats),
        .good (good && fault != FORGETS_WAITS), .bad (bad && fault != TRUSTS_STARTS),
        .word (real_word), .word_valid (word_valid), .word_sop (word_sop), .word_k (word_k), .word_error (real_error),
        .aligned (aligned), .waits (waits), .ev_deskew (real_deskew)
    );

    always @(posedge clk) late_word <= real_word;

    genvar b;
    generate
        for (b = 0; b < 4 * LINKS; b = b + 1) begin : bytes
            // the byte of link b mod LINKS, counted from the highest
            localparam AT = 8 * (4 * LINKS - 1 - b);
            localparam CROSSED = (b % LINKS > 1) ? AT : (b % LINKS == 0) ? AT - 8 : AT + 8;
            assign word[AT +: 8] = (fault == CROSSES_BYTES) ? real_word[CROSSED +: 8]
                                 : (fault == MIXES_FRAMES && b % LINKS == LINKS - 1) ? late_word[AT +: 8] : real_word[AT +: 8];
        end
    endgenerate
    assign word_error = real_error && fault != HIDES_WEAKNESS;
    assign ev_deskew  = real_deskew && fault != HIDES_ERRORS;
endmodule
`default_nettype wire
