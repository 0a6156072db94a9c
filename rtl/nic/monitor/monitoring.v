// Instruments of the NIC besides its counters: the sampling facility and the tracing memories, and their registers
// (0x07C..0x0BC of rtl/nic/monitor/registers.map).
//
//     sampler                                          words past the PCI sides of the two FIFOs
//     trace_trigger --+-- trace_memory 0  H2N_IN       DMA engine to host-to-net FIFO      pci_clk
//                     +-- trace_memory 1  H2N_OUT      host-to-net FIFO to link            net_clk    credits received
//                     +-- trace_memory 2  N2H_IN       link to net-to-host FIFO            net_clk    credits sent
//                     +-- trace_memory 3  N2H_OUT      net-to-host FIFO to DMA engine      pci_clk
//                     +-- trace_memory 4  RAW          transceiver to deskew, BUNDLE > 1   net_clk    deskew
//     sync_count ------- receive_timer                 time stamps; time of packets from the link to the bus
//
// It only observes: no output goes back into the NIC except register reads, and the time for time stamps in packets. 32
// block RAMs for the trace, 40 with RAW; 8 or 11 for the samples, up to 33 with several links by packet.
//
// Several links by packet (LINKS > 1): the points of the PCI clock see all links, those of the network clock the link
// that is chosen with START; nic_paths has the multiplexor. N2H_OUT shows words two clocks later, when it is known
// whether the body is bad (dma_arrivals). By byte (BUNDLE > 1) these points see whole words, up to two per clock, and
// RAW the words of the link chosen, two per entry.
//
// Writes take whole 32-bit registers; they take effect 2 clocks after `wr_valid`. The entry named by TRACE_INDEX is
// fetched when that is written.
`default_nettype none
`include "nic_registers.vh"
module monitoring #(
    // last column of the samples, see sampler
    parameter STALLED = 1,
    // links by packet, 1..4
    parameter LINKS = 1,
    // links by byte, 1, 2 or 4; one of the two is 1
    parameter BUNDLE = 1,
    // 64-bit words per network clock
    parameter WORDS = (BUNDLE == 4) ? 2 : 1
) (
    // PCI clock
    input  wire        pci_clk,
    input  wire        pci_run_clk,       // gated while pci_busy is low (clock_gate)
    input  wire        pci_rst,
    output wire        pci_busy,
    input  wire        wr_valid,          // writes to registers
    input  wire [13:3] wr_addr,
    input  wire [63:0] wr_data,
    input  wire [7:0]  wr_be,
    output wire [`NIC_MONITORING_BITS-1:0] shown, // registers, as nic_registers shows them
    input  wire [31:0] status_set,        // bits of STATUS that are being set
    input  wire        dma,               // level: a transfer is in progress
    input  wire        stalled,           // level: packets wait, and none has credit
    input  wire        h2n_in_valid,
    input  wire [1:0]  h2n_in_link,
    input  wire        h2n_in_full,
    input  wire [67:0] h2n_in_data,
    input  wire        n2h_out_valid,
    input  wire        n2h_out_pop,
    input  wire [1:0]  n2h_out_link,
    input  wire [67:0] n2h_out_data,
    input  wire        n2h_out_bad,       // several by packet: the body that ended two clocks ago is bad
    input  wire        stamps,            // level: time runs
    input  wire        requested,         // level: data of a packet are to be written, see receive_timer
    output wire [31:0] now,               // PCI clocks, 0 without time stamps
    output wire [31:0] receive_clocks,    // see receive_timer
    output wire [31:0] receive_packets,

    // network clock
    input  wire        net_clk,
    input  wire        net_run_clk,       // gated while net_busy is low
    input  wire        net_rst,
    output wire        net_busy,
    output wire [1:0]  net_link,          // the link that the signals of the traces below are of
    input  wire [WORDS-1:0] h2n_out_valid,
    input  wire [WORDS-1:0] h2n_out_pop,
    input  wire        h2n_out_held,      // level: a packet waits for credit
    input  wire [68*WORDS-1:0] h2n_out_data,
    input  wire [WORDS-1:0] n2h_in_valid,
    input  wire        n2h_in_full,
    input  wire [68*WORDS-1:0] n2h_in_data,
    input  wire [36*BUNDLE+1:0] raw,      // see link_port
    input  wire [15:0] waits,             // of the links' words in link_deskew
    input  wire        header_crc_error,  // of any link
    input  wire        credit_accepted,
    input  wire        credit_rejected,
    input  wire [6:0]  credit_lane,       // with either
    input  wire [6:0]  credit_value,      // counter bits [11:5]
    input  wire [11:0] credit_units,      // transmitted on that lane
    input  wire        credit_sent,
    input  wire [11:0] rx_units,          // received, forwarded
    input  wire [11:0] rx_forwarded,
    input  wire [LINKS-1:0] stored,       // a header enters a net-to-host FIFO
    input  wire        n2h_in_empty,      // all of these are empty
    input  wire [LINKS-1:0] sop,          // see receive_timer
    output wire [31:0] net_now            // see sync_count
);
    localparam [3:0] CREDIT   = 4'd1;     // kinds of events, nx_trace.h
    localparam [3:0] REJECTED = 4'd2;
    localparam [3:0] SENT     = 4'd3;
    localparam [3:0] DESKEW   = 4'd5;

    localparam       POINTS   = (BUNDLE > 1) ? 5 : 4;
    localparam [2:0] H2N_IN = 3'd0, H2N_OUT = 3'd1, N2H_IN = 3'd2, N2H_OUT = 3'd3, RAW = 3'd4;

    initial
        if (LINKS < 1 || LINKS > 4 || (BUNDLE != 1 && BUNDLE != 2 && BUNDLE != 4) || (LINKS != 1 && BUNDLE != 1)) begin
            $display("%m: LINKS must be 1..4, is %0d; BUNDLE 1, 2 or 4, is %0d; one of them 1", LINKS, BUNDLE);
            $finish;
        end

    // ---- writes
    reg         w_valid;
    reg  [7:3]  w_addr;
    reg  [63:0] w_data;
    reg  [7:0]  w_be;
    wire        w_here = wr_valid && (wr_addr[13:8] == 6'd0) && (wr_addr[7:3] >= 5'd15) && (wr_addr[7:3] < 5'd24);

    always @(posedge pci_run_clk)
        if (pci_rst) w_valid <= 1'b0;
        else         w_valid <= w_here;

    always @(posedge pci_run_clk)
        if (w_here) begin
            w_addr <= wr_addr[7:3];
            w_data <= wr_data;
            w_be   <= wr_be;
        end

    wire [14:0] w_low  = {7'd0, w_addr, 3'b000};
    wire [14:0] w_high = {7'd0, w_addr, 3'b100};
    wire        low    = w_valid && (&w_be[3:0]);
    wire        high   = w_valid && (&w_be[7:4]);
    reg  [31:0] interval;

    always @(posedge pci_run_clk)
        if (pci_rst) interval <= `NIC_SAMPLE_INTERVAL_RESET;
        else if (high && w_high == `NIC_SAMPLE_INTERVAL) interval <= w_data[63:32];

    // ---- samples
    wire [31:0] left, taken, shown_out, shown_in, shown_stalled;
    wire [10:0] sample_index;
    wire        sampling;
    wire [3:0]       word_out = {3'd0, h2n_in_valid} << h2n_in_link;
    wire [3:0]       word_in  = {3'd0, n2h_out_valid && n2h_out_pop} << n2h_out_link;
    wire [LINKS-1:0] sample_links;

    sampler #(.STALLED(STALLED), .LINKS(LINKS)) sampling_facility (
        .clk (pci_run_clk), .rst (pci_rst), .busy (sampling), .dma (dma), .word_out (word_out[LINKS-1:0]),
        .word_in (word_in[LINKS-1:0]), .stalled (stalled), .interval (interval),
        .wr_count (low && w_low == `NIC_SAMPLE_COUNT), .wr_index (low && w_low == `NIC_SAMPLE_INDEX),
        .wr_data (w_data[31:0]), .left (left), .taken (taken), .index (sample_index), .links (sample_links),
        .shown_out (shown_out), .shown_in (shown_in), .shown_stalled (shown_stalled)
    );

    // ---- time
    sync_count count (
        .src_clk (pci_clk), .src_rst (pci_rst), .src_run (stamps), .src_count (now),
        .dst_clk (net_clk), .dst_rst (net_rst), .dst_count (net_now)
    );

    receive_timer #(.LINKS(LINKS), .BUNDLE((BUNDLE > 1) ? 1 : 0)) timer (
        .net_clk (net_clk), .net_rst (net_rst), .net_now (net_now[23:0]), .sop (sop), .sop_wait (waits[3:0]),
        .stored (stored), .empty (n2h_in_empty),
        .pci_clk (pci_clk), .pci_rst (pci_rst), .run (stamps), .now (now[23:0]),
        .taken (n2h_out_valid && n2h_out_pop && n2h_out_data[64]), .requested (requested),
        .clocks (receive_clocks), .packets (receive_packets)
    );

    // ---- control of the trace
    wire [31:0] mask, cause;
    wire [10:0] after;
    wire        circular, frozen, run, freeze, header_crc;
    wire        net_run, net_circular, net_freeze;
    wire [10:0] net_after;
    wire [POINTS-1:0] active, active_at_pci;

    sync_event header_crossing (
        .src_clk (net_clk), .src_rst (net_rst), .src_event (header_crc_error && net_run),
        .dst_clk (pci_clk), .dst_rst (pci_rst), .dst_event (header_crc)
    );
    assign active_at_pci[0] = active[0];
    assign active_at_pci[3] = active[3];

    wire control = low && w_low == `NIC_TRACE_CONTROL;
    wire start;
    wire [1:0] link;
    wire [1:0] link_written = w_data[`NIC_TRACE_CONTROL_LINK_LSB +: 2];

    trace_trigger #(.POINTS(POINTS)) trace_control (
        .clk (pci_run_clk), .rst (pci_rst), .wr_start (control && w_data[`NIC_TRACE_CONTROL_START_BIT]),
        .wr_freeze (control && w_data[`NIC_TRACE_CONTROL_FREEZE_BIT]),
        .wr_stop (control && w_data[`NIC_TRACE_CONTROL_STOP_BIT]),
        .wr_circular (w_data[`NIC_TRACE_CONTROL_CIRCULAR_BIT]), .wr_mask (high && w_high == `NIC_TRACE_FREEZE),
        .wr_mask_data (w_data[63:32]), .wr_after (low && w_low == `NIC_TRACE_AFTER), .wr_after_data (w_data[10:0]),
        .mask (mask), .after (after), .circular (circular), .cause (cause), .frozen (frozen),
        .causes (status_set | {header_crc, 31'd0}), .active (active_at_pci), .start (start), .run (run),
        .freeze (freeze)
    );

    sync_bit #(.WIDTH(2)) run_crossing (.clk (net_clk), .rst (net_rst), .in ({run, circular}),
                                        .out ({net_run, net_circular}));

    generate
        if (LINKS > 1 || BUNDLE > 1) begin : one_of_several
            localparam [1:0] MASK = (LINKS == 2 || BUNDLE == 2) ? 2'd1 : 2'd3;
            reg  [1:0] chosen;
            assign     link = chosen;
            always @(posedge pci_run_clk)
                if (pci_rst)    chosen <= 2'd0;
                else if (start) chosen <= link_written & MASK;
            sync_bit #(.WIDTH(2)) link_crossing (.clk (net_clk), .rst (net_rst), .in (link), .out (net_link));
        end else begin : only_one
            assign link     = 2'd0;
            assign net_link = 2'd0;
            wire unused_start = &{1'b0, start, link_written};
        end
    endgenerate
    sync_held #(.WIDTH(11)) freeze_crossing (
        .src_clk (pci_clk), .src_rst (pci_rst), .src_pulse (freeze), .src_data (after),
        .dst_clk (net_clk), .dst_rst (net_rst), .dst_pulse (net_freeze), .dst_data (net_after)
    );

    // ---- the points
    reg          fetch;
    reg  [13:0]  trace_index;              // {point, entry}
    wire [2:0]   point = trace_index[13:11];
    wire [72*POINTS-1:0] entry;
    wire [12*POINTS-1:0] level;
    wire [POINTS-1:0]    busy;
    wire [1:0]   at_link = link & {2{LINKS > 1}};
    wire         raw_busy;
    wire [11:0]  raw_level;
    wire [71:0]  raw_shown;

    always @(posedge pci_run_clk)
        if (pci_rst) begin
            fetch       <= 1'b0;
            trace_index <= 14'd0;
        end else begin
            fetch <= low && w_low == `NIC_TRACE_INDEX;
            if (low && w_low == `NIC_TRACE_INDEX) trace_index <= w_data[13:0];
        end

    trace_memory h2n_in (
        .clk (pci_run_clk), .rst (pci_rst), .busy (busy[0]), .run (run), .circular (circular), .freeze (freeze),
        .after (after), .word_valid (h2n_in_valid && !h2n_in_full), .word_refused (h2n_in_valid && h2n_in_full),
        .word_data (h2n_in_data), .word_link (h2n_in_link), .held (stalled || h2n_in_full), .event_valid (1'b0),
        .event_kind (4'd0), .event_data (31'd0), .active (active[0]), .level (level[11:0]),
        .rd_clk (pci_run_clk), .rd_enable (fetch && point == H2N_IN), .rd_index (trace_index[10:0]),
        .rd_data (entry[71:0])
    );

    // by byte each link has a copy of a credit, and they are accepted one after the other: the first one is an event
    wire        credit_came = credit_accepted || credit_rejected;
    wire [14:0] credit      = {credit_rejected, credit_lane, credit_value};
    wire        credit_news;

    generate
        if (BUNDLE > 1) begin : first_copies
            reg        came_before;
            reg [14:0] credit_before;
            assign credit_news = credit_came && !(came_before && credit == credit_before);
            always @(posedge net_run_clk) begin
                came_before   <= credit_came && !net_rst;
                credit_before <= credit;
            end
        end else begin : all_of_them
            assign credit_news = credit_came;
            wire   unused_credit = &{1'b0, credit};
        end
    endgenerate

    trace_memory #(.WORDS(WORDS), .PAIRS((BUNDLE > 1) ? 1 : 0)) h2n_out (
        .clk (net_run_clk), .rst (net_rst), .busy (busy[1]), .run (net_run), .circular (net_circular),
        .freeze (net_freeze), .after (net_after),
        .word_valid (h2n_out_pop & h2n_out_valid), .word_refused (h2n_out_pop & ~h2n_out_valid),
        .word_data (h2n_out_data), .word_link (at_link), .held (h2n_out_held), .event_valid (credit_news),
        .event_kind (credit_rejected ? REJECTED : CREDIT),
        .event_data ({credit_lane, 1'b0, credit_value, 4'd0, credit_units}), .active (active[1]), .level (level[23:12]),
        .rd_clk (pci_run_clk), .rd_enable (fetch && point == H2N_OUT), .rd_index (trace_index[10:0]),
        .rd_data (entry[143:72])
    );

    trace_memory #(.WORDS(WORDS), .PAIRS((BUNDLE > 1) ? 1 : 0)) n2h_in (
        .clk (net_run_clk), .rst (net_rst), .busy (busy[2]), .run (net_run), .circular (net_circular),
        .freeze (net_freeze), .after (net_after),
        .word_valid (n2h_in_valid & ~{WORDS{n2h_in_full}}), .word_refused (n2h_in_valid & {WORDS{n2h_in_full}}),
        .word_data (n2h_in_data), .word_link (at_link), .held (n2h_in_full), .event_valid (credit_sent),
        .event_kind (SENT), .event_data ({3'd0, rx_units, 4'd0, rx_forwarded}), .active (active[2]),
        .level (level[35:24]), .rd_clk (pci_run_clk), .rd_enable (fetch && point == N2H_IN),
        .rd_index (trace_index[10:0]), .rd_data (entry[215:144])
    );

    wire        taken_valid, taken_pop;
    wire [1:0]  taken_link;
    wire [67:0] taken_data;

    generate
        if (LINKS > 1) begin : with_its_end
            reg [143:0] later;             // two clocks
            wire        bad;
            always @(posedge pci_run_clk)
                if (pci_rst) later <= 144'd0;
                else         later <= {later[71:0], n2h_out_valid, n2h_out_pop, n2h_out_link, n2h_out_data};
            assign bad         = n2h_out_bad && later[137];
            assign taken_valid = later[143];
            assign taken_pop   = later[142];
            assign taken_link  = later[141:140];
            assign taken_data  = {later[139], later[138] || bad, later[137:72]};
        end else begin : at_once
            assign taken_valid = n2h_out_valid;
            assign taken_pop   = n2h_out_pop;
            assign taken_link  = 2'd0;
            assign taken_data  = n2h_out_data;
            wire   unused_link = &{1'b0, n2h_out_bad};
        end
    endgenerate

    trace_memory n2h_out (
        .clk (pci_run_clk), .rst (pci_rst), .busy (busy[3]), .run (run), .circular (circular), .freeze (freeze),
        .after (after), .word_valid (taken_pop && taken_valid), .word_refused (taken_pop && !taken_valid),
        .word_data (taken_data), .word_link (taken_link), .held (taken_valid && !taken_pop), .event_valid (1'b0),
        .event_kind (4'd0), .event_data (31'd0), .active (active[3]), .level (level[47:36]),
        .rd_clk (pci_run_clk), .rd_enable (fetch && point == N2H_OUT), .rd_index (trace_index[10:0]),
        .rd_data (entry[287:216])
    );

    genvar p;
    generate
        if (BUNDLE > 1) begin : before_deskew
            // as registers, like the words of a port in the switch's monitor_trace
            reg  [35:0] word;              // {error, K, SOP, valid, word}
            reg  [17:0] news;              // {ev_deskew, aligned, waits}
            reg  [16:0] shown_before;
            wire [67:0] raw_entry;
            wire        raw_valid, unused_open;

            always @(posedge net_run_clk)
                if (net_rst) begin
                    word         <= 36'd0;
                    news         <= 18'd0;
                    shown_before <= 17'd0;
                end else begin
                    word         <= raw[36*net_link[((BUNDLE == 4) ? 1 : 0):0] +: 36];
                    news         <= {raw[36*BUNDLE +: 2], waits};
                    shown_before <= news[16:0];
                end

            trace_words raw_words (
                .clk (net_run_clk), .rst (net_rst || !net_run), .word_valid (word[34:32] == 3'b001),
                .word_sop (word[33]), .word_end (!word[32] || word[34:33] == 2'b10), .word_error (word[35]),
                .word_data (word[31:0]), .open (unused_open), .valid (raw_valid), .entry (raw_entry)
            );
            trace_memory raw_point (
                .clk (net_run_clk), .rst (net_rst), .busy (busy[RAW]), .run (net_run), .circular (net_circular),
                .freeze (net_freeze), .after (net_after), .word_valid (raw_valid), .word_refused (1'b0),
                .word_data (raw_entry), .word_link (net_link), .held (1'b0),
                .event_valid (news[17] || news[16:0] != shown_before), .event_kind (DESKEW),
                .event_data ({13'd0, news}), .active (active[RAW]), .level (level[12*RAW +: 12]),
                .rd_clk (pci_run_clk), .rd_enable (fetch && point == RAW), .rd_index (trace_index[10:0]),
                .rd_data (entry[72*RAW +: 72])
            );
            sync_stable #(.WIDTH(12)) raw_level_crossing (
                .src_busy (active[RAW]), .src_data (level[12*RAW +: 12]), .dst_clk (pci_clk), .dst_rst (pci_rst),
                .dst_hold (run), .dst_busy (active_at_pci[RAW]), .dst_data (raw_level)
            );
            assign raw_busy  = busy[RAW];
            assign raw_shown = entry[72*RAW +: 72];
        end else begin : no_deskew
            assign raw_busy  = 1'b0;
            assign raw_level = 12'd0;
            assign raw_shown = 72'd0;
            wire unused_raw  = &{1'b0, raw, waits, RAW, DESKEW};
        end
    endgenerate

    assign net_busy = busy[1] || busy[2] || raw_busy || net_freeze;
    assign pci_busy = sampling || busy[0] || busy[3] || header_crc;

    // ---- where the network points end: 0 while they record
    wire [23:0] net_level;
    generate
        for (p = 0; p < 2; p = p + 1) begin : net_point
            sync_stable #(.WIDTH(12)) level_crossing (
                .src_busy (active[p+1]), .src_data (level[12*p+12 +: 12]), .dst_clk (pci_clk), .dst_rst (pci_rst),
                .dst_hold (run), .dst_busy (active_at_pci[p+1]), .dst_data (net_level[12*p +: 12])
            );
        end
    endgenerate

    // ---- read data
    wire [47:0] levels = {level[47:36], net_level, level[11:0]};
    reg  [71:0] fetched;
    reg  [11:0] level_shown;

    always @* begin
        fetched     = entry[71:0];
        level_shown = levels[11:0];
        case (point)
            H2N_OUT: begin
                fetched     = entry[143:72];
                level_shown = levels[23:12];
            end
            N2H_IN: begin
                fetched     = entry[215:144];
                level_shown = levels[35:24];
            end
            N2H_OUT: begin
                fetched     = entry[287:216];
                level_shown = levels[47:36];
            end
            RAW: begin
                fetched     = raw_shown;
                level_shown = raw_level;
            end
            default: ;
        endcase
    end

    assign shown[`NIC_MONITORING_SAMPLE_INTERVAL]        = interval;
    assign shown[`NIC_MONITORING_SAMPLE_COUNT]           = left;
    assign shown[`NIC_MONITORING_SAMPLE_DATA]            = shown_out;
    assign shown[`NIC_MONITORING_SAMPLE_DATA_IN]         = shown_in;
    assign shown[`NIC_MONITORING_SAMPLE_STALLED]         = shown_stalled;
    assign shown[`NIC_MONITORING_SAMPLE_INDEX_ENTRY]     = sample_index;
    assign shown[`NIC_MONITORING_SAMPLE_INDEX_LINKS]     = (LINKS > 1) ? {{4-LINKS{1'b0}}, sample_links} : 4'd0;
    assign shown[`NIC_MONITORING_SAMPLE_TAKEN]           = taken;
    assign shown[`NIC_MONITORING_TRACE_CONTROL_START]    = run || (active_at_pci != {POINTS{1'b0}});
    assign shown[`NIC_MONITORING_TRACE_CONTROL_FREEZE]   = frozen;
    assign shown[`NIC_MONITORING_TRACE_CONTROL_STOP]     = 1'b0;
    assign shown[`NIC_MONITORING_TRACE_CONTROL_CIRCULAR] = circular;
    assign shown[`NIC_MONITORING_TRACE_CONTROL_LINK]     = link;
    assign shown[`NIC_MONITORING_TRACE_CONTROL_RUNNING]  = {{5-POINTS{1'b0}}, active_at_pci};
    assign shown[`NIC_MONITORING_TRACE_FREEZE_STATUS]    = mask[30:0];
    assign shown[`NIC_MONITORING_TRACE_FREEZE_HEADER_CRC] = mask[31];
    assign shown[`NIC_MONITORING_TRACE_AFTER_ENTRIES]    = after;
    assign shown[`NIC_MONITORING_TRACE_CAUSE]            = cause;
    assign shown[`NIC_MONITORING_TRACE_INDEX_POINT]      = point;
    assign shown[`NIC_MONITORING_TRACE_INDEX_ENTRY]      = trace_index[10:0];
    assign shown[`NIC_MONITORING_TRACE_FLAGS_KIND]       = fetched[71:68];
    assign shown[`NIC_MONITORING_TRACE_FLAGS_STALL]      = fetched[67];
    assign shown[`NIC_MONITORING_TRACE_FLAGS_VALID]      = fetched[66];
    assign shown[`NIC_MONITORING_TRACE_FLAGS_EOP]        = fetched[65];
    assign shown[`NIC_MONITORING_TRACE_FLAGS_SOP]        = fetched[64];
    assign shown[`NIC_MONITORING_TRACE_DATA_LOW]         = fetched[31:0];
    assign shown[`NIC_MONITORING_TRACE_DATA_HIGH]        = fetched[63:32];
    assign shown[`NIC_MONITORING_TRACE_LEVEL_WRAPPED]    = level_shown[11];
    assign shown[`NIC_MONITORING_TRACE_LEVEL_NEXT]       = level_shown[10:0];
    assign shown[`NIC_MONITORING_MONITORING_BUILT]       = 1'b1;
    assign shown[`NIC_MONITORING_MONITORING_STALLED]     = (STALLED != 0);
    assign shown[`NIC_MONITORING_MONITORING_RAW]         = (BUNDLE > 1);
    assign shown[`NIC_MONITORING_MONITORING_EACH]        = (LINKS > 1);

    wire unused = &{1'b0, wr_addr, word_out, word_in, sample_links};
endmodule
`default_nettype wire
