// Completions of WQEs: in the order of their QP, and each in this order: the completion entry (if QPCONF[5]) is written
// to the CQ and its write answered; CQHEAD advances; the doorbell with CQHEAD goes by the handshake port (QPCONF[4] =
// 0) or is written to CQDBADD and answered; then the event for the interrupt (if QPCONF[3]).
//
// QPs are served round robin, a completion each. 16 completions of all QPs are outstanding at most, so that memory's
// latency costs no rate; a completion takes 9 clocks here, more while others read the configuration. A place of the WQE
// cache is free when its completion entry has been issued.
//
// A QP that is off when it is served is reported (`stopped`); `complete` follows for it when it is on again. An entry
// that is in memory when its QP is off advances CQHEAD all the same; the QP is owed a doorbell, and gets it, with its
// interrupt, when it is on again: one for all such entries. So is a QP whose doorbell got into memory while it was off:
// its interrupt was not raised.
//
// The entry (S5 table 2-2): WRID, opcode, ERRFLAG in [24]. ERRFLAG is set if the QP is fatal and the WQE is the one at
// fault or follows it, or if the WQE was invalid. A write that fails counts as done and is reported by `fault_*`:
// the QP becomes fatal. A QP is restarted only when `restart_busy` was 0 while it was off, no write is outstanding, and
// no doorbell of it is offered: so no old event reaches the restarted QP.
`default_nettype none
module roce_completion #(
    // bytes per clock, 8 or 64
    parameter BYTES = 8,
    // queue pairs, 8..128
    parameter NUM_QP = 8,
    // 1: doorbells by handshake where QPCONF[4] is 0. 0: all are written
    parameter HW_HANDSHAKE = 1
) (
    input  wire               clk,
    input  wire               rst,
    input  wire [8:0]         qp_switch,        // which QPs are enabled, see roce_registers
    input  wire [7:0]         qp_limit,
    input  wire [NUM_QP-1:0]  fatal,
    input  wire               restart,          // held
    input  wire [6:0]         restart_qp,
    output wire               restart_done,     // one clock
    output wire               restart_busy,     // of restart_qp: a completion or doorbell is in progress, or near

    // when to serve a QP: a packet was acknowledged, or of a fatal one arrived, or it is on again; data were written
    output wire               stopped,          // `look_qp` was served while it was off: until stopped_taken
    input  wire               stopped_taken,
    input  wire               complete,
    input  wire [6:0]         complete_qp,
    input  wire               put,
    input  wire [6:0]         put_qp,

    // state of the message being examined: combinational
    output wire [6:0]         look_qp,
    output wire [4:0]         look_count,
    output wire               looks,            // a message is
    input  wire [4:0]         look_limit,       // messages before this one are acknowledged
    input  wire [4:0]         look_arrived,     // ... are in the cache
    input  wire [4:0]         look_fault,
    input  wire               look_bad,
    input  wire               look_waits,
    output wire [10:0]        id_addr,
    input  wire [23:0]        id,               // in the next clock: {opcode, WRID}
    output reg                free,             // one clock: a place of the cache is free
    output wire [6:0]         free_qp,

    // registers of a QP
    output wire               cfg_valid,        // held until cfg_ready
    input  wire               cfg_ready,
    output wire [10:0]        cfg_addr,
    input  wire [127:0]       cfg_data,         // in the clock after cfg_ready

    // counts for others, combinational
    input  wire [6:0]         fetch_qp,
    output wire [4:0]         fetch_done,       // messages completed
    input  wire [6:0]         own_qp,
    output wire [4:0]         own_done,
    output wire [15:0]        own_position,     // place in the queue of the next one to complete
    output wire [15:0]        own_head,         // CQHEAD
    input  wire               head_write,       // one clock: CQHEAD of own_qp is set
    input  wire [15:0]        head_wdata,
    output wire               full,             // the most completions are outstanding

    // doorbells by handshake
    output wire               cq_db_valid,
    input  wire               cq_db_ready,
    output wire [6:0]         cq_db_qp,
    output wire [31:0]        cq_db_count,

    // events
    output reg                irq_cq,
    output reg  [6:0]         irq_cq_qp,
    output reg                wqe_done,
    output reg                fault_valid,      // a write failed
    output reg  [6:0]         fault_qp,

    // AXI master wqe_proc_wr_ddr
    output wire               wr_ddr_awvalid,
    input  wire               wr_ddr_awready,
    output wire [31:0]        wr_ddr_awaddr,
    output wire [7:0]         wr_ddr_awlen,
    output wire               wr_ddr_wvalid,
    input  wire               wr_ddr_wready,
    output wire [8*BYTES-1:0] wr_ddr_wdata,
    output wire [BYTES-1:0]   wr_ddr_wstrb,
    output wire               wr_ddr_wlast,
    input  wire               wr_ddr_bvalid,
    output wire               wr_ddr_bready,
    input  wire [1:0]         wr_ddr_bresp
);
    localparam LOG2_QP = $clog2(NUM_QP);
    localparam [2:0] IDLE = 3'd0, LOOK = 3'd1, READ = 3'd2, ENTRY = 3'd3, NEXT = 3'd4;

    // {flushing, count, position of the next one}: flushing: from here on all have ERRFLAG
    (* ram_style = "distributed" *) reg [21:0] progress [0:NUM_QP-1];
    (* ram_style = "distributed" *) reg [15:0] heads    [0:NUM_QP-1];

    reg  [2:0]         state;
    reg  [6:0]         qp;
    wire [LOG2_QP-1:0] qp_index = qp[LOG2_QP-1:0];

    // ---- arbitration: QPs with an acknowledged message, or with more to complete, or with data in memory, alternately
    reg                more;
    wire               again = (state == NEXT) && more && !complete;
    wire               acked_waits, put_waits;
    wire [6:0]         acked_first, put_first;
    reg                was_put;
    wire               take     = (state == IDLE) && !restart && (acked_waits || put_waits);
    wire               take_put = put_waits && !(acked_waits && was_put);
    wire               passes, mute;             // an entry of a disabled QP is skipped; a doorbell of one
    wire [6:0]         head_qp;                  // QP of the oldest outstanding one
    wire               done_valid, done_error;
    wire [8:0]         done_tag;                 // {it is a doorbell, interrupt, QP}
    roce_qp_queue #(.NUM_QP(NUM_QP)) acked (
        .clk (clk), .rst (rst), .add (complete || again || passes || mute),
        .add_qp (complete ? complete_qp : again ? qp : passes ? head_qp : done_tag[6:0]),
        .waits (acked_waits), .qp (acked_first), .take (take && !take_put)
    );
    roce_qp_queue #(.NUM_QP(NUM_QP)) stored (
        .clk (clk), .rst (rst), .add (put), .add_qp (put_qp), .waits (put_waits), .qp (put_first),
        .take (take && take_put)
    );

    // ---- the next completion of a QP
    wire [21:0] at       = progress[qp_index];
    wire        flushing = at[21];
    wire [4:0]  count    = at[20:16];
    wire [15:0] position = at[15:0];
    wire        dead     = fatal[qp_index];
    wire        flush    = flushing || (dead && count == look_fault);
    wire        on;
    wire [4:0]  limit    = dead ? look_arrived : look_limit;
    wire [4:0]  count_on = count + 5'd1;
    wire        owed;                        // a doorbell
    wire        none     = look_waits || count == limit;
    wire        nothing  = none && !owed;
    reg  [2:0]  row;                         // of the configuration, is requested; the one before it is the answer
    reg         answered;
    reg  [5:3]  conf;                        // QPCONF
    reg  [31:0] base, doorbell;
    reg  [15:0] depth;
    reg         errored, ends_flush;
    reg         bell_only;                   // no entry: the owed doorbell
    wire [15:0] after    = position + 16'd1;
    wire [15:0] follows  = (after == depth) ? 16'd0 : after;
    wire        written  = conf[5] && !bell_only;
    reg         published;                   // CQHEAD of the oldest outstanding has advanced, doorbell not left
    wire        write_ready;
    wire        doorbell_write, by_port;     // a doorbell goes to memory; one is taken at the port
    wire        lane_full;
    wire        push     = (state == ENTRY) && !restart && !lane_full && (!written || (write_ready && !doorbell_write));
    wire        writer_busy;
    wire        restarts = restart && (state == IDLE) && !head_write && !writer_busy
                           && !(published && head_qp == restart_qp) && !by_port;

    assign restart_done = restarts;
    assign stopped      = (state == LOOK) && !nothing && !on;
    assign look_qp      = qp;
    assign looks        = (state == LOOK);
    assign look_count   = count;
    assign id_addr      = {qp, count[3:0]};
    assign cfg_valid    = (state == READ) && !row[2];
    assign cfg_addr     = {qp, 2'b00, row[1:0]};
    assign fetch_done   = progress[fetch_qp[LOG2_QP-1:0]][20:16];
    assign own_done     = progress[own_qp[LOG2_QP-1:0]][20:16];
    assign own_position = progress[own_qp[LOG2_QP-1:0]][15:0];
    assign own_head     = heads[own_qp[LOG2_QP-1:0]];
    assign free_qp      = qp;
    assign full         = lane_full;

    always @(posedge clk)
        if (rst) begin
            state    <= IDLE;
            qp       <= 7'd0;
            was_put  <= 1'b0;
            more     <= 1'b0;
            row      <= 3'd0;
            answered <= 1'b0;
            free     <= 1'b0;
            wqe_done <= 1'b0;
        end else begin
            answered <= cfg_valid && cfg_ready;
            free     <= push && !bell_only;
            wqe_done <= push && !bell_only;
            case (state)
                IDLE:
                    if (take) begin
                        qp      <= take_put ? put_first : acked_first;
                        was_put <= take_put;
                        state   <= LOOK;
                    end
                LOOK: begin
                    row   <= 3'd0;
                    more  <= owed ? !none : count_on != limit;
                    state <= (nothing || stopped_taken) ? IDLE : on ? READ : LOOK;
                end
                READ: begin
                    if (cfg_valid && cfg_ready) row <= row + 3'd1;
                    if (answered && row[2]) state <= ENTRY;
                end
                ENTRY:
                    if (push || restart) begin
                        if (restart) more <= 1'b1;   // restart from the beginning
                        state <= NEXT;
                    end
                default: if (again == more) state <= IDLE;
            endcase
        end

    always @(posedge clk) begin
        if (state == LOOK) ends_flush <= flush;
        if (state == LOOK) bell_only <= owed;
        if (state == READ) errored <= ends_flush || look_bad;
        if (answered)
            case (row)
                3'd1:    conf     <= cfg_data[5:3];
                3'd2:    base     <= {cfg_data[95:69], 5'd0};
                3'd3:    doorbell <= cfg_data[95:64];
                default: depth    <= cfg_data[111:96];
            endcase
        if ((push && !bell_only) || restarts)
            progress[restarts ? restart_qp[LOG2_QP-1:0] : qp_index] <= !restarts ? {ends_flush, count_on, follows}
                                                                       : 22'd0;
    end

    // ---- outstanding: {doorbell's address, CQHEAD, by handshake, interrupt}
    wire        publish, head_written;
    wire [47:0] head_data;
    wire        by_hand  = (HW_HANDSHAKE != 0) && !conf[4];
    wire        any, lane_room, unused_here;
    wire        bell_done = done_valid && done_tag[8];
    roce_queue #(.WIDTH(56), .LOG2_DEPTH(4)) under_way (
        .clk (clk), .rst (rst), .in_valid (push), .in_ready (lane_room),
        .in_data ({qp, doorbell[31:2], bell_only ? position : follows, by_hand, conf[3], written}),
        .out_valid (any), .out_ready (publish), .out_data ({head_qp, head_data, head_written})
    );
    assign lane_full = !lane_room;

    // Entries confirmed by memory: the oldest ones, since it confirms in order.
    reg  [4:0]  confirmed;
    wire        head_answered = any && !(head_written && confirmed == 5'd0);
    always @(posedge clk)
        if (rst) confirmed <= 5'd0;
        else     confirmed <= confirmed + {4'd0, done_valid && !done_tag[8]} - {4'd0, publish && head_written};

    // Completions that began and that ended, of each QP: with the handshake, or when memory confirms the doorbell.
    // Equal when it starts.
    (* ram_style = "distributed" *) reg [5:0] begun [0:NUM_QP-1];
    (* ram_style = "distributed" *) reg [5:0] ended [0:NUM_QP-1];
    wire               ends     = publish && !doorbell_write;              // memory's answer waits then
    wire [LOG2_QP-1:0] ended_at = restarts ? restart_qp[LOG2_QP-1:0] : ends ? head_qp[LOG2_QP-1:0]
                                  : done_tag[LOG2_QP-1:0];
    assign restart_busy = (state != IDLE && qp == restart_qp)
                          || begun[restart_qp[LOG2_QP-1:0]] != ended[restart_qp[LOG2_QP-1:0]];
    always @(posedge clk) begin
        if (push)                          begun[qp_index] <= begun[qp_index] + 6'd1;
        if (restarts || ends || bell_done)
            ended[ended_at] <= restarts ? begun[restart_qp[LOG2_QP-1:0]] : ended[ended_at] + 6'd1;
    end

    // An entry of a QP that has been switched off meanwhile is skipped, unless its doorbell is already offered.
    wire head_on, done_on;
    wire reports = head_answered && (published || head_on);
    wire in_line = !complete && !again && !restarts;          // a QP that is owed a doorbell can be queued
    assign passes = head_answered && !published && !head_on && !head_write && in_line;
    wire bell_tag = done_tag[8] && done_tag[7];
    assign mute = done_valid && bell_tag && !done_on;
    roce_flags #(.NUM_QP(NUM_QP)) debts (
        .clk (clk), .mark (passes || mute), .mark_qp (passes ? head_qp : done_tag[6:0]),
        .clear (restarts || (push && bell_only)), .clear_qp (restarts ? restart_qp : qp), .here (unused_here),
        .look_qp (qp), .look (owed)
    );

    assign cq_db_valid    = reports && published && head_data[1];
    assign cq_db_qp       = head_qp;
    assign cq_db_count    = {16'd0, head_data[17:2]};
    assign doorbell_write = reports && published && !head_data[1];
    wire   rung           = by_port || (doorbell_write && write_ready);
    assign publish        = rung || passes;
    assign by_port        = cq_db_valid && cq_db_ready;

    wire ring_by_hand = by_port && head_data[0];
    wire move = reports && !published && !head_write && !restarts;
    always @(posedge clk) begin
        if (head_write || restarts || move || passes)
            heads[head_write ? own_qp[LOG2_QP-1:0] : restarts ? restart_qp[LOG2_QP-1:0] : head_qp[LOG2_QP-1:0]] <=
                head_write ? head_wdata : restarts ? 16'd0 : head_data[17:2];
        irq_cq_qp <= ring_by_hand ? head_qp : done_tag[6:0];
        fault_qp  <= done_tag[6:0];
    end

    wire ring_by_bus  = done_valid && bell_tag && done_on;
    roce_qp_flag #(.NUM_QP(NUM_QP)) enabled (
        .clk (clk), .change (qp_switch), .limit (qp_limit), .look_qp (qp), .look (on)
    );
    roce_qp_flag #(.NUM_QP(NUM_QP)) heads_enabled (
        .clk (clk), .change (qp_switch), .limit (qp_limit), .look_qp (head_qp), .look (head_on)
    );
    roce_qp_flag #(.NUM_QP(NUM_QP)) done_enabled (
        .clk (clk), .change (qp_switch), .limit (qp_limit), .look_qp (done_tag[6:0]), .look (done_on)
    );

    always @(posedge clk)
        if (rst) begin
            published   <= 1'b0;
            irq_cq      <= 1'b0;
            fault_valid <= 1'b0;
        end else begin
            if (move)         published <= 1'b1;
            else if (publish) published <= 1'b0;
            irq_cq      <= ring_by_hand || ring_by_bus;
            fault_valid <= done_valid && done_error;
        end

    roce_completion_write #(.BYTES(BYTES), .TAG(9)) writer (
        .clk (clk), .rst (rst), .cmd_valid (doorbell_write || ((state == ENTRY) && !restart && written && !lane_full)),
        .cmd_ready (write_ready),
        .cmd_addr (doorbell_write ? {head_data[47:18], 2'b00} : base + {14'd0, position, 2'b00}),
        .cmd_data (doorbell_write ? cq_db_count : {7'd0, errored, id}),
        .cmd_tag (doorbell_write ? {1'b1, head_data[0], head_qp} : {2'b00, qp}), .busy (writer_busy),
        .hold (ends || (bell_tag && !in_line)), .done_valid (done_valid), .done_error (done_error),
        .done_tag (done_tag), .awvalid (wr_ddr_awvalid), .awready (wr_ddr_awready), .awaddr (wr_ddr_awaddr),
        .awlen (wr_ddr_awlen), .wvalid (wr_ddr_wvalid), .wready (wr_ddr_wready), .wdata (wr_ddr_wdata),
        .wstrb (wr_ddr_wstrb), .wlast (wr_ddr_wlast), .bvalid (wr_ddr_bvalid), .bready (wr_ddr_bready),
        .bresp (wr_ddr_bresp)
    );

    wire unused = &{1'b0, unused_here, fetch_qp, own_qp, doorbell[1:0], cfg_data[127:112], cfg_data[68:6],
                    cfg_data[2:0]};

    // ---- measuring
    wire probe_busy  = (state != IDLE) || any;
    wire probe_start = push;
    wire probe_done  = publish;
endmodule
`default_nettype wire
