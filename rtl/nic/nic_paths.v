// Several links by packet (LINKS > 1, BOND = 1; S2 2.4, 2.6): only wiring. Each link has a nic_link: credits, check
// records, and FIFOs of both directions of its own.
//
//     voq -- packets, each to the link chosen -- voq_crc --> nic_link 0 .. --> transceivers
//      ^  ^--- credits, one in a clock ---------------------/  |  |  |
//      |       dma_departures <---- packets gone -------------/   |  |
//     dma_engine <-- dma_arrivals <--- packets ------------------/   |
//                           ^------- fifo_async <-- order ------- link_order
//
// H2N holds more than the longest packet, so that no link stops the departure of packets to others. If a link has been
// down for DEAD_CLOCKS its H2N is discarded; before that it waits, as in a port of the switch.
`default_nettype none
`include "nic_registers.vh"
module nic_paths #(
    // links, 2..4
    parameter LINKS = 2,
    // request queues = destinations = sources, 8 or 16
    parameter QUEUES = 8,
    // log2 of the words of each N2H, 8..10
    parameter LOG2_FIFO = 9,
    // log2 of the words of each H2N, 9 or 10
    parameter LOG2_H2N = 10,
    // network clocks within which an idle word is sent
    parameter IDLE_WORDS = 2048,
    // network clocks without synchronisation after which a link is dead; default 1 ms
    parameter DEAD_CLOCKS = 78125,
    // 1: with time stamps in packets, and signals for monitoring
    parameter MONITORING = 0,
    // log2 of the packets in all N2H whose order is kept
    parameter LOG2_ORDER = LOG2_FIFO + ((LINKS > 2) ? 1 : 0)
) (
    input  wire                   pci_clk,
    input  wire                   pci_run_clk,
    input  wire                   pci_rst,
    output wire                   pci_busy,         // clock_gate: work for pci_run_clk
    output wire                   pci_wake,

    // packets from voq; a header has [65] set in the first packet of its transfer
    input  wire                   h2n_wr_valid,
    input  wire [1:0]             h2n_wr_path,
    input  wire [67:0]            h2n_wr_data,
    output wire [LINKS*(LOG2_H2N+1)-1:0] h2n_wr_count,
    output wire                   h2n_hold,         // no packet may start
    output wire                   h2n_overflow,
    output wire [LINKS-1:0]       path_up,
    output wire [LINKS-1:0]       path_dead,
    output wire [LINKS-1:0]       path_far_deaf,
    input  wire                   h2n_direct,       // level: DIRECT, and the own node ID
    input  wire [6:0]             h2n_node_id,
    input  wire                   h2n_stamp,        // level: packets carry time stamps

    // credits to voq
    output wire                   credit_valid,
    input  wire                   credit_taken,
    output wire [1:0]             credit_path,
    output wire [6:0]             credit_lane,
    output wire [6:0]             credit_value,

    // packets to dma_engine
    output wire                   n2h_rd_valid,
    output wire [67:0]            n2h_rd_data,
    output wire [10:0]            n2h_rd_count,
    output wire [1:0]             n2h_rd_path,
    input  wire                   n2h_rd_pop,
    output wire                   n2h_rd_over,      // see dma_incoming
    output wire                   n2h_rd_bad,
    output wire                   n2h_underflow,

    // departures to dma_engine
    output wire                   departed_valid,
    output wire [$clog2(QUEUES)-1:0] departed_queue,
    output wire                   departed_local,
    output wire                   lost_valid,
    output wire [$clog2(QUEUES)-1:0] lost_queue,
    input  wire                   lost_taken,
    output wire                   ev_order,        // a bug, PCI clock: departures, arrivals out of order, or a lost CRC

    // network side
    input  wire                   net_clk,
    input  wire                   net_run_clk,
    input  wire                   net_rst,
    output wire                   net_busy,
    output wire                   net_wake,
    input  wire                   cfg_direct,
    input  wire                   cfg_stamp,
    input  wire [31:0]            now,              // the time for stamps
    input  wire [11:0]            cfg_tx_capacity,
    input  wire [6:0]             view_flow,
    input  wire [1:0]             cfg_view_link,    // PCI clock: the link whose views are shown
    input  wire [3:0]             cfg_counted,      // PCI clock: links whose counters are shown; 0: all
    output wire [LINKS-1:0]       counted,
    output wire [83:0]            view,             // of one link, see nic_link

    // signals for monitoring
    input  wire [1:0]             tap_link,         // the link whose they are
    output wire [197:0]           tap,              // see nic_link; `full` is of the link written, the last three: any
                                                    // header CRC error, 0, all N2H are empty
    output wire [LINKS-1:0]       tap_sop,
    output wire [LINKS-1:0]       header_stored,

    // transceivers, as in nic.v
    output wire [32*LINKS-1:0]    gt_tx_data,
    output wire [4*LINKS-1:0]     gt_tx_k,
    input  wire [32*LINKS-1:0]    gt_rx_data,
    input  wire [4*LINKS-1:0]     gt_rx_k,
    input  wire [4*LINKS-1:0]     gt_rx_notintable,
    input  wire [4*LINKS-1:0]     gt_rx_disperr,
    input  wire [LINKS-1:0]       gt_rx_loss_of_sync,
    input  wire [2*LINKS-1:0]     gt_rx_buf_status,
    input  wire [LINKS-1:0]       gt_tx_buf_err,

    // events, see nic_link
    output wire [LINKS*`NIC_NC_COUNT-1:0] happens,  // of link l from NIC_NC_COUNT * l on
    output wire                   dropped,
    output wire                   rejected,
    output wire                   n2h_overflow,
    output wire                   fifo_error
);
    localparam LOG2_QUEUES = $clog2(QUEUES);
    // clocks between check records, and between unchanged credits, as with one link (link_port)
    localparam RECORD_PERIOD  = 2048;
    localparam REFRESH_PERIOD = 4096;
    // Packets in all N2H: each has three words at least and is stored only if they all find places (proof n2h-each);
    // with them the packet that is being read, and one whose departure the writer does not know yet.
    localparam MOST_ORDER  = LINKS * (((1 << LOG2_FIFO) - 1) / 3) + 2;

    initial
        if (LINKS < 2 || LINKS > 4 || LOG2_FIFO < 8 || LOG2_FIFO > 10 || LOG2_H2N < 9 || LOG2_H2N > 10) begin
            $display("%m: LINKS must be 2..4, is %0d; LOG2_FIFO 8..10, is %0d; LOG2_H2N 9 or 10, is %0d", LINKS,
                     LOG2_FIFO, LOG2_H2N);
            $finish;
        end else if ((1 << LOG2_ORDER) - 1 < MOST_ORDER) begin
            $display("%m: LOG2_ORDER must be enough for the %0d packets that N2H may hold, is %0d", MOST_ORDER,
                     LOG2_ORDER);
            $finish;
        end

    wire [LINKS-1:0]    h2n_overflows, n2h_overflows, n2h_underflows, drops, rejects, fifo_errors, link_wake, host_wake,
                        busy;
    wire [LINKS-1:0]    n2h_valid, n2h_pop, credits, credit_pop, gone_valid, gone_lost, gone_pop,
                        wait_in_h2n;
    wire [LINKS*68-1:0] n2h_data;
    wire [LINKS*11-1:0] n2h_count;
    wire [LINKS*14-1:0] credit;
    wire [LINKS*84-1:0] views;
    wire [LINKS*198-1:0] taps;
    wire [LINKS*7-1:0]  stored_source;
    wire [LINKS*LOG2_QUEUES-1:0] order_sources;
    wire [LOG2_QUEUES-1:0] order_source;
    wire                order_write;
    wire [1:0]          order_link;
    wire [LINKS*13-1:0] lost_units;
    wire [QUEUES-1:0]   suspect;
    wire [15:0]         suspects = {{16-QUEUES{1'b0}}, suspect};
    wire [$clog2(DEAD_CLOCKS+1)-1:0]  dead_count;
    wire [$clog2(RECORD_PERIOD)-1:0]  record_count;
    wire [$clog2(REFRESH_PERIOD)-1:0] refresh_count;
    wire                record_due, refresh_due, dead_due;
    wire                h2n_valid, crc_collision;
    wire [1:0]          h2n_path;
    wire [67:0]         h2n_word;
    genvar l;

    generate
        for (l = 0; l < LINKS; l = l + 1) begin : of_link
            localparam [1:0]   ME = l;
            wire [LOG2_FIFO:0] rd_count;
            wire [11:0]        rd_wide = {{11-LOG2_FIFO{1'b0}}, rd_count};
            wire [3:0]         waits_unused;
            wire [37:0]        raw_unused;
            wire [1:0]         twice_unused;

            nic_link #(
                .QUEUES(QUEUES), .SOURCES(QUEUES), .LOG2_FIFO(LOG2_FIFO), .LOG2_H2N(LOG2_H2N), .IDLE_WORDS(IDLE_WORDS),
                .STAMPS(MONITORING), .EACH(1), .DEAD_CLOCKS(DEAD_CLOCKS)
            ) link (
                .pci_clk (pci_clk), .pci_run_clk (pci_run_clk), .pci_rst (pci_rst), .pci_wake (host_wake[l]),
                .h2n_wr_valid (h2n_valid && h2n_path == ME), .h2n_wr_data (h2n_word),
                .h2n_wr_count (h2n_wr_count[(LOG2_H2N+1)*l +: LOG2_H2N+1]), .h2n_overflow (h2n_overflows[l]),
                .n2h_rd_valid (n2h_valid[l]), .n2h_rd_data (n2h_data[68*l +: 68]), .n2h_rd_count (rd_count),
                .n2h_rd_pop (n2h_pop[l]), .n2h_underflow (n2h_underflows[l]), .gone_valid (gone_valid[l]),
                .gone_data (gone_lost[l]), .gone_pop (gone_pop[l]), .credit_valid (credits[l]),
                .credit_data (credit[14*l +: 14]), .credit_pop (credit_pop[l]), .up (path_up[l]), .dead (path_dead[l]),
                .far_deaf (path_far_deaf[l]), .record_due (record_due), .refresh_due (refresh_due),
                .dead_count (dead_count), .net_clk (net_clk), .net_run_clk (net_run_clk), .net_rst (net_rst),
                .net_busy (busy[l]), .net_wake (link_wake[l]), .cfg_direct (cfg_direct), .cfg_node_id (7'd0),
                .cfg_tx_capacity (cfg_tx_capacity), .cfg_bus_class (2'd0), .cfg_stamp (cfg_stamp), .now (now),
                .view_flow (view_flow), .view (views[84*l +: 84]), .waits (waits_unused), .tap (taps[198*l +: 198]),
                .raw (raw_unused),
                .header_stored (header_stored[l]), .stored_source (stored_source[7*l +: 7]), .suspects (suspects),
                .lost_units (lost_units[13*l +: 13]), .gt_tx_data (gt_tx_data[32*l +: 32]),
                .gt_tx_k (gt_tx_k[4*l +: 4]), .gt_rx_data (gt_rx_data[32*l +: 32]), .gt_rx_k (gt_rx_k[4*l +: 4]),
                .gt_rx_notintable (gt_rx_notintable[4*l +: 4]), .gt_rx_disperr (gt_rx_disperr[4*l +: 4]),
                .gt_rx_loss_of_sync (gt_rx_loss_of_sync[l]), .gt_rx_buf_status (gt_rx_buf_status[2*l +: 2]),
                .gt_tx_buf_err (gt_tx_buf_err[l]), .happens (happens[`NIC_NC_COUNT * l +: `NIC_NC_COUNT]),
                .happens_twice (twice_unused), .dropped (drops[l]), .rejected (rejects[l]),
                .n2h_overflow (n2h_overflows[l]), .fifo_error (fifo_errors[l])
            );

            // source of the header for link_order
            reg [LOG2_QUEUES-1:0] source;
            assign order_sources[LOG2_QUEUES*l +: LOG2_QUEUES] = source;
            always @(posedge net_run_clk)
                if (header_stored[l]) source <= stored_source[7*l +: LOG2_QUEUES];

            assign n2h_count[11*l +: 11] = rd_wide[10:0];
            assign wait_in_h2n[l]        = (h2n_wr_count[(LOG2_H2N+1)*l +: LOG2_H2N+1] != {LOG2_H2N+1{1'b0}});

            wire unused_link = &{1'b0, rd_wide[11], waits_unused, raw_unused, twice_unused};
        end
    endgenerate

    voq_crc #(.MONITORING(MONITORING)) crcs (
        .clk (pci_run_clk), .rst (pci_rst), .direct (h2n_direct), .node_id (h2n_node_id), .stamp (h2n_stamp),
        .in_valid (h2n_wr_valid), .in_path (h2n_wr_path), .in_data (h2n_wr_data),
        .out_valid (h2n_valid), .out_path (h2n_path), .out_data (h2n_word), .ev_collision (crc_collision)
    );

    // ---- timers that the links share
    link_timer #(.PERIOD(RECORD_PERIOD)) record_timer (.clk (net_clk), .rst (net_rst), .count (record_count),
                                                       .due (record_due));
    link_timer #(.PERIOD(REFRESH_PERIOD)) refresh_timer (.clk (net_clk), .rst (net_rst), .count (refresh_count),
                                                         .due (refresh_due));
    link_timer #(.PERIOD(DEAD_CLOCKS + 1)) dead_timer (.clk (net_clk), .rst (net_rst), .count (dead_count),
                                                       .due (dead_due));

    link_lost_many #(.LINKS(LINKS), .SOURCES(QUEUES), .DEPTH((1 << LOG2_FIFO) - 1)) lost_many (
        .clk (net_run_clk), .rst (net_rst), .lost_units (lost_units), .stored (order_write),
        .stored_source (order_source), .suspect (suspect)
    );

    one_of_four #(.WIDTH(LOG2_QUEUES), .WORDS(LINKS)) of_sources (.words (order_sources), .number (order_link),
                                                                  .word (order_source));

    // ---- one credit in a clock, of the lowest link that has one
    wire [3:0] credits_wide = {{4-LINKS{1'b0}}, credits};

    assign credit_pop   = credits & (~credits + {{LINKS-1{1'b0}}, 1'b1}) & {LINKS{credit_taken}};
    assign credit_valid = |credits;
    assign credit_path  = {credits_wide[1:0] == 2'd0, credits_wide[0] ? 1'b0 : credits_wide[1] ? 1'b1
                           : !credits_wide[2]};

    one_of_four #(.WIDTH(14), .WORDS(LINKS)) of_credits (.words (credit), .number (credit_path),
                                                         .word ({credit_lane, credit_value}));

    // ---- status shown
    wire [1:0]   view_link;
    wire [3:0]   chosen;
    wire         view_taken, view_update, view_wake;

    sync_word #(.WIDTH(6)) view_choice (
        .src_clk (pci_clk), .src_rst (pci_rst), .src_taken (view_taken), .src_data ({cfg_counted, cfg_view_link}),
        .dst_clk (net_clk), .dst_run_clk (net_clk), .dst_wake (view_wake), .dst_rst (net_rst),
        .dst_update (view_update), .dst_data ({chosen, view_link})
    );

    one_of_four #(.WIDTH(84), .WORDS(LINKS)) of_views (.words (views), .number (view_link), .word (view));

    assign counted = (chosen == 4'd0) ? {LINKS{1'b1}} : chosen[LINKS-1:0];

    // ---- signals for monitoring
    generate
        if (MONITORING != 0) begin : taps_of_one
            wire [3:0]           full, empty, crc_error;
            wire [194*LINKS-1:0] selectable;
            wire [193:0]         chosen_tap;
            wire                 one_full;
            for (l = 0; l < 4; l = l + 1) begin : of_link
                if (l < LINKS) begin : built
                    assign full[l]      = taps[198*l + 197];
                    assign crc_error[l] = taps[198*l + 2];
                    assign tap_sop[l]   = taps[198*l + 1];
                    assign empty[l]     = taps[198*l];
                    assign selectable[194*l +: 194] = taps[198*l + 3 +: 194];
                end else begin : missing
                    assign {full[l], crc_error[l], empty[l]} = 3'b001;
                end
            end
            one_of_four #(.WIDTH(1), .WORDS(4)) of_full (.words (full), .number (h2n_wr_path), .word (one_full));
            one_of_four #(.WIDTH(194), .WORDS(LINKS)) of_taps (.words (selectable), .number (tap_link),
                                                               .word (chosen_tap));
            assign tap = {one_full, chosen_tap, |crc_error, 1'b0, &empty};
        end else begin : no_taps
            assign tap     = 198'd0;
            assign tap_sop = {LINKS{1'b0}};
            wire   unused_taps = &{1'b0, taps, tap_link};
        end
    endgenerate

    // ---- arrivals in order
    wire                order_valid, order_pop, order_wake, order_busy, order_full, order_overflow, order_underflow;
    wire [1:0]          order_path;
    wire [LOG2_ORDER:0] order_wr_count, order_rd_count;

    link_order #(.PATHS(LINKS)) order (
        .clk (net_run_clk), .rst (net_rst), .header (header_stored), .wr_valid (order_write), .wr_path (order_link),
        .busy (order_busy)
    );

    fifo_async #(.WIDTH(2), .LOG2_DEPTH(LOG2_ORDER), .COMMIT(0)) order_fifo (
        .wr_clk (net_run_clk), .wr_rst (net_rst), .wr_valid (order_write), .wr_data (order_link), .wr_commit (1'b0),
        .wr_rollback (1'b0), .wr_count (order_wr_count), .wr_full (order_full), .wr_overflow (order_overflow),
        .rd_clk (pci_clk), .rd_run_clk (pci_run_clk), .rd_wake (order_wake), .rd_rst (pci_rst),
        .rd_data (order_path), .rd_valid (order_valid), .rd_pop (order_pop), .rd_count (order_rd_count),
        .rd_underflow (order_underflow)
    );

    dma_arrivals #(.PATHS(LINKS)) arrivals (
        .clk (pci_run_clk), .rst (pci_rst), .order_valid (order_valid), .order_path (order_path),
        .order_pop (order_pop), .n2h_valid (n2h_valid), .n2h_data (n2h_data), .n2h_count (n2h_count),
        .n2h_pop (n2h_pop), .valid (n2h_rd_valid), .data (n2h_rd_data), .count (n2h_rd_count), .path (n2h_rd_path),
        .pop (n2h_rd_pop), .bad (n2h_rd_bad)
    );

    // ---- departures in order
    wire departures_busy, departures_wrong;

    dma_departures #(.QUEUES(QUEUES), .PATHS(LINKS)) departures (
        .clk (pci_run_clk), .rst (pci_rst),
        .put_valid (h2n_wr_valid && h2n_wr_data[64]), .put_path (h2n_wr_path),
        .put_queue (h2n_wr_data[56 +: LOG2_QUEUES]), .put_first (h2n_wr_data[65]), .put_ends (h2n_wr_data[66]),
        .put_local (h2n_wr_data[53]), .full (h2n_hold), .gone_valid (gone_valid), .gone_lost (gone_lost),
        .gone_pop (gone_pop), .departed_valid (departed_valid), .departed_queue (departed_queue),
        .departed_local (departed_local), .lost_valid (lost_valid), .lost_queue (lost_queue), .lost_taken (lost_taken),
        .busy (departures_busy), .ev_overflow (departures_wrong)
    );

    assign n2h_rd_over   = order_pop;
    assign h2n_overflow  = |h2n_overflows;
    assign n2h_overflow  = |n2h_overflows;
    assign n2h_underflow = |n2h_underflows;
    assign dropped       = |drops;
    assign rejected      = |rejects;
    assign fifo_error    = (|fifo_errors) || order_overflow;
    assign ev_order      = departures_wrong || order_underflow || crc_collision;
    assign pci_busy      = (|wait_in_h2n) || (|gone_valid) || departures_busy;
    assign pci_wake      = (|host_wake) || order_wake;
    assign net_wake      = |link_wake;
    assign net_busy      = (|busy) || order_busy || (order_wr_count != {LOG2_ORDER+1{1'b0}});

    wire unused = &{1'b0, stored_source, record_count, refresh_count, dead_due, order_full, order_rd_count,
                    credits_wide, view_taken, view_update, view_wake, chosen};
endmodule
`default_nettype wire
