// Input scheduler, plain: round robin over the outputs with a unit to send and credit for it. For SM and
// VPS, in which nobody sends notices.
`default_nettype none
module pm_input_scheduler #(
    parameter PORTS = 16                          // 2..16
) (
    input  wire                     clk,
    input  wire                     rst,
    input  wire [PORTS-1:0]         eligible,     // outputs with a unit that has credit
    input  wire                     choose,       // a choice made in this clock is used
    output wire                     chosen,       // `chosen_output` is one, and eligible
    output wire [$clog2(PORTS)-1:0] chosen_output,

    // what leaves
    input  wire [$clog2(PORTS)-1:0] flow,         // of the unit in flight
    input  wire                     packet_end,   // the last word of a packet leaves in this clock
    input  wire                     unit_end,     // the last word of the unit

    // what outputs ask for
    input  wire                     notice,
    input  wire [$clog2(PORTS)-1:0] notice_output,
    input  wire [7:0]               notice_id,    // number of the packet within its flow
    output wire                     error         // this notice should not have come
);
    reg  [$clog2(PORTS)-1:0] last;
    wire                     any;
    wire [PORTS-1:0]         unused_grant;

    round_robin #(.N(PORTS)) turn (
        .request (eligible), .last (last), .any (any), .grant (unused_grant), .index (chosen_output)
    );

    assign chosen = choose && any;
    assign error  = notice;

    always @(posedge clk)
        if (rst) last <= {$clog2(PORTS){1'b0}};
        else if (chosen) last <= chosen_output;

    wire unused = &{1'b0, unused_grant, flow, packet_end, unit_end, notice_output, notice_id};
endmodule
`default_nettype wire
