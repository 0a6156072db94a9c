// Input scheduler of probabilistic packet mode (PPM; S3 III): round robin, until an output's notice says that it is reading what this
// input is writing. Then the input stays with that flow until the packet that is on its way has left.
//
// A notice is about the packet that is not finished at the end of the unit in flight, so it counts when that unit ends, and it must come
// before.
`default_nettype none
module pm_input_ppm #(
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
    input  wire [7:0]               notice_id,    // not used: one notice is under way at most
    output wire                     error         // this notice should not have come
);
    reg                      stays;               // packet mode
    reg                      told;                // a notice for the unit in flight has come
    reg  [$clog2(PORTS)-1:0] last;
    wire                     any;
    wire [PORTS-1:0]         unused_grant;
    wire [$clog2(PORTS)-1:0] turn_output;

    round_robin #(.N(PORTS)) turn (
        .request (eligible), .last (last), .any (any), .grant (unused_grant), .index (turn_output)
    );

    reg  in_flight;                               // a unit is: from the clock behind its choice until its last word leaves
    wire stay_now = (stays || (unit_end && (told || notice))) && !packet_end;
    assign chosen        = choose && (stay_now ? eligible[flow] : any);
    assign chosen_output = stay_now ? flow : turn_output;
    // Too late, for another flow, twice, or while the packet of an earlier notice is still on its way (S3: none comes then).
    assign error         = (notice && (told || !in_flight || notice_output != flow)) ||
                           (unit_end && (told || notice) && stays && !packet_end);

    always @(posedge clk)
        if (rst) begin
            stays     <= 1'b0;
            told      <= 1'b0;
            in_flight <= 1'b0;
            last      <= {$clog2(PORTS){1'b0}};
        end else begin
            stays     <= stay_now;
            told      <= (told || notice) && !unit_end;
            in_flight <= chosen || (in_flight && !unit_end);
            if (chosen) last <= chosen_output;
        end

    wire unused = &{1'b0, unused_grant, notice_id};
endmodule
`default_nettype wire
