// Proof of sync_execute with its answers: `bad` is never high, whatever operations come, whatever the state holds but
// for one source and queue that are followed, and however the writer, the host and the output queues behave.
//
//   closed    after a message of the source to the queue was refused none is taken, until a REOPEN with the number of
//             its refused messages
//   once      a node gets at most as many REPLYs as it has asked for, and none while one is being removed
//   taken     a message gets at most one slot, and only if it is complete
//
// Assumed: sync_intake's order: a packet stays until it is taken, or disappears while it is not complete.
`default_nettype none
module prove_sync_execute #(
    parameter NODES = 8
) (
    input  wire        clk,
    input  wire [63:0] any_header,
    input  wire        any_come,
    input  wire        any_complete,
    input  wire        any_vanish,
    input  wire [63:0] any_word,
    input  wire [63:0] any_read,
    input  wire        any_stall,
    input  wire        any_writer,
    input  wire [15:0] any_room,
    input  wire        any_held,
    input  wire        any_taken,
    input  wire        any_host,
    input  wire [15:0] any_command,
    output wire        bad
);
    localparam [3:0] NODE = 4'd2, QUEUE = 4'd3;
    localparam [9:0] ENTRY = {2'b11, NODE, QUEUE};

    reg running;                      // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;

    // ---- the packet
    reg         valid, complete;
    reg  [63:0] header;
    wire        taken, load, load_queue_valid, load_burst, answer_valid, read;
    wire [1:0]  write;
    wire [9:0]  at;
    wire [63:0] data, answer_word;
    wire [31:0] answer_header;
    wire [3:0]  answer_node, kind;

    always @(posedge clk)
        if (!running || taken)           {valid, complete} <= 2'b00;
        else if (!valid)                 {valid, complete} <= {any_come, any_come && any_complete};
        else if (!complete)              {valid, complete} <= {!any_vanish, any_complete && !any_vanish};

    always @(posedge clk)
        if (!valid) header <= any_header;

    // ---- the state: one word of it, all others are anything
    reg  [63:0] entry, shown;
    wire        stall = any_stall;

    always @(posedge clk)
        if (!running) entry <= 64'd0;
        else if (!stall && at == ENTRY) begin
            if (write[0]) entry[31:0]  <= data[31:0];
            if (write[1]) entry[63:32] <= data[63:32];
        end

    always @(posedge clk)
        if (read && !stall) shown <= (at == ENTRY) ? entry : any_read;

    (* hierconn *) wire \execute.replies , \execute.sent ;
    (* hierconn *) wire [3:0] \execute.node ;
    wire taken_answer = any_taken && answer_valid && running;

    sync_execute #(.NODES(NODES)) execute (
        .clk (clk), .rst (!running), .shown_valid (valid), .shown_complete (complete), .shown_header (header),
        .shown_written (1'b0), .shown_place (3'd0), .shown_taken (taken), .burst_over (1'b0), .rd_data (any_word),
        .host_go (any_host && running), .host_operation (any_command[3:0]), .host_object (any_command[15:4]),
        .read (read), .write (write), .at (at), .data (data), .read_data (shown), .stalled (stall),
        .load (load), .load_burst (load_burst), .load_queue_valid (load_queue_valid), .writer_ready (any_writer),
        .settled (any_writer),
        .failed (1'b0), .failed_source (4'd0), .answer_room (any_room[NODES-1:0]), .answer_valid (answer_valid),
        .answer_node (answer_node), .answer_header (answer_header), .answer_word (answer_word),
        .answer_held (any_held || any_taken), .answer_taken (taken_answer), .prepared (16'd0), .kind (kind)
    );

    // ---- what must be, from outside
    wire        of_pair  = (header[62:56] == {3'd0, NODE}) && (header[23:20] == QUEUE);
    wire        message  = of_pair && header[19:16] == 4'd0;
    wire        exists   = (header[31:24] == 8'd0);
    wire        reopens  = of_pair && exists && header[19:16] == 4'd8 && header[41:32] == 10'd1;
    reg         shut;
    reg  [15:0] refused;
    reg         slotted;                 // the message has its slot
    reg  [3:0]  asked, told;
    wire        slots = load && load_queue_valid;

    always @(posedge clk)
        if (!running) begin
            shut    <= 1'b0;
            refused <= 16'd0;
            slotted <= 1'b0;
            asked   <= 4'd0;
            told    <= 4'd0;
        end else begin
            slotted <= !taken && (slotted || slots);
            if (taken && message && !slotted) begin
                refused <= refused + 16'd1;
                if (exists) shut <= 1'b1;
            end
            if (taken && reopens && header[15:1] == refused[14:0]) shut <= 1'b0;
            if (\execute.replies && \execute.node == NODE) asked <= asked + 4'd1;
            if (taken_answer && answer_header[19:16] == 4'd15 && answer_node == NODE) told <= told + 4'd1;
        end

    wire [3:0] owed = asked - told;

    assign bad = running && ((slots && message && shut) || (slots && (slotted || !complete || !valid))
                             || (slots && header[19:16] != 4'd0) || owed > 4'd4
                             || (answer_valid && \execute.sent ));
endmodule
`default_nettype wire
