// The coherent node (S2 4): a chip with the data-side PLB ports of two PowerPC 405, two snooping caches, memory port,
// coherent network interface and one link. Only wiring.
//
//     p0_* -- coherent_memory -- mem_*          caches, interconnect
//     p1_* --/   |      |  \-- m0_*, m1_*       private PLBs
//      registers |      | lines
//              coherent_ni                      cni, sync_unit
//                |      |
//             H2N FIFO, N2H FIFO -- nic_link -- transceiver
//
// Everything but the link has one clock, clk (100 MHz); signals cross to net_clk in nic_link and coherent_clocks. One
// reset for both: rst_n. Registers, addresses, layouts: cni.md; protocol and memory model: README.md.
//
// After reset software waits 1024 clocks (receive memory and part A's memory are cleared; the caches are invalid at
// once, whatever their memories hold).
`default_nettype none
`include "coherent_registers.vh"
`include "nic_registers.vh"
module coherent_node #(
    // size of a cache, 4, 8, 16 or 32, and its ways, 1 or 2
    parameter CACHE_KB = 16,
    parameter WAYS = 2,
    // destinations = flows, 8 or 16
    parameter QUEUES = 8,
    // node IDs that may be sources, 2..128
    parameter SOURCES = 16,
    // log2 of the net-to-host FIFO [64-bit words], 10 or 11; it holds one word less
    parameter LOG2_FIFO = 10,
    // network clocks within which an idle word is sent
    parameter IDLE_WORDS = 2048
) (
    input  wire        clk,
    input  wire        rst_n,

    // data-side PLB port of processor 0 (coherent_plb; UG018's DCU signals)
    input  wire         p0_request,
    input  wire         p0_rnw,
    input  wire [31:0]  p0_abus,
    input  wire         p0_size2,
    input  wire [7:0]   p0_be,
    input  wire         p0_abort,
    input  wire [63:0]  p0_wrdbus,
    input  wire [1:0]   p0_priority,
    input  wire         p0_cacheable,
    input  wire         p0_writethru,
    input  wire         p0_guarded,
    input  wire         p0_u0attr,
    output wire         p0_addrack,
    output wire         p0_ssize1,
    output wire         p0_rddack,
    output wire [63:0]  p0_rddbus,
    output wire [2:0]   p0_rdwdaddr,
    output wire         p0_wrdack,
    output wire         p0_busy,
    output wire         p0_err,

    // data-side PLB port of processor 1 (coherent_plb; UG018's DCU signals)
    input  wire         p1_request,
    input  wire         p1_rnw,
    input  wire [31:0]  p1_abus,
    input  wire         p1_size2,
    input  wire [7:0]   p1_be,
    input  wire         p1_abort,
    input  wire [63:0]  p1_wrdbus,
    input  wire [1:0]   p1_priority,
    input  wire         p1_cacheable,
    input  wire         p1_writethru,
    input  wire         p1_guarded,
    input  wire         p1_u0attr,
    output wire         p1_addrack,
    output wire         p1_ssize1,
    output wire         p1_rddack,
    output wire [63:0]  p1_rddbus,
    output wire [2:0]   p1_rdwdaddr,
    output wire         p1_wrdack,
    output wire         p1_busy,
    output wire         p1_err,

    // private PLB of processor 0: this chip is the master
    output wire         m0_request,
    output wire         m0_rnw,
    output wire [31:0]  m0_abus,
    output wire         m0_size2,
    output wire [7:0]   m0_be,
    output wire         m0_abort,
    output wire [63:0]  m0_wrdbus,
    output wire [1:0]   m0_priority,
    output wire         m0_cacheable,
    output wire         m0_writethru,
    output wire         m0_guarded,
    output wire         m0_u0attr,
    input  wire         m0_addrack,
    input  wire         m0_ssize1,
    input  wire         m0_rddack,
    input  wire [63:0]  m0_rddbus,
    input  wire [2:0]   m0_rdwdaddr,
    input  wire         m0_wrdack,
    input  wire         m0_busy,
    input  wire         m0_err,

    // private PLB of processor 1: this chip is the master
    output wire         m1_request,
    output wire         m1_rnw,
    output wire [31:0]  m1_abus,
    output wire         m1_size2,
    output wire [7:0]   m1_be,
    output wire         m1_abort,
    output wire [63:0]  m1_wrdbus,
    output wire [1:0]   m1_priority,
    output wire         m1_cacheable,
    output wire         m1_writethru,
    output wire         m1_guarded,
    output wire         m1_u0attr,
    input  wire         m1_addrack,
    input  wire         m1_ssize1,
    input  wire         m1_rddack,
    input  wire [63:0]  m1_rddbus,
    input  wire [2:0]   m1_rdwdaddr,
    input  wire         m1_wrdack,
    input  wire         m1_busy,
    input  wire         m1_err,

    output wire [1:0]  irq,          // to the processors' external interrupt inputs, level

    // memory: as that of nic.v
    output wire        mem_valid,
    input  wire        mem_ready,
    output wire        mem_we,
    output wire [24:0] mem_addr,
    output wire [71:0] mem_wdata,
    output wire [8:0]  mem_be,
    input  wire        mem_rvalid,
    input  wire [71:0] mem_rdata,

    // transceiver: as that of nic.v
    input  wire        net_clk,
    output wire [31:0] gt_tx_data,
    output wire [3:0]  gt_tx_k,
    input  wire [31:0] gt_rx_data,
    input  wire [3:0]  gt_rx_k,
    input  wire [3:0]  gt_rx_notintable,
    input  wire [3:0]  gt_rx_disperr,
    input  wire        gt_rx_loss_of_sync,
    input  wire [1:0]  gt_rx_buf_status,
    input  wire        gt_tx_buf_err,
    output wire [1:0]  gt_loopback
);
    localparam LOG2_QUEUES = $clog2(QUEUES);
    // log2 of the host-to-net FIFO [64-bit words], as in nic.v
    localparam LOG2_H2N = 6;

    initial begin
        if (QUEUES != 8 && QUEUES != 16) begin
            $display("%m: QUEUES must be 8 or 16, is %0d", QUEUES);
            $finish;
        end
        if (LOG2_FIFO != 10 && LOG2_FIFO != 11) begin
            $display("%m: LOG2_FIFO must be 10 or 11 (a credit counter has 12 bits), is %0d", LOG2_FIFO);
            $finish;
        end
    end

    wire        rst, net_rst;
    wire [1:0]  reg_valid, reg_write, reg_done, plb_error, plb_error_write, range_enable;
    wire [35:0] reg_address;
    wire [63:0] reg_wdata, plb_error_address;
    wire [7:0]  reg_be;
    wire [31:0] reg_rdata;
    wire        reg_error;
    wire [45:0] range_base, range_last;
    wire        req_valid, req_tag, req_full, req_allocate, req_cache, req_taken, result_valid, result_shared,
                result_data, answer_has, out_take, in_valid, in_last, in_tag, snoop_valid, snoop_full, snoop_allocate,
                snoop_cache, snoop_done, queue_overflow, queue_underflow;
    wire [2:0]  req_kind, snoop_kind;
    wire [22:0] req_line, snoop_line;
    wire [1:0]  req_word, req_last, out_word, in_word, snoop_source;
    wire [63:0] out_data, in_data;
    wire [7:0]  out_mask;
    // for the observer (sim/model/coherent)
    wire [1:0]  seen_req_valid, seen_answer_has, seen_answer_supplies, seen_answer_dirty, seen_answer_takes;
    wire [5:0]  seen_req_kind, seen_in_word;
    wire [45:0] seen_req_line;
    wire [2:0]  seen_in_valid, seen_in_own, seen_out_take;
    wire [9:0]  seen_events;

    coherent_memory #(.CACHE_KB(CACHE_KB), .WAYS(WAYS)) memory (
        .clk (clk), .rst (rst),
        .request ({p1_request, p0_request}), .rnw ({p1_rnw, p0_rnw}), .abus ({p1_abus, p0_abus}),
        .size2 ({p1_size2, p0_size2}), .be ({p1_be, p0_be}), .cancel ({p1_abort, p0_abort}),
        .wrdbus ({p1_wrdbus, p0_wrdbus}), .priority ({p1_priority, p0_priority}),
        .cacheable ({p1_cacheable, p0_cacheable}), .writethru ({p1_writethru, p0_writethru}),
        .guarded ({p1_guarded, p0_guarded}), .u0attr ({p1_u0attr, p0_u0attr}), .addrack ({p1_addrack, p0_addrack}),
        .ssize1 ({p1_ssize1, p0_ssize1}), .rddack ({p1_rddack, p0_rddack}), .rddbus ({p1_rddbus, p0_rddbus}),
        .rdwdaddr ({p1_rdwdaddr, p0_rdwdaddr}), .wrdack ({p1_wrdack, p0_wrdack}), .busy ({p1_busy, p0_busy}),
        .err ({p1_err, p0_err}), .private_request ({m1_request, m0_request}), .private_rnw ({m1_rnw, m0_rnw}),
        .private_abus ({m1_abus, m0_abus}), .private_size2 ({m1_size2, m0_size2}), .private_be ({m1_be, m0_be}),
        .private_cancel ({m1_abort, m0_abort}), .private_wrdbus ({m1_wrdbus, m0_wrdbus}),
        .private_priority ({m1_priority, m0_priority}), .private_cacheable ({m1_cacheable, m0_cacheable}),
        .private_writethru ({m1_writethru, m0_writethru}), .private_guarded ({m1_guarded, m0_guarded}),
        .private_u0attr ({m1_u0attr, m0_u0attr}), .private_addrack ({m1_addrack, m0_addrack}),
        .private_rddack ({m1_rddack, m0_rddack}), .private_rddbus ({m1_rddbus, m0_rddbus}),
        .private_rdwdaddr ({m1_rdwdaddr, m0_rdwdaddr}), .private_wrdack ({m1_wrdack, m0_wrdack}),
        .private_busy ({m1_busy, m0_busy}), .private_err ({m1_err, m0_err}), .reg_valid (reg_valid),
        .reg_write (reg_write), .reg_address (reg_address), .reg_be (reg_be), .reg_wdata (reg_wdata),
        .reg_done (reg_done), .reg_error ({2{reg_error}}), .reg_rdata ({2{reg_rdata}}), .error_event (plb_error),
        .error_write (plb_error_write), .error_address (plb_error_address), .range_enable (range_enable),
        .range_base (range_base), .range_last (range_last), .ni_valid (req_valid), .ni_kind (req_kind),
        .ni_line (req_line), .ni_word (req_word), .ni_last (req_last), .ni_tag (req_tag), .ni_full (req_full),
        .ni_allocate (req_allocate), .ni_cache (req_cache), .ni_taken (req_taken), .ni_result (result_valid),
        .ni_result_shared (result_shared), .ni_result_data (result_data), .ni_has (answer_has),
        .ni_out_take (out_take), .ni_out_word (out_word), .ni_out_data (out_data), .ni_out_mask (out_mask),
        .ni_in_valid (in_valid), .ni_in_word (in_word), .ni_in_last (in_last), .ni_in_tag (in_tag),
        .ni_in_data (in_data), .snoop_valid (snoop_valid), .snoop_kind (snoop_kind), .snoop_line (snoop_line),
        .snoop_source (snoop_source), .snoop_full (snoop_full), .snoop_allocate (snoop_allocate),
        .snoop_cache (snoop_cache), .snoop_done (snoop_done), .req_valid (seen_req_valid), .req_kind (seen_req_kind),
        .req_line (seen_req_line), .answer_has (seen_answer_has), .answer_supplies (seen_answer_supplies),
        .answer_dirty (seen_answer_dirty), .answer_takes (seen_answer_takes), .in_valid (seen_in_valid),
        .in_own (seen_in_own), .in_word (seen_in_word), .out_take (seen_out_take), .events (seen_events),
        .mem_valid (mem_valid), .mem_ready (mem_ready), .mem_we (mem_we), .mem_addr (mem_addr), .mem_wdata (mem_wdata),
        .mem_be (mem_be), .mem_rvalid (mem_rvalid), .mem_rdata (mem_rdata), .overflow (queue_overflow),
        .underflow (queue_underflow)
    );

    // ---- network interface
    wire                h2n_valid, n2h_valid, n2h_pop, gone_valid, credit_valid, credit_taken, switching;
    wire [67:0]         h2n_data, n2h_data;
    wire [LOG2_H2N:0]   h2n_count;
    wire [LOG2_FIFO:0]  n2h_count;
    wire [LOG2_QUEUES:0] gone;
    wire [13:0]         credit;
    wire [83:0]         view;
    wire [3:0]          link_events;
    wire                h2n_overflow, n2h_underflow;
    wire [`CNI_SETTING_BITS-1:0] settings;

    coherent_ni #(.CACHE_KB(CACHE_KB), .WAYS(WAYS), .SOURCES(SOURCES), .LANES(QUEUES), .LOG2_H2N(LOG2_H2N)) ni (
        .clk (clk), .rst (rst),
        .reg_valid (reg_valid), .reg_write (reg_write), .reg_address (reg_address), .reg_wdata (reg_wdata),
        .reg_be (reg_be), .reg_done (reg_done), .reg_rdata (reg_rdata), .reg_error (reg_error), .plb_error (plb_error),
        .plb_error_address (plb_error_address), .irq (irq), .range_enable (range_enable), .range_base (range_base),
        .range_last (range_last), .req_valid (req_valid), .req_kind (req_kind), .req_line (req_line),
        .req_word (req_word), .req_last (req_last), .req_tag (req_tag), .req_full (req_full),
        .req_allocate (req_allocate), .req_cache (req_cache), .req_taken (req_taken), .snoop_valid (snoop_valid),
        .snoop_kind (snoop_kind), .snoop_line (snoop_line), .answer_has (answer_has), .result_valid (result_valid),
        .result_shared (result_shared), .out_take (out_take), .out_word (out_word), .out_data (out_data),
        .out_mask (out_mask), .in_valid (in_valid), .in_own (1'b1), .in_last (in_last), .in_data (in_data),
        .in_tag (in_tag), .snoop_done (snoop_done), .n2h_valid (n2h_valid), .n2h_data (n2h_data), .n2h_pop (n2h_pop),
        .h2n_valid (h2n_valid), .h2n_data (h2n_data), .h2n_count (h2n_count), .gone_valid (gone_valid),
        .gone_local (gone[LOG2_QUEUES]), .credit_valid (credit_valid), .credit_lane (credit[13:7]),
        .credit_value (credit[6:0]), .credit_taken (credit_taken), .switching (switching), .settings (settings),
        .link_view (view), .link_dropped (link_events[0]), .link_rejected (link_events[1]),
        .link_fifo_error (link_events[3] || link_events[2] || h2n_overflow || n2h_underflow
                          || queue_overflow || queue_underflow)
    );

    // ---- link
    wire        net_direct, net_busy, net_wake, host_wake, up, dead, far_deaf, header_stored, dropped, rejected,
                n2h_overflow, fifo_error;
    wire [6:0]  net_node_id, stored_source;
    wire [11:0] net_tx_capacity;
    wire [3:0]  net_view_flow, waits;
    wire [83:0] net_view;
    wire [197:0] tap;
    wire [37:0] raw;
    wire [12:0] lost_units;
    wire [1:0]  happens_twice;
    wire [`NIC_NC_COUNT-1:0] happens;

    coherent_clocks clocks (
        .clk (clk), .net_clk (net_clk), .rst_n (rst_n), .rst (rst), .net_rst (net_rst), .settings (settings),
        .net_loopback (gt_loopback), .net_direct (net_direct), .net_node_id (net_node_id),
        .net_tx_capacity (net_tx_capacity), .net_view_flow (net_view_flow), .switching (switching),
        .net_view (net_view), .view (view), .net_events ({fifo_error, n2h_overflow, rejected, dropped}),
        .events (link_events)
    );

    nic_link #(.QUEUES(QUEUES), .SOURCES(SOURCES), .LOG2_FIFO(LOG2_FIFO), .LOG2_H2N(LOG2_H2N),
               .IDLE_WORDS(IDLE_WORDS)) link (
        .pci_clk (clk), .pci_run_clk (clk), .pci_rst (rst), .pci_wake (host_wake), .h2n_wr_valid (h2n_valid),
        .h2n_wr_data (h2n_data), .h2n_wr_count (h2n_count), .h2n_overflow (h2n_overflow),
        .n2h_rd_valid (n2h_valid), .n2h_rd_data (n2h_data), .n2h_rd_count (n2h_count), .n2h_rd_pop (n2h_pop),
        .n2h_underflow (n2h_underflow), .gone_valid (gone_valid), .gone_data (gone), .gone_pop (gone_valid),
        .credit_valid (credit_valid), .credit_data (credit), .credit_pop (credit_valid && credit_taken), .up (up),
        .dead (dead), .far_deaf (far_deaf), .record_due (1'b0), .refresh_due (1'b0), .dead_count (17'd0),
        .net_clk (net_clk), .net_run_clk (net_clk), .net_rst (net_rst), .net_busy (net_busy), .net_wake (net_wake),
        .cfg_direct (net_direct), .cfg_node_id (net_node_id), .cfg_tx_capacity (net_tx_capacity),
        .cfg_bus_class (2'd2), .cfg_stamp (1'b0), .now (32'd0), .view_flow ({3'd0, net_view_flow}),
        .view (net_view), .waits (waits), .tap (tap), .raw (raw),
        .header_stored (header_stored), .stored_source (stored_source), .suspects (16'd0), .lost_units (lost_units),
        .gt_tx_data (gt_tx_data), .gt_tx_k (gt_tx_k), .gt_rx_data (gt_rx_data), .gt_rx_k (gt_rx_k),
        .gt_rx_notintable (gt_rx_notintable), .gt_rx_disperr (gt_rx_disperr), .gt_rx_loss_of_sync (gt_rx_loss_of_sync),
        .gt_rx_buf_status (gt_rx_buf_status), .gt_tx_buf_err (gt_tx_buf_err), .happens (happens),
        .happens_twice (happens_twice), .dropped (dropped), .rejected (rejected), .n2h_overflow (n2h_overflow),
        .fifo_error (fifo_error)
    );

    wire unused = &{1'b0, m0_ssize1, m1_ssize1, plb_error_write, result_data, in_word, snoop_source, snoop_full,
                    snoop_allocate, snoop_cache, seen_req_valid, seen_answer_has, seen_answer_supplies,
                    seen_answer_dirty, seen_answer_takes, seen_req_kind, seen_in_word, seen_req_line, seen_in_valid,
                    seen_in_own, seen_out_take, seen_events, n2h_count, gone[LOG2_QUEUES-1:0], host_wake, net_busy,
                    net_wake, up, dead, far_deaf, header_stored, stored_source, waits, tap, raw, lost_units, happens,
                    happens_twice};
endmodule
`default_nettype wire
