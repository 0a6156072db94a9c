// Bits of each QP kept outside its state (roce_outstanding), because other modules write or read them while another
// QP's event is in progress: is it fatal, must it become fatal, was an RNR NAK sent; and the queue of QPs with packets
// to send. In LUT memory, except `qp_fatal`, which many modules read.
//
// QPs that may have packets to send are queued (roce_qp_queue). A WQE that arrives queues its QP, an event queues its
// QP again if that may go on. A QP that is served and cannot send leaves the queue: the end of its wait queues it
// again. For a QP that is off while it has work, together with the chip or as one beyond XRNICCONF.QPS, the timer's
// scanner does so once it is on again. The same holds for those that were to be fetched for, or completed, while they
// were off.
`default_nettype none
module roce_outstanding_marks #(
    // queue pairs, 8..128
    parameter NUM_QP = 8
) (
    input  wire              clk,
    input  wire              rst,
    input  wire              chip_enable,
    input  wire [8:0]        qp_switch,    // which QPs are enabled, see roce_registers
    input  wire [7:0]        qp_limit,
    // from others: a WQE has arrived, a request was fatal, a completion could not be written, an RNR NAK was sent
    input  wire              arrive,
    input  wire [6:0]        arrive_qp,
    input  wire              stopped,      // it was to be fetched for, or completed, while it was off
    input  wire [6:0]        stopped_qp,
    input  wire              set_fatal_valid,
    input  wire [6:0]        set_fatal_qp,
    input  wire              fault_valid,
    input  wire [6:0]        fault_qp,
    input  wire              rnr_valid,
    input  wire [6:0]        rnr_qp,
    // an event of `qp` ends, and its actions
    input  wire              ends,
    input  wire [6:0]        qp,
    input  wire              restarts,     // the QP is restarted
    input  wire              sends,        // the QP was served to send
    input  wire              timer,        // a timer, or an event served with it
    input  wire              goes_on,      // there may be more to send
    input  wire              now_fatal,
    // of `qp`
    output wire              live,         // enabled and not fatal
    output wire              flushes,      // enabled and fatal
    output wire              dying_here,   // must become fatal: a request did it
    output wire              faulty_here,  // ...: a completion did
    output wire              rnr_sent,     // STATQP[1]
    // of all
    output reg  [NUM_QP-1:0] qp_fatal,
    input  wire [6:0]        scanned_qp,   // the QP that the timer's scanner visits
    output wire              scanned_on,   // ... that QP is enabled,
    output wire              called,       // it must be served with a timer event
    // the QP to be served
    output wire              turn_valid,
    output wire [6:0]        turn,
    input  wire              take,         // it has begun
    output wire              turn_waits    // a QP has still to be queued: no event may begin
);
    localparam Q = $clog2(NUM_QP);
    wire [Q-1:0] at = qp[Q-1:0], scanned = scanned_qp[Q-1:0];

    wire on;
    wire served = ends && timer && on;     // an event of a QP that is off is kept
    roce_qp_flag #(.NUM_QP(NUM_QP)) enabled (
        .clk (clk), .change (qp_switch), .limit (qp_limit), .look_qp (qp), .look (on)
    );
    roce_qp_flag #(.NUM_QP(NUM_QP)) scanned_enabled (
        .clk (clk), .change (qp_switch), .limit (qp_limit), .look_qp (scanned_qp), .look (scanned_on)
    );
    assign live    = on && !qp_fatal[at];
    assign flushes = on && qp_fatal[at];

    always @(posedge clk)
        if (rst)                             qp_fatal     <= {NUM_QP{1'b0}};
        else if (ends && (restarts || now_fatal)) qp_fatal[at] <= !restarts;

    // ---- bits set by others
    wire dying_called, faulty_called, stopped_called, unused_rnr_here, unused_stopped_here;
    roce_flags #(.NUM_QP(NUM_QP)) dying (
        .clk (clk), .mark (set_fatal_valid), .mark_qp (set_fatal_qp),
        .clear ((ends && restarts) || (served && dying_here)), .clear_qp (qp), .here (dying_here),
        .look_qp (scanned_qp), .look (dying_called)
    );
    roce_flags #(.NUM_QP(NUM_QP)) faulty (
        .clk (clk), .mark (fault_valid), .mark_qp (fault_qp),
        .clear ((ends && restarts) || (served && !dying_here && faulty_here)), .clear_qp (qp), .here (faulty_here),
        .look_qp (scanned_qp), .look (faulty_called)
    );
    roce_flags #(.NUM_QP(NUM_QP)) rnr_set (
        .clk (clk), .mark (rnr_valid), .mark_qp (rnr_qp), .clear (ends && restarts), .clear_qp (qp), .here (rnr_sent),
        .look_qp (qp), .look (unused_rnr_here)
    );
    roce_flags #(.NUM_QP(NUM_QP)) stops (
        .clk (clk), .mark (stopped), .mark_qp (stopped_qp), .clear ((ends && restarts) || served), .clear_qp (qp),
        .here (unused_stopped_here), .look_qp (scanned_qp), .look (stopped_called)
    );

    // ---- queue. An arrived WQE goes first; an event's QP may have to wait for it, and then no other event begins.
    (* ram_style = "distributed" *) reg missed [0:(1 << Q)-1];    // it was served while it was off
    always @(posedge clk)
        if (served || (ends && (sends || restarts))) missed[at] <= sends && !on;

    assign called = (dying_called || faulty_called || missed[scanned] || stopped_called) && scanned_on;

    reg  late;                        // `qp` has to be queued
    wire again = ends && (goes_on || timer) && !restarts;
    wire any;
    roce_qp_queue #(.NUM_QP(NUM_QP)) turns (
        .clk (clk), .rst (rst), .add (arrive || again || late), .add_qp (arrive ? arrive_qp : qp), .waits (any),
        .qp (turn), .take (take)
    );
    assign turn_valid = any && chip_enable;
    assign turn_waits = late;

    always @(posedge clk)
        if (rst) late <= 1'b0;
        else     late <= arrive && (again || late);

    wire unused = &{1'b0, unused_rnr_here, unused_stopped_here, qp, scanned_qp};

    // ---- measuring
    wire probe_busy = turn_valid;
endmodule
`default_nettype wire
