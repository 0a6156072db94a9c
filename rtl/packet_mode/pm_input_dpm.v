// Input scheduler of deterministic packet mode (DPM; S3 IV): round robin, until an output that has this input's lock asks for a packet.
// The input turns to it after the unit in flight and stays until the packet has left. A notice about a packet that has left means nothing
// (S3 IV-A: such a notice may be late), so each flow's packets are counted here and notices name theirs.
`default_nettype none
module pm_input_dpm #(
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
    input  wire                     unit_end,     // not used
    // what outputs ask for
    input  wire                     notice,
    input  wire [$clog2(PORTS)-1:0] notice_output,
    input  wire [7:0]               notice_id,    // number of the packet within its flow
    output wire                     error         // this notice should not have come
);
    reg                      asked;               // an output has asked for ...
    reg  [$clog2(PORTS)-1:0] wanted;              // ... its packet ...
    reg  [7:0]               wanted_id;           // ... with this number
    reg  [7:0]               id [0:PORTS-1];      // packets that have left, modulo 256: the number of the one at the head
    reg  [$clog2(PORTS)-1:0] last;
    wire                     any;
    wire [PORTS-1:0]         unused_grant;
    wire [$clog2(PORTS)-1:0] turn_output;

    round_robin #(.N(PORTS)) turn (
        .request (eligible), .last (last), .any (any), .grant (unused_grant), .index (turn_output)
    );

    // The notice that comes in this clock counts already, and so does the packet that ends in it.
    wire [$clog2(PORTS)-1:0] want     = notice ? notice_output : wanted;
    wire [7:0]               want_id  = notice ? notice_id : wanted_id;
    wire [7:0]               head_id  = id[want] + {7'd0, packet_end && flow == want};
    wire                     here     = (notice || asked) && head_id == want_id;
    assign chosen        = choose && (here ? eligible[want] : any);
    assign chosen_output = here ? want : turn_output;
    assign error         = notice && asked && !(packet_end && flow == wanted);

    integer i;
    always @(posedge clk)
        if (rst) begin
            asked <= 1'b0;
            last  <= {$clog2(PORTS){1'b0}};
            for (i = 0; i < PORTS; i = i + 1) id[i] <= 8'd0;
        end else begin
            asked <= here;
            if (packet_end) id[flow] <= id[flow] + 8'd1;
            if (chosen) last <= chosen_output;
        end
    always @(posedge clk)
        if (notice) begin
            wanted    <= notice_output;
            wanted_id <= notice_id;
        end

    wire unused = &{1'b0, unused_grant, unit_end};
endmodule
`default_nettype wire
