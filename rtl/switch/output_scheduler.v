// Output scheduler, plain round robin: which crosspoint of a column its output port serves next. Default module of the
// plug-in point "output scheduler" (S1 3.2.3); contract: rtl/switch/contracts.md.
//
// A counter per input holds the packets that wait in its crosspoint. Inputs whose counter is not 0, or whose packet
// arrives in this clock, and that are enabled form the eligibility mask; a priority enforcer finds the first of them
// after the input served last. `choose` says that the port can use a choice: it is idle, or the packet in flight is
// about to end. All of that is in output_choice.
`default_nettype none
module output_scheduler #(
    // inputs of the switch, 2..16
    parameter INPUTS = 8
) (
    input  wire                      clk,           // the output's
    input  wire                      rst,

    // from the crosspoints and the monitor
    input  wire [INPUTS-1:0]         arrived,       // one clock per packet whose first word has been written
    input  wire [INPUTS*10-1:0]      occupancy,     // words in crosspoint i, [10*i +: 10]; never too high; new: 0
    input  wire [INPUTS-1:0]         enable,        // inputs that may be served
    input  wire [INPUTS*8-1:0]       weight,        // of input i in [8*i +: 8], from registers; not for round robin

    // to and from the output port
    input  wire                      choose,        // level: the port is idle, or its packet ends in at most 3 clocks
    output wire                      chosen,        // level, until `taken`; not combinational from `choose`, `taken`
    output wire [$clog2(INPUTS)-1:0] chosen_input,
    output wire [INPUTS-1:0]         chosen_onehot,
    input  wire                      taken,         // one clock, only while `chosen`: its packet starts, or is drained
    input  wire [9:0]                taken_units,   // size of that packet; not used by round robin

    // to the monitor
    output wire [INPUTS-1:0]         waiting,       // inputs with packets, enabled or not
    output wire                      overflow       // event: a count (7 bits per input) would pass its maximum
);
    wire [INPUTS-1:0] eligible;
    wire [INPUTS-1:0] served;

    output_choice #(.INPUTS(INPUTS)) choice (
        .clk (clk), .rst (rst), .arrived (arrived), .enable (enable), .choose (choose), .chosen (chosen),
        .chosen_input (chosen_input), .chosen_onehot (chosen_onehot), .taken (taken), .waiting (waiting),
        .overflow (overflow), .eligible (eligible), .served (served), .pick (eligible)
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
