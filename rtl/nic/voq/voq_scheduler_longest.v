// VOQ scheduler, longest queue first among those that have credit: an alternative for the plug-in point "VOQ scheduler"
// (contract: the head of voq_scheduler.v). Queues that receive more than others stay as short as those: packets wait in
// the NIC only if they can leave, and no crosspoint runs empty because a queue with little to send was served.
//
// Queues are compared by blocks of 128 words, a queue with a body is longer than all without; within the same block
// round robin decides. A queue that has been passed over by 8 x VOQS packets (rounded up to a power of two) goes before
// all others (wait_limit).
`default_nettype none
module voq_scheduler_longest #(
    // queues, 1..16
    parameter VOQS = 8
) (
    input  wire                                   clk,
    input  wire                                   rst,
    input  wire [VOQS-1:0]                        eligible,    // may start now
    input  wire [VOQS-1:0]                        waiting,     // has a packet
    input  wire [VOQS*12-1:0]                     level,       // words of queue q in [12*q +: 12]
    input  wire                                   take,        // one clock: the choice has started
    input  wire [9:0]                             take_words,  // its payload; not used
    output wire                                   any,
    output wire [VOQS-1:0]                        grant,
    output wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0] index
);
    localparam N = (VOQS > 1) ? VOQS : 2;     // a single queue gets a second one that is always empty

    initial
        if (VOQS < 1 || VOQS > 16) begin
            $display("%m: VOQS must be 1..16, is %0d", VOQS);
            $finish;
        end

    wire [N-1:0]         request = {{N-VOQS{1'b0}}, eligible};
    wire [N-1:0]         overdue;
    wire [N-1:0]         late    = request & overdue;
    wire [N-1:0]         longest;
    wire [N-1:0]         turn;
    wire [N*5-1:0]       blocks;
    reg  [$clog2(N)-1:0] last;

    genvar q;
    generate
        for (q = 0; q < N; q = q + 1) begin : queue
            if (q < VOQS) begin : real_one
                assign blocks[5*q +: 5] = level[12*q + 7 +: 5];
            end else begin : none
                assign blocks[5*q +: 5] = 5'd0;
            end
        end
    endgenerate

    largest #(.N(N), .BITS(5)) compare (.request (request), .level (blocks), .mask (longest));

    round_robin #(.N(N)) pick (
        .request ((|late) ? late : longest), .last (last), .any (any), .grant (turn), .index (index)
    );
    assign grant = turn[VOQS-1:0];

    wait_limit #(.N(N)) limit (.clk (clk), .rst (rst), .candidate (request), .turn (take), .winner (turn),
                               .overdue (overdue));

    always @(posedge clk)
        if (rst)       last <= {$clog2(N){1'b0}};
        else if (take) last <= index;

    wire unused = &{1'b0, waiting, level, take_words, turn};

    // ---- measuring
    wire probe_busy         = |waiting;
    wire probe_stall_credit = |waiting && !any;
    wire probe_start        = take;
    wire probe_done         = take;
endmodule
`default_nettype wire
