// Receiver of the coherent NI: takes packets from the net-to-host FIFO (N2H), checks their order, passes payload of
// RDMA and notifications to cni_lines, operations to part A (sync_unit).
//
// Payload is passed on as it arrives: a line is written when its words are there, so there is no threshold and nothing
// runs dry. Words are never held back by a program, only by the interconnect.
//
// Losses are reported as in rtl/nic/dma/dma_incoming.v: a gap in the numbers of a source, a bad body ([66] with the
// last word), an address outside coherent memory, a software reset mark the source; its next remote notification has
// [63] = 1 and clears the mark. The damaged packet's own notification has it, too. A header with [63] = 1 marks all
// sources, one per clock. Each mark goes to part A as well (`loss_*`).
//
// Operations: a packet waits until those before it have taken effect (op_waits), and so does later data. A message for
// a queue is written to its slot while it arrives (`keep`: words of the slot's first line). If the body is good, part A
// writes the first word, which makes the message valid; if it is bad, no first word is written. Without an answer of
// part A within LOOK_CLOCKS (refused) the words go to part A only.
//
//     clock        0    1     2     3 .. 8    9     10    11
//     n2h          /hdr \___________________________________     w0 waits
//     state        IDLE CHECK BEGIN LOOK      WORDS ..          LOOK ends with slot_valid
//     op_begin     __________/~~~~\________________
//     word_valid   ______________________________/w0 ..          one clock each; payload of RDMA: from clock 2 on
`default_nettype none
module cni_receive #(
    // node IDs that may be sources, 2..128
    parameter SOURCES = 16
) (
    input  wire        clk,
    input  wire        rst,

    // N2H read side
    input  wire        n2h_valid,
    input  wire [67:0] n2h_data,
    output wire        n2h_pop,

    // set-up
    input  wire        enable,             // new packets may be taken
    input  wire        flush,              // level: software reset, packets are dropped
    output wire        idle,               // nothing under way, and with flush N2H empty
    input  wire        cfg_sequence_zero,
    input  wire        cfg_groups,         // packets carry groups instead of numbers
    input  wire [27:3] cfg_remote_notify,

    // words to cni_lines
    output wire        word_valid,
    input  wire        word_ready,
    output wire [27:3] word_address,
    output wire [63:0] word_data,
    output wire        word_last,
    output wire        word_keep,
    output wire        word_start,
    output wire        word_of_queue,      // of a slot of queue op_header [23:20]
    output reg         fence,              // one clock: a packet that asks for an interrupt has been passed on
    input  wire        lines_idle,

    // part A, see sync_unit
    input  wire        op_ready,
    output wire        op_begin,
    output reg  [63:0] op_header,
    output wire        op_valid,
    input  wire        op_take,
    output wire [63:0] op_word,
    output wire        op_end,
    output wire        op_drop,
    output wire        op_written,
    input  wire        op_waits,
    input  wire        slot_valid,
    input  wire [27:6] slot_address,
    output wire        group_valid,
    output wire        group_damaged,
    output wire        loss_valid,
    output wire [6:0]  loss_source,

    // results, one clock each
    output reg         ev_received,
    output reg         ev_gap,
    output reg         ev_bad_body,
    output reg         ev_bad_address,
    output reg         ev_notified,
    output reg         ev_flagged,
    output reg         ev_step             // a word without start of packet where a header is due
);
    localparam [2:0] IDLE   = 3'd0,        // header due
                     CHECK  = 3'd1,        // number, marks, address
                     BEGIN  = 3'd2,        // operation: to part A
                     LOOK   = 3'd3,        // ... where does its slot lie?
                     WORDS  = 3'd4,        // ... words
                     DATA   = 3'd5,        // payload of RDMA
                     NOTIFY = 3'd6,
                     GROUP  = 3'd7;        // counted by its group when it is in memory
    localparam LOOK_CLOCKS = 6;
    localparam BITS = $clog2(SOURCES);
    localparam [31:0] LAST_SOURCE = SOURCES - 1;
    localparam [31:0] LOOKS = LOOK_CLOCKS - 1;

    initial
        if (SOURCES < 2 || SOURCES > 128) begin
            $display("%m: SOURCES must be 2..128, is %0d", SOURCES);
            $finish;
        end

    reg  [2:0]  fsm;
    reg         flagged;                   // loss indication of the source, or damage of this packet
    reg         dropping;                  // the rest of the packet goes nowhere
    reg         early;                     // words of a message go to its slot
    reg  [2:0]  looks;
    reg  [27:3] place;                     // of the next word
    reg  [1:0]  begun;                     // words of the message so far, 3 at most

    wire [BITS-1:0] source = op_header[56 +: BITS];
    wire [9:0]  words      = op_header[41:32];
    wire        operation  = op_header[0];
    wire [10:0] page_end   = {2'd0, op_header[11:3]} + {1'b0, words};        // only the last 4 KB can be left
    wire        outside    = (op_header[31:28] != 4'd0) || (op_header[2:1] != 2'd0)
                             || (&op_header[27:12] && page_end > 11'd512);

    // ---- of each source: the number expected, and whether something was lost since its last notification
    (* ram_style = "distributed" *) reg [8:0] expected [0:SOURCES-1];
    (* ram_style = "distributed" *) reg       marks [0:SOURCES-1];
    reg             sweeping;              // after reset: all sources are cleared
    reg             marking;               // all sources are marked
    reg  [BITS-1:0] sweep_source;
    wire            sweep_ends = (sweep_source == LAST_SOURCE[BITS-1:0]);
    wire            busy_marking = sweeping || marking;
    wire            takes      = (fsm == IDLE) && n2h_valid && (enable || flush) && !busy_marking;
    wire            many_lost  = takes && n2h_data[64] && n2h_data[63];
    wire            may_check  = (fsm == CHECK) && !marking && (dropping || (!op_waits && (!operation || op_ready)));
    wire            gap        = !cfg_sequence_zero && !cfg_groups && (op_header[50:42] != expected[source]);
    wire            marked     = marks[source];
    wire [BITS-1:0] number_at  = sweeping ? sweep_source : source;

    // the last word of a packet, passed on or dropped
    wire        to_lines  = (fsm == DATA && !dropping) || (fsm == WORDS && early);
    wire        to_part_a = (fsm == WORDS);
    wire        pops      = n2h_valid && (fsm == DATA || fsm == WORDS) && (!to_part_a || op_take)
                            && (!to_lines || word_ready);
    wire        ends      = pops && n2h_data[65];
    wire        bad       = ends && n2h_data[66];
    wire        loses     = (may_check && (gap || dropping || (!operation && outside)))
                            || (ends && (n2h_data[66] || dropping || flush));
    wire        notified  = (fsm == NOTIFY) && word_ready;

    always @(posedge clk)
        if (sweeping || may_check) expected[number_at] <= sweeping ? 9'd0 : op_header[50:42] + 9'd1;

    // kept by a packet that is not notified, cleared by the notification that tells it
    always @(posedge clk)
        if (busy_marking)           marks[sweep_source] <= marking;
        else if (loses || notified) marks[source] <= !notified;

    always @(posedge clk)
        if (rst) begin
            sweeping     <= 1'b1;
            marking      <= 1'b0;
            sweep_source <= {BITS{1'b0}};
        end else begin
            if (busy_marking) sweep_source <= sweep_ends ? {BITS{1'b0}} : sweep_source + 1'b1;
            if (sweep_ends) sweeping <= 1'b0;
            if (many_lost) marking <= 1'b1;
            else if (sweep_ends) marking <= 1'b0;
        end

    assign loss_valid    = marking || loses;
    assign loss_source   = marking ? {{7-BITS{1'b0}}, sweep_source} : op_header[62:56];

    assign n2h_pop       = takes || pops;
    assign word_valid    = (fsm == NOTIFY) || (n2h_valid && to_lines && (!to_part_a || op_take));
    assign word_address  = (fsm == NOTIFY) ? cfg_remote_notify + {18'd0, op_header[62:56]} : place;
    assign word_data     = (fsm == NOTIFY) ? {flagged, op_header[62:0]} : n2h_data[63:0];
    assign word_last     = (fsm == NOTIFY) || n2h_data[65];
    assign word_keep     = (fsm == WORDS) && (begun != 2'd3);
    assign word_start    = (fsm == WORDS) && (begun == 2'd0);
    assign word_of_queue = (fsm == WORDS);
    assign op_begin      = (fsm == BEGIN);
    assign op_valid      = n2h_valid && to_part_a && (!to_lines || word_ready);
    assign op_word       = n2h_data[63:0];
    assign op_end        = to_part_a && ends;
    assign op_drop       = n2h_data[66] || flush;
    assign op_written    = early;
    assign group_valid   = (fsm == GROUP) && lines_idle && op_ready;
    assign group_damaged = flagged;
    assign idle          = (fsm == IDLE) && !n2h_valid;

    wire counts_group = cfg_groups && (op_header[47:42] != 6'd0);

    always @(posedge clk)
        if (rst) begin
            fsm            <= IDLE;
            dropping       <= 1'b0;
            early          <= 1'b0;
            flagged        <= 1'b0;
            fence          <= 1'b0;
            ev_received    <= 1'b0;
            ev_gap         <= 1'b0;
            ev_bad_body    <= 1'b0;
            ev_bad_address <= 1'b0;
            ev_notified    <= 1'b0;
            ev_flagged     <= 1'b0;
            ev_step        <= 1'b0;
        end else begin
            fence          <= 1'b0;
            ev_received    <= ends;
            ev_gap         <= may_check && gap;
            ev_bad_body    <= bad;
            ev_bad_address <= may_check && !dropping && !operation && outside;
            ev_notified    <= notified;
            ev_flagged     <= notified && flagged;
            ev_step        <= takes && !n2h_data[64];

            case (fsm)
                IDLE: begin
                    early <= 1'b0;
                    if (takes && n2h_data[64]) begin
                        fsm      <= CHECK;
                        dropping <= flush;
                    end
                end
                CHECK: if (may_check) begin
                    flagged  <= gap || marked || dropping || outside;
                    dropping <= dropping || (!operation && outside);
                    fsm      <= (operation && !dropping) ? BEGIN : DATA;
                end else
                    dropping <= dropping || flush;
                BEGIN: fsm <= (op_header[19:16] == 4'd0) ? LOOK : WORDS;
                LOOK: if (slot_valid || looks == 3'd0) begin
                    fsm   <= WORDS;
                    early <= slot_valid;
                end
                WORDS: if (ends) fsm <= IDLE;
                DATA: begin
                    if (bad || dropping) flagged <= 1'b1;
                    if (ends) begin
                        fsm   <= flush || (dropping && operation) ? IDLE : op_header[54] ? NOTIFY
                                 : counts_group ? GROUP : IDLE;
                        fence <= op_header[52] && !op_header[54] && !flush;
                    end
                end
                NOTIFY: if (word_ready) begin
                    fsm   <= counts_group ? GROUP : IDLE;
                    fence <= op_header[52];
                end
                default: if (group_valid || flush) fsm <= IDLE;
            endcase
        end

    always @(posedge clk) begin
        if (takes) op_header <= n2h_data[63:0];
        if (fsm == BEGIN)                looks <= LOOKS[2:0];
        else if (fsm == LOOK)            looks <= looks - 3'd1;
        if (fsm == CHECK)                place <= op_header[27:3];
        else if (fsm == LOOK)            place <= {slot_address, 3'd1};
        else if (pops)                   place <= place + 25'd1;
        if (fsm == BEGIN)                begun <= 2'd0;
        else if (pops && begun != 2'd3)  begun <= begun + 2'd1;
    end

    wire unused = &{1'b0, n2h_data[67], LAST_SOURCE, LOOKS};

    // ---- measuring
    wire probe_busy       = (fsm != IDLE) || n2h_valid;
    wire probe_stall_part_a = (fsm == CHECK) && op_waits;
    wire probe_stall_bus  = word_valid && !word_ready;
    wire probe_stall_disabled = (fsm == IDLE) && n2h_valid && !enable && !flush;
    wire probe_start      = may_check;
    wire probe_done       = ends;
    wire [2:0] probe_state = fsm;
endmodule
`default_nettype wire
