// Decides when ACKs and NAKs leave: events of roce_rx_completion enter, in order; packets for TX leave.
//
// For each QP the newest packet to be acknowledged is kept (PSN and MSN); an ACK names the newest one when it leaves,
// so several packets may be answered by one. It leaves, by XRNICCONF[4:3] (S5 table 2-7),
//   mode 00  when a packet asks for it (AckReq), is a duplicate, or with the second tick after the oldest
//            unacknowledged packet
//   mode 01  with that tick only
//   mode 10  when a packet asks for it or is a duplicate
// Two ticks, so that at least one whole tick has passed. NAKs wait in a queue of their own, which goes first, so that
// no later ACK overtakes one; a waiting ACK of the same QP is then dropped: the NAK says the same. When TX takes
// nothing and the queue is full, `ev_ready` is low and nothing is lost. A waiting ACK is dropped when its QP is
// restarted; no NAK waits then: roce_rx_completion counts those of each QP until they leave (`nak_done`), which is busy
// till then.
//
// QPs with an ACK to send are in a queue, each once. After a tick a scanner visits one QP per clock. The state of a QP
// is a row of LUT memory with one writer: in each clock one of a restart, an event, an ACK that leaves, the scanner, in
// this order; but a NAK waits for an ACK that is about to leave. The scanner also clears the rows after reset; events
// wait for that. A tick during a scan counts with the next one.
//
// Latency: event to ack_valid 2 clocks for a NAK, 4 for an ACK.
`default_nettype none
module roce_acks #(
    // queue pairs, 8..128
    parameter NUM_QP = 8
) (
    input  wire              clk,
    input  wire              rst,
    input  wire [1:0]        ack_mode,
    input  wire              tick,
    input  wire [8:0]        qp_switch,       // which QPs are enabled, see roce_registers
    input  wire [7:0]        qp_limit,
    input  wire [NUM_QP-1:0] qp_fatal,        // no ACKs for these; a NAK still leaves
    input  wire              restart_valid,   // the QP is being restarted: nothing is to be acknowledged
    input  wire [6:0]        restart_qp,
    // events to be acknowledged
    input  wire              ev_valid,
    output wire              ev_ready,
    input  wire              ev_nak,
    input  wire              ev_now,          // the packet requested it, or is a duplicate
    input  wire [6:0]        ev_qp,
    input  wire [23:0]       ev_psn,
    input  wire [7:0]        ev_syndrome,     // of a NAK
    input  wire [23:0]       ev_msn,
    input  wire              nak_hold,        // no NAK leaves in this clock
    output wire              nak_done,        // one clock: a NAK of nak_done_qp leaves
    output wire [6:0]        nak_done_qp,
    // to TX
    output reg               ack_valid,
    input  wire              ack_ready,
    output reg  [6:0]        ack_qp,
    output reg  [23:0]       ack_psn,
    output reg  [7:0]        ack_syndrome,
    output reg  [23:0]       ack_msn
);
    localparam Q = $clog2(NUM_QP);

    // ---- NAKs
    wire nak_room, nak_waits;
    wire [6:0]  nak_qp;
    wire [23:0] nak_psn, nak_msn;
    wire [7:0]  nak_syndrome;
    wire accept = ev_valid && ev_ready;
    wire free    = !ack_valid || ack_ready;
    wire put_nak = nak_waits && free && !nak_hold;
    roce_queue #(.WIDTH(63), .LOG2_DEPTH(4)) naks (
        .clk (clk), .rst (rst),
        .in_valid (accept && ev_nak), .in_ready (nak_room), .in_data ({ev_qp, ev_psn, ev_syndrome, ev_msn}),
        .out_valid (nak_waits), .out_ready (put_nak), .out_data ({nak_qp, nak_psn, nak_syndrome, nak_msn})
    );
    assign nak_done    = put_nak;
    assign nak_done_qp = nak_qp;

    // ---- ACKs: state of each QP
    //   open: a packet is unacknowledged; aged: ... since before the last tick; due: to be sent at once; queued: the QP
    //   is in the queue
    (* ram_style = "distributed" *) reg [3:0] marks [0:(1 << Q)-1];
    reg           clearing, scanning;
    reg  [Q-1:0]  scan;
    reg           fetching;       // `found` is of fetch_qp
    reg  [Q-1:0]  fetch_qp;
    reg           stale;          // `found` was read while a newer one arrived
    wire          ripe    = fetching && free && !nak_waits && !stale;
    wire          put_ack = ripe && !accept && !restart_valid;
    assign ev_ready       = !restart_valid && !clearing && !(ev_nak && (!nak_room || ripe));
    wire          scans   = scanning && !restart_valid && !accept && !ripe;
    wire [Q-1:0]  at      = restart_valid ? restart_qp[Q-1:0] : accept ? ev_qp[Q-1:0] : ripe ? fetch_qp : scan;
    wire          open, aged, due, queued;
    assign {open, aged, due, queued} = marks[at];
    wire          on;
    wire          sends   = due && on && !qp_fatal[fetch_qp];      // of put_ack
    roce_qp_flag #(.NUM_QP(NUM_QP)) enabled (
        .clk (clk), .change (qp_switch), .limit (qp_limit), .look_qp ({{7-Q{1'b0}}, fetch_qp}), .look (on)
    );
    wire          forgets = clearing || restart_valid || (accept && ev_nak) || (put_ack && due);
    wire          ask     = accept ? !ev_nak && ev_now && ack_mode != 2'b01 : scans && !clearing && ack_mode != 2'b10
                            && open && aged;
    wire          push    = ask && !queued;
    wire          waits, room, pop;
    wire [Q-1:0]  oldest;
    roce_queue #(.WIDTH(Q), .LOG2_DEPTH(Q)) turns (
        .clk (clk), .rst (rst),
        .in_valid (push), .in_ready (room), .in_data (at),
        .out_valid (waits), .out_ready (pop), .out_data (oldest)
    );
    always @(posedge clk)
        if (restart_valid || accept || put_ack || scans)
            marks[at] <= {!forgets && (open || accept), !forgets && (scans ? open : aged), !forgets && (due || ask),
                          !clearing && !put_ack && (queued || ask)};

    // ---- the newest packet of each QP; departures
    (* ram_style = "block" *) reg [47:0] newest [0:(1 << Q)-1];
    reg  [47:0]   found;
    assign pop = waits && !fetching;

    always @(posedge clk) begin
        if (accept && !ev_nak) newest[ev_qp[Q-1:0]] <= {ev_psn, ev_msn};
        if (pop || fetching) found <= newest[fetching ? fetch_qp : oldest];
        if (pop) fetch_qp <= oldest;
    end

    always @(posedge clk)
        if (rst) begin
            clearing  <= 1'b1;
            scanning  <= 1'b1;
            scan      <= {Q{1'b0}};
            fetching  <= 1'b0;
            stale     <= 1'b0;
            ack_valid <= 1'b0;
        end else begin
            if (scans) begin
                scan <= scan + {{Q-1{1'b0}}, 1'b1};
                if (&scan) {clearing, scanning} <= 2'b00;
            end
            if (tick) scanning <= 1'b1;
            if (pop) fetching <= 1'b1;
            else if (put_ack) fetching <= 1'b0;
            stale     <= accept && !ev_nak && ev_qp[Q-1:0] == (fetching ? fetch_qp : oldest);
            ack_valid <= put_nak || (put_ack && sends)
                         || (ack_valid && !ack_ready && !(restart_valid && ack_qp == restart_qp));
        end
    always @(posedge clk)
        if (put_nak) begin
            ack_qp       <= nak_qp;
            ack_psn      <= nak_psn;
            ack_syndrome <= nak_syndrome;
            ack_msn      <= nak_msn;
        end else if (put_ack) begin
            ack_qp       <= {{7-Q{1'b0}}, fetch_qp};
            ack_psn      <= found[47:24];
            ack_syndrome <= 8'h1F;
            ack_msn      <= found[23:0];
        end

    wire unused = &{1'b0, room, ev_qp, restart_qp};

    // ---- measuring
    wire probe_busy     = waits || nak_waits || ack_valid || fetching;
    wire probe_stall_tx = ack_valid && !ack_ready;
    wire probe_done     = ack_valid && ack_ready;
endmodule
`default_nettype wire
