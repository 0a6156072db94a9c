// The round robin VOQ scheduler with faults that a test switches on one at a time: those of faulty_dma_queue_scheduler,
// where a transfer is a packet and what is used is the choice; and two of its own.
`default_nettype none
module faulty_voq_scheduler #(
    parameter VOQS  = 8,
    parameter FAULT = 0     // in addition to `fault`
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
    localparam [4:0] LONGEST_FIRST = 5'd30;    // however long another one waits
    localparam [4:0] LOWEST_EIGHT  = 5'd31;    // the others only if none of these is eligible: with 16 they starve

    wire [4:0] now;
    fault_when faults (.clk (clk), .rst (rst), .turn (take), .fault (fault | FAULT[6:0]), .now (now));

    wire [VOQS-1:0] longest;
    largest #(.N(VOQS), .BITS(12)) compare (.request (eligible), .level (level), .mask (longest));

    localparam [VOQS-1:0] EIGHT = {VOQS{1'b1}} >> (VOQS > 8 ? VOQS - 8 : 0);
    wire [VOQS-1:0] lowest  = eligible & EIGHT;
    wire [VOQS-1:0] offered = (now == LONGEST_FIRST) ? longest : (now == LOWEST_EIGHT && |lowest) ? lowest : eligible;

    faulty_dma_queue_scheduler #(.QUEUES(VOQS), .OF_CHOICE(1)) faulty (
        .clk (clk), .rst (rst), .waiting (waiting), .eligible (offered), .any (any), .grant (grant), .index (index),
        .used (take), .used_queue ({$clog2(VOQS){1'b0}}), .used_words (take_words), .used_last (1'b1), .fault (fault)
    );
endmodule
`default_nettype wire
