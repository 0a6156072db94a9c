// dma_departures with faults that a test switches on one at a time.
`default_nettype none
module faulty_departures #(
    parameter QUEUES = 8,
    parameter PATHS = 4
) (
    input  wire                      clk,
    input  wire                      rst,
    input  wire                      put_valid,
    input  wire [1:0]                put_path,
    input  wire [$clog2(QUEUES)-1:0] put_queue,
    input  wire                      put_first,
    input  wire                      put_ends,
    input  wire                      put_local,
    output wire                      full,
    input  wire [PATHS-1:0]          gone_valid,
    input  wire [PATHS-1:0]          gone_lost,
    output wire [PATHS-1:0]          gone_pop,
    output wire                      departed_valid,
    output wire [$clog2(QUEUES)-1:0] departed_queue,
    output wire                      departed_local,
    output wire                      lost_valid,
    output wire [$clog2(QUEUES)-1:0] lost_queue,
    input  wire                      lost_taken,
    output wire                      busy,
    output wire                      ev_overflow,
    input  wire [2:0]                fault           // 0: none
);
    localparam [2:0] CROSSES_LINKS  = 3'd1;          // what has left by link 0 counts as gone from link 1, and the other way round
    localparam [2:0] FORGETS_LOSSES = 3'd2;          // a packet dropped counts as sent
    localparam [2:0] KEEPS_SPOILED  = 3'd3;          // a transfer after one that was cut short counts as lost with it
    localparam [2:0] LOSES_GONE     = 3'd4;          // two links report at once: one of them is lost
    localparam [2:0] FORGETS_LOCAL  = 3'd5;          // no local notification
    localparam [2:0] TELLS_PARTS    = 3'd6;          // each packet counts as a transfer
    localparam [2:0] COUNTS_BOTH    = 3'd7;          // a lost transfer departs as well

    wire             cross = (fault == CROSSES_LINKS);
    wire             departs, counts_lost;
    wire [PATHS-1:0] pops;

    dma_departures #(.QUEUES(QUEUES), .PATHS(PATHS)) real_one (
        .clk (clk), .rst (rst), .put_valid (put_valid), .put_path (put_path ^ {1'b0, cross && !put_path[1]}), .put_queue (put_queue),
        .put_first (put_first && fault != KEEPS_SPOILED), .put_ends (put_ends || fault == TELLS_PARTS),
        .put_local (put_local && fault != FORGETS_LOCAL), .full (full),
        .gone_valid (gone_valid), .gone_lost (gone_lost & {PATHS{fault != FORGETS_LOSSES}}), .gone_pop (pops),
        .departed_valid (departs), .departed_queue (departed_queue), .departed_local (departed_local),
        .lost_valid (counts_lost), .lost_queue (lost_queue), .lost_taken (lost_taken), .busy (busy), .ev_overflow (ev_overflow)
    );

    assign gone_pop       = (fault == LOSES_GONE && |pops) ? gone_valid : pops;
    assign departed_valid = departs || (counts_lost && lost_taken && fault == COUNTS_BOTH);
    assign lost_valid     = counts_lost;
endmodule
`default_nettype wire
