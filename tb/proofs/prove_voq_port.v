// Proof of voq_rings: `bad` is never high, whatever words come back and whenever the engine uses the write port, if it
//
//   * uses the port only for pieces that it has reserved, of PIECE clocks each, RESERVED clocks at most at a time
//   * reserves nothing while `pause` is high
//
//   no longer   a word read back waits for at most 2**LOG2_PATIENCE clocks and the reserved ones
//   half        as often as words that wait were refused the port was the engine's no more, but for so many clocks
`default_nettype none
module prove_voq_port #(
    parameter LOG2_PATIENCE = 3,
    parameter PIECE         = 3,
    parameter RESERVED      = 9
) (
    input  wire clk,
    input  wire any_reserve,
    input  wire any_put,
    input  wire any_word,
    input  wire any_due,
    input  wire any_clear,
    output wire bad
);
    localparam [31:0] NEW  = PIECE;
    localparam [31:0] ALL  = RESERVED;
    localparam [31:0] MOST = (1 << LOG2_PATIENCE) + RESERVED;

    reg running;                       // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;

    reg  [4:0]  left;                  // clocks of the engine that are reserved
    reg  [5:0]  waited, balance;
    reg         word;                  // one waits
    wire        pause, ready;
    wire        clear = !running || any_clear;
    wire        turn  = any_put && (left != 5'd0) && !clear;
    wire        comes = (word || any_word) && !clear;
    wire        due   = comes || any_due;
    wire        more  = any_reserve && !pause && ({1'b0, left} + NEW[5:0] <= ALL[5:0]);
    wire        refused = comes && !ready;

    voq_rings #(.VOQS(2), .LOG2_VOQ_WORDS(8), .LOG2_PATIENCE(LOG2_PATIENCE)) rings (
        .clk (clk), .clear (clear), .clear_voq (1'b0),
        .put_turn (turn), .put_valid (1'b0), .put_bypass (1'b0), .put_data (67'd0), .put_voq (1'b0), .put_commit (1'b0),
        .put_rollback (1'b0), .put_empty (), .put_words (),
        .fetch_valid (comes), .fetch_data (68'd0), .fetch_voq (1'b0), .fetch_ready (ready), .fetch_due (due),
        .pause (pause), .shown_valid (), .shown_voq (), .shown_abort (),
        .rd_valid (1'b0), .rd_keep (1'b0), .rd_voq (1'b0), .rd_data (),
        .look_voq (1'b0), .look_words (), .scan_voq (1'b0), .scan_start ()
    );

    always @(posedge clk) begin
        left    <= clear ? 5'd0 : left + (more ? NEW[4:0] : 5'd0) - {4'd0, turn};
        word    <= refused;
        waited  <= refused ? waited + 6'd1 : 6'd0;
        balance <= (clear || !due) ? 6'd0 : refused ? balance + 6'd1 : (!turn && (balance != 6'd0)) ? balance - 6'd1
                   : balance;
    end

    assign bad = running && ({1'b0, waited} > MOST[6:0] || {1'b0, balance} > MOST[6:0]);

    wire unused = &{1'b0, NEW[31:6], ALL[31:6], MOST[31:7]};
endmodule
`default_nettype wire
