// Queue of QPs to be served, each once, first come, first served: a queue of QP numbers, and a bit of each QP that says
// whether it is in it; all in LUT memory, so that it hardly grows with the number of QPs.
//
//     add      QP add_qp is queued, unless it is already. One that is added in the clock in which it is taken is queued
//              again
//     waits    the queue is not empty: its first one is `qp`, from the clock behind its `add` on
//     take     it leaves
//
// The queue holds all QPs, so none is ever lost or refused. After reset the bits are cleared, one in a clock; QPs added
// in these 2**$clog2(NUM_QP) clocks are ignored (all QPs of the chip are off then, see roce_registers).
`default_nettype none
module roce_qp_queue #(
    // queue pairs, 8..128
    parameter NUM_QP = 8
) (
    input  wire       clk,
    input  wire       rst,
    input  wire       add,
    input  wire [6:0] add_qp,
    output wire       waits,
    output wire [6:0] qp,
    input  wire       take       // only while `waits`
);
    localparam Q = $clog2(NUM_QP);
    localparam [Q:0] ONE = {{Q{1'b0}}, 1'b1};

    // A QP waits if its two bits differ: each of them has one writer only.
    (* ram_style = "distributed" *) reg [Q-1:0] line  [0:(1 << Q)-1];
    (* ram_style = "distributed" *) reg         added [0:(1 << Q)-1];
    (* ram_style = "distributed" *) reg         taken [0:(1 << Q)-1];
    reg  [Q:0]   first, behind;              // the place of the first one, and the one behind the last
    reg          clearing;
    wire [Q-1:0] oldest   = line[first[Q-1:0]];
    wire [Q-1:0] add_at   = clearing ? first[Q-1:0] : add_qp[Q-1:0];
    wire [Q-1:0] take_at  = clearing ? first[Q-1:0] : oldest;
    wire         was      = added[add_at];
    wire         push     = add && !clearing && (was == taken[add_at] || (take && take_at == add_at));

    assign waits = first != behind;
    assign qp    = {{7-Q{1'b0}}, oldest};

    always @(posedge clk) begin
        if (push)             line[behind[Q-1:0]] <= add_at;
        if (push || clearing) added[add_at]       <= !clearing && !was;
        if (take || clearing) taken[take_at]      <= !clearing && !taken[take_at];
    end

    always @(posedge clk)
        if (rst) begin
            first    <= {Q+1{1'b0}};
            behind   <= {Q+1{1'b0}};
            clearing <= 1'b1;
        end else begin
            if (push || clearing) behind <= behind + ONE;
            if (take || clearing) first  <= first + ONE;
            if (&first[Q-1:0]) clearing <= 1'b0;
        end

    wire unused = &{1'b0, add_qp};

    // ---- measuring
    wire         probe_busy  = waits;
    wire [Q:0]   probe_level = behind - first;
endmodule
`default_nettype wire
