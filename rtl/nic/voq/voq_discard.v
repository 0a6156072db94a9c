// Words that do not become packets: words other than headers that are taken out of the rings where a header is due.
//
//     good header        begins a transfer: into its context (`header`)
//     ABORT              a transfer has ended, or never began: its destination skips a number (`gone`)
//     damaged header     the destination address is unknown: all of the transfer up to its last word, or an ABORT, is
//                        dropped. Its destination skips a number at once (`gone`); the last word raises `lost`: the
//                        transfer has left the queue
//     another word       one of a dropped transfer; else it is treated like a damaged header (`stray`: a bug, or a word
//                        whose kind was damaged beyond repair)
//
// So every loss shows in the sequence numbers before the next packet leaves. One queue for all destinations (VOQS = 1)
// holds whole transfers: the destination of a dropped one is kept from its header on.
`default_nettype none
module voq_discard #(
    // queues, 1..16
    parameter VOQS = 8,
    // log2 of the destinations, 1..4
    parameter LOG2_QUEUES = 3
) (
    input  wire                                   clk,
    input  wire                                   clear,       // queue clear_voq is empty
    input  wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0] clear_voq,

    // a word taken where a header is due
    input  wire                                   word_valid,
    input  wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0] word_voq,
    input  wire [LOG2_QUEUES-1:0]                 word_lane,   // destination of a header, damaged or not, or ABORT
    input  wire [3:0]                             word_kind,   // damaged, ABORT, last word, header

    output wire                                   header,
    output wire                                   gone,
    output wire                                   lost,
    output wire [LOG2_QUEUES-1:0]                 lost_lane,
    output wire                                   stray
);
    localparam LOG2_VOQS = $clog2(VOQS > 1 ? VOQS : 2);

    (* ram_style = "distributed" *) reg discarding [0:(1 << LOG2_VOQS)-1];   // until the last word of the transfer

    // Cleared one by one, like the rings.
    wire [LOG2_VOQS-1:0] at = clear ? clear_voq : word_voq;

    wire abort  = word_kind[2];
    wire good   = word_kind[0] && !abort && !word_kind[3];
    wire other  = !abort && !good;
    wire begins = word_valid && other && !discarding[at];

    always @(posedge clk)
        if (clear || word_valid)
            discarding[at] <= !clear && other && !word_kind[1];

    assign header = good;
    assign gone   = begins || (word_valid && abort);
    assign lost   = word_valid && other && word_kind[1];
    assign stray  = begins && !word_kind[0];

    generate
        if (VOQS == 1) begin : single
            reg [LOG2_QUEUES-1:0] lane;
            always @(posedge clk)
                if (begins) lane <= word_lane;
            assign lost_lane = lane;
        end else begin : several
            assign lost_lane = word_lane;
        end
    endgenerate

    // ---- measuring
    wire probe_busy  = word_valid && other;
    wire probe_start = begins;
    wire probe_done  = lost;
endmodule
`default_nettype wire
