// Queue scheduler of the outgoing half: which request queue's transfer is read next. A plug-in point: another policy is
// another file with these ports.
//
// Contract. A queue with a transfer is in `waiting`; if it may be chosen now, because its next piece has space, it is
// also in `eligible`. Both are registers' outputs and may change in any clock.
//   * `any`, `grant` (one-hot) and `index` (its number) are the choice among the eligible queues, in the same clock:
//     combinational from `eligible`, `waiting` and registers, never from `used*`. With none eligible `any` is 0 and the
//     other two do not matter. With one output queue for all (SHARED_ROOM) every waiting queue is eligible, and an
//     accepted proposal waits for its space.
//   * The choice is stable while `eligible` and `waiting` are and nothing is used: the engine accepts it later.
//   * It is a proposal: another piece may have been accepted before, it may be dropped again (the space is gone), and a
//     piece that meets an idle engine is taken without a choice. `used`, one clock per piece, in any clock, reports
//     what was accepted: its queue (eligible or not), its words (1..512), and whether its transfer ends with it, after
//     16 pieces at most. The three are valid only with `used`. A skipped transfer leaves `waiting` without `used`; the
//     next proposal is accepted before its queue returns.
//   * No starvation: if the proposals are used, at most 32 * (QUEUES - 1) pieces of others are taken while a queue
//     stays eligible (tb/contract/README.md).
//   * A clock of `rst` clears all history, whatever the state after power-up.
// No policy can cause other faults: neither shares nor the order of transfers are promised.
//
// This policy is round robin over transfers: a transfer that has begun goes on while it is eligible, so that its pieces
// stay together; else the next eligible queue in cyclic order after the last one used. A queue that stays eligible
// waits for 16 * (QUEUES - 1) pieces at most. After reset the order begins with queue 1.
`default_nettype none
module dma_queue_scheduler #(
    // request queues, 2..16
    parameter QUEUES = 8
) (
    input  wire                      clk,
    input  wire                      rst,
    input  wire [QUEUES-1:0]         waiting,     // has a transfer
    input  wire [QUEUES-1:0]         eligible,    // ... and space for its next piece
    output wire                      any,
    output wire [QUEUES-1:0]         grant,
    output wire [$clog2(QUEUES)-1:0] index,       // number of the grant
    input  wire                      used,        // one clock
    input  wire [$clog2(QUEUES)-1:0] used_queue,  // a piece of it has been accepted,
    input  wire [9:0]                used_words,  // ... of this length
    input  wire                      used_last    // its transfer ends with this piece
);
    localparam LOG2_QUEUES = $clog2(QUEUES);

    reg  [LOG2_QUEUES-1:0] last;
    reg                    goes_on;               // the transfer used last has more pieces

    wire [QUEUES-1:0]      one = {{QUEUES-1{1'b0}}, 1'b1};
    wire                   stay = goes_on && eligible[last];
    wire [QUEUES-1:0]      next_grant;
    wire [LOG2_QUEUES-1:0] next_index;

    round_robin #(.N(QUEUES)) pick (
        .request (eligible), .last (last), .any (any), .grant (next_grant), .index (next_index)
    );

    assign grant = stay ? one << last : next_grant;
    assign index = stay ? last : next_index;

    always @(posedge clk)
        if (rst) begin
            last    <= {LOG2_QUEUES{1'b0}};
            goes_on <= 1'b0;
        end else if (used) begin
            last    <= used_queue;
            goes_on <= !used_last;
        end

    wire unused = &{1'b0, used_words};

    // ---- measuring
    wire probe_busy       = |waiting;
    wire probe_stall_room = (|waiting) && !any;
    wire probe_start      = used;
    wire probe_done       = used;
endmodule
`default_nettype wire
