// DMA engine of the NIC: request queues, outgoing half (request queues to output queues), incoming half (net-to-host
// FIFO to the host's memory), notifier. Only wiring; see the heads of the modules. PCI clock.
//
//     bus writes -> request_queues -> dma_outgoing --read requests--> bus interface
//                                         |  pieces                      | data
//                                         +------> dma_voq_writer <------+ ---> output queues (rtl/nic/voq)
//     N2H -> dma_incoming --\                          | descriptors done   (through dma_reorder with several reads)
//                            dma_write_mux --> bus interface
//     dma_notifier <--------/------------------------- +     <- moved (output queues), departed (link)
//
// Interface to the output queues, all in this clock:
//   * `voq_room`: words that may be reserved for each queue, 11 bits each, saturated; true from 2 clocks after the last
//     reservation. A value of the last few clocks is still good if nothing was reserved since.
//   * `voq_pause` (level): nothing is reserved.
//   * `voq_hold`: a read is in flight and a packet has arrived. Space is offered only for what may leave soon; values
//     shown before stay good.
//   * `voq_reserve` (one clock, every third at most) takes `voq_reserve_words` for a piece of `voq_reserve_queue`: its
//     words and 2 more (header, abort mark). In benchmark mode it may be more than the piece turns out to need.
//   * `voq_wr_valid`, `voq_wr_data`: a word of the oldest reserved piece that has not ended; from the clock after its
//     reservation on. Never refused. At most 8 pieces are reserved and not ended.
//   * `voq_wr_commit`: what has been written of the piece, the word of this clock included, may leave: at each packet's
//     end. `voq_wr_rollback`: what is not committed is discarded, the word of this clock included. Either without a
//     word, too.
//   * `voq_piece_end`: the piece is over, with its last commit or without any; the unused reservation is free again.
//   * `voq_wr_eager`, with a header: all words of this piece follow without a gap, its first packet may start at once.
//   * `flush` (software reset): output queues are emptied, reservations forgotten; nothing is written or reserved while
//     it is high. It falls after `voq_idle`.
`default_nettype none
module dma_engine #(
    // request queues, 8 or 16
    parameter QUEUES = 8,
    // outstanding reads, 1..4
    parameter SPLITS = 1,
    // most words read at once, 64..512; with 2 more they must fit into an output queue
    parameter PIECE_WORDS = 512,
    // node IDs valid as source in a received header, 2..128
    parameter SOURCES = 128,
    // paths by which packets arrive, see dma_incoming
    parameter PATHS = 1,
    // bits of a count of transfers inside an output queue and its body, 12..31
    parameter INSIDE_BITS = 18,
    // 1: with time stamps in packets; 0: without
    parameter STAMPS = 0,
    // 1: all request queues have the same output queue; 0: each has one of its own
    parameter SHARED_ROOM = 0,
    // 1: remote queues, counters and words (rtl/sync), one path, without SHARED_ROOM; 0: without
    parameter SYNC = 0
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire [7:0]           slept,             // clock_gate: clocks missed
    output wire                 busy,              // clock_gate: there is work
    output wire                 sending,           // a descriptor waits or is in progress to its output queue

    // request queue memory as the target sees it (BAR1 + 0x4000); reads answered two clocks later
    input  wire                 q_wr_valid,
    input  wire [13:3]          q_wr_addr,
    input  wire [63:0]          q_wr_data,
    input  wire [7:0]           q_wr_be,           // bytes that are written
    input  wire [13:3]          q_rd_addr,
    output wire [63:0]          q_rd_data,

    // registers of rtl/sync (BAR1 below 0x4000); reads answered two clocks later, 0 where it has none
    input  wire                 s_wr_valid,
    input  wire [13:3]          s_rd_addr,
    output wire [63:0]          s_rd_data,
    output wire                 cfg_groups,        // level: packets carry groups instead of numbers

    // bus interface: write sequences
    output wire                 wr_req,            // until wr_ack, or withdrawn before it
    output wire [63:0]          wr_addr,
    output wire [9:0]           wr_words,
    input  wire                 wr_ack,
    output wire [63:0]          wr_data,           // the next word, while wr_data_valid
    output wire                 wr_data_valid,
    input  wire                 wr_data_pop,
    input  wire                 wr_done,
    input  wire [1:0]           wr_status,         // as in pcix_core
    input  wire                 wr_underflow,      // one clock: a word was needed but missing
    output wire                 arb_hold_write,    // a read request follows soon: a write not started should wait

    // bus interface: read sequences
    output wire                 rd_req,            // until rd_ack, or withdrawn before it
    output wire [63:0]          rd_addr,
    output wire [9:0]           rd_words,
    output wire [4:0]           rd_tag,
    input  wire                 rd_ack,
    input  wire [63:0]          rd_data,
    input  wire                 rd_data_valid,
    input  wire [4:0]           rd_data_tag,
    input  wire                 rd_done,
    input  wire [4:0]           rd_done_tag,
    input  wire [2:0]           rd_status,         // as in pcix_core
    output wire [1:0]           rd_abandon,        // as in pcix_core

    // output queues
    output wire                 voq_hold,          // level: data that cannot leave must not be read now
    input  wire                 voq_pause,
    input  wire [QUEUES*11-1:0] voq_room,
    output wire                 voq_reserve,
    output wire [$clog2(QUEUES)-1:0] voq_reserve_queue,
    output wire [10:0]          voq_reserve_words,
    output wire                 voq_wr_valid,
    output wire [67:0]          voq_wr_data,
    output wire                 voq_wr_commit,
    output wire                 voq_wr_rollback,
    output wire                 voq_wr_eager,
    output wire                 voq_piece_end,
    output wire                 flush,             // level: output queues are to be emptied
    output wire                 dropped_valid,     // one clock: a software reset has dropped a transfer in here
    output wire [$clog2(QUEUES)-1:0] dropped_queue,
    input  wire                 voq_idle,          // with flush: they are empty
    input  wire                 moved_valid,       // one clock: a transfer has gone to the link as a whole,
    input  wire                 moved_lost,        // ... or was dropped in the output queue
    input  wire [$clog2(QUEUES)-1:0] moved_queue,

    // N2H read side
    input  wire                 n2h_rd_valid,
    input  wire [67:0]          n2h_rd_data,
    input  wire [10:0]          n2h_rd_count,      // words available, never too high
    output wire                 n2h_rd_pop,
    input  wire [1:0]           n2h_rd_path,       // link by which the packet at its head arrived
    input  wire                 n2h_rd_over,     // several paths: see dma_incoming
    input  wire                 n2h_rd_bad,

    // link, already in this clock domain
    input  wire                 departed_valid,    // one clock per transfer that has left
    input  wire [$clog2(QUEUES)-1:0] departed_queue,
    input  wire                 departed_local,    // a local notification was asked for
    input  wire                 lost_valid,        // level: a transfer was lost at a link that is down; to lost_taken
    input  wire [$clog2(QUEUES)-1:0] lost_queue,
    output wire                 lost_taken,

    // set-up
    input  wire                 cfg_bus_master,
    input  wire                 cfg_initiator_enable,
    input  wire                 cfg_queue_reset,   // one clock
    output wire                 queues_resetting,  // level: queue writes are rejected until it falls
    input  wire                 cfg_sequence_zero, // level: sequence numbers are all 0, none is checked
    input  wire                 cfg_benchmark,     // transfers are sent as zeros, nothing is read
    input  wire [9:0]           cfg_payload_limit, // 1..512
    input  wire [9:0]           cfg_max_read_words, // 64..512
    input  wire [8:0]           cfg_cut_through,  // words that the network delivers per clock, 1/256; 0: store, forward
    input  wire [63:0]          cfg_remote_notify, // address for source 0
    input  wire [63:0]          cfg_local_notify,  // address for queue 0
    input  wire [SOURCES*PATHS-1:0] cfg_receive_paths, // several paths: see dma_resequencer
    input  wire [23:0]          cfg_reseq_timeout,
    input  wire                 stamp,             // level: packets carry time stamps
    input  wire [31:0]          now,               // the time for them
    input  wire                 soft_reset,        // level, until soft_reset_done
    output wire                 soft_reset_done,   // one clock

    // status for software
    output wire [QUEUES*7-1:0]  queue_heads,
    output wire [QUEUES*7-1:0]  queue_tails,
    output wire [QUEUES-1:0]    queue_fulls,       // head = tail, and not because it is empty
    input  wire [$clog2(QUEUES)-2:0] view_pair,  // counts of queues 2 x view_pair ([31:0]), 2 x view_pair + 1 ([63:32])
    output wire [63:0]          view_departed,     // ... in the same clock
    output wire [63:0]          view_skipped,
    output wire [31:0]          fsm_states,

    // events, one clock each
    output wire                 irq_event,
    output wire                 ev_overwrite,      // a descriptor that is in use was written
    output wire                 ev_partial,        // a descriptor was written by bytes
    output wire                 ev_bad_length,
    output wire                 ev_bad_address,
    output wire                 ev_bad_flow,
    output wire                 ev_read_failed,
    output wire                 ev_transfer_read,
    output wire                 ev_packet_written,
    output wire                 ev_start,
    output wire                 ev_gap,
    output wire                 ev_bad_body,
    output wire                 ev_write_error,
    output wire                 ev_local_notified,
    output wire                 ev_remote_notified,
    output wire                 ev_flagged,        // a notification that carries a loss indication
    output wire                 ev_step,           // a word without start of packet where a header is due
    output wire                 ev_late,           // several paths: see dma_resequencer
    output wire                 ev_restart,
    output wire [9:0]           reseq_depth,
    output wire                 writing_packet,    // the current write sequence is a packet's data: no notification
    output wire                 ev_internal_overflow // a bug, never otherwise
);
    localparam LOG2_QUEUES = $clog2(QUEUES);
    localparam [2:0] ABANDONED = 3'd5;  // rd_status

    wire                   enable = cfg_bus_master && cfg_initiator_enable;
    wire [QUEUES-1:0]      ready;
    wire                   take;
    wire [LOG2_QUEUES-1:0] take_queue;
    wire [127:0]           take_descriptor;
    wire [3:0]             take_number;
    wire                   served, served_left, aborting;
    wire [LOG2_QUEUES-1:0] served_queue;
    wire                   piece_valid, piece_now, piece_reserved, piece_first, piece_last;
    wire [1:0]             piece_kind;
    wire [LOG2_QUEUES-1:0] piece_queue;
    wire [9:0]             piece_words, piece_limit;
    wire [41:0]            piece_order;
    wire [31:0]            piece_created;
    wire [3:0]             piece_number, pieces;
    wire                   abandon;
    wire [LOG2_QUEUES-1:0] abandon_queue;
    wire [3:0]             abandon_number;
    wire                   item_valid, item_end, item_bad, item_ready, discard;
    wire [63:0]            item_data;
    wire                   incoming_write_error, notifier_write_error;
    wire                   reading, resequencing;
    wire                   outgoing_idle, writer_idle, incoming_idle, notifier_idle;
    wire                   forget, forgotten, impatient;
    wire [2:0]             outgoing_state, writer_state, incoming_state, reset_state;

    wire                   a_req, a_ack, a_data_valid, a_data_pop, a_done;
    wire [63:0]            a_addr, a_data;
    wire [9:0]             a_words;
    wire                   b_req, b_ack, b_done, unused_data_pop;
    wire [63:0]            b_addr, b_data;

    // rtl/sync; nothing without
    wire [LOG2_QUEUES-1:0] answer_queue, ask_queue;
    wire [QUEUES-1:0]      release_mask, prepared, answer_room, ask_full;
    wire [63:0]            op_header, answer_word, piece_word;
    wire [31:0]            answer_header;
    wire [14:0]            ask_operand;
    wire [8:0]             piece_extra;
    wire [6:0]             loss_source;
    wire                   op_ready, op_begin, op_valid, op_take, op_end, op_drop, op_waits, group_valid, group_damaged;
    wire                   loss_valid, answer_valid, answer_held, answer_taken, ask_valid, served_answer, word_free;
    wire                   incoming_irq, sync_irq, sync_busy, sync_idle;
    wire                   m_req, m_ack, m_data_valid, m_data_pop, m_done;     // all other writes
    wire [63:0]            m_addr, m_data;
    wire [9:0]             m_words;

    // A software reset waits for bus sequences while they can end. A request that is split only then, or later, is not
    // abandoned: to the host it is outstanding, so its completion is awaited (or the completion timer).
    wire   bus_moves  = cfg_bus_master && !impatient;
    assign rd_abandon = {aborting && impatient, aborting};

    // nibble per FSM: writer, outgoing, incoming, reset
    assign dropped_valid  = served && !served_left && aborting;
    assign dropped_queue  = served_queue;
    assign fsm_states = {16'd0, 1'b0, reset_state, 1'b0, incoming_state, 1'b0, outgoing_state, 1'b0, writer_state};

    // after a reset until requests are no longer held back for it; the other steps are covered by idle states
    assign busy = (ready != {QUEUES{1'b0}}) || n2h_rd_valid || departed_valid || queues_resetting || !impatient
                  || reading || served || !outgoing_idle || !writer_idle || !incoming_idle || !notifier_idle
                  || (reset_state != 3'd0) || wr_req || rd_req || resequencing || lost_valid || sync_busy;

    assign sending = (ready != {QUEUES{1'b0}}) || !outgoing_idle || !writer_idle;

    // A packet has arrived while a read is in flight: data that can move on need the bus.
    assign voq_hold = reading && n2h_rd_valid;

    assign ev_write_error   = incoming_write_error || notifier_write_error;
    assign ev_read_failed   = abandon;
    assign ev_transfer_read = served && served_left && !served_answer;
    assign irq_event        = incoming_irq || sync_irq;

    request_queues #(.QUEUES(QUEUES), .SYNC(SYNC)) queues (
        .clk (clk), .rst (rst), .slept (slept), .queue_reset (cfg_queue_reset), .resetting (queues_resetting),
        .wr_valid (q_wr_valid), .wr_addr (q_wr_addr), .wr_data (q_wr_data), .wr_be (q_wr_be),
        .rd_addr (q_rd_addr), .rd_data (q_rd_data), .stamp (stamp), .now (now),
        .release_mask (release_mask), .prepared (prepared),
        .ready (ready), .take (take), .take_queue (take_queue), .take_descriptor (take_descriptor),
        .take_number (take_number), .served (served && !served_answer), .served_queue (served_queue),
        .heads (queue_heads), .tails (queue_tails), .fulls (queue_fulls), .overwrite (ev_overwrite),
        .partial (ev_partial)
    );

    dma_outgoing #(.QUEUES(QUEUES), .SPLITS(SPLITS), .PIECE_WORDS(PIECE_WORDS), .SHARED_ROOM(SHARED_ROOM),
                   .SYNC(SYNC)) outgoing (
        .clk (clk), .rst (rst),
        .ready (ready), .take (take), .take_queue (take_queue), .take_descriptor (take_descriptor),
        .take_number (take_number), .rd_req (rd_req), .rd_addr (rd_addr), .rd_words (rd_words), .rd_tag (rd_tag),
        .rd_ack (rd_ack), .rd_data_valid (rd_data_valid), .read_over (item_valid && item_end && item_ready),
        .discard (discard), .abandoned (rd_done && rd_status == ABANDONED), .abandoned_tag (rd_done_tag),
        .read_turn (arb_hold_write), .reading (reading),
        .voq_room (voq_room), .voq_pause (voq_pause), .voq_reserve (voq_reserve),
        .voq_reserve_queue (voq_reserve_queue), .voq_reserve_words (voq_reserve_words),
        .piece_valid (piece_valid), .piece_now (piece_now), .piece_kind (piece_kind), .piece_reserved (piece_reserved),
        .piece_first (piece_first), .piece_last (piece_last), .piece_queue (piece_queue), .piece_words (piece_words),
        .piece_limit (piece_limit), .piece_order (piece_order),
        .piece_created (piece_created), .piece_number (piece_number), .pieces (pieces),
        .piece_extra (piece_extra), .piece_word (piece_word), .word_free (word_free), .answer_room (answer_room),
        .answer_valid (answer_valid), .answer_queue (answer_queue), .answer_header (answer_header),
        .answer_word (answer_word), .answer_held (answer_held), .answer_taken (answer_taken),
        .ask_valid (ask_valid), .ask_queue (ask_queue), .ask_operand (ask_operand), .ask_full (ask_full),
        .abandon (abandon), .abandon_queue (abandon_queue), .abandon_number (abandon_number),
        .cfg_payload_limit (cfg_payload_limit), .cfg_max_read_words (cfg_max_read_words),
        .cfg_benchmark (cfg_benchmark), .stamp (stamp), .bus_moves (bus_moves), .enable (enable), .flush (aborting),
        .queue_reset (cfg_queue_reset), .idle (outgoing_idle), .ev_bad_length (ev_bad_length),
        .ev_bad_address (ev_bad_address), .ev_bad_flow (ev_bad_flow), .state (outgoing_state)
    );

    generate
        if (SPLITS > 1) begin : several
            dma_reorder #(.SPLITS(SPLITS)) reorder (
                .clk (clk), .rst (rst), .rd_data_valid (rd_data_valid), .rd_data (rd_data), .rd_data_tag (rd_data_tag),
                .rd_done (rd_done), .rd_done_tag (rd_done_tag), .rd_status (rd_status),
                .item_valid (item_valid), .item_end (item_end), .item_bad (item_bad), .item_data (item_data),
                .item_ready (item_ready)
            );
        end else begin : single
            dma_read_items items (
                .clk (clk), .rst (rst), .rd_data_valid (rd_data_valid), .rd_data (rd_data), .rd_done (rd_done),
                .rd_status (rd_status), .item_valid (item_valid), .item_end (item_end), .item_bad (item_bad),
                .item_data (item_data)
            );
            wire unused = &{1'b0, rd_data_tag};
        end
    endgenerate

    dma_voq_writer #(.QUEUES(QUEUES), .ITEMS_WAIT(SPLITS > 1), .STAMPS(STAMPS), .SYNC(SYNC)) writer (
        .clk (clk), .rst (rst),
        .piece_valid (piece_valid), .piece_now (piece_now), .piece_kind (piece_kind), .piece_reserved (piece_reserved),
        .piece_first (piece_first), .piece_last (piece_last), .piece_queue (piece_queue), .piece_words (piece_words),
        .piece_limit (piece_limit), .piece_order (piece_order),
        .piece_created (piece_created), .piece_number (piece_number), .pieces (pieces),
        .piece_extra (piece_extra), .piece_word (piece_word), .word_free (word_free), .served_answer (served_answer),
        .abandon (abandon), .abandon_queue (abandon_queue), .abandon_number (abandon_number),
        .item_valid (item_valid), .item_end (item_end), .item_bad (item_bad), .item_data (item_data),
        .item_ready (item_ready), .discard (discard), .stamp (stamp),
        .voq_valid (voq_wr_valid), .voq_data (voq_wr_data), .voq_commit (voq_wr_commit),
        .voq_rollback (voq_wr_rollback), .voq_piece_end (voq_piece_end), .voq_eager (voq_wr_eager),
        .flush (aborting), .idle (writer_idle),
        .served (served), .served_queue (served_queue), .served_left (served_left),
        .ev_overflow (ev_internal_overflow), .state (writer_state)
    );

    dma_incoming #(.SOURCES(SOURCES), .PATHS(PATHS), .SYNC(SYNC)) incoming (
        .clk (clk), .rst (rst),
        .n2h_valid (n2h_rd_valid), .n2h_data (n2h_rd_data), .n2h_count (n2h_rd_count), .n2h_pop (n2h_rd_pop),
        .n2h_over (n2h_rd_over), .n2h_bad (n2h_rd_bad), .n2h_path (n2h_rd_path),
        .cfg_paths (cfg_receive_paths), .cfg_timeout (cfg_reseq_timeout), .resequencing (resequencing),
        .ev_late (ev_late), .ev_restart (ev_restart), .reseq_depth (reseq_depth),
        .wr_req (a_req), .wr_addr (a_addr), .wr_words (a_words), .wr_ack (a_ack), .wr_data (a_data),
        .wr_data_valid (a_data_valid), .wr_data_pop (a_data_pop), .wr_done (a_done), .wr_status (wr_status),
        .wr_underflow (wr_underflow),
        .op_ready (op_ready), .op_begin (op_begin), .op_valid (op_valid), .op_take (op_take), .op_end (op_end),
        .op_drop (op_drop), .op_waits (op_waits), .op_header (op_header), .group_valid (group_valid),
        .group_damaged (group_damaged), .loss_valid (loss_valid), .loss_source (loss_source),
        .cfg_groups (cfg_groups),
        .bus_moves (bus_moves), .enable (enable), .flush (aborting), .idle (incoming_idle),
        .cfg_sequence_zero (cfg_sequence_zero), .cfg_cut_through (cfg_cut_through),
        .cfg_remote_notify (cfg_remote_notify), .irq_event (incoming_irq), .ev_packet (ev_packet_written),
        .ev_start (ev_start), .ev_gap (ev_gap), .ev_bad_body (ev_bad_body), .ev_write_error (incoming_write_error),
        .ev_notified (ev_remote_notified), .ev_flagged (ev_flagged), .ev_step (ev_step), .writing (writing_packet),
        .state (incoming_state)
    );

    dma_notifier #(.QUEUES(QUEUES), .INSIDE_BITS(INSIDE_BITS)) notifier (
        .clk (clk), .rst (rst),
        .served (served && !served_answer), .served_queue (served_queue), .served_left (served_left),
        .moved_valid (moved_valid), .moved_lost (moved_lost), .moved_queue (moved_queue),
        .departed_valid (departed_valid), .departed_queue (departed_queue), .departed_local (departed_local),
        .lost_valid (lost_valid), .lost_queue (lost_queue), .lost_taken (lost_taken),
        .forget (forget), .forgotten (forgotten),
        .wr_req (b_req), .wr_addr (b_addr), .wr_data (b_data), .wr_ack (b_ack), .wr_done (b_done),
        .wr_status (wr_status), .bus_moves (bus_moves), .enable (enable), .flush (aborting),
        .cfg_local_notify (cfg_local_notify), .view_pair (view_pair), .view_departed (view_departed),
        .view_skipped (view_skipped), .ev_notified (ev_local_notified), .ev_write_error (notifier_write_error),
        .idle (notifier_idle)
    );

    dma_write_mux write_mux (
        .clk (clk), .rst (rst),
        .a_req (a_req), .a_addr (a_addr), .a_words (a_words), .a_ack (a_ack), .a_data (a_data),
        .a_data_valid (a_data_valid), .a_data_pop (a_data_pop), .a_done (a_done),
        .b_req (b_req), .b_addr (b_addr), .b_words (10'd1), .b_ack (b_ack), .b_data (b_data), .b_data_valid (1'b1),
        .b_data_pop (unused_data_pop), .b_done (b_done),
        .wr_req (m_req), .wr_addr (m_addr), .wr_words (m_words), .wr_ack (m_ack), .wr_data (m_data),
        .wr_data_valid (m_data_valid), .wr_data_pop (m_data_pop), .wr_done (m_done)
    );

    generate
        if (SYNC != 0) begin : operations
            wire        s_req, s_ack, s_data_valid, s_data_pop, s_done, unused_queue_valid, unused_first,
                        unused_slot_valid;
            wire [63:0] s_addr, s_data;
            wire [9:0]  s_words;
            wire [3:0]  node, unused_queue;
            wire [15:0] released;
            wire [63:6] unused_slot;
            wire [7:0]  unused_states;

            sync_unit #(.NODES(QUEUES), .PIPELINED(1)) sync (
                .clk (clk), .rst (rst), .busy (sync_busy), .reg_wr_valid (s_wr_valid), .reg_wr_addr (q_wr_addr),
                .reg_wr_data (q_wr_data), .reg_wr_be (q_wr_be), .reg_rd_addr (s_rd_addr), .reg_rd_data (s_rd_data),
                .op_ready (op_ready), .op_begin (op_begin), .op_header (op_header), .op_valid (op_valid),
                .op_take (op_take), .op_word (n2h_rd_data[63:0]), .op_end (op_end), .op_drop (op_drop),
                .op_written (1'b0), .op_waits (op_waits), .group_valid (group_valid), .group_header (op_header),
                .group_damaged (group_damaged), .loss_valid (loss_valid), .loss_source (loss_source),
                .wr_req (s_req), .wr_addr (s_addr), .wr_words (s_words), .wr_ack (s_ack), .wr_data (s_data),
                .wr_data_valid (s_data_valid), .wr_data_pop (s_data_pop), .wr_done (s_done), .wr_status (wr_status),
                .wr_underflow (wr_underflow), .wr_queue_valid (unused_queue_valid), .wr_queue (unused_queue),
                .wr_first (unused_first), .slot_valid (unused_slot_valid), .slot_addr (unused_slot),
                .irq_event (sync_irq), .answer_room (answer_room), .answer_valid (answer_valid), .answer_node (node),
                .answer_header (answer_header), .answer_word (answer_word), .answer_held (answer_held),
                .answer_taken (answer_taken), .ask_valid (ask_valid), .ask_queue ({{4-LOG2_QUEUES{1'b0}}, ask_queue}),
                .ask_operand (ask_operand), .ask_full (ask_full), .prepared ({{16-QUEUES{1'b0}}, prepared}),
                .release_mask (released), .cfg_groups (cfg_groups), .bus_moves (bus_moves), .enable (enable),
                .flush (aborting), .idle (sync_idle), .states (unused_states)
            );

            dma_write_mux #(.AHEAD(1)) sync_mux (
                .clk (clk), .rst (rst),
                .a_req (m_req), .a_addr (m_addr), .a_words (m_words), .a_ack (m_ack), .a_data (m_data),
                .a_data_valid (m_data_valid), .a_data_pop (m_data_pop), .a_done (m_done),
                .b_req (s_req), .b_addr (s_addr), .b_words (s_words), .b_ack (s_ack), .b_data (s_data),
                .b_data_valid (s_data_valid), .b_data_pop (s_data_pop), .b_done (s_done),
                .wr_req (wr_req), .wr_addr (wr_addr), .wr_words (wr_words), .wr_ack (wr_ack), .wr_data (wr_data),
                .wr_data_valid (wr_data_valid), .wr_data_pop (wr_data_pop), .wr_done (wr_done)
            );

            assign answer_queue = node[LOG2_QUEUES-1:0];
            assign release_mask = released[QUEUES-1:0];
            wire unused = &{1'b0, unused_queue_valid, unused_first, unused_slot_valid, unused_queue, unused_slot,
                            unused_states, node, released};
        end else begin : transfers
            assign {wr_req, wr_addr, wr_words, wr_data, wr_data_valid} = {m_req, m_addr, m_words, m_data, m_data_valid};
            assign {m_ack, m_data_pop, m_done}                         = {wr_ack, wr_data_pop, wr_done};
            assign {op_ready, op_take, op_waits, answer_valid, sync_irq, sync_busy, cfg_groups} = 7'd0;
            assign sync_idle     = 1'b1;
            assign s_rd_data     = 64'd0;
            assign answer_word   = 64'd0;
            assign answer_header = 32'd0;
            assign answer_queue  = {LOG2_QUEUES{1'b0}};
            assign {release_mask, ask_full} = {2*QUEUES{1'b0}};
            wire unused = &{1'b0, s_wr_valid, s_rd_addr, op_header, op_begin, op_valid, op_end, op_drop, group_valid,
                            group_damaged, loss_valid, loss_source, answer_room, answer_held, answer_taken, ask_valid,
                            ask_queue, ask_operand, prepared};
        end
    endgenerate

    dma_reset resetting (
        .clk (clk), .rst (rst), .soft_reset (soft_reset), .soft_reset_done (soft_reset_done),
        .flush (aborting), .flush_queues (flush),
        .halves_idle (outgoing_idle && writer_idle && incoming_idle && notifier_idle && sync_idle),
        .voq_idle (voq_idle),
        .impatient (impatient), .forget (forget), .forgotten (forgotten), .state (reset_state)
    );
endmodule
`default_nettype wire
