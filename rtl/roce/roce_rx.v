// The receive path of the RoCE v2 chip: only wiring.
//
//    MAC --> entry --> ring ------------------------> mover --> roce_axi_write dr, rdrsp --> memory
//             |  `---> other --> other_*              ^ ^ ^               |
//             `- heads, verdicts --> look --> check --- jobs --' | |      | in memory
//                                     |  `--- posts ----------> post <----'
//                                     `--- rsp --> requester    | `--- doorbells, interrupts
//                                                   answers     `--> acks --> TX
// Frames stay in the ring until they are moved. `check` decides in the order of the packets; `mover` and `post` keep
// that order, so several packets are between their check and the answer of memory.
`default_nettype none
module roce_rx #(
    // bytes per clock, 8 or 64
    parameter BYTES = 8,
    // queue pairs, 8..128
    parameter NUM_QP = 8,
    // 1: there are handshake ports for doorbells
    parameter HW_HANDSHAKE = 1,
    // see roce_rx_check
    parameter STRICT_S5 = 0,
    // log2 of the words of the ring for RoCE v2, and of the one for other frames
    parameter LOG2_WORDS = (BYTES == 8) ? 12 : 11,
    parameter LOG2_OTHER_WORDS = (BYTES == 8) ? 11 : 8
) (
    input  wire              clk,
    input  wire              rst,
    // configuration (roce_registers)
    input  wire              chip_enable,
    input  wire [1:0]        ack_mode,
    input  wire              error_all,
    input  wire              any_mac,
    input  wire [47:0]       mac,
    input  wire [31:0]       ipv4,
    input  wire [127:0]      ipv6,
    input  wire [31:0]       errbuf_base,
    input  wire [15:0]       errbuf_count,
    input  wire [15:0]       errbuf_size,
    input  wire [31:0]       ipkterr_base,
    input  wire [15:0]       ipkterr_size,
    output wire [15:0]       errbuf_wptr,
    output wire [15:0]       ipkterr_wptr,
    input  wire              tick,
    input  wire [8:0]        qp_switch,       // which QPs are enabled, see roce_registers
    input  wire [7:0]        qp_limit,
    input  wire [NUM_QP-1:0] qp_fatal,
    output wire [8:0]        cfg_addr,
    input  wire [511:0]      cfg_data,
    // registers that are kept here
    input  wire              own_valid,
    input  wire              own_start,
    input  wire              own_write,
    input  wire [6:0]        own_qp,
    input  wire [5:0]        own_word,
    input  wire [31:0]       own_wdata,
    output wire              own_ready,
    output wire [31:0]       own_rdata,
    output reg               own_busy,        // STATQP.BUSY of own_qp, the receiver's part; a clock late
    // responses, for the requester, and its answers
    output wire              rsp_valid,
    input  wire              rsp_ready,
    output wire [6:0]        rsp_qp,
    output wire [7:0]        rsp_opcode,
    output wire [23:0]       rsp_psn,
    output wire [7:0]        rsp_syndrome,
    output wire [23:0]       rsp_msn,
    output wire [12:0]       rsp_length,
    input  wire              ans_valid,
    input  wire              ans_write,
    input  wire [31:0]       ans_addr,
    input  wire              ans_drop,
    input  wire [31:0]       ans_error,
    input  wire              ans_fatal,
    input  wire [4:0]        ans_code,
    output wire              put_valid,
    output wire              put_error,
    // QPs that become fatal, RNR NAKs; errors without a packet
    output wire              set_fatal_valid,
    output wire [6:0]        set_fatal_qp,
    output wire [4:0]        set_fatal_code,
    output wire              rnr_valid,
    output wire [6:0]        rnr_qp,
    input  wire              err_valid,
    output wire              err_ready,
    input  wire [6:0]        err_qp,
    input  wire [4:0]        err_code,
    input  wire [7:0]        err_opcode,
    input  wire [23:0]       err_psn,
    input  wire [7:0]        err_syndrome,
    // ACKs and NAKs, for TX
    output wire              ack_valid,
    input  wire              ack_ready,
    output wire [6:0]        ack_qp,
    output wire [23:0]       ack_psn,
    output wire [7:0]        ack_syndrome,
    output wire [23:0]       ack_msn,
    // AXI4 writes: receive buffers, lengths, doorbells, errors
    output wire              dr_awvalid,
    input  wire              dr_awready,
    output wire [31:0]       dr_awaddr,
    output wire [7:0]        dr_awlen,
    output wire              dr_wvalid,
    input  wire              dr_wready,
    output wire [8*BYTES-1:0] dr_wdata,
    output wire [BYTES-1:0]  dr_wstrb,
    output wire              dr_wlast,
    input  wire              dr_bvalid,
    output wire              dr_bready,
    input  wire [1:0]        dr_bresp,
    // AXI4 writes: READ data
    output wire              rdrsp_awvalid,
    input  wire              rdrsp_awready,
    output wire [31:0]       rdrsp_awaddr,
    output wire [7:0]        rdrsp_awlen,
    output wire              rdrsp_wvalid,
    input  wire              rdrsp_wready,
    output wire [8*BYTES-1:0] rdrsp_wdata,
    output wire [BYTES-1:0]  rdrsp_wstrb,
    output wire              rdrsp_wlast,
    input  wire              rdrsp_bvalid,
    output wire              rdrsp_bready,
    input  wire [1:0]        rdrsp_bresp,
    // doorbells by handshake
    output wire              rq_db_valid,
    input  wire              rq_db_ready,
    output wire [6:0]        rq_db_qp,
    output wire [31:0]       rq_db_data,
    // events
    output wire              in_all,
    output wire              in_dropped,
    output wire              in_send,
    output wire              in_read_response,
    output wire              in_ack,
    output wire              in_mad,
    output wire              in_invalid,
    output wire              in_duplicate,
    output wire              in_nak,
    output wire [6:0]        in_nak_qp,
    output wire              in_marked,        // a packet with an ECN congestion mark
    output wire              in_last_valid,
    output wire [7:0]        in_last_opcode,
    output wire [6:0]        in_last_qp,
    output wire [15:0]       in_last_psn,
    output wire              irq_invalid,
    output wire              irq_mad,
    output wire              irq_rq,
    output wire [6:0]        irq_rq_qp,
    output wire              irq_reported,     // an entry of IPKTERRQ is in memory
    // frames from the MAC, which cannot be stopped
    input  wire              rx_tvalid,
    input  wire [8*BYTES-1:0] rx_tdata,
    input  wire [BYTES-1:0]  rx_tkeep,
    input  wire              rx_tlast,
    input  wire              rx_tuser,         // with tlast: bad FCS
    // frames that are no RoCE v2
    output wire              other_tvalid,
    input  wire              other_tready,
    output wire [8*BYTES-1:0] other_tdata,
    output wire [BYTES-1:0]  other_tkeep,
    output wire              other_tlast
);
    localparam N = LOG2_WORDS;

    // ---- input of frames
    wire                   word_valid, word_last, roce_keep, other_keep, entry_lost, ring_fits, other_lost;
    wire [$clog2(BYTES):0] word_count;
    wire [8*BYTES-1:0]     word_data, rd_data;
    wire [N-1:0]           ring_start, ring_next, rd_addr, free_to;
    wire                   rd_en, free_valid, head_valid, head_ready, verdict_valid, verdict_ready;
    wire [452:0]           head;
    wire [16+2*N:0]        verdict;

    roce_rx_entry #(.BYTES(BYTES), .LOG2_WORDS(N)) entry (
        .clk (clk), .rst (rst), .chip_enable (chip_enable), .mac (mac), .ipv4 (ipv4), .ipv6 (ipv6),
        .rx_tvalid (rx_tvalid), .rx_tdata (rx_tdata), .rx_tkeep (rx_tkeep), .rx_tlast (rx_tlast), .rx_tuser (rx_tuser),
        .word_valid (word_valid), .word_last (word_last), .word_count (word_count), .word_data (word_data),
        .roce_keep (roce_keep), .other_keep (other_keep), .lost (entry_lost),
        .ring_fits (ring_fits), .ring_start (ring_start), .ring_next (ring_next),
        .head_valid (head_valid), .head_ready (head_ready), .head (head),
        .verdict_valid (verdict_valid), .verdict_ready (verdict_ready), .verdict (verdict)
    );
    roce_rx_ring #(.BYTES(BYTES), .LOG2_WORDS(N)) ring (
        .clk (clk), .rst (rst),
        .wr_valid (word_valid), .wr_last (word_last), .wr_keep (roce_keep), .wr_data (word_data),
        .wr_fits (ring_fits), .wr_start (ring_start), .wr_next (ring_next),
        .rd_en (rd_en), .rd_addr (rd_addr), .rd_data (rd_data), .free_valid (free_valid), .free_to (free_to)
    );
    roce_rx_other #(.BYTES(BYTES), .LOG2_WORDS(LOG2_OTHER_WORDS)) other (
        .clk (clk), .rst (rst),
        .wr_valid (word_valid), .wr_last (word_last), .wr_keep (other_keep), .wr_count (word_count),
        .wr_data (word_data), .lost (other_lost),
        .other_tdata (other_tdata), .other_tkeep (other_tkeep), .other_tlast (other_tlast),
        .other_tvalid (other_tvalid), .other_tready (other_tready)
    );

    // ---- checks
    wire         job_valid, job_ready, job_counts, job_fatal;
    wire [1:0]   job_kind;
    wire [N-1:0] job_start, job_next;
    wire [13:0]  job_frame;
    wire [6:0]   job_offset, job_qp;
    wire [31:0]  job_addr, job_count_addr, job_count, job_syndrome;
    wire [12:0]  job_length;
    wire [4:0]   job_code;
    wire [7:0]   job_opcode, job_aeth;
    wire [23:0]  job_psn;
    wire         post_valid, post_ready, post_ends, post_mad, post_now, post_by_port, post_irq;
    wire [1:0]   post_kind, post_writes;
    wire [23:0]  post_psn, post_msn;
    wire [15:0]  post_index;
    wire [31:0]  post_bell;
    wire         check_busy, post_busy, errors_busy, restart_valid, rung_set, rung_ready;
    wire [6:0]   rung_qp;
    wire [15:0]  rung_index, rung_now;
    wire         check_all, check_dropped, check_invalid, check_duplicate, late_invalid, late_duplicate;

    wire         own_read, found_valid, found_ready, found_on;
    wire [263:0] found;
    roce_rx_lookup #(.NUM_QP(NUM_QP)) look (
        .clk (clk), .rst (rst), .qp_switch (qp_switch), .qp_limit (qp_limit), .restart_valid (restart_valid),
        .restart_qp (own_qp), .cfg_addr (cfg_addr), .cfg_data (cfg_data), .own_read (own_read), .own_qp (own_qp),
        .head_valid (head_valid), .head_ready (head_ready), .head (head),
        .found_valid (found_valid), .found_ready (found_ready), .found_on (found_on), .found (found)
    );
    roce_rx_check #(.NUM_QP(NUM_QP), .LOG2_WORDS(N), .HW_HANDSHAKE(HW_HANDSHAKE), .STRICT_S5(STRICT_S5)) check (
        .clk (clk), .rst (rst), .error_all (error_all), .any_mac (any_mac), .qp_fatal (qp_fatal),
        .own_valid (own_valid), .own_start (own_start), .own_write (own_write), .own_qp (own_qp), .own_word (own_word),
        .own_wdata (own_wdata), .own_ready (own_ready), .own_rdata (own_rdata), .own_read (own_read),
        .own_row (cfg_data[127:0]), .busy (check_busy), .restart_valid (restart_valid), .rung_set (rung_set),
        .rung_qp (rung_qp), .rung_index (rung_index), .rung_ready (rung_ready), .rung_now (rung_now),
        .found_valid (found_valid), .found_ready (found_ready), .found_on (found_on), .found (found),
        .verdict_valid (verdict_valid), .verdict_ready (verdict_ready), .verdict (verdict),
        .job_valid (job_valid), .job_ready (job_ready), .job_kind (job_kind), .job_start (job_start),
        .job_next (job_next), .job_frame (job_frame), .job_offset (job_offset), .job_addr (job_addr),
        .job_length (job_length), .job_counts (job_counts), .job_count_addr (job_count_addr), .job_count (job_count),
        .job_syndrome (job_syndrome), .job_fatal (job_fatal), .job_code (job_code), .job_qp (job_qp),
        .job_opcode (job_opcode), .job_psn (job_psn), .job_aeth (job_aeth), .post_valid (post_valid),
        .post_ready (post_ready), .post_kind (post_kind), .post_writes (post_writes), .post_ends (post_ends),
        .post_mad (post_mad), .post_now (post_now), .post_by_port (post_by_port), .post_irq (post_irq),
        .post_psn (post_psn), .post_msn (post_msn), .post_index (post_index), .post_bell (post_bell),
        .rsp_valid (rsp_valid), .rsp_ready (rsp_ready), .rsp_syndrome (rsp_syndrome), .rsp_msn (rsp_msn),
        .rsp_length (rsp_length), .in_all (check_all), .in_dropped (check_dropped), .in_send (in_send),
        .in_read_response (in_read_response), .in_ack (in_ack), .in_mad (in_mad), .in_invalid (check_invalid),
        .in_duplicate (check_duplicate), .in_nak (in_nak), .in_marked (in_marked), .in_last_valid (in_last_valid),
        .in_qp (in_last_qp), .in_last_opcode (in_last_opcode), .in_last_psn (in_last_psn)
    );
    assign in_nak_qp  = in_last_qp;
    assign rsp_qp     = job_qp;
    assign rsp_opcode = job_opcode;
    assign rsp_psn    = job_psn;

    // ---- to memory
    wire         record_on, record_take, record_done, fatal_valid, fatal_ready, status_valid, status_ready, status_done;
    wire         recorded, plain_invalid;
    wire [31:0]  record_addr, status_addr, bell_addr, bell_data;
    wire [63:0]  status_data;
    wire [4:0]   fatal_code;
    wire [6:0]   fatal_qp;
    wire [7:0]   fatal_opcode, fatal_aeth, bell_note, bell_noted;
    wire [23:0]  fatal_psn;
    wire         bell_valid, bell_ready, bell_done, bell_error, written_valid, written_error;
    wire         dr_cmd_valid, dr_cmd_ready, dr_data_valid, dr_data_ready, dr_done_valid, dr_done_error;
    wire         rdrsp_cmd_valid, rdrsp_cmd_ready, rdrsp_data_valid, rdrsp_data_ready;
    wire [31:0]  dr_cmd_addr;
    wire [12:0]  dr_cmd_length;
    wire [$clog2(BYTES)-1:0] dr_cmd_skip;
    wire [8*BYTES-1:0]       moved_data;

    roce_rx_mover #(.BYTES(BYTES), .LOG2_WORDS(N)) mover (
        .clk (clk), .rst (rst),
        .job_valid (job_valid), .job_ready (job_ready), .job_kind (job_kind), .job_start (job_start),
        .job_next (job_next), .job_frame (job_frame), .job_offset (job_offset), .job_addr (job_addr),
        .job_length (job_length), .job_counts (job_counts), .job_count_addr (job_count_addr), .job_count (job_count),
        .job_syndrome (job_syndrome), .job_fatal (job_fatal), .job_code (job_code), .job_qp (job_qp),
        .job_opcode (job_opcode), .job_psn (job_psn), .job_aeth (job_aeth), .ans_valid (ans_valid),
        .ans_write (ans_write), .ans_addr (ans_addr), .ans_drop (ans_drop), .ans_error (ans_error),
        .ans_fatal (ans_fatal), .ans_code (ans_code), .in_duplicate (late_duplicate), .in_invalid (late_invalid),
        .irq_invalid (plain_invalid), .rd_en (rd_en), .rd_addr (rd_addr), .rd_data (rd_data), .free_valid (free_valid),
        .free_to (free_to), .error_all (error_all), .record_on (record_on), .record_addr (record_addr),
        .record_size (errbuf_size), .record_take (record_take), .record_done (record_done),
        .fatal_valid (fatal_valid), .fatal_ready (fatal_ready), .fatal_code (fatal_code), .fatal_qp (fatal_qp),
        .fatal_opcode (fatal_opcode), .fatal_psn (fatal_psn), .fatal_aeth (fatal_aeth),
        .status_valid (status_valid), .status_ready (status_ready), .status_addr (status_addr),
        .status_data (status_data), .status_done (status_done),
        .bell_valid (bell_valid), .bell_ready (bell_ready), .bell_addr (bell_addr), .bell_data (bell_data),
        .bell_note (bell_note), .bell_done (bell_done), .bell_error (bell_error), .bell_noted (bell_noted),
        .dr_cmd_valid (dr_cmd_valid), .dr_cmd_ready (dr_cmd_ready), .dr_cmd_addr (dr_cmd_addr),
        .dr_cmd_length (dr_cmd_length), .dr_cmd_skip (dr_cmd_skip), .dr_data_valid (dr_data_valid),
        .dr_data_ready (dr_data_ready), .dr_done_valid (dr_done_valid), .dr_done_error (dr_done_error),
        .rdrsp_cmd_valid (rdrsp_cmd_valid), .rdrsp_cmd_ready (rdrsp_cmd_ready), .rdrsp_data_valid (rdrsp_data_valid),
        .rdrsp_data_ready (rdrsp_data_ready), .data (moved_data), .written_valid (written_valid),
        .written_error (written_error)
    );
    roce_axi_write #(.BYTES(BYTES), .OUTSTANDING(128)) dr (
        .clk (clk), .rst (rst),
        .cmd_valid (dr_cmd_valid), .cmd_ready (dr_cmd_ready), .cmd_addr (dr_cmd_addr), .cmd_length (dr_cmd_length),
        .cmd_skip (dr_cmd_skip), .data_valid (dr_data_valid), .data_ready (dr_data_ready), .data (moved_data),
        .done_valid (dr_done_valid), .done_error (dr_done_error),
        .awvalid (dr_awvalid), .awready (dr_awready), .awaddr (dr_awaddr), .awlen (dr_awlen),
        .wvalid (dr_wvalid), .wready (dr_wready), .wdata (dr_wdata), .wstrb (dr_wstrb), .wlast (dr_wlast),
        .bvalid (dr_bvalid), .bready (dr_bready), .bresp (dr_bresp)
    );
    roce_axi_write #(.BYTES(BYTES), .OUTSTANDING(64)) rdrsp (
        .clk (clk), .rst (rst),
        .cmd_valid (rdrsp_cmd_valid), .cmd_ready (rdrsp_cmd_ready), .cmd_addr (dr_cmd_addr),
        .cmd_length (dr_cmd_length), .cmd_skip (dr_cmd_skip), .data_valid (rdrsp_data_valid),
        .data_ready (rdrsp_data_ready), .data (moved_data), .done_valid (put_valid), .done_error (put_error),
        .awvalid (rdrsp_awvalid), .awready (rdrsp_awready), .awaddr (rdrsp_awaddr), .awlen (rdrsp_awlen),
        .wvalid (rdrsp_wvalid), .wready (rdrsp_wready), .wdata (rdrsp_wdata), .wstrb (rdrsp_wstrb),
        .wlast (rdrsp_wlast), .bvalid (rdrsp_bvalid), .bready (rdrsp_bready), .bresp (rdrsp_bresp)
    );

    // ---- errors
    wire        memory_valid, memory_ready;
    wire [51:0] memory;
    roce_rx_errors errors (
        .clk (clk), .rst (rst), .chip_enable (chip_enable),
        .errbuf_base (errbuf_base), .errbuf_count (errbuf_count), .errbuf_size (errbuf_size),
        .ipkterr_base (ipkterr_base), .ipkterr_size (ipkterr_size), .errbuf_wptr (errbuf_wptr),
        .ipkterr_wptr (ipkterr_wptr), .busy (errors_busy), .record_on (record_on), .record_addr (record_addr),
        .record_take (record_take), .record_done (record_done), .recorded (recorded), .reported (irq_reported),
        .fatal_valid (fatal_valid), .fatal_ready (fatal_ready),
        .fatal ({fatal_code, fatal_qp, fatal_opcode, fatal_psn, fatal_aeth}), .memory_valid (memory_valid),
        .memory_ready (memory_ready), .memory (memory), .err_valid (err_valid), .err_ready (err_ready),
        .err ({err_code, err_qp, err_opcode, err_psn, err_syndrome}), .status_valid (status_valid),
        .status_ready (status_ready), .status_addr (status_addr), .status_data (status_data), .status_done (status_done)
    );

    // ---- actions when data are in memory
    wire        ev_valid, ev_ready, ev_nak, ev_now;
    wire [6:0]  ev_qp;
    wire [23:0] ev_psn, ev_msn;
    wire [7:0]  ev_syndrome;
    wire        nak_done;
    wire [6:0]  nak_done_qp;
    roce_rx_completion #(.NUM_QP(NUM_QP)) post (
        .clk (clk), .rst (rst), .qp_switch (qp_switch), .restart_valid (restart_valid), .restart_qp (own_qp),
        .look_qp (own_qp), .busy (post_busy),
        .post_valid (post_valid), .post_ready (post_ready), .post_kind (post_kind), .post_writes (post_writes),
        .post_ends (post_ends), .post_mad (post_mad), .post_now (post_now), .post_by_port (post_by_port),
        .post_irq (post_irq), .post_fatal (job_fatal), .post_code (job_code), .post_qp (job_qp),
        .post_opcode (job_opcode), .post_psn (post_psn), .post_msn (post_msn), .post_aeth (job_aeth),
        .post_index (post_index), .post_bell (post_bell), .written_valid (written_valid),
        .written_error (written_error), .rq_db_valid (rq_db_valid), .rq_db_ready (rq_db_ready), .rq_db_qp (rq_db_qp),
        .rq_db_data (rq_db_data), .bell_valid (bell_valid), .bell_ready (bell_ready), .bell_addr (bell_addr),
        .bell_data (bell_data), .bell_note (bell_note), .bell_done (bell_done), .bell_error (bell_error),
        .bell_noted (bell_noted), .rung_set (rung_set), .rung_ready (rung_ready), .rung_qp (rung_qp),
        .rung_index (rung_index), .rung_now (rung_now), .ev_valid (ev_valid), .ev_ready (ev_ready), .ev_nak (ev_nak),
        .ev_now (ev_now), .ev_qp (ev_qp), .ev_psn (ev_psn), .ev_syndrome (ev_syndrome), .ev_msn (ev_msn),
        .nak_done (nak_done), .nak_done_qp (nak_done_qp), .set_fatal_valid (set_fatal_valid),
        .set_fatal_qp (set_fatal_qp), .set_fatal_code (set_fatal_code), .memory_valid (memory_valid),
        .memory_ready (memory_ready), .memory (memory), .rnr_valid (rnr_valid), .rnr_qp (rnr_qp), .irq_mad (irq_mad),
        .irq_rq (irq_rq), .irq_rq_qp (irq_rq_qp)
    );
    roce_acks #(.NUM_QP(NUM_QP)) acks (
        .clk (clk), .rst (rst), .ack_mode (ack_mode), .tick (tick), .qp_switch (qp_switch), .qp_limit (qp_limit),
        .qp_fatal (qp_fatal), .restart_valid (restart_valid), .restart_qp (own_qp),
        .ev_valid (ev_valid), .ev_ready (ev_ready), .ev_nak (ev_nak), .ev_now (ev_now), .ev_qp (ev_qp),
        .ev_psn (ev_psn), .ev_syndrome (ev_syndrome), .ev_msn (ev_msn), .nak_hold (bell_done), .nak_done (nak_done),
        .nak_done_qp (nak_done_qp), .ack_valid (ack_valid), .ack_ready (ack_ready), .ack_qp (ack_qp),
        .ack_psn (ack_psn), .ack_syndrome (ack_syndrome), .ack_msn (ack_msn)
    );

    // ---- events that have two sources: the second waits for a clock without the first
    reg [7:0] lost, late_invalids, late_duplicates;      // that wait
    wire      lost_now      = !check_all && lost != 8'd0;
    wire      invalid_now   = !check_invalid && late_invalids != 8'd0;
    wire      duplicate_now = !check_duplicate && late_duplicates != 8'd0;
    always @(posedge clk)
        if (rst) begin
            lost            <= 8'd0;
            late_invalids   <= 8'd0;
            late_duplicates <= 8'd0;
        end else begin
            lost            <= lost + {7'd0, entry_lost || other_lost} - {7'd0, lost_now};
            late_invalids   <= late_invalids + {7'd0, late_invalid} - {7'd0, invalid_now};
            late_duplicates <= late_duplicates + {7'd0, late_duplicate} - {7'd0, duplicate_now};
        end
    assign in_all       = check_all || lost_now;
    assign in_dropped   = check_dropped || lost_now;
    assign in_invalid   = check_invalid || invalid_now;
    assign irq_invalid  = plain_invalid || recorded;
    assign in_duplicate = check_duplicate || duplicate_now;

    // ---- is an operation of a QP in progress? Of QP 1 also the error queues, while the chip is off: no new entry.
    always @(posedge clk)
        own_busy <= check_busy || post_busy || (errors_busy && own_qp == 7'd0 && !chip_enable);

    // ---- measuring
    wire probe_busy = word_valid || head_valid || job_valid || post_busy || ack_valid;
endmodule
`default_nettype wire
