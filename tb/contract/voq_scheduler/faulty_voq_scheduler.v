// The round robin VOQ scheduler with faults that a test switches on one at a time: those of faulty_dma_queue_scheduler, where a transfer
// is a packet and what is used is the choice; and the longest queue first, however long another one waits.
`default_nettype none
module faulty_voq_scheduler #(
    parameter VOQS = 8
) (
    input  wire                    clk,
    input  wire                    rst,
    input  wire [VOQS-1:0]         eligible,
    input  wire [VOQS-1:0]         waiting,
    input  wire [VOQS*12-1:0]      level,
    input  wire                    take,
    input  wire [9:0]              take_words,
    output wire                    any,
    output wire [VOQS-1:0]         grant,
    output wire [$clog2(VOQS)-1:0] index,
    input  wire [6:0]              fault   // fault_when.v; 0: none
);
    localparam [4:0] LONGEST_FIRST = 5'd30;

    wire [4:0] now;
    fault_when faults (.clk (clk), .rst (rst), .turn (take), .fault (fault), .now (now));

    wire [VOQS-1:0] longest;
    largest #(.N(VOQS), .BITS(12)) compare (.request (eligible), .level (level), .mask (longest));

    faulty_dma_queue_scheduler #(.QUEUES(VOQS), .OF_CHOICE(1)) faulty (
        .clk (clk), .rst (rst), .waiting (waiting), .eligible ((now == LONGEST_FIRST) ? longest : eligible), .any (any), .grant (grant),
        .index (index), .used (take), .used_queue ({$clog2(VOQS){1'b0}}), .used_words (take_words), .used_last (1'b1), .fault (fault)
    );
endmodule
`default_nettype wire
