// The default input scheduler of packet mode with faults that a test switches on one at a time, and that the contract
// suite must catch.
`default_nettype none
module faulty_pm_input_scheduler #(
    parameter FLOWS       = 8,
    parameter PACKET_MODE = 1
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
    output wire                     error,
    input  wire [6:0]               fault     // fault_when.v; 0: none
);
    localparam [4:0] IGNORES_CREDIT = 5'd1;   // chooses flows that are not eligible
    localparam [4:0] UNASKED        = 5'd2;   // chooses while a unit is in flight
    localparam [4:0] DAWDLES        = 5'd3;   // chooses nothing when only flow 0 is eligible
    localparam [4:0] DEAF           = 5'd4;   // ignores notices
    localparam [4:0] LOWEST_FIRST   = 5'd5;
    localparam [4:0] HIDES_ERRORS   = 5'd6;
    localparam [4:0] KEEPS_LAST     = 5'd7;   // reset keeps the state
    localparam [4:0] HIDES_STAY     = 5'd8;   // does not say that packet mode keeps it
    localparam [4:0] OBEYS_LATE     = 5'd9;   // obeys a notice for a packet that has left
    localparam [4:0] STAYS_LONG     = 5'd10;  // stays behind the packet's end

    wire [4:0]       now;
    fault_when faults (.clk (clk), .rst (rst), .turn (chosen), .fault (fault), .now (now));

    wire             good_chosen;
    wire             found;
    wire             stays;
    reg              stayed;                   // packet mode in the clock before
    reg  [7:0]       id [0:FLOWS-1];           // packets that have left
    // number of the one at the head now
    wire [7:0]       head = id[notice_flow] + {7'd0, packet_end && flow == notice_flow};
    integer          i;
    always @(posedge clk) begin
        stayed <= stays && !rst;
        if (rst) for (i = 0; i < FLOWS; i = i + 1) id[i] <= 8'd0;
        else if (packet_end) id[flow] <= id[flow] + 8'd1;
    end
    reg              odd;                      // choices so far, over resets
    initial odd = 1'b0;
    always @(posedge clk) if (chosen && !rst) odd <= !odd;
    wire [FLOWS-1:0] lowest  = eligible & (~eligible + 1'b1);
    wire [FLOWS-1:0] offered = (now == IGNORES_CREDIT) ? {FLOWS{1'b1}} : (now == LOWEST_FIRST) ? lowest :
                               (now == KEEPS_LAST && odd && |(eligible & ~lowest)) ? eligible & ~lowest : eligible;

    pm_input_scheduler #(.FLOWS(FLOWS), .PACKET_MODE(PACKET_MODE)) sound (
        .clk (clk), .rst (rst), .weight_write (weight_write), .weight_flow (weight_flow), .weight (weight),
        .eligible (offered), .choose (choose), .chosen (good_chosen), .chosen_flow (chosen_flow), .flow (flow),
        .unit_start (unit_start), .unit_words (unit_words), .unit_end (unit_end),
        .packet_end (packet_end && !(now == STAYS_LONG && stayed)), .notice (notice && now != DEAF),
        .notice_flow (notice_flow), .notice_id ((now == OBEYS_LATE) ? head : notice_id), .stay (stays), .error (found)
    );

    assign chosen = (good_chosen && !(now == DAWDLES && eligible == {{FLOWS-1{1'b0}}, 1'b1})) ||
                    (now == UNASKED && !choose && |eligible);
    assign stay   = stays && now != HIDES_STAY;
    assign error  = found && now != HIDES_ERRORS;
endmodule
`default_nettype wire
