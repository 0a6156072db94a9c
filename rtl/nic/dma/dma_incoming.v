// Incoming half of the DMA engine: takes packets from the net-to-host FIFO, writes their payload to the host's memory,
// then their notification, then raises the interrupt.
//
// Cut-through: a packet's bus burst starts as soon as the FIFO holds enough of it that it cannot run dry. The network
// delivers `cfg_cut_through`/256 words per PCI clock, so of W words W * cfg_cut_through / 256 arrive while the burst
// runs; it starts when the remainder and 6 more (clock tolerance, latency of the FIFO's count) are stored, or all W.
// With 0 it waits for all (store and forward). With several paths the FIFO holds one word more of a packet, its CRC,
// which dma_arrivals does not pass on.
//
// Every loss is reported (design.md 3): sequence numbers are checked here, as packets leave the FIFO, so that a
// software reset's flush shows as a gap too. A gap, a bad body (N2H [66] with the last word), a failed bus write or one
// that ran dry sets the loss indication of the source; its next remote notification carries it in bit 63 and clears it.
// The damaged packet's own notification carries it, too.
//
// A header with [63] set reports many packets lost on the link, perhaps enough for the numbers to wrap: the loss
// indications of all sources are set, one per clock, before the packet goes on. With several paths only its own
// source's is set (link_lost_many).
//
// Order on the bus: payload, then notification, both through the same write interface; the interrupt event after both.
// A software reset (`flush`) withdraws a write that the bus interface has not accepted and drops the remainder of the
// packet and all others in N2H; their sources get a loss indication. An accepted write is finished, without its
// notification. While bus mastering is off it cannot finish: then the reset does not wait for it; it goes on later.
//
// With SYNC a packet with an odd address is an operation: its words go to the buffer of rtl/sync as they arrive
// (`op_*`), and a packet of data is written only when the operations before it have taken effect. `loss_*` reports what
// rtl/sync marks: what sets a loss indication. With `cfg_groups` no numbers are checked, and each packet of a group is
// reported (`group_*`) when it has been written. SYNC is for one path.
//
// A word without start of packet where a header is due is dropped and counted (`ev_step`). So is, without SYNC, an
// operation; its source gets a loss indication.
//
// With PATHS > 1 packets of a source arrive in any order: dma_resequencer keeps the numbers (ten bits, [51:42]) and the
// loss indications. A packet that is not due is written, but its notification and interrupt wait there; between two
// packets those that have become due are written (`of_note`). A late packet is dropped. A packet dropped by a software
// reset counts as damaged, so that no packet waits for it; waiting packets are then not notified. dma_arrivals reports
// a bad body (`n2h_bad`) two clocks behind the last word: before wr_done, which is four clocks behind the last data
// phase (pcix_core).
`default_nettype none
module dma_incoming #(
    // node IDs that may appear in a header as source, 2..128
    parameter SOURCES = 128,
    // paths of the packets of a source, 1..4; with several of them SOURCES is 16 at most
    parameter PATHS = 1,
    // 1: with operations and groups; 0: without
    parameter SYNC = 0
) (
    input  wire        clk,
    input  wire        rst,

    // N2H read side
    input  wire        n2h_valid,
    input  wire [1:0]  n2h_path,            // path by which the packet arrived
    input  wire [67:0] n2h_data,
    input  wire [10:0] n2h_count,           // words available, never too high
    output wire        n2h_pop,
    input  wire        n2h_over,            // several paths, one clock: N2H holds no more of the packet,
    input  wire        n2h_bad,             // ... and in the next clock: its body is bad

    // write conversation (through dma_write_mux)
    output wire        wr_req,              // until wr_ack, or withdrawn before it
    output wire [63:0] wr_addr,
    output wire [9:0]  wr_words,
    input  wire        wr_ack,
    output wire [63:0] wr_data,
    output wire        wr_data_valid,
    input  wire        wr_data_pop,
    input  wire        wr_done,
    input  wire [1:0]  wr_status,           // as in pcix_core
    input  wire        wr_underflow,        // one clock: the bus needed a missing word; it took an undefined one

    // set-up
    input  wire        bus_moves,           // level: bus sequences can end
    input  wire        enable,              // new packets may be taken and written
    input  wire        flush,               // software reset: drop packets
    output wire        idle,                // a software reset need not wait; N2H has been flushed
    input  wire        cfg_sequence_zero,   // level: sequence numbers are all 0, none is checked
    input  wire [8:0]  cfg_cut_through,     // words that the network delivers per clock, in 1/256; 0: store and forward
    input  wire [63:0] cfg_remote_notify,   // address for source 0
    input  wire [SOURCES*PATHS-1:0] cfg_paths, // with several paths: dma_resequencer
    input  wire [23:0] cfg_timeout,

    // operations, groups and losses, as in sync_unit; without SYNC nothing
    input  wire        op_ready,
    output wire        op_begin,
    output wire        op_valid,
    input  wire        op_take,
    output wire        op_end,
    output wire        op_drop,
    input  wire        op_waits,
    output wire [63:0] op_header,           // of the group, too
    output wire        group_valid,
    output wire        group_damaged,
    output wire        loss_valid,
    output wire [6:0]  loss_source,
    input  wire        cfg_groups,

    // results
    output reg         irq_event,           // a packet that asks for an interrupt is in memory
    output reg         ev_packet,           // payload written
    output reg         ev_start,            // a header was seen
    output reg         ev_gap,              // a sequence number other than expected
    output reg         ev_bad_body,         // the last word says so
    output reg         ev_write_error,      // the bus has failed, or run dry
    output reg         ev_notified,         // a remote notification was written
    output reg         ev_flagged,          // ... that carries a loss indication
    output reg         ev_step,             // a word without start of packet where a header is due
    output wire        writing,             // the current sequence is a packet's data: no notification
    output wire        resequencing,        // headers wait, or a time runs
    output wire        ev_late,             // with several paths: dma_resequencer
    output wire        ev_restart,
    output wire [9:0]  reseq_depth,
    output wire [2:0]  state
);
    localparam [2:0] IDLE    = 3'd0,   // header due
                     CHECK   = 3'd1,   // sequence, start threshold
                     WAIT    = 3'd2,   // enough words for the burst
                     REQUEST = 3'd3,   // write request at the bus interface
                     DATA    = 3'd4,   // burst
                     NOTIFY  = 3'd5,   // notification request
                     NOTIFIED = 3'd6,  // notification in progress
                     DRAIN   = 3'd7;   // software reset: remainder of a packet dropped

    reg  [2:0]   fsm;
    reg  [63:0]  header;
    reg  [9:0]   threshold;        // words in the FIFO at which the burst may start
    reg          flagged;          // loss indication of the source, or damage of this packet
    reg  [11:0]  drained;          // words dropped since the flush began, saturating; more than N2H can hold

    // ---- of each source: the expected sequence number, and whether data were lost since its last notification.
    // Cleared one source per clock after reset, in which time no packet is taken.
    localparam BITS = $clog2(SOURCES);
    localparam [31:0] LAST_SOURCE = SOURCES - 1;

    initial
        if (SOURCES < 2 || SOURCES > 128 || PATHS < 1 || PATHS > 4 || (PATHS > 1 && (SOURCES > 16 || SYNC != 0))) begin
            $display("%m: SOURCES must be 2..128, 2..16 with several paths, is %0d; PATHS 1..4, 1 with SYNC, is %0d",
                     SOURCES, PATHS);
            $finish;
        end

    wire [BITS-1:0] source = header[56 +: BITS];
    wire         busy_marking;     // no packet is taken
    wire         held;             // in CHECK: not yet
    wire         gap;              // in CHECK, with several paths at any time: a number is missing
    wire         marked;           // in CHECK: the source has a loss indication
    wire         late;             // in CHECK: the packet must not be written
    wire         due;              // with wr_done of a payload: it must be notified now,
    wire         due_flagged;      // ... with a loss indication
    wire         waiting;          // headers wait, or a header that has waited is being notified
    wire         note;             // a packet that has waited must be notified:
    wire [63:0]  note_header;
    reg          of_note;          // NOTIFY, NOTIFIED: of such a packet
    reg          checking;         // ... and CHECK goes on behind it
    reg          dropped;          // a software reset drops the packet in progress
    wire         dropped_numbered = dropped && (PATHS > 1);
    wire         over;             // in DRAIN: the packet is out of N2H
    wire         body_bad;         // one clock: that of the packet in progress
    wire         all_here;         // ... is in N2H as a whole
    wire         grouped;          // level: no numbers are checked
    wire         all_lose;         // with SYNC: every source loses something, this clock:
    wire [6:0]   all_source;
    wire [9:0]   words       = header[41:32];
    wire         storing;          // in DRAIN: the words are those of an operation
    wire         group_due;        // the packet in `header` was written, and must be counted
    wire         pop_header  = (fsm == IDLE) && n2h_valid && (enable || flush) && !busy_marking && !note && !group_due;
    wire         pop_drain   = (fsm == DRAIN) && n2h_valid && (!storing || op_take);
    wire         pop_data    = (fsm == REQUEST || fsm == DATA) && wr_data_pop;
    wire         last_popped = n2h_valid && n2h_data[65] && (pop_drain || pop_data);
    wire [63:0]  shown       = of_note ? note_header : header;    // header of the packet notified

    generate
        if (PATHS == 1) begin : in_order
            reg  [8:0]   expected_number [0:SOURCES-1];
            reg          marks [0:SOURCES-1];
            wire         many_lost = pop_header && n2h_data[64] && n2h_data[63];
            reg          sweeping;         // after reset: no source has a loss indication
            reg          marking;          // all sources get one
            reg  [BITS-1:0] sweep_source;
            wire         sweep_ends = (sweep_source == LAST_SOURCE[BITS-1:0]);
            wire [8:0]   number   = header[50:42];
            reg          mark_write;
            reg          mark_value;
            reg  [BITS-1:0] mark_source;
            wire [BITS-1:0] number_source = sweeping ? sweep_source : source;

            assign gap          = !cfg_sequence_zero && !grouped && (number != expected_number[source]);
            assign marked       = marks[source];
            assign busy_marking = sweeping || marking;
            assign held         = marking;
            assign late         = header[0] && (SYNC == 0);
            assign due          = 1'b1;
            assign due_flagged  = flagged || (wr_status != 2'd0);
            assign waiting      = 1'b0;
            assign note         = 1'b0;
            assign note_header  = 64'd0;
            assign resequencing = 1'b0;
            assign ev_late      = 1'b0;
            assign ev_restart   = 1'b0;
            assign reseq_depth  = 10'd0;

            always @(posedge clk)
                if (sweeping || (fsm == CHECK && !marking))
                    expected_number[number_source] <= sweeping ? 9'd0 : number + 9'd1;

            always @(posedge clk)
                if (mark_write)
                    marks[mark_source] <= mark_value;

            always @(posedge clk)
                if (rst) begin
                    sweeping     <= 1'b1;
                    marking      <= 1'b0;
                    sweep_source <= {BITS{1'b0}};
                end else begin
                    if (sweeping || marking) sweep_source <= sweep_ends ? {BITS{1'b0}} : sweep_source + 1'b1;
                    if (sweep_ends) sweeping <= 1'b0;
                    if (many_lost) marking <= 1'b1;
                    else if (sweep_ends) marking <= 1'b0;
                end

            // the loss indication of a source: kept by a packet that is not notified, cleared by its notification if
            // that arrived, set by a flush
            always @* begin
                mark_write  = 1'b0;
                mark_value  = 1'b1;
                mark_source = source;
                if (sweeping || marking) begin
                    mark_write  = 1'b1;
                    mark_value  = marking;
                    mark_source = sweep_source;
                end else
                    case (fsm)
                        IDLE: begin
                            mark_write  = pop_header && n2h_data[64] && flush;
                            mark_source = n2h_data[56 +: BITS];
                        end
                        CHECK: mark_write = late;
                        WAIT, REQUEST, NOTIFY: mark_write = flush;
                        DATA: begin
                            mark_write = wr_done;
                            mark_value = due_flagged;
                        end
                        NOTIFIED: begin
                            mark_write = wr_done;
                            mark_value = (wr_status != 2'd0);
                        end
                        DRAIN: mark_write = op_end && (flagged || op_drop);
                        default: ;
                    endcase
            end

            assign all_lose   = marking;
            assign all_source = {{7-BITS{1'b0}}, sweep_source};
            assign over     = last_popped;
            assign body_bad = pop_data && last_popped && n2h_data[66];
            assign all_here = (n2h_count >= {1'b0, words});
            wire unused_paths = &{1'b0, n2h_path, n2h_over, n2h_bad, cfg_paths, cfg_timeout, dropped_numbered};
        end else begin : any_order
            wire       ask_ready, ask_late, lost;
            wire       ends = (fsm == DATA && wr_done) || (fsm == DRAIN && over && dropped_numbered);
            wire       lost_notification = (fsm == NOTIFY && flush)
                                           || (fsm == NOTIFIED && wr_done && wr_status != 2'd0);

            assign busy_marking = 1'b0;
            assign held         = !ask_ready;
            assign late         = ask_late;
            assign gap          = lost;
            assign marked       = 1'b0;

            reg [1:0] path;
            always @(posedge clk)
                if (pop_header) path <= n2h_path;

            dma_resequencer #(.SOURCES(SOURCES), .PATHS(PATHS)) resequencer (
                .clk (clk), .rst (rst), .busy (resequencing), .cfg_paths (cfg_paths), .cfg_timeout (cfg_timeout),
                .time_runs (!n2h_valid || n2h_pop), .flush (flush), .holds (waiting),
                .ask_valid (fsm == CHECK && !note), .ask_source (source), .ask_number (header[51:42]), .ask_path (path),
                .ask_ready (ask_ready), .ask_late (ask_late),
                .done_valid (ends), .done_kept ({dropped_numbered ? 4'd0 : header[55:52], header[41:0]}),
                .done_damaged (dropped_numbered || flagged || header[63] || wr_status != 2'd0), .done_now (due),
                .done_flagged (due_flagged), .note_valid (note), .note_header (note_header),
                .note_taken (note && (((fsm == IDLE || fsm == CHECK) && !note_header[54])
                                      || (of_note && ((fsm == NOTIFY && flush) || (fsm == NOTIFIED && wr_done))))),
                .mark_valid (lost_notification), .mark_source (shown[56 +: BITS]),
                .ev_lost (lost), .ev_late (ev_late), .ev_restart (ev_restart), .depth (reseq_depth)
            );

            assign all_lose   = 1'b0;
            assign all_source = 7'd0;
            assign over     = n2h_over;
            assign body_bad = (fsm == DATA) && n2h_bad;
            assign all_here = (n2h_count > {1'b0, words});     // ... and the CRC behind it
            wire unused_order = &{1'b0, cfg_sequence_zero, grouped, marked, last_popped, n2h_data[66], LAST_SOURCE};
        end
    endgenerate

    // ---- operations, groups, losses
    wire         operation = (SYNC != 0) && header[0];

    generate
        if (SYNC != 0) begin : operations
            reg         is_storing, is_due, damaged, loses;
            reg         fresh;         // the packet of data in progress is damaged itself
            reg  [6:0]  loser;

            assign {storing, group_due, group_damaged, loss_valid} = {is_storing, is_due, damaged, loses};
            assign loss_source = loser;
            assign op_begin    = (fsm == WAIT) && operation && op_ready && !flush;
            assign op_valid    = storing && (fsm == DRAIN) && n2h_valid;
            assign op_end      = storing && over;
            assign op_drop     = n2h_data[66];
            assign op_header   = header;
            assign group_valid = group_due && op_ready;
            assign grouped     = cfg_groups;

            always @(posedge clk)
                if (rst) begin
                    is_storing <= 1'b0;
                    is_due     <= 1'b0;
                    fresh      <= 1'b0;
                    loses      <= 1'b0;
                end else begin
                    if (fsm == WAIT) is_storing <= op_begin;
                    else if (op_end) is_storing <= 1'b0;
                    if (fsm == DATA && wr_done) is_due <= cfg_groups && (header[47:42] != 6'd0);
                    else if (group_valid)       is_due <= 1'b0;
                    if (fsm == CHECK)                 fresh <= 1'b0;
                    else if (body_bad || (fsm == DATA && wr_underflow)) fresh <= 1'b1;
                    case (fsm)
                        IDLE:          loses <= pop_header && n2h_data[64] && flush;
                        CHECK:         loses <= !held && gap;
                        WAIT, REQUEST: loses <= flush;
                        DATA:          loses <= wr_done && (fresh || wr_status != 2'd0);
                        DRAIN:         loses <= op_end && op_drop;
                        default:       loses <= 1'b0;
                    endcase
                    if (all_lose) loses <= 1'b1;
                end

            always @(posedge clk) begin
                loser <= all_lose ? all_source : (fsm == IDLE) ? n2h_data[62:56] : header[62:56];
                if (fsm == DATA && wr_done) damaged <= fresh || (wr_status != 2'd0);
            end
        end else begin : transfers
            wire unused = &{1'b0, op_ready, op_take, op_waits, cfg_groups, all_lose, all_source};
            assign {op_begin, op_valid, op_end, op_drop, group_valid, grouped} = 6'd0;
            assign {storing, group_due, group_damaged, loss_valid} = 4'd0;
            assign loss_source = 7'd0;
            assign op_header   = 64'd0;
        end
    endgenerate

    // ---- words that will arrive while the burst runs
    wire [18:0] coming = words * cfg_cut_through;
    wire [9:0]  needed = words - {coming[18:8] > {1'b0, words} ? words : coming[17:8]} + 10'd6;

    wire        enough = (n2h_count >= {1'b0, threshold}) || all_here;

    assign n2h_pop       = pop_header || pop_drain || pop_data;
    assign wr_req        = (fsm == REQUEST || fsm == NOTIFY) && enable && !flush;
    assign wr_addr       = (fsm == NOTIFY) ? cfg_remote_notify + {54'd0, shown[62:56], 3'b000} : {32'd0, header[31:0]};
    assign wr_words      = (fsm == NOTIFY) ? 10'd1 : words;
    assign wr_data       = (fsm == NOTIFY || fsm == NOTIFIED) ? {flagged, shown[62:0]} : n2h_data[63:0];
    assign wr_data_valid = (fsm == NOTIFY || fsm == NOTIFIED) || ((fsm == REQUEST || fsm == DATA) && n2h_valid);
    assign idle          = (fsm == IDLE && (!n2h_valid || drained[11]) && !waiting)
                           || ((fsm == DATA || fsm == NOTIFIED) && !bus_moves);
    assign state         = fsm;
    assign writing       = (fsm == DATA);

    always @(posedge clk)
        if (rst) begin
            fsm            <= IDLE;
            flagged        <= 1'b0;
            of_note        <= 1'b0;
            checking       <= 1'b0;
            dropped        <= 1'b0;
            drained        <= 12'd0;
            irq_event      <= 1'b0;
            ev_packet      <= 1'b0;
            ev_start       <= 1'b0;
            ev_gap         <= 1'b0;
            ev_bad_body    <= 1'b0;
            ev_write_error <= 1'b0;
            ev_notified    <= 1'b0;
            ev_flagged     <= 1'b0;
            ev_step        <= 1'b0;
        end else begin
            irq_event      <= 1'b0;
            ev_packet      <= 1'b0;
            ev_start       <= 1'b0;
            ev_gap         <= 1'b0;
            ev_bad_body    <= 1'b0;
            ev_write_error <= 1'b0;
            ev_notified    <= 1'b0;
            ev_flagged     <= 1'b0;
            ev_step        <= 1'b0;

            if (!flush)                      drained <= 12'd0;
            else if (n2h_pop && !drained[11]) drained <= drained + 12'd1;

            // with several paths a gap may show in any clock
            if (PATHS > 1)                                ev_gap  <= gap;
            if (fsm == IDLE || fsm == CHECK)              of_note <= note;
            else if (fsm == DATA)                         of_note <= 1'b0;

            case (fsm)
                IDLE: if (note) begin
                    if (note_header[54]) fsm <= NOTIFY;
                    flagged   <= note_header[63];
                    irq_event <= !note_header[54];
                    checking  <= 1'b0;
                end else if (pop_header) begin
                    dropped <= flush || (n2h_data[0] && PATHS > 1);
                    ev_step <= !n2h_data[64] || (n2h_data[0] && SYNC == 0);
                    if (!n2h_data[64]) fsm <= IDLE;
                    else if (flush && PATHS == 1) fsm <= DRAIN;
                    else begin
                        fsm      <= CHECK;
                        ev_start <= !flush;
                    end
                end
                CHECK: if (note) begin
                    if (note_header[54]) fsm <= NOTIFY;
                    flagged   <= note_header[63];
                    irq_event <= !note_header[54];
                    checking  <= 1'b1;
                end else if (!held) begin
                    if (PATHS == 1) ev_gap <= gap;
                    flagged <= marked || (gap && PATHS == 1);
                    fsm     <= (late || dropped_numbered) ? DRAIN : WAIT;
                    dropped <= dropped_numbered && !late;
                end
                WAIT:
                    if (flush) begin
                        fsm     <= DRAIN;
                        dropped <= 1'b1;
                    end else if (operation) begin
                        if (op_begin) fsm <= DRAIN;
                    end else if (enable && enough && !(op_waits && SYNC != 0)) fsm <= REQUEST;
                REQUEST:
                    if (flush) begin
                        fsm     <= DRAIN;
                        dropped <= 1'b1;
                    end else if (wr_ack) fsm <= DATA;
                DATA: if (wr_done) begin
                    ev_packet      <= 1'b1;
                    ev_write_error <= (wr_status != 2'd0);
                    flagged        <= due_flagged;
                    irq_event      <= due && header[52] && !header[54];
                    fsm            <= (due && header[54]) ? NOTIFY : IDLE;
                    checking       <= 1'b0;
                end
                NOTIFY:
                    if (flush) fsm <= checking ? CHECK : IDLE;
                    else if (wr_ack) fsm <= NOTIFIED;
                NOTIFIED: if (wr_done) begin
                    ev_notified    <= (wr_status == 2'd0);
                    ev_flagged     <= (wr_status == 2'd0) && flagged;
                    ev_write_error <= (wr_status != 2'd0);
                    irq_event      <= shown[52];
                    fsm            <= checking ? CHECK : IDLE;
                end
                default: if (over) fsm <= IDLE;
            endcase

            if (fsm == DATA && wr_underflow) flagged <= 1'b1;
            if (body_bad) begin
                flagged     <= 1'b1;
                ev_bad_body <= 1'b1;
            end
            if (op_end && op_drop) ev_bad_body <= 1'b1;
        end

    always @(posedge clk) begin
        if (pop_header) header <= n2h_data[63:0];
        if (fsm == CHECK) threshold <= needed;
    end

    wire unused = &{1'b0, n2h_data[67], header[63], shown[63], coming[7:0]};

    // ---- measuring
    wire       probe_busy           = (fsm != IDLE) || n2h_valid;
    wire       probe_stall_disabled = (fsm == IDLE) && n2h_valid && !enable && !flush;
    wire       probe_stall_words    = (fsm == WAIT);
    wire       probe_stall_bus      = (fsm == REQUEST) || (fsm == NOTIFY) || (fsm == DATA && !wr_data_pop);
    wire       probe_start          = ev_start;
    wire       probe_done           = ev_packet;
    wire [2:0] probe_state          = fsm;
endmodule
`default_nettype wire
