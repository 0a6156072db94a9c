// The default output scheduler with wrong inputs or outputs: faults that a test switches on one at a time, and that the
// contract suite must catch. After a fault has shown, later outputs do not matter.
`default_nettype none
module faulty_output_scheduler #(
    parameter INPUTS = 8,
    parameter FAULT  = 0     // in addition to `fault`
) (
    input  wire                      clk,
    input  wire                      rst,
    input  wire [INPUTS-1:0]         arrived,
    input  wire [INPUTS*10-1:0]      occupancy,
    input  wire [INPUTS-1:0]         enable,
    input  wire [INPUTS*8-1:0]       weight,
    input  wire                      choose,
    output wire                      chosen,
    output wire [$clog2(INPUTS)-1:0] chosen_input,
    output wire [INPUTS-1:0]         chosen_onehot,
    input  wire                      taken,
    input  wire [9:0]                taken_units,
    output wire [INPUTS-1:0]         waiting,
    output wire                      overflow,
    input  wire [6:0]                fault     // fault_when.v; 0: none
);
    localparam LOG2_INPUTS = $clog2(INPUTS);
    localparam [4:0] FORGETS_MEETING   = 5'd1;     // an arrival in the clock of a departure is not counted
    localparam [4:0] CHANGES_MIND      = 5'd2;
    localparam [4:0] IGNORES_ENABLE    = 5'd3;
    localparam [4:0] IGNORES_CHOOSE    = 5'd4;
    localparam [4:0] WRONG_ONEHOT      = 5'd5;
    localparam [4:0] FIXED_PRIORITY    = 5'd6;
    localparam [4:0] SLOW              = 5'd7;
    localparam [4:0] WRAPS_AT_64       = 5'd8;
    localparam [4:0] HIDES_OVERFLOW    = 5'd9;
    localparam [4:0] COMBINATIONAL     = 5'd10;
    localparam [4:0] SURVIVES_RESET    = 5'd11;
    localparam [4:0] ONE_ARRIVAL       = 5'd12;    // of several in one clock
    localparam [4:0] HIDES_DISABLED    = 5'd13;
    localparam [4:0] NO_GAP            = 5'd14;    // chosen stays high after taken if there is another packet
    localparam [4:0] KEEPS_COUNT       = 5'd15;    // a departure is not counted
    localparam [4:0] DROPS_DISABLED    = 5'd16;    // a choice falls when its input is disabled
    localparam [4:0] EARLY_OVERFLOW    = 5'd17;
    localparam [4:0] THREE_BITS        = 5'd18;    // of the number of an input: too few of 16
    localparam [4:0] FULLEST_FIRST     = 5'd30;    // however long another one waits

    wire [4:0]             now;
    fault_when faults (.clk (clk), .rst (rst), .turn (taken), .fault (fault | FAULT[6:0]), .now (now));

    reg                    chosen_before, taken_before;
    reg  [2:0]             asked;           // clocks, 4 at most
    reg  [6:0]             count;           // packets of input 0
    reg  [INPUTS-1:0]      before, kept;    // what waited a clock ago, before the last reset
    wire [INPUTS-1:0]      onehot, present;
    wire [LOG2_INPUTS-1:0] number;
    wire                   stands, over;
    localparam [LOG2_INPUTS-1:0] LOW_BITS = {LOG2_INPUTS{1'b1}} >> (LOG2_INPUTS > 3 ? LOG2_INPUTS - 3 : 0);
    wire [INPUTS-1:0]      gone     = taken ? onehot : {INPUTS{1'b0}};
    wire [INPUTS-1:0]      eligible = (present | arrived) & enable;
    wire [INPUTS-1:0]      fullest;
    wire                   swaps    = (now == CHANGES_MIND) && chosen_before && stands;

    output_scheduler #(.INPUTS(INPUTS)) good (
        .clk (clk), .rst (rst),
        .arrived ((now == FORGETS_MEETING) ? arrived & ~gone : (now == KEEPS_COUNT) ? arrived | gone
                  : (now == ONE_ARRIVAL) ? arrived & (~arrived + 1'b1) : arrived),
        .enable ((now == IGNORES_ENABLE) ? {INPUTS{1'b1}} : (now == FIXED_PRIORITY) ? eligible & (~eligible + 1'b1)
                 : (now == FULLEST_FIRST) ? fullest : enable),
        .occupancy (occupancy), .weight (weight),
        .choose ((choose && (now != SLOW || asked == 3'd4)) || now == IGNORES_CHOOSE), .chosen (stands),
        .chosen_input (number), .chosen_onehot (onehot), .taken (taken), .taken_units (taken_units), .waiting (present),
        .overflow (over)
    );

    largest #(.N(INPUTS), .BITS(10)) compare (.request (eligible), .level (occupancy), .mask (fullest));

    initial before = {INPUTS{1'b0}};
    always @(posedge clk) begin
        chosen_before <= stands;
        taken_before  <= taken && !rst;
        asked         <= (!choose || stands) ? 3'd0 : asked + {2'd0, asked != 3'd4};
        count         <= rst ? 7'd0 : count + {6'd0, arrived[0]} - {6'd0, gone[0]};
        if (rst) kept <= before;
        else before   <= present;
    end

    assign chosen        = (stands && (now != DROPS_DISABLED || |(onehot & enable)))
                           || (now == COMBINATIONAL && choose && |eligible)
                           || (now == NO_GAP && taken_before && |eligible);
    assign chosen_input  = swaps ? number + 1'b1 : (now == THREE_BITS) ? number & LOW_BITS : number;
    assign chosen_onehot = (swaps || now == WRONG_ONEHOT) ? {onehot[INPUTS-2:0], onehot[INPUTS-1]} : onehot;
    assign waiting       = (now == HIDES_DISABLED) ? present & enable : (now == SURVIVES_RESET) ? present | kept
                           : (now == WRAPS_AT_64 && count == 7'd64) ? present & ~{{INPUTS-1{1'b0}}, 1'b1} : present;
    assign overflow      = (over && now != HIDES_OVERFLOW) || (now == EARLY_OVERFLOW && arrived[0] && count >= 7'd100);
endmodule
`default_nettype wire
