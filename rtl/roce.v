// A RoCE v2 target NIC (S5): packets of RDMA over UDP, IP and Ethernet at a MAC's streams, queue pairs in memory behind
// five AXI4 masters, registers at an AXI4-Lite port, doorbells by handshake. Only wiring: rtl/roce/README.md.
//
//   frames from the MAC -> roce_rx -> receive buffers (rx_pkt_hndler_dr_m_axi), READ data (rx_pkt_hndler_rdrsp_m_axi),
//                          |  |        frames of others (rx_other_*)
//                     ACKs |  | responses
//                          v  v
//   frames to the MAC <- roce_tx <- roce_requester: send queues (qp_mgr_m_axi), completions (wqe_proc_wr_ddr_m_axi),
//                          ^         timers, retries
//                          payload (wqe_proc_top_m_axi), frames of others (tx_other_*)
//
// Ports have the names of S5 table 2-5, where S5's are consistent (rtl/roce/README.md lists the others). Data of
// streams and masters are BYTES wide, byte 0 in bits 7:0. AXI4: bursts INCR, whole words, never across 4 KB, ID 0.
// Interrupts are levels. One clock; reset is active high.
`default_nettype none
module roce #(
    // bytes per clock: 8 (10 Gb/s at 156.25 MHz) or 64 (100 Gb/s at 200 MHz)
    parameter BYTES = 8,
    // queue pairs, 8..128: QP 1 for management datagrams, the others for connections
    parameter NUM_QP = 8,
    // 1: doorbells go by the handshake ports for QPs whose QPCONF.HANDSHAKE_OFF is 0; 0: for none
    parameter HW_HANDSHAKE = 1,
    // requests of a QP that may be outstanding
    parameter OUTSTANDING = 16,
    // 1: receive rules of S5 table 2-3 as written, see roce_rx_check
    parameter STRICT_S5 = 0
) (
    input  wire               clk,
    input  wire               rst,

    // ---- MAC: frames without preamble and FCS. It cannot be stopped; tuser with tlast: the FCS was wrong
    input  wire               rx_pkt_hndler_s_axis_tvalid,
    input  wire [8*BYTES-1:0] rx_pkt_hndler_s_axis_tdata,
    input  wire [BYTES-1:0]   rx_pkt_hndler_s_axis_tkeep,
    input  wire               rx_pkt_hndler_s_axis_tlast,
    input  wire               rx_pkt_hndler_s_axis_tuser,
    output wire               tx_m_axis_tvalid,
    input  wire               tx_m_axis_tready,
    output wire [8*BYTES-1:0] tx_m_axis_tdata,
    output wire [BYTES-1:0]   tx_m_axis_tkeep,
    output wire               tx_m_axis_tlast,

    // ---- frames that are no RoCE v2
    output wire               rx_other_tvalid,
    input  wire               rx_other_tready,
    output wire [8*BYTES-1:0] rx_other_tdata,
    output wire [BYTES-1:0]   rx_other_tkeep,
    output wire               rx_other_tlast,
    input  wire               tx_other_tvalid,
    output wire               tx_other_tready,
    input  wire [8*BYTES-1:0] tx_other_tdata,
    input  wire [BYTES-1:0]   tx_other_tkeep,
    input  wire               tx_other_tlast,

    // ---- AXI4 master: SENDs, their lengths, RQ doorbells, error buffers
    output wire               rx_pkt_hndler_dr_m_axi_awvalid,
    input  wire               rx_pkt_hndler_dr_m_axi_awready,
    output wire               rx_pkt_hndler_dr_m_axi_awid,
    output wire [31:0]        rx_pkt_hndler_dr_m_axi_awaddr,
    output wire [7:0]         rx_pkt_hndler_dr_m_axi_awlen,
    output wire [2:0]         rx_pkt_hndler_dr_m_axi_awsize,
    output wire [1:0]         rx_pkt_hndler_dr_m_axi_awburst,
    output wire [3:0]         rx_pkt_hndler_dr_m_axi_awcache,
    output wire [2:0]         rx_pkt_hndler_dr_m_axi_awprot,
    output wire               rx_pkt_hndler_dr_m_axi_wvalid,
    input  wire               rx_pkt_hndler_dr_m_axi_wready,
    output wire [8*BYTES-1:0] rx_pkt_hndler_dr_m_axi_wdata,
    output wire [BYTES-1:0]   rx_pkt_hndler_dr_m_axi_wstrb,
    output wire               rx_pkt_hndler_dr_m_axi_wlast,
    input  wire               rx_pkt_hndler_dr_m_axi_bvalid,
    output wire               rx_pkt_hndler_dr_m_axi_bready,
    input  wire               rx_pkt_hndler_dr_m_axi_bid,
    input  wire [1:0]         rx_pkt_hndler_dr_m_axi_bresp,

    // ---- AXI4 master: data of READ responses
    output wire               rx_pkt_hndler_rdrsp_m_axi_awvalid,
    input  wire               rx_pkt_hndler_rdrsp_m_axi_awready,
    output wire               rx_pkt_hndler_rdrsp_m_axi_awid,
    output wire [31:0]        rx_pkt_hndler_rdrsp_m_axi_awaddr,
    output wire [7:0]         rx_pkt_hndler_rdrsp_m_axi_awlen,
    output wire [2:0]         rx_pkt_hndler_rdrsp_m_axi_awsize,
    output wire [1:0]         rx_pkt_hndler_rdrsp_m_axi_awburst,
    output wire [3:0]         rx_pkt_hndler_rdrsp_m_axi_awcache,
    output wire [2:0]         rx_pkt_hndler_rdrsp_m_axi_awprot,
    output wire               rx_pkt_hndler_rdrsp_m_axi_wvalid,
    input  wire               rx_pkt_hndler_rdrsp_m_axi_wready,
    output wire [8*BYTES-1:0] rx_pkt_hndler_rdrsp_m_axi_wdata,
    output wire [BYTES-1:0]   rx_pkt_hndler_rdrsp_m_axi_wstrb,
    output wire               rx_pkt_hndler_rdrsp_m_axi_wlast,
    input  wire               rx_pkt_hndler_rdrsp_m_axi_bvalid,
    output wire               rx_pkt_hndler_rdrsp_m_axi_bready,
    input  wire               rx_pkt_hndler_rdrsp_m_axi_bid,
    input  wire [1:0]         rx_pkt_hndler_rdrsp_m_axi_bresp,

    // ---- AXI4 master: payload of SENDs and WRITEs is read; illegal WQEs are written
    output wire               wqe_proc_top_m_axi_awvalid,
    input  wire               wqe_proc_top_m_axi_awready,
    output wire               wqe_proc_top_m_axi_awid,
    output wire [31:0]        wqe_proc_top_m_axi_awaddr,
    output wire [7:0]         wqe_proc_top_m_axi_awlen,
    output wire [2:0]         wqe_proc_top_m_axi_awsize,
    output wire [1:0]         wqe_proc_top_m_axi_awburst,
    output wire [3:0]         wqe_proc_top_m_axi_awcache,
    output wire [2:0]         wqe_proc_top_m_axi_awprot,
    output wire               wqe_proc_top_m_axi_wvalid,
    input  wire               wqe_proc_top_m_axi_wready,
    output wire [8*BYTES-1:0] wqe_proc_top_m_axi_wdata,
    output wire [BYTES-1:0]   wqe_proc_top_m_axi_wstrb,
    output wire               wqe_proc_top_m_axi_wlast,
    input  wire               wqe_proc_top_m_axi_bvalid,
    output wire               wqe_proc_top_m_axi_bready,
    input  wire               wqe_proc_top_m_axi_bid,
    input  wire [1:0]         wqe_proc_top_m_axi_bresp,
    output wire               wqe_proc_top_m_axi_arvalid,
    input  wire               wqe_proc_top_m_axi_arready,
    output wire               wqe_proc_top_m_axi_arid,
    output wire [31:0]        wqe_proc_top_m_axi_araddr,
    output wire [7:0]         wqe_proc_top_m_axi_arlen,
    output wire [2:0]         wqe_proc_top_m_axi_arsize,
    output wire [1:0]         wqe_proc_top_m_axi_arburst,
    output wire [3:0]         wqe_proc_top_m_axi_arcache,
    output wire [2:0]         wqe_proc_top_m_axi_arprot,
    input  wire               wqe_proc_top_m_axi_rvalid,
    output wire               wqe_proc_top_m_axi_rready,
    input  wire               wqe_proc_top_m_axi_rid,
    input  wire [8*BYTES-1:0] wqe_proc_top_m_axi_rdata,
    input  wire [1:0]         wqe_proc_top_m_axi_rresp,
    input  wire               wqe_proc_top_m_axi_rlast,

    // ---- AXI4 master: completions and CQ doorbells
    output wire               wqe_proc_wr_ddr_m_axi_awvalid,
    input  wire               wqe_proc_wr_ddr_m_axi_awready,
    output wire               wqe_proc_wr_ddr_m_axi_awid,
    output wire [31:0]        wqe_proc_wr_ddr_m_axi_awaddr,
    output wire [7:0]         wqe_proc_wr_ddr_m_axi_awlen,
    output wire [2:0]         wqe_proc_wr_ddr_m_axi_awsize,
    output wire [1:0]         wqe_proc_wr_ddr_m_axi_awburst,
    output wire [3:0]         wqe_proc_wr_ddr_m_axi_awcache,
    output wire [2:0]         wqe_proc_wr_ddr_m_axi_awprot,
    output wire               wqe_proc_wr_ddr_m_axi_wvalid,
    input  wire               wqe_proc_wr_ddr_m_axi_wready,
    output wire [8*BYTES-1:0] wqe_proc_wr_ddr_m_axi_wdata,
    output wire [BYTES-1:0]   wqe_proc_wr_ddr_m_axi_wstrb,
    output wire               wqe_proc_wr_ddr_m_axi_wlast,
    input  wire               wqe_proc_wr_ddr_m_axi_bvalid,
    output wire               wqe_proc_wr_ddr_m_axi_bready,
    input  wire               wqe_proc_wr_ddr_m_axi_bid,
    input  wire [1:0]         wqe_proc_wr_ddr_m_axi_bresp,

    // ---- AXI4 master: WQEs
    output wire               qp_mgr_m_axi_arvalid,
    input  wire               qp_mgr_m_axi_arready,
    output wire               qp_mgr_m_axi_arid,
    output wire [31:0]        qp_mgr_m_axi_araddr,
    output wire [7:0]         qp_mgr_m_axi_arlen,
    output wire [2:0]         qp_mgr_m_axi_arsize,
    output wire [1:0]         qp_mgr_m_axi_arburst,
    output wire [3:0]         qp_mgr_m_axi_arcache,
    output wire [2:0]         qp_mgr_m_axi_arprot,
    input  wire               qp_mgr_m_axi_rvalid,
    output wire               qp_mgr_m_axi_rready,
    input  wire               qp_mgr_m_axi_rid,
    input  wire [8*BYTES-1:0] qp_mgr_m_axi_rdata,
    input  wire [1:0]         qp_mgr_m_axi_rresp,
    input  wire               qp_mgr_m_axi_rlast,

    // ---- registers: AXI4-Lite, 64 KB
    input  wire               s_axi_lite_awvalid,
    output wire               s_axi_lite_awready,
    input  wire [31:0]        s_axi_lite_awaddr,
    input  wire               s_axi_lite_wvalid,
    output wire               s_axi_lite_wready,
    input  wire [31:0]        s_axi_lite_wdata,
    input  wire [3:0]         s_axi_lite_wstrb,
    output wire               s_axi_lite_bvalid,
    input  wire               s_axi_lite_bready,
    output wire [1:0]         s_axi_lite_bresp,
    input  wire               s_axi_lite_arvalid,
    output wire               s_axi_lite_arready,
    input  wire [31:0]        s_axi_lite_araddr,
    output wire               s_axi_lite_rvalid,
    input  wire               s_axi_lite_rready,
    output wire [31:0]        s_axi_lite_rdata,
    output wire [1:0]         s_axi_lite_rresp,

    // ---- doorbells by handshake. Out: 4 * (QP number - 1), and the index. In: the address of SQPI or RQCI of the QP,
    // and the index
    output wire               rx_pkt_hndler_o_rq_db_data_valid,
    input  wire               rx_pkt_hndler_i_rq_db_rdy,
    output wire [9:0]         rx_pkt_hndler_o_rq_db_addr,
    output wire [31:0]        rx_pkt_hndler_o_rq_db_data,
    output wire               resp_hndler_o_send_cq_db_cnt_valid,
    input  wire               resp_hndler_i_send_cq_db_rdy,
    output wire [9:0]         resp_hndler_o_send_cq_db_addr,
    output wire [31:0]        resp_hndler_o_send_cq_db_cnt,
    input  wire               i_qp_sq_pidb_wr_valid_hndshk,
    output wire               o_qp_sq_pidb_wr_rdy,
    input  wire [31:0]        i_qp_sq_pidb_wr_addr_hndshk,
    input  wire [15:0]        i_qp_sq_pidb_hndshk,
    input  wire               i_qp_rq_cidb_wr_valid_hndshk,
    output wire               o_qp_rq_cidb_wr_rdy,
    input  wire [31:0]        i_qp_rq_cidb_wr_addr_hndshk,
    input  wire [15:0]        i_qp_rq_cidb_hndshk,

    output wire               xrnic_intr0,
    output wire               xrnic_intr1,
    output wire               xrnic_intr2,
    output wire               xrnic_intr3,
    output wire               xrnic_intr4,
    output wire               xrnic_intr5,
    output wire               xrnic_intr6,
    output wire               xrnic_intr7,
    output wire               xrnic_intr8
);

    initial
        if (BYTES != 8 && BYTES != 64) begin
            $display("%m: BYTES must be 8 or 64, is %0d", BYTES);
            $finish;
        end

    // ---- between the modules
    wire chip_enable, error_all, retry_for_ever, tick, own_start, own_write, rx_own_ready, rq_own_ready, rx_own_valid,
         rq_own_valid;
    wire rx_own_busy, irq_reported, any_mac;
    wire sq_valid, in_all, in_dropped, in_send, in_read_response, in_ack, in_mad, in_invalid, in_duplicate, in_nak,
         in_marked;
    wire other_lost;
    wire in_last_valid, out_send, out_read_write, out_ack, out_mad, out_nak, out_rnr, out_last_valid, retry, wqe_done,
         cache_full;
    wire cache_empty, irq_invalid, irq_mad, rnr_valid, irq_cq, irq_illegal, irq_rq, irq_fatal, rsp_valid, rsp_ready,
         ans_valid;
    wire ans_write, ans_drop, ans_fatal, put_valid, put_error, set_fatal_valid, err_valid, err_ready, ack_valid,
         ack_ready, cmd_valid;
    wire cmd_ready, cmd_ackreq, cmd_inline, ack_busy, sent_valid, sent_error;
    wire [1:0] ack_mode;
    wire [4:0] ans_code, set_fatal_code, err_code;
    wire [5:0] own_word;
    wire [6:0] own_qp, sq_qp, in_nak_qp, in_last_qp, out_rnr_qp, out_last_qp, irq_cq_qp, irq_rq_qp, rsp_qp,
               set_fatal_qp, rnr_qp, err_qp;
    wire [6:0] ack_qp, ack_busy_qp, rq_db_qp, cmd_qp, cq_db_qp;
    wire [7:0] qp_limit, in_last_opcode, out_last_opcode, rsp_opcode, rsp_syndrome, err_opcode, err_syndrome,
               ack_syndrome, cmd_opcode;
    wire [8:0]  rx_cfg_addr, qp_switch;
    wire [10:0] tx_cfg_addr, rq_cfg_addr;
    wire [12:0] rsp_length, cmd_length;
    wire [15:0] udp_source, errbuf_count, errbuf_size, ipkterr_size, opkterr_size, sq_pi, errbuf_wptr, ipkterr_wptr,
                opkterr_wptr;
    wire [15:0] in_last_psn, out_last_psn;
    wire [23:0] rsp_psn, rsp_msn, err_psn, ack_psn, ack_msn, cmd_psn;
    wire [31:0] ipv4, errbuf_base, ipkterr_base, opkterr_base, own_wdata, rx_own_rdata, rq_own_rdata, wqe_status,
                response_status;
    wire [31:0] ans_addr, ans_error, cmd_rkey, cmd_dma_length, cmd_addr;
    wire [47:0] mac;
    wire [63:0] cmd_va;
    wire [127:0] ipv6, tx_cfg_data, rq_cfg_data, cmd_data;
    wire [511:0] rx_cfg_data;
    wire [NUM_QP-1:0] qp_fatal;

    // ---- the same in all bursts: whole words, INCR, bufferable and not cached; and in answers of the registers: OKAY
    localparam [2:0] SIZE = (BYTES == 64) ? 3'd6 : 3'd3;
    localparam [12:0] BURST = {1'b0, SIZE, 2'b01, 4'b0011, 3'b000};   // id, size, burst, cache, prot
    assign {rx_pkt_hndler_dr_m_axi_awid, rx_pkt_hndler_dr_m_axi_awsize, rx_pkt_hndler_dr_m_axi_awburst,
            rx_pkt_hndler_dr_m_axi_awcache, rx_pkt_hndler_dr_m_axi_awprot} = BURST;
    assign {rx_pkt_hndler_rdrsp_m_axi_awid, rx_pkt_hndler_rdrsp_m_axi_awsize, rx_pkt_hndler_rdrsp_m_axi_awburst,
            rx_pkt_hndler_rdrsp_m_axi_awcache, rx_pkt_hndler_rdrsp_m_axi_awprot} = BURST;
    assign {wqe_proc_top_m_axi_awid, wqe_proc_top_m_axi_awsize, wqe_proc_top_m_axi_awburst,
            wqe_proc_top_m_axi_awcache, wqe_proc_top_m_axi_awprot} = BURST;
    assign {wqe_proc_top_m_axi_arid, wqe_proc_top_m_axi_arsize, wqe_proc_top_m_axi_arburst,
            wqe_proc_top_m_axi_arcache, wqe_proc_top_m_axi_arprot} = BURST;
    assign {wqe_proc_wr_ddr_m_axi_awid, wqe_proc_wr_ddr_m_axi_awsize, wqe_proc_wr_ddr_m_axi_awburst,
            wqe_proc_wr_ddr_m_axi_awcache, wqe_proc_wr_ddr_m_axi_awprot} = BURST;
    assign {qp_mgr_m_axi_arid, qp_mgr_m_axi_arsize, qp_mgr_m_axi_arburst,
            qp_mgr_m_axi_arcache, qp_mgr_m_axi_arprot} = BURST;
    assign {s_axi_lite_bresp, s_axi_lite_rresp} = 4'b0000;

    assign rx_pkt_hndler_o_rq_db_addr    = {1'b0, rq_db_qp, 2'b00};
    assign resp_hndler_o_send_cq_db_addr = {1'b0, cq_db_qp, 2'b00};

    roce_registers #(.NUM_QP(NUM_QP)) registers (
        .clk (clk), .rst (rst), .lite_awvalid (s_axi_lite_awvalid), .lite_awready (s_axi_lite_awready),
        .lite_awaddr (s_axi_lite_awaddr[15:0]), .lite_wvalid (s_axi_lite_wvalid), .lite_wready (s_axi_lite_wready),
        .lite_wdata (s_axi_lite_wdata), .lite_wstrb (s_axi_lite_wstrb), .lite_bvalid (s_axi_lite_bvalid),
        .lite_bready (s_axi_lite_bready), .lite_arvalid (s_axi_lite_arvalid), .lite_arready (s_axi_lite_arready),
        .lite_araddr (s_axi_lite_araddr[15:0]), .lite_rvalid (s_axi_lite_rvalid), .lite_rready (s_axi_lite_rready),
        .lite_rdata (s_axi_lite_rdata), .sqpi_valid (i_qp_sq_pidb_wr_valid_hndshk), .sqpi_ready (o_qp_sq_pidb_wr_rdy),
        .sqpi_addr (i_qp_sq_pidb_wr_addr_hndshk[15:0]), .sqpi_index (i_qp_sq_pidb_hndshk),
        .rqci_valid (i_qp_rq_cidb_wr_valid_hndshk), .rqci_ready (o_qp_rq_cidb_wr_rdy),
        .rqci_addr (i_qp_rq_cidb_wr_addr_hndshk[15:0]), .rqci_index (i_qp_rq_cidb_hndshk), .chip_enable (chip_enable),
        .ack_mode (ack_mode), .error_all (error_all), .udp_source (udp_source), .retry_for_ever (retry_for_ever),
        .mac (mac), .ipv4 (ipv4), .ipv6 (ipv6), .errbuf_base (errbuf_base), .errbuf_count (errbuf_count),
        .errbuf_size (errbuf_size), .ipkterr_base (ipkterr_base), .ipkterr_size (ipkterr_size),
        .opkterr_base (opkterr_base), .opkterr_size (opkterr_size), .tick (tick), .qp_switch (qp_switch),
        .qp_limit (qp_limit), .rx_cfg_addr (rx_cfg_addr), .rx_cfg_data (rx_cfg_data), .tx_cfg_addr (tx_cfg_addr),
        .tx_cfg_data (tx_cfg_data), .rq_cfg_addr (rq_cfg_addr), .rq_cfg_data (rq_cfg_data), .own_start (own_start),
        .own_write (own_write), .own_qp (own_qp), .own_word (own_word), .own_wdata (own_wdata),
        .rx_own_ready (rx_own_ready), .rx_own_rdata (rx_own_rdata), .rx_own_busy (rx_own_busy), .any_mac (any_mac),
        .rq_own_ready (rq_own_ready), .rq_own_rdata (rq_own_rdata), .rx_own_valid (rx_own_valid),
        .rq_own_valid (rq_own_valid), .sq_valid (sq_valid), .sq_qp (sq_qp), .sq_pi (sq_pi), .errbuf_wptr (errbuf_wptr),
        .ipkterr_wptr (ipkterr_wptr), .opkterr_wptr (opkterr_wptr), .in_all (in_all), .in_dropped (in_dropped),
        .in_send (in_send), .in_read_response (in_read_response), .in_ack (in_ack), .in_mad (in_mad),
        .in_invalid (in_invalid), .in_duplicate (in_duplicate), .in_nak (in_nak), .in_nak_qp (in_nak_qp),
        .in_marked (in_marked), .other_lost (other_lost), .in_last_valid (in_last_valid),
        .in_last_opcode (in_last_opcode), .in_last_qp (in_last_qp), .in_last_psn (in_last_psn), .out_send (out_send),
        .out_read_write (out_read_write), .out_ack (out_ack), .out_mad (out_mad), .out_nak (out_nak),
        .out_rnr (out_rnr), .out_rnr_qp (out_rnr_qp), .out_last_valid (out_last_valid),
        .out_last_opcode (out_last_opcode), .out_last_qp (out_last_qp), .out_last_psn (out_last_psn), .retry (retry),
        .wqe_done (wqe_done), .cache_full (cache_full), .cache_empty (cache_empty), .wqe_status (wqe_status),
        .response_status (response_status), .irq_invalid (irq_invalid), .irq_mad (irq_mad), .irq_rnr (rnr_valid),
        .irq_cq (irq_cq), .irq_cq_qp (irq_cq_qp), .irq_illegal (irq_illegal), .irq_rq (irq_rq), .irq_rq_qp (irq_rq_qp),
        .irq_fatal (irq_fatal || irq_reported),
        .interrupts ({xrnic_intr8, xrnic_intr7, xrnic_intr6, xrnic_intr5, xrnic_intr4, xrnic_intr3, xrnic_intr2,
                      xrnic_intr1, xrnic_intr0})
    );

    roce_rx #(.BYTES(BYTES), .NUM_QP(NUM_QP), .HW_HANDSHAKE(HW_HANDSHAKE), .STRICT_S5(STRICT_S5)) receive (
        .clk (clk), .rst (rst), .chip_enable (chip_enable), .ack_mode (ack_mode), .error_all (error_all), .mac (mac),
        .ipv4 (ipv4), .ipv6 (ipv6), .errbuf_base (errbuf_base), .errbuf_count (errbuf_count),
        .errbuf_size (errbuf_size), .ipkterr_base (ipkterr_base), .ipkterr_size (ipkterr_size),
        .errbuf_wptr (errbuf_wptr), .ipkterr_wptr (ipkterr_wptr), .tick (tick), .qp_switch (qp_switch),
        .qp_limit (qp_limit), .qp_fatal (qp_fatal), .cfg_addr (rx_cfg_addr), .cfg_data (rx_cfg_data),
        .own_valid (rx_own_valid), .own_start (own_start), .own_write (own_write), .own_qp (own_qp),
        .own_word (own_word), .own_wdata (own_wdata), .own_ready (rx_own_ready), .own_rdata (rx_own_rdata),
        .own_busy (rx_own_busy), .any_mac (any_mac), .rsp_valid (rsp_valid), .rsp_ready (rsp_ready), .rsp_qp (rsp_qp),
        .rsp_opcode (rsp_opcode), .rsp_psn (rsp_psn), .rsp_syndrome (rsp_syndrome), .rsp_msn (rsp_msn),
        .rsp_length (rsp_length), .ans_valid (ans_valid), .ans_write (ans_write), .ans_addr (ans_addr),
        .ans_drop (ans_drop), .ans_error (ans_error), .ans_fatal (ans_fatal), .ans_code (ans_code),
        .put_valid (put_valid), .put_error (put_error), .set_fatal_valid (set_fatal_valid),
        .set_fatal_qp (set_fatal_qp), .set_fatal_code (set_fatal_code), .rnr_valid (rnr_valid), .rnr_qp (rnr_qp),
        .err_valid (err_valid), .err_ready (err_ready), .err_qp (err_qp), .err_code (err_code),
        .err_opcode (err_opcode), .err_psn (err_psn), .err_syndrome (err_syndrome), .ack_valid (ack_valid),
        .ack_ready (ack_ready), .ack_qp (ack_qp), .ack_psn (ack_psn), .ack_syndrome (ack_syndrome), .ack_msn (ack_msn),
        .dr_awvalid (rx_pkt_hndler_dr_m_axi_awvalid), .dr_awready (rx_pkt_hndler_dr_m_axi_awready),
        .dr_awaddr (rx_pkt_hndler_dr_m_axi_awaddr), .dr_awlen (rx_pkt_hndler_dr_m_axi_awlen),
        .dr_wvalid (rx_pkt_hndler_dr_m_axi_wvalid), .dr_wready (rx_pkt_hndler_dr_m_axi_wready),
        .dr_wdata (rx_pkt_hndler_dr_m_axi_wdata), .dr_wstrb (rx_pkt_hndler_dr_m_axi_wstrb),
        .dr_wlast (rx_pkt_hndler_dr_m_axi_wlast), .dr_bvalid (rx_pkt_hndler_dr_m_axi_bvalid),
        .dr_bready (rx_pkt_hndler_dr_m_axi_bready), .dr_bresp (rx_pkt_hndler_dr_m_axi_bresp),
        .rdrsp_awvalid (rx_pkt_hndler_rdrsp_m_axi_awvalid), .rdrsp_awready (rx_pkt_hndler_rdrsp_m_axi_awready),
        .rdrsp_awaddr (rx_pkt_hndler_rdrsp_m_axi_awaddr), .rdrsp_awlen (rx_pkt_hndler_rdrsp_m_axi_awlen),
        .rdrsp_wvalid (rx_pkt_hndler_rdrsp_m_axi_wvalid), .rdrsp_wready (rx_pkt_hndler_rdrsp_m_axi_wready),
        .rdrsp_wdata (rx_pkt_hndler_rdrsp_m_axi_wdata), .rdrsp_wstrb (rx_pkt_hndler_rdrsp_m_axi_wstrb),
        .rdrsp_wlast (rx_pkt_hndler_rdrsp_m_axi_wlast), .rdrsp_bvalid (rx_pkt_hndler_rdrsp_m_axi_bvalid),
        .rdrsp_bready (rx_pkt_hndler_rdrsp_m_axi_bready), .rdrsp_bresp (rx_pkt_hndler_rdrsp_m_axi_bresp),
        .rq_db_valid (rx_pkt_hndler_o_rq_db_data_valid), .rq_db_ready (rx_pkt_hndler_i_rq_db_rdy), .rq_db_qp (rq_db_qp),
        .rq_db_data (rx_pkt_hndler_o_rq_db_data), .in_all (in_all), .in_dropped (in_dropped), .in_send (in_send),
        .in_read_response (in_read_response), .in_ack (in_ack), .in_mad (in_mad), .in_invalid (in_invalid),
        .in_duplicate (in_duplicate), .in_nak (in_nak), .in_nak_qp (in_nak_qp), .in_marked (in_marked),
        .in_last_valid (in_last_valid), .in_last_opcode (in_last_opcode), .in_last_qp (in_last_qp),
        .in_last_psn (in_last_psn), .irq_invalid (irq_invalid), .irq_mad (irq_mad), .irq_rq (irq_rq),
        .irq_rq_qp (irq_rq_qp), .irq_reported (irq_reported), .rx_tvalid (rx_pkt_hndler_s_axis_tvalid),
        .rx_tdata (rx_pkt_hndler_s_axis_tdata), .rx_tkeep (rx_pkt_hndler_s_axis_tkeep),
        .rx_tlast (rx_pkt_hndler_s_axis_tlast), .rx_tuser (rx_pkt_hndler_s_axis_tuser), .other_tvalid (rx_other_tvalid),
        .other_tready (rx_other_tready), .other_tdata (rx_other_tdata), .other_tkeep (rx_other_tkeep),
        .other_tlast (rx_other_tlast)
    );

    roce_requester #(.BYTES(BYTES), .NUM_QP(NUM_QP), .HW_HANDSHAKE(HW_HANDSHAKE), .OUTSTANDING(OUTSTANDING)) requester (
        .clk (clk), .rst (rst), .chip_enable (chip_enable), .retry_for_ever (retry_for_ever), .tick (tick),
        .opkterr_base (opkterr_base), .opkterr_size (opkterr_size), .opkterr_wptr (opkterr_wptr),
        .qp_switch (qp_switch), .qp_limit (qp_limit), .qp_fatal (qp_fatal), .cfg_addr (rq_cfg_addr),
        .cfg_data (rq_cfg_data), .own_valid (rq_own_valid), .own_start (own_start), .own_write (own_write),
        .own_qp (own_qp), .own_word (own_word), .own_wdata (own_wdata), .own_ready (rq_own_ready),
        .own_rdata (rq_own_rdata), .sq_valid (sq_valid), .sq_qp (sq_qp), .sq_pi (sq_pi), .rsp_valid (rsp_valid),
        .rsp_ready (rsp_ready), .rsp_qp (rsp_qp), .rsp_opcode (rsp_opcode), .rsp_psn (rsp_psn),
        .rsp_syndrome (rsp_syndrome), .rsp_msn (rsp_msn), .rsp_length (rsp_length), .ans_valid (ans_valid),
        .ans_write (ans_write), .ans_addr (ans_addr), .ans_drop (ans_drop), .ans_error (ans_error),
        .ans_fatal (ans_fatal), .ans_code (ans_code), .put_valid (put_valid), .put_error (put_error),
        .set_fatal_valid (set_fatal_valid), .set_fatal_qp (set_fatal_qp), .set_fatal_code (set_fatal_code),
        .rnr_valid (rnr_valid), .rnr_qp (rnr_qp), .err_valid (err_valid), .err_ready (err_ready), .err_qp (err_qp),
        .err_code (err_code), .err_opcode (err_opcode), .err_psn (err_psn), .err_syndrome (err_syndrome),
        .cmd_valid (cmd_valid), .cmd_ready (cmd_ready), .cmd_qp (cmd_qp), .cmd_opcode (cmd_opcode), .cmd_psn (cmd_psn),
        .cmd_ackreq (cmd_ackreq), .cmd_va (cmd_va), .cmd_rkey (cmd_rkey), .cmd_dma_length (cmd_dma_length),
        .cmd_inline (cmd_inline), .cmd_data (cmd_data), .cmd_addr (cmd_addr), .cmd_length (cmd_length),
        .sent_valid (sent_valid), .ack_busy (ack_busy), .ack_busy_qp (ack_busy_qp), .sent_error (sent_error),
        .cq_db_valid (resp_hndler_o_send_cq_db_cnt_valid), .cq_db_ready (resp_hndler_i_send_cq_db_rdy),
        .cq_db_qp (cq_db_qp), .cq_db_count (resp_hndler_o_send_cq_db_cnt), .retry (retry), .irq_cq (irq_cq),
        .irq_cq_qp (irq_cq_qp), .irq_illegal (irq_illegal), .irq_fatal (irq_fatal), .wqe_done (wqe_done),
        .wqe_status (wqe_status), .cache_full (cache_full), .cache_empty (cache_empty),
        .response_status (response_status), .qp_mgr_arvalid (qp_mgr_m_axi_arvalid),
        .qp_mgr_arready (qp_mgr_m_axi_arready), .qp_mgr_araddr (qp_mgr_m_axi_araddr),
        .qp_mgr_arlen (qp_mgr_m_axi_arlen), .qp_mgr_rvalid (qp_mgr_m_axi_rvalid), .qp_mgr_rready (qp_mgr_m_axi_rready),
        .qp_mgr_rdata (qp_mgr_m_axi_rdata), .qp_mgr_rresp (qp_mgr_m_axi_rresp), .qp_mgr_rlast (qp_mgr_m_axi_rlast),
        .wr_ddr_awvalid (wqe_proc_wr_ddr_m_axi_awvalid), .wr_ddr_awready (wqe_proc_wr_ddr_m_axi_awready),
        .wr_ddr_awaddr (wqe_proc_wr_ddr_m_axi_awaddr), .wr_ddr_awlen (wqe_proc_wr_ddr_m_axi_awlen),
        .wr_ddr_wvalid (wqe_proc_wr_ddr_m_axi_wvalid), .wr_ddr_wready (wqe_proc_wr_ddr_m_axi_wready),
        .wr_ddr_wdata (wqe_proc_wr_ddr_m_axi_wdata), .wr_ddr_wstrb (wqe_proc_wr_ddr_m_axi_wstrb),
        .wr_ddr_wlast (wqe_proc_wr_ddr_m_axi_wlast), .wr_ddr_bvalid (wqe_proc_wr_ddr_m_axi_bvalid),
        .wr_ddr_bready (wqe_proc_wr_ddr_m_axi_bready), .wr_ddr_bresp (wqe_proc_wr_ddr_m_axi_bresp),
        .top_awvalid (wqe_proc_top_m_axi_awvalid), .top_awready (wqe_proc_top_m_axi_awready),
        .top_awaddr (wqe_proc_top_m_axi_awaddr), .top_awlen (wqe_proc_top_m_axi_awlen),
        .top_wvalid (wqe_proc_top_m_axi_wvalid), .top_wready (wqe_proc_top_m_axi_wready),
        .top_wdata (wqe_proc_top_m_axi_wdata), .top_wstrb (wqe_proc_top_m_axi_wstrb),
        .top_wlast (wqe_proc_top_m_axi_wlast), .top_bvalid (wqe_proc_top_m_axi_bvalid),
        .top_bready (wqe_proc_top_m_axi_bready), .top_bresp (wqe_proc_top_m_axi_bresp)
    );

    roce_tx #(.BYTES(BYTES)) transmit (
        .clk (clk), .rst (rst), .chip_enable (chip_enable), .other_lost (other_lost), .udp_source (udp_source),
        .mac (mac), .ipv4 (ipv4), .ipv6 (ipv6), .cfg_addr (tx_cfg_addr),
        .cfg_data (tx_cfg_data), .ack_valid (ack_valid), .ack_ready (ack_ready), .ack_qp (ack_qp), .ack_psn (ack_psn),
        .ack_syndrome (ack_syndrome), .ack_msn (ack_msn), .cmd_valid (cmd_valid), .cmd_ready (cmd_ready),
        .cmd_qp (cmd_qp), .cmd_opcode (cmd_opcode), .cmd_psn (cmd_psn), .cmd_ackreq (cmd_ackreq), .cmd_va (cmd_va),
        .cmd_rkey (cmd_rkey), .cmd_dma_length (cmd_dma_length), .cmd_inline (cmd_inline), .cmd_data (cmd_data),
        .cmd_addr (cmd_addr), .cmd_length (cmd_length), .ack_busy (ack_busy), .ack_busy_qp (ack_busy_qp),
        .sent_valid (sent_valid), .sent_error (sent_error), .top_arvalid (wqe_proc_top_m_axi_arvalid),
        .top_arready (wqe_proc_top_m_axi_arready), .top_araddr (wqe_proc_top_m_axi_araddr),
        .top_arlen (wqe_proc_top_m_axi_arlen), .top_rvalid (wqe_proc_top_m_axi_rvalid),
        .top_rready (wqe_proc_top_m_axi_rready), .top_rdata (wqe_proc_top_m_axi_rdata),
        .top_rresp (wqe_proc_top_m_axi_rresp), .top_rlast (wqe_proc_top_m_axi_rlast), .tx_tdata (tx_m_axis_tdata),
        .tx_tkeep (tx_m_axis_tkeep), .tx_tlast (tx_m_axis_tlast), .tx_tvalid (tx_m_axis_tvalid),
        .tx_tready (tx_m_axis_tready), .tx_other_tdata (tx_other_tdata), .tx_other_tkeep (tx_other_tkeep),
        .tx_other_tlast (tx_other_tlast), .tx_other_tvalid (tx_other_tvalid), .tx_other_tready (tx_other_tready),
        .out_send (out_send), .out_read_write (out_read_write), .out_ack (out_ack), .out_mad (out_mad),
        .out_nak (out_nak), .out_rnr (out_rnr), .out_rnr_qp (out_rnr_qp), .out_last_valid (out_last_valid),
        .out_last_opcode (out_last_opcode), .out_last_qp (out_last_qp), .out_last_psn (out_last_psn)
    );

    wire unused = &{1'b0, rx_pkt_hndler_dr_m_axi_bid, rx_pkt_hndler_rdrsp_m_axi_bid, wqe_proc_top_m_axi_bid,
                    wqe_proc_top_m_axi_rid, wqe_proc_wr_ddr_m_axi_bid, qp_mgr_m_axi_rid, s_axi_lite_awaddr[31:16],
                    s_axi_lite_araddr[31:16], i_qp_sq_pidb_wr_addr_hndshk[31:16], i_qp_rq_cidb_wr_addr_hndshk[31:16]};
endmodule
`default_nettype wire
