// In the place of fifo_async, for proofs about its writer: its proof (fifo-async) says that its count is never too low.
// What the writer knows of the reader, `seen`, is given by the proof that uses it. Nothing is read.
`default_nettype none
module fifo_async_properties #(
    parameter WIDTH = 1,
    parameter LOG2_DEPTH = 4,
    parameter COMMIT = 0
) (
    input  wire                  wr_clk,
    input  wire                  wr_rst,
    input  wire                  wr_valid,
    input  wire [WIDTH-1:0]      wr_data,
    input  wire                  wr_commit,
    input  wire                  wr_rollback,
    output wire [LOG2_DEPTH:0]   wr_count,
    output wire                  wr_full,
    output wire                  wr_overflow,
    input  wire                  rd_clk,
    input  wire                  rd_run_clk,
    output wire                  rd_wake,
    input  wire                  rd_rst,
    output wire [WIDTH-1:0]      rd_data,
    output wire                  rd_valid,
    input  wire                  rd_pop,
    output wire [LOG2_DEPTH:0]   rd_count,
    output wire                  rd_underflow
);
    localparam [LOG2_DEPTH:0] CAPACITY = {1'b0, {LOG2_DEPTH{1'b1}}};
    wire [LOG2_DEPTH:0] seen;
    reg  [LOG2_DEPTH:0] written;
    assign wr_count    = written - seen;
    assign wr_full     = (wr_count >= CAPACITY);
    assign wr_overflow = wr_valid && wr_full;
    assign {rd_wake, rd_data, rd_valid, rd_count, rd_underflow} = {WIDTH+LOG2_DEPTH+4{1'b0}};
    always @(posedge wr_clk)
        if (wr_rst) written <= {LOG2_DEPTH+1{1'b0}};
        else        written <= written + {{LOG2_DEPTH{1'b0}}, wr_valid && !wr_full};
endmodule
`default_nettype wire
