// A 32-bit counter that counts clocks with `event_here` high and can be loaded. Loading wins over counting. Wraps around.
`default_nettype none
module event_counter (
    input  wire        clk,
    input  wire        rst,
    input  wire        event_here,
    input  wire        load,
    input  wire [31:0] load_value,
    output reg  [31:0] count
);
    always @(posedge clk)
        if (rst)             count <= 32'd0;
        else if (load)       count <= load_value;
        else if (event_here) count <= count + 32'd1;
endmodule
`default_nettype wire
