// An input scheduler of packet mode that does wrong on request, for the checker of sim/app/packet_mode. The weight that
// is set says what:
//
//   1 nothing   2 flow 1 never has a turn   3 units leave without credit   4 after 64 units it chooses nothing any more
`default_nettype none
module bad_pm_turns #(
    parameter FLOWS       = 16,
    parameter PACKET_MODE = 0
) (
    input  wire                     clk,
    input  wire                     rst,
    input  wire                     weight_write,
    input  wire [$clog2(FLOWS)-1:0] weight_flow,
    input  wire [7:0]               weight,
    input  wire [FLOWS-1:0]         eligible,
    input  wire                     choose,
    output wire                     chosen,
    output wire [$clog2(FLOWS)-1:0] chosen_flow,
    input  wire [$clog2(FLOWS)-1:0] flow,
    input  wire                     unit_start,
    input  wire [12:0]              unit_words,
    input  wire                     unit_end,
    input  wire                     packet_end,
    input  wire                     notice,
    input  wire [$clog2(FLOWS)-1:0] notice_flow,
    input  wire [7:0]               notice_id,
    output wire                     stay,
    output wire                     error
);
    reg [2:0] wrong;
    reg [6:0] units;
    always @(posedge clk)
        if (rst) begin
            wrong <= 3'd1;
            units <= 7'd0;
        end else begin
            if (weight_write) wrong <= weight[2:0];
            if (unit_start && !units[6]) units <= units + 1'b1;
        end

    wire ends = (wrong == 3'd4) && units[6];
    wire some;
    wire [$clog2(FLOWS)-1:0] turn;
    pm_input_scheduler #(.FLOWS(FLOWS), .PACKET_MODE(PACKET_MODE)) sound (
        .clk (clk), .rst (rst), .weight_write (weight_write), .weight_flow (weight_flow), .weight (weight),
        .eligible ((wrong == 3'd2) ? eligible & ~{{FLOWS-2{1'b0}}, 2'b10} : eligible), .choose (choose && !ends),
        .chosen (some), .chosen_flow (turn), .flow (flow), .unit_start (unit_start), .unit_words (unit_words),
        .unit_end (unit_end), .packet_end (packet_end), .notice (notice), .notice_flow (notice_flow),
        .notice_id (notice_id), .stay (stay), .error (error)
    );
    wire again = (wrong == 3'd3) && choose && units[6] && !some;
    assign chosen      = some || again;
    assign chosen_flow = again ? flow : turn;
endmodule
`default_nettype wire
