// Local notifications: counts the transfers of each queue that have departed and writes the count to the host on
// request.
//
// The link reports with each departure its queue and whether it wants a notification. The value written to local
// address + 8 x queue is {32'h0, departed descriptors of that queue modulo 2^32} (design.md 3). Counts are cumulative:
// a notification is merged into one that still waits, and the host sees the newest count.
//
// A software reset (`flush`) withdraws a notification that the bus interface has not accepted; it follows after the
// reset, as cumulative counts may. Transfers that the reset drops from the output queues count as skipped (`forget`);
// those already moved to the link leave in any case, and count as departed when they do.
`default_nettype none
module dma_notifier #(
    // request queues, 2..16
    parameter QUEUES = 8,
    // bits of a count of transfers inside an output queue and its body, 12..31
    parameter INSIDE_BITS = 18
) (
    input  wire                      clk,
    input  wire                      rst,

    // descriptors as the writer reports them
    input  wire                      served,
    input  wire [$clog2(QUEUES)-1:0] served_queue,
    input  wire                      served_left,      // its transfer is in its output queue as a whole; else skipped

    // transfers on their way: out of their output queue, and out of the link
    input  wire                      moved_valid,      // one clock
    input  wire                      moved_lost,       // ... not to the link: dropped, it counts as skipped
    input  wire [$clog2(QUEUES)-1:0] moved_queue,
    input  wire                      departed_valid,   // one clock
    input  wire [$clog2(QUEUES)-1:0] departed_queue,
    input  wire                      departed_local,   // a local notification was asked for
    input  wire                      lost_valid,       // level: a transfer was lost behind its output queue: skipped;
    input  wire [$clog2(QUEUES)-1:0] lost_queue,       // ... until it is taken
    output wire                      lost_taken,

    // software reset: the content of the output queues has been dropped
    input  wire                      forget,
    output wire                      forgotten,

    // write conversation (through dma_write_mux)
    output wire                      wr_req,           // until wr_ack, or withdrawn before it
    output wire [63:0]               wr_addr,
    output wire [63:0]               wr_data,          // one word
    input  wire                      wr_ack,
    input  wire                      wr_done,
    input  wire [1:0]                wr_status,
    input  wire                      bus_moves,        // level: bus sequences can end
    input  wire                      enable,
    input  wire                      flush,
    input  wire [63:0]               cfg_local_notify, // address for queue 0

    // status for software: two queues at a time, see dma_transfer_counts
    input  wire [$clog2(QUEUES)-2:0] view_pair,        // counts of queues 2 x view_pair and, high, 2 x view_pair + 1
    output wire [63:0]               view_departed,
    output wire [63:0]               view_skipped,
    output reg                       ev_notified,      // one clock: written
    output reg                       ev_write_error,   // one clock: not written
    output wire                      idle              // a software reset need not wait
);
    localparam LOG2_QUEUES = $clog2(QUEUES);

    wire                   pick_any;
    wire [QUEUES-1:0]      pick_grant;
    wire [LOG2_QUEUES-1:0] pick_index;
    wire [31:0]            count;
    wire                   clearing;

    dma_transfer_counts #(.QUEUES(QUEUES), .INSIDE_BITS(INSIDE_BITS)) counts (
        .clk (clk), .rst (rst), .clearing (clearing),
        .served (served), .served_queue (served_queue), .served_left (served_left),
        .moved (moved_valid), .moved_lost (moved_lost), .moved_queue (moved_queue),
        .departed (departed_valid), .departed_queue (departed_valid ? departed_queue : pick_index),
        .departed_count (count), .sunk_valid (lost_valid), .sunk_queue (lost_queue), .sunk_taken (lost_taken),
        .forget (forget), .forgotten (forgotten),
        .view_pair (view_pair), .view_departed (view_departed), .view_skipped (view_skipped)
    );

    // ---- queues whose notification is due, served in round robin
    reg  [QUEUES-1:0]      due;
    reg  [LOG2_QUEUES-1:0] current;
    reg                    request;
    reg                    under_way;

    round_robin #(.N(QUEUES)) pick (
        .request (due), .last (current), .any (pick_any), .grant (pick_grant), .index (pick_index)
    );

    wire begin_now = pick_any && enable && !flush && !request && !under_way && !departed_valid && !clearing;
    wire mark      = departed_valid && departed_local;
    wire withdraw  = request && flush;
    wire [QUEUES-1:0] one        = {{QUEUES-1{1'b0}}, 1'b1};
    wire [QUEUES-1:0] mark_queue = mark ? one << departed_queue : {QUEUES{1'b0}};

    // Departures after this clock set the queue due again, so the newest count always follows. The count is read where
    // a departure would add to it: a departure in this clock goes first.
    reg [31:0] value;

    assign wr_req  = request && enable && !flush;
    assign wr_addr = cfg_local_notify + {{61-LOG2_QUEUES{1'b0}}, current, 3'b000};
    assign wr_data = {32'd0, value};
    assign idle    = !request && (!under_way || !bus_moves);

    always @(posedge clk)
        if (rst) begin
            due       <= {QUEUES{1'b0}};
            request   <= 1'b0;
            under_way <= 1'b0;
            current   <= {LOG2_QUEUES{1'b0}};
            ev_notified    <= 1'b0;
            ev_write_error <= 1'b0;
        end else begin
            ev_notified    <= wr_done && (wr_status == 2'd0);
            ev_write_error <= wr_done && (wr_status != 2'd0);
            due <= (due & ~(begin_now ? pick_grant : {QUEUES{1'b0}})) | mark_queue
                   | (withdraw ? one << current : {QUEUES{1'b0}});
            if (begin_now) begin
                current <= pick_index;
                request <= 1'b1;
            end else if (withdraw) begin
                request   <= 1'b0;
            end else if (wr_ack) begin
                request   <= 1'b0;
                under_way <= 1'b1;
            end
            if (wr_done) under_way <= 1'b0;
        end

    always @(posedge clk)
        if (begin_now) value <= count;

    // ---- measuring
    wire probe_busy      = request || under_way || (|due);
    wire probe_stall_bus = request && !wr_ack;
    wire probe_start     = begin_now;
    wire probe_done      = wr_done;
endmodule
`default_nettype wire
