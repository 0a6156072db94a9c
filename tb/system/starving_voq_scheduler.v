// A VOQ scheduler that passes queue 0 for as long as another queue is eligible: a fault for the rule of
// sim/traffic/scenario/fairness.h.
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
    localparam [31:0] FIRST  = 1;
    wire [VOQS-1:0]   others = eligible & ~FIRST[VOQS-1:0];

    voq_scheduler #(.VOQS(VOQS)) fair (
        .clk (clk), .rst (rst), .eligible ((|others) ? others : eligible), .waiting (waiting), .level (level),
        .take (take), .take_words (take_words), .any (any), .grant (grant), .index (index)
    );
endmodule
`default_nettype wire
