// VOQ scheduler, round robin: which queue sends the next packet. This is a plug-in point: any module with these ports
// and this contract may replace it (tb/contract/voq_scheduler checks a candidate alone).
//
//   * `grant` is one-hot among `eligible`, `index` its number; `any` = there is one. With none `any` and `grant` are 0.
//   * The choice is combinational in `eligible`, `waiting` and `level`, and stays while these do and nothing is taken.
//   * `take` is up for one clock when the packet of the choice has started, never without `any`; `take_words` is then
//     its payload (for a scheduler that weighs by length). It depends on `grant`: no output depends on it at once.
//   * No starvation: while a queue stays eligible, at most 32 * (VOQS - 1) packets of others are taken; the bound is
//     explained in tb/contract/README.md. Shares are not promised.
//   * A clock of `rst` clears all history, whatever the state after power-up.
//
// `waiting`: queues whose next packet is complete, with or without credit; `eligible` is a subset. In DIRECT mode,
// where all queues share the credit, all of them are eligible, and the choice waits for its credit (voq_ready).
// `level`: words of the queue on chip, those on their way into it included, some clocks late; 4095 while it has a body
// in external memory. This scheduler uses neither.
`default_nettype none
module voq_scheduler #(
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
            reg [LOG2_VOQS-1:0] last;

            round_robin #(.N(VOQS)) pick (
                .request (eligible),
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

    // ---- measuring
    wire probe_busy         = |waiting;
    wire probe_stall_credit = |waiting && !any;
    wire probe_start        = take;
    wire probe_done         = take;
endmodule
`default_nettype wire
