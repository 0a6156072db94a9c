// Actions when a packet's data are in memory, in the order of the packets: doorbell, interrupt, ACK or NAK.
//
// A post waits until memory has confirmed its payload and its length (`written`). Then the receive queue's new index
// goes to software, by the handshake port or as a 32-bit word to memory, and the packet to roce_acks; neither waits for
// the other. If memory reported an error, the QP goes to FATAL (code 00101, which S5 reserves), its error status is
// written and a NAK-operational (63) is sent; later posts of the same QP have no effect. A NAK-invalid (61) ends its QP
// here, too (`set_fatal`), so that all packets before it are still reported to software. Posts of a QP whose
// QPCONF.ENABLE is 0 have no effect. XRNICCONF.ENABLE and QPS stop no post: its packet was taken, and the peer gets no
// other answer.
//
// A doorbell through memory is followed by its interrupt when memory has confirmed it; if memory reports an error, the
// QP goes to FATAL if it is still enabled, and its error status names no packet. `busy` counts posts, doorbells and
// NAKs of each QP, these answers included: a late one would be taken for one of the restarted QP. If a doorbell is not
// taken at the port, the posts stop: after 128 more requests no more are accepted.
//
// An interrupt of a doorbell through memory waits for a clock without one of a port. A doorbell shows at the port only
// while none waits, so one that shows already can delay a single one: at most two wait when the next one arrives.
`default_nettype none
module roce_rx_completion #(
    // queue pairs, 8..128
    parameter NUM_QP = 8
) (
    input  wire              clk,
    input  wire              rst,
    input  wire [8:0]        qp_switch,       // which QPs are enabled, see roce_registers
    input  wire              restart_valid,   // the QP is being restarted
    input  wire [6:0]        restart_qp,
    input  wire [6:0]        look_qp,
    output wire              busy,            // of look_qp: a post or NAK waits, or memory has not confirmed a doorbell
    // posts, see roce_rx_check
    input  wire              post_valid,
    output wire              post_ready,
    input  wire [1:0]        post_kind,
    input  wire [1:0]        post_writes,
    input  wire              post_ends,
    input  wire              post_mad,
    input  wire              post_now,
    input  wire              post_by_port,
    input  wire              post_irq,
    input  wire              post_fatal,
    input  wire [4:0]        post_code,
    input  wire [6:0]        post_qp,
    input  wire [7:0]        post_opcode,
    input  wire [23:0]       post_psn,
    input  wire [23:0]       post_msn,
    input  wire [7:0]        post_aeth,
    input  wire [15:0]       post_index,
    input  wire [31:0]       post_bell,
    input  wire              written_valid,
    input  wire              written_error,
    // doorbells
    output wire              rq_db_valid,
    input  wire              rq_db_ready,
    output wire [6:0]        rq_db_qp,
    output wire [31:0]       rq_db_data,
    output wire              bell_valid,
    input  wire              bell_ready,
    output wire [31:0]       bell_addr,
    output wire [31:0]       bell_data,
    output wire [7:0]        bell_note,
    input  wire              bell_done,
    input  wire              bell_error,
    input  wire [7:0]        bell_noted,
    // the index last reported, of each QP
    input  wire              rung_set,
    output wire              rung_ready,
    input  wire [6:0]        rung_qp,
    input  wire [15:0]       rung_index,
    output reg  [15:0]       rung_now,        // of rung_qp, from the last clock
    // to roce_acks
    output wire              ev_valid,
    input  wire              ev_ready,
    output wire              ev_nak,
    output wire              ev_now,
    output wire [6:0]        ev_qp,
    output wire [23:0]       ev_psn,
    output wire [7:0]        ev_syndrome,
    output wire [23:0]       ev_msn,
    input  wire              nak_done,        // a NAK of nak_done_qp leaves; never with bell_done
    input  wire [6:0]        nak_done_qp,
    // a QP ends; events
    output reg               set_fatal_valid,
    output reg  [6:0]        set_fatal_qp,
    output reg  [4:0]        set_fatal_code,
    output wire              memory_valid,
    input  wire              memory_ready,
    output wire [51:0]       memory,          // {code, qp, opcode, psn, syndrome}
    output reg               rnr_valid,
    output reg  [6:0]        rnr_qp,
    output reg               irq_mad,
    output reg               irq_rq,
    output reg  [6:0]        irq_rq_qp
);
    localparam Q = $clog2(NUM_QP);
    localparam [1:0] TAKEN = 2'd0, NAK = 2'd2;
    localparam [4:0] MEMORY_FAILED = 5'b00101;

    wire        has, take;
    wire [1:0]  kind, writes;
    wire        ends, mad, now, by_port, irq, fatal;
    wire [4:0]  code;
    wire [6:0]  qp;
    wire [7:0]  opcode, aeth;
    wire [23:0] psn, msn;
    wire [15:0] index;
    wire [31:0] bell;
    roce_block_queue #(.WIDTH(134), .LOG2_DEPTH(7)) posts (
        .clk (clk), .rst (rst),
        .in_valid (post_valid), .in_ready (post_ready),
        .in_data ({post_kind, post_writes, post_ends, post_mad, post_now, post_by_port, post_irq, post_fatal, post_code,
                   post_qp, post_opcode, post_psn, post_msn, post_aeth, post_index, post_bell}),
        .out_valid (has), .out_ready (take),
        .out_data ({kind, writes, ends, mad, now, by_port, irq, fatal, code, qp, opcode, psn, msn, aeth, index, bell})
    );
    wire        written, written_room, written_bad, take_written;
    roce_queue #(.WIDTH(1), .LOG2_DEPTH(8)) confirmed (
        .clk (clk), .rst (rst),
        .in_valid (written_valid), .in_ready (written_room), .in_data (written_error),
        .out_valid (written), .out_ready (take_written), .out_data (written_bad)
    );

    // ---- the oldest post
    reg  [1:0] confirmed_count;   // of its writes
    reg        failed;
    reg        decided;           // all are confirmed: the action is in the next registers
    reg        to_bell, to_acks, to_status, is_nak;
    // fatal QP errors, by a post or by a doorbell. None of a QP is on its way when it is restarted (`busy`), but one of
    // another QP may be: a post waits a clock; a doorbell has ended a QP if its two bits differ, of one writer each.
    (* ram_style = "distributed" *) reg ended       [0:(1 << Q)-1];
    (* ram_style = "distributed" *) reg bell_ends_1 [0:(1 << Q)-1];
    (* ram_style = "distributed" *) reg bell_ends_0 [0:(1 << Q)-1];
    wire       on;
    wire       alive     = on && !ended[qp[Q-1:0]] && bell_ends_1[qp[Q-1:0]] == bell_ends_0[qp[Q-1:0]];
    wire       complete  = confirmed_count == writes;
    wire       decide    = has && !decided && complete && !restart_valid;
    wire       bad       = failed && alive;
    wire       refuses   = kind == NAK && fatal && alive;
    roce_qp_flag #(.NUM_QP(NUM_QP)) enabled (
        .clk (clk), .change (qp_switch), .limit (8'd128), .look_qp (qp), .look (on)
    );

    reg        shown;             // the doorbell shows at the port
    wire       bell_accepted = by_port ? rq_db_valid && rq_db_ready : bell_ready;
    assign take_written = has && !complete;
    assign take         = decided && !(to_bell && !bell_accepted) && !(to_acks && !ev_ready)
                          && !(to_status && !memory_ready);
    always @(posedge clk)
        if (rst) begin
            confirmed_count <= 2'd0;
            failed          <= 1'b0;
            decided         <= 1'b0;
            to_bell         <= 1'b0;
            to_acks         <= 1'b0;
            to_status       <= 1'b0;
        end else begin
            if (take) begin
                confirmed_count <= 2'd0;
                failed          <= 1'b0;
                decided         <= 1'b0;
            end else begin
                if (take_written && written) begin
                    confirmed_count <= confirmed_count + 2'd1;
                    failed          <= failed || written_bad;
                end
                if (decide) decided <= 1'b1;
            end
            if (decide) begin
                to_bell   <= alive && !failed && kind == TAKEN && ends;
                to_acks   <= alive && !mad;
                to_status <= bad;
                is_nak    <= kind == NAK || failed;
            end else begin
                if (bell_accepted) to_bell   <= 1'b0;
                if (ev_ready)      to_acks   <= 1'b0;
                if (memory_ready)  to_status <= 1'b0;
            end
        end

    // ---- doorbells
    wire bell_irq, bell_irq_room;
    wire rung = to_bell && bell_accepted;
    assign rq_db_valid = to_bell && by_port && (shown || !bell_irq);
    assign rq_db_qp    = qp;
    assign rq_db_data  = {16'd0, index};
    assign bell_valid  = to_bell && !by_port;
    assign bell_addr   = bell;
    assign bell_data   = {16'd0, index};
    assign bell_note   = {irq, qp};

    always @(posedge clk)
        shown <= rq_db_valid && !rq_db_ready && !rst;

    // ---- operations of each QP: posts that arrived; posts that left without a NAK or a doorbell for memory; NAKs that
    // left and doorbells that memory confirmed. 129 posts, 16 NAKs and 128 doorbells at most: the capacity of the
    // writer. After reset the counts are cleared, one QP in a clock; no QP is enabled by then.
    (* ram_style = "distributed" *) reg [8:0] posted [0:(1 << Q)-1];
    (* ram_style = "distributed" *) reg [8:0] left   [0:(1 << Q)-1];
    (* ram_style = "distributed" *) reg [8:0] rang   [0:(1 << Q)-1];
    reg          clearing;
    reg  [Q-1:0] clear_at;
    reg          goes_on;         // the oldest post has passed on a doorbell to memory, or a NAK to roce_acks
    wire         hands_on  = (bell_valid && bell_ready) || (ev_valid && ev_ready && ev_nak);
    wire         accepted  = post_valid && post_ready;
    wire         leaves    = take && !goes_on && !hands_on;
    wire [Q-1:0] posted_at = clearing ? clear_at : post_qp[Q-1:0];
    wire [Q-1:0] left_at   = clearing ? clear_at : qp[Q-1:0];
    wire [Q-1:0] rang_at   = clearing ? clear_at : bell_done ? bell_noted[Q-1:0] : nak_done_qp[Q-1:0];
    wire         late, late_room; // a doorbell's error waits to be served
    assign busy = posted[look_qp[Q-1:0]] - left[look_qp[Q-1:0]] != rang[look_qp[Q-1:0]] || late;
    always @(posedge clk) begin
        if (clearing || accepted)     posted[posted_at] <= clearing ? 9'd0 : posted[posted_at] + 9'd1;
        if (clearing || leaves)    left[left_at]     <= clearing ? 9'd0 : left[left_at] + 9'd1;
        if (clearing || bell_done || nak_done) rang[rang_at] <= clearing ? 9'd0 : rang[rang_at] + 9'd1;
    end
    always @(posedge clk)
        if (rst) begin
            clearing <= 1'b1;
            clear_at <= {Q{1'b0}};
            goes_on  <= 1'b0;
        end else begin
            clear_at <= clear_at + {{Q-1{1'b0}}, 1'b1};
            if (&clear_at) clearing <= 1'b0;
            goes_on  <= !take && (goes_on || hands_on);
        end

    (* ram_style = "block" *) reg [15:0] indices [0:(1 << Q)-1];
    wire [6:0] write_qp = rung ? qp : rung_qp;
    assign rung_ready = !rung;
    always @(posedge clk) begin
        if (rung || rung_set) indices[write_qp[Q-1:0]] <= rung ? index : rung_index;
        rung_now <= indices[rung_qp[Q-1:0]];
    end

    // ---- acknowledge
    assign ev_valid    = to_acks;
    assign ev_nak      = is_nak;
    assign ev_now      = now;
    assign ev_qp       = qp;
    assign ev_psn      = psn;
    assign ev_msn      = failed ? msn - {23'd0, ends} : msn;
    assign ev_syndrome = failed ? 8'h63 : aeth;

    // ---- fatal QP errors
    wire [6:0] late_qp;
    wire       ends_now  = decide && (bad || refuses);
    assign memory_valid = to_status || (late && !ends_now);
    assign memory       = to_status ? {MEMORY_FAILED, qp, opcode, psn, 8'h63} : {MEMORY_FAILED, late_qp, 40'd0};
    wire       bell_on;           // of a QP that is still enabled
    wire       bell_ends = bell_done && bell_error && bell_on;
    roce_qp_flag #(.NUM_QP(NUM_QP)) bell_enabled (
        .clk (clk), .change (qp_switch), .limit (8'd128), .look_qp (bell_noted[6:0]), .look (bell_on)
    );
    wire       bell_alive = bell_ends_0[bell_noted[Q-1:0]];
    wire       restarted_from = bell_ends_1[restart_qp[Q-1:0]];
    wire       bell_fatal = ended[bell_noted[Q-1:0]] || bell_ends_1[bell_noted[Q-1:0]] != bell_alive;
    wire       late_ends_now = late && !ends_now && !to_status && memory_ready;
    roce_queue #(.WIDTH(7), .LOG2_DEPTH(Q)) late_ends (
        .clk (clk), .rst (rst),
        .in_valid (bell_ends && !bell_fatal), .in_ready (late_room), .in_data (bell_noted[6:0]),
        .out_valid (late), .out_ready (late_ends_now), .out_data (late_qp)
    );
    always @(posedge clk)
        if (rst) begin
            set_fatal_valid <= 1'b0;
        end else begin
            set_fatal_valid <= ends_now || late_ends_now;
        end
    always @(posedge clk) begin
        if (restart_valid || ends_now) ended[restart_valid ? restart_qp[Q-1:0] : qp[Q-1:0]] <= !restart_valid;
        if (clearing || bell_ends)     bell_ends_1[clearing ? clear_at : bell_noted[Q-1:0]] <= !clearing && !bell_alive;
        if (clearing || restart_valid)
            bell_ends_0[clearing ? clear_at : restart_qp[Q-1:0]] <= !clearing && restarted_from;
        set_fatal_qp   <= ends_now ? qp : late_qp;
        set_fatal_code <= ends_now && !bad ? code : MEMORY_FAILED;
    end

    // ---- events
    wire       port_irq = rung && by_port && irq;
    wire [6:0] bell_irq_qp;
    wire       confirms = bell_done && !bell_error;
    roce_queue #(.WIDTH(7), .LOG2_DEPTH(2)) bell_irqs (
        .clk (clk), .rst (rst),
        .in_valid (confirms && bell_noted[7]), .in_ready (bell_irq_room), .in_data (bell_noted[6:0]),
        .out_valid (bell_irq), .out_ready (!port_irq), .out_data (bell_irq_qp)
    );
    always @(posedge clk) begin
        rnr_valid <= !rst && to_acks && ev_ready && kind == NAK && aeth[7:5] == 3'b001;
        rnr_qp    <= qp;
        irq_mad   <= !rst && ((rung && by_port && mad) || (confirms && bell_noted[6:0] == 7'd0));
        irq_rq    <= !rst && (port_irq || bell_irq);
        irq_rq_qp <= port_irq ? qp : bell_irq_qp;
    end

    wire unused = &{1'b0, written_room, late_room, bell_irq_room, write_qp, restart_qp, rung_qp, bell_noted, look_qp,
                    post_qp, nak_done_qp};

    // ---- measuring
    wire probe_busy         = has;
    wire probe_stall_memory = has && !complete && !written;
    wire probe_stall_bell   = to_bell && !bell_accepted;
    wire probe_start        = decide;
    wire probe_done         = take;
endmodule
`default_nettype wire
