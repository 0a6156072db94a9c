// DMA queue scheduler, lowest queue first but old ones before: another policy for the slot. A queue that PATIENCE
// pieces of others have passed since it had a transfer without being used goes before all that have not waited so long.
// A transfer's pieces do not stay together: a lower queue comes between them.
//
// A queue that stays eligible waits for PATIENCE + QUEUES - 1 pieces at most: then all others that are as old have been
// used once. An age counts pieces while its queue waits, eligible or not, and is 0 again with the queue's own piece, or
// when nothing waits there.
`default_nettype none
module dma_queue_scheduler_aged #(
    parameter QUEUES = 8
) (
    input  wire                      clk,
    input  wire                      rst,
    input  wire [QUEUES-1:0]         waiting,
    input  wire [QUEUES-1:0]         eligible,
    output wire                      any,
    output wire [QUEUES-1:0]         grant,
    output wire [$clog2(QUEUES)-1:0] index,
    input  wire                      used,
    input  wire [$clog2(QUEUES)-1:0] used_queue,
    input  wire [9:0]                used_words,
    input  wire                      used_last
);
    localparam LOG2_QUEUES = $clog2(QUEUES);
    localparam [4:0] PATIENCE = 5'd24;

    reg  [QUEUES*5-1:0] age;
    wire [QUEUES-1:0]   one     = {{QUEUES-1{1'b0}}, 1'b1};
    wire [QUEUES-1:0]   used_at = used ? one << used_queue : {QUEUES{1'b0}};
    wire [QUEUES-1:0]   old;
    wire [QUEUES-1:0]   request = (|(eligible & old)) ? eligible & old : eligible;

    localparam [31:0] LAST = QUEUES - 1;

    round_robin #(.N(QUEUES)) lowest (
        .request (request), .last (LAST[LOG2_QUEUES-1:0]), .any (any), .grant (grant), .index (index)
    );

    genvar g;
    generate
        for (g = 0; g < QUEUES; g = g + 1) begin : queue
            assign old[g] = (age[g*5 +: 5] == PATIENCE);

            always @(posedge clk)
                if (rst || used_at[g] || !waiting[g]) age[g*5 +: 5] <= 5'd0;
                else if (used && !old[g])             age[g*5 +: 5] <= age[g*5 +: 5] + 5'd1;
        end
    endgenerate

    wire unused = &{1'b0, used_words, used_last};

    // ---- measuring
    wire probe_busy  = |waiting;
    wire probe_stall = (|waiting) && !any;
    wire probe_start = used;
    wire probe_done  = used;
endmodule
`default_nettype wire
