// From the crosspoint to the choice: one crosspoint of a column and the output scheduler, as in rtl/crossbar.v.
`default_nettype none
`include "slots.vh"
module decision_path #(
    parameter SAME_CLOCK = 0
) (
    input  wire        wr_clk,
    input  wire        wr_rst,
    input  wire        wr_valid,
    input  wire        wr_start,
    input  wire        wr_end,
    input  wire [31:0] wr_data,
    input  wire        rd_clk,
    input  wire        rd_rst,
    output wire        rd_valid,
    output wire        rd_end,
    input  wire        rd_pop,
    input  wire        choose,
    output wire        chosen,
    input  wire        taken
);
    wire [1:0]  chosen_onehot;
    wire [1:0]  waiting;
    wire [9:0]  wr_space;
    wire [9:0]  occupancy;
    wire [31:0] rd_data;
    wire        rd_poisoned, overflow, underflow, scheduler_overflow, chosen_input, arrived;
    wire        unused = &{1'b0, chosen_onehot, waiting, wr_space, rd_data, rd_poisoned, overflow, underflow,
                           scheduler_overflow, chosen_input};

    `CROSSPOINT #(.LOG2_WORDS(9), .SAME_CLOCK(SAME_CLOCK)) buffer (
        .wr_clk (wr_clk), .wr_rst (wr_rst), .wr_valid (wr_valid), .wr_start (wr_start), .wr_end (wr_end),
        .wr_poisoned (1'b0), .wr_data (wr_data), .wr_space (wr_space), .overflow (overflow),
        .rd_clk (rd_clk), .rd_rst (rd_rst), .arrived (arrived), .rd_valid (rd_valid), .rd_end (rd_end),
        .rd_poisoned (rd_poisoned), .rd_data (rd_data), .rd_pop (rd_pop), .occupancy (occupancy), .underflow (underflow)
    );
    `OUTPUT_SCHEDULER #(.INPUTS(2)) scheduler (
        .clk (rd_clk), .rst (rd_rst), .arrived ({1'b0, arrived}), .occupancy ({10'd0, occupancy}), .enable (2'b11),
        .weight (16'h0101), .choose (choose), .chosen (chosen), .chosen_input (chosen_input),
        .chosen_onehot (chosen_onehot), .taken (taken), .taken_units (10'd6), .waiting (waiting),
        .overflow (scheduler_overflow)
    );
endmodule
`default_nettype wire
