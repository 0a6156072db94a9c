// Emptying the VOQs: after reset, and for a software reset (`flush`).
//
//     RUN     normal
//     HALT    no packet starts; the current one is finished, or cut off if the link does not take it
//     SKIP    visits one queue after the other: the sequence number of a destination that has lost a transfer, here or
//             before it arrived here, skips one; that of one with a body in any case.
//             With one queue for all destinations (VOQS = 1) the owner of the words is unknown: then all skip one
//     BODY    the bodies are dropped
//     CLEAR   pointers and contexts: one queue per clock; after reset for each path
//     SETTLE  then the accounts of voq_space
//     DONE    until flush falls
//
// Reset starts with CLEAR, credits and sequence numbers included; a software reset keeps those.
`default_nettype none
module voq_flush #(
    // log2 of the destinations, 1..4
    parameter LOG2_QUEUES = 3,
    // log2 of the paths whose credits are reset one by one, 0..2
    parameter LOG2_PATHS = 0
) (
    input  wire                   clk,
    input  wire                   rst,
    input  wire                   flush,           // level, until `done`
    output wire                   done,
    input  wire                   cfg_direct,      // one destination

    output wire                   halt,            // no packet may start
    input  wire                   departure_idle,  // no packet is in progress
    output wire [LOG2_QUEUES-1:0] at,              // queue visited in SKIP, cleared in CLEAR, SETTLE
    input  wire                   used,            // it holds words, or may
    input  wire                   dropped_valid,   // one clock: the DMA engine has dropped a transfer of dropped_queue
    input  wire [LOG2_QUEUES-1:0] dropped_queue,
    output wire                   skip,            // destination `at` skips a number
    output wire                   body_flush,
    input  wire                   body_flushed,
    output wire                   clear,           // rings, contexts
    output wire                   settle,          // accounts of voq_space
    output wire                   clear_numbers,   // with clear, after reset: numbers and credits are reset,
    output wire [1:0]             clear_path,      // ... credits of this path
    output wire [2:0]             state
);
    localparam [2:0] RUN = 3'd0, HALT = 3'd1, SKIP = 3'd2, BODY = 3'd3, CLEAR = 3'd4, SETTLE = 3'd5, DONE = 3'd6;

    localparam QUEUES = 1 << LOG2_QUEUES;

    reg [2:0]             fsm;
    reg [LOG2_PATHS+LOG2_QUEUES-1:0] count;
    reg                   cold;       // after reset
    reg                   skipped;    // a transfer has been dropped
    reg [QUEUES-1:0]      dropped;    // the DMA engine has dropped a transfer for this destination
    wire [LOG2_PATHS+LOG2_QUEUES-1:0] none = {LOG2_PATHS+LOG2_QUEUES{1'b0}};
    wire [1:0]            paths = {2{1'b1}} >> (2 - LOG2_PATHS);
    wire                  last = (&at) && (clear_path == paths || !(clear && cold));
    wire                  lost = used || dropped[at];
    integer               i;

    assign halt          = (fsm != RUN) || flush;
    assign {clear_path, at} = {{2-LOG2_PATHS{1'b0}}, count};
    assign skip          = (fsm == SKIP) && lost && !(cfg_direct && skipped);
    assign body_flush    = (fsm == BODY) || (fsm == CLEAR) || (fsm == SETTLE) || (fsm == DONE);
    assign clear         = (fsm == CLEAR);
    assign settle        = (fsm == SETTLE);
    assign clear_numbers = cold;
    assign done          = (fsm == DONE);
    assign state         = fsm;

    always @(posedge clk)
        if (rst) begin
            fsm     <= CLEAR;
            count   <= none;
            cold    <= 1'b1;
            skipped <= 1'b0;
            dropped <= {QUEUES{1'b0}};
        end else begin
            if (fsm == CLEAR)
                dropped <= {QUEUES{1'b0}};
            else
                for (i = 0; i < QUEUES; i = i + 1)
                    if (dropped_valid && (&(dropped_queue ~^ i[LOG2_QUEUES-1:0])))
                        dropped[i] <= 1'b1;
            count   <= (fsm == SKIP || fsm == CLEAR || fsm == SETTLE) ? count + 1'b1 : none;
            skipped <= (fsm == SKIP) && (skipped || lost);
            case (fsm)
                RUN:     if (flush) fsm <= HALT;
                HALT:    if (departure_idle) fsm <= SKIP;
                SKIP:    if (last) fsm <= BODY;
                BODY:    if (body_flushed) fsm <= CLEAR;
                CLEAR:   if (last) fsm <= SETTLE;
                SETTLE:  if (last) fsm <= cold ? RUN : DONE;
                default: if (!flush) fsm <= RUN;
            endcase
            if (fsm == SETTLE && last) cold <= 1'b0;
        end

    // ---- measuring
    wire       probe_busy            = (fsm != RUN);
    wire       probe_stall_departure = (fsm == HALT) && !departure_idle;
    wire       probe_stall_body      = (fsm == BODY) && !body_flushed;
    wire       probe_start           = (fsm == RUN) && flush;
    wire       probe_done            = (fsm == SETTLE) && last;
    wire [2:0] probe_state           = fsm;
endmodule
`default_nettype wire
