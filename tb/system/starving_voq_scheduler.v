// A VOQ scheduler that passes queue 0 for as long as another queue is eligible: a fault for the rule of sim/traffic/turns.h.
`default_nettype none
module starving_voq_scheduler #(
    // queues, 1..16
    parameter VOQS = 8
) (
    input  wire                                   clk,
    input  wire                                   rst,
    input  wire [VOQS-1:0]                        eligible,    // may start now
    input  wire [VOQS-1:0]                        waiting,     // has a packet
    input  wire [VOQS*12-1:0]                     level,       // words of queue q in [12*q +: 12]
    input  wire                                   take,        // one clock: the choice has started
    input  wire [9:0]                             take_words,  // its payload, 1..512
    output wire                                   any,
    output wire [VOQS-1:0]                        grant,
    output wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0] index
);
    localparam LOG2_VOQS = $clog2(VOQS > 1 ? VOQS : 2);

    initial
        if (VOQS < 1 || VOQS > 16) begin
            $display("%m: VOQS must be 1..16, is %0d", VOQS);
            $finish;
        end

    generate
        if (VOQS == 1) begin : single
            assign any   = eligible[0];
            assign grant = eligible;
            assign index = {LOG2_VOQS{1'b0}};

            wire unused_single = &{1'b0, clk, rst, take};
        end else begin : several
            reg  [LOG2_VOQS-1:0] last;
            wire [VOQS-1:0]      after_first = eligible & ~{{VOQS-1{1'b0}}, 1'b1};
            wire                 others      = |after_first;

            round_robin #(.N(VOQS)) pick (
                .request (others ? after_first : eligible),
                .last (last),
                .any (any),
                .grant (grant),
                .index (index)
            );

            always @(posedge clk)
                if (rst)       last <= {LOG2_VOQS{1'b0}};
                else if (take) last <= index;
        end
    endgenerate

    wire unused = &{1'b0, waiting, level, take_words};
endmodule
`default_nettype wire
