// Output scheduler, weighted round robin: an alternative for the plug-in point "output scheduler" of packet mode
// (contract: rtl/packet_mode/contracts.md). Flows that always have something waiting share the output in proportion to
// their weights, counted in words (see pm_service_times).
`default_nettype none
module pm_output_scheduler_wrr #(
    // crosspoints, or queues in them, to choose from, 2..128
    parameter FLOWS       = 16,
    // 0: none; 1: probabilistic; 2: deterministic, packets are chosen and not units
    parameter PACKET_MODE = 0,
    // probabilistic: clocks that a choice may be late, SEGMENT_WORDS - RTT - SCHEDULING_CLOCKS
    parameter SLACK       = 1,
    // probabilistic: looks back at the same flow 0: never; 1: behind a unit that was too late to pair; 2: always
    parameter LOOK_BACK   = 2
) (
    input  wire                     clk,
    input  wire                     rst,
    input  wire                     weight_write,   // a flow's weight is set, 1..255; reset makes it 1
    input  wire [$clog2(FLOWS)-1:0] weight_flow,
    input  wire [7:0]               weight,

    // the choice
    input  wire [FLOWS-1:0]         waiting,        // flows with a unit (DPM: packet) in their crosspoint, or arriving
    input  wire [FLOWS-1:0]         arriving,       // the first word of a unit arrives, and none was waiting there
    input  wire [FLOWS-1:0]         partial,        // DPM: flows with enough of a packet that is not whole
    input  wire [FLOWS-1:0]         lock_free,      // DPM: flows whose input's lock may be requested
    input  wire                     choose,         // a choice made in this clock is used
    input  wire                     continues,      // while choose: the unit being sent ends within a packet
    output wire                     chosen,         // `chosen_flow` is one
    output wire [$clog2(FLOWS)-1:0] chosen_flow,
    output wire                     chosen_partial, // DPM: it is partial, needs the lock; `served` reports the result

    // two clocks behind a choice: the first word of the unit (DPM: of each part of the packet) leaves
    input  wire                     served,
    input  wire [12:0]              served_words,   // of the unit or part
    input  wire                     served_full,    // the unit is as long as may be
    input  wire                     served_ends,    // its first packet ends within it
    input  wire                     served_whole,   // all of it is in the crosspoint
    input  wire [3:0]               served_late,    // clocks that an urgent credit would have to wait now
    input  wire                     served_locked,  // DPM: it is of a packet for which the lock was taken
    input  wire                     served_packet,  // DPM: it begins the packet
    output wire                     notice,         // a notice to the input, in the credit: stay
    output wire                     urgent,         // this credit goes before others
    output wire                     mode,           // packet mode: the remainder of the packet follows without a gap
    output wire                     cancelled       // event: a notice would have been too late
);
    wire [FLOWS-1:0]         request;
    wire [$clog2(FLOWS)-1:0] last;
    wire [$clog2(FLOWS)-1:0] turn;

    // `served_*` concern the flow chosen last
    pm_service_times #(.FLOWS(FLOWS)) times (
        .clk (clk), .rst (rst), .weight_write (weight_write), .weight_flow (weight_flow), .weight (weight),
        .request (request), .turn (turn), .chosen (chosen), .chosen_flow (chosen_flow), .pay (served), .pay_flow (last),
        .pay_words (served_words)
    );

    pm_output_modes #(.FLOWS(FLOWS), .PACKET_MODE(PACKET_MODE), .SLACK(SLACK), .LOOK_BACK(LOOK_BACK)) modes (
        .clk (clk), .rst (rst), .request (request), .turn (turn), .last (last), .waiting (waiting),
        .arriving (arriving), .partial (partial), .lock_free (lock_free), .choose (choose), .continues (continues),
        .chosen (chosen), .chosen_flow (chosen_flow), .chosen_partial (chosen_partial), .served (served),
        .served_words (served_words), .served_full (served_full), .served_ends (served_ends),
        .served_whole (served_whole), .served_late (served_late), .served_locked (served_locked),
        .served_packet (served_packet), .notice (notice), .urgent (urgent), .mode (mode), .cancelled (cancelled)
    );
endmodule
`default_nettype wire
