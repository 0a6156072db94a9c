// Output scheduler, plain round robin: which crosspoint of a column its output port serves next. Default module of the slot "output
// scheduler" (S1 3.2.3); the contract of the slot is written down in rtl/switch/README.md.
//
// A counter per input holds the packets that wait in its crosspoint. Those that are not 0, with the packet of which the crosspoint
// tells in this very clock, and that are enabled, form the eligibility mask; a priority enforcer finds the first of them after the
// input served last. `choose` says that the port can use a choice: it is idle, or the packet in flight is about to end.
//
//     arrived[i]   _/~\_____________________        one clock from the arrival to the decision
//     choose       ~~~~~~~~~~~~~\____/~~~~~~
//     chosen       _____/~~~~~~~\___________        from its first clock on it never changes its mind
//     taken        _________/~~~\___________        the packet starts; counted out, first in line for the next turn: the input after
//
// An input that is disabled after it has been chosen is still served. Nothing depends on `choose` or `taken` in the same clock.
`default_nettype none
module output_scheduler #(
    // inputs of the switch, 2..16
    parameter INPUTS = 8
) (
    input  wire                      clk,           // the output's
    input  wire                      rst,

    // from the crosspoints and the monitor
    input  wire [INPUTS-1:0]         arrived,       // one clock per packet whose first word has been written
    input  wire [INPUTS-1:0]         enable,        // inputs that may be served
    input  wire [INPUTS*8-1:0]       weight,        // not used by round robin

    // to and from the output port
    input  wire                      choose,        // level: a choice could be used
    output reg                       chosen,        // level: there is one
    output reg  [$clog2(INPUTS)-1:0] chosen_input,
    output reg  [INPUTS-1:0]         chosen_onehot,
    input  wire                      taken,         // one clock, only while `chosen`
    input  wire [9:0]                taken_units,   // size of that packet; not used by round robin

    // to the monitor
    output wire [INPUTS-1:0]         waiting,       // inputs with packets, enabled or not
    output wire                      overflow       // event: a count has reached its end
);
    localparam LOG2_INPUTS = $clog2(INPUTS);

    initial
        if (INPUTS < 2 || INPUTS > 16) begin
            $display("%m: INPUTS must be 2..16, is %0d", INPUTS);
            $finish;
        end

    wire [INPUTS-1:0]      eligible = (waiting | arrived) & enable;
    wire [INPUTS-1:0]      next_onehot;
    wire [LOG2_INPUTS-1:0] next_input;
    wire                   any;
    wire                   underflow;

    packet_counts #(.INPUTS(INPUTS)) counts (
        .clk (clk), .rst (rst), .arrived (arrived), .departed (chosen_onehot & {INPUTS{chosen && taken}}), .waiting (waiting),
        .overflow (overflow), .underflow (underflow)
    );

    // chosen_input stays as it is when nothing is chosen: it is also the input served last
    round_robin #(.N(INPUTS)) enforcer (
        .request (eligible), .last (chosen_input), .any (any), .grant (next_onehot), .index (next_input)
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

    wire unused = &{1'b0, weight, taken_units, underflow};

    // ---- measuring
    reg  chosen_before;
    always @(posedge clk) chosen_before <= chosen && !rst;
    wire probe_busy  = |(waiting & enable) || chosen;
    wire probe_stall = chosen && !taken;
    wire probe_start = chosen && !chosen_before;
    wire probe_done  = chosen && taken;
endmodule
`default_nettype wire
