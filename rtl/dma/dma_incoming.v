// Incoming half of the DMA engine: takes packets from the net-to-host FIFO, writes their payload to the host's memory, then their
// notification, then raises the interrupt.
//
// Cut-through: a packet's bus burst starts as soon as enough of it is in the FIFO that it cannot run dry. The network delivers
// `cfg_cut_through`/256 words per PCI clock, so of W words W * cfg_cut_through / 256 come while the burst runs; it starts when the
// rest and 6 more (clock tolerance, latency of the FIFO's count) are there, or all W. With 0 it waits for all (store and forward).
//
// Lost data never go unnoticed (design.md 3): sequence numbers are checked here, as packets leave the FIFO, so that what a software
// reset flushes shows as a gap as well. A gap, a bad body (N2H [66] with the last word), a failed bus write or one that ran dry marks
// the source; its next remote notification carries bit 63 and clears the mark. The damaged packet's own notification is written, flagged.
//
// A header with [63] set says that many packets were lost on the link, perhaps so many that no number shows it (link_rx_store): all sources
// are marked, one per clock, before the packet goes on.
//
// Order on the bus: payload, then notification, both through the same write conversation; the interrupt event after both.
// A software reset (`flush`) withdraws a write that the bus interface has not taken and throws away the rest of the packet and all
// others in N2H; their sources are marked. A write that it has taken is finished, without its notification. While bus
// mastering is off it cannot be finished: then the reset does not wait for it, and it goes on after the reset.
//
// A word without start of packet where a header is due is thrown away and counted (`ev_step`).
`default_nettype none
module dma_incoming #(
    // node IDs that may stand in a header as source, 2..128
    parameter SOURCES = 128
) (
    input  wire        clk,
    input  wire        rst,

    // N2H read side
    input  wire        n2h_valid,
    input  wire [67:0] n2h_data,
    input  wire [10:0] n2h_count,           // words to be had, never too high
    output wire        n2h_pop,

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
    input  wire        wr_underflow,        // one clock: the bus needed a word that was not there; what it took is undefined

    // set-up
    input  wire        bus_moves,           // level: what is on the bus can end
    input  wire        enable,              // new packets may be taken and written
    input  wire        flush,               // software reset: throw packets away
    output wire        idle,                // nothing left that a software reset has to wait for; what was in N2H has gone
    input  wire        cfg_sequence_zero,   // level: sequence numbers are all 0, none is checked
    input  wire [8:0]  cfg_cut_through,     // words that the network delivers per clock, in 1/256; 0: store and forward
    input  wire [63:0] cfg_remote_notify,   // address for source 0

    // results
    output reg         irq_event,           // a packet that asks for an interrupt is in memory
    output reg         ev_packet,           // payload written
    output reg         ev_start,            // a header was seen
    output reg         ev_gap,              // a sequence number was not the one due
    output reg         ev_bad_body,         // the last word says so
    output reg         ev_write_error,      // the bus has failed, or run dry
    output reg         ev_notified,         // a remote notification was written
    output reg         ev_flagged,          // ... that says that data are lost
    output reg         ev_step,             // a word without start of packet where a header is due
    output wire        writing,             // the sequence under way is a packet's data: no notification
    output wire [2:0]  state
);
    localparam [2:0] IDLE    = 3'd0,   // header due
                     CHECK   = 3'd1,   // sequence, start threshold
                     WAIT    = 3'd2,   // enough words for the burst
                     REQUEST = 3'd3,   // write stands at the bus interface
                     DATA    = 3'd4,   // burst
                     NOTIFY  = 3'd5,   // notification stands
                     NOTIFIED = 3'd6,  // notification under way
                     DRAIN   = 3'd7;   // software reset: rest of a packet thrown away

    reg  [2:0]   fsm;
    reg  [63:0]  header;
    reg  [9:0]   threshold;        // words in the FIFO at which the burst may start
    reg          flagged;          // the source's mark, or this packet's own damage
    reg  [11:0]  drained;          // words thrown away since the flush began, saturating; more than N2H can hold

    // ---- of each source: the expected sequence number, and whether data were lost since its last notification. Cleared one source per
    // clock after reset, in which time no packet is taken.
    localparam BITS = $clog2(SOURCES);
    localparam [31:0] LAST_SOURCE = SOURCES - 1;

    initial
        if (SOURCES < 2 || SOURCES > 128) begin
            $display("%m: SOURCES must be 2..128, is %0d", SOURCES);
            $finish;
        end

    reg  [8:0]   expected_number [0:SOURCES-1];
    reg          marks [0:SOURCES-1];
    reg          sweeping;         // after reset: none is marked
    reg          marking;          // all are marked
    reg  [BITS-1:0] sweep_source;
    wire         sweep_ends = (sweep_source == LAST_SOURCE[BITS-1:0]);
    wire [BITS-1:0] source = header[56 +: BITS];
    wire [8:0]   number   = header[50:42];
    wire         gap      = !cfg_sequence_zero && (number != expected_number[source]);
    wire         marked   = marks[source];
    reg          mark_write;
    reg          mark_value;
    reg  [BITS-1:0] mark_source;
    wire [BITS-1:0] number_source = sweeping ? sweep_source : source;

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
            if (pop_header && n2h_data[64] && n2h_data[63]) marking <= 1'b1;
            else if (sweep_ends) marking <= 1'b0;
        end

    // ---- words that will come while the burst runs
    wire [9:0]  words  = header[41:32];
    wire [18:0] coming = words * cfg_cut_through;
    wire [9:0]  needed = words - {coming[18:8] > {1'b0, words} ? words : coming[17:8]} + 10'd6;

    wire pop_header  = (fsm == IDLE) && n2h_valid && (enable || flush) && !sweeping && !marking;
    wire pop_drain   = (fsm == DRAIN) && n2h_valid;
    wire pop_data    = (fsm == REQUEST || fsm == DATA) && wr_data_pop;
    wire last_popped = n2h_valid && n2h_data[65] && (pop_drain || pop_data);
    wire enough      = (n2h_count >= {1'b0, threshold}) || (n2h_count >= {1'b0, words});

    assign n2h_pop       = pop_header || pop_drain || pop_data;
    assign wr_req        = (fsm == REQUEST || fsm == NOTIFY) && enable && !flush;
    assign wr_addr       = (fsm == NOTIFY) ? cfg_remote_notify + {54'd0, header[62:56], 3'b000} : {32'd0, header[31:0]};
    assign wr_words      = (fsm == NOTIFY) ? 10'd1 : words;
    assign wr_data       = (fsm == NOTIFY || fsm == NOTIFIED) ? {flagged, header[62:0]} : n2h_data[63:0];
    assign wr_data_valid = (fsm == NOTIFY || fsm == NOTIFIED) || ((fsm == REQUEST || fsm == DATA) && n2h_valid);
    assign idle          = (fsm == IDLE && (!n2h_valid || drained[11])) || ((fsm == DATA || fsm == NOTIFIED) && !bus_moves);
    assign state         = fsm;
    assign writing       = (fsm == DATA);

    always @(posedge clk)
        if (rst) begin
            fsm            <= IDLE;
            flagged        <= 1'b0;
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

            case (fsm)
                IDLE: if (pop_header) begin
                    if (!n2h_data[64])  ev_step <= 1'b1;
                    else if (flush) fsm <= DRAIN;
                    else begin
                        fsm      <= CHECK;
                        ev_start <= 1'b1;
                    end
                end
                CHECK: if (!marking) begin
                    ev_gap  <= gap;
                    flagged <= marked || gap;
                    fsm     <= WAIT;
                end
                WAIT:
                    if (flush) fsm <= DRAIN;
                    else if (enable && enough) fsm <= REQUEST;
                REQUEST:
                    if (flush) fsm <= DRAIN;
                    else if (wr_ack) fsm <= DATA;
                DATA: if (wr_done) begin
                    ev_packet      <= 1'b1;
                    ev_write_error <= (wr_status != 2'd0);
                    flagged        <= flagged || (wr_status != 2'd0);
                    irq_event      <= header[52] && !header[54];
                    fsm            <= header[54] ? NOTIFY : IDLE;
                end
                NOTIFY:
                    if (flush) fsm <= IDLE;
                    else if (wr_ack) fsm <= NOTIFIED;
                NOTIFIED: if (wr_done) begin
                    ev_notified    <= (wr_status == 2'd0);
                    ev_flagged     <= (wr_status == 2'd0) && flagged;
                    ev_write_error <= (wr_status != 2'd0);
                    irq_event      <= header[52];
                    fsm            <= IDLE;
                end
                default: if (last_popped) fsm <= IDLE;
            endcase

            if (fsm == DATA && wr_underflow) flagged <= 1'b1;
            if (pop_data && last_popped && n2h_data[66]) begin
                flagged     <= 1'b1;
                ev_bad_body <= 1'b1;
            end
        end

    // ---- the mark of a source: kept by a packet that is not notified, cleared by its notification if that arrived, set by a flush
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
                WAIT, REQUEST, NOTIFY: mark_write = flush;
                DATA: begin
                    mark_write = wr_done;
                    mark_value = flagged || (wr_status != 2'd0);
                end
                NOTIFIED: begin
                    mark_write = wr_done;
                    mark_value = (wr_status != 2'd0);
                end
                default: ;
            endcase
    end

    always @(posedge clk) begin
        if (pop_header) header <= n2h_data[63:0];
        if (fsm == CHECK) threshold <= needed;
    end

    wire unused = &{1'b0, n2h_data[67], header[63], coming[7:0]};

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
