// Which accepted credits are news behind the FIFO that takes them into another clock. At rest the same ones come again and again, to make
// good what was lost, and each would wake what has stopped its clock there (clock_rest).
//
// A credit is known there if the last one of its lane was the same (`again`, from link_credit_rx) and has gone into the FIFO. One that the
// FIFO was too full for is news when it comes again. Combinational.
`default_nettype none
module link_credit_news #(
    // lanes, 2..128
    parameter FLOWS = 8
) (
    input  wire                     clk,
    input  wire                     rst,
    input  wire                     accepted, // one clock, with
    input  wire                     again,    // the last one of the lane was the same
    input  wire [$clog2(FLOWS)-1:0] lane,
    input  wire                     full,     // the FIFO takes nothing
    output wire                     news      // this credit goes into the FIFO, if that is not full
);
    reg [FLOWS-1:0] known;    // lanes whose last credit has gone into the FIFO

    assign news = accepted && !(again && known[lane]);

    always @(posedge clk)
        if (rst)       known <= {FLOWS{1'b0}};
        else if (news) known[lane] <= !full;

    wire probe_busy = accepted;
endmodule
`default_nettype wire
