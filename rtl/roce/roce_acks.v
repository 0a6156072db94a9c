// Decides when ACKs and NAKs leave: what roce_rx_post says goes in, in order; what TX sends comes out.
//
// For each QP the newest packet to be acknowledged is kept (PSN and MSN); an ACK names the newest one when it leaves, so several packets
// may be answered by one. It leaves, by XRNICCONF[4:3] (S5 table 2-7),
//   mode 00  when a packet asks for it (AckReq), is a duplicate, or with the second tick after the oldest unacknowledged packet
//   mode 01  with that tick only
//   mode 10  when a packet asks for it or is a duplicate
// Two ticks, so that at least one whole tick has passed. NAKs wait in a queue of their own, which goes first, so that no later ACK
// overtakes one; an ACK of the same QP that waited is not sent then: the NAK says the same. When TX takes nothing and the queue is full,
// `ev_ready` is low and nothing is lost.
//
// QPs with an ACK to send stand in a queue, each once. After a tick a scanner looks at one QP per clock.
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
    input  wire [NUM_QP-1:0] qp_enabled,
    input  wire [NUM_QP-1:0] qp_fatal,        // no ACKs for these; a NAK still leaves
    input  wire              restart_valid,   // the QP is being set up: nothing is to be acknowledged
    input  wire [6:0]        restart_qp,
    // what is to be acknowledged
    input  wire              ev_valid,
    output wire              ev_ready,
    input  wire              ev_nak,
    input  wire              ev_now,          // the packet asked for it, or is a duplicate
    input  wire [6:0]        ev_qp,
    input  wire [23:0]       ev_psn,
    input  wire [7:0]        ev_syndrome,     // of a NAK
    input  wire [23:0]       ev_msn,
    // to TX
    output reg               ack_valid,
    input  wire              ack_ready,
    output reg  [6:0]        ack_qp,
    output reg  [23:0]       ack_psn,
    output reg  [7:0]        ack_syndrome,
    output reg  [23:0]       ack_msn
);
    localparam Q = $clog2(NUM_QP);
    localparam [NUM_QP-1:0] ONE = {{NUM_QP-1{1'b0}}, 1'b1};

    // ---- NAKs
    wire nak_room, nak_waits, nak_take;
    wire [6:0]  nak_qp;
    wire [23:0] nak_psn, nak_msn;
    wire [7:0]  nak_syndrome;
    wire accept = ev_valid && ev_ready;
    assign ev_ready = !ev_nak || nak_room;
    roce_queue #(.WIDTH(63), .LOG2_DEPTH(4)) naks (
        .clk (clk), .rst (rst),
        .in_valid (ev_valid && ev_nak), .in_ready (nak_room), .in_data ({ev_qp, ev_psn, ev_syndrome, ev_msn}),
        .out_valid (nak_waits), .out_ready (nak_take), .out_data ({nak_qp, nak_psn, nak_syndrome, nak_msn})
    );

    // ---- ACKs: bits of each QP
    reg  [NUM_QP-1:0] due;        // to be sent at once
    reg  [NUM_QP-1:0] open;       // something is unacknowledged
    reg  [NUM_QP-1:0] aged;       // ... since before the last tick
    reg  [NUM_QP-1:0] queued;     // it stands in the queue
    reg               scanning;
    reg  [Q-1:0]      scan;
    wire              timed   = ack_mode != 2'b10;
    wire              at_once = ev_now && ack_mode != 2'b01;
    wire [NUM_QP-1:0] ev_bit      = ONE << ev_qp[Q-1:0];
    wire [NUM_QP-1:0] scan_bit    = ONE << scan;
    wire [NUM_QP-1:0] restart_bit = restart_valid ? ONE << restart_qp[Q-1:0] : {NUM_QP{1'b0}};
    wire              ask_now = accept && !ev_nak && at_once;             // the event's QP gets into the queue
    wire              ask_old = scanning && !ask_now && timed && open[scan] && aged[scan];
    wire [Q-1:0]      ask_qp  = ask_now ? ev_qp[Q-1:0] : scan;
    wire              push    = (ask_now || ask_old) && !queued[ask_qp];
    wire              waits, room, pop;
    wire [Q-1:0]      oldest;
    roce_queue #(.WIDTH(Q), .LOG2_DEPTH(Q)) turns (
        .clk (clk), .rst (rst),
        .in_valid (push), .in_ready (room), .in_data (ask_qp),
        .out_valid (waits), .out_ready (pop), .out_data (oldest)
    );

    // ---- the newest packet of each QP; what leaves
    (* ram_style = "block" *) reg [47:0] newest [0:(1 << Q)-1];
    reg  [47:0]   found;
    reg           fetching;       // `found` is of fetch_qp
    reg  [Q-1:0]  fetch_qp;
    reg           stale;          // `found` was read while a newer one came
    wire          free     = !ack_valid || ack_ready;
    wire          sends    = due[fetch_qp] && qp_enabled[fetch_qp] && !qp_fatal[fetch_qp];
    wire          put_nak  = nak_waits && free;
    wire          news     = accept && !ev_nak && ev_qp[Q-1:0] == (fetching ? fetch_qp : oldest);    // look again
    wire          put_ack  = fetching && free && !nak_waits && !news && !stale;
    wire [NUM_QP-1:0] put_bit = put_ack ? ONE << fetch_qp : {NUM_QP{1'b0}};
    assign nak_take = put_nak;
    assign pop      = waits && !fetching;

    always @(posedge clk) begin
        if (accept && !ev_nak) newest[ev_qp[Q-1:0]] <= {ev_psn, ev_msn};
        if (pop || fetching) found <= newest[fetching ? fetch_qp : oldest];
        if (pop) fetch_qp <= oldest;
    end

    always @(posedge clk)
        if (rst) begin
            due       <= {NUM_QP{1'b0}};
            open      <= {NUM_QP{1'b0}};
            aged      <= {NUM_QP{1'b0}};
            queued    <= {NUM_QP{1'b0}};
            scanning  <= 1'b0;
            scan      <= {Q{1'b0}};
            fetching  <= 1'b0;
            stale     <= 1'b0;
            ack_valid <= 1'b0;
        end else begin
            due    <= (due | (ask_now ? ev_bit : {NUM_QP{1'b0}}) | (ask_old ? scan_bit : {NUM_QP{1'b0}}))
                      & ~put_bit & ~(accept && ev_nak ? ev_bit : {NUM_QP{1'b0}}) & ~restart_bit;
            open   <= ((open & ~put_bit) | (accept && !ev_nak ? ev_bit : {NUM_QP{1'b0}}))
                      & ~(accept && ev_nak ? ev_bit : {NUM_QP{1'b0}}) & ~restart_bit;
            // what was open at the last tick, and has not been acknowledged since
            aged   <= (scanning && !ask_now ? (aged & ~scan_bit) | (open & scan_bit) : aged) & ~put_bit
                      & ~(accept && ev_nak ? ev_bit : {NUM_QP{1'b0}}) & ~restart_bit;
            queued <= (queued | (push ? ONE << ask_qp : {NUM_QP{1'b0}})) & ~put_bit;
            if (tick) begin
                scanning <= 1'b1;
                scan     <= {Q{1'b0}};
            end else if (scanning && !ask_now) begin
                scan     <= scan + {{Q-1{1'b0}}, 1'b1};
                scanning <= {{32-Q{1'b0}}, scan} != NUM_QP - 1;
            end
            if (pop) fetching <= 1'b1;
            else if (put_ack) fetching <= 1'b0;
            stale     <= news;
            ack_valid <= put_nak || (put_ack && sends) || (ack_valid && !ack_ready);
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
