// Pads of a serial port. Fixture of tb/unit/runtime/test_block.c, written as for a board: an inout bus, registers on
// both edges, a gated clock, a parameter that must be given (SystemVerilog), a counter on another clock that is looked
// at by a falling edge.
module serial_pads #(parameter WIDTH, parameter logic [7:0] START = 0) (
    input  logic             sclk, mclk, areset_n, enable, oe,
    input  logic [WIDTH-1:0] d,
    inout  wire  [WIDTH-1:0] pad,
    output logic [WIDTH-1:0] on_fall, on_rise, gated,
    output logic [7:0]       count, seen
);
    assign pad = oe ? d : 'z;

    always_ff @(negedge sclk or negedge areset_n)
        if (!areset_n) on_fall <= '0;
        else           on_fall <= pad;
    always_ff @(posedge sclk) on_rise <= on_fall;

    wire inverted = ~sclk;
    always_ff @(posedge inverted) seen <= count;

    logic open;
    always_latch if (!mclk) open = enable;
    wire gated_clk = mclk & open;
    always_ff @(posedge gated_clk or negedge areset_n)
        if (!areset_n) gated <= '0;
        else           gated <= gated + 1'b1;

    always_ff @(posedge mclk or negedge areset_n)
        if (!areset_n) count <= START;
        else           count <= count + 8'd1;
endmodule
