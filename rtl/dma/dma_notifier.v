// Local notifications: counts the transfers of each queue that have departed and writes the count to the host when asked to.
//
// Transfers leave H2N in the order in which they went in, so their queue and flag wait in a FIFO for the link's departure events. The
// value written to local address + 8 x queue is {32'h0, departed descriptors of that queue modulo 2^32} (design.md 3). Counts are
// cumulative: notifications that meet one still waiting are merged into it, and the host sees the newest count.
//
// The FIFO bounds the transfers in H2N to 256: `full` comes 8 early, more than the packetizer has in hand.
//
// A software reset (`flush`) withdraws a notification that the bus interface has not taken; it follows after the reset, as cumulative
// counts may. After a software reset the entries left have lost their packets: they count as skipped.
`default_nettype none
module dma_notifier #(
    // request queues, 2..16
    parameter QUEUES = 8,
    // log2 of QUEUES
    parameter LOG2_QUEUES = 3
) (
    input  wire                   clk,
    input  wire                   rst,

    // transfers as the packetizer reports them
    input  wire                   served,
    input  wire [LOG2_QUEUES-1:0] served_queue,
    input  wire                   served_left,
    input  wire                   served_local,
    output wire                   full,

    // the link's departures
    input  wire                   departed,          // one clock per transfer that has left

    // software reset: the packets of the waiting transfers have been thrown away
    input  wire                   forget,
    output wire                   empty,

    // write conversation (through dma_write_mux)
    output wire                   wr_req,
    output wire [63:0]            wr_addr,
    output wire [63:0]            wr_data,
    input  wire                   wr_ack,
    input  wire                   wr_done,
    input  wire [1:0]             wr_status,
    input  wire                   cfg_bus_master,
    input  wire                   enable,
    input  wire                   flush,
    input  wire [63:0]            cfg_local_notify,

    // what software sees
    output reg  [QUEUES*32-1:0]   departed_counts,
    output reg  [QUEUES*32-1:0]   skipped_counts,
    output reg                    ev_notified,       // one clock: written
    output reg                    ev_write_error,    // one clock: not written
    output wire                   ev_overflow,       // more than 256 transfers, or a departure of none: a bug, never otherwise
    output wire                   idle               // nothing that a software reset has to wait for
);
    wire                   w_valid;
    wire [LOG2_QUEUES-1:0] w_queue;
    wire                   w_local;
    wire                   w_full;
    wire [8:0]             w_count;
    wire                   w_overflow, w_underflow;
    wire                   pop = departed || (w_valid && forget);

    fifo_sync #(.WIDTH(LOG2_QUEUES + 1), .LOG2_DEPTH(8)) waiting (
        .clk (clk), .rst (rst),
        .wr_valid (served && served_left), .wr_data ({served_queue, served_local}), .full (w_full),
        .rd_data ({w_queue, w_local}), .rd_valid (w_valid), .rd_pop (pop),
        .count (w_count), .overflow (w_overflow), .underflow (w_underflow)
    );

    // room for what the packetizer still has in hand
    assign full        = w_full || (w_count >= 9'd248);
    assign empty       = !w_valid;
    assign ev_overflow = w_overflow || w_underflow;

    wire skip_served = served && !served_left;
    wire skip_forget = pop && forget;

    genvar g;
    generate
        for (g = 0; g < QUEUES; g = g + 1) begin : count
            wire leaves   = pop && w_valid && !forget && (w_queue == g[LOG2_QUEUES-1:0]);
            wire skip_one = skip_served && (served_queue == g[LOG2_QUEUES-1:0]);
            wire skip_two = skip_forget && (w_queue == g[LOG2_QUEUES-1:0]);

            always @(posedge clk)
                if (rst) begin
                    departed_counts[g*32 +: 32] <= 32'd0;
                    skipped_counts[g*32 +: 32]  <= 32'd0;
                end else begin
                    if (leaves) departed_counts[g*32 +: 32] <= departed_counts[g*32 +: 32] + 32'd1;
                    if (skip_one || skip_two)
                        skipped_counts[g*32 +: 32] <= skipped_counts[g*32 +: 32] + {30'd0, skip_one && skip_two, skip_one != skip_two};
                end
        end
    endgenerate

    // ---- queues whose notification is due, served in round robin
    reg  [QUEUES-1:0]      due;
    wire                   pick_any;
    wire [QUEUES-1:0]      pick_grant;
    wire [LOG2_QUEUES-1:0] pick_index;
    reg  [LOG2_QUEUES-1:0] current;
    reg                    request;
    reg                    under_way;

    round_robin #(.N(QUEUES), .LOG2_N(LOG2_QUEUES)) pick (
        .request (due),
        .last    (current),
        .any     (pick_any),
        .grant   (pick_grant),
        .index   (pick_index)
    );

    wire begin_now = pick_any && enable && !flush && !request && !under_way;
    wire mark      = pop && w_valid && !forget && w_local;
    wire withdraw  = request && flush;
    wire [QUEUES-1:0] one        = {{QUEUES-1{1'b0}}, 1'b1};
    wire [QUEUES-1:0] mark_queue = mark ? one << w_queue : {QUEUES{1'b0}};

    // Departures after this clock set the queue due again, so the newest count always follows.
    reg [31:0] value;

    assign wr_req  = request && enable && !flush;
    assign wr_addr = cfg_local_notify + {{61-LOG2_QUEUES{1'b0}}, current, 3'b000};
    assign wr_data = {32'd0, value};
    assign idle    = !request && (!under_way || !cfg_bus_master);

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
            due <= (due & ~(begin_now ? pick_grant : {QUEUES{1'b0}})) | mark_queue | (withdraw ? one << current : {QUEUES{1'b0}});
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
        if (begin_now) value <= departed_counts[pick_index*32 +: 32];

    // ---- measuring
    wire probe_busy  = request || under_way || (|due);
    wire probe_stall = request && !wr_ack;
    wire probe_start = begin_now;
    wire probe_done  = wr_done;
endmodule
`default_nettype wire
