// Common part of all output schedulers of this folder: packet counts, eligible inputs, and the choice, which is held
// until it is taken. A scheduler adds the policy: `pick` among `eligible`, combinational.
//
//     arrived[i]   _/~\_____________________        one clock from the arrival to the decision
//     choose       ~~~~~~~~~~~~~\____/~~~~~~
//     chosen       _____/~~~~~~~\___________        does not change while high
//     taken        _________/~~~\___________        the packet starts; counted as departed
//
// An input disabled after it was chosen is still served. Nothing depends on `choose`, `taken` in the same clock.
`default_nettype none
module output_choice #(
    // inputs of the switch, 2..16
    parameter INPUTS = 8
) (
    input  wire                      clk,
    input  wire                      rst,

    // the scheduler's, see there
    input  wire [INPUTS-1:0]         arrived,
    input  wire [INPUTS-1:0]         enable,
    input  wire                      choose,
    output reg                       chosen,
    output reg  [$clog2(INPUTS)-1:0] chosen_input,  // without a choice: the input served last
    output reg  [INPUTS-1:0]         chosen_onehot,
    input  wire                      taken,
    output wire [INPUTS-1:0]         waiting,
    output wire                      overflow,

    // the policy
    output wire [INPUTS-1:0]         eligible,      // with packets, those of this clock too, and enabled
    output wire [INPUTS-1:0]         served,        // one clock: the packet of this input starts
    input  wire [INPUTS-1:0]         pick           // the first of these, cyclically after the one served last, chosen
);
    localparam LOG2_INPUTS = $clog2(INPUTS);

    initial
        if (INPUTS < 2 || INPUTS > 16) begin
            $display("%m: INPUTS must be 2..16, is %0d", INPUTS);
            $finish;
        end

    wire [INPUTS-1:0]      next_onehot;
    wire [LOG2_INPUTS-1:0] next_input;
    wire                   any;
    wire                   underflow;

    assign served   = chosen_onehot & {INPUTS{chosen && taken}};
    assign eligible = (waiting | arrived) & enable;

    packet_counts #(.INPUTS(INPUTS)) counts (
        .clk (clk), .rst (rst), .arrived (arrived), .departed (served), .waiting (waiting), .overflow (overflow),
        .underflow (underflow)
    );

    round_robin #(.N(INPUTS)) enforcer (
        .request (pick), .last (chosen_input), .any (any), .grant (next_onehot), .index (next_input)
    );

    always @(posedge clk)
        if (rst) begin
            chosen        <= 1'b0;
            chosen_input  <= {LOG2_INPUTS{1'b0}};
            chosen_onehot <= {INPUTS{1'b0}};
        end else if (chosen)
            chosen <= !taken;
        else if (choose && any) begin
            chosen        <= 1'b1;
            chosen_input  <= next_input;
            chosen_onehot <= next_onehot;
        end

    wire unused = &{1'b0, underflow};
endmodule
`default_nettype wire
