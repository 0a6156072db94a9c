// Proof of what probabilistic packet mode rests on, (1) in S3 III-A, with short times: if an output pairs only with
// what its input has begun to write at most SEGMENT_WORDS - RTT clocks ago, no packet is ever without its next word.
//
// One flow of a 2x2 is looked at, from input 0 to output 0, with the blocks of the switch: the input's scheduler and
// credit row, the output's column with crosspoints and output scheduler. There are no cables: the round trip is what
// these blocks take, 5 clocks. The rest is free, within what the blocks promise:
//
//   the line card   does what pm_card_in says, clock by clock: it has packets of any length behind each other, all of a
//                   packet is there, and a unit of this flow leaves with credit only
//   input 1         sends to output 0 whatever it likes; its credit may have to wait for any time
//   output 1        gives credit back when it likes. Urgent, and with a notice, only in the clocks in which (1) lets
//                   it: it is the same hardware as output 0, for which that is proved here (`window`), so neither can
//                   be the first to break it
//
// `bad` is never high:
//
//   gap      behind a word with `out_sure` comes the next one of the packet
//   empty    no word leaves that has not come
//   notice   no notice comes that the input does not expect
//   window   urgent credit goes back for whole segments within a packet only, and in the clocks that (1) leaves
//
// ASSUMED is the round trip that the column assumes. One clock less than it takes allows one more than (1): a gap.
`default_nettype none
`include "slots.vh"
module prove_pm_distance #(
    parameter SEGMENT_WORDS = 7,               // 4..8
    parameter ASSUMED       = 5,
    parameter CREDIT_CLOCKS = 1,
    parameter SHORT         = 0,               // units of the flow: 0: whole segments; 1: also shorter ones
    parameter GAP_ONLY      = 0                // 1: `bad` is `gap` alone
) (
    input  wire       clk,
    input  wire       any_there,               // words for output 0 wait, if no packet has left in part
    input  wire       any_other,               // words for output 1 wait, and have credit
    input  wire [3:0] any_words,               // the unit has so many
    input  wire [7:0] any_end,                 // which of them are the last of a packet
    input  wire       in1_valid,               // input 1: a word to output 0
    input  wire       in1_first,
    input  wire       in1_end,
    input  wire [4:0] in1_side,
    input  wire [3:0] in1_late,                // its credit row
    input  wire       any_credit,              // output 1: credit for input 0
    input  wire       any_urgent,
    input  wire       any_notice,
    output wire       bad
);
    localparam SIDE  = 2 + $clog2(SEGMENT_WORDS);
    localparam CW    = SIDE - 2;               // of a number of words of a unit, less one
    localparam RTT   = 5;                      // of the blocks here
    localparam SLACK = SEGMENT_WORDS - RTT - 2; // clocks of (1) behind the two that a choice takes
    localparam GIVEN = SEGMENT_WORDS - ASSUMED - 2; // the same as the column has it
    localparam [31:0] SEGMENT = SEGMENT_WORDS;
    localparam [31:0] SLACK_BITS = SLACK;

    reg running;                               // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;
    wire rst = !running;

    // ---- the line card of input 0: see pm_card_in

    wire            home_valid;
    wire            home_output;
    wire [12:0]     home_words;
    wire            home_notice;
    reg  [3:0]      credit;                    // of output 0
    reg             cut;                       // a packet for it has left in part
    reg  [3:0]      unit;                      // words still to be fetched, the one of this clock counted
    reg  [7:0]      ends;                      // which of them are the last of a packet
    reg             flow;
    reg             starts;
    reg             kept;                      // packet mode chose the unit
    reg             notice;
    reg             notice_flow;
    reg             valid;
    reg             to;
    reg             first;
    reg             last;
    reg             link_kept;
    reg  [SIDE-1:0] side;
    wire            chosen;
    wire            chosen_flow;
    wire            stay;
    wire            error_notice;
    wire [3:0]      wish  = (any_words == 4'd0) ? 4'd1 : (any_words > SEGMENT[3:0]) ? SEGMENT[3:0] : any_words;
    wire [3:0]      size  = (SHORT == 0 && !chosen_flow) ? SEGMENT[3:0] : wish;
    wire            fetch = (unit != 4'd0);
    wire [1:0]      eligible = {running && any_other, running && (cut || any_there)
                                && credit >= ((SHORT == 0) ? SEGMENT[3:0] : wish)};
    // Only a whole segment may end within a packet.
    wire [7:0]      marks = (any_end | ((size == SEGMENT[3:0]) ? 8'd0 : 8'd1 << (size - 4'd1)))
                            & (8'hff >> (4'd8 - size));
    wire            cuts  = (marks >> (size - 4'd1)) == 8'd0;

    `PM_INPUT_SCHEDULER #(.FLOWS(2), .PACKET_MODE(1)) input_scheduler (
        .clk (clk), .rst (rst), .weight_write (1'b0), .weight_flow (1'b0), .weight (8'd0), .eligible (eligible),
        .choose (unit <= 4'd1), .chosen (chosen), .chosen_flow (chosen_flow), .flow (flow), .unit_start (starts),
        .unit_words ({9'd0, unit}), .unit_end (unit == 4'd1), .packet_end (fetch && ends[0]), .notice (notice),
        .notice_flow (notice_flow), .notice_id (8'd0), .stay (stay), .error (error_notice)
    );

    wire [3:0] back  = (home_valid && !home_output) ? home_words[3:0] : 4'd0;
    wire [3:0] given = (chosen && !chosen_flow) ? size : 4'd0;
    always @(posedge clk)
        if (rst) begin
            credit <= SEGMENT[3:0];
            cut    <= 1'b0;
            unit   <= 4'd0;
            flow   <= 1'b0;
            starts <= 1'b0;
            kept   <= 1'b0;
            valid  <= 1'b0;
            notice <= 1'b0;
        end else begin
            credit <= credit + back - given;
            starts <= chosen;
            valid  <= fetch;
            notice <= home_valid && home_notice;
            if (chosen) begin
                unit <= size;
                ends <= marks;
                flow <= chosen_flow;
                kept <= stay;
                if (!chosen_flow) cut <= cuts;
            end else if (fetch) begin
                unit <= unit - 4'd1;
                ends <= ends >> 1;
            end
        end
    wire [CW-1:0] count = unit[CW-1:0] - 1'b1;
    always @(posedge clk) begin
        notice_flow <= home_output;
        to          <= flow;
        first       <= starts;
        last        <= ends[0];
        link_kept   <= kept;
        side        <= starts ? {ends[0], |ends, count} : {ends[0], |ends, unit == 4'd2 && !ends[1], {SIDE-3{1'b0}}};
    end

    // ---- output 1, and when (1) lets an output call: a segment within a packet has begun to come, 2 clocks before its
    // choice is served

    localparam MOST = (GIVEN > SLACK) ? GIVEN : SLACK;
    wire          begins = valid && first && side[CW-1:0] == SEGMENT[CW-1:0] - 1'b1 && !side[SIDE-2];
    reg  [MOST+1:0] ago;                       // [k]: a segment to output 0 began k + 1 clocks ago; served in that + 2
    reg  [SLACK+1:0] ago_other;                // the same, to output 1
    reg  [SLACK+1:0] ago_turn;                 // ... and packet mode did not choose it
    wire [3:0]    late;
    reg           in_time;                     // a notice of output 1 would be
    integer       k;
    always @* begin
        in_time = 1'b0;
        for (k = 0; k <= SLACK; k = k + 1)
            if (ago_turn[k+1] && {28'd0, late} + k <= SLACK_BITS) in_time = 1'b1;
    end
    always @(posedge clk)
        if (rst) begin
            ago       <= {MOST+2{1'b0}};
            ago_other <= {SLACK+2{1'b0}};
            ago_turn  <= {SLACK+2{1'b0}};
        end else begin
            ago       <= {ago[MOST:0], begins && !to};
            ago_other <= {ago_other[SLACK:0], begins && to};
            ago_turn  <= {ago_turn[SLACK:0], begins && to && !link_kept};
        end
    wire credit1 = running && any_credit;
    wire urgent1 = any_urgent && |ago_other[SLACK+1:1];
    wire notice1 = any_notice && urgent1 && in_time;

    // ---- the crossbar

    wire        credit0;
    wire        credit0_input;
    wire [12:0] credit0_words;
    wire        notice0;
    wire        urgent0;
    wire        unused_row_priority;
    wire [7:0]  unused_home_id;
    pm_credit_row #(.PORTS(2), .CREDIT_CLOCKS(CREDIT_CLOCKS)) row (
        .clk (clk), .rst (rst), .number (1'b0), .in_valid ({credit1, credit0}), .in_priority (2'd0),
        .in_input ({1'b0, credit0_input}), .in_words ({13'd1, credit0_words}), .in_notice ({notice1, notice0}),
        .in_urgent ({urgent1, urgent0}), .in_id (16'd0), .late (late), .out_valid (home_valid),
        .out_priority (unused_row_priority), .out_output (home_output), .out_words (home_words),
        .out_notice (home_notice), .out_id (unused_home_id)
    );

    wire        out_valid;
    wire        out_input;
    wire        out_end;
    wire        out_sure;
    wire        unused_ask;
    wire        unused_high;
    wire        unused_lock;
    wire        unused_release;
    wire        unused_released;
    wire        unused_priority;
    wire        unused_out_priority;
    wire        unused_multicast;
    wire        unused_error;
    wire [7:0]  unused_id;
    wire [63:0] unused_word;
    wire        unused_pair;
    wire        unused_cancel;
    wire        unused_refused;
    pm_column #(
        .PORTS(2), .SEGMENT_WORDS(SEGMENT_WORDS), .PACKET_MODE(1), .XPOINT_WORDS(SEGMENT_WORDS), .RTT(ASSUMED)
    ) column (
        .clk (clk), .rst (rst), .number (1'b0), .weight_write (1'b0), .weight_input (1'b0), .weight (8'd0),
        .in_valid ({running && in1_valid, valid}), .in_target ({1'b0, to}), .in_priority (2'd0), .in_multicast (2'd0),
        .in_first ({in1_first, first}), .in_end ({in1_end, last}), .in_side ({in1_side[SIDE-1:0], side}),
        .in_word (128'd0), .lock_free (2'd0), .lock_ask (unused_ask), .lock_high (unused_high),
        .lock_input (unused_lock), .lock_granted (1'b0), .lock_release (unused_release),
        .lock_released (unused_released), .credit_valid (credit0), .credit_priority (unused_priority),
        .credit_input (credit0_input), .credit_words (credit0_words), .credit_notice (notice0),
        .credit_urgent (urgent0), .credit_id (unused_id), .credit_late ({in1_late, late}), .out_valid (out_valid),
        .out_input (out_input), .out_priority (unused_out_priority), .out_multicast (unused_multicast),
        .out_end (out_end), .out_sure (out_sure), .out_word (unused_word), .error_words (unused_error),
        .event_pair (unused_pair), .event_cancel (unused_cancel), .event_refused (unused_refused)
    );

    // ---- observed signals

    reg  sure;                                 // a word of the flow without its packet's end, and the rest was promised
    reg  [4:0] inside;                         // words of the flow that have come and not left
    wire leaves = out_valid && !out_input;
    wire comes  = valid && !to;
    always @(posedge clk)
        if (rst) begin
            sure   <= 1'b0;
            inside <= 5'd0;
        end else begin
            sure   <= leaves && out_sure && !out_end;
            inside <= inside + {4'd0, comes} - {4'd0, leaves};
        end
    wire gap    = sure && !leaves;
    wire empty  = leaves && inside == 5'd0;
    wire window = credit0 && !credit0_input && urgent0 && !(|ago[GIVEN+1:1]);
    assign bad = running && (gap || (GAP_ONLY == 0 && (empty || error_notice || window)));
    wire unused = &{1'b0, home_words[12:4], ago[0], ago_other[0], ago_turn[0]};
endmodule
`default_nettype wire
