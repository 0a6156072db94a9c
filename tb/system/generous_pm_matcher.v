// A matcher of the bufferless crossbar that gives every input the first output that it asks for, also if another input
// has it: pm_iq must report two inputs that send to one output.
`default_nettype none
module generous_pm_matcher #(
    parameter PORTS = 16,
    // computed, not to be set
    parameter PW    = $clog2(PORTS)
) (
    input  wire                   clk,
    input  wire                   rst,
    input  wire                   step,
    input  wire [PORTS*PORTS-1:0] request,
    output reg  [PORTS-1:0]       matched,
    output reg  [PORTS*PW-1:0]    matched_output
);
    integer i;
    integer o;
    always @* begin
        o              = 0;
        matched        = {PORTS{1'b0}};
        matched_output = {PORTS*PW{1'b0}};
        for (i = 0; i < PORTS; i = i + 1)
            for (o = PORTS - 1; o >= 0; o = o - 1)
                if (step && request[PORTS*i + o]) begin
                    matched[i] = 1'b1;
                    matched_output[PW*i +: PW] = o[PW-1:0];
                end
    end
    wire unused = &{1'b0, clk, rst};
endmodule
`default_nettype wire
