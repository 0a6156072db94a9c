// Which VOQs have a body: `body` rises in the clock after the first piece is reserved and falls when nothing of it is on the way any more.
//
// `body` must never fall too early (a word put on chip then would overtake), and may fall late. So it is looked after in turn: a VOQ
// with no piece reserved or staged and no block outside is quiet, except for words that are being read. `issued` marks the place of
// the last word read so far; when the ring has taken all words up to there and nothing new was reserved, the body is gone. That
// takes some 10 to 30 clocks.
//
// Pieces leave the staging in the order in which they were reserved, so numbers say whether the one that leaves is the last of its VOQ.
`default_nettype none
module voq_presence #(
    // 1..16
    parameter VOQS = 8,
    // bits of a VOQ number, >= 1
    parameter LOG2_VOQS = 3,
    // bits of a piece number: more pieces than can be reserved and staged
    parameter PIECE_BITS = 11
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire                 clear,

    input  wire                 reserve,         // a piece is reserved
    input  wire [LOG2_VOQS-1:0] reserve_voq,
    input  wire                 piece_gone,      // the oldest one has left the staging
    input  wire [LOG2_VOQS-1:0] piece_gone_voq,
    input  wire [VOQS-1:0]      present,         // has blocks outside
    input  wire [4:0]           issued,          // words asked for so far, modulo 32
    input  wire [4:0]           handed,          // words handed over so far; at most 16 behind

    output reg  [VOQS-1:0]      body
);
    localparam [PIECE_BITS-1:0] ONE  = {{PIECE_BITS-1{1'b0}}, 1'b1};
    localparam [31:0]           LAST = VOQS - 1;

    // ---- pieces
    reg [PIECE_BITS-1:0] latest [0:(1 << LOG2_VOQS)-1];   // number of the latest piece of a VOQ
    reg [PIECE_BITS-1:0] asked, gone;                     // numbers of the next piece reserved and of the next to leave
    reg [VOQS-1:0]       pending;                         // has pieces reserved or staged

    wire last_gone = piece_gone && (latest[piece_gone_voq] == gone);

    always @(posedge clk)
        if (reserve)
            latest[reserve_voq] <= asked;

    always @(posedge clk)
        if (rst || clear) begin
            asked   <= {PIECE_BITS{1'b0}};
            gone    <= {PIECE_BITS{1'b0}};
            pending <= {VOQS{1'b0}};
        end else begin
            if (reserve)    asked <= asked + ONE;
            if (piece_gone) gone  <= gone + ONE;
            if (last_gone)  pending[piece_gone_voq] <= 1'b0;
            if (reserve)    pending[reserve_voq]    <= 1'b1;
        end

    // ---- looking after them in turn
    reg [LOG2_VOQS-1:0] at;
    reg                 waiting;     // `at` was quiet: words up to `mark` have to be handed over
    reg [4:0]           mark;

    wire quiet   = body[at] && !pending[at] && !present[at];
    wire revived = reserve && (reserve_voq == at);

    always @(posedge clk)
        if (rst || clear) begin
            at      <= {LOG2_VOQS{1'b0}};
            waiting <= 1'b0;
            body    <= {VOQS{1'b0}};
        end else begin
            if (!waiting) begin
                waiting <= quiet && !revived;
                if (!quiet) at <= (at == LAST[LOG2_VOQS-1:0]) ? {LOG2_VOQS{1'b0}} : at + 1'b1;
            end else if (revived)
                waiting <= 1'b0;
            else if (handed == mark) begin
                waiting  <= 1'b0;
                body[at] <= 1'b0;
            end
            if (reserve) body[reserve_voq] <= 1'b1;
        end

    always @(posedge clk)
        if (!waiting)
            mark <= issued;

    wire unused = &{1'b0, LAST[31:LOG2_VOQS]};
endmodule
`default_nettype wire
