// The coherent NI as agent 2 of snoop_switch: chooses between the lines that cni_lines writes and those that the two
// send queues read, and holds the lines of virtual polling as a sharer.
//
// Requests: writes and reads in turn, the two send queues in turn; what is shown stays until it is taken. A read's tag
// is the number of its send queue.
//
// Sharing: from the order point of a queue's Read (rd_ordered with rd_share) the NI answers that it has the line, until
// it sees READ_EXCLUSIVE, UPGRADE or INVALIDATE_WRITE of it, or the queue stops watching. Each of these, and UPDATE, is
// reported to the queue (`seen`, the clock after snoop_valid). So a cache that loads the line gets it in S, and its
// first store to it is a broadcast that the queue sees.
`default_nettype none
module cni_bus (
    input  wire        clk,
    input  wire        rst,

    // cni_lines
    input  wire        wr_valid,
    input  wire        wr_invalidate,
    input  wire [27:5] wr_line,
    input  wire [1:0]  wr_word,
    input  wire [1:0]  wr_last,
    input  wire        wr_full,
    input  wire        wr_allocate,
    input  wire        wr_cache,
    output wire        wr_taken,

    // cni_send of queue q: bits from q x width on
    input  wire [1:0]  rd_valid,
    input  wire [1:0]  rd_share,
    input  wire [45:0] rd_line,
    output wire [1:0]  rd_ordered,
    output wire [1:0]  rd_data_valid,
    input  wire [1:0]  watching,
    input  wire [45:0] watch_line,
    output reg  [1:0]  seen,

    // agent 2 of snoop_switch (rtl/coherent/README.md); data of reads go to cni_send, those of writes come from
    // cni_lines
    output wire        req_valid,
    output wire [2:0]  req_kind,
    output wire [22:0] req_line,
    output wire [1:0]  req_word,
    output wire [1:0]  req_last,
    output wire        req_tag,
    output wire        req_full,
    output wire        req_allocate,
    output wire        req_cache,
    input  wire        req_taken,
    input  wire        snoop_valid,
    input  wire [2:0]  snoop_kind,
    input  wire [22:0] snoop_line,
    output reg         answer_has,
    input  wire        in_valid,
    input  wire        in_own,
    input  wire        in_tag,

    output wire        ev_read,
    output wire        ev_seen
);
    localparam [2:0] READ = 3'd0, READ_EXCLUSIVE = 3'd1, UPGRADE = 3'd2, UPDATE = 3'd4, INVALIDATE_WRITE = 3'd5,
                     READ_ONCE = 3'd6;

    // ---- choice: 0, 1 the send queues, 2 the writes
    reg        locked;                 // shown, not taken yet
    reg  [1:0] owner;
    reg        after_write;            // the last one taken was a write
    reg        after_first;            // the last read taken was of queue 0
    wire       read_1  = rd_valid[1] && (!rd_valid[0] || after_first);
    wire       writes  = wr_valid && !(after_write && (|rd_valid));
    wire [1:0] choice  = locked ? owner : writes ? 2'd2 : {1'b0, read_1};
    wire       reading = !choice[1];

    assign req_valid    = locked || wr_valid || (|rd_valid);
    assign req_kind     = !reading ? (wr_invalidate ? INVALIDATE_WRITE : UPDATE)
                          : (choice[0] ? rd_share[1] : rd_share[0]) ? READ : READ_ONCE;
    assign req_line     = !reading ? wr_line : choice[0] ? rd_line[45:23] : rd_line[22:0];
    assign req_word     = reading ? 2'd0 : wr_word;
    assign req_last     = reading ? 2'd3 : wr_last;
    assign req_tag      = choice[0];
    assign req_full     = !reading && wr_full;
    assign req_allocate = !reading && wr_allocate;
    assign req_cache    = wr_cache;
    assign wr_taken     = req_taken && !reading;
    assign rd_ordered   = {choice[0], !choice[0]} & {2{req_taken && reading}};
    assign rd_data_valid = {in_tag, !in_tag} & {2{in_valid && in_own}};
    assign ev_read      = req_taken && reading;

    always @(posedge clk)
        if (rst) begin
            locked      <= 1'b0;
            after_write <= 1'b0;
            after_first <= 1'b0;
        end else begin
            locked <= req_valid && !req_taken;
            if (req_taken) after_write <= !reading;
            if (req_taken && reading) after_first <= !choice[0];
        end

    always @(posedge clk) owner <= choice;

    // ---- lines held
    wire       takes = (snoop_kind == READ_EXCLUSIVE) || (snoop_kind == UPGRADE) || (snoop_kind == INVALIDATE_WRITE);
    wire [1:0] match = {watching[1] && snoop_line == watch_line[45:23], watching[0] && snoop_line == watch_line[22:0]};
    reg  [1:0] shared;
    reg        shared_here;            // in the clock after snoop_valid: one of them is the line

    always @(posedge clk)
        if (rst) begin
            shared      <= 2'd0;
            shared_here <= 1'b0;
            answer_has  <= 1'b0;
            seen        <= 2'd0;
        end else begin
            shared      <= (rd_ordered & rd_share) | (shared & watching & ~(match & {2{snoop_valid && takes}}));
            shared_here <= snoop_valid && |(match & shared);
            answer_has  <= shared_here;
            seen        <= match & {2{snoop_valid && (takes || snoop_kind == UPDATE)}};
        end

    assign ev_seen = |seen;

    // ---- measuring
    wire probe_busy      = req_valid;
    wire probe_stall_bus = req_valid && !req_taken;
    wire probe_start     = req_taken;
    wire probe_done      = req_taken;
endmodule
`default_nettype wire
