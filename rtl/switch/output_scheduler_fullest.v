// Output scheduler, fullest crosspoint first: an alternative for the plug-in point "output scheduler"
// (rtl/switch/contracts.md). A full crosspoint stops its input, so it goes first; a nearly empty one can wait.
//
// Crosspoints are compared by eighths of their 512 words; within the same eighth round robin decides. So the inputs of
// a saturated output, whose crosspoints are all full, get equal shares. An input that has been passed over by 8 x
// INPUTS packets (rounded up to a power of two) goes before all others (wait_limit). Latency as in output_scheduler:
// one clock from `arrived` to `chosen`.
`default_nettype none
module output_scheduler_fullest #(
    // inputs of the switch, 2..16
    parameter INPUTS = 8
) (
    input  wire                      clk,           // the output's
    input  wire                      rst,

    // from the crosspoints and the monitor
    input  wire [INPUTS-1:0]         arrived,       // one clock per packet whose first word has been written
    input  wire [INPUTS*10-1:0]      occupancy,     // words in the crosspoint of input i, in [10*i +: 10]
    input  wire [INPUTS-1:0]         enable,        // inputs that may be served
    input  wire [INPUTS*8-1:0]       weight,        // not used

    // to and from the output port
    input  wire                      choose,        // level: a choice could be used
    output wire                      chosen,        // level: there is one
    output wire [$clog2(INPUTS)-1:0] chosen_input,
    output wire [INPUTS-1:0]         chosen_onehot,
    input  wire                      taken,         // one clock, only while `chosen`
    input  wire [9:0]                taken_units,   // size of that packet; not used

    // to the monitor
    output wire [INPUTS-1:0]         waiting,       // inputs with packets, enabled or not
    output wire                      overflow       // event: a count has reached its end
);
    wire [INPUTS-1:0]   eligible;
    wire [INPUTS-1:0]   served;
    wire [INPUTS-1:0]   overdue;
    wire [INPUTS-1:0]   fullest;
    wire [INPUTS-1:0]   late = eligible & overdue;
    wire [INPUTS*3-1:0] eighths;

    genvar i;
    generate
        for (i = 0; i < INPUTS; i = i + 1) begin : crosspoint_of
            assign eighths[3*i +: 3] = occupancy[10*i + 6 +: 3] | {3{occupancy[10*i + 9]}};
        end
    endgenerate

    largest #(.N(INPUTS), .BITS(3)) compare (.request (eligible), .level (eighths), .mask (fullest));

    output_choice #(.INPUTS(INPUTS)) choice (
        .clk (clk), .rst (rst), .arrived (arrived), .enable (enable), .choose (choose), .chosen (chosen),
        .chosen_input (chosen_input), .chosen_onehot (chosen_onehot), .taken (taken), .waiting (waiting),
        .overflow (overflow), .eligible (eligible), .served (served), .pick ((|late) ? late : fullest)
    );

    wait_limit #(.N(INPUTS)) limit (
        .clk (clk), .rst (rst), .candidate (waiting & enable), .turn (taken && chosen), .winner (chosen_onehot),
        .overdue (overdue)
    );

    wire unused = &{1'b0, occupancy, weight, taken_units, served};

    // ---- measuring
    reg  chosen_before;
    always @(posedge clk) chosen_before <= chosen && !rst;
    wire probe_busy       = |(waiting & enable) || chosen;
    wire probe_stall_link = chosen && !taken;
    wire probe_start      = chosen && !chosen_before;
    wire probe_done       = chosen && taken;
endmodule
`default_nettype wire
