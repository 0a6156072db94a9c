// Trace of one port of the switch (S4 2.8), in one of the two network clocks: what the port receives and what it sends,
// 1024 entries of two words each. Registers: rtl/switch/registers.map, from 0x4200 on; those of all ports of a clock
// are the same, and START takes the port in whose page it is written.
//
//     words of all ports --> the chosen one --+--> trace_words --> trace_memory 0  IN
//                                             '--> trace_words --> trace_memory 1  OUT
//     events of all ports -> the chosen one's --> both, and trace_trigger
//
// It only observes: no output goes back into the switch. 8 block RAMs.
`default_nettype none
`include "switch_registers.vh"
module monitor_trace #(
    // ports of the switch, 2..16
    parameter PORTS = 8
) (
    input  wire                clk,
    input  wire                rst,
    output wire                busy,

    // accesses, as in monitor_side
    input  wire                access,
    input  wire                we,
    input  wire [14:2]         addr,
    input  wire [31:0]         wdata,
    output wire [31:0]         rdata,        // one clock behind `access`, else 0

    // slice p of port p; only ports of this clock are not 0
    input  wire [PORTS*71-1:0] port_words,   // see switch_port
    input  wire [PORTS*16-1:0] port_events   // bits `SWITCH_NC_..
);
    localparam [3:0] EVENTS = 4'd4;          // kind of an entry, nx_trace.h

    wire        start, run, freeze, frozen, circular;

    // ---- the chosen port
    reg  [3:0]  chosen;
    reg  [70:0] its_words;
    reg  [15:0] its_events;
    reg  [70:0] words;
    reg  [15:0] events;
    integer i;
    always @* begin
        its_words  = 71'd0;
        its_events = 16'd0;
        for (i = 0; i < PORTS; i = i + 1)
            if (chosen == i[3:0]) begin
                its_words  = port_words[71*i +: 71];
                its_events = port_events[16*i +: 16];
            end
    end
    always @(posedge clk)
        if (rst || !run) begin
            words  <= 71'd0;
            events <= 16'd0;
        end else begin
            words  <= its_words;
            events <= its_events;
        end

    // ---- control
    wire [14:0] offset = {5'b10000, addr[9:2], 2'b00};
    wire        write  = access && we && addr[14];
    wire        control = write && offset == `SWITCH_TRACE_CONTROL;
    wire [15:0] mask, cause;
    wire [9:0]  after;
    wire [1:0]  active;
    reg         fetch;
    reg  [10:0] index;                       // {point, entry}

    trace_trigger #(.CAUSES(16), .POINTS(2), .LOG2_ENTRIES(10)) trace_control (
        .clk (clk), .rst (rst), .wr_start (control && wdata[`SWITCH_TRACE_CONTROL_START_BIT]),
        .wr_freeze (control && wdata[`SWITCH_TRACE_CONTROL_FREEZE_BIT]),
        .wr_stop (control && wdata[`SWITCH_TRACE_CONTROL_STOP_BIT]),
        .wr_circular (wdata[`SWITCH_TRACE_CONTROL_CIRCULAR_BIT]), .wr_mask (write && offset == `SWITCH_TRACE_FREEZE),
        .wr_mask_data (wdata[15:0]), .wr_after (write && offset == `SWITCH_TRACE_AFTER), .wr_after_data (wdata[9:0]),
        .mask (mask), .after (after), .circular (circular), .cause (cause), .frozen (frozen), .causes (events),
        .active (active), .start (start), .run (run), .freeze (freeze)
    );

    always @(posedge clk)
        if (rst) begin
            chosen <= 4'd0;
            fetch  <= 1'b0;
            index  <= 11'd0;
        end else begin
            if (start) chosen <= addr[13:10];
            fetch <= write && offset == `SWITCH_TRACE_INDEX;
            if (write && offset == `SWITCH_TRACE_INDEX) index <= wdata[10:0];
        end

    // ---- the two points
    wire         in_valid, in_open, out_valid, unused_open;
    wire [67:0]  in_entry, out_entry;
    wire [1:0]   point_busy;
    wire [143:0] entry;
    wire [21:0]  level;

    trace_words words_in (
        .clk (clk), .rst (rst || !run), .word_valid (words[64]), .word_sop (words[65]), .word_end (words[66]),
        .word_error (words[67]), .word_data (words[31:0]), .open (in_open), .valid (in_valid), .entry (in_entry)
    );
    trace_words words_out (
        .clk (clk), .rst (rst || !run), .word_valid (words[68]), .word_sop (words[69]),
        .word_end (!words[68] && !words[69]), .word_error (1'b0), .word_data (words[63:32]), .open (unused_open),
        .valid (out_valid), .entry (out_entry)
    );

    trace_memory #(.LOG2_ENTRIES(10)) received (
        .clk (clk), .rst (rst), .busy (point_busy[0]), .run (run), .circular (circular), .freeze (freeze),
        .after (after), .word_valid (in_valid), .word_refused (1'b0), .word_data (in_entry), .word_link (2'd0),
        .held (in_open && words[67:64] == 4'd0), .event_valid (|events), .event_kind (EVENTS),
        .event_data ({15'd0, events}), .active (active[0]), .level (level[10:0]),
        .rd_clk (clk), .rd_enable (fetch && !index[10]), .rd_index (index[9:0]), .rd_data (entry[71:0])
    );
    trace_memory #(.LOG2_ENTRIES(10)) sent (
        .clk (clk), .rst (rst), .busy (point_busy[1]), .run (run), .circular (circular), .freeze (freeze),
        .after (after), .word_valid (out_valid), .word_refused (1'b0), .word_data (out_entry), .word_link (2'd0),
        .held (words[70]), .event_valid (|events), .event_kind (EVENTS), .event_data ({15'd0, events}),
        .active (active[1]), .level (level[21:11]),
        .rd_clk (clk), .rd_enable (fetch && index[10]), .rd_index (index[9:0]), .rd_data (entry[143:72])
    );

    assign busy = (|point_busy) || (|events);

    // ---- answers
    wire [71:0] shown = index[10] ? entry[143:72] : entry[71:0];
    reg  [31:0] value;

    always @(posedge clk) begin
        value <= 32'd0;
        if (access && !we && addr[14] && !rst)
            case (offset)
                `SWITCH_TRACE_CONTROL:   value <= {16'd0, chosen, 2'd0, active, 3'd0, circular, 2'd0, frozen,
                                                   run || (active != 2'd0)};
                `SWITCH_TRACE_FREEZE:    value <= {16'd0, mask};
                `SWITCH_TRACE_AFTER:     value <= {22'd0, after};
                `SWITCH_TRACE_CAUSE:     value <= {16'd0, cause};
                `SWITCH_TRACE_INDEX:     value <= {21'd0, index};
                `SWITCH_TRACE_FLAGS:     value <= {24'd0, shown[71:64]};
                `SWITCH_TRACE_DATA_LOW:  value <= shown[31:0];
                `SWITCH_TRACE_DATA_HIGH: value <= shown[63:32];
                `SWITCH_TRACE_LEVEL:     value <= {21'd0, index[10] ? level[21:11] : level[10:0]};
                default: ;
            endcase
    end

    assign rdata = value;

    wire unused = &{1'b0, wdata[31:16], addr[13:10], unused_open};
endmodule
`default_nettype wire
