// The round robin queue scheduler with faults that a test switches on one at a time: what the contract suite must
// catch. Within faulty_voq_scheduler it does the same for the suite of the VOQ scheduler.
`default_nettype none
module faulty_dma_queue_scheduler #(
    parameter QUEUES = 8,
    // 1: what is used is always the choice, used_queue means nothing
    parameter OF_CHOICE = 0
) (
    input  wire                      clk,
    input  wire                      rst,
    input  wire [QUEUES-1:0]         waiting,
    input  wire [QUEUES-1:0]         eligible,
    output wire                      any,
    output wire [QUEUES-1:0]         grant,
    output wire [$clog2(QUEUES)-1:0] index,
    input  wire                      used,
    input  wire [$clog2(QUEUES)-1:0] used_queue,
    input  wire [9:0]                used_words,
    input  wire                      used_last,
    input  wire [6:0]                fault     // fault_when.v; 0: none
);
    localparam LOG2_QUEUES = $clog2(QUEUES);
    localparam [4:0] GRANTS_WAITING = 5'd1;     // without room
    localparam [4:0] GRANTS_TWO     = 5'd2;
    localparam [4:0] WRONG_INDEX    = 5'd3;
    localparam [4:0] ALWAYS_ANY     = 5'd4;
    localparam [4:0] FIXED_PRIORITY = 5'd5;
    localparam [4:0] LATE           = 5'd6;     // the choice comes from a register
    localparam [4:0] SEES_USED      = 5'd7;     // outputs follow `used` in the same clock
    localparam [4:0] SEES_QUEUE     = 5'd8;     // ... `used_queue`
    localparam [4:0] FORGETS_LAST   = 5'd9;     // the highest queue is never chosen
    localparam [4:0] ROTATES        = 5'd10;    // the choice moves in each clock
    localparam [4:0] STICKS         = 5'd11;    // stays with the queue used last, whether its transfer has ended or not
    localparam [4:0] LONG_FIRST     = 5'd12;    // goes on with the queue of a piece of 256 words or more
    localparam [4:0] GOES_BACK      = 5'd13;    // a queue that falls out of `eligible` sends the choice to the lowest
    localparam [4:0] STOPS          = 5'd14;    // after 200 pieces
    localparam [4:0] IGNORES_RESET  = 5'd15;
    localparam [4:0] HALF_RESET     = 5'd16;    // that a transfer goes on is remembered across reset
    localparam [4:0] ALWAYS_LISTENS = 5'd17;    // takes `used_queue` for used when `used` is low
    localparam [4:0] WANTS_ITS_WAY  = 5'd18;    // waits for ever after a piece of another queue than the one proposed
    localparam [4:0] KEEPS_GOING    = 5'd19;    // a transfer that has begun goes on without room
    localparam [4:0] ONE_SHORT      = 5'd20;    // never chooses the queue below the one used last
    localparam [4:0] LOYAL          = 5'd21;    // waits for a transfer that has begun
    localparam [4:0] SEES_WORDS     = 5'd23;    // outputs follow `used_words`
    localparam [4:0] LOSES_4TH      = 5'd24;    // no choice after each fourth piece until the queues change
    localparam [4:0] SHORT_FIRST    = 5'd25;    // goes on with the queue of a piece below 16 words

    wire [4:0]             now;
    fault_when faults (.clk (clk), .rst (rst), .turn (used), .fault (fault), .now (now));

    wire [LOG2_QUEUES-1:0] gone = OF_CHOICE ? index : used_queue;
    reg  [LOG2_QUEUES-1:0] last;
    reg                    goes_on, stuck;
    reg  [QUEUES-1:0]      before;
    reg  [7:0]             taken;
    wire [QUEUES-1:0]      bottom  = {{QUEUES-1{1'b0}}, 1'b1};
    wire [QUEUES-1:0]      top     = {1'b1, {QUEUES-1{1'b0}}};
    wire [QUEUES-1:0]      kept    = bottom << last;
    wire [QUEUES-1:0]      below   = kept >> 1;
    wire                   stopped = (now == STOPS && taken >= 8'd200) || (now == WANTS_ITS_WAY && stuck)
                                     || (now == LOSES_4TH && taken[1:0] == 2'd3 && eligible == before);
    wire                   stay    = goes_on && (|(kept & ((now == KEEPS_GOING) ? waiting : eligible)));
    wire [QUEUES-1:0]      request = (now == GRANTS_WAITING) ? waiting & {QUEUES{|eligible}}
                                     : (now == LATE) ? before
                                     : (now == FORGETS_LAST) ? eligible & ~top
                                     : (now == ONE_SHORT) ? eligible & ~((eligible == below) ? {QUEUES{1'b0}} : below)
                                     : stay ? kept
                                     : (now == LOYAL && goes_on) ? eligible & kept
                                     : eligible & {QUEUES{!stopped}};
    wire                   any_r;
    wire [QUEUES-1:0]      grant_r;
    wire [LOG2_QUEUES-1:0] index_r;
    localparam [31:0] LAST = QUEUES - 1;

    round_robin #(.N(QUEUES)) pick (
        .request (request),
        .last ((now == FIXED_PRIORITY) || (now == SEES_USED && used) || (now == SEES_QUEUE && used_queue[0])
               || (now == SEES_WORDS && used_words[0]) ? LAST[LOG2_QUEUES-1:0] : last),
        .any (any_r), .grant (grant_r), .index (index_r)
    );

    assign any   = any_r || (now == ALWAYS_ANY);
    assign grant = grant_r | ((now == GRANTS_TWO) ? eligible & {grant_r[QUEUES-2:0], 1'b0} : {QUEUES{1'b0}});
    assign index = (now == WRONG_INDEX && any_r) ? ~index_r : index_r;

    always @(posedge clk) begin
        before <= eligible;
        if (rst && now != IGNORES_RESET) begin
            last  <= {LOG2_QUEUES{1'b0}};
            taken <= 8'd0;
            stuck <= 1'b0;
            if (now != HALF_RESET) goes_on <= 1'b0;
        end else begin
            if (used || now == ALWAYS_LISTENS)      last <= gone;
            if (now == ROTATES)                                  last <= index_r;
            if (now == GOES_BACK && (|(before & ~eligible)))     last <= LAST[LOG2_QUEUES-1:0];
            if (used)                                              stuck <= stuck || (any && gone != index);
            if (used && (taken != 8'd200 || now == LOSES_4TH))                           taken <= taken + 8'd1;
            if (used) goes_on <= (now == STICKS) || ((now == LONG_FIRST) ? used_words[9:8] != 2'd0
                                                       : (now == SHORT_FIRST) ? used_words < 10'd16 : !used_last);
        end
    end
endmodule
`default_nettype wire
