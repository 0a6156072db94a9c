// Order of packets received over several links (by packet): the number of the link for each header that enters a
// net-to-host FIFO. Headers of one link are 7 clocks apart at least, so each link is polled once before its next one
// arrives: at most PATHS headers wait here, for at most PATHS clocks.
`default_nettype none
module link_order #(
    // links, 2..4
    parameter PATHS = 2
) (
    input  wire             clk,
    input  wire             rst,
    input  wire [PATHS-1:0] header,      // one clock: a header enters the FIFO of that link
    output wire             wr_valid,
    output wire [1:0]       wr_path,
    output wire             busy
);
    reg  [3:0] waiting;
    wire [3:0] came   = {{4-PATHS{1'b0}}, header};
    wire [3:0] served = waiting & (~waiting + 4'd1);

    assign wr_valid = |waiting;
    assign wr_path  = {waiting[1:0] == 2'd0, waiting[0] ? 1'b0 : waiting[1] ? 1'b1 : !waiting[2]};
    assign busy     = wr_valid;

    always @(posedge clk)
        if (rst) waiting <= 4'd0;
        else     waiting <= (waiting & ~served) | came;

    wire probe_busy  = wr_valid;
    wire probe_start = |header;
    wire probe_done  = wr_valid;
endmodule
`default_nettype wire
