// Link interface of a NIC (S1 3.1.5, 3.1.6, 3.3; S2 2.4; design.md 3): packets from the host-to-net FIFO leave as
// frames, received frames become packets in the net-to-host FIFO, and credits prevent overflow of the receiver's FIFO.
// One link, or a bundle of two or four by byte.
//
//      H2N FIFO --> link_tx ----------------------------------> link_gt_tx --> transceiver
//                    |  |  \-- link_credit_tx <--- forwarded ---\
//          may it go?|  \-- link_check_record                    |
//                   link_credit_rx <---- credits ----\           |
//      N2H FIFO <-- link_rx_store <----------------- link_rx_frame <-- link_rx_align <-- transceiver
//                                                                      link_sync
//
// Only link_gt_tx, link_rx_align and link_sync connect to the transceiver, once per link. In a bundle link_deskew
// aligns the links with each other; link_tx_bundle and link_rx_bundle replace link_tx and link_rx_frame. All else is
// the same for both: credits and records are those of the bundle.
//
// Clocks (12.8 ns): packet visible at tx_valid to SOP at the transceiver 1 (with credit and the link free); word at
// gt_rx_data to N2H write 3; modified count to SOP of its credit 3. A packet of n words takes 2n + 5 clocks, 2n + 6
// with a credit word; frames follow each other without a gap, but one idle word in TX_IDLE_WORDS. (A bundle:
// README.md.)
//
// `rst` is the hardware reset. Software reset does not reach this module, so counters of words survive it, and packets
// already in the FIFO in front of it leave.
//
// Events are one clock long each; those marked level count clocks.
`default_nettype none
module link_port #(
    // virtual channels (lanes) towards the network, 2..64
    parameter FLOWS = 8,
    // node IDs that may appear in a header as source, 1..128; 128: all
    parameter SOURCES = 128,
    // words of the net-to-host FIFO, 1..2047
    parameter RX_DEPTH = 1023,
    // longest payload [64-bit words], 1..512
    parameter MAX_WORDS = 512,
    // at least one idle word is sent in this many words, 2 * MAX_WORDS + 8 .. 65535
    parameter TX_IDLE_WORDS = 2048,
    // clocks between check records, 2..65535
    parameter RECORD_PERIOD = 2048,
    // clocks after its first record in which a lane's credits are ignored, 1..1023
    parameter RECORD_HOLD = 512,
    // clocks between two unchanged credits, 2..65535
    parameter REFRESH_PERIOD = 4096,
    // clocks in synchronisation before the link counts as up, 1..65535
    parameter UP_CLOCKS = 128,
    // 1: with time stamps in packets; 0: without
    parameter STAMPS = 0,
    // 1: one of several links by packet: each packet that leaves is reported (link_tx), and each loss (link_rx_store).
    // One link only
    parameter EACH = 0,
    // 1: CRCs of packets are made and checked here. 0: sent packets contain theirs (link_tx), and the body CRC
    // of a received packet is passed on unchecked (link_rx_store); by several links by packet, one link only
    parameter CRCS = 1,
    // links bundled by byte, 1, 2 or 4
    parameter LINKS = 1,
    // 64-bit words per clock: 2 with four links, else 1
    parameter WORDS = (LINKS == 4) ? 2 : 1
) (
    input  wire             clk,              // for the line and timers
    input  wire             run_clk,          // everything else; the same, gated while `busy` is low (clock_gate)
    input  wire             rst,
    output wire             busy,             // work on the line, here or in N2H, or something is due

    // H2N FIFO, read side; word 0 first
    input  wire [WORDS-1:0] tx_valid,
    input  wire [68*WORDS-1:0] tx_data,
    input  wire [10:0]      tx_count,         // words available, never too high; used by a bundle
    output wire [WORDS-1:0] tx_pop,
    output wire             tx_departed,      // the last body CRC of a packet with header [66] is on the port; with it:
    output wire [6:0]       tx_departed_flow, // the header's flow ID, before DIRECT replaced it
    output wire             tx_departed_local,// header [53]: local notification
    output wire             tx_departed_lost, // EACH: the packet was dropped
    input  wire             tx_discard,       // level: packets are discarded, see link_tx
    input  wire             tx_fault,         // level, one link: notify the link partner of no reception (link_gt_tx)
    input  wire             record_due,       // EACH: a periodic check record is due, and
    input  wire             refresh_due,      // ... unchanged credits are; else both timers are in this module

    // N2H FIFO, write side
    output wire [WORDS-1:0] rx_wr_valid,
    output wire [68*WORDS-1:0] rx_wr_data,
    input  wire [10:0]      rx_wr_count,        // words in it, never too low
    input  wire [15:0]      rx_suspects,        // EACH: see link_rx_store
    output wire [12:0]      rx_lost_units,      // EACH: see link_rx_store

    // configuration
    input  wire             cfg_direct,       // NIC to NIC: one lane; flow ID sent = cfg_node_id
    input  wire [6:0]       cfg_node_id,
    input  wire             cfg_stamp,        // packets carry time stamps, see link_tx
    input  wire [31:0]      now,              // the time for them
    input  wire [11:0]      cfg_tx_capacity,  // buffer behind each lane [link words], at most 4064
    input  wire [9:0]       cfg_max_words,    // longest payload accepted; at most MAX_WORDS count
    input  wire [FLOWS-1:0] cfg_flow_enable,  // lanes that may be used when not direct
    input  wire [1:0]       cfg_bus_class,    // clock of the bus behind H2N, see link_tx_bundle

    // transceivers: link l has [32*l +: 32], [4*l +: 4] and so on
    output wire [32*LINKS-1:0] gt_tx_data,
    output wire [4*LINKS-1:0]  gt_tx_k,
    input  wire [32*LINKS-1:0] gt_rx_data,
    input  wire [4*LINKS-1:0]  gt_rx_k,
    input  wire [4*LINKS-1:0]  gt_rx_notintable, // per byte: no character of the code
    input  wire [4*LINKS-1:0]  gt_rx_disperr,    // per byte: wrong running disparity
    input  wire [LINKS-1:0]    gt_rx_loss_of_sync,
    input  wire [2*LINKS-1:0]  gt_rx_buf_status, // [2*l + 1] = overflow or underflow (UG024)
    input  wire [LINKS-1:0]    gt_tx_buf_err,

    // status
    output wire             link_up,          // all links, both ways, and aligned with each other
    output wire             in_sync,          // one link: the line is received
    output wire             remote_fault,     // one link: the link partner receives nothing
    input  wire [6:0]       view_flow,        // the lane whose status is shown
    output wire             view_credit_seen, // the lane of view_flow has received a valid credit
    output wire [11:0]      view_tx_units,    // transmitted on it
    output wire [11:0]      view_tx_credit,   // last credit on it
    output wire [11:0]      rx_units,         // received, or corrected by check records
    output wire [11:0]      rx_forwarded,     // forwarded
    output wire             rx_sop,           // one link: a SOP was on the pins two clocks ago; else on those of link 0
                                              // three clocks and its `waits` ago
    output wire [4*LINKS-1:0] waits,          // of each link's words in link_deskew [clocks]; one link: 0
    output wire [36*LINKS+1:0] raw,           // several links: words before the deskew, of link l in [36*l +: 36]:
                                              // {error, K, SOP, valid, word}; above them {ev_deskew, aligned}
    output wire [31:0]      fsm_states,       // [3:0] link_tx, [6:4] link_rx_frame, [9:8] link_rx_store, [13:12] buffer
                                              // status, [14] credit waits, [15] record waits, [16] hold

    // events, S1 3.1.4.3
    output wire             ev_out_cycle,     // level
    output wire             ev_in_cycle,      // level
    output wire [LINKS-1:0] ev_gt_unknown,    // level
    output wire [LINKS-1:0] ev_gt_loss_of_sync,
    output wire [LINKS-1:0] ev_gt_disparity,  // level
    output wire [LINKS-1:0] ev_gt_tx_buffer,  // level
    output wire             ev_out_packet,
    output wire [WORDS-1:0] ev_out_word,      // 64-bit words are taken for sending
    output wire             ev_in_packet,
    output wire [WORDS-1:0] ev_in_word,
    output wire             ev_header_crc_error,
    output wire             ev_alignment_error,
    output wire             ev_backpressure,  // level
    output wire             ev_h2n_start,     // a packet is ready to be sent
    output wire             ev_n2h_start,     // a header enters N2H
    output wire             ev_body_crc_error,
    // events beyond S1
    output wire             ev_drop_length,
    output wire             ev_drop_flow,
    output wire             ev_drop_space,
    output wire             ev_credit_sent,   // credit words
    output wire             ev_credit_accepted, // with it:
    output wire             accepted_again,     // the last one of that lane was the same
    output wire [6:0]       accepted_lane,
    output wire [6:0]       accepted_value,     // counter bits [11:5]
    output wire [11:0]      accepted_units,     // transmitted on that lane
    output wire             ev_credit_rejected, // also in accepted_*
    output wire             ev_record_sent,
    output wire             ev_record_received,
    output wire             ev_record_unknown,
    output wire             ev_tx_step,       // see link_tx
    output wire             ev_tx_discard     // see link_tx
);
    localparam FLOW_BITS = $clog2(FLOWS);
    localparam [9:0]       LONGEST   = MAX_WORDS;
    localparam [FLOWS-1:0] ONLY_LANE = 1;

    initial
        if (FLOWS < 2 || FLOWS > 64 || MAX_WORDS < 1 || MAX_WORDS > 512) begin
            $display("%m: FLOWS must be 2..64, is %0d; MAX_WORDS 1..512, is %0d", FLOWS, MAX_WORDS);
            $finish;
        end

    initial
        if (RECORD_PERIOD < 2 || RECORD_PERIOD > 65535 || REFRESH_PERIOD < 2 || REFRESH_PERIOD > 65535) begin
            $display("%m: RECORD_PERIOD and REFRESH_PERIOD must be 2..65535, are %0d and %0d", RECORD_PERIOD,
                     REFRESH_PERIOD);
            $finish;
        end

    initial
        if ((LINKS != 1 && LINKS != 2 && LINKS != 4) || WORDS != ((LINKS == 4) ? 2 : 1)
            || (LINKS != 1 && (EACH != 0 || CRCS != 1))) begin
            $display("%m: LINKS must be 1, 2 or 4, is %0d; WORDS 2 with 4, else 1, is %0d; ", LINKS, WORDS,
                     "with several EACH 0, is %0d; CRCS 1, is %0d", EACH, CRCS);
            $finish;
        end

    wire [3:0] tx_state;
    wire [2:0] frame_state;
    wire [1:0] store_state;
    wire       lane_known;
    wire       granted;
    wire       packet_take;
    wire       credit_request;
    wire       credit_take;
    wire       record_request;
    wire       record_take;
    wire       record_again;
    wire       hold;
    wire       packets_may_start;

    reg  [1:0] buf_status;        // of any link
    integer i;

    always @* begin
        buf_status = 2'd0;
        for (i = 0; i < LINKS; i = i + 1)
            buf_status = buf_status | gt_rx_buf_status[2*i +: 2];
    end

    // ---- clock gating: idle words pass, and all earlier work is done
    wire       credit_busy, record_busy, line_idle, word_idle;

    assign busy = !line_idle || !word_idle || tx_valid[0] || credit_busy || record_busy || (tx_state != 4'd0)
                  || (frame_state != 3'd0) || (store_state != 2'd0) || (rx_wr_count != 11'd0);

    assign fsm_states = {15'd0, hold, record_request, credit_request, buf_status, 2'd0, store_state, 1'b0, frame_state,
                         tx_state};

    // ---- words of the line: out, and in from the transceivers as the frames were sent
    wire                word_sop;
    wire [31:0]         credit_out;
    wire [11:0]         record_units;
    wire [FLOW_BITS-1:0] record_lane;

    wire                word_valid;
    wire                word_in_sop;
    wire                word_k;
    wire                word_error;
    wire                lines_up;

    wire                header_good;
    wire [63:0]         header;
    wire                header_next;
    wire [WORDS-1:0]    body_word;
    wire [64*WORDS-1:0] body_data;
    wire                body_last;
    wire                body_end;
    wire                body_bad;
    wire                body_abort, stored, last_is_due;
    wire                record_good;
    wire                credit_valid;
    wire                credit_bad;
    wire [32*LINKS-1:0] credit_in;

    generate
        if (LINKS == 1) begin : single
            wire [31:0] word_out;
            link_tx #(.MAX_WORDS(MAX_WORDS), .IDLE_WORDS(TX_IDLE_WORDS), .STAMPS(STAMPS), .REPORT_ALL(EACH),
                      .CRCS(CRCS)) tx (
                .clk (run_clk), .rst (rst), .discard (tx_discard), .packets_may_start (packets_may_start),
                .direct (cfg_direct), .node_id (cfg_node_id), .stamp (cfg_stamp), .now (now),
                .packet_valid (tx_valid), .packet_data (tx_data), .packet_pop (tx_pop), .packet_departed (tx_departed),
                .departed_flow (tx_departed_flow), .departed_local (tx_departed_local),
                .departed_lost (tx_departed_lost), .lane_known (lane_known), .granted (granted),
                .packet_take (packet_take), .credit_request (credit_request), .credit_word (credit_out),
                .credit_take (credit_take), .record_request (record_request),
                .record_flow ({{7-FLOW_BITS{1'b0}}, record_lane}), .record_units (record_units),
                .record_take (record_take), .word_idle (word_idle), .word_sop (word_sop), .word_data (word_out),
                .ev_cycle (ev_out_cycle), .ev_packet (ev_out_packet), .ev_word (ev_out_word), .ev_start (ev_h2n_start),
                .ev_backpressure (ev_backpressure), .ev_step (ev_tx_step), .ev_discard (ev_tx_discard),
                .fsm_state (tx_state)
            );

            wire [31:0] word_in;
            wire        word_lost, word_fault;
            link_gt_tx gt_tx (
                .clk (clk), .rst (rst), .fault (tx_fault),
                .idle (word_idle), .sop (word_sop), .data (word_out), .tx_data (gt_tx_data), .tx_k (gt_tx_k)
            );

            link_sync #(.UP_CLOCKS(UP_CLOCKS)) sync (
                .clk (clk), .rst (rst), .rx_notintable (gt_rx_notintable), .rx_disperr (gt_rx_disperr),
                .rx_loss_of_sync (gt_rx_loss_of_sync), .rx_buf_error (gt_rx_buf_status[1]),
                .tx_buf_error (gt_tx_buf_err), .word_fault (word_fault), .in_sync (in_sync),
                .remote_fault (remote_fault), .link_up (lines_up), .ev_unknown (ev_gt_unknown),
                .ev_loss_of_sync (ev_gt_loss_of_sync), .ev_disparity (ev_gt_disparity), .ev_tx_buffer (ev_gt_tx_buffer)
            );

            link_rx_align align (
                .clk (clk), .rst (rst), .rx_data (gt_rx_data), .rx_k (gt_rx_k), .rx_notintable (gt_rx_notintable),
                .rx_disperr (gt_rx_disperr), .rx_loss_of_sync (gt_rx_loss_of_sync), .rx_buf_error (gt_rx_buf_status[1]),
                .word (word_in), .word_valid (word_valid), .word_sop (word_in_sop), .word_fault (word_fault),
                .word_k (word_k), .word_error (word_error), .word_lost (word_lost)
            );

            link_rx_frame #(.CRCS(CRCS)) frame (
                .clk (run_clk), .rst (rst), .word (word_in), .word_valid (word_valid), .word_sop (word_in_sop),
                .word_k (word_k), .word_error (word_error), .word_lost (word_lost),
                .header_good (header_good), .header (header), .header_next (header_next), .body_word (body_word),
                .body_data (body_data), .body_last (body_last), .body_end (body_end), .body_bad (body_bad),
                .body_abort (body_abort), .stored (stored), .last_is_due (last_is_due), .record_good (record_good),
                .credit_valid (credit_valid), .credit_bad (credit_bad), .credit_word (credit_in),
                .ev_cycle (ev_in_cycle), .ev_header_crc (ev_header_crc_error), .ev_alignment (ev_alignment_error),
                .fsm_state (frame_state)
            );

            assign rx_sop    = word_in_sop;
            assign link_up   = lines_up;
            assign waits     = 4'd0;
            assign raw       = 38'd0;
            assign line_idle = word_valid && word_k && !word_in_sop && !word_error && !word_lost;
            wire unused = &{1'b0, tx_count, cfg_bus_class};
        end else begin : bundle
            wire [32*LINKS-1:0] word_out, lane_word, word_in;
            wire [LINKS-1:0]    lane_up, lane_valid, lane_sop, lane_k, lane_error, lane_lost;
            wire [LINKS-1:0]    lane_fault, lane_in_sync, lane_remote_fault;   // not reported; no link is up alone
            wire                aligned, ev_deskew, ev_frame;

            link_tx_bundle #(.LINKS(LINKS), .MAX_WORDS(MAX_WORDS), .IDLE_WORDS(TX_IDLE_WORDS), .STAMPS(STAMPS)) tx (
                .clk (run_clk), .rst (rst), .packets_may_start (packets_may_start), .direct (cfg_direct),
                .node_id (cfg_node_id), .bus_class (cfg_bus_class), .stamp (cfg_stamp), .now (now),
                .packet_valid (tx_valid), .packet_data (tx_data), .packet_count (tx_count), .packet_pop (tx_pop),
                .packet_departed (tx_departed), .departed_flow (tx_departed_flow), .departed_local (tx_departed_local),
                .lane_known (lane_known), .granted (granted), .packet_take (packet_take),
                .credit_request (credit_request), .credit_word (credit_out), .credit_take (credit_take),
                .record_request (record_request), .record_flow ({{7-FLOW_BITS{1'b0}}, record_lane}),
                .record_units (record_units), .record_take (record_take),
                .word_idle (word_idle), .word_sop (word_sop), .word_data (word_out),
                .ev_cycle (ev_out_cycle), .ev_packet (ev_out_packet), .ev_word (ev_out_word), .ev_start (ev_h2n_start),
                .ev_backpressure (ev_backpressure), .ev_step (ev_tx_step), .ev_discard (ev_tx_discard),
                .fsm_state (tx_state)
            );

            genvar l, j;
            for (l = 0; l < LINKS; l = l + 1) begin : lane
                // byte i of a word goes to link i mod LINKS
                wire [31:0] mine;
                for (j = 0; j < 4; j = j + 1) begin : dealt
                    assign mine[31-8*j -: 8] = word_out[8*(4*LINKS - 1 - LINKS*j - l) +: 8];
                end

                link_gt_tx gt_tx (
                    .clk (clk), .rst (rst), .fault (1'b0), .idle (word_idle), .sop (word_sop), .data (mine),
                    .tx_data (gt_tx_data[32*l +: 32]), .tx_k (gt_tx_k[4*l +: 4])
                );

                link_sync #(.UP_CLOCKS(UP_CLOCKS)) sync (
                    .clk (clk), .rst (rst), .rx_notintable (gt_rx_notintable[4*l +: 4]),
                    .rx_disperr (gt_rx_disperr[4*l +: 4]), .rx_loss_of_sync (gt_rx_loss_of_sync[l]),
                    .rx_buf_error (gt_rx_buf_status[2*l + 1]), .tx_buf_error (gt_tx_buf_err[l]), .word_fault (1'b0),
                    .in_sync (lane_in_sync[l]), .remote_fault (lane_remote_fault[l]), .link_up (lane_up[l]),
                    .ev_unknown (ev_gt_unknown[l]), .ev_loss_of_sync (ev_gt_loss_of_sync[l]),
                    .ev_disparity (ev_gt_disparity[l]), .ev_tx_buffer (ev_gt_tx_buffer[l])
                );

                link_rx_align align (
                    .clk (clk), .rst (rst), .rx_data (gt_rx_data[32*l +: 32]), .rx_k (gt_rx_k[4*l +: 4]),
                    .rx_notintable (gt_rx_notintable[4*l +: 4]), .rx_disperr (gt_rx_disperr[4*l +: 4]),
                    .rx_loss_of_sync (gt_rx_loss_of_sync[l]), .rx_buf_error (gt_rx_buf_status[2*l + 1]),
                    .word (lane_word[32*l +: 32]), .word_valid (lane_valid[l]), .word_sop (lane_sop[l]),
                    .word_fault (lane_fault[l]), .word_k (lane_k[l]), .word_error (lane_error[l]),
                    .word_lost (lane_lost[l])
                );
                assign raw[36*l +: 36] = {lane_error[l], lane_k[l], lane_sop[l], lane_valid[l], lane_word[32*l +: 32]};
            end
            assign raw[36*LINKS +: 2] = {ev_deskew, aligned};

            link_deskew #(.LINKS(LINKS)) deskew (
                .clk (clk), .rst (rst), .lane_word (lane_word), .lane_valid (lane_valid), .lane_sop (lane_sop),
                .lane_k (lane_k), .lane_error (lane_error), .good (header_good || record_good),
                .bad (ev_header_crc_error), .word (word_in), .word_valid (word_valid), .word_sop (word_in_sop),
                .word_k (word_k), .word_error (word_error), .aligned (aligned), .waits (waits), .ev_deskew (ev_deskew)
            );

            link_rx_bundle #(.LINKS(LINKS)) frame (
                .clk (run_clk), .rst (rst), .word (word_in), .word_valid (word_valid), .word_sop (word_in_sop),
                .word_k (word_k), .word_error (word_error),
                .header_good (header_good), .header (header), .body_word (body_word), .body_data (body_data),
                .body_end (body_end), .body_bad (body_bad), .body_abort (body_abort), .record_good (record_good),
                .credit_valid (credit_valid), .credit_bad (credit_bad), .credit_word (credit_in),
                .ev_cycle (ev_in_cycle), .ev_header_crc (ev_header_crc_error), .ev_alignment (ev_frame),
                .fsm_state (frame_state)
            );

            // the words in the deskew FIFOs leave long before the clock stops
            assign body_last = body_end;
            assign header_next = 1'b0;
            assign rx_sop    = word_in_sop;
            assign lines_up  = &lane_up;
            assign link_up   = lines_up && aligned;
            assign line_idle = (&(lane_valid & lane_k)) && !(|lane_sop) && !(|lane_error) && aligned
                               && word_valid && word_k && !word_in_sop && !word_error;
            assign ev_alignment_error = ev_frame || ev_deskew;
            assign tx_departed_lost   = 1'b0;
            assign in_sync            = 1'b0;
            assign remote_fault       = 1'b0;
            wire unused = &{1'b0, lane_lost, tx_discard, tx_fault, lane_fault, lane_in_sync,
                            lane_remote_fault, stored, last_is_due};
        end
    endgenerate

    // ---- flow control
    wire forwarded_repaired, record_now, refresh_now;

    generate
        if (EACH != 0) begin : shared_timers
            assign record_now  = record_due;
            assign refresh_now = refresh_due;
        end else begin : own_timers
            wire [$clog2(RECORD_PERIOD)-1:0]  record_count;
            wire [$clog2(REFRESH_PERIOD)-1:0] refresh_count;
            link_timer #(.PERIOD(RECORD_PERIOD)) record_timer (.clk (clk), .rst (rst), .count (record_count),
                                                               .due (record_now));
            link_timer #(.PERIOD(REFRESH_PERIOD)) refresh_timer (.clk (clk), .rst (rst), .count (refresh_count),
                                                                 .due (refresh_now));
            wire unused_timers = &{1'b0, record_count, refresh_count, record_due, refresh_due};
        end
    endgenerate

    link_credit_tx #(.LANES(1)) credit_tx (
        .clk (run_clk), .rst (rst), .busy (credit_busy), .refresh_now (refresh_now), .forwarded (rx_forwarded),
        .repaired (forwarded_repaired), .request (credit_request), .word (credit_out), .take (credit_take)
    );

    link_check_record #(.LANES(FLOWS), .HOLD(RECORD_HOLD)) check_record (
        .clk (run_clk), .rst (rst), .busy (record_busy), .due (record_now), .link_up (lines_up),
        .lanes_used (cfg_direct ? ONLY_LANE : cfg_flow_enable),
        .request (record_request), .lane (record_lane), .take (record_take), .again (record_again), .hold (hold),
        .packets_may_start (packets_may_start)
    );

    assign ev_credit_sent = credit_take;
    assign ev_record_sent = record_take;

    link_rx_store #(.SOURCES(SOURCES), .DEPTH(RX_DEPTH), .LINKS(LINKS), .EACH(EACH), .CRCS(CRCS)) store (
        .clk (run_clk), .rst (rst), .cfg_max_words ((cfg_max_words > LONGEST) ? LONGEST : cfg_max_words),
        .header_good (header_good), .record_good (record_good), .header (header), .header_next (header_next),
        .body_word (body_word), .body_data (body_data), .body_last (body_last), .body_end (body_end),
        .body_bad (body_bad), .body_abort (body_abort), .stored (stored), .last_is_due (last_is_due),
        .trouble (!word_valid || word_error || ev_header_crc_error || ev_alignment_error), .suspects (rx_suspects),
        .lost_units (rx_lost_units), .wr_valid (rx_wr_valid), .wr_data (rx_wr_data), .wr_count (rx_wr_count),
        .received (rx_units), .forwarded (rx_forwarded), .forwarded_repaired (forwarded_repaired),
        .ev_packet (ev_in_packet), .ev_start (ev_n2h_start), .ev_body_crc (ev_body_crc_error),
        .ev_drop_length (ev_drop_length), .ev_drop_flow (ev_drop_flow), .ev_drop_space (ev_drop_space),
        .ev_record (ev_record_received), .ev_record_unknown (ev_record_unknown), .fsm_state (store_state)
    );
    assign ev_in_word = rx_wr_valid & ~{WORDS{rx_wr_data[67]}};    // a CRC is none

    link_credit_rx #(.FLOWS(FLOWS), .CREDITS(2 * LINKS)) credit_rx (
        .clk (run_clk), .rst (rst), .cfg_direct (cfg_direct), .cfg_flow_enable (cfg_flow_enable),
        .cfg_capacity (cfg_tx_capacity), .ask_flow (tx_data[62:56]), .ask_length (tx_data[41:32]),
        .ask_lane_known (lane_known), .ask_granted (granted), .take (packet_take),
        .credit_valid (credit_valid), .credit_bad (credit_bad), .credit_word (credit_in),
        .record_take (record_take), .record_lane (record_lane), .record_units (record_units),
        .record_again (record_again), .hold (hold), .view_flow (view_flow), .view_seen (view_credit_seen),
        .view_transmitted (view_tx_units), .view_credit (view_tx_credit), .ev_accepted (ev_credit_accepted),
        .accepted_again (accepted_again), .accepted_lane (accepted_lane), .accepted_value (accepted_value),
        .accepted_units (accepted_units), .ev_rejected (ev_credit_rejected)
    );

    wire probe_busy         = !word_idle || word_valid && !word_k;
    wire probe_stall_credit = ev_backpressure;
    wire probe_start        = packet_take;
    wire probe_done         = ev_out_packet;
endmodule
`default_nettype wire
