// Selects the accepted credits that must enter the FIFO into another clock. An idle link repeats the same credits to
// replace lost ones, and each would wake gated logic there (clock_gate).
//
// A credit is known there if the last one of its lane (virtual channel) was the same (`again`, from link_credit_rx) and
// has entered the FIFO.
// One that was refused by a full FIFO enters when it is repeated. Combinational.
`default_nettype none
module link_credit_news #(
    // lanes (virtual channels), 2..128
    parameter FLOWS = 8
) (
    input  wire                     clk,
    input  wire                     rst,
    input  wire                     accepted, // one clock, with
    input  wire                     again,    // the last one of the lane was the same
    input  wire [$clog2(FLOWS)-1:0] lane,
    input  wire                     full,     // the FIFO is full
    output wire                     news      // this credit enters the FIFO, if that is not full
);
    reg [FLOWS-1:0] known;    // lanes whose last credit has entered the FIFO

    assign news = accepted && !(again && known[lane]);

    always @(posedge clk)
        if (rst)       known <= {FLOWS{1'b0}};
        else if (news) known[lane] <= !full;

    wire probe_busy = accepted;
endmodule
`default_nettype wire
