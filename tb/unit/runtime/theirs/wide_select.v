//-----------------------------------------------------------------------------
// wide_select.v: one of two wide buses, registered. Fixture of tb/unit/runtime/test_block.c, written as a vendor's
// generator does: capitals, C_ parameters, wide ports, names that are words of C++ and SystemVerilog, several modules
// in one file.
//-----------------------------------------------------------------------------
module WIDE_SELECT_V1_0 #(
  parameter integer C_WIDTH = 300,
  parameter C_FAMILY = "virtex2p"
) (
  input                    ACLK,
  input                    ARESET,
  input                    new,
  input  [0:3]             class,
  input                    \int ,
  input                    static,
  input  [C_WIDTH-1:0]     model,
  input  [C_WIDTH-1:0]     S__DATA,
  output reg [C_WIDTH-1:0] M_DATA,
  output [3:0]             virtual
);
  wire [C_WIDTH-1:0] chosen;
  WIDE_SELECT_MUX #(.C_WIDTH(C_WIDTH)) mux_i (.sel(new & static | \int ), .a(model), .b(S__DATA), .o(chosen));
  always @(posedge ACLK)
    if (ARESET) M_DATA <= 0;
    else        M_DATA <= chosen;
  assign virtual = class;
endmodule

module WIDE_SELECT_MUX #(parameter C_WIDTH = 1) (input sel, input [C_WIDTH-1:0] a, b, output [C_WIDTH-1:0] o);
  assign o = sel ? a : b;
endmodule
