// VOQ scheduler, oldest head first: an alternative for the plug-in point "VOQ scheduler" (contract: the head of
// voq_scheduler.v). Of the queues that have credit, the one goes whose packet has been complete at the head of its
// queue for longest, with credit or without. So a queue whose credit is late goes as soon as it arrives; where all have
// credit it is round robin. Each other queue goes before it once at most.
`default_nettype none
module voq_scheduler_oldest #(
    // queues, 1..16
    parameter VOQS = 8
) (
    input  wire                                   clk,
    input  wire                                   rst,
    input  wire [VOQS-1:0]                        eligible,    // may start now
    input  wire [VOQS-1:0]                        waiting,     // has a packet
    input  wire [VOQS*12-1:0]                     level,       // words of queue q in [12*q +: 12]; not used
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
    wire [N-1:0]         present = {{N-VOQS{1'b0}}, waiting};
    wire [N-1:0]         oldest;
    reg  [$clog2(N)-1:0] number;

    age_order #(.N(N)) order (
        .clk (clk), .rst (rst), .present (present), .renewed (oldest & {N{take}}), .request (request), .oldest (oldest)
    );
    assign any   = |eligible;
    assign grant = oldest[VOQS-1:0];
    assign index = number;

    integer i;
    always @* begin
        number = {$clog2(N){1'b0}};
        for (i = 0; i < N; i = i + 1)
            number = number | (i[$clog2(N)-1:0] & {$clog2(N){oldest[i]}});
    end

    wire unused = &{1'b0, level, take_words, oldest};

    // ---- measuring
    wire probe_busy         = |waiting;
    wire probe_stall_credit = |waiting && !any;
    wire probe_start        = take;
    wire probe_done         = take;
endmodule
`default_nettype wire
