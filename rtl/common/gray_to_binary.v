// Gray code to binary. Combinational: bit i is the parity of the Gray bits from i upwards.
`default_nettype none
module gray_to_binary #(
    // bits, >= 1
    parameter WIDTH = 4
) (
    input  wire [WIDTH-1:0] gray,
    output wire [WIDTH-1:0] binary
);
    genvar i;
    generate
        for (i = 0; i < WIDTH; i = i + 1) begin : bit_of
            assign binary[i] = ^(gray >> i);
        end
    endgenerate
endmodule
`default_nettype wire
