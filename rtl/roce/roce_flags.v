// A bit for each QP, set by one and cleared by another, in LUT memory: it hardly grows with the number of QPs.
//
//     mark     the bit of mark_qp is set, unless it is cleared in the same clock
//     clear    the bit of clear_qp is cleared; `here` is that bit
//     look     the bit of look_qp
//
// A bit is set if the two bits kept for it differ: each of them has one writer only. They have no reset: the user
// clears the bit of each QP before its first use, as roce_outstanding does when QPs start.
`default_nettype none
module roce_flags #(
    // queue pairs, 8..128
    parameter NUM_QP = 8
) (
    input  wire       clk,
    input  wire       mark,
    input  wire [6:0] mark_qp,
    input  wire       clear,
    input  wire [6:0] clear_qp,
    output wire       here,      // combinational
    input  wire [6:0] look_qp,
    output wire       look       // combinational
);
    localparam Q = $clog2(NUM_QP);

    (* ram_style = "distributed" *) reg marks  [0:(1 << Q)-1];
    (* ram_style = "distributed" *) reg clears [0:(1 << Q)-1];
    wire [Q-1:0] mark_at = mark_qp[Q-1:0], clear_at = clear_qp[Q-1:0], look_at = look_qp[Q-1:0];

    assign here = marks[clear_at] != clears[clear_at];
    assign look = marks[look_at] != clears[look_at];

    always @(posedge clk) begin
        if (mark && !(clear && mark_at == clear_at)) marks[mark_at] <= !clears[mark_at];
        if (clear) clears[clear_at] <= marks[clear_at];
    end

    wire unused = &{1'b0, mark_qp, clear_qp, look_qp};

    // ---- measuring
    wire probe_busy = mark || clear;
endmodule
`default_nettype wire
