// A 32-bit counter that counts clocks with `event_here` high and can be loaded. Loading wins over counting. Wraps around.
//
// The choice stands before the adder: it then shares the adder's LUTs, one per bit.
`default_nettype none
module event_counter (
    input  wire        clk,
    input  wire        rst,
    input  wire        event_here,
    input  wire        load,
    input  wire [31:0] load_value,
    output reg  [31:0] count
);
    wire [31:0] from = load ? load_value : count;

    always @(posedge clk)
        if (rst) count <= 32'd0;
        else     count <= from + {31'd0, event_here && !load};
endmodule
`default_nettype wire
