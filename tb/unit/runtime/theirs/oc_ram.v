// dual-port memory of oc_fifo.v
`timescale 1ns / 10ps
module oc_ram(clk, wadr, di, we, radr, do);
parameter	aw = 3, dw = 8;
input			clk, we;
input	[aw-1:0]	wadr, radr;
input	[dw-1:0]	di;
output	[dw-1:0]	do;
reg	[dw-1:0]	mem [(1<<aw)-1:0];
assign do = mem[radr];
always @(posedge clk) if(we) mem[wadr] <= #1 di;
endmodule
