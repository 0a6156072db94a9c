// Transfers depart in order, whatever the order in which the links send their packets (several links by packet): a transfer of which the
// last packet has left departs when all packets that went into the link FIFOs before it, of all links, have left.
//
//     put     a packet begins to go into the FIFO of a link; its place in the order is kept
//     gone    the oldest packet of that link has left (its last body CRC word is on the port), or was thrown away there (gone_lost)
//
// One packet is looked at per clock. A transfer of which a packet was thrown away does not depart: `lost_valid` stands until lost_taken.
// `full`: so many packets are under way that no other one may begin; at least 16 more have room.
`default_nettype none
module dma_departures #(
    // request queues, 2..16
    parameter QUEUES = 8,
    // links, 2..4
    parameter PATHS = 2
) (
    input  wire                      clk,
    input  wire                      rst,
    input  wire                      put_valid,
    input  wire [1:0]                put_path,
    input  wire [$clog2(QUEUES)-1:0] put_queue,
    input  wire                      put_ends,       // the last packet of its transfer,
    input  wire                      put_local,      // ... which wants a local notification
    output wire                      full,

    input  wire [PATHS-1:0]          gone_valid,     // of each link; what is shown stays until it is popped
    input  wire [PATHS-1:0]          gone_lost,
    output wire [PATHS-1:0]          gone_pop,

    output wire                      departed_valid, // one clock
    output wire [$clog2(QUEUES)-1:0] departed_queue,
    output wire                      departed_local,
    output wire                      lost_valid,
    output wire [$clog2(QUEUES)-1:0] lost_queue,
    input  wire                      lost_taken,
    output wire                      busy,
    output wire                      ev_overflow     // a bug: a packet is not in the order, or left twice
);
    localparam BITS = $clog2(QUEUES);

    wire            valid, local_wanted, ends, unused_full, overflow, underflow;
    wire [1:0]      path;
    wire [BITS-1:0] queue;
    wire [8:0]      count;
    wire [3:0]      here_wide = {{4-PATHS{1'b0}}, gone_valid};
    wire [3:0]      lost_wide = {{4-PATHS{1'b0}}, gone_lost};
    reg  [QUEUES-1:0] spoiled;      // a packet of the transfer that this queue has under way was thrown away
    wire            here = valid && here_wide[path];
    wire            lost = lost_wide[path] || spoiled[queue];
    wire            pop  = here && (!ends || !lost || lost_taken);
    wire [3:0]      one  = 4'd1 << path;
    wire [QUEUES-1:0] queue_one = {{QUEUES-1{1'b0}}, 1'b1} << queue;

    fifo_sync #(.WIDTH(BITS + 4), .LOG2_DEPTH(8)) order (
        .clk (clk), .rst (rst), .wr_valid (put_valid), .wr_data ({put_path, put_queue, put_ends, put_local}), .full (unused_full),
        .rd_data ({path, queue, ends, local_wanted}), .rd_valid (valid), .rd_pop (pop), .count (count), .overflow (overflow),
        .underflow (underflow)
    );

    assign full           = (count >= 9'd240);
    assign gone_pop       = one[PATHS-1:0] & {PATHS{pop}};
    assign departed_valid = here && ends && !lost;
    assign departed_queue = queue;
    assign departed_local = local_wanted;
    assign lost_valid     = here && ends && lost;
    assign lost_queue     = queue;
    assign busy           = valid;
    assign ev_overflow    = overflow || underflow;

    always @(posedge clk)
        if (rst)      spoiled <= {QUEUES{1'b0}};
        else if (pop) spoiled <= (lost && !ends) ? spoiled | queue_one : spoiled & ~queue_one;

    wire unused = &{1'b0, unused_full, one};

    // ---- measuring
    wire probe_busy       = valid;
    wire probe_stall_link = valid && !here;
    wire probe_start      = put_valid;
    wire probe_done       = pop;
endmodule
`default_nettype wire
