// Credit of a row of the crossbar: credits of all outputs for one input, on one link with a credit every CREDIT_CLOCKS
// (S3 II: credits of segments that leave at about the same time wait for each other and are served round robin). Urgent
// ones go first.
//
//   credit from an output at t      on the link at t + 2, if none waits
//
// Waiting credits of an output are added up: there is a counter per output and no queue that could overflow.
`default_nettype none
module pm_credit_row #(
    parameter PORTS         = 16,          // 2..16
    parameter CREDIT_CLOCKS = 2,           // 1..15
    parameter RESERVE       = 0,          // 1: no credit starts in a clock in which an urgent one arrives: none is late
    parameter PRIORITIES    = 1,           // 1 or 2
    // computed, not to be set
    parameter PW            = $clog2(PORTS)
) (
    input  wire                clk,
    input  wire                rst,
    input  wire [PW-1:0]       number,     // of this input
    input  wire [PORTS-1:0]    in_valid,   // from each output: credit for in_input
    input  wire [PORTS-1:0]    in_priority,
    input  wire [PORTS*PW-1:0] in_input,   // bit b of its number, of all outputs from PORTS * b on
    input  wire [PORTS*13-1:0] in_words,
    input  wire [PORTS-1:0]    in_notice,
    input  wire [PORTS-1:0]    in_urgent,
    input  wire [PORTS*8-1:0]  in_id,
    output wire [3:0]          late,       // clocks that an urgent one of this clock would have to wait
    output reg                 out_valid,
    output reg                 out_priority,
    output reg  [PW-1:0]       out_output,
    output reg  [12:0]         out_words,
    output reg                 out_notice,
    output reg  [7:0]          out_id
);
    localparam [31:0] BUSY = CREDIT_CLOCKS - 1;

    initial
        if (CREDIT_CLOCKS < 1 || CREDIT_CLOCKS > 15) begin
            $display("%m: CREDIT_CLOCKS must be 1..15, is %0d", CREDIT_CLOCKS);
            $finish;
        end

    localparam ROWS = ((PRIORITIES - 1) << PW) + PORTS; // output; of high priority from 2^PW on
    localparam RW   = PW + PRIORITIES - 1;

    localparam HIGH = ROWS - PORTS;

    reg  [PORTS-1:0] hits;
    wire [ROWS-1:0]  hits_low  = {{HIGH{1'b0}}, (PRIORITIES == 2) ? hits & ~in_priority : hits};
    wire [ROWS-1:0]  hits_high = {{HIGH{1'b0}}, (PRIORITIES == 2) ? hits & in_priority : {PORTS{1'b0}}};
    wire [ROWS-1:0]  arrives   = hits_low | hits_high << HIGH;
    integer          i;
    always @* begin
        hits = in_valid;
        for (i = 0; i < PW; i = i + 1) hits = hits & (in_input[PORTS*i +: PORTS] ^ {PORTS{~number[i]}});
    end

    reg  [ROWS-1:0]  some;                 // credit waits
    reg  [ROWS-1:0]  urgent;
    reg  [ROWS-1:0]  notice;
    reg  [13*ROWS-1:0] words;
    reg  [8*ROWS-1:0]  id;
    reg  [RW-1:0]    last;
    reg  [3:0]       busy;                 // clocks until the link is free
    wire             any;
    wire [RW-1:0]    turn;
    wire [ROWS-1:0]  unused_grant;
    wire [ROWS-1:0]  urgent_low = {{HIGH{1'b0}}, in_urgent};
    wire [ROWS-1:0]  urgent_now = urgent_low | urgent_low << HIGH;
    wire [ROWS-1:0]  notice_low = {{HIGH{1'b0}}, in_notice};
    wire [ROWS-1:0]  notice_now = notice_low | notice_low << HIGH;
    wire             hold  = (RESERVE != 0) && |(arrives & urgent_now);
    wire             start = (busy == 4'd0) && any && !hold;

    round_robin #(.N(ROWS)) choice (
        .request ((|urgent) ? urgent : some), .last (last), .any (any), .grant (unused_grant), .index (turn)
    );

    // The choice for credit of this clock is made in the next one. Urgent credit is for whole segments of one input, so
    // no two of a row arrive within the time of a segment.
    assign late = start ? BUSY[3:0] : (busy > 4'd1) ? busy - 4'd1 : 4'd0;

    wire [ROWS-1:0]  leaves  = {{ROWS-1{1'b0}}, start} << turn;
    wire [ROWS-1:0]  touched = arrives | leaves;

    always @(posedge clk)
        if (start) begin
            out_priority <= (PRIORITIES == 2) && turn[RW-1];
            out_output   <= turn[PW-1:0];
            out_words    <= words[13*{{32-RW{1'b0}}, turn} +: 13];
            out_notice   <= notice[turn];
            out_id       <= id[8*{{32-RW{1'b0}}, turn} +: 8];
        end

    always @(posedge clk)
        if (rst) begin
            some      <= {ROWS{1'b0}};
            urgent    <= {ROWS{1'b0}};
            notice    <= {ROWS{1'b0}};
            last      <= {RW{1'b0}};
            busy      <= 4'd0;
            out_valid <= 1'b0;
            words     <= {13*ROWS{1'b0}};
        end else begin
            out_valid <= start;
            busy      <= start ? BUSY[3:0] : (busy != 4'd0) ? busy - 4'd1 : 4'd0;
            if (start) last <= turn;
            some   <= (some & ~leaves) | arrives;
            urgent <= (urgent & ~leaves) | (arrives & urgent_now);
            notice <= (notice & ~leaves) | (arrives & notice_now);
            if (|touched)
                for (i = 0; i < ROWS; i = i + 1)
                    if (touched[i]) begin
                        words[13*i +: 13] <= (arrives[i] ? in_words[13*i[PW-1:0] +: 13] : 13'd0)
                                             + (leaves[i] ? 13'd0 : words[13*i +: 13]);
                        if (arrives[i] && (notice_now[i] || !some[i])) id[8*i +: 8] <= in_id[8*i[PW-1:0] +: 8];
                    end
        end

    wire unused = &{1'b0, unused_grant, in_priority};
endmodule
`default_nettype wire
