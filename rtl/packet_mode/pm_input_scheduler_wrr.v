// Input scheduler, weighted round robin: an alternative for the plug-in point "input scheduler" of packet mode
// (rtl/packet_mode/contracts.md). Flows that always have something to send share the link in proportion to their
// weights, counted in words (see pm_service_times).
`default_nettype none
module pm_input_scheduler_wrr #(
    // queues to choose from, 2..128
    parameter FLOWS       = 16,
    // 0: none, there are no notices; 1: probabilistic; 2: deterministic
    parameter PACKET_MODE = 0
) (
    input  wire                     clk,
    input  wire                     rst,
    input  wire                     weight_write, // a flow's weight is set, 1..255; reset makes it 1
    input  wire [$clog2(FLOWS)-1:0] weight_flow,
    input  wire [7:0]               weight,

    // the choice
    input  wire [FLOWS-1:0]         eligible,     // flows with a unit and credit for it
    input  wire                     choose,       // a choice made in this clock is used
    output wire                     chosen,       // `chosen_flow` is one, and eligible
    output wire [$clog2(FLOWS)-1:0] chosen_flow,

    // departures
    input  wire [$clog2(FLOWS)-1:0] flow,         // of the unit in flight, else of the last one
    input  wire                     unit_start,   // the first word of the unit leaves: one clock behind its choice
    input  wire [12:0]              unit_words,   // while unit_start: words of the unit
    input  wire                     unit_end,     // the last word of the unit
    input  wire                     packet_end,   // the last word of a packet

    // notices of outputs
    input  wire                     notice,
    input  wire [$clog2(FLOWS)-1:0] notice_flow,
    input  wire [7:0]               notice_id,    // number of the packet within its flow, modulo 256
    output wire                     stay,         // packet mode keeps the input with a packet: not another priority
    output wire                     error         // this notice is unexpected
);
    wire [$clog2(FLOWS)-1:0] last;
    wire [$clog2(FLOWS)-1:0] turn;

    pm_service_times #(.FLOWS(FLOWS)) times (
        .clk (clk), .rst (rst), .weight_write (weight_write), .weight_flow (weight_flow), .weight (weight),
        .request (eligible), .turn (turn), .chosen (chosen), .chosen_flow (chosen_flow), .pay (unit_start),
        .pay_flow (flow), .pay_words (unit_words)
    );

    pm_input_modes #(.FLOWS(FLOWS), .PACKET_MODE(PACKET_MODE)) modes (
        .clk (clk), .rst (rst), .turn (turn), .last (last), .eligible (eligible), .choose (choose), .chosen (chosen),
        .chosen_flow (chosen_flow), .flow (flow), .packet_end (packet_end), .unit_end (unit_end), .notice (notice),
        .notice_flow (notice_flow), .notice_id (notice_id), .stay (stay), .error (error)
    );

    wire unused = &{1'b0, last};
endmodule
`default_nettype wire
