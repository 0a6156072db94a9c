// The round robin VOQ scheduler with faults that a test switches on one at a time: what the contract suite must catch.
`default_nettype none
module faulty_voq_scheduler #(
    parameter VOQS = 8
) (
    input  wire                                   clk,
    input  wire                                   rst,
    input  wire [VOQS-1:0]                        eligible,
    input  wire [VOQS-1:0]                        waiting,
    input  wire                                   take,
    input  wire [9:0]                             take_words,
    output wire                                   any,
    output wire [VOQS-1:0]                        grant,
    output wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0] index,
    input  wire [4:0]                             fault   // 0: none
);
    localparam LOG2_VOQS = $clog2(VOQS > 1 ? VOQS : 2);
    localparam [4:0] GRANTS_WAITING  = 5'd1;     // without credit
    localparam [4:0] GRANTS_TWO      = 5'd2;
    localparam [4:0] WRONG_INDEX     = 5'd3;
    localparam [4:0] ALWAYS_ANY      = 5'd4;
    localparam [4:0] FIXED_PRIORITY  = 5'd5;
    localparam [4:0] ROTATES         = 5'd6;     // the choice moves without a take
    localparam [4:0] LATE            = 5'd7;     // the choice comes from a register
    localparam [4:0] SEES_TAKE       = 5'd8;     // outputs follow `take` in the same clock
    localparam [4:0] FORGETS_LAST    = 5'd9;     // the highest queue is never chosen
    localparam [4:0] FAVOURS_FIRST   = 5'd10;    // every other packet is of queue 0
    localparam [4:0] SEES_WORDS      = 5'd11;    // outputs follow `take_words`
    localparam [4:0] GOES_BACK       = 5'd12;    // a queue that falls out of `eligible` sends the choice back to the lowest
    localparam [4:0] STOPS           = 5'd13;    // after 200 packets
    localparam [4:0] LOSES_EVERY_4TH = 5'd14;    // no choice after each fourth packet until the queues change
    localparam [4:0] SHORT_FIRST     = 5'd15;    // goes on with the queue that has just sent a packet below 16 words
    localparam [4:0] IGNORES_RESET   = 5'd16;

    reg  [LOG2_VOQS-1:0] last;
    reg  [VOQS-1:0]      before;
    reg  [7:0]           taken;
    reg                  odd, again;
    wire [VOQS-1:0]      top     = {1'b1, {VOQS-1{1'b0}}};
    wire [VOQS-1:0]      bottom  = {{VOQS-1{1'b0}}, 1'b1};
    wire [VOQS-1:0]      kept    = bottom << last;
    wire                 favour  = (fault == FAVOURS_FIRST) && odd && eligible[0];
    wire                 stopped = (fault == STOPS && taken >= 8'd200) || (fault == LOSES_EVERY_4TH && taken[1:0] == 2'd3
                                                                           && eligible == before);
    wire [VOQS-1:0]      request = (fault == GRANTS_WAITING) ? waiting & {VOQS{|eligible}}
                                   : (fault == LATE) ? before
                                   : (fault == FORGETS_LAST) ? eligible & ~top
                                   : favour ? bottom
                                   : (fault == SHORT_FIRST && again && (|(eligible & kept))) ? kept
                                   : eligible & {VOQS{!stopped}};
    wire                  any_r;
    wire [VOQS-1:0]       grant_r;
    wire [LOG2_VOQS-1:0]  index_r;
    localparam [31:0] LAST = VOQS - 1;

    round_robin #(.N(VOQS)) pick (
        .request (request),
        .last ((fault == FIXED_PRIORITY) || (fault == SEES_TAKE && take) || (fault == SEES_WORDS && take_words[0]) ? LAST[LOG2_VOQS-1:0]
               : last),
        .any (any_r), .grant (grant_r), .index (index_r)
    );

    assign any   = any_r || (fault == ALWAYS_ANY);
    assign grant = grant_r | ((fault == GRANTS_TWO) ? eligible & {eligible[VOQS-2:0], 1'b0} & {grant_r[VOQS-2:0], 1'b0} : {VOQS{1'b0}});
    assign index = (fault == WRONG_INDEX && any_r) ? ~index_r : index_r;

    always @(posedge clk) begin
        before <= eligible;
        if (rst && fault != IGNORES_RESET) begin
            last  <= {LOG2_VOQS{1'b0}};
            taken <= 8'd0;
            odd   <= 1'b0;
            again <= 1'b0;
        end else begin
            if ((take && !favour) || fault == ROTATES)                last <= index_r;
            if (fault == GOES_BACK && (|(before & ~eligible)))        last <= LAST[LOG2_VOQS-1:0];
            if (take)                                                 odd  <= !odd;
            if (take)                                                 again <= (take_words < 10'd16);
            if (take && !(fault == STOPS && taken == 8'd200))         taken <= taken + 8'd1;
        end
    end
endmodule
`default_nettype wire
