// Remote queues, counters and words: all but the sender's descriptors. Only wiring, and the few registers that are not
// in sync_memory. What it does, formats and layouts: README.md.
//
//     op_*, group_*  ->  sync_intake  -- oldest packet -->  sync_execute  -- jobs -->  sync_writer  ->  wr_*
//                             \------------- words -------------^-------------------------^
//                                                              | reads, writes
//     reg_*  ---------------- host's reads and writes ---> sync_memory <-- records -- sync_asks  <-  ask_*
//     answer_*  <--- sync_execute (with sync_answers)
//
// A register is written one clock after reg_wr_valid, and read in two.
`default_nettype none
`include "sync_registers.vh"
module sync_unit #(
    // nodes that may ask and be answered: sources and queues 0..NODES-1 of the sender's side, 8 or 16
    parameter NODES = 8,
    // 1: wr_req for the next write may be up while one is not done (sync_writer); 0: it follows wr_done
    parameter PIPELINED = 0
) (
    input  wire         clk,
    input  wire         rst,
    output wire         busy,            // clock_gate: there is work

    // registers: BAR1, the unit has 0x0400..0x1FFF; reads answered two clocks later, 0 elsewhere
    input  wire         reg_wr_valid,
    input  wire [13:3]  reg_wr_addr,
    input  wire [63:0]  reg_wr_data,
    input  wire [7:0]   reg_wr_be,
    input  wire [13:3]  reg_rd_addr,
    output reg  [63:0]  reg_rd_data,

    // operation packets; op_begin .. op_end of one, then the next
    output wire         op_ready,        // level: a packet may begin
    input  wire         op_begin,        // one clock: header
    input  wire [63:0]  op_header,
    input  wire         op_valid,        // a payload word, in a clock after op_begin: taken when op_take is high
    output wire         op_take,
    input  wire [63:0]  op_word,
    input  wire         op_end,          // one clock, with the last word taken or after it
    input  wire         op_drop,         // ... the packet must not act: bad body, or dropped
    input  wire         op_written,      // ... a message's words are in its slot (slot_addr) already: only word 0 lacks
    output wire         op_waits,        // level: operations have not taken effect: later data must wait

    // a packet counted by its group has been written; only while op_ready, not with op_begin
    input  wire         group_valid,     // one clock
    input  wire [63:0]  group_header,    // of the packet
    input  wire         group_damaged,

    // one clock: this source has lost something; with op_drop, or after it, its own
    input  wire         loss_valid,
    input  wire [6:0]   loss_source,

    // write conversation, as dma_write_mux
    output wire         wr_req,          // until wr_ack, or withdrawn before it
    output wire [63:0]  wr_addr,
    output wire [9:0]   wr_words,
    input  wire         wr_ack,
    output wire [63:0]  wr_data,
    output wire         wr_data_valid,
    input  wire         wr_data_pop,
    input  wire         wr_done,
    input  wire [1:0]   wr_status,       // not 0: failed
    input  wire         wr_underflow,    // one clock: a missing word was needed
    output wire         wr_queue_valid,  // not PIPELINED, wr_req to wr_done: it is a slot of queue wr_queue
    output wire [3:0]   wr_queue,
    output wire         wr_first,        // not PIPELINED, wr_req to wr_done: a word that is awaited, no payload
    output wire         slot_valid,      // level: the message at the head will be taken, if good; payload goes to
    output wire [63:6]  slot_addr,       // ... the slot here
    output wire         irq_event,       // one clock: an interrupt is due, what it is about is in memory

    // answers
    input  wire [NODES-1:0] answer_room, // level: an answer to this node may be offered
    output wire         answer_valid,    // until answer_taken; may be withdrawn while not answer_held
    output wire [3:0]   answer_node,
    output wire [31:0]  answer_header,   // header [31:0]; length 1, no flags
    output wire [63:0]  answer_word,     // its payload
    input  wire         answer_held,     // level: it is about to be taken
    input  wire         answer_taken,    // one clock

    // operations of this node that are answered
    input  wire         ask_valid,       // one clock: one is leaving by queue ask_queue; only while it may
    input  wire [3:0]   ask_queue,
    input  wire [14:0]  ask_operand,
    output wire [NODES-1:0] ask_full,    // level: an operation that is answered may not leave by this queue

    // release
    input  wire [15:0]  prepared,        // level: request queue q has complete descriptors that wait
    output wire [15:0]  release_mask,    // one clock: prepared clusters of these queues leave

    // set-up
    output reg          cfg_groups,      // level: CONTROL GROUPS
    input  wire         bus_moves,       // level: bus sequences can end
    input  wire         enable,          // level: writes may be requested
    input  wire         flush,           // software reset: unacknowledged writes are withdrawn, and follow after it
    output wire         idle,            // a software reset need not wait
    output wire [7:0]   states           // of the executor, of the writer
);
    localparam [29:0] BUILT = {2'd0, 8'd64, 12'd256, 3'd0, 5'd16};    // counters, words, queues
    localparam [14:0] FIRST = `SYNC_QUEUE_BASE_LOW;
    localparam [14:0] BUILD = `SYNC_BUILD, STATUS = `SYNC_STATUS, HOST_DATA = `SYNC_HOST_DATA_LOW,
                      HOST_SECOND = `SYNC_HOST_SECOND_LOW, HOST_COMMAND = `SYNC_HOST_COMMAND,
                      UNANSWERED = `SYNC_UNANSWERED_LOW;

    initial
        if (NODES != 8 && NODES != 16) begin
            $display("%m: NODES must be 8 or 16, is %0d", NODES);
            $finish;
        end

    // ---- writes of the host
    reg         w_valid;
    reg  [13:3] w_addr;
    reg  [63:0] w_data;
    reg  [1:0]  w_full;                  // halves written as a whole

    always @(posedge clk) begin
        w_addr <= reg_wr_addr;
        w_data <= reg_wr_data;
        w_full <= {&reg_wr_be[7:4], &reg_wr_be[3:0]};
    end

    always @(posedge clk)
        if (rst) w_valid <= 1'b0;
        else     w_valid <= reg_wr_valid;

    wire        cleared, clearing;
    wire [1:0]  w_half   = w_full & {2{w_valid && cleared}};
    wire        in_queue = (w_addr[13:9] == 5'b00010);
    wire        in_base  = (w_addr[13:5] == 9'b001000000) && (w_addr[4:3] != 2'd3);
    wire        in_word  = (w_addr[13:11] == 3'b010);
    wire [1:0]  writable = in_queue ? {!w_addr[4], !(w_addr[4] && w_addr[3])} : {2{in_base || in_word}};
    wire [1:0]  to_build   = w_half & {2{w_addr == BUILD[13:3]}};
    wire [1:0]  to_status  = w_half & {2{w_addr == STATUS[13:3]}};
    wire [1:0]  to_data    = w_half & {2{w_addr == HOST_DATA[13:3]}};
    wire [1:0]  to_second  = w_half & {2{w_addr == HOST_SECOND[13:3]}};
    wire [1:0]  to_command = w_half & {2{w_addr == HOST_COMMAND[13:3]}};

    // ---- registers that are not in sync_memory
    localparam [15:0] ERRORS = 16'hFE80;   // kinds that set a bit of STATUS
    reg  [15:0] status;
    wire        counted;
    wire [3:0]  kind;
    wire [15:0] set_status = ({15'd0, counted} << kind) & ERRORS;

    always @(posedge clk)
        if (rst) begin
            cfg_groups <= 1'b0;
            status     <= 16'd0;
        end else begin
            if (to_build[1]) cfg_groups <= w_data[32];
            status <= (status & ~(w_data[15:0] & {16{to_status[0]}})) | set_status;
        end

    // ---- reads of the host
    wire [63:0] looked;
    wire [NODES*4-1:0] counts;
    wire        host_busy;
    wire [2:0]  host_reason;
    reg  [13:3] r_addr;
    reg  [63:0] shown;
    reg  [15:0] last_command;

    always @(posedge clk) r_addr <= reg_rd_addr;

    // sync_memory is 0 where a register stands that is not in it, and in the unused words of the queues
    localparam [9:0] ALWAYS_0 = 10'h083;
    wire             outside  = (reg_rd_addr < FIRST[13:3]) || reg_rd_addr[13];

    always @*
        shown = looked
                | ({31'd0, cfg_groups, 1'b1, cleared, BUILT} & {64{r_addr == BUILD[13:3]}})
                | ({48'd0, status} & {64{r_addr == STATUS[13:3]}})
                | ({32'd0, last_command, 7'd0, host_busy, 5'd0, host_reason} & {64{r_addr == HOST_COMMAND[13:3]}})
                | ({{64-4*NODES{1'b0}}, counts} & {64{r_addr == UNANSWERED[13:3]}});

    always @(posedge clk) begin
        reg_rd_data <= shown;
        if (to_command[0] && !host_busy) last_command <= w_data[31:16];
        if (rst)                         last_command <= 16'd0;
    end

    // ---- packets
    wire        shown_valid, shown_complete, shown_written, shown_taken, shown_kept, burst_over, arriving, intake_ready;
    wire [63:0] shown_header, rd_data;
    wire [2:0]  shown_place, x_rd_place, w_rd_place;
    wire        x_rd_enable, w_rd_enable, writer_ready, settled;
    wire [5:0]  x_rd_index, w_rd_index;

    assign op_ready = intake_ready && cleared;
    assign op_waits = shown_valid || !settled;

    sync_intake #(.NODES(NODES)) intake (
        .clk (clk), .rst (rst), .op_ready (intake_ready), .op_begin (op_begin), .op_header (op_header),
        .op_valid (op_valid), .op_take (op_take), .op_word (op_word), .op_end (op_end), .op_drop (op_drop),
        .op_written (op_written), .group_valid (group_valid), .group_header (group_header),
        .group_damaged (group_damaged),
        .loss_valid (loss_valid), .loss_source (loss_source),
        .host_write (to_data | to_second), .host_second (to_second != 2'd0), .host_data (w_data),
        .shown_valid (shown_valid), .shown_complete (shown_complete), .shown_header (shown_header),
        .shown_written (shown_written), .shown_place (shown_place), .shown_taken (shown_taken),
        .shown_kept (shown_kept), .kept_over (burst_over),
        .rd_enable (writer_ready ? x_rd_enable : w_rd_enable), .rd_place (writer_ready ? x_rd_place : w_rd_place),
        .rd_index (writer_ready ? x_rd_index : w_rd_index), .rd_data (rd_data), .arriving (arriving)
    );

    // ---- state
    wire        x_read, stalled, record_valid, record_taken;
    wire [1:0]  x_write;
    wire [9:0]  x_at;
    wire [63:0] x_data, x_read_data;
    wire [5:0]  record_slot;
    wire [31:0] record_data;

    sync_memory memory (
        .clk (clk), .rst (rst), .forget (flush), .clearing (clearing), .cleared (cleared),
        .host_write (w_half & writable), .host_at (w_addr[12:3]), .host_data (w_data),
        .look_at (outside ? ALWAYS_0 : reg_rd_addr[12:3]),
        .look_data (looked), .record_valid (record_valid), .record_slot (record_slot), .record_data (record_data),
        .record_taken (record_taken), .read (x_read), .write (x_write), .at (x_at), .data (x_data),
        .read_data (x_read_data), .stalled (stalled)
    );

    // ---- operations of this node
    wire        close_valid;
    wire [3:0]  close_queue;

    sync_asks #(.NODES(NODES)) asks (
        .clk (clk), .rst (rst), .forget (flush), .ask_valid (ask_valid), .ask_queue (ask_queue),
        .ask_operand (ask_operand), .full (ask_full), .record_valid (record_valid), .record_slot (record_slot),
        .record_data (record_data), .record_taken (record_taken), .close_valid (close_valid),
        .close_queue (close_queue), .counts (counts)
    );

    // ---- execution
    wire        load, load_burst, load_burst_odd, load_single, load_single_odd, load_queue_valid, load_irq, failed;
    wire [9:0]  load_words;
    wire [63:4] load_at;
    wire [63:0] load_word;
    wire [3:0]  load_queue, load_source, failed_source;
    wire        x_irq, w_irq, x_busy, writer_idle;
    wire [4:0]  x_state;
    wire [2:0]  w_state;

    sync_execute #(.NODES(NODES)) execute (
        .clk (clk), .rst (rst), .busy (x_busy), .shown_valid (shown_valid), .shown_complete (shown_complete),
        .shown_header (shown_header), .shown_written (shown_written), .shown_place (shown_place),
        .shown_taken (shown_taken), .shown_kept (shown_kept), .burst_over (burst_over),
        .rd_enable (x_rd_enable), .rd_place (x_rd_place), .rd_index (x_rd_index),
        .rd_data (rd_data), .host_go (to_command[0]), .host_operation (w_data[19:16]), .host_object (w_data[31:20]),
        .host_busy (host_busy), .host_reason (host_reason), .read (x_read), .write (x_write), .at (x_at),
        .data (x_data), .read_data (x_read_data), .stalled (stalled), .load (load), .load_burst (load_burst),
        .load_burst_odd (load_burst_odd), .load_words (load_words), .load_single (load_single),
        .load_single_odd (load_single_odd), .load_at (load_at), .load_word (load_word),
        .load_queue_valid (load_queue_valid), .load_irq (load_irq), .writer_ready (writer_ready),
        .settled (settled), .failed (failed),
        .failed_source (failed_source), .queue (load_queue), .node (load_source), .slot_valid (slot_valid),
        .answer_room (answer_room),
        .answer_valid (answer_valid), .answer_node (answer_node), .answer_header (answer_header),
        .answer_word (answer_word), .answer_held (answer_held), .answer_taken (answer_taken),
        .close_valid (close_valid), .close_queue (close_queue), .prepared (prepared), .release_mask (release_mask),
        .irq_event (x_irq), .counted (counted), .kind (kind), .state (x_state)
    );

    sync_writer #(.PIPELINED(PIPELINED)) writer (
        .clk (clk), .rst (rst), .load (load), .load_burst (load_burst), .load_burst_odd (load_burst_odd),
        .load_words (load_words), .load_place (shown_place), .load_single (load_single),
        .load_single_odd (load_single_odd), .load_at (load_at), .load_word (load_word),
        .load_queue_valid (load_queue_valid), .load_queue (load_queue), .load_source (load_source),
        .load_irq (load_irq), .ready (writer_ready), .settled (settled), .burst_over (burst_over),
        .irq_event (w_irq), .failed (failed),
        .failed_source (failed_source), .rd_enable (w_rd_enable), .rd_place (w_rd_place), .rd_index (w_rd_index),
        .rd_data (rd_data), .wr_req (wr_req), .wr_addr (wr_addr), .wr_words (wr_words), .wr_ack (wr_ack),
        .wr_data (wr_data), .wr_data_valid (wr_data_valid), .wr_data_pop (wr_data_pop), .wr_done (wr_done),
        .wr_status (wr_status), .wr_underflow (wr_underflow), .wr_queue_valid (wr_queue_valid),
        .wr_queue (wr_queue), .wr_first (wr_first), .bus_moves (bus_moves), .enable (enable), .flush (flush),
        .idle (writer_idle), .state (w_state)
    );

    assign slot_addr = load_at[63:6];
    assign irq_event = x_irq || w_irq;
    assign idle      = writer_idle && !arriving && !clearing;
    assign busy      = x_busy || !settled || clearing || w_valid || record_valid;
    assign states    = {w_state, x_state};

    wire unused = &{1'b0, to_build[0], to_status[1], to_command[1], FIRST, BUILD[2:0], STATUS[2:0],
                    HOST_DATA[2:0], HOST_SECOND[2:0], HOST_COMMAND[2:0],
                    UNANSWERED[2:0]};
endmodule
`default_nettype wire
