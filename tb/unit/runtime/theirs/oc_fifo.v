/////////////////////////////////////////////////////////////////////
////                                                             ////
////  Synchronous FIFO. Fixture of tb/unit/runtime/test_block.c, ////
////  written as in many free cores: asynchronous reset, active  ////
////  low, unit delays, no ANSI ports, loose widths              ////
////                                                             ////
/////////////////////////////////////////////////////////////////////
`timescale 1ns / 10ps
`include "oc_fifo_defines.vh"

module oc_fifo_top(clk, rst, clr, din, we, dout, re, full, empty);

parameter dw=8;
parameter aw=`FIFO_AW;

input			clk, rst, clr;
input	[dw-1:0]	din;
input			we, re;
output	[dw-1:0]	dout;
output			full, empty;

reg	[aw:0]		wp, rp;
wire	[aw:0]		wp_pl1 = wp + 1;

oc_ram #(aw,dw) u0(
	.clk(	clk		),
	.wadr(	wp		),
	.di(	din		),
	.we(	we & !full	),
	.radr(	rp		),
	.do(	dout		)
	);

always @(posedge clk or negedge rst)
	if(!rst)	wp <= `FIFO_DLY 0;
	else
	if(clr)		wp <= `FIFO_DLY 0;
	else
	if(we & !full)	wp <= `FIFO_DLY wp_pl1;

always @(posedge clk or negedge rst)
	if(!rst)	rp <= `FIFO_DLY 0;
	else
	if(clr)		rp <= `FIFO_DLY 0;
	else
	if(re & !empty)	rp <= `FIFO_DLY rp + 1;

assign #1 empty = (wp == rp);
assign #1 full = (wp[aw-1:0] == rp[aw-1:0]) & (wp[aw] != rp[aw]);

endmodule
