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
//        +---------------------------- nic_counters <-------- events ---+
//
// The FIFOs and the link are in nic_link; several links by packet in nic_paths, one nic_link each. Resets, clock gating
// and all else that crosses between the clocks is in nic_clocks.
//
// Everything left of the FIFOs runs on pci_clk, everything right of them on net_clk; signals cross only through the
// cells of rtl/common. One reset for both: the RST# pin of the bus, released in step with each clock.
//
// Events and views of the registers are wires named after registers.map, ev_EVENT and view_REGISTER_FIELD
// (nic_register_wires.vh).
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
    // cut-through ratio at 100 MHz: 64-bit words that the network delivers per PCI clock, in 1/256; at 66 and 133 MHz
    // it resets to 3/2 and 3/4 of that, at most 511
    parameter CUT_THROUGH = 96 * ((BOND == 1) ? 1 : LINKS),
    // network clocks within which an idle word is sent (clock correction for 200 ppm)
    parameter IDLE_WORDS = 2048,
    // 1: with logic that only measures: sampling facility, tracing memories (monitoring.v), time stamps in packets; 0:
    // without, their registers read 0
    parameter MONITORING = 0,
    // 1: the samples have their last column, see sampler.v
    parameter SAMPLE_STALLED = 1,
    // 1: remote queues, counters and words (rtl/sync), not for links by packet, and with VOQS = QUEUES; 0: without
    parameter SYNC = 0
) (
    // PCI-X, 1.0b Mode 1: each bidirectional pin as _i, _o, _oe; levels are the bus's own
    input  wire        pci_clk,
    input  wire        pci_run_clk,  // pci_clk through a clock buffer (BUFGCE) outside, with this enable
    output wire        pci_run,
    input  wire        pci_rst_n,
    input  wire [63:0] ad_i,        output wire [63:0] ad_o,        output wire [1:0] ad_oe,   // [1]: the upper half
    input  wire [7:0]  cbe_n_i,     output wire [7:0]  cbe_n_o,     output wire [1:0] cbe_n_oe,// the same
    input  wire        par_i,       output wire        par_o,       output wire       par_oe,
    input  wire        par64_i,     output wire        par64_o,     output wire       par64_oe,
    input  wire        frame_n_i,   output wire        frame_n_o,   output wire       frame_n_oe,
    input  wire        irdy_n_i,    output wire        irdy_n_o,    output wire       irdy_n_oe,
    input  wire        trdy_n_i,    output wire        trdy_n_o,    output wire       trdy_n_oe,
    input  wire        devsel_n_i,  output wire        devsel_n_o,  output wire       devsel_n_oe,
    input  wire        stop_n_i,    output wire        stop_n_o,    output wire       stop_n_oe,
    input  wire        req64_n_i,   output wire        req64_n_o,   output wire       req64_n_oe,
    input  wire        ack64_n_i,   output wire        ack64_n_o,   output wire       ack64_n_oe,
    input  wire        perr_n_i,    output wire        perr_n_o,    output wire       perr_n_oe,
    input  wire        serr_n_i,
    output wire        serr_n_oe,    // open drain: 1 pulls SERR# low
    input  wire        idsel_i,
    input  wire        gnt_n_i,
    output wire        req_n_o,
    output wire        req_n_oe,
    output wire        inta_n_oe,    // open drain: 1 pulls INTA# low

    // external memory (PCI clock), 72 bits: a tag byte above the 64 data bits. An access shown while ready is taken;
    // reads are answered in order, any number of clocks later, at most 16 at a time
    output wire                 mem_valid,
    input  wire                 mem_ready,
    output wire                 mem_we, // 1: a write
    output wire [BAR0_BITS-1:3] mem_addr,
    output wire [71:0]          mem_wdata,
    output wire [8:0]           mem_be, // bytes that are written
    input  wire                 mem_rvalid,
    input  wire [71:0]          mem_rdata,

    // transceivers: link l has 32 bits per clock in [32*l +: 32], byte [31:24] first, and four flags, one per byte, in
    // [4*l +: 4]; K flag bit 3 belongs to the first byte
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
    // log2 of the host-to-net FIFO [64-bit words]: a packet of a bundle starts when enough of it is stored that it
    // cannot run dry (link_tx_bundle); that of one link by packet holds more than the longest packet
    localparam LOG2_H2N    = (PORTS > 1) ? 10 : (LINKS == 4) ? 9 : (LINKS == 2) ? 7 : 6;
    // 64-bit words of the net-to-host FIFO
    localparam FIFO_WORDS  = (1 << LOG2_FIFO) - ((BUNDLE == 4) ? 2 : 1);
    localparam LOG2_QUEUES = $clog2(QUEUES);

    initial begin
        if ((LINKS != 1 && LINKS != 2 && LINKS != 4) || (BOND != 0 && BOND != 1)) begin
            $display("%m: LINKS must be 1, 2 or 4, is %0d; BOND 0 (by byte) or 1 (by packet), is %0d", LINKS, BOND);
            $finish;
        end
        if (QUEUES != 8 && QUEUES != 16) begin
            $display("%m: QUEUES must be 8 or 16, is %0d", QUEUES);
            $finish;
        end
        if (PORTS == 1 ? LOG2_FIFO != 10 && LOG2_FIFO != 11 : LOG2_FIFO < 8 || LOG2_FIFO > 10) begin
            $display("%m: LOG2_FIFO must be 10 or 11 (a credit counter has 12 bits), by packet 8..10, is %0d",
                     LOG2_FIFO);
            $finish;
        end
        if (PAYLOAD_LIMIT < 1 || PAYLOAD_LIMIT > 512 || CUT_THROUGH < 0 || CUT_THROUGH > 511) begin
            $display("%m: PAYLOAD_LIMIT must be 1..512, is %0d; CUT_THROUGH 0..511, is %0d", PAYLOAD_LIMIT,
                     CUT_THROUGH);
            $finish;
        end
        if (PAYLOAD_LIMIT + 17 > FIFO_WORDS) begin
            $display("%m: PAYLOAD_LIMIT must be at most %0d (the net-to-host FIFO less header, CRC, ", FIFO_WORDS - 17,
                     "and 30 units not reported yet), is %0d", PAYLOAD_LIMIT);
            $finish;
        end
        if ((MONITORING != 0 && MONITORING != 1) || (SYNC != 0 && (SYNC != 1 || PORTS > 1 || VOQS != QUEUES))) begin
            $display("%m: MONITORING must be 0 or 1, is %0d; SYNC 0 or (one link or by byte, VOQS = QUEUES) 1, is %0d",
                     MONITORING, SYNC);
            $finish;
        end
        if (LOG2_VOQ_WORDS < 10 || LOG2_VOQ_WORDS > 12) begin
            $display("%m: LOG2_VOQ_WORDS must be 10..12 (a ring holds the longest piece), is %0d", LOG2_VOQ_WORDS);
            $finish;
        end
    end

`include "nic_register_wires.vh"

    // ---- bus interface
    wire                pci_rst, net_rst, bus_busy, dma_busy, voq_busy, registers_busy;
    wire                reg_wr_valid, reg_rd_valid;
    wire [14:3]         reg_wr_addr, reg_rd_addr;
    wire [7:0]          pci_slept, reg_wr_be, win_be;
    wire                wr_req, wr_ack, wr_data_valid, wr_data_pop, wr_underflow, wr_done;
    wire                rd_req, rd_ack, rd_data_valid, rd_done;
    wire [1:0]          wr_status, rd_abandon;
    wire [63:0]         reg_wr_data, wr_addr, wr_data, rd_addr, rd_data;
    wire [9:0]          wr_words, rd_words, cfg_max_read_words;
    wire [4:0]          rd_tag, rd_data_tag, rd_done_tag;
    wire [2:0]          rd_status;
    wire                arb_read, arb_write, arb_started, arb_started_write, arb_pick_write, arb_hold_write;
    wire                cfg_bus_master, cfg_memory_enable, irq_event, ev_parity_error, ev_write_word;
    wire [QUEUES*7-1:0] queue_heads, queue_tails;
    wire [QUEUES-1:0]   queue_fulls;
    wire                win_req, win_we, win_ack;
    wire [BAR0_BITS-1:3] win_addr;
    wire [63:0]         win_wdata, win_rdata;
    wire [`NIC_SETTING_BITS-1:0] settings;

    // BAR1: registers below 0x4000 (those of rtl/sync are 0 where the others are not), request queues above
    wire [63:0]         register_data, sync_data, queue_data;
    reg  [1:0]          reading_queue;

    always @(posedge pci_run_clk) reading_queue <= {reading_queue[0], reg_rd_addr[14]};

    pcix_core #(.DECODE(DECODE), .BAR0_BITS(BAR0_BITS), .BAR1_BITS(15), .SPLITS(SPLITS)) pcix (
        .pin_clk (pci_clk), .clk (pci_run_clk), .rst (pci_rst), .rst_n_pin (pci_rst_n), .busy (bus_busy), .ad_i (ad_i),
        .ad_o (ad_o), .ad_oe (ad_oe), .cbe_n_i (cbe_n_i), .cbe_n_o (cbe_n_o), .cbe_n_oe (cbe_n_oe), .par_i (par_i),
        .par_o (par_o), .par_oe (par_oe), .par64_i (par64_i), .par64_o (par64_o), .par64_oe (par64_oe),
        .frame_n_i (frame_n_i), .frame_n_o (frame_n_o), .frame_n_oe (frame_n_oe), .irdy_n_i (irdy_n_i),
        .irdy_n_o (irdy_n_o), .irdy_n_oe (irdy_n_oe), .trdy_n_i (trdy_n_i), .trdy_n_o (trdy_n_o),
        .trdy_n_oe (trdy_n_oe), .devsel_n_i (devsel_n_i), .devsel_n_o (devsel_n_o), .devsel_n_oe (devsel_n_oe),
        .stop_n_i (stop_n_i), .stop_n_o (stop_n_o), .stop_n_oe (stop_n_oe), .req64_n_i (req64_n_i),
        .req64_n_o (req64_n_o), .req64_n_oe (req64_n_oe), .ack64_n_i (ack64_n_i), .ack64_n_o (ack64_n_o),
        .ack64_n_oe (ack64_n_oe), .perr_n_i (perr_n_i), .perr_n_o (perr_n_o), .perr_n_oe (perr_n_oe),
        .serr_n_i (serr_n_i), .serr_n_oe (serr_n_oe), .idsel_i (idsel_i), .gnt_n_i (gnt_n_i), .req_n_o (req_n_o),
        .req_n_oe (req_n_oe), .inta_n_oe (inta_n_oe), .reg_wr_valid (reg_wr_valid), .reg_wr_addr (reg_wr_addr),
        .reg_wr_data (reg_wr_data), .reg_wr_be (reg_wr_be), .reg_rd_valid (reg_rd_valid), .reg_rd_addr (reg_rd_addr),
        .reg_rd_data (reading_queue[1] ? queue_data : register_data | sync_data), .win_req (win_req), .win_we (win_we),
        .win_addr (win_addr), .win_wdata (win_wdata), .win_be (win_be), .win_ack (win_ack), .win_rdata (win_rdata),
        .wr_req (wr_req), .wr_addr (wr_addr), .wr_words (wr_words), .wr_ack (wr_ack), .wr_data (wr_data),
        .wr_data_valid (wr_data_valid), .wr_data_pop (wr_data_pop), .wr_underflow (wr_underflow), .wr_done (wr_done),
        .wr_status (wr_status), .rd_req (rd_req), .rd_addr (rd_addr), .rd_words (rd_words), .rd_tag (rd_tag),
        .rd_ack (rd_ack), .rd_data (rd_data), .rd_data_valid (rd_data_valid), .rd_data_tag (rd_data_tag),
        .rd_done (rd_done), .rd_done_tag (rd_done_tag), .rd_status (rd_status), .rd_abandon (rd_abandon),
        .arb_read (arb_read), .arb_write (arb_write), .arb_started (arb_started),
        .arb_started_write (arb_started_write), .arb_pick_write (arb_pick_write), .arb_hold_write (arb_hold_write),
        .cfg_bus_master (cfg_bus_master), .cfg_memory_enable (cfg_memory_enable),
        .cfg_max_read_words (cfg_max_read_words), .cfg_bus_class (view_bus_class_frequency),
        .cfg_completion_timer (settings[`NIC_SETTING_COMPLETION_TIMER_CLOCKS]), .irq_event (irq_event),
        .queue0_head (queue_heads[6:0]), .queue0_tail (queue_tails[6:0]), .irq_active (ev_irq_active),
        .ev_irq_assert (ev_irq), .ev_read_request_done (ev_h2n_request), .ev_read_disconnect (ev_h2n_disconnect),
        .read_bus_active (ev_h2n_granted), .read_requesting (ev_h2n_active), .ev_write_request_done (ev_n2h_request),
        .ev_write_disconnect (ev_n2h_disconnect), .write_bus_active (ev_n2h_granted), .write_requesting (ev_n2h_active),
        .ev_write_word (ev_write_word), .ev_split_response (ev_split), .split_waiting (ev_split_waiting),
        .ev_unexpected_completion (ev_unexpected_completion), .ev_read_abandoned (ev_read_abandoned),
        .ev_parity_error (ev_parity_error), .fsm_states (view_bus_states)
    );

    `DMA_ARBITER #(.READS_IN_ROW((SPLITS > 1) ? 1 : 2)) arbiter (
        .clk (pci_run_clk), .rst (pci_rst), .arb_read (arb_read), .arb_write (arb_write), .arb_started (arb_started),
        .arb_started_write (arb_started_write), .arb_pick_write (arb_pick_write)
    );

    // ---- set-up
    wire        cfg_direct           = settings[`NIC_SETTING_CONTROL_DIRECT];
    wire        cfg_stamps           = settings[`NIC_SETTING_CONTROL_TIME_STAMPS];
    wire        cfg_sequence_zero    = settings[`NIC_SETTING_CONTROL_SEQUENCE_ZERO];
    wire        cfg_queue_reset, queues_resetting, soft_reset, soft_reset_done, network_clear;
    wire [9:0]  cfg_payload_limit, cfg_path_ahead;
    wire [8:0]  cfg_cut_through;
    wire [63:0] cfg_remote_notify, cfg_local_notify;
    wire [LOG2_BLOCKS:0] cfg_body_limit;

    // ---- several links by packet: which are used
    wire [63:0]             send_all    = {settings[`NIC_SETTING_SEND_PATHS_HIGH],
                                           settings[`NIC_SETTING_SEND_PATHS_LOW]};
    wire [63:0]             receive_all = {settings[`NIC_SETTING_RECEIVE_PATHS_HIGH],
                                           settings[`NIC_SETTING_RECEIVE_PATHS_LOW]};
    wire [PORTS*QUEUES-1:0] send_paths;
    wire [PORTS*KNOWN-1:0]  receive_paths;
    wire [PORTS-1:0]        path_up, path_dead, path_far_deaf;
    genvar d;

    generate
        if (PORTS == 1) begin : one_path
            assign send_paths    = {QUEUES{1'b1}};
            assign receive_paths = {KNOWN{1'b1}};
        end else begin : several_paths
            for (d = 0; d < QUEUES; d = d + 1) begin : of_node
                assign send_paths[PORTS*d +: PORTS]    = send_all[4*d +: PORTS];
                assign receive_paths[PORTS*d +: PORTS] = receive_all[4*d +: PORTS];
            end
        end
    endgenerate

    assign view_path_status_up           = {{4-PORTS{1'b0}}, path_up} & {4{PORTS > 1}};
    assign view_path_status_dead         = {{4-PORTS{1'b0}}, path_dead};
    assign view_path_status_remote_fault = {{4-PORTS{1'b0}}, path_far_deaf};

    // ---- DMA engine
    wire                   voq_hold, voq_pause, voq_reserve, voq_wr_valid, voq_wr_commit, voq_wr_rollback, voq_wr_eager,
                           voq_piece_end;
    wire [QUEUES*11-1:0]   voq_room;
    wire [10:0]            voq_reserve_words;
    wire [67:0]            voq_wr_data, n2h_rd_data;
    wire                   voq_flush, voq_idle, moved_valid, moved_lost, dropped_valid, departed_valid, departed_local;
    wire [LOG2_QUEUES-1:0] voq_reserve_queue, moved_queue, dropped_queue, departed_queue, lost_queue;
    wire                   n2h_rd_valid, n2h_rd_pop, n2h_rd_over, n2h_rd_bad, n2h_underflow, lost_valid, lost_taken;
    wire [LOG2_FIFO:0]     n2h_rd_count;
    wire [11:0]            n2h_rd_count_wide = {{11-LOG2_FIFO{1'b0}}, n2h_rd_count};
    wire [1:0]             n2h_rd_path;
    wire [LOG2_QUEUES-2:0] view_pair;
    wire [63:0]            view_departed, view_skipped;
    wire                   cfg_groups, dma_sending, writing_packet, ev_start, ev_late, ev_restart, ev_internal_overflow;
    wire [31:0]            now, net_now;   // PCI clocks, and a copy in the network clock

    // a transfer has a header and a word at least: half as many transfers as words fit in external memory, less on chip
    localparam INSIDE_BITS = LOG2_BLOCKS + $clog2(BLOCK_WORDS) > 14 ? LOG2_BLOCKS + $clog2(BLOCK_WORDS) : 14;

    dma_engine #(
        .QUEUES(QUEUES), .SPLITS(SPLITS), .SOURCES(KNOWN), .PATHS(PORTS), .INSIDE_BITS(INSIDE_BITS),
        .STAMPS(MONITORING), .SHARED_ROOM(VOQS == 1), .SYNC(SYNC)
    ) dma (
        .clk (pci_run_clk), .rst (pci_rst), .slept (pci_slept), .busy (dma_busy), .sending (dma_sending),
        .q_wr_valid (reg_wr_valid && reg_wr_addr[14]), .q_wr_addr (reg_wr_addr[13:3]), .q_wr_data (reg_wr_data),
        .q_wr_be (reg_wr_be), .q_rd_addr (reg_rd_addr[13:3]), .q_rd_data (queue_data),
        .s_wr_valid (reg_wr_valid && !reg_wr_addr[14]), .s_rd_addr (reg_rd_addr[13:3]), .s_rd_data (sync_data),
        .cfg_groups (cfg_groups), .wr_req (wr_req), .wr_addr (wr_addr), .wr_words (wr_words), .wr_ack (wr_ack),
        .wr_data (wr_data), .wr_data_valid (wr_data_valid), .wr_data_pop (wr_data_pop), .wr_done (wr_done),
        .wr_status (wr_status), .wr_underflow (wr_underflow), .arb_hold_write (arb_hold_write), .rd_req (rd_req),
        .rd_addr (rd_addr), .rd_words (rd_words), .rd_tag (rd_tag), .rd_ack (rd_ack), .rd_data (rd_data),
        .rd_data_valid (rd_data_valid), .rd_data_tag (rd_data_tag), .rd_done (rd_done), .rd_done_tag (rd_done_tag),
        .rd_status (rd_status), .rd_abandon (rd_abandon), .voq_hold (voq_hold), .voq_pause (voq_pause),
        .voq_room (voq_room), .voq_reserve (voq_reserve), .voq_reserve_queue (voq_reserve_queue),
        .voq_reserve_words (voq_reserve_words), .voq_wr_valid (voq_wr_valid), .voq_wr_data (voq_wr_data),
        .voq_wr_commit (voq_wr_commit), .voq_wr_rollback (voq_wr_rollback), .voq_wr_eager (voq_wr_eager),
        .voq_piece_end (voq_piece_end), .flush (voq_flush), .voq_idle (voq_idle), .dropped_valid (dropped_valid),
        .dropped_queue (dropped_queue), .moved_valid (moved_valid), .moved_lost (moved_lost),
        .moved_queue (moved_queue), .departed_valid (departed_valid), .departed_queue (departed_queue),
        .departed_local (departed_local), .lost_valid (lost_valid), .lost_queue (lost_queue), .lost_taken (lost_taken),
        .n2h_rd_valid (n2h_rd_valid), .n2h_rd_data (n2h_rd_data), .n2h_rd_count (n2h_rd_count_wide[10:0]),
        .n2h_rd_pop (n2h_rd_pop), .n2h_rd_path (n2h_rd_path), .n2h_rd_over (n2h_rd_over), .n2h_rd_bad (n2h_rd_bad),
        .cfg_receive_paths (receive_paths & ~{KNOWN{path_dead}}),
        .cfg_reseq_timeout (settings[`NIC_SETTING_RESEQ_TIMEOUT_CLOCKS]), .ev_late (ev_late), .ev_restart (ev_restart),
        .reseq_depth (view_reseq_depth_most), .cfg_bus_master (cfg_bus_master),
        .cfg_initiator_enable (settings[`NIC_SETTING_CONTROL_INITIATOR_ENABLE]), .cfg_queue_reset (cfg_queue_reset),
        .queues_resetting (queues_resetting), .cfg_sequence_zero (cfg_sequence_zero),
        .cfg_benchmark (settings[`NIC_SETTING_CONTROL_BENCHMARK]), .cfg_payload_limit (cfg_payload_limit),
        .cfg_max_read_words (cfg_max_read_words), .cfg_cut_through (cfg_cut_through),
        .cfg_remote_notify (cfg_remote_notify), .cfg_local_notify (cfg_local_notify), .stamp (cfg_stamps), .now (now),
        .soft_reset (soft_reset), .soft_reset_done (soft_reset_done), .queue_heads (queue_heads),
        .queue_tails (queue_tails), .queue_fulls (queue_fulls), .view_pair (view_pair), .view_departed (view_departed),
        .view_skipped (view_skipped), .fsm_states (view_dma_states), .irq_event (irq_event),
        .ev_overwrite (ev_overwrite), .ev_partial (ev_partial), .ev_bad_length (ev_bad_length),
        .ev_bad_address (ev_bad_address), .ev_bad_flow (ev_bad_flow), .ev_read_failed (ev_read_failed),
        .ev_transfer_read (ev_h2n_op), .ev_packet_written (ev_n2h_op), .ev_start (ev_start), .ev_gap (ev_gap),
        .ev_bad_body (ev_bad_body), .ev_write_error (ev_write_error), .ev_local_notified (ev_local_notified),
        .ev_remote_notified (ev_remote_notified), .ev_flagged (ev_flagged), .ev_step (ev_header_step),
        .writing_packet (writing_packet), .ev_internal_overflow (ev_internal_overflow)
    );

    // ---- virtual output queues
    wire               h2n_wr_valid, h2n_hold, h2n_overflow, credit_valid, credit_taken;
    wire [67:0]        h2n_wr_data;
    wire [PORTS*(LOG2_H2N+1)-1:0] h2n_wr_count;
    wire [1:0]         h2n_wr_path, credit_path;
    wire               h2n_empty = (h2n_wr_count == {PORTS*(LOG2_H2N+1){1'b0}});
    wire [6:0]         credit_lane, credit_value;
    wire [VOQS*12-1:0] voq_words;
    wire [VOQS*(LOG2_BLOCKS+1)-1:0] voq_blocks;
    wire [LOG2_BLOCKS:0] free_blocks;
    wire               voq_backpressure, voq_overflow, voq_quiet;

    // DIRECT: output queues and link must count each packet on the same virtual channel. So it changes only while no
    // packet is between them, and until the link has switched the link FIFO looks full. TIME_STAMPS likewise, for DMA
    // engine and link.
    wire               switching;
    wire               direct_held = switching || !voq_quiet || !h2n_empty;
    wire               stamps_held = direct_held || dma_sending || (voq_words != {VOQS*12{1'b0}})
                                     || (voq_blocks != {VOQS*(LOG2_BLOCKS+1){1'b0}});

    voq #(
        .QUEUES(QUEUES), .VOQS(VOQS), .LOG2_VOQ_WORDS(LOG2_VOQ_WORDS), .SEGMENT_WORDS(SEGMENT_WORDS),
        .BLOCK_WORDS(BLOCK_WORDS), .LOG2_BLOCKS(LOG2_BLOCKS), .LOG2_STAGING(LOG2_STAGING), .BAR0_BITS(BAR0_BITS),
        .PATHS(PORTS), .LOG2_OUT(LOG2_H2N), .SYNC(SYNC)
    ) queues (
        .clk (pci_run_clk), .rst (pci_rst), .slept (pci_slept), .busy (voq_busy), .voq_hold (voq_hold),
        .voq_pause (voq_pause), .voq_room (voq_room), .voq_reserve (voq_reserve),
        .voq_reserve_queue (voq_reserve_queue), .voq_reserve_words (voq_reserve_words), .voq_wr_valid (voq_wr_valid),
        .voq_wr_data (voq_wr_data), .voq_wr_commit (voq_wr_commit), .voq_wr_rollback (voq_wr_rollback),
        .voq_wr_eager (voq_wr_eager), .voq_piece_end (voq_piece_end), .flush (voq_flush), .voq_idle (voq_idle),
        .dropped_valid (dropped_valid), .dropped_queue (dropped_queue), .moved_valid (moved_valid),
        .moved_lost (moved_lost), .moved_queue (moved_queue), .out_valid (h2n_wr_valid), .out_data (h2n_wr_data),
        .out_count (h2n_wr_count | {PORTS{switching, {LOG2_H2N{1'b0}}}}), .out_path (h2n_wr_path), .out_hold (h2n_hold),
        .out_quiet (voq_quiet), .path_up (path_up), .path_dead (path_dead), .cfg_paths (send_paths),
        .cfg_ahead (cfg_path_ahead), .credit_path (credit_path), .credit_valid (credit_valid),
        .credit_lane (credit_lane), .credit_value (credit_value), .credit_taken (credit_taken),
        .cfg_direct (cfg_direct), .cfg_sequence_zero (cfg_sequence_zero), .cfg_groups (cfg_groups),
        .cfg_tx_capacity (settings[`NIC_SETTING_TX_CAPACITY_UNITS]), .cfg_body_limit (cfg_body_limit),
        .win_req (win_req), .win_we (win_we), .win_addr (win_addr), .win_wdata (win_wdata), .win_be (win_be),
        .win_ack (win_ack), .win_rdata (win_rdata), .mem_valid (mem_valid), .mem_ready (mem_ready), .mem_we (mem_we),
        .mem_addr (mem_addr), .mem_wdata (mem_wdata), .mem_be (mem_be), .mem_rvalid (mem_rvalid),
        .mem_rdata (mem_rdata), .level_words (voq_words), .level_blocks (voq_blocks), .free_blocks (free_blocks),
        .states (view_voq_states), .backpressure (voq_backpressure), .ev_migrated (ev_migrated),
        .ev_fetched (ev_fetched), .ev_damaged (ev_damaged), .exhausted (ev_body_exhausted), .ev_overflow (voq_overflow)
    );

    // ---- resets, clock gating, set-up into the network clock; events and views out of it
    wire        net_clear, net_backpressure, net_direct, net_stamps, net_fifo_error, dropped, rejected, n2h_overflow,
                link_fifo_error;
    wire        links_busy_pci, links_busy_net, links_wake_pci, links_wake_net, counters_busy, pci_monitoring,
                net_monitoring;
    wire [6:0]  net_node_id;
    wire [11:0] net_tx_capacity;
    wire [3:0]  net_view_flow;
    wire [1:0]  net_loopback, net_bus_class;
    wire [83:0] net_view;     // see nic_link
    wire [15:0] net_waits;

    nic_clocks clocks (
        .pci_clk (pci_clk), .pci_run_clk (pci_run_clk), .pci_run (pci_run), .pci_rst_n (pci_rst_n), .pci_rst (pci_rst),
        .pci_slept (pci_slept),
        .pci_busy (bus_busy || dma_busy || voq_busy || registers_busy || pci_monitoring || ev_irq_active
                   || links_wake_pci || links_busy_pci),
        .net_clk (net_clk), .net_run_clk (net_run_clk), .net_run (net_run), .net_rst (net_rst),
        .net_busy (links_busy_net || net_monitoring || links_wake_net || counters_busy),
        .settings (settings), .cfg_bus_class (view_bus_class_frequency), .net_bus_class (net_bus_class),
        .net_stamps (net_stamps), .net_loopback (net_loopback), .net_direct (net_direct), .net_node_id (net_node_id),
        .net_tx_capacity (net_tx_capacity), .net_view_flow (net_view_flow), .switching (switching),
        .net_view (net_view), .net_waits (net_waits),
        .view ({view_link_status_remote_fault, view_link_states, view_link_status_loss_of_sync,
                view_link_status_credit_seen, view_link_status_up, view_tx_space_transmitted, view_tx_space_credit,
                view_rx_space_received, view_rx_space_forwarded}),
        .waits ({view_link_waits_link3, view_link_waits_link2, view_link_waits_link1, view_link_waits_link0}),
        .dropped (dropped), .rejected (rejected), .n2h_overflow (n2h_overflow), .fifo_error (link_fifo_error),
        .ev_dropped (ev_packet_dropped), .ev_rejected (ev_credit_rejected), .ev_n2h_overflow (ev_n2h_overflow),
        .ev_fifo_error (net_fifo_error),
        .clear (network_clear), .backpressure (voq_backpressure), .net_clear (net_clear),
        .net_backpressure (net_backpressure)
    );

    assign gt_loopback = {LINKS{net_loopback}};

    // ---- links with their FIFOs: one connection, or several by packet
    wire [PORTS*`NIC_NC_COUNT-1:0] network_events;
    wire [1:0]            counted_twice;
    wire [PORTS-1:0]      counted;
    wire                  ev_order;

    // for MONITORING, see nic_link; WIDE: words per network clock
    localparam WIDE = (BUNDLE == 4) ? 2 : 1;
    wire [139*WIDE+58:0]  tap;
    wire [36*BUNDLE+1:0]  raw;
    wire [PORTS-1:0]      tap_sop, header_stored;
    wire [1:0]            tap_link;

    generate
        if (PORTS == 1) begin : one_link
            wire [LOG2_QUEUES:0] gone;
            wire [4*LINKS-1:0]   waits;
            wire [6:0]           stored_source;
            wire [12:0]          unused_lost_units;

            nic_link #(
                .LINKS(LINKS), .QUEUES(QUEUES), .SOURCES(SOURCES), .LOG2_FIFO(LOG2_FIFO), .LOG2_H2N(LOG2_H2N),
                .IDLE_WORDS(IDLE_WORDS),
                .STAMPS(MONITORING)
            ) link (
                .pci_clk (pci_clk), .pci_run_clk (pci_run_clk), .pci_rst (pci_rst), .pci_wake (links_wake_pci),
                .h2n_wr_valid (h2n_wr_valid), .h2n_wr_data (h2n_wr_data), .h2n_wr_count (h2n_wr_count),
                .h2n_overflow (h2n_overflow), .n2h_rd_valid (n2h_rd_valid), .n2h_rd_data (n2h_rd_data),
                .n2h_rd_count (n2h_rd_count), .n2h_rd_pop (n2h_rd_pop), .n2h_underflow (n2h_underflow),
                .gone_valid (departed_valid), .gone_data (gone), .gone_pop (departed_valid),
                .credit_valid (credit_valid), .credit_data ({credit_lane, credit_value}),
                .credit_pop (credit_valid && credit_taken), .up (path_up), .dead (path_dead), .far_deaf (path_far_deaf),
                .record_due (1'b0), .refresh_due (1'b0), .dead_count (17'd0), .net_clk (net_clk),
                .net_run_clk (net_run_clk), .net_rst (net_rst), .net_busy (links_busy_net), .net_wake (links_wake_net),
                .cfg_direct (net_direct), .cfg_node_id (net_node_id), .cfg_tx_capacity (net_tx_capacity),
                .cfg_bus_class (net_bus_class), .cfg_stamp (net_stamps), .now (net_now),
                .view_flow ({3'd0, net_view_flow}), .view (net_view), .waits (waits), .tap (tap),
                .raw (raw), .header_stored (header_stored), .stored_source (stored_source), .suspects (16'd0),
                .lost_units (unused_lost_units), .gt_tx_data (gt_tx_data), .gt_tx_k (gt_tx_k), .gt_rx_data (gt_rx_data),
                .gt_rx_k (gt_rx_k), .gt_rx_notintable (gt_rx_notintable), .gt_rx_disperr (gt_rx_disperr),
                .gt_rx_loss_of_sync (gt_rx_loss_of_sync), .gt_rx_buf_status (gt_rx_buf_status),
                .gt_tx_buf_err (gt_tx_buf_err), .happens (network_events), .happens_twice (counted_twice),
                .dropped (dropped), .rejected (rejected), .n2h_overflow (n2h_overflow), .fifo_error (link_fifo_error)
            );

            assign {departed_local, departed_queue} = gone;
            assign links_busy_pci = !h2n_empty;
            assign net_waits      = {{16-4*LINKS{1'b0}}, waits};
            assign counted        = 1'b1;
            assign tap_sop        = tap[1];
            assign {credit_path, n2h_rd_path, n2h_rd_over, n2h_rd_bad, lost_valid, h2n_hold, ev_order} = 9'd0;
            assign lost_queue     = {LOG2_QUEUES{1'b0}};

            wire unused_link = &{1'b0, stored_source, unused_lost_units, lost_taken, h2n_wr_path, tap_link};
        end else begin : by_packet
            wire [10:0] n2h_rd_wide;

            nic_paths #(.LINKS(LINKS), .QUEUES(QUEUES), .LOG2_FIFO(LOG2_FIFO), .LOG2_H2N(LOG2_H2N),
                        .IDLE_WORDS(IDLE_WORDS), .MONITORING(MONITORING)) links (
                .pci_clk (pci_clk), .pci_run_clk (pci_run_clk), .pci_rst (pci_rst), .pci_busy (links_busy_pci),
                .pci_wake (links_wake_pci), .h2n_wr_valid (h2n_wr_valid), .h2n_wr_path (h2n_wr_path),
                .h2n_wr_data (h2n_wr_data), .h2n_wr_count (h2n_wr_count), .h2n_hold (h2n_hold),
                .h2n_overflow (h2n_overflow), .path_up (path_up), .path_dead (path_dead),
                .path_far_deaf (path_far_deaf), .h2n_direct (cfg_direct),
                .h2n_node_id (settings[`NIC_SETTING_NODE_ID_ID]), .h2n_stamp (cfg_stamps), .credit_valid (credit_valid),
                .credit_taken (credit_taken), .credit_path (credit_path), .credit_lane (credit_lane),
                .credit_value (credit_value), .n2h_rd_valid (n2h_rd_valid), .n2h_rd_data (n2h_rd_data),
                .n2h_rd_count (n2h_rd_wide), .n2h_rd_path (n2h_rd_path), .n2h_rd_pop (n2h_rd_pop),
                .n2h_rd_over (n2h_rd_over), .n2h_rd_bad (n2h_rd_bad), .n2h_underflow (n2h_underflow),
                .departed_valid (departed_valid), .departed_queue (departed_queue), .departed_local (departed_local),
                .lost_valid (lost_valid), .lost_queue (lost_queue), .lost_taken (lost_taken), .ev_order (ev_order),
                .net_clk (net_clk), .net_run_clk (net_run_clk), .net_rst (net_rst), .net_busy (links_busy_net),
                .net_wake (links_wake_net), .cfg_direct (net_direct), .cfg_stamp (net_stamps), .now (net_now),
                .cfg_tx_capacity (net_tx_capacity), .view_flow ({3'd0, net_view_flow}), .view (net_view),
                .tap_link (tap_link), .tap (tap), .tap_sop (tap_sop), .header_stored (header_stored),
                .cfg_view_link (settings[`NIC_SETTING_PATH_VIEW_LINK]),
                .cfg_counted (settings[`NIC_SETTING_PATH_VIEW_COUNTED]), .counted (counted), .gt_tx_data (gt_tx_data),
                .gt_tx_k (gt_tx_k), .gt_rx_data (gt_rx_data), .gt_rx_k (gt_rx_k), .gt_rx_notintable (gt_rx_notintable),
                .gt_rx_disperr (gt_rx_disperr), .gt_rx_loss_of_sync (gt_rx_loss_of_sync),
                .gt_rx_buf_status (gt_rx_buf_status), .gt_tx_buf_err (gt_tx_buf_err), .happens (network_events),
                .dropped (dropped), .rejected (rejected), .n2h_overflow (n2h_overflow), .fifo_error (link_fifo_error)
            );

            assign n2h_rd_count  = n2h_rd_wide[LOG2_FIFO:0];
            assign net_waits     = 16'd0;
            assign raw           = 38'd0;
            assign counted_twice = 2'd0;

            wire unused_links = &{1'b0, net_bus_class, net_node_id, n2h_rd_wide};
        end
    endgenerate

    // ---- counters, in the network clock, and their copies
    wire        copy_update;
    wire [5:0]  copy_index;
    wire [31:0] copy_value;

    nic_counters #(.PORTS(PORTS), .BUNDLE(BUNDLE)) counters (
        .net_clk (net_clk), .net_run_clk (net_run_clk), .net_rst (net_rst), .net_busy (counters_busy),
        .happens (network_events), .happens_twice (counted_twice), .backpressure (net_backpressure), .counted (counted),
        .clear (net_clear), .pci_clk (pci_clk), .pci_run_clk (pci_run_clk), .pci_rst (pci_rst),
        .copy_update (copy_update), .copy_index (copy_index), .copy_value (copy_value), .ev_late (ev_late),
        .ev_restart (ev_restart), .late_packets (view_reseq_events_late), .restart_packets (view_reseq_events_anew)
    );

    // ---- events and views that are not an output as it is
    assign ev_h2n_word              = rd_data_valid;
    assign ev_n2h_word              = ev_write_word && writing_packet;
    assign ev_h2n_overflow          = h2n_overflow || voq_overflow;
    assign ev_fifo_error            = ev_h2n_overflow || ev_n2h_overflow || n2h_underflow || wr_underflow
                                      || ev_internal_overflow || net_fifo_error || ev_order;
    assign view_time                = now;

    // ---- sampling facility, tracing memories, time
    wire [`NIC_MONITORING_BITS-1:0] monitored;
    wire [31:0] status_set;

    generate
        if (MONITORING != 0) begin : with_monitoring
            wire               h2n_full, held, accepted, not_accepted, n2h_full, credit_sent, header_crc_error;
            wire               first_sop, n2h_empty;
            wire [WIDE-1:0]    h2n_valid, h2n_pop, n2h_wr_valid;
            wire [68*WIDE-1:0] h2n_data, n2h_wr_data;
            wire [6:0]         accepted_lane, accepted_value;
            wire [11:0]        accepted_units;
            wire [23:0]        rx_units;
            assign {h2n_full, h2n_valid, h2n_pop, held, h2n_data, accepted, not_accepted, accepted_lane, accepted_value,
                    accepted_units, n2h_wr_valid, n2h_full, n2h_wr_data, credit_sent, rx_units, header_crc_error,
                    first_sop, n2h_empty} = tap;
            wire unused_sop = first_sop;

            monitoring #(.STALLED(SAMPLE_STALLED), .LINKS(PORTS), .BUNDLE(BUNDLE)) monitor (
                .pci_clk (pci_clk), .pci_run_clk (pci_run_clk), .pci_rst (pci_rst), .pci_busy (pci_monitoring),
                .wr_valid (reg_wr_valid && !reg_wr_addr[14]), .wr_addr (reg_wr_addr[13:3]), .wr_data (reg_wr_data),
                .wr_be (reg_wr_be), .shown (monitored), .status_set (status_set), .dma (ev_h2n_active || ev_n2h_active),
                .stalled (voq_backpressure), .h2n_in_valid (h2n_wr_valid), .h2n_in_link (h2n_wr_path & {2{PORTS > 1}}),
                .h2n_in_full (h2n_full), .h2n_in_data (h2n_wr_data), .n2h_out_valid (n2h_rd_valid),
                .n2h_out_pop (n2h_rd_pop), .n2h_out_link (n2h_rd_path), .n2h_out_data (n2h_rd_data),
                .n2h_out_bad (n2h_rd_bad), .stamps (cfg_stamps), .requested (ev_n2h_active && writing_packet),
                .now (now), .receive_clocks (view_receive_clocks), .receive_packets (view_receive_packets),
                .net_clk (net_clk), .net_run_clk (net_run_clk), .net_rst (net_rst), .net_busy (net_monitoring),
                .net_link (tap_link), .h2n_out_valid (h2n_valid), .h2n_out_pop (h2n_pop), .h2n_out_held (held),
                .h2n_out_data (h2n_data), .n2h_in_valid (n2h_wr_valid), .n2h_in_full (n2h_full),
                .n2h_in_data (n2h_wr_data), .raw (raw), .waits (net_waits), .n2h_in_empty (n2h_empty),
                .stored (header_stored), .sop (tap_sop), .net_now (net_now), .header_crc_error (header_crc_error),
                .credit_accepted (accepted), .credit_rejected (not_accepted), .credit_lane (accepted_lane),
                .credit_value (accepted_value), .credit_units (accepted_units), .credit_sent (credit_sent),
                .rx_units (rx_units[23:12]), .rx_forwarded (rx_units[11:0])
            );
        end else begin : without_monitoring
            assign monitored = {`NIC_MONITORING_BITS{1'b0}};
            assign {pci_monitoring, net_monitoring, now, net_now, view_receive_clocks, view_receive_packets} = 130'd0;
            assign tap_link  = 2'd0;
            wire   unused    = &{1'b0, status_set, tap, tap_sop, header_stored, raw};
        end
    endgenerate

    // ---- registers
    nic_registers #(
        .QUEUES(QUEUES), .QUEUE_DEPTH(1024 / QUEUES), .LINKS(LINKS), .BOND(BOND), .SPLITS(SPLITS),
        .FIFO_WORDS(FIFO_WORDS), .PAYLOAD_LIMIT(PAYLOAD_LIMIT), .CUT_THROUGH(CUT_THROUGH), .VOQS(VOQS),
        .LOG2_VOQ_WORDS(LOG2_VOQ_WORDS), .SEGMENT_WORDS(SEGMENT_WORDS), .BLOCK_WORDS(BLOCK_WORDS),
        .LOG2_BLOCKS(LOG2_BLOCKS)
    ) registers (
        .clk (pci_run_clk), .copy_clk (pci_clk), .rst (pci_rst), .busy (registers_busy),
        .wr_valid (reg_wr_valid && !reg_wr_addr[14]), .wr_addr (reg_wr_addr[13:3]), .wr_data (reg_wr_data),
        .wr_be (reg_wr_be), .rd_addr (reg_rd_addr[13:3]), .rd_data (register_data), .settings (settings),
        .cfg_queue_reset (cfg_queue_reset), .queues_resetting (queues_resetting), .soft_reset (soft_reset),
        .soft_reset_done (soft_reset_done), .cfg_payload_limit (cfg_payload_limit), .cfg_cut_through (cfg_cut_through),
        .cfg_remote_notify (cfg_remote_notify), .cfg_local_notify (cfg_local_notify), .cfg_body_limit (cfg_body_limit),
        .cfg_path_ahead (cfg_path_ahead), .direct_held (direct_held), .direct_refused (ev_direct_refused),
        .stamps_held (stamps_held), .stamps_refused (ev_stamps_refused), .views (views), .monitoring (monitored),
        .queue_heads (queue_heads), .queue_tails (queue_tails), .queue_fulls (queue_fulls), .view_pair (view_pair),
        .view_departed (view_departed), .view_skipped (view_skipped), .voq_words (voq_words), .voq_blocks (voq_blocks),
        .free_blocks (free_blocks), .copy_update (copy_update), .copy_index (copy_index), .copy_value (copy_value),
        .network_clear (network_clear), .events (events), .status_set (status_set)
    );

    wire unused = &{1'b0, settings, reg_rd_valid, cfg_memory_enable, ev_parity_error, ev_start, n2h_rd_count[LOG2_FIFO],
                    n2h_rd_count_wide, send_all, receive_all, path_up};
endmodule
`default_nettype wire
