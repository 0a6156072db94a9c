// Credit of a row of the crossbar: what all outputs have to give back to one input, on one link with a credit every CREDIT_CLOCKS (S3 II:
// credits of segments that leave at about the same time wait for each other and are served round robin). Urgent ones go first.
//
//   credit from an output at t      on the link at t + 2, if none waits
//
// Credit of an output that waits grows by what comes behind it: there is a counter per output and no queue that could run over.
`default_nettype none
module pm_credit_row #(
    parameter PORTS         = 16,          // 2..16
    parameter CREDIT_CLOCKS = 2,           // 1..15
    parameter RESERVE       = 0,           // 1: no credit starts in the clock in which an urgent one comes, so that none is ever late
    parameter PRIORITIES    = 1,           // 1 or 2
    // computed, not to be set
    parameter PW            = $clog2(PORTS)
) (
    input  wire                clk,
    input  wire                rst,
    input  wire [PW-1:0]       number,     // of this input
    input  wire [PORTS-1:0]    in_valid,   // from each output: credit for in_input
    input  wire [PORTS-1:0]    in_priority,
    input  wire [PORTS*PW-1:0] in_input,
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

    reg [ROWS-1:0]  comes;
    integer         i;
    always @* begin
        comes = {ROWS{1'b0}};
        for (i = 0; i < PORTS; i = i + 1)
            if (PRIORITIES == 2 && in_priority[i]) comes[ROWS - PORTS + i] = in_valid[i] && in_input[PW*i +: PW] == number;
            else comes[i] = in_valid[i] && in_input[PW*i +: PW] == number;
    end

    reg  [ROWS-1:0]  some;                 // credit waits
    reg  [ROWS-1:0]  urgent;
    reg  [ROWS-1:0]  notice;
    (* mem2reg *) reg  [12:0]      words [0:ROWS-1];
    (* mem2reg *) reg  [7:0]       id    [0:ROWS-1];
    reg  [RW-1:0]    last;
    reg  [3:0]       busy;                 // clocks until the link is free
    wire             any;
    wire [RW-1:0]    turn;
    wire [ROWS-1:0]  unused_grant;
    wire [ROWS-1:0]  urgent_low = {{ROWS-PORTS{1'b0}}, in_urgent};
    wire [ROWS-1:0]  urgent_now = urgent_low | urgent_low << (ROWS - PORTS);
    wire             hold  = (RESERVE != 0) && |(comes & urgent_now);
    wire             start = (busy == 4'd0) && any && !hold;

    round_robin #(.N(ROWS)) choice (
        .request ((|urgent) ? urgent : some), .last (last), .any (any), .grant (unused_grant), .index (turn)
    );

    // The choice for credit of this clock is made in the next one. Urgent credit goes back for whole segments of what one input sends, so
    // no two of a row come within the time of a segment.
    assign late = start ? BUSY[3:0] : (busy > 4'd1) ? busy - 4'd1 : 4'd0;

    always @(posedge clk) begin
        out_priority <= (PRIORITIES == 2) && turn[RW-1];
        out_output   <= turn[PW-1:0];
        out_words    <= words[turn];
        out_notice   <= notice[turn];
        out_id       <= id[turn];
    end

    always @(posedge clk)
        if (rst) begin
            some      <= {ROWS{1'b0}};
            urgent    <= {ROWS{1'b0}};
            notice    <= {ROWS{1'b0}};
            last      <= {RW{1'b0}};
            busy      <= 4'd0;
            out_valid <= 1'b0;
            for (i = 0; i < ROWS; i = i + 1) words[i] <= 13'd0;
        end else begin
            out_valid <= start;
            busy      <= start ? BUSY[3:0] : (busy != 4'd0) ? busy - 4'd1 : 4'd0;
            if (start) last <= turn;
            if (|comes || start)
                for (i = 0; i < ROWS; i = i + 1)
                    if (comes[i] || (start && turn == i[RW-1:0])) begin
                        some[i]   <= comes[i];
                        urgent[i] <= comes[i] && (in_urgent[i[PW-1:0]] || (urgent[i] && !(start && turn == i[RW-1:0])));
                        notice[i] <= comes[i] && (in_notice[i[PW-1:0]] || (notice[i] && !(start && turn == i[RW-1:0])));
                        words[i]  <= (comes[i] ? in_words[13*i[PW-1:0] +: 13] : 13'd0) + ((start && turn == i[RW-1:0]) ? 13'd0 : words[i]);
                        if (comes[i] && (in_notice[i[PW-1:0]] || !some[i])) id[i] <= in_id[8*i[PW-1:0] +: 8];
                    end
        end

    wire unused = &{1'b0, unused_grant, in_priority};
endmodule
`default_nettype wire
