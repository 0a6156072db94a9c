// Two-flop synchroniser for single bits that change independently (levels, quasi-static settings one bit each).
//
// For: a level from another clock domain. Latency: 2 to 3 clocks of the destination.
// Never: for a bus whose bits must be seen together (use sync_word) or for pulses (use sync_event).
`default_nettype none
module sync_bit #(
    // number of independent bits, >= 1
    parameter WIDTH = 1,
    // value of every bit in reset, 0 or 1
    parameter RESET = 0
) (
    input  wire             clk,      // destination clock
    input  wire             rst,
    input  wire [WIDTH-1:0] in,       // from the other domain: must come straight from a flop
    output wire [WIDTH-1:0] out
);
    localparam [0:0] RESET_BIT = (RESET != 0);

    (* ASYNC_REG = "TRUE" *) reg [WIDTH-1:0] first;
    (* ASYNC_REG = "TRUE" *) reg [WIDTH-1:0] second;

    always @(posedge clk)
        if (rst) begin
            first  <= {WIDTH{RESET_BIT}};
            second <= {WIDTH{RESET_BIT}};
        end else begin
            first  <= in;
            second <= first;
        end

    assign out = second;
endmodule
`default_nettype wire
