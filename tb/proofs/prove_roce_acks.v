// Proof of roce_acks with NUM_QP QPs: `bad` is never high, whatever packets, ticks, restarts come and ACKs leave.
//
//   turns     a QP that asks for its ACK finds a place: each is in the queue once
//   waits     a QP that is due is in the queue, or its ACK is being fetched: none is forgotten
`default_nettype none
module prove_roce_acks #(
    parameter NUM_QP = 4
) (
    input  wire                      clk,
    input  wire [1:0]                any_mode,
    input  wire                      any_tick,
    input  wire [8:0]                any_switch,
    input  wire [NUM_QP-1:0]         any_fatal,
    input  wire                      any_restart,
    input  wire [$clog2(NUM_QP)-1:0] any_restart_qp,
    input  wire                      any_valid,
    input  wire                      any_nak,
    input  wire                      any_now,
    input  wire [$clog2(NUM_QP)-1:0] any_qp,
    input  wire [2:0]                any_ready,
    output wire                      bad
);
    localparam Q = $clog2(NUM_QP);

    reg running;                      // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;

    (* hierconn *) wire \acks.push , \acks.room , \acks.waits , \acks.fetching , \acks.clearing ;
    (* hierconn *) wire [3:0] \acks.marks[0] ;

    roce_acks #(.NUM_QP(NUM_QP)) acks (
        .clk (clk), .rst (!running), .ack_mode (any_mode), .tick (any_tick), .qp_switch (any_switch),
        .qp_limit (8'd128), .qp_fatal (any_fatal), .restart_valid (any_restart && running),
        .restart_qp ({{7-Q{1'b0}}, any_restart_qp}), .ev_valid (any_valid && running), .ev_nak (any_nak),
        .ev_now (any_now), .ev_qp ({{7-Q{1'b0}}, any_qp}), .ev_psn (24'd0), .ev_syndrome (8'd0), .ev_msn (24'd0),
        .nak_hold (any_ready[0]), .ack_ready (any_ready[1])
    );

    assign bad = running && ((\acks.push && ! \acks.room )
                             || (! \acks.clearing && \acks.marks[0] [1] && ! \acks.waits && ! \acks.fetching ));
endmodule
`default_nettype wire
