// Which VOQs have a body: `body` rises in the clock after the first piece is reserved and falls when none of its words
// is on the way any more.
//
// `body` must never fall too early (a word put on chip then would overtake), and may fall late. So the VOQs are polled:
// a VOQ with no piece reserved or staged and no block in memory is quiet, except for words that are being read.
// `issued` marks the place of the last word read so far; when the ring has taken all words up to there and no new piece
// was reserved, the body is gone. That takes some 10 to 30 clocks.
//
// Pieces leave the staging in the order of their reservation, so numbers show whether it is the last of its VOQ.
`default_nettype none
module voq_presence #(
    // 1..16
    parameter VOQS = 8,
    // bits of a piece number: more pieces than can be reserved and staged
    parameter PIECE_BITS = 11
) (
    input  wire                                   clk,
    input  wire                                   rst,
    input  wire [7:0]                             slept,        // clock_gate: clocks missed
    input  wire                                   clear,

    input  wire                                   reserve,      // a piece is reserved
    input  wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0] reserve_voq,
    input  wire                                   piece_gone,   // the oldest one has left the staging
    input  wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0] piece_gone_voq,
    input  wire [VOQS-1:0]                        present,      // has blocks in memory
    input  wire [4:0]                             issued,       // words requested so far, modulo 32
    input  wire [4:0]                             handed,       // words handed over so far; at most 16 behind

    output reg  [VOQS-1:0]                        body
);
    localparam LOG2_VOQS = $clog2(VOQS > 1 ? VOQS : 2);
    localparam [PIECE_BITS-1:0] ONE  = {{PIECE_BITS-1{1'b0}}, 1'b1};
    localparam [LOG2_VOQS-1:0]  NEXT = {{LOG2_VOQS-1{1'b0}}, 1'b1};
    localparam [31:0]           LAST = VOQS - 1;

    // ---- pieces
    reg [PIECE_BITS-1:0] latest [0:(1 << LOG2_VOQS)-1];   // number of the latest piece of a VOQ
    reg [PIECE_BITS-1:0] asked, gone;                     // numbers of the next piece reserved and of the next to leave
    reg [VOQS-1:0]       pending;                         // has pieces reserved or staged

    wire last_gone = piece_gone && (latest[piece_gone_voq] == gone);

    always @(posedge clk)
        if (reserve)
            latest[reserve_voq] <= asked;

    integer v;
    always @(posedge clk)
        if (rst || clear) begin
            asked   <= {PIECE_BITS{1'b0}};
            gone    <= {PIECE_BITS{1'b0}};
            pending <= {VOQS{1'b0}};
        end else begin
            if (reserve)    asked <= asked + ONE;
            if (piece_gone) gone  <= gone + ONE;
            if (reserve || last_gone)
                for (v = 0; v < VOQS; v = v + 1)
                    if (reserve && v[LOG2_VOQS-1:0] == reserve_voq)
                        pending[v] <= 1'b1;
                    else if (last_gone && v[LOG2_VOQS-1:0] == piece_gone_voq)
                        pending[v] <= 1'b0;
        end

    // ---- polling
    reg [LOG2_VOQS-1:0] at;
    reg                 waiting;     // `at` was quiet: words up to `mark` have to be handed over
    reg [4:0]           mark;

    wire [LOG2_VOQS-1:0] at_now = at + (slept[LOG2_VOQS-1:0] & {LOG2_VOQS{VOQS != 1}});

    wire quiet   = body[at] && !pending[at] && !present[at];
    wire revived = reserve && (reserve_voq == at);
    wire over    = (handed == mark);

    always @(posedge clk)
        if (rst || clear) begin
            at      <= {LOG2_VOQS{1'b0}};
            waiting <= 1'b0;
            body    <= {VOQS{1'b0}};
        end else begin
            waiting <= !revived && (waiting ? !over : quiet);
            if (!waiting && !quiet)
                at <= (at_now == LAST[LOG2_VOQS-1:0]) ? {LOG2_VOQS{1'b0}} : at_now + NEXT;
            if (reserve || (waiting && over))
                for (v = 0; v < VOQS; v = v + 1)
                    if (reserve && v[LOG2_VOQS-1:0] == reserve_voq)
                        body[v] <= 1'b1;
                    else if (waiting && over && v[LOG2_VOQS-1:0] == at)
                        body[v] <= 1'b0;
        end

    always @(posedge clk)
        if (!waiting)
            mark <= issued;

    wire unused = &{1'b0, LAST[31:LOG2_VOQS], slept};
endmodule
`default_nettype wire
