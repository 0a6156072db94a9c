// Proof of roce_qp_queue with NUM_QP QPs: `bad` is never high, whatever is added and taken, also a QP that waits
// already, one that is taken in the same clock, and all of them at once.
//
//     once        a QP that is added stands in line once, however often it is added before its turn
//     none lost   it stays until it is taken, and its turn is when those that were before it are through; nobody
//                 overtakes
//     no more     the first one was added, and there is one as long as one waits: the line never over- or underflows
//
// Assumed: `take` only while a QP waits. What is added while the bits are cleared after reset is not looked at.
`default_nettype none
module prove_roce_qp_queue #(
    parameter NUM_QP = 8
) (
    input  wire                      clk,
    input  wire                      any_add,
    input  wire [$clog2(NUM_QP)-1:0] any_qp,
    input  wire                      any_take,
    input  wire [$clog2(NUM_QP)-1:0] any_mine,      // in the first clock: the QP that is followed
    output wire                      bad
);
    localparam Q = $clog2(NUM_QP);
    localparam [Q:0]        ONE     = {{Q{1'b0}}, 1'b1};
    localparam [NUM_QP-1:0] ONE_HOT = {{NUM_QP-1{1'b0}}, 1'b1};

    reg       running;                // 0 in the first clock
    reg [Q:0] cleared;                // QPs whose bits are
    initial   running = 1'b0;
    wire      ready   = running && cleared == NUM_QP;
    wire      waits;
    wire [6:0] first;
    wire      take    = any_take && waits && running;

    roce_qp_queue #(.NUM_QP(NUM_QP)) turns (
        .clk (clk), .rst (!running), .add (any_add && running), .add_qp ({{7-Q{1'b0}}, any_qp}), .waits (waits),
        .qp (first), .take (take)
    );

    // ---- the model: who waits, how many, and how many of them stand before the one that is followed
    reg  [NUM_QP-1:0] waiting;
    reg  [Q:0]        level, before;
    reg  [Q-1:0]      mine;
    wire [NUM_QP-1:0] leaves = take ? ONE_HOT << first[Q-1:0] : {NUM_QP{1'b0}};
    wire [NUM_QP-1:0] comes  = any_add ? ONE_HOT << any_qp : {NUM_QP{1'b0}};
    wire              joins  = any_add && (!waiting[any_qp] || leaves[any_qp]);
    always @(posedge clk) begin
        running <= 1'b1;
        if (!running) begin
            cleared <= {Q+1{1'b0}};
            waiting <= {NUM_QP{1'b0}};
            level   <= {Q+1{1'b0}};
            mine    <= any_mine;
        end else if (!ready) cleared <= cleared + ONE;
        else begin
            waiting <= (waiting & ~leaves) | comes;
            level   <= level + {{Q{1'b0}}, joins} - {{Q{1'b0}}, take};
            if (joins && any_qp == mine) before <= level - {{Q{1'b0}}, take};
            else if (take)               before <= before - ONE;
        end
    end

    assign bad = ready && (waits != (waiting != {NUM_QP{1'b0}}) || waits != (level != {Q+1{1'b0}}) ||
                           (waits && (first[6:Q] != {7-Q{1'b0}} || !waiting[first[Q-1:0]] ||
                                      (first[Q-1:0] == mine) != (waiting[mine] && before == {Q+1{1'b0}}))));
endmodule
`default_nettype wire
