// Proof that a column conserves credit: pm_column with its crosspoints and its output scheduler, fed by two inputs that
// keep to their credit, whatever units they send, and when. Cards are watched for that in each run (errors of
// pm_switch); pm_credit_row brings back what a column gives (prove_pm_credit_row). `bad` is never high:
//
//   no overrun  no crosspoint runs over or empty
//   no more     credit is given for words that came, once
//   no less     when all words that came have left, credit for all of them has been given
`default_nettype none
module prove_pm_column #(
    parameter SEGMENT_WORDS = 3,
    parameter XPOINT_WORDS  = 3,
    parameter CREDIT_WORDS  = XPOINT_WORDS     // what inputs take it to have
) (
    input  wire       clk,
    input  wire [1:0] any_start,              // per input: a unit begins, if none is on its way and there is credit,
    input  wire [7:0] any_words,              // ... of so many words, 4 bits each,
    input  wire [1:0] any_other,              // ... for the other output
    input  wire [1:0] any_end,                // this word is the last one of a packet
    output wire       bad
);
    localparam SIDE = 2 + $clog2(SEGMENT_WORDS);
    localparam [31:0] XPOINT  = CREDIT_WORDS;
    localparam [31:0] SEGMENT = SEGMENT_WORDS;

    reg running;                               // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;
    wire rst = !running;

    wire [1:0]        valid;
    reg  [1:0]        other;
    reg  [1:0]        first;
    wire [2*SIDE-1:0] side;
    (* mem2reg *) reg  [3:0] left  [0:1];             // words of the unit
    (* mem2reg *) reg  [3:0] size  [0:1];
    (* mem2reg *) reg  [3:0] given [0:1];             // words of units that have begun, without those whose credit came
    wire [1:0]        under;                   // below 0
    wire              credit_valid;
    wire              credit_input;
    wire [12:0]       credit_words;
    wire              error;

    genvar g;
    generate
        for (g = 0; g < 2; g = g + 1) begin : in
            wire [3:0] wish  = any_words[4*g +: 4];
            wire       start = running && any_start[g] && left[g] <= 4'd1 && wish != 4'd0 && wish <= SEGMENT[3:0] &&
                               (any_other[g] || {1'b0, given[g]} + {1'b0, wish} <= XPOINT[4:0]);
            wire       back  = credit_valid && credit_input == (g == 1);
            assign valid[g]  = (left[g] != 4'd0);
            assign side[SIDE*g +: SIDE] = first[g] ? {any_end[g], any_end[g], size[g][SIDE-3:0] - 1'b1} :
                                                     {any_end[g], any_end[g], {SIDE-2{1'b0}}};
            assign under[g] = back && credit_words > {9'd0, given[g]};
            always @(posedge clk)
                if (rst) begin
                    left[g]  <= 4'd0;
                    first[g] <= 1'b0;
                    given[g] <= 4'd0;
                end else begin
                    first[g] <= start;
                    left[g]  <= start ? wish : valid[g] ? left[g] - 4'd1 : 4'd0;
                    if (start) begin
                        size[g]  <= wish;
                        other[g] <= any_other[g];
                    end
                    given[g] <= given[g] + ((start && !any_other[g]) ? wish : 4'd0) - (back ? credit_words[3:0] : 4'd0);
                end
        end
    endgenerate

    wire        unused_ask;
    wire        unused_high;
    wire        unused_lock;
    wire        unused_release;
    wire        unused_released;
    wire        unused_priority;
    wire        unused_notice;
    wire        unused_urgent;
    wire [7:0]  unused_id;
    wire        out_valid;
    wire        out_input;
    wire        unused_out_priority;
    wire        unused_multicast;
    wire        unused_end;
    wire        unused_sure;
    wire [63:0] unused_word;
    wire        unused_pair;
    wire        unused_cancel;
    wire        unused_refused;
    pm_column #(.PORTS(2), .SEGMENT_WORDS(SEGMENT_WORDS), .XPOINT_WORDS(XPOINT_WORDS)) column (
        .clk (clk), .rst (rst), .number (1'b0), .weight_write (1'b0), .weight_input (1'b0), .weight (8'd0),
        .in_valid (valid), .in_target (other), .in_priority (2'd0), .in_multicast (2'd0), .in_first (first),
        .in_end (any_end), .in_side (side), .in_word (128'd0), .lock_free (2'd0), .lock_ask (unused_ask),
        .lock_high (unused_high), .lock_input (unused_lock), .lock_granted (1'b0), .lock_release (unused_release),
        .lock_released (unused_released), .credit_valid (credit_valid), .credit_priority (unused_priority),
        .credit_input (credit_input), .credit_words (credit_words), .credit_notice (unused_notice),
        .credit_urgent (unused_urgent), .credit_id (unused_id), .credit_late (8'd0), .out_valid (out_valid),
        .out_input (out_input), .out_priority (unused_out_priority), .out_multicast (unused_multicast),
        .out_end (unused_end), .out_sure (unused_sure), .out_word (unused_word), .error_words (error),
        .event_pair (unused_pair), .event_cancel (unused_cancel), .event_refused (unused_refused)
    );

    // no less
    (* mem2reg *) reg [4:0] inside [0:1];                   // words that have come and not left
    wire [1:0] leaves = {out_valid && out_input, out_valid && !out_input};
    wire [1:0] less   = {inside[1] == 5'd0 && !(valid[1] && !other[1]) && given[1] != 4'd0,
                         inside[0] == 5'd0 && !(valid[0] && !other[0]) && given[0] != 4'd0};
    integer    i;
    always @(posedge clk)
        for (i = 0; i < 2; i = i + 1)
            if (rst) inside[i] <= 5'd0;
            else inside[i] <= inside[i] + {4'd0, valid[i] && !other[i]} - {4'd0, leaves[i]};
    assign bad = running && |{under, less, error};
endmodule
`default_nettype wire
