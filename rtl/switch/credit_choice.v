// Which credits of an input go into its next credit word, and the word: the second half of the credit scheduler. A lane
// is a virtual channel, here one per output. link_credit_tx does the same for few lanes: it chooses both credits at
// once and reads their counts when the word is taken, which costs two priority encoders and two wide multiplexers. This
// module has one of each and fills the two places alternately.
//
// A lane is modified when bits [11:5] of its count have changed, or a check record has set it, since its credit was put
// into a word. Modified lanes go first, round robin; then unmodified ones that are due (`refresh` makes all of them
// due). A waiting place is updated every other clock, so a credit is at most two clocks old when it leaves; a due lane
// yields its place to a modified one. With a single lane to send, both credits are its own.
//
//     `changed` in clock n:  modified in n+1, `request` in n+2; the second place is filled one clock after the first
`default_nettype none
module credit_choice #(
    // lanes (virtual channels), 2..16
    parameter LANES = 8
) (
    input  wire                clk,
    input  wire                rst,
    input  wire [7*LANES-1:0]  units,      // of lane l in [7*l +: 7]: bits [11:5] of its count
    input  wire [LANES-1:0]    changed,    // change in the next clock, or must be sent again
    input  wire                refresh,    // one clock: all must be sent again when there is time

    // credit words: `word` is valid while `request`
    output wire                request,
    output wire [31:0]         word,
    input  wire                take
);
    localparam LANE_BITS = $clog2(LANES);
    localparam [LANES-1:0] LANE_ZERO = 1;

    initial
        if (LANES < 2 || LANES > 16) begin
            $display("%m: LANES must be 2..16, is %0d", LANES);
            $finish;
        end

    reg  [LANES-1:0]     modified;
    reg  [LANES-1:0]     due;

    // The two places of the word; place_due: its lane is unmodified, but due. Until place 1 is full it repeats place 0.
    reg                  place_full_0;
    reg                  place_full_1;
    reg                  place_due_0;
    reg                  place_due_1;
    reg  [LANE_BITS-1:0] place_lane_0;
    reg  [LANE_BITS-1:0] place_lane_1;
    reg  [6:0]           place_units_0;
    reg  [6:0]           place_units_1;
    reg                  turn;             // the place updated in this clock

    // ---- the lane of this clock
    wire                 full     = turn ? place_full_1 : place_full_0;
    wire                 full_due = turn ? place_due_1 : place_due_0;
    wire [LANE_BITS-1:0] own      = turn ? place_lane_1 : place_lane_0;
    wire [LANE_BITS-1:0] other    = turn ? place_lane_0 : place_lane_1;
    wire [LANES-1:0]     taken_up = (turn ? place_full_0 : place_full_1) ? LANE_ZERO << other : {LANES{1'b0}};
    wire [LANES-1:0]     urgent   = modified & ~taken_up;
    wire                 keep     = full && !(full_due && |urgent);
    wire                 any;
    wire [LANE_BITS-1:0] picked;

    link_lane_pick #(.LANES(LANES)) pick (
        .urgent (urgent), .relaxed (due & ~taken_up), .last (other), .any (any), .index (picked)
    );

    wire                 fill        = !take && (keep || any);
    wire [LANE_BITS-1:0] lane        = keep ? own : picked;
    wire [LANES-1:0]     lane_bit    = LANE_ZERO << lane;
    wire [LANES-1:0]     filled      = lane_bit & {LANES{fill}};
    wire [LANES-1:0]     displaced   = (LANE_ZERO << own) & {LANES{!take && full && !keep}};
    wire                 lane_due    = keep ? full_due : !(|urgent);
    reg  [6:0]           lane_units;
    integer i;
    always @* begin
        lane_units = 7'd0;
        i          = 0;
        if (fill)
            for (i = 0; i < LANES; i = i + 1)
                lane_units = lane_units | (units[7*i +: 7] & {7{lane_bit[i]}});
    end

    // A word that is taken in a clock holds what the places held before it; both are empty then.
    always @(posedge clk)
        if (rst) begin
            modified <= {LANES{1'b1}};
            due      <= {LANES{1'b0}};
            turn     <= 1'b0;
        end else begin
            modified <= (modified & ~filled) | changed;
            due      <= (due & ~filled) | displaced | {LANES{refresh}};
            turn     <= !turn && fill;
        end

    always @(posedge clk)
        if (rst || take) begin
            place_full_0 <= 1'b0;
            place_full_1 <= 1'b0;
        end else if (fill) begin
            place_full_0 <= 1'b1;
            place_full_1 <= place_full_1 || turn;
        end

    always @(posedge clk)
        if (rst) begin
            place_lane_0  <= {LANE_BITS{1'b0}};
            place_units_0 <= 7'd0;
            place_due_0   <= 1'b0;
        end else if (fill && !turn) begin
            place_lane_0  <= lane;
            place_units_0 <= lane_units;
            place_due_0   <= lane_due;
        end

    always @(posedge clk)
        if (rst) begin
            place_lane_1  <= {LANE_BITS{1'b0}};
            place_units_1 <= 7'd0;
            place_due_1   <= 1'b0;
        end else if (fill && (turn || !place_full_1)) begin
            place_lane_1  <= lane;
            place_units_1 <= lane_units;
            place_due_1   <= lane_due;
        end

    // ---- the word
    wire [13:0] first  = {{7-LANE_BITS{1'b0}}, place_lane_0, place_units_0};
    wire [13:0] second = {{7-LANE_BITS{1'b0}}, place_lane_1, place_units_1};

    assign request = place_full_0;
    assign word    = {1'b1, ^first, first, 1'b1, ^second, second};

    // ---- measuring
    wire probe_busy       = request;
    wire probe_stall_link = request && !take;
    wire probe_start      = take;
    wire probe_done       = take;
endmodule
`default_nettype wire
