// Input scheduler, round robin: which of its VOQs an ingress card sends a unit of next. Default module of the plug-in
// point "input scheduler" of packet mode; contract: rtl/packet_mode/contracts.md.
//
// The first eligible flow behind the one served last is next, unless packet mode keeps the input with a flow
// (pm_input_modes). A choice takes no clock.
`default_nettype none
module pm_input_scheduler #(
    // queues to choose from, 2..128
    parameter FLOWS       = 16,
    // 0: none, there are no notices; 1: probabilistic; 2: deterministic
    parameter PACKET_MODE = 0
) (
    input  wire                     clk,
    input  wire                     rst,
    input  wire                     weight_write, // flow's weight is set, 1..255; reset: 1; not for round robin
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
    wire                     unused_any;
    wire [FLOWS-1:0]         unused_grant;

    round_robin #(.N(FLOWS)) turns (.request (eligible), .last (last), .any (unused_any), .grant (unused_grant),
                                    .index (turn));

    pm_input_modes #(.FLOWS(FLOWS), .PACKET_MODE(PACKET_MODE)) modes (
        .clk (clk), .rst (rst), .turn (turn), .last (last), .eligible (eligible), .choose (choose), .chosen (chosen),
        .chosen_flow (chosen_flow), .flow (flow), .packet_end (packet_end), .unit_end (unit_end), .notice (notice),
        .notice_flow (notice_flow), .notice_id (notice_id), .stay (stay), .error (error)
    );

    wire unused = &{1'b0, unused_any, unused_grant, weight_write, weight_flow, weight, unit_start, unit_words};
endmodule
`default_nettype wire
