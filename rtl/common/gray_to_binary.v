// Gray code to binary. Combinational: bit i is the parity of the Gray bits from i upwards.
`default_nettype none
module gray_to_binary #(
    // bits, >= 1
    parameter WIDTH = 4
) (
    input  wire [WIDTH-1:0] gray,
    output reg  [WIDTH-1:0] binary
);
    integer bits;   // over which the parity goes so far

    always @* begin
        binary = gray;
        for (bits = 1; bits < WIDTH; bits = 2 * bits)
            binary = binary ^ (binary >> bits);
    end
endmodule
`default_nettype wire
