// The network interface card: only wiring.
//
//                 PCI-X pins                                     external memory                 transceiver
//                     |                                                 |                            |
//     +---------- pcix_core -----------+          window (BAR0)         |                            |
//     | target, initiator,             | -------------------------\     |                            |
//     | configuration space            |                           \    |                            |
//     +--+------------------------+----+                            \   |                            |
//        | registers              | read / write sequences           \  |                            |
//     nic_registers --- set-up -- dma_engine --- transfers -------->  voq -- packets -- H2N fifo_async --> link_port
//        |                            |                                ^                                  |  |
//        |                            |                                \----- credits -- fifo_async <----/  |
//        |                            \------------------------------------------ N2H fifo_async <----------/
//        +--- counter_crossing <------- network_counters <--- events ---+
//
// The FIFOs and the link are in nic_link; several links by packet in nic_paths, one nic_link each.
//
// Everything left of the FIFOs runs on pci_clk, everything right of them on net_clk; signals cross only through the cells of rtl/common.
// One reset for both: the RST# pin of the bus, released in step with each clock.
//
// For units and ranges of the parameters see the modules that use them.
`default_nettype none
`include "nic_registers.vh"
`include "slots.vh"
module nic #(
    // links, 1, 2 or 4
    parameter LINKS = 1,
    // how several links form one connection (S2 2.4): 0 by byte, the bytes of a packet are distributed over all
    parameter BOND = 0,
    // decode speed of the PCI-X target: 2 = A, 3 = B, 4 = C
    parameter DECODE = 4,
    // log2 of the window onto external memory [bytes], 12..27
    parameter BAR0_BITS = 27,
    // request queues, 8 or 16; they share 1024 descriptors
    parameter QUEUES = 8,
    // outstanding split reads
    parameter SPLITS = 1,
    // node IDs that may be sources, 2..128
    parameter SOURCES = 128,
    // virtual output queues: QUEUES, or 1 shared by all destinations
    parameter VOQS = QUEUES,
    // log2 of the 64-bit words on chip per virtual output queue, 10..12
    parameter LOG2_VOQ_WORDS = 10,
    // longest run of words moved to or from external memory at once, 16..512
    parameter SEGMENT_WORDS = 128,
    // external memory: 64-bit words per block, power of two 16..512; log2 of the blocks, 4..14
    parameter BLOCK_WORDS = 64,
    parameter LOG2_BLOCKS = 12,
    // log2 of the words on their way into external memory, 10..12; several outstanding reads need space for each
    parameter LOG2_STAGING = (SPLITS == 1) ? 10 : 12,
    // log2 of the net-to-host FIFO [64-bit words], 10 or 11, of each link by packet 8..10; it holds one word less
    parameter LOG2_FIFO = 10,
    // reset value of the payload limit [64-bit words], 1..512, 17 less than the net-to-host FIFO holds at most
    parameter PAYLOAD_LIMIT = 62,
    // cut-through ratio at 100 MHz: 64-bit words that the network delivers per PCI clock, in 1/256; at 66 and 133 MHz it resets to 3/2 and
    // 3/4 of that, at most 511
    parameter CUT_THROUGH = 96 * ((BOND == 1) ? 1 : LINKS),
    // network clocks within which an idle word is sent (clock correction for 200 ppm)
    parameter IDLE_WORDS = 2048,
    // 1: with logic that only measures: sampling facility, tracing memories (monitoring.v), time stamps in packets, for one link;
    // 0: without, their registers read 0
    parameter MONITORING = 0,
    // 1: the samples have their third column, see sampler.v
    parameter SAMPLE_STALLED = 1
) (
    // PCI-X, 1.0b Mode 1: each bidirectional pin as _i, _o, _oe; levels are the bus's own
    input  wire        pci_clk,
    input  wire        pci_run_clk,  // pci_clk through a clock buffer (BUFGCE) outside, with this enable
    output wire        pci_run,
    input  wire        pci_rst_n,
    input  wire [63:0] ad_i,
    output wire [63:0] ad_o,
    output wire [1:0]  ad_oe,        // [1] the upper half, [0] the lower
    input  wire [7:0]  cbe_n_i,
    output wire [7:0]  cbe_n_o,
    output wire [1:0]  cbe_n_oe,     // the same
    input  wire        par_i,
    output wire        par_o,
    output wire        par_oe,
    input  wire        par64_i,
    output wire        par64_o,
    output wire        par64_oe,
    input  wire        frame_n_i,
    output wire        frame_n_o,
    output wire        frame_n_oe,
    input  wire        irdy_n_i,
    output wire        irdy_n_o,
    output wire        irdy_n_oe,
    input  wire        trdy_n_i,
    output wire        trdy_n_o,
    output wire        trdy_n_oe,
    input  wire        devsel_n_i,
    output wire        devsel_n_o,
    output wire        devsel_n_oe,
    input  wire        stop_n_i,
    output wire        stop_n_o,
    output wire        stop_n_oe,
    input  wire        req64_n_i,
    output wire        req64_n_o,
    output wire        req64_n_oe,
    input  wire        ack64_n_i,
    output wire        ack64_n_o,
    output wire        ack64_n_oe,
    input  wire        perr_n_i,
    output wire        perr_n_o,
    output wire        perr_n_oe,
    input  wire        serr_n_i,
    output wire        serr_n_oe,    // open drain: 1 pulls SERR# low
    input  wire        idsel_i,
    input  wire        gnt_n_i,
    output wire        req_n_o,
    output wire        req_n_oe,
    output wire        inta_n_oe,    // open drain: 1 pulls INTA# low

    // external memory (PCI clock), 72 bits: a tag byte above the 64 data bits. An access shown while ready is taken; reads are
    // answered in order, any number of clocks later, at most 16 at a time
    output wire                 mem_valid,
    input  wire                 mem_ready,
    output wire                 mem_we, // 1: a write
    output wire [BAR0_BITS-1:3] mem_addr,
    output wire [71:0]          mem_wdata,
    output wire [8:0]           mem_be, // bytes that are written
    input  wire                 mem_rvalid,
    input  wire [71:0]          mem_rdata,

    // transceivers: link l has 32 bits per clock in [32*l +: 32], byte [31:24] first, and four flags, one per byte, in [4*l +: 4]; K flag
    // bit 3 belongs to the first byte
    input  wire                 net_clk,
    input  wire                 net_run_clk,        // net_clk through a clock buffer outside, with this enable
    output wire                 net_run,
    output wire [32*LINKS-1:0]  gt_tx_data,
    output wire [4*LINKS-1:0]   gt_tx_k,
    input  wire [32*LINKS-1:0]  gt_rx_data,
    input  wire [4*LINKS-1:0]   gt_rx_k,
    input  wire [4*LINKS-1:0]   gt_rx_notintable,   // per byte: no character of the code
    input  wire [4*LINKS-1:0]   gt_rx_disperr,      // per byte: wrong running disparity
    input  wire [LINKS-1:0]     gt_rx_loss_of_sync, // level
    input  wire [2*LINKS-1:0]   gt_rx_buf_status,   // [2*l + 1] = overflow or underflow (UG024)
    input  wire [LINKS-1:0]     gt_tx_buf_err,
    output wire [2*LINKS-1:0]   gt_loopback
);
    // links with packets of their own; else all links are one connection
    localparam PORTS       = (BOND == 1) ? LINKS : 1;
    localparam BUNDLE      = (BOND == 1) ? 1 : LINKS;
    // sources that may appear
    localparam KNOWN       = (PORTS > 1) ? QUEUES : SOURCES;
    // log2 of the host-to-net FIFO [64-bit words]: a packet of a bundle starts when enough of it is stored that it cannot run dry
    // (link_tx_bundle); that of one link by packet holds more than the longest packet
    localparam LOG2_H2N    = (PORTS > 1) ? 10 : (LINKS == 4) ? 9 : (LINKS == 2) ? 7 : 6;
    // 64-bit words of the net-to-host FIFO
    localparam FIFO_WORDS  = (1 << LOG2_FIFO) - ((BUNDLE == 4) ? 2 : 1);
    localparam LOG2_QUEUES = $clog2(QUEUES);

    initial
        if ((LINKS != 1 && LINKS != 2 && LINKS != 4) || (BOND != 0 && BOND != 1)) begin
            $display("%m: LINKS must be 1, 2 or 4, is %0d; BOND 0 (by byte) or 1 (by packet), is %0d", LINKS, BOND);
            $finish;
        end

    initial
        if (QUEUES != 8 && QUEUES != 16) begin
            $display("%m: QUEUES must be 8 or 16, is %0d", QUEUES);
            $finish;
        end

    initial
        if (MONITORING != 0 && (MONITORING != 1 || LINKS != 1)) begin
            $display("%m: MONITORING must be 0 or, with one link, 1; is %0d with %0d", MONITORING, LINKS);
            $finish;
        end

    initial
        if (PORTS == 1 ? LOG2_FIFO != 10 && LOG2_FIFO != 11 : LOG2_FIFO < 8 || LOG2_FIFO > 10) begin
            $display("%m: LOG2_FIFO must be 10 or 11 (a credit counter has 12 bits), by packet 8..10, is %0d", LOG2_FIFO);
            $finish;
        end

    initial
        if (PAYLOAD_LIMIT < 1 || PAYLOAD_LIMIT > 512 || CUT_THROUGH < 0 || CUT_THROUGH > 511) begin
            $display("%m: PAYLOAD_LIMIT must be 1..512, is %0d; CUT_THROUGH 0..511, is %0d", PAYLOAD_LIMIT, CUT_THROUGH);
            $finish;
        end

    initial
        if (PAYLOAD_LIMIT + 17 > FIFO_WORDS) begin
            $display("%m: PAYLOAD_LIMIT must be at most %0d (the net-to-host FIFO less header, CRC, and 30 units not told yet), is %0d",
                     FIFO_WORDS - 17, PAYLOAD_LIMIT);
            $finish;
        end

    initial
        if (LOG2_VOQ_WORDS < 10 || LOG2_VOQ_WORDS > 12) begin
            $display("%m: LOG2_VOQ_WORDS must be 10..12 (a ring holds the longest piece), is %0d", LOG2_VOQ_WORDS);
            $finish;
        end

    // ---- resets
    wire pci_rst, net_rst;
    reset_sync pci_reset (.clk (pci_clk), .rst_n_pin (pci_rst_n), .rst (pci_rst));
    reset_sync net_reset (.clk (net_clk), .rst_n_pin (pci_rst_n), .rst (net_rst));

    // ---- clock gating: see the end
    wire [7:0] pci_slept;
    wire       bus_busy, dma_busy, voq_busy, registers_busy, setup_wake, view_wake, copy_wake;
    wire       links_busy_pci, links_busy_net, links_told_pci, links_told_net;

    // ---- bus interface
    wire                reg_wr_valid, reg_rd_valid;
    wire [14:3]         reg_wr_addr, reg_rd_addr;
    wire [63:0]         reg_wr_data, reg_rd_data;
    wire [7:0]          reg_wr_be;
    wire                wr_req, wr_ack, wr_data_valid, wr_data_pop, wr_underflow, wr_done;
    wire [63:0]         wr_addr, wr_data;
    wire [9:0]          wr_words;
    wire [1:0]          wr_status;
    wire                rd_req, rd_ack, rd_data_valid, rd_done;
    wire [63:0]         rd_addr, rd_data;
    wire [9:0]          rd_words;
    wire [4:0]          rd_tag, rd_data_tag, rd_done_tag;
    wire [2:0]          rd_status;
    wire                rd_abandon;
    wire                arb_read, arb_write, arb_started, arb_started_write, arb_pick_write, arb_hold_write;
    wire                cfg_bus_master, cfg_memory_enable;
    wire [9:0]          cfg_max_read_words;
    wire [23:0]         cfg_completion_timer;
    wire [1:0]          cfg_bus_class;
    wire                irq_event;
    wire [QUEUES*7-1:0] queue_heads, queue_tails;
    wire [QUEUES-1:0]   queue_fulls;
    wire                ev_read_request_done, ev_write_request_done, ev_read_disconnect, ev_write_disconnect;
    wire                ev_split_response, split_waiting, ev_unexpected_completion, ev_read_given_up, ev_parity_error;
    wire                read_bus_active, write_bus_active, read_requesting, write_requesting, ev_write_word, irq_active, ev_irq_assert;
    wire [31:0]         bus_states;
    wire                win_req, win_we, win_ack;
    wire [BAR0_BITS-1:3] win_addr;
    wire [63:0]         win_wdata, win_rdata;
    wire [7:0]          win_be;

    pcix_core #(.DECODE(DECODE), .BAR0_BITS(BAR0_BITS), .BAR1_BITS(15), .SPLITS(SPLITS)) pcix (
        .pin_clk (pci_clk), .clk (pci_run_clk), .rst (pci_rst), .rst_n_pin (pci_rst_n), .busy (bus_busy),
        .ad_i (ad_i), .ad_o (ad_o), .ad_oe (ad_oe),
        .cbe_n_i (cbe_n_i), .cbe_n_o (cbe_n_o), .cbe_n_oe (cbe_n_oe),
        .par_i (par_i), .par_o (par_o), .par_oe (par_oe),
        .par64_i (par64_i), .par64_o (par64_o), .par64_oe (par64_oe),
        .frame_n_i (frame_n_i), .frame_n_o (frame_n_o), .frame_n_oe (frame_n_oe),
        .irdy_n_i (irdy_n_i), .irdy_n_o (irdy_n_o), .irdy_n_oe (irdy_n_oe),
        .trdy_n_i (trdy_n_i), .trdy_n_o (trdy_n_o), .trdy_n_oe (trdy_n_oe),
        .devsel_n_i (devsel_n_i), .devsel_n_o (devsel_n_o), .devsel_n_oe (devsel_n_oe),
        .stop_n_i (stop_n_i), .stop_n_o (stop_n_o), .stop_n_oe (stop_n_oe),
        .req64_n_i (req64_n_i), .req64_n_o (req64_n_o), .req64_n_oe (req64_n_oe),
        .ack64_n_i (ack64_n_i), .ack64_n_o (ack64_n_o), .ack64_n_oe (ack64_n_oe),
        .perr_n_i (perr_n_i), .perr_n_o (perr_n_o), .perr_n_oe (perr_n_oe),
        .serr_n_i (serr_n_i), .serr_n_oe (serr_n_oe), .idsel_i (idsel_i), .gnt_n_i (gnt_n_i),
        .req_n_o (req_n_o), .req_n_oe (req_n_oe), .inta_n_oe (inta_n_oe),
        .reg_wr_valid (reg_wr_valid), .reg_wr_addr (reg_wr_addr), .reg_wr_data (reg_wr_data), .reg_wr_be (reg_wr_be),
        .reg_rd_valid (reg_rd_valid), .reg_rd_addr (reg_rd_addr), .reg_rd_data (reg_rd_data),
        .win_req (win_req), .win_we (win_we), .win_addr (win_addr), .win_wdata (win_wdata), .win_be (win_be),
        .win_ack (win_ack), .win_rdata (win_rdata),
        .wr_req (wr_req), .wr_addr (wr_addr), .wr_words (wr_words), .wr_ack (wr_ack), .wr_data (wr_data),
        .wr_data_valid (wr_data_valid), .wr_data_pop (wr_data_pop), .wr_underflow (wr_underflow),
        .wr_done (wr_done), .wr_status (wr_status),
        .rd_req (rd_req), .rd_addr (rd_addr), .rd_words (rd_words), .rd_tag (rd_tag), .rd_ack (rd_ack),
        .rd_data (rd_data), .rd_data_valid (rd_data_valid), .rd_data_tag (rd_data_tag),
        .rd_done (rd_done), .rd_done_tag (rd_done_tag), .rd_status (rd_status), .rd_abandon (rd_abandon),
        .arb_read (arb_read), .arb_write (arb_write), .arb_started (arb_started),
        .arb_started_write (arb_started_write), .arb_pick_write (arb_pick_write), .arb_hold_write (arb_hold_write),
        .cfg_bus_master (cfg_bus_master), .cfg_memory_enable (cfg_memory_enable), .cfg_max_read_words (cfg_max_read_words),
        .cfg_bus_class (cfg_bus_class), .cfg_completion_timer (cfg_completion_timer),
        .irq_event (irq_event), .queue0_head (queue_heads[6:0]), .queue0_tail (queue_tails[6:0]),
        .ev_read_request_done (ev_read_request_done), .ev_write_request_done (ev_write_request_done),
        .ev_read_disconnect (ev_read_disconnect), .ev_write_disconnect (ev_write_disconnect),
        .ev_split_response (ev_split_response), .split_waiting (split_waiting),
        .ev_unexpected_completion (ev_unexpected_completion), .ev_read_given_up (ev_read_given_up),
        .read_bus_active (read_bus_active), .write_bus_active (write_bus_active),
        .read_requesting (read_requesting), .write_requesting (write_requesting), .ev_write_word (ev_write_word),
        .irq_active (irq_active), .ev_irq_assert (ev_irq_assert), .ev_parity_error (ev_parity_error),
        .fsm_states (bus_states)
    );

    `DMA_ARBITER #(.READS_IN_ROW((SPLITS > 1) ? 1 : 2)) arbiter (
        .clk (pci_run_clk), .rst (pci_rst), .arb_read (arb_read), .arb_write (arb_write), .arb_started (arb_started),
        .arb_started_write (arb_started_write), .arb_pick_write (arb_pick_write)
    );

    // ---- BAR1: registers below 0x4000, request queues above
    wire [63:0] register_data, queue_data;
    reg  [1:0]  reading_queue;

    always @(posedge pci_run_clk) reading_queue <= {reading_queue[0], reg_rd_addr[14]};

    assign reg_rd_data = reading_queue[1] ? queue_data : register_data;

    // ---- set-up
    wire [`NIC_SETTING_BITS-1:0] settings;
    wire        cfg_initiator_enable = settings[`NIC_SETTING_CONTROL_INITIATOR_ENABLE];
    wire        cfg_direct           = settings[`NIC_SETTING_CONTROL_DIRECT];
    wire        cfg_benchmark        = settings[`NIC_SETTING_CONTROL_BENCHMARK];
    wire        cfg_stamps           = settings[`NIC_SETTING_CONTROL_TIME_STAMPS];
    wire        cfg_sequence_zero    = settings[`NIC_SETTING_CONTROL_SEQUENCE_ZERO];
    wire [11:0] cfg_tx_capacity      = settings[`NIC_SETTING_TX_CAPACITY_UNITS];
    assign      cfg_completion_timer = settings[`NIC_SETTING_COMPLETION_TIMER_CLOCKS];
    wire        cfg_queue_reset, queues_resetting, soft_reset, soft_reset_done;
    wire [9:0]  cfg_payload_limit;
    wire [8:0]  cfg_cut_through;
    wire [63:0] cfg_remote_notify, cfg_local_notify;

    // ---- DMA engine
    wire                 voq_hold, voq_pause;
    wire [QUEUES*11-1:0] voq_room;
    wire                 voq_reserve, voq_wr_valid, voq_wr_commit, voq_wr_rollback, voq_wr_eager, voq_piece_end;
    wire [LOG2_QUEUES-1:0] voq_reserve_queue;
    wire [10:0]          voq_reserve_words;
    wire [67:0]          voq_wr_data;
    wire                 voq_flush, voq_idle, moved_valid, moved_lost, given_up_valid;
    wire [LOG2_QUEUES-1:0] moved_queue, given_up_queue;
    wire                 departed_valid, departed_local;
    wire [LOG2_QUEUES-1:0] departed_queue;
    wire                 n2h_rd_valid, n2h_rd_pop, n2h_underflow;
    wire [67:0]          n2h_rd_data;
    wire [LOG2_FIFO:0]   n2h_rd_count;
    wire [LOG2_QUEUES-2:0] view_pair;
    wire [63:0]          view_departed, view_skipped;
    wire [31:0]          dma_states;
    wire [11:0]          n2h_rd_count_wide = {{11-LOG2_FIFO{1'b0}}, n2h_rd_count};

    // ---- several links by packet: which are used; status of the resequencer
    wire [63:0]          send_all    = {settings[`NIC_SETTING_SEND_PATHS_HIGH], settings[`NIC_SETTING_SEND_PATHS_LOW]};
    wire [63:0]          receive_all = {settings[`NIC_SETTING_RECEIVE_PATHS_HIGH], settings[`NIC_SETTING_RECEIVE_PATHS_LOW]};
    wire [PORTS*QUEUES-1:0] send_paths;
    wire [PORTS*KNOWN-1:0] receive_paths;
    wire [PORTS-1:0]     path_up, path_dead, path_far_deaf;
    wire [9:0]           cfg_path_ahead, reseq_depth;
    wire [1:0]           h2n_wr_path, n2h_rd_path, credit_path;
    wire                 n2h_rd_over, n2h_rd_bad, ev_late, ev_anew, lost_valid, lost_taken, h2n_hold, ev_order;
    wire [LOG2_QUEUES-1:0] lost_queue;
    reg  [15:0]          late_packets, anew_packets;
    wire [3:0]           up_shown   = {{4-PORTS{1'b0}}, path_up} & {4{PORTS > 1}};
    wire [3:0]           dead_shown = {{4-PORTS{1'b0}}, path_dead};
    wire [3:0]           far_deaf_shown = {{4-PORTS{1'b0}}, path_far_deaf};
    genvar d;

    generate
        if (PORTS == 1) begin : one_path
            assign send_paths    = {QUEUES{1'b1}};
            assign receive_paths = {KNOWN{1'b1}};
            wire   unused_paths  = &{1'b0, send_all, receive_all, path_up};
        end else begin : several_paths
            for (d = 0; d < QUEUES; d = d + 1) begin : of_node
                assign send_paths[PORTS*d +: PORTS]    = send_all[4*d +: PORTS];
                assign receive_paths[PORTS*d +: PORTS] = receive_all[4*d +: PORTS];
            end
            wire   unused_paths  = &{1'b0, send_all, receive_all};
        end
    endgenerate

    always @(posedge pci_run_clk)
        if (pci_rst) begin
            late_packets <= 16'd0;
            anew_packets <= 16'd0;
        end else begin
            if (ev_late) late_packets <= late_packets + 16'd1;
            if (ev_anew) anew_packets <= anew_packets + 16'd1;
        end
    wire                 dma_sending;
    wire                 ev_overwrite, ev_partial, ev_bad_length, ev_bad_address, ev_bad_flow, ev_read_failed, ev_transfer_read;
    wire                 ev_packet_written, ev_start, ev_gap, ev_bad_body, ev_write_error, ev_local_notified, ev_remote_notified;
    wire                 ev_flagged, ev_step, writing_packet, ev_internal_overflow;
    wire [31:0]          now, net_now;                    // time in PCI clocks, and a copy in the network clock

    // a transfer has a header and at least one word: half as many transfers as words fit into external memory, less on chip
    localparam INSIDE_BITS = LOG2_BLOCKS + $clog2(BLOCK_WORDS) > 14 ? LOG2_BLOCKS + $clog2(BLOCK_WORDS) : 14;

    dma_engine #(
        .QUEUES(QUEUES), .SPLITS(SPLITS), .SOURCES(KNOWN), .PATHS(PORTS), .INSIDE_BITS(INSIDE_BITS), .STAMPS(MONITORING),
        .SHARED_ROOM(VOQS == 1)
    ) dma (
        .clk (pci_run_clk), .rst (pci_rst), .slept (pci_slept), .busy (dma_busy), .sending (dma_sending),
        .q_wr_valid (reg_wr_valid && reg_wr_addr[14]), .q_wr_addr (reg_wr_addr[13:3]), .q_wr_data (reg_wr_data),
        .q_wr_be (reg_wr_be), .q_rd_addr (reg_rd_addr[13:3]), .q_rd_data (queue_data),
        .wr_req (wr_req), .wr_addr (wr_addr), .wr_words (wr_words), .wr_ack (wr_ack), .wr_data (wr_data),
        .wr_data_valid (wr_data_valid), .wr_data_pop (wr_data_pop), .wr_done (wr_done), .wr_status (wr_status),
        .wr_underflow (wr_underflow), .arb_hold_write (arb_hold_write),
        .rd_req (rd_req), .rd_addr (rd_addr), .rd_words (rd_words), .rd_tag (rd_tag), .rd_ack (rd_ack),
        .rd_data (rd_data), .rd_data_valid (rd_data_valid), .rd_data_tag (rd_data_tag),
        .rd_done (rd_done), .rd_done_tag (rd_done_tag), .rd_status (rd_status), .rd_abandon (rd_abandon),
        .voq_hold (voq_hold), .voq_pause (voq_pause), .voq_room (voq_room), .voq_reserve (voq_reserve),
        .voq_reserve_queue (voq_reserve_queue), .voq_reserve_words (voq_reserve_words),
        .voq_wr_valid (voq_wr_valid), .voq_wr_data (voq_wr_data),
        .voq_wr_commit (voq_wr_commit), .voq_wr_rollback (voq_wr_rollback), .voq_wr_eager (voq_wr_eager),
        .voq_piece_end (voq_piece_end), .flush (voq_flush), .voq_idle (voq_idle),
        .given_up_valid (given_up_valid), .given_up_queue (given_up_queue),
        .moved_valid (moved_valid), .moved_lost (moved_lost), .moved_queue (moved_queue),
        .departed_valid (departed_valid), .departed_queue (departed_queue), .departed_local (departed_local),
        .n2h_rd_valid (n2h_rd_valid), .n2h_rd_data (n2h_rd_data), .n2h_rd_count (n2h_rd_count_wide[10:0]), .n2h_rd_pop (n2h_rd_pop),
        .n2h_rd_path (n2h_rd_path), .n2h_rd_over (n2h_rd_over), .n2h_rd_bad (n2h_rd_bad),
        .lost_valid (lost_valid), .lost_queue (lost_queue), .lost_taken (lost_taken),
        .cfg_receive_paths (receive_paths & ~{KNOWN{path_dead}}), .cfg_reseq_timeout (settings[`NIC_SETTING_RESEQ_TIMEOUT_CLOCKS]),
        .ev_late (ev_late), .ev_anew (ev_anew), .reseq_depth (reseq_depth),
        .cfg_bus_master (cfg_bus_master), .cfg_initiator_enable (cfg_initiator_enable), .cfg_queue_reset (cfg_queue_reset),
        .queues_resetting (queues_resetting), .cfg_sequence_zero (cfg_sequence_zero), .cfg_benchmark (cfg_benchmark),
        .cfg_payload_limit (cfg_payload_limit),
        .cfg_max_read_words (cfg_max_read_words), .cfg_cut_through (cfg_cut_through),
        .cfg_remote_notify (cfg_remote_notify), .cfg_local_notify (cfg_local_notify),
        .stamp (cfg_stamps), .now (now), .soft_reset (soft_reset), .soft_reset_done (soft_reset_done),
        .queue_heads (queue_heads), .queue_tails (queue_tails), .queue_fulls (queue_fulls),
        .view_pair (view_pair), .view_departed (view_departed),
        .view_skipped (view_skipped),
        .fsm_states (dma_states), .irq_event (irq_event),
        .ev_overwrite (ev_overwrite), .ev_partial (ev_partial), .ev_bad_length (ev_bad_length), .ev_bad_address (ev_bad_address),
        .ev_bad_flow (ev_bad_flow), .ev_read_failed (ev_read_failed), .ev_transfer_read (ev_transfer_read),
        .ev_packet_written (ev_packet_written), .ev_start (ev_start), .ev_gap (ev_gap), .ev_bad_body (ev_bad_body),
        .ev_write_error (ev_write_error), .ev_local_notified (ev_local_notified), .ev_remote_notified (ev_remote_notified),
        .ev_flagged (ev_flagged), .ev_step (ev_step), .writing_packet (writing_packet), .ev_internal_overflow (ev_internal_overflow)
    );

    // ---- virtual output queues
    wire               h2n_wr_valid, h2n_overflow;
    wire [67:0]        h2n_wr_data;
    wire [PORTS*(LOG2_H2N+1)-1:0] h2n_wr_count;
    wire               h2n_empty = (h2n_wr_count == {PORTS*(LOG2_H2N+1){1'b0}});
    wire               credit_valid, credit_taken;
    wire [6:0]         credit_lane, credit_value;
    wire [VOQS*12-1:0] voq_words;
    wire [VOQS*(LOG2_BLOCKS+1)-1:0] voq_blocks;
    wire [LOG2_BLOCKS:0] free_blocks, cfg_body_limit;
    wire [31:0]        voq_states;
    wire               ev_migrated, ev_fetched, ev_damaged, body_exhausted, voq_backpressure, voq_overflow, voq_quiet;

    // ---- DIRECT: output queues and link must count each packet on the same virtual channel. So it changes only while no packet is between
    // them, and until the link has switched the link FIFO looks full. TIME_STAMPS likewise, for DMA engine and link.
    wire        direct_at_link, direct_refused, stamps_at_link, stamps_refused;
    wire        switching   = (direct_at_link != cfg_direct) || (stamps_at_link != cfg_stamps);
    wire        direct_held = switching || !voq_quiet || !h2n_empty;
    wire        stamps_held = direct_held || dma_sending || (voq_words != {VOQS*12{1'b0}}) || (voq_blocks != {VOQS*(LOG2_BLOCKS+1){1'b0}});

    voq #(
        .QUEUES(QUEUES), .VOQS(VOQS), .LOG2_VOQ_WORDS(LOG2_VOQ_WORDS), .SEGMENT_WORDS(SEGMENT_WORDS),
        .BLOCK_WORDS(BLOCK_WORDS), .LOG2_BLOCKS(LOG2_BLOCKS), .LOG2_STAGING(LOG2_STAGING), .BAR0_BITS(BAR0_BITS),
        .PATHS(PORTS), .LOG2_OUT(LOG2_H2N)
    ) queues (
        .clk (pci_run_clk), .rst (pci_rst), .slept (pci_slept), .busy (voq_busy),
        .voq_hold (voq_hold), .voq_pause (voq_pause), .voq_room (voq_room), .voq_reserve (voq_reserve),
        .voq_reserve_queue (voq_reserve_queue), .voq_reserve_words (voq_reserve_words),
        .voq_wr_valid (voq_wr_valid), .voq_wr_data (voq_wr_data),
        .voq_wr_commit (voq_wr_commit), .voq_wr_rollback (voq_wr_rollback), .voq_wr_eager (voq_wr_eager),
        .voq_piece_end (voq_piece_end), .flush (voq_flush), .voq_idle (voq_idle),
        .given_up_valid (given_up_valid), .given_up_queue (given_up_queue),
        .out_valid (h2n_wr_valid), .out_data (h2n_wr_data), .out_count (h2n_wr_count | {PORTS{switching, {LOG2_H2N{1'b0}}}}),
        .out_path (h2n_wr_path), .out_hold (h2n_hold), .path_up (path_up), .path_dead (path_dead), .credit_path (credit_path),
        .cfg_paths (send_paths), .cfg_ahead (cfg_path_ahead),
        .out_quiet (voq_quiet),
        .moved_valid (moved_valid), .moved_lost (moved_lost), .moved_queue (moved_queue),
        .credit_valid (credit_valid), .credit_lane (credit_lane), .credit_value (credit_value), .credit_taken (credit_taken),
        .cfg_direct (cfg_direct), .cfg_sequence_zero (cfg_sequence_zero), .cfg_tx_capacity (cfg_tx_capacity),
        .cfg_body_limit (cfg_body_limit),
        .win_req (win_req), .win_we (win_we), .win_addr (win_addr), .win_wdata (win_wdata), .win_be (win_be),
        .win_ack (win_ack), .win_rdata (win_rdata),
        .mem_valid (mem_valid), .mem_ready (mem_ready), .mem_we (mem_we), .mem_addr (mem_addr), .mem_wdata (mem_wdata),
        .mem_be (mem_be), .mem_rvalid (mem_rvalid), .mem_rdata (mem_rdata),
        .level_words (voq_words), .level_blocks (voq_blocks), .free_blocks (free_blocks), .states (voq_states),
        .ev_migrated (ev_migrated), .ev_fetched (ev_fetched), .ev_damaged (ev_damaged), .exhausted (body_exhausted),
        .backpressure (voq_backpressure), .ev_overflow (voq_overflow)
    );

    // ---- time
    generate
        if (MONITORING != 0) begin : time_of_stamps
            sync_count count (
                .src_clk (pci_clk), .src_rst (pci_rst), .src_run (cfg_stamps), .src_count (now),
                .dst_clk (net_clk), .dst_rst (net_rst), .dst_count (net_now)
            );
        end else begin : no_time
            assign now     = 32'd0;
            assign net_now = 32'd0;
        end
    endgenerate

    // ---- set-up into the network clock
    wire        net_direct, net_stamps;
    wire [6:0]  net_node_id;
    wire [11:0] net_tx_capacity;
    wire [3:0]  net_view_flow;
    wire [1:0]  net_loopback, net_bus_class;
    wire        setup_taken, setup_update;

    sync_word #(.WIDTH(29), .RESET({2'd0, 1'b0, 2'd0, 1'b0, 7'd0, 12'd2046, 4'd0})) setup_crossing (
        .src_clk (pci_clk), .src_rst (pci_rst), .src_taken (setup_taken),
        .src_data ({cfg_bus_class, cfg_stamps, settings[`NIC_SETTING_CONTROL_LOOPBACK], cfg_direct, settings[`NIC_SETTING_NODE_ID_ID],
                    cfg_tx_capacity, settings[`NIC_SETTING_VIEW_FLOW_FLOW]}),
        .dst_clk (net_clk), .dst_run_clk (net_run_clk), .dst_wake (setup_wake), .dst_rst (net_rst), .dst_update (setup_update),
        .dst_data ({net_bus_class, net_stamps, net_loopback, net_direct, net_node_id, net_tx_capacity, net_view_flow})
    );

    assign gt_loopback = {LINKS{net_loopback}};

    // ---- links with their FIFOs: one connection, or several by packet
    wire [PORTS*`NIC_NC_COUNT-1:0] network_events;
    wire [1:0]            counted_twice;
    wire                  dropped, rejected, n2h_overflow, link_fifo_error;
    wire [PORTS-1:0]      counted;
    wire [83:0]           net_view;     // see nic_link
    wire [15:0]           net_waits;
    wire [168:0]          tap;          // see nic_link; used only by MONITORING, which a build with several links does not have

    generate
        if (PORTS == 1) begin : one_link
            wire [LOG2_QUEUES:0] gone;
            wire [4*LINKS-1:0]   waits;
            wire                 header_stored;
            wire [6:0]           stored_source;
            wire [12:0]          told_unused;

            nic_link #(
                .LINKS(LINKS), .QUEUES(QUEUES), .SOURCES(SOURCES), .LOG2_FIFO(LOG2_FIFO), .LOG2_H2N(LOG2_H2N), .IDLE_WORDS(IDLE_WORDS),
                .STAMPS(MONITORING)
            ) link (
                .pci_clk (pci_clk), .pci_run_clk (pci_run_clk), .pci_rst (pci_rst), .pci_wake (links_told_pci),
                .h2n_wr_valid (h2n_wr_valid), .h2n_wr_data (h2n_wr_data), .h2n_wr_count (h2n_wr_count), .h2n_overflow (h2n_overflow),
                .n2h_rd_valid (n2h_rd_valid), .n2h_rd_data (n2h_rd_data), .n2h_rd_count (n2h_rd_count), .n2h_rd_pop (n2h_rd_pop),
                .n2h_underflow (n2h_underflow),
                .gone_valid (departed_valid), .gone_data (gone), .gone_pop (departed_valid),
                .credit_valid (credit_valid), .credit_data ({credit_lane, credit_value}), .credit_pop (credit_valid && credit_taken),
                .up (path_up), .dead (path_dead), .far_deaf (path_far_deaf),
                .record_due (1'b0), .refresh_due (1'b0), .dead_count (17'd0),
                .net_clk (net_clk), .net_run_clk (net_run_clk), .net_rst (net_rst), .net_busy (links_busy_net), .net_wake (links_told_net),
                .cfg_direct (net_direct), .cfg_node_id (net_node_id), .cfg_tx_capacity (net_tx_capacity), .cfg_bus_class (net_bus_class),
                .cfg_stamp (net_stamps), .now (net_now), .view_flow ({3'd0, net_view_flow}), .view (net_view), .waits (waits), .tap (tap),
                .header_stored (header_stored), .stored_source (stored_source), .suspects (16'd0),
                .told (told_unused),
                .gt_tx_data (gt_tx_data), .gt_tx_k (gt_tx_k), .gt_rx_data (gt_rx_data), .gt_rx_k (gt_rx_k),
                .gt_rx_notintable (gt_rx_notintable), .gt_rx_disperr (gt_rx_disperr), .gt_rx_loss_of_sync (gt_rx_loss_of_sync),
                .gt_rx_buf_status (gt_rx_buf_status), .gt_tx_buf_err (gt_tx_buf_err),
                .happens (network_events), .happens_twice (counted_twice), .dropped (dropped), .rejected (rejected),
                .n2h_overflow (n2h_overflow), .fifo_error (link_fifo_error)
            );

            assign {departed_local, departed_queue} = gone;
            assign links_busy_pci  = !h2n_empty;
            assign net_waits       = {{16-4*LINKS{1'b0}}, waits};
            assign counted         = 1'b1;
            assign credit_path     = 2'd0;
            assign n2h_rd_path     = 2'd0;
            assign n2h_rd_over     = 1'b0;
            assign n2h_rd_bad      = 1'b0;
            assign lost_valid      = 1'b0;
            assign lost_queue      = {LOG2_QUEUES{1'b0}};
            assign h2n_hold        = 1'b0;
            assign ev_order        = 1'b0;

            wire unused_link = &{1'b0, header_stored, stored_source, told_unused, lost_taken, h2n_wr_path};
        end else begin : by_packet
            wire [10:0] n2h_rd_wide;

            nic_paths #(
                .LINKS(LINKS), .QUEUES(QUEUES), .LOG2_FIFO(LOG2_FIFO), .LOG2_H2N(LOG2_H2N), .IDLE_WORDS(IDLE_WORDS)
            ) links (
                .pci_clk (pci_clk), .pci_run_clk (pci_run_clk), .pci_rst (pci_rst), .pci_busy (links_busy_pci), .pci_wake (links_told_pci),
                .h2n_wr_valid (h2n_wr_valid), .h2n_wr_path (h2n_wr_path), .h2n_wr_data (h2n_wr_data), .h2n_wr_count (h2n_wr_count),
                .h2n_hold (h2n_hold), .h2n_overflow (h2n_overflow), .path_up (path_up), .path_dead (path_dead),
                .path_far_deaf (path_far_deaf), .h2n_direct (cfg_direct), .h2n_node_id (settings[`NIC_SETTING_NODE_ID_ID]),
                .credit_valid (credit_valid), .credit_taken (credit_taken), .credit_path (credit_path), .credit_lane (credit_lane),
                .credit_value (credit_value),
                .n2h_rd_valid (n2h_rd_valid), .n2h_rd_data (n2h_rd_data), .n2h_rd_count (n2h_rd_wide), .n2h_rd_path (n2h_rd_path),
                .n2h_rd_pop (n2h_rd_pop), .n2h_rd_over (n2h_rd_over), .n2h_rd_bad (n2h_rd_bad), .n2h_underflow (n2h_underflow),
                .departed_valid (departed_valid), .departed_queue (departed_queue), .departed_local (departed_local),
                .lost_valid (lost_valid), .lost_queue (lost_queue), .lost_taken (lost_taken), .ev_order (ev_order),
                .net_clk (net_clk), .net_run_clk (net_run_clk), .net_rst (net_rst), .net_busy (links_busy_net), .net_wake (links_told_net),
                .cfg_direct (net_direct), .cfg_tx_capacity (net_tx_capacity),
                .view_flow ({3'd0, net_view_flow}), .cfg_view_link (settings[`NIC_SETTING_PATH_VIEW_LINK]),
                .cfg_counted (settings[`NIC_SETTING_PATH_VIEW_COUNTED]), .counted (counted), .view (net_view),
                .gt_tx_data (gt_tx_data), .gt_tx_k (gt_tx_k), .gt_rx_data (gt_rx_data), .gt_rx_k (gt_rx_k),
                .gt_rx_notintable (gt_rx_notintable), .gt_rx_disperr (gt_rx_disperr), .gt_rx_loss_of_sync (gt_rx_loss_of_sync),
                .gt_rx_buf_status (gt_rx_buf_status), .gt_tx_buf_err (gt_tx_buf_err),
                .happens (network_events), .dropped (dropped), .rejected (rejected), .n2h_overflow (n2h_overflow),
                .fifo_error (link_fifo_error)
            );

            assign n2h_rd_count  = n2h_rd_wide[LOG2_FIFO:0];
            assign net_waits     = 16'd0;
            assign tap           = 169'd0;
            assign counted_twice = 2'd0;

            wire unused_links = &{1'b0, net_now, net_stamps, net_bus_class, net_node_id, n2h_rd_wide};
        end
    endgenerate

    // ---- events and views into the PCI clock
    wire dropped_at_pci, rejected_at_pci, n2h_overflow_at_pci, net_fifo_error_at_pci, network_clear, net_clear, net_backpressure;

    reg  backpressure;

    always @(posedge pci_clk) backpressure <= voq_backpressure && !pci_rst;

    sync_bit backpressure_crossing (.clk (net_clk), .rst (net_rst), .in (backpressure), .out (net_backpressure));
    sync_event dropped_crossing  (.src_clk (net_clk), .src_rst (net_rst), .src_event (dropped),
                                  .dst_clk (pci_clk), .dst_rst (pci_rst), .dst_event (dropped_at_pci));
    sync_event rejected_crossing (.src_clk (net_clk), .src_rst (net_rst), .src_event (rejected),
                                  .dst_clk (pci_clk), .dst_rst (pci_rst), .dst_event (rejected_at_pci));
    sync_event overflow_crossing (.src_clk (net_clk), .src_rst (net_rst), .src_event (n2h_overflow),
                                  .dst_clk (pci_clk), .dst_rst (pci_rst), .dst_event (n2h_overflow_at_pci));
    sync_event fifo_crossing     (.src_clk (net_clk), .src_rst (net_rst), .src_event (link_fifo_error),
                                  .dst_clk (pci_clk), .dst_rst (pci_rst), .dst_event (net_fifo_error_at_pci));
    sync_event clear_crossing    (.src_clk (pci_clk), .src_rst (pci_rst), .src_event (network_clear),
                                  .dst_clk (net_clk), .dst_rst (net_rst), .dst_event (net_clear));

    wire [31:0] link_states;
    wire        loss_of_sync_at_pci, credit_seen_at_pci, link_up_at_pci, remote_fault_at_pci, view_taken, view_update;
    wire [11:0] tx_units_at_pci, tx_credit_at_pci, rx_units_at_pci, rx_forwarded_at_pci;

    wire [15:0] waits_at_pci;

    // Registers only show these, but for two bits (`switching`): so they may change while all else is gated, and wake nothing.
    sync_word #(.WIDTH(102)) view_crossing (
        .src_clk (net_clk), .src_rst (net_rst), .src_taken (view_taken),
        .src_data ({net_waits, net_stamps, net_direct, net_view}),
        .dst_clk (pci_clk), .dst_run_clk (pci_clk), .dst_wake (view_wake), .dst_rst (pci_rst), .dst_update (view_update),
        .dst_data ({waits_at_pci, stamps_at_link, direct_at_link, remote_fault_at_pci, link_states, loss_of_sync_at_pci, credit_seen_at_pci,
                    link_up_at_pci, tx_units_at_pci, tx_credit_at_pci, rx_units_at_pci, rx_forwarded_at_pci})
    );

    // the last ones are those of the transceivers of links 1 to 3, four each; by packet each link has the events of one link
    localparam NETWORK_COUNTERS = `NIC_NC_COUNT - 4 * (4 - LINKS);
    localparam OWN_COUNTERS     = NETWORK_COUNTERS - 4 * (PORTS - 1);
    wire [PORTS*OWN_COUNTERS-1:0] network_counted;
    wire [PORTS-1:0]              network_moves;
    genvar l;

    generate
        for (l = 0; l < PORTS; l = l + 1) begin : of_link
            wire [`NIC_NC_COUNT-1:0] happens = network_events[`NIC_NC_COUNT * l +: `NIC_NC_COUNT]
                                               | ({{`NIC_NC_COUNT-1{1'b0}}, net_backpressure && l == 0} << `NIC_NC_BACKPRESSURE);
            assign network_counted[OWN_COUNTERS * l +: OWN_COUNTERS] = happens[OWN_COUNTERS-1:0];
            // with several links by packet only events that may occur while a link is gated; any other follows something that has raised
            // its `busy` before the clock stops
            assign network_moves[l] = (PORTS == 1) ? |happens : (|happens[`NIC_NC_GT_UNKNOWN +: 4]) || happens[`NIC_NC_BACKPRESSURE];
        end
    endgenerate

    wire [5:0]  net_copy_index, copy_index;
    wire [31:0] net_copy_value, copy_value;
    wire        copy_taken, copy_update;

    generate
        if (PORTS == 1) begin : one_counted
            // two words in a clock count twice
            wire [`NIC_NC_COUNT-1:0] twice = {{`NIC_NC_COUNT-1{1'b0}}, counted_twice[0]} << `NIC_NC_OUT_WORD
                                             | {{`NIC_NC_COUNT-1{1'b0}}, counted_twice[1]} << `NIC_NC_IN_WORD;

            network_counters #(.PLACES(NETWORK_COUNTERS), .TWICE((BUNDLE == 4) ? 1 : 0)) network_count (
                .clk (net_run_clk), .copy_clk (net_clk), .rst (net_rst), .clear (net_clear),
                .event_vector (network_counted), .twice_vector (twice[OWN_COUNTERS-1:0]),
                .copy_index (net_copy_index), .copy_value (net_copy_value), .copy_taken (copy_taken)
            );
            wire unused_counters = &{1'b0, twice, counted};
        end else begin : several_counted
            link_counters #(.LINKS(PORTS), .OWN(OWN_COUNTERS), .ALONE(`NIC_NC_GT_UNKNOWN)) network_count (
                .clk (net_run_clk), .copy_clk (net_clk), .rst (net_rst), .clear (net_clear),
                .event_vector (network_counted), .counted (counted),
                .copy_index (net_copy_index), .copy_value (net_copy_value), .copy_taken (copy_taken)
            );
            wire unused_counters = &{1'b0, counted_twice};
        end
    endgenerate

    sync_word #(.WIDTH(38)) counter_crossing (
        .src_clk (net_clk), .src_rst (net_rst), .src_taken (copy_taken), .src_data ({net_copy_index, net_copy_value}),
        .dst_clk (pci_clk), .dst_run_clk (pci_clk), .dst_wake (copy_wake), .dst_rst (pci_rst), .dst_update (copy_update),
        .dst_data ({copy_index, copy_value})
    );

    wire [`NIC_EVENT_COUNT-1:0] events;
    assign events[`NIC_EVENT_H2N_OP]          = ev_transfer_read;
    assign events[`NIC_EVENT_N2H_OP]          = ev_packet_written;
    assign events[`NIC_EVENT_H2N_REQUEST]     = ev_read_request_done;
    assign events[`NIC_EVENT_N2H_REQUEST]     = ev_write_request_done;
    assign events[`NIC_EVENT_H2N_WORD]        = rd_data_valid;
    assign events[`NIC_EVENT_N2H_WORD]        = ev_write_word && writing_packet;
    assign events[`NIC_EVENT_H2N_ACTIVE]      = read_requesting;
    assign events[`NIC_EVENT_N2H_ACTIVE]      = write_requesting;
    assign events[`NIC_EVENT_H2N_GRANTED]     = read_bus_active;
    assign events[`NIC_EVENT_N2H_GRANTED]     = write_bus_active;
    assign events[`NIC_EVENT_H2N_DISCONNECT]  = ev_read_disconnect;
    assign events[`NIC_EVENT_N2H_DISCONNECT]  = ev_write_disconnect;
    assign events[`NIC_EVENT_IRQ_ACTIVE]      = irq_active;
    assign events[`NIC_EVENT_IRQ]             = ev_irq_assert;
    assign events[`NIC_EVENT_LOCAL_NOTIFIED]  = ev_local_notified;
    assign events[`NIC_EVENT_REMOTE_NOTIFIED] = ev_remote_notified;
    assign events[`NIC_EVENT_SPLIT]           = ev_split_response;
    assign events[`NIC_EVENT_SPLIT_WAITING]   = split_waiting;
    assign events[`NIC_EVENT_BAD_BODY]        = ev_bad_body;
    assign events[`NIC_EVENT_HEADER_STEP]     = ev_step;
    assign events[`NIC_EVENT_H2N_OVERFLOW]    = h2n_overflow || voq_overflow;
    assign events[`NIC_EVENT_N2H_OVERFLOW]    = n2h_overflow_at_pci;
    assign events[`NIC_EVENT_MIGRATED]        = ev_migrated;
    assign events[`NIC_EVENT_FETCHED]         = ev_fetched;
    assign events[`NIC_EVENT_BODY_EXHAUSTED]  = body_exhausted;
    assign events[`NIC_EVENT_DAMAGED]         = ev_damaged;
    assign events[`NIC_EVENT_DIRECT_REFUSED]  = direct_refused;
    assign events[`NIC_EVENT_STAMPS_REFUSED]  = stamps_refused;
    assign events[`NIC_EVENT_BAD_LENGTH]      = ev_bad_length;
    assign events[`NIC_EVENT_BAD_ADDRESS]     = ev_bad_address;
    assign events[`NIC_EVENT_BAD_FLOW]        = ev_bad_flow;
    assign events[`NIC_EVENT_OVERWRITE]       = ev_overwrite;
    assign events[`NIC_EVENT_PARTIAL]         = ev_partial;
    assign events[`NIC_EVENT_READ_FAILED]     = ev_read_failed;
    assign events[`NIC_EVENT_WRITE_ERROR]     = ev_write_error;
    assign events[`NIC_EVENT_READ_GIVEN_UP]   = ev_read_given_up;
    assign events[`NIC_EVENT_UNEXPECTED_COMPLETION] = ev_unexpected_completion;
    assign events[`NIC_EVENT_GAP]             = ev_gap;
    assign events[`NIC_EVENT_FLAGGED]         = ev_flagged;
    assign events[`NIC_EVENT_PACKET_DROPPED]  = dropped_at_pci;
    assign events[`NIC_EVENT_CREDIT_REJECTED] = rejected_at_pci;
    assign events[`NIC_EVENT_FIFO_ERROR]      = h2n_overflow || voq_overflow || n2h_overflow_at_pci || n2h_underflow || wr_underflow
                                                || ev_internal_overflow || net_fifo_error_at_pci || ev_order;

    wire [31:0] receive_clocks, receive_packets;
    wire [`NIC_VIEW_BITS-1:0] views;
    assign views[`NIC_VIEW_LINK_STATUS_UP]           = link_up_at_pci;
    assign views[`NIC_VIEW_LINK_STATUS_CREDIT_SEEN]  = credit_seen_at_pci;
    assign views[`NIC_VIEW_LINK_STATUS_LOSS_OF_SYNC] = loss_of_sync_at_pci;
    assign views[`NIC_VIEW_LINK_STATUS_REMOTE_FAULT] = remote_fault_at_pci;
    assign {views[`NIC_VIEW_LINK_WAITS_LINK3], views[`NIC_VIEW_LINK_WAITS_LINK2], views[`NIC_VIEW_LINK_WAITS_LINK1],
            views[`NIC_VIEW_LINK_WAITS_LINK0]}           = waits_at_pci;
    assign views[`NIC_VIEW_BUS_CLASS_FREQUENCY]      = cfg_bus_class;
    assign views[`NIC_VIEW_TX_SPACE_TRANSMITTED]     = tx_units_at_pci;
    assign views[`NIC_VIEW_TX_SPACE_CREDIT]          = tx_credit_at_pci;
    assign views[`NIC_VIEW_RX_SPACE_RECEIVED]        = rx_units_at_pci;
    assign views[`NIC_VIEW_RX_SPACE_FORWARDED]       = rx_forwarded_at_pci;
    assign views[`NIC_VIEW_DMA_STATES]               = dma_states;
    assign views[`NIC_VIEW_BUS_STATES]               = bus_states;
    assign views[`NIC_VIEW_LINK_STATES]              = link_states;
    assign views[`NIC_VIEW_VOQ_STATES]               = voq_states;
    assign views[`NIC_VIEW_TIME]                     = now;
    assign views[`NIC_VIEW_PATH_STATUS_UP]           = up_shown;
    assign views[`NIC_VIEW_PATH_STATUS_DEAD]         = dead_shown;
    assign views[`NIC_VIEW_PATH_STATUS_REMOTE_FAULT] = far_deaf_shown;
    assign views[`NIC_VIEW_RESEQ_DEPTH_MOST]         = reseq_depth;
    assign views[`NIC_VIEW_RESEQ_EVENTS_LATE]        = late_packets;
    assign views[`NIC_VIEW_RESEQ_EVENTS_ANEW]        = anew_packets;
    assign views[`NIC_VIEW_RECEIVE_CLOCKS]           = receive_clocks;
    assign views[`NIC_VIEW_RECEIVE_PACKETS]          = receive_packets;

    // ---- sampling facility and tracing memories
    wire [`NIC_MONITORING_BITS-1:0] monitored;
    wire [31:0] status_set;
    wire [7:0]  net_slept;
    wire        pci_monitoring, net_monitoring;

    generate
        if (MONITORING != 0) begin : with_monitoring
            wire        h2n_full, h2n_valid, h2n_pop, n2h_wr_valid, n2h_full, n2h_empty, rx_sop;
            wire [67:0] h2n_data, n2h_wr_data;
            wire [6:0]  accepted_lane, accepted_value;
            wire [11:0] accepted_units;
            assign {h2n_full, h2n_valid, h2n_pop, h2n_data, n2h_wr_valid, n2h_full, n2h_wr_data, accepted_lane, accepted_value,
                    accepted_units, rx_sop, n2h_empty} = tap;

            monitoring #(.STALLED(SAMPLE_STALLED)) monitor (
                .pci_clk (pci_clk), .pci_run_clk (pci_run_clk), .pci_rst (pci_rst), .pci_busy (pci_monitoring),
                .wr_valid (reg_wr_valid && !reg_wr_addr[14]), .wr_addr (reg_wr_addr[13:3]), .wr_data (reg_wr_data), .wr_be (reg_wr_be),
                .shown (monitored), .status_set (status_set), .dma (read_requesting || write_requesting), .stalled (voq_backpressure),
                .h2n_in_valid (h2n_wr_valid), .h2n_in_full (h2n_full), .h2n_in_data (h2n_wr_data),
                .n2h_out_valid (n2h_rd_valid), .n2h_out_pop (n2h_rd_pop), .n2h_out_data (n2h_rd_data),
                .net_clk (net_clk), .net_run_clk (net_run_clk), .net_rst (net_rst), .net_busy (net_monitoring),
                .h2n_out_valid (h2n_valid), .h2n_out_pop (h2n_pop), .h2n_out_held (network_events[`NIC_NC_BACKPRESSURE]),
                .h2n_out_data (h2n_data),
                .n2h_in_valid (n2h_wr_valid), .n2h_in_full (n2h_full), .n2h_in_data (n2h_wr_data),
                .header_crc_error (network_events[`NIC_NC_HEADER_CRC_ERROR]),
                .credit_accepted (network_events[`NIC_NC_CREDIT_ACCEPTED]), .credit_rejected (rejected),
                .credit_lane (accepted_lane), .credit_value (accepted_value), .credit_units (accepted_units),
                .credit_sent (network_events[`NIC_NC_CREDIT_SENT]), .rx_units (net_view[23:12]), .rx_forwarded (net_view[11:0])
            );

            receive_timer timer (
                .net_clk (net_clk), .net_rst (net_rst), .net_now (net_now[23:0]), .sop (rx_sop),
                .stored (n2h_wr_valid && n2h_wr_data[64]), .empty (n2h_empty),
                .pci_clk (pci_clk), .pci_rst (pci_rst), .run (cfg_stamps), .now (now[23:0]),
                .taken (n2h_rd_valid && n2h_rd_pop && n2h_rd_data[64]),
                .requested (write_requesting && writing_packet), .clocks (receive_clocks), .packets (receive_packets)
            );
        end else begin : without_monitoring
            assign monitored      = {`NIC_MONITORING_BITS{1'b0}};
            assign pci_monitoring = 1'b0;
            assign net_monitoring = 1'b0;
            assign {receive_clocks, receive_packets} = 64'd0;
            wire   unused         = &{1'b0, status_set, tap};
        end
    endgenerate

    // ---- registers
    nic_registers #(
        .QUEUES(QUEUES), .QUEUE_DEPTH(1024 / QUEUES), .LINKS(LINKS), .BOND(BOND), .SPLITS(SPLITS), .FIFO_WORDS(FIFO_WORDS),
        .PAYLOAD_LIMIT(PAYLOAD_LIMIT), .CUT_THROUGH(CUT_THROUGH), .VOQS(VOQS), .LOG2_VOQ_WORDS(LOG2_VOQ_WORDS),
        .SEGMENT_WORDS(SEGMENT_WORDS), .BLOCK_WORDS(BLOCK_WORDS), .LOG2_BLOCKS(LOG2_BLOCKS)
    ) registers (
        .clk (pci_run_clk), .copy_clk (pci_clk), .rst (pci_rst), .busy (registers_busy),
        .wr_valid (reg_wr_valid && !reg_wr_addr[14]), .wr_addr (reg_wr_addr[13:3]), .wr_data (reg_wr_data), .wr_be (reg_wr_be),
        .rd_addr (reg_rd_addr[13:3]), .rd_data (register_data),
        .settings (settings), .cfg_queue_reset (cfg_queue_reset), .queues_resetting (queues_resetting),
        .soft_reset (soft_reset), .soft_reset_done (soft_reset_done), .cfg_payload_limit (cfg_payload_limit),
        .cfg_cut_through (cfg_cut_through), .cfg_remote_notify (cfg_remote_notify), .cfg_local_notify (cfg_local_notify),
        .cfg_body_limit (cfg_body_limit),
        .cfg_path_ahead (cfg_path_ahead), .direct_held (direct_held), .direct_refused (direct_refused),
        .stamps_held (stamps_held), .stamps_refused (stamps_refused),
        .views (views), .monitoring (monitored), .queue_heads (queue_heads), .queue_tails (queue_tails), .queue_fulls (queue_fulls),
        .view_pair (view_pair), .view_departed (view_departed), .view_skipped (view_skipped),
        .voq_words (voq_words), .voq_blocks (voq_blocks), .free_blocks (free_blocks),
        .copy_update (copy_update), .copy_index (copy_index), .copy_value (copy_value), .network_clear (network_clear),
        .events (events), .status_set (status_set)
    );

    // ---- clock gating: the clock of idle logic is stopped, but for pins, crossings and timers
    wire network_told = links_told_pci || dropped_at_pci || rejected_at_pci
                              || n2h_overflow_at_pci || net_fifo_error_at_pci;
    wire host_told    = links_told_net || net_clear || setup_wake;

    clock_rest pci_rest (
        .clk (pci_clk), .rst (pci_rst),
        .busy (bus_busy || dma_busy || voq_busy || registers_busy || pci_monitoring || irq_active || network_told
               || links_busy_pci || switching),
        .run (pci_run), .run_clk (pci_run_clk), .slept (pci_slept)
    );

    clock_rest net_rest (
        .clk (net_clk), .rst (net_rst),
        .busy (links_busy_net || net_monitoring || host_told || (|network_moves)),
        .run (net_run), .run_clk (net_run_clk), .slept (net_slept)
    );

    wire unused = &{1'b0, settings, reg_rd_valid, cfg_memory_enable, ev_parity_error, ev_start, n2h_rd_count[LOG2_FIFO],
                    n2h_rd_count_wide, setup_taken, setup_update, copy_wake, view_wake, view_taken, view_update, net_slept};
endmodule
`default_nettype wire
