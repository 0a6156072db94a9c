// One connection of a NIC to the network with its FIFOs between the clocks: only wiring. It is one link, or several by
// byte (link_port). rtl/nic/nic.v has one of them, or with several links by packet one for each (nic_paths.v).
//
//     voq -- packets ------------> H2N fifo_async -----> link_port --> transceivers
//         <- credits, departures -- fifo_async ---------/  |
//     dma_engine <---------------- N2H fifo_async <--------/
//
// With EACH = 1 every departed packet is reported, not only the last one of a transfer, and H2N of a dead link is
// discarded; without, H2N waits until the link is back. A link is dead if it has received nothing for DEAD_CLOCKS,
// which is reported to the link partner, or if the partner reports the same.
`default_nettype none
`include "nic_registers.vh"
module nic_link #(
    // links by byte, 1, 2 or 4
    parameter LINKS = 1,
    // request queues = destinations, 8 or 16
    parameter QUEUES = 8,
    // node IDs that may be sources, 2..128
    parameter SOURCES = 128,
    // log2 of the words of N2H, 8..11, and of H2N, 6..10
    parameter LOG2_FIFO = 10,
    parameter LOG2_H2N = 6,
    // network clocks within which an idle word is sent
    parameter IDLE_WORDS = 2048,
    // 1: with time stamps in packets
    parameter STAMPS = 0,
    // 1: one of several by packet; one link only
    parameter EACH = 0,
    // network clocks without synchronisation after which a link is dead, 1..1048575; default 1 ms
    parameter DEAD_CLOCKS = 78125,
    // 64-bit words that the link takes and delivers per clock
    parameter WORDS = (LINKS == 4) ? 2 : 1,
    // report of a departed packet: with EACH whether it was dropped, else {local notification, queue}
    parameter GONE_BITS = (EACH != 0) ? 1 : $clog2(QUEUES) + 1
) (
    input  wire                 pci_clk,
    input  wire                 pci_run_clk,
    input  wire                 pci_rst,
    output wire                 pci_wake,       // clock_gate: something has arrived for pci_run_clk

    // packets from voq
    input  wire                 h2n_wr_valid,
    input  wire [67:0]          h2n_wr_data,
    output wire [LOG2_H2N:0]    h2n_wr_count,
    output wire                 h2n_overflow,

    // packets to dma_engine
    output wire                 n2h_rd_valid,
    output wire [67:0]          n2h_rd_data,
    output wire [LOG2_FIFO:0]   n2h_rd_count,
    input  wire                 n2h_rd_pop,
    output wire                 n2h_underflow,

    // departed packets, and credits
    output wire                 gone_valid,
    output wire [GONE_BITS-1:0] gone_data,
    input  wire                 gone_pop,
    output wire                 credit_valid,
    output wire [13:0]          credit_data,    // {lane, value}
    input  wire                 credit_pop,
    output wire                 up,             // level, EACH: both ends receive
    output wire                 dead,           // level, EACH: nothing received for DEAD_CLOCKS, or far_deaf
    output wire                 far_deaf,       // level, EACH: the link partner receives nothing

    // EACH: timers that the links share, network clock, never gated
    input  wire                 record_due,     // see link_port
    input  wire                 refresh_due,
    input  wire [$clog2(DEAD_CLOCKS+1)-1:0] dead_count,  // 0 .. DEAD_CLOCKS, cyclic

    // network side
    input  wire                 net_clk,
    input  wire                 net_run_clk,
    input  wire                 net_rst,
    output wire                 net_busy,
    output wire                 net_wake,
    input  wire                 cfg_direct,
    input  wire [6:0]           cfg_node_id,
    input  wire [11:0]          cfg_tx_capacity,
    input  wire [1:0]           cfg_bus_class,
    input  wire                 cfg_stamp,
    input  wire [31:0]          now,
    input  wire [6:0]           view_flow,
    output wire [83:0]          view,           // {remote_fault, link_states, loss_of_sync, credit_seen, link_up,
                                                // tx_units, tx_credit, rx_units, rx_forwarded}, see link_port
    output wire [4*LINKS-1:0]   waits,
    output wire [139*WORDS+58:0] tap,           // signals for monitoring, as assigned below
    output wire [36*LINKS+1:0]  raw,            // see link_port
    output wire                 header_stored,  // a header goes into N2H, of this source:
    output wire [6:0]           stored_source,
    input  wire [15:0]          suspects,       // EACH: see link_lost_many
    output wire [12:0]          lost_units,

    // transceivers, as in nic.v
    output wire [32*LINKS-1:0]  gt_tx_data,
    output wire [4*LINKS-1:0]   gt_tx_k,
    input  wire [32*LINKS-1:0]  gt_rx_data,
    input  wire [4*LINKS-1:0]   gt_rx_k,
    input  wire [4*LINKS-1:0]   gt_rx_notintable,
    input  wire [4*LINKS-1:0]   gt_rx_disperr,
    input  wire [LINKS-1:0]     gt_rx_loss_of_sync,
    input  wire [2*LINKS-1:0]   gt_rx_buf_status,
    input  wire [LINKS-1:0]     gt_tx_buf_err,

    // events, network clock
    output wire [`NIC_NC_COUNT-1:0] happens,    // names and places from registers.map
    output wire [1:0]           happens_twice,  // two words in this clock: [1] in, [0] out
    output wire                 dropped,        // a packet was
    output wire                 rejected,       // a credit was
    output wire                 n2h_overflow,
    output wire                 fifo_error      // a FIFO ran dry or over, or a packet was out of step
);
    localparam LOG2_QUEUES  = $clog2(QUEUES);
    localparam [31:0] DEPTH = (1 << LOG2_FIFO) - WORDS;
    localparam DEAD_BITS    = $clog2(DEAD_CLOCKS + 1);
    localparam [31:0] DEAD  = DEAD_CLOCKS;

    initial
        if (DEAD_CLOCKS < 1 || DEAD_CLOCKS > 1048575 || EACH < 0 || EACH > (LINKS == 1 ? 1 : 0)) begin
            $display("%m: DEAD_CLOCKS must be 1..1048575, is %0d; EACH 0 or, with one link, 1, is %0d", DEAD_CLOCKS,
                     EACH);
            $finish;
        end

    // ---- packets. On the side of the link word 0 is the first one.
    wire                h2n_wake, n2h_wake, h2n_full, h2n_underflow, n2h_full;
    wire [WORDS-1:0]    h2n_valid, h2n_pop, n2h_wr_valid;
    wire [68*WORDS-1:0] h2n_data, n2h_wr_data;
    wire [LOG2_H2N:0]   h2n_rd_count;
    wire [LOG2_FIFO:0]  n2h_wr_count;
    wire [11:0]         n2h_wr_wide = {{11-LOG2_FIFO{1'b0}}, n2h_wr_count};

    generate
        if (WORDS == 2) begin : wide
            wire        n2h_second;
            wire [67:0] n2h_second_data;

            fifo_async_pair #(.WIDTH(68), .LOG2_DEPTH(LOG2_H2N)) h2n (
                .wr_clk (pci_run_clk), .wr_rst (pci_rst), .wr_valid ({1'b0, h2n_wr_valid}),
                .wr_data ({68'd0, h2n_wr_data}), .wr_count (h2n_wr_count), .wr_full (h2n_full),
                .wr_overflow (h2n_overflow), .rd_clk (net_clk), .rd_run_clk (net_run_clk), .rd_wake (h2n_wake),
                .rd_rst (net_rst), .rd_data (h2n_data), .rd_valid (h2n_valid), .rd_pop (h2n_pop),
                .rd_count (h2n_rd_count), .rd_underflow (h2n_underflow)
            );

            fifo_async_pair #(.WIDTH(68), .LOG2_DEPTH(LOG2_FIFO)) n2h (
                .wr_clk (net_run_clk), .wr_rst (net_rst), .wr_valid (n2h_wr_valid), .wr_data (n2h_wr_data),
                .wr_count (n2h_wr_count), .wr_full (n2h_full), .wr_overflow (n2h_overflow),
                .rd_clk (pci_clk), .rd_run_clk (pci_run_clk), .rd_wake (n2h_wake), .rd_rst (pci_rst),
                .rd_data ({n2h_second_data, n2h_rd_data}), .rd_valid ({n2h_second, n2h_rd_valid}),
                .rd_pop ({1'b0, n2h_rd_pop}), .rd_count (n2h_rd_count), .rd_underflow (n2h_underflow)
            );
            wire unused = &{1'b0, n2h_second, n2h_second_data};
        end else begin : narrow
            fifo_async #(.WIDTH(68), .LOG2_DEPTH(LOG2_H2N), .COMMIT(0)) h2n (
                .wr_clk (pci_run_clk), .wr_rst (pci_rst), .wr_valid (h2n_wr_valid), .wr_data (h2n_wr_data),
                .wr_commit (1'b0), .wr_rollback (1'b0), .wr_count (h2n_wr_count), .wr_full (h2n_full),
                .wr_overflow (h2n_overflow), .rd_clk (net_clk), .rd_run_clk (net_run_clk), .rd_wake (h2n_wake),
                .rd_rst (net_rst), .rd_data (h2n_data), .rd_valid (h2n_valid), .rd_pop (h2n_pop),
                .rd_count (h2n_rd_count), .rd_underflow (h2n_underflow)
            );

            fifo_async #(.WIDTH(68), .LOG2_DEPTH(LOG2_FIFO), .COMMIT(0)) n2h (
                .wr_clk (net_run_clk), .wr_rst (net_rst), .wr_valid (n2h_wr_valid), .wr_data (n2h_wr_data),
                .wr_commit (1'b0), .wr_rollback (1'b0), .wr_count (n2h_wr_count), .wr_full (n2h_full),
                .wr_overflow (n2h_overflow), .rd_clk (pci_clk), .rd_run_clk (pci_run_clk), .rd_wake (n2h_wake),
                .rd_rst (pci_rst), .rd_data (n2h_rd_data), .rd_valid (n2h_rd_valid), .rd_pop (n2h_rd_pop),
                .rd_count (n2h_rd_count), .rd_underflow (n2h_underflow)
            );
        end
    endgenerate

    assign header_stored = n2h_wr_valid[0] && n2h_wr_data[64];
    assign stored_source = n2h_wr_data[62:56];

    // ---- link
    wire             link_busy, link_up, in_sync, remote_fault, is_deaf, discard_all, rx_sop;
    wire             tx_departed, tx_departed_local, tx_departed_lost;
    wire [6:0]       tx_departed_flow, accepted_lane, accepted_value;
    wire [11:0]      accepted_units;
    wire [LINKS-1:0] ev_gt_unknown, ev_gt_loss_of_sync, ev_gt_disparity, ev_gt_tx_buffer;
    wire [WORDS-1:0] ev_out_word, ev_in_word;
    wire             ev_credit_accepted, accepted_again, ev_body_crc_error, ev_drop_length, ev_drop_flow, ev_drop_space,
                     ev_record_unknown;
    wire             ev_tx_step, ev_tx_discard;

    // No packet starts while half of the places for departures are taken, so none is lost however slow the PCI clock is
    // (proof gone)
    wire             gone_half_full;
    wire [WORDS-1:0] packet_waits = h2n_valid & ~{WORDS{gone_half_full && h2n_data[64]}};

    link_port #(
        .FLOWS(QUEUES), .SOURCES(SOURCES), .RX_DEPTH(DEPTH), .TX_IDLE_WORDS(IDLE_WORDS), .STAMPS(STAMPS), .EACH(EACH),
        .LINKS(LINKS), .CRCS((EACH != 0) ? 0 : 1)
    ) port (
        .clk (net_clk), .run_clk (net_run_clk), .rst (net_rst), .busy (link_busy),
        .tx_valid (packet_waits), .tx_data (h2n_data), .tx_count ({{10-LOG2_H2N{1'b0}}, h2n_rd_count}),
        .tx_pop (h2n_pop), .tx_departed (tx_departed), .tx_departed_flow (tx_departed_flow),
        .tx_departed_local (tx_departed_local), .tx_departed_lost (tx_departed_lost), .tx_discard (discard_all),
        .tx_fault (is_deaf), .record_due (record_due), .refresh_due (refresh_due),
        .rx_wr_valid (n2h_wr_valid), .rx_wr_data (n2h_wr_data), .rx_wr_count (n2h_wr_wide[10:0]),
        .rx_suspects (suspects), .rx_lost_units (lost_units),
        .cfg_direct (cfg_direct), .cfg_node_id (cfg_node_id), .cfg_tx_capacity (cfg_tx_capacity),
        .cfg_max_words (10'd512), .cfg_flow_enable ({QUEUES{1'b1}}), .cfg_bus_class (cfg_bus_class),
        .cfg_stamp (cfg_stamp), .now (now), .gt_tx_data (gt_tx_data), .gt_tx_k (gt_tx_k), .gt_rx_data (gt_rx_data),
        .gt_rx_k (gt_rx_k), .gt_rx_notintable (gt_rx_notintable), .gt_rx_disperr (gt_rx_disperr),
        .gt_rx_loss_of_sync (gt_rx_loss_of_sync), .gt_rx_buf_status (gt_rx_buf_status), .gt_tx_buf_err (gt_tx_buf_err),
        .link_up (link_up), .in_sync (in_sync), .remote_fault (remote_fault), .view_flow (view_flow),
        .view_credit_seen (view[49]), .view_tx_units (view[47:36]), .view_tx_credit (view[35:24]),
        .rx_units (view[23:12]), .rx_forwarded (view[11:0]), .rx_sop (rx_sop), .waits (waits), .raw (raw),
        .fsm_states (view[82:51]), .ev_out_cycle (happens[`NIC_NC_OUT_CYCLE]), .ev_in_cycle (happens[`NIC_NC_IN_CYCLE]),
        .ev_gt_unknown (ev_gt_unknown), .ev_gt_loss_of_sync (ev_gt_loss_of_sync), .ev_gt_disparity (ev_gt_disparity),
        .ev_gt_tx_buffer (ev_gt_tx_buffer), .ev_out_packet (happens[`NIC_NC_OUT_PACKET]), .ev_out_word (ev_out_word),
        .ev_in_packet (happens[`NIC_NC_IN_PACKET]), .ev_in_word (ev_in_word),
        .ev_header_crc_error (happens[`NIC_NC_HEADER_CRC_ERROR]),
        .ev_alignment_error (happens[`NIC_NC_ALIGNMENT_ERROR]), .ev_backpressure (happens[`NIC_NC_BACKPRESSURE]),
        .ev_h2n_start (happens[`NIC_NC_H2N_START]), .ev_n2h_start (happens[`NIC_NC_N2H_START]),
        .ev_body_crc_error (ev_body_crc_error), .ev_drop_length (ev_drop_length), .ev_drop_flow (ev_drop_flow),
        .ev_drop_space (ev_drop_space), .ev_credit_sent (happens[`NIC_NC_CREDIT_SENT]),
        .ev_credit_accepted (ev_credit_accepted), .accepted_again (accepted_again), .accepted_lane (accepted_lane),
        .accepted_value (accepted_value), .accepted_units (accepted_units), .ev_credit_rejected (rejected),
        .ev_record_sent (happens[`NIC_NC_RECORD_SENT]), .ev_record_received (happens[`NIC_NC_RECORD_RECEIVED]),
        .ev_record_unknown (ev_record_unknown), .ev_tx_step (ev_tx_step), .ev_tx_discard (ev_tx_discard)
    );

    assign view[83] = remote_fault;
    assign view[50] = |gt_rx_loss_of_sync;
    assign view[48] = link_up;

    assign happens[`NIC_NC_OUT_WORD]        = ev_out_word[0];
    assign happens[`NIC_NC_IN_WORD]         = ev_in_word[0];
    assign happens[`NIC_NC_DROP]            = ev_drop_length || ev_drop_flow || ev_drop_space;
    assign happens[`NIC_NC_CREDIT_REJECTED] = rejected;
    assign happens[`NIC_NC_CREDIT_ACCEPTED] = ev_credit_accepted;
    assign happens_twice                    = {ev_in_word[WORDS-1], ev_out_word[WORDS-1]} & {2{WORDS == 2}};
    assign dropped                          = happens[`NIC_NC_DROP] || happens[`NIC_NC_HEADER_CRC_ERROR];

    // of the transceivers; four each
    genvar l;
    generate
        for (l = 0; l < 4; l = l + 1) begin : transceiver
            localparam FIRST = (l == 0) ? `NIC_NC_GT_UNKNOWN : `NIC_NC_GT1_UNKNOWN + 4*(l-1);
            if (l < LINKS) begin : built
                assign happens[FIRST +: 4] = {ev_gt_tx_buffer[l], ev_gt_disparity[l], ev_gt_loss_of_sync[l],
                                              ev_gt_unknown[l]};
            end else begin : missing
                assign happens[FIRST +: 4] = 4'd0;
            end
        end
    endgenerate

    assign tap = {h2n_full, h2n_valid, h2n_pop, happens[`NIC_NC_BACKPRESSURE], h2n_data, ev_credit_accepted, rejected,
                  accepted_lane, accepted_value, accepted_units, n2h_wr_valid, n2h_full, n2h_wr_data,
                  happens[`NIC_NC_CREDIT_SENT], view[23:0], happens[`NIC_NC_HEADER_CRC_ERROR], rx_sop,
                  n2h_wr_count == {LOG2_FIFO+1{1'b0}}};

    // ---- departures and credits into the PCI clock. A credit lost at a full FIFO is replaced by a later one: values
    // are cumulative.
    wire                 gone_wake, gone_full, gone_overflow, gone_underflow, credit_wake, credit_full, credit_overflow,
                         credit_underflow;
    // log2 of the words for departed packets: each is taken within some clocks
    localparam LOG2_GONE = (EACH != 0) ? 3 : 4;
    wire [LOG2_GONE:0]   gone_wr_count, gone_rd_count;
    wire [4:0]           credit_wr_count, credit_rd_count;
    wire [GONE_BITS-1:0] is_gone;
    wire                 credit_goes_over;

    assign gone_half_full = |gone_wr_count[LOG2_GONE:LOG2_GONE-1];

    fifo_async #(.WIDTH(GONE_BITS), .LOG2_DEPTH(LOG2_GONE), .COMMIT(0)) gone (
        .wr_clk (net_run_clk), .wr_rst (net_rst), .wr_valid (tx_departed), .wr_data (is_gone), .wr_commit (1'b0),
        .wr_rollback (1'b0), .wr_count (gone_wr_count), .wr_full (gone_full), .wr_overflow (gone_overflow),
        .rd_clk (pci_clk), .rd_run_clk (pci_run_clk), .rd_wake (gone_wake), .rd_rst (pci_rst),
        .rd_data (gone_data), .rd_valid (gone_valid), .rd_pop (gone_pop), .rd_count (gone_rd_count),
        .rd_underflow (gone_underflow)
    );

    // as many bits of the lane as there are queues: link_credit_rx accepts no other
    assign credit_data[13:LOG2_QUEUES+7] = {7-LOG2_QUEUES{1'b0}};

    fifo_async #(.WIDTH(LOG2_QUEUES + 7), .LOG2_DEPTH(4), .COMMIT(0)) credits (
        .wr_clk (net_run_clk), .wr_rst (net_rst), .wr_valid (credit_goes_over),
        .wr_data ({accepted_lane[LOG2_QUEUES-1:0], accepted_value}),
        .wr_commit (1'b0), .wr_rollback (1'b0), .wr_count (credit_wr_count), .wr_full (credit_full),
        .wr_overflow (credit_overflow), .rd_clk (pci_clk), .rd_run_clk (pci_run_clk), .rd_wake (credit_wake),
        .rd_rst (pci_rst), .rd_data (credit_data[LOG2_QUEUES+6:0]), .rd_valid (credit_valid), .rd_pop (credit_pop),
        .rd_count (credit_rd_count), .rd_underflow (credit_underflow)
    );

    // ---- a link that is down for long
    generate
        if (EACH != 0) begin : of_several
            reg [DEAD_BITS-1:0] last_seen; // the count when something last arrived; recurs DEAD_CLOCKS + 1 clocks later
            reg                 deaf, in_use, is_dead;

            assign is_deaf = deaf;

            always @(posedge net_clk)
                if (net_rst)      last_seen <= DEAD[DEAD_BITS-1:0];
                else if (in_sync) last_seen <= dead_count;

            always @(posedge net_clk)
                if (net_rst || in_sync) deaf <= 1'b0;
                else                    deaf <= deaf || (dead_count == last_seen);

            always @(posedge net_clk) begin
                in_use  <= link_up && !net_rst;
                is_dead <= (deaf || remote_fault) && !net_rst;
            end

            sync_bit up_crossing   (.clk (pci_clk), .rst (pci_rst), .in (in_use), .out (up));
            sync_bit dead_crossing (.clk (pci_clk), .rst (pci_rst), .in (is_dead), .out (dead));
            sync_bit far_crossing  (.clk (pci_clk), .rst (pci_rst), .in (remote_fault), .out (far_deaf));

            assign discard_all = is_dead && !gone_half_full;
            assign is_gone     = tx_departed_lost;
            assign credit_goes_over = ev_credit_accepted;    // repeated credits too: they advance voq_ahead's marks
            wire unused = &{1'b0, tx_departed_flow, tx_departed_local, accepted_again};
        end else begin : alone
            link_credit_news #(.FLOWS(1 << LOG2_QUEUES)) credit_news (
                .clk (net_run_clk), .rst (net_rst), .accepted (ev_credit_accepted), .again (accepted_again),
                .lane (accepted_lane[LOG2_QUEUES-1:0]), .full (credit_full), .news (credit_goes_over)
            );

            assign up          = 1'b1;
            assign dead        = 1'b0;
            assign far_deaf    = 1'b0;
            assign is_deaf     = 1'b0;
            assign discard_all = 1'b0;
            assign is_gone     = {tx_departed_local, tx_departed_flow[LOG2_QUEUES-1:0]};
            wire unused = &{1'b0, tx_departed_flow, tx_departed_lost, in_sync, DEAD, dead_count, record_due,
                            refresh_due};
        end
    endgenerate

    assign fifo_error = h2n_underflow || ev_tx_step || ev_tx_discard || gone_overflow;
    assign pci_wake   = n2h_wake || gone_wake || credit_wake;
    assign net_wake   = h2n_wake;
    assign net_busy   = link_busy || (gone_wr_count != {LOG2_GONE+1{1'b0}}) || (credit_wr_count != 5'd0);

    wire unused = &{1'b0, n2h_wr_wide[11], ev_body_crc_error, ev_record_unknown, gone_full, gone_underflow,
                    gone_rd_count, credit_full, credit_overflow, credit_underflow, credit_rd_count};
endmodule
`default_nettype wire
