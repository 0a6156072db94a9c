// A bit of each QP, in LUT memory, for one reader: a vector of flip-flops would cost a multiplexer for each reader. The
// one module that writes the bit announces it to all readers: `change` is {a bit changes, its new value, QP}; it counts
// from the next clock on.
//
// QPs from number `limit` on have 0, whatever was written; that also counts at once. The memory is not reset; until its
// writer has written each bit, `limit` is 0.
`default_nettype none
module roce_qp_flag #(
    // queue pairs, 8..128
    parameter NUM_QP = 8
) (
    input  wire       clk,
    input  wire [8:0] change,
    input  wire [7:0] limit,
    input  wire [6:0] look_qp,
    output wire       look       // combinational
);
    localparam Q = $clog2(NUM_QP);

    (* ram_style = "distributed" *) reg flags [0:(1 << Q)-1];
    always @(posedge clk)
        if (change[8]) flags[change[Q-1:0]] <= change[7];
    assign look = flags[look_qp[Q-1:0]] && {1'b0, look_qp} < limit;

    wire unused = &{1'b0, change};

    // ---- measuring
    wire probe_busy = change[8];
endmodule
`default_nettype wire
