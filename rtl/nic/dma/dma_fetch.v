// Fetches descriptors from the request queues, one ahead for each queue whose context is free, and checks them.
//
// An illegal descriptor (length 0 or above 512, an address that is no multiple of 8, a flow that is not its queue's) is
// handed on like any other, marked `load_bad`: it keeps its order in its queue and is then reported as skipped. Only
// its first fault is reported.
//
// With SYNC a descriptor may be an operation (rtl/sync/README.md): word 1 [63] and [0] both 1, at most 62 words and one
// packet, no remote notification, not one that only the hardware sends. Or immediate, [51]: one word, which is word 0.
// Without SYNC both are illegal, like an address.
//
//     clk         0        1        2
//     ready   ____/~~~~~~~~\_________
//     take    ____/~~~~~~~~\_________     its queue's context is free
//     load    _____________/~~~~~~~~\     the descriptor's words, checked
`default_nettype none
module dma_fetch #(
    // request queues, 2..16
    parameter QUEUES = 8,
    // 1: with operations and immediates; 0: without
    parameter SYNC = 0
) (
    input  wire                      clk,
    input  wire                      rst,

    // request queues
    input  wire [QUEUES-1:0]         ready,
    output wire                      take,              // one clock; `load` a clock later
    output wire [$clog2(QUEUES)-1:0] take_queue,
    input  wire [127:0]              take_descriptor,   // one clock after `take`

    // contexts
    input  wire [QUEUES-1:0]         free,              // the context of the queue holds no transfer
    input  wire                      go,                // descriptors may be taken
    input  wire [9:0]                limit,             // longest packet [words]
    output reg                       load,              // one clock
    output reg  [$clog2(QUEUES)-1:0] load_queue,
    output wire [63:0]               load_source,       // address of its first word
    output wire [63:0]               load_word,         // word 1 of the descriptor
    output wire                      load_bad,          // it must be skipped

    // results, one clock each
    output reg                       ev_bad_length,
    output reg                       ev_bad_address,
    output reg                       ev_bad_flow
);
    localparam LOG2_QUEUES = $clog2(QUEUES);

    // The lowest queue goes first. No queue waits for long, since a queue requests only when a piece of it has been
    // handed out, and a fetch takes less time than a piece.
    wire [QUEUES-1:0] wanted = ready & free;
    reg  [LOG2_QUEUES-1:0] lowest;
    integer i;

    always @* begin
        lowest = {LOG2_QUEUES{1'b0}};
        i      = 0;
        if (|wanted)
            for (i = QUEUES - 1; i >= 0; i = i - 1)
                if (wanted[i]) lowest = i[LOG2_QUEUES-1:0];
    end

    assign take        = (|wanted) && go && !load;
    assign take_queue  = lowest;
    assign load_source = take_descriptor[63:0];
    assign load_word   = take_descriptor[127:64];

    wire operation   = load_word[63] && load_word[0] && (SYNC != 0);
    wire immediate   = load_word[51] && (SYNC != 0);
    wire [9:0] most  = !operation ? 10'd512 : (limit < 10'd62) ? limit : 10'd62;
    wire bad_length  = (load_word[41:32] == 10'd0) || (load_word[41:32] > most)
                       || (immediate && load_word[41:32] != 10'd1);
    wire bad_source  = (|load_source[2:0]) && !immediate;
    wire bad_kind    = (operation ? load_word[62] || (&load_word[19:17])
                        : load_word[63] || (load_word[51] && SYNC == 0)) || ((|load_word[49:48]) && SYNC != 0);
    wire bad_address = bad_source || (!operation && (|load_word[2:0])) || bad_kind;
    wire bad_flow    = (load_word[58:52] != {{7-LOG2_QUEUES{1'b0}}, load_queue});

    assign load_bad = bad_length || bad_address || bad_flow;

    always @(posedge clk)
        if (rst) begin
            load           <= 1'b0;
            load_queue     <= {LOG2_QUEUES{1'b0}};
            ev_bad_length  <= 1'b0;
            ev_bad_address <= 1'b0;
            ev_bad_flow    <= 1'b0;
        end else begin
            load           <= take;
            ev_bad_length  <= load && bad_length;
            ev_bad_address <= load && bad_address && !bad_length;
            ev_bad_flow    <= load && bad_flow && !bad_address && !bad_length;
            if (take) load_queue <= take_queue;
        end

    wire unused = &{1'b0, limit};

    // ---- measuring
    wire probe_busy       = load || (|wanted);
    wire probe_stall_turn = (|wanted) && !take;
    wire probe_start      = take;
    wire probe_done       = load;
endmodule
`default_nettype wire
