// The requester of the RoCE v2 chip: from a doorbell to packets, and from responses to completions. Only wiring.
//
//     sq_* doorbell --> roce_wqe_fetch --WQEs--> roce_outstanding --cmd_*--> TX   roce_outstanding has the state of
//                       (qp_mgr)   ^                 |  ^  ^                      QPs and decides; others serve it
//                                  |      messages   |  |  +----- rsp_*, put_* --- RX
//                                  |  acknowledged   v  +-------- timers: roce_timer
//     cq_db_* doorbell <-- roce_completion <---------+----------> roce_wqe_refuse (wqe_proc_top)
//                          (wqe_proc_wr_ddr)                      invalid WQEs
//
// Configuration is read through one port: roce_outstanding has precedence, in up to three of the four clocks of an
// event; fetch and completion alternate in the others.
`default_nettype none
module roce_requester #(
    // bytes per clock, 8 or 64
    parameter BYTES = 8,
    // queue pairs, 8..128
    parameter NUM_QP = 8,
    // 1: completion doorbells by handshake where QPCONF[4] is 0. 0: all are written
    parameter HW_HANDSHAKE = 1,
    // messages of a QP that may be unacknowledged, 1..16
    parameter OUTSTANDING = 16
) (
    input  wire               clk,
    input  wire               rst,

    // global configuration
    input  wire               chip_enable,
    input  wire               retry_for_ever,     // XRNICADCONF[2]
    input  wire               tick,               // one clock each 4.096 us
    input  wire [31:0]        opkterr_base,
    input  wire [15:0]        opkterr_size,
    output wire [15:0]        opkterr_wptr,
    input  wire [8:0]         qp_switch,          // which QPs are enabled, see roce_registers
    input  wire [7:0]         qp_limit,
    output wire [NUM_QP-1:0]  qp_fatal,

    // configuration of a QP: data in the clock after the address
    output wire [10:0]        cfg_addr,           // {QP, row}
    input  wire [127:0]       cfg_data,

    // registers kept here: CQHEAD, SQPSN, STATSSN, STATQP, STATCURSQPTR, STATRESPSN, STATWQE
    input  wire               own_valid,
    input  wire               own_start,
    input  wire               own_write,
    input  wire [6:0]         own_qp,
    input  wire [5:0]         own_word,
    input  wire [31:0]        own_wdata,
    output wire               own_ready,
    output wire [31:0]        own_rdata,

    // doorbells of send queues
    input  wire               sq_valid,
    input  wire [6:0]         sq_qp,
    input  wire [15:0]        sq_pi,

    // responses from RX, and the answers to them
    input  wire               rsp_valid,
    output wire               rsp_ready,
    input  wire [6:0]         rsp_qp,
    input  wire [7:0]         rsp_opcode,
    input  wire [23:0]        rsp_psn,
    input  wire [7:0]         rsp_syndrome,
    input  wire [23:0]        rsp_msn,
    input  wire [12:0]        rsp_length,
    output wire               ans_valid,
    output wire               ans_write,
    output wire [31:0]        ans_addr,
    output wire               ans_drop,
    output wire [31:0]        ans_error,
    output wire               ans_fatal,
    output wire [4:0]         ans_code,
    input  wire               put_valid,
    input  wire               put_error,

    // effects of a request on a QP
    input  wire               set_fatal_valid,
    input  wire [6:0]         set_fatal_qp,
    input  wire [4:0]         set_fatal_code,
    input  wire               rnr_valid,
    input  wire [6:0]         rnr_qp,

    // error status entries that no packet has caused, to RX
    output wire               err_valid,
    input  wire               err_ready,
    output wire [6:0]         err_qp,
    output wire [4:0]         err_code,
    output wire [7:0]         err_opcode,
    output wire [23:0]        err_psn,
    output wire [7:0]         err_syndrome,

    // packets, to TX
    output wire               cmd_valid,
    input  wire               cmd_ready,
    output wire [6:0]         cmd_qp,
    output wire [7:0]         cmd_opcode,
    output wire [23:0]        cmd_psn,
    output wire               cmd_ackreq,
    output wire [63:0]        cmd_va,
    output wire [31:0]        cmd_rkey,
    output wire [31:0]        cmd_dma_length,
    output wire               cmd_inline,
    output wire [127:0]       cmd_data,
    output wire [31:0]        cmd_addr,
    output wire [12:0]        cmd_length,
    input  wire               ack_busy,           // TX has an ACK of ack_busy_qp
    input  wire [6:0]         ack_busy_qp,
    input  wire               sent_valid,         // in order: it has left, or never will
    input  wire               sent_error,

    // completion doorbells by handshake
    output wire               cq_db_valid,
    input  wire               cq_db_ready,
    output wire [6:0]         cq_db_qp,
    output wire [31:0]        cq_db_count,

    // events and status
    output wire               retry,
    output wire               irq_cq,
    output wire [6:0]         irq_cq_qp,
    output wire               irq_illegal,
    output wire               irq_fatal,
    output wire               wqe_done,
    output wire [31:0]        wqe_status,
    output wire               cache_full,
    output wire               cache_empty,
    output wire [31:0]        response_status,

    // AXI master qp_mgr: reads of WQEs
    output wire               qp_mgr_arvalid,
    input  wire               qp_mgr_arready,
    output wire [31:0]        qp_mgr_araddr,
    output wire [7:0]         qp_mgr_arlen,
    input  wire               qp_mgr_rvalid,
    output wire               qp_mgr_rready,
    input  wire [8*BYTES-1:0] qp_mgr_rdata,
    input  wire [1:0]         qp_mgr_rresp,
    input  wire               qp_mgr_rlast,

    // AXI master wqe_proc_wr_ddr: writes of completions
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
    input  wire [1:0]         wr_ddr_bresp,

    // AXI master wqe_proc_top: writes of the outgoing error queue
    output wire               top_awvalid,
    input  wire               top_awready,
    output wire [31:0]        top_awaddr,
    output wire [7:0]         top_awlen,
    output wire               top_wvalid,
    input  wire               top_wready,
    output wire [8*BYTES-1:0] top_wdata,
    output wire [BYTES-1:0]   top_wstrb,
    output wire               top_wlast,
    input  wire               top_bvalid,
    output wire               top_bready,
    input  wire [1:0]         top_bresp
);
    initial
        if ((BYTES != 8 && BYTES != 64) || (HW_HANDSHAKE != 0 && HW_HANDSHAKE != 1)) begin
            $display("%m: BYTES must be 8 or 64, is %0d, HW_HANDSHAKE 0 or 1, is %0d", BYTES, HW_HANDSHAKE);
            $finish;
        end

    // ---- one port of configuration
    wire        cfg_use, fetch_cfg_valid, completion_cfg_valid;
    wire [10:0] core_cfg_addr, fetch_cfg_addr, completion_cfg_addr;
    reg         fetch_was;             // the last grant was the fetch's
    wire        fetch_cfg_ready      = fetch_cfg_valid && !cfg_use && !(completion_cfg_valid && fetch_was);
    wire        completion_cfg_ready = completion_cfg_valid && !cfg_use && !fetch_cfg_ready;

    assign cfg_addr = cfg_use ? core_cfg_addr : fetch_cfg_ready ? fetch_cfg_addr : completion_cfg_addr;

    always @(posedge clk)
        if (rst)                                          fetch_was <= 1'b0;
        else if (fetch_cfg_ready || completion_cfg_ready) fetch_was <= fetch_cfg_ready;

    // ---- between the modules
    wire         restart_fetch, restart_fetch_done, restart_complete, restart_complete_done;
    wire         fetch_busy, completion_busy, refusal_busy;
    wire [6:0]   restart_qp;
    wire         wqe_read, wqe_failed, arrive, free;
    wire [10:0]  wqe_addr, id_addr;
    wire [511:0] wqe;
    wire [23:0]  id;
    wire [6:0]   arrive_qp, free_qp, sender_qp, look_qp, fetch_qp;
    wire [15:0]  sender_arrived, sender_pi, done_position, done_head;
    wire [4:0]   look_arrived, look_count, look_limit, look_fault, fetch_done, done_count;
    wire         looks, look_bad, look_waits, complete, complete_put, head_write, done_full, fault_valid;
    wire [6:0]   complete_qp, complete_put_qp, fault_qp;
    wire         fetch_stopped, done_stopped, resume;     // a QP was served while off: one in a clock, completion waits
    wire [6:0]   fetch_stopped_qp;
    wire         refuse, refuse_idle, refuse_writes, refused, refused_alive, refused_taken;
    wire [6:0]   refuse_qp, refused_qp;
    wire [5:0]   refuse_reasons;
    wire [8:0]   last_bad_opcode;
    wire [2:0]   tx_state;
    wire [7:0]   tx_head, tx_tail;

    roce_wqe_fetch #(.BYTES(BYTES), .NUM_QP(NUM_QP)) fetch (
        .clk (clk), .rst (rst), .qp_switch (qp_switch), .qp_limit (qp_limit), .restart (restart_fetch),
        .restart_qp (restart_qp), .restart_done (restart_fetch_done), .restart_busy (fetch_busy),
        .stopped (fetch_stopped), .stopped_qp (fetch_stopped_qp), .resume (resume), .resume_qp (complete_qp),
        .sq_valid (sq_valid), .sq_qp (sq_qp), .sq_pi (sq_pi), .free (free), .free_qp (free_qp), .full (cache_full),
        .empty (cache_empty), .cfg_valid (fetch_cfg_valid), .cfg_ready (fetch_cfg_ready), .cfg_addr (fetch_cfg_addr),
        .cfg_data (cfg_data), .wqe_read (wqe_read), .wqe_addr (wqe_addr), .wqe (wqe), .wqe_failed (wqe_failed),
        .id_addr (id_addr), .id (id), .arrive (arrive), .arrive_qp (arrive_qp), .sender_qp (sender_qp),
        .sender_arrived (sender_arrived), .sender_pi (sender_pi), .completer_qp (look_qp),
        .completer_arrived (look_arrived), .done_qp (fetch_qp), .done (fetch_done), .qp_mgr_arvalid (qp_mgr_arvalid),
        .qp_mgr_arready (qp_mgr_arready), .qp_mgr_araddr (qp_mgr_araddr), .qp_mgr_arlen (qp_mgr_arlen),
        .qp_mgr_rvalid (qp_mgr_rvalid), .qp_mgr_rready (qp_mgr_rready), .qp_mgr_rdata (qp_mgr_rdata),
        .qp_mgr_rresp (qp_mgr_rresp), .qp_mgr_rlast (qp_mgr_rlast)
    );

    // enough for packets of 256 bytes at line rate while memory answers after 200 clocks
    roce_outstanding #(.NUM_QP(NUM_QP), .OUTSTANDING(OUTSTANDING), .LOG2_UNDERWAY(BYTES == 8 ? 5 : 6)) core (
        .clk (clk), .rst (rst), .chip_enable (chip_enable), .retry_for_ever (retry_for_ever), .tick (tick),
        .qp_switch (qp_switch), .qp_limit (qp_limit), .stopped (fetch_stopped || done_stopped),
        .stopped_qp (fetch_stopped ? fetch_stopped_qp : look_qp), .resume (resume), .qp_fatal (qp_fatal),
        .own_valid (own_valid), .own_start (own_start), .own_write (own_write), .own_qp (own_qp), .own_word (own_word),
        .own_wdata (own_wdata), .own_ready (own_ready), .own_rdata (own_rdata), .head_write (head_write),
        .restart_fetch (restart_fetch), .restart_fetch_done (restart_fetch_done), .restart_complete (restart_complete),
        .restart_complete_done (restart_complete_done), .restart_qp (restart_qp),
        .cfg_use (cfg_use), .cfg_addr (core_cfg_addr), .cfg_data (cfg_data),
        .wqe_read (wqe_read), .wqe_addr (wqe_addr), .wqe (wqe), .wqe_failed (wqe_failed), .arrive (arrive),
        .arrive_qp (arrive_qp), .sender_qp (sender_qp), .sender_arrived (sender_arrived), .sender_pi (sender_pi),
        .cmd_valid (cmd_valid), .cmd_ready (cmd_ready), .cmd_qp (cmd_qp), .cmd_opcode (cmd_opcode), .cmd_psn (cmd_psn),
        .cmd_ackreq (cmd_ackreq), .cmd_va (cmd_va), .cmd_rkey (cmd_rkey), .cmd_dma_length (cmd_dma_length),
        .cmd_inline (cmd_inline), .cmd_data (cmd_data), .cmd_addr (cmd_addr), .cmd_length (cmd_length),
        .ack_busy (ack_busy), .ack_busy_qp (ack_busy_qp), .sent_valid (sent_valid), .sent_error (sent_error),
        .rsp_valid (rsp_valid), .rsp_ready (rsp_ready), .rsp_qp (rsp_qp), .rsp_opcode (rsp_opcode), .rsp_psn (rsp_psn),
        .rsp_syndrome (rsp_syndrome), .rsp_length (rsp_length), .ans_valid (ans_valid), .ans_write (ans_write),
        .ans_addr (ans_addr), .ans_drop (ans_drop), .ans_error (ans_error), .ans_fatal (ans_fatal),
        .ans_code (ans_code), .put_valid (put_valid), .put_error (put_error),
        .set_fatal_valid (set_fatal_valid), .set_fatal_qp (set_fatal_qp), .rnr_valid (rnr_valid), .rnr_qp (rnr_qp),
        .fault_valid (fault_valid), .fault_qp (fault_qp),
        .err_valid (err_valid), .err_ready (err_ready), .err_qp (err_qp), .err_code (err_code),
        .err_opcode (err_opcode), .err_psn (err_psn), .err_syndrome (err_syndrome),
        .refuse (refuse), .refuse_idle (refuse_idle), .refuse_writes (refuse_writes), .refuse_qp (refuse_qp),
        .refuse_reasons (refuse_reasons), .refused (refused), .refused_qp (refused_qp), .refused_alive (refused_alive),
        .refused_taken (refused_taken),
        .completer_qp (look_qp), .completer_count (look_count), .completer_looks (looks), .completer_limit (look_limit),
        .completer_fault (look_fault), .completer_bad (look_bad), .completer_waits (look_waits), .complete (complete),
        .complete_qp (complete_qp),
        .complete_put (complete_put), .complete_put_qp (complete_put_qp),
        .busy_elsewhere (fetch_busy || completion_busy || refusal_busy),
        .done_count (done_count), .done_position (done_position), .done_head (done_head), .done_full (done_full),
        .retry (retry), .irq_fatal (irq_fatal), .last_bad_opcode (last_bad_opcode), .response_status (response_status),
        .tx_state (tx_state), .tx_head (tx_head), .tx_tail (tx_tail)
    );

    roce_completion #(.BYTES(BYTES), .NUM_QP(NUM_QP), .HW_HANDSHAKE(HW_HANDSHAKE)) completion (
        .clk (clk), .rst (rst), .qp_switch (qp_switch), .qp_limit (qp_limit), .fatal (qp_fatal),
        .restart (restart_complete), .restart_qp (restart_qp), .restart_done (restart_complete_done),
        .restart_busy (completion_busy), .stopped (done_stopped), .stopped_taken (done_stopped && !fetch_stopped),
        .complete (complete), .complete_qp (complete_qp), .put (complete_put), .put_qp (complete_put_qp),
        .look_qp (look_qp), .look_count (look_count), .looks (looks), .look_limit (look_limit),
        .look_arrived (look_arrived), .look_fault (look_fault), .look_bad (look_bad), .look_waits (look_waits),
        .id_addr (id_addr), .id (id), .free (free), .free_qp (free_qp),
        .cfg_valid (completion_cfg_valid), .cfg_ready (completion_cfg_ready), .cfg_addr (completion_cfg_addr),
        .cfg_data (cfg_data), .fetch_qp (fetch_qp), .fetch_done (fetch_done), .own_qp (own_qp), .own_done (done_count),
        .own_position (done_position), .own_head (done_head), .head_write (head_write), .head_wdata (own_wdata[15:0]),
        .full (done_full), .cq_db_valid (cq_db_valid), .cq_db_ready (cq_db_ready), .cq_db_qp (cq_db_qp),
        .cq_db_count (cq_db_count), .irq_cq (irq_cq), .irq_cq_qp (irq_cq_qp), .wqe_done (wqe_done),
        .fault_valid (fault_valid), .fault_qp (fault_qp), .wr_ddr_awvalid (wr_ddr_awvalid),
        .wr_ddr_awready (wr_ddr_awready), .wr_ddr_awaddr (wr_ddr_awaddr), .wr_ddr_awlen (wr_ddr_awlen),
        .wr_ddr_wvalid (wr_ddr_wvalid), .wr_ddr_wready (wr_ddr_wready), .wr_ddr_wdata (wr_ddr_wdata),
        .wr_ddr_wstrb (wr_ddr_wstrb), .wr_ddr_wlast (wr_ddr_wlast), .wr_ddr_bvalid (wr_ddr_bvalid),
        .wr_ddr_bready (wr_ddr_bready), .wr_ddr_bresp (wr_ddr_bresp)
    );

    roce_wqe_refuse #(.BYTES(BYTES)) refusal (
        .clk (clk), .rst (rst), .chip_enable (chip_enable), .opkterr_base (opkterr_base), .opkterr_size (opkterr_size),
        .opkterr_wptr (opkterr_wptr), .irq_illegal (irq_illegal), .start (refuse), .start_qp (refuse_qp),
        .start_wqe (wqe), .start_reasons (refuse_reasons),
        .idle (refuse_idle), .writes (refuse_writes), .done (refused), .done_qp (refused_qp),
        .done_alive (refused_alive), .done_taken (refused_taken), .restart (restart_fetch), .restart_qp (restart_qp),
        .restart_busy (refusal_busy), .top_awvalid (top_awvalid), .top_awready (top_awready), .top_awaddr (top_awaddr),
        .top_awlen (top_awlen), .top_wvalid (top_wvalid), .top_wready (top_wready), .top_wdata (top_wdata),
        .top_wstrb (top_wstrb), .top_wlast (top_wlast), .top_bvalid (top_bvalid), .top_bready (top_bready),
        .top_bresp (top_bresp)
    );

    // WQEPROCSTS: state in [2:0], the opcode of the last invalid WQE in [11:3], packets that TX holds from [13] on
    assign wqe_status = {tx_head, tx_tail, tx_state, 1'b0, last_bad_opcode, 1'b0, refused, !refuse_idle};

    wire unused = &{1'b0, rsp_msn, set_fatal_code};

    // ---- measuring
    wire probe_busy = !cache_empty;
endmodule
`default_nettype wire
