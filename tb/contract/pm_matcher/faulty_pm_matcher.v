// The default matcher of packet mode with faults that a test switches on one at a time, and that the contract suite must catch.
`default_nettype none
module faulty_pm_matcher #(
    parameter PORTS = 8,
    parameter PW    = $clog2(PORTS)
) (
    input  wire                   clk,
    input  wire                   rst,
    input  wire                   step,
    input  wire [PORTS*PORTS-1:0] request,
    output wire [PORTS-1:0]       matched,
    output wire [PORTS*PW-1:0]    matched_output,
    input  wire [6:0]             fault     // fault_when.v; 0: none
);
    localparam [4:0] PAIRS_ALL    = 5'd1;   // every input is paired, asked for or not
    localparam [4:0] SAME_OUTPUT  = 5'd2;   // inputs 0 and 1 get the same output if both ask for it
    localparam [4:0] FAINT        = 5'd3;   // pairs nothing while only the last input asks
    localparam [4:0] ALWAYS       = 5'd4;   // pairs in every clock
    localparam [4:0] STUCK        = 5'd5;   // pointers do not move: input 0 never gets output 1 while others ask
    localparam [4:0] KEEPS        = 5'd6;   // reset keeps the state

    wire [4:0] now;
    fault_when faults (.clk (clk), .rst (rst), .turn (step), .fault (fault), .now (now));

    reg  odd;
    initial odd = 1'b0;
    always @(posedge clk) if (|matched && matched_output[0] && !rst) odd <= !odd;
    wire [PORTS-1:0]       pairs;
    wire [PORTS*PW-1:0]    to;
    wire [PORTS*PORTS-1:0] first = {{PORTS*PORTS-PORTS{1'b0}}, request[PORTS-1:0]};
    wire [PORTS*PORTS-1:0] asks  = (now == STUCK && |request[PORTS*PORTS-1:PORTS]) ? request & ~{{PORTS*PORTS-PORTS{1'b0}}, {PORTS{1'b1}}} :
                                   (now == KEEPS && odd && |first) ? first : request;

    pm_matcher #(.PORTS(PORTS)) sound (
        .clk (clk), .rst (rst), .step (step || now == ALWAYS), .request (asks), .matched (pairs), .matched_output (to)
    );

    wire both = pairs[0] && request[PORTS + {{32-PW{1'b0}}, to[PW-1:0]}] && now == SAME_OUTPUT && step;
    assign matched        = (now == PAIRS_ALL && step) ? {PORTS{1'b1}} :
                            (now == FAINT && request[PORTS*PORTS-PORTS-1:0] == 0) ? {PORTS{1'b0}} :
                            pairs | {{PORTS-2{1'b0}}, both, 1'b0};
    assign matched_output = {to[PORTS*PW-1:2*PW], both ? to[PW-1:0] : to[2*PW-1:PW], to[PW-1:0]};
endmodule
`default_nettype wire
