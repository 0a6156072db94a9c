// One miss of a cache at a time: evicts a dirty victim, asks the interconnect, follows the line until its tag is noted.
//
//     IDLE   `start`                   the victim, if it is clean, has become I in this clock
//     EVICT  WRITEBACK is asked for    until its broadcast; the snoop makes the victim I
//     EMPTY  the victim's words leave
//     ASK    the request of the miss   until its broadcast
//     WAIT   for the result            UPGRADE: `granted`; UPDATE: SEND; a line comes: FILL
//     SEND   the word of an UPDATE moves
//     FILL   words come
//     NOTE   `note`: the tag is written, in a clock without a snoop; the switch leaves one before the line's next snoop
//
// Latency from `start` to the request: 1 clock with a clean victim. A miss ends in bounded time, since the interconnect
// answers every request.
`default_nettype none
module cache_miss #(
    // as of coherent_cache
    parameter LINE_BITS = 23,
    parameter LOG2_WORDS = 2,
    parameter WAYS = 2
) (
    input  wire                   clk,
    input  wire                   rst,

    // the miss
    input  wire                   start,
    input  wire [2:0]             start_kind,
    input  wire [LINE_BITS-1:0]   start_line,
    input  wire [LOG2_WORDS-1:0]  start_word,
    input  wire [WAYS-1:0]        start_way,
    input  wire                   start_dirty,     // the victim is
    input  wire [LINE_BITS-1:0]   start_victim,
    output wire                   idle,
    output reg  [LINE_BITS-1:0]   line,
    output reg  [WAYS-1:0]        way,
    output wire                   exclusive,       // the line will be M
    output wire                   sends,           // the word of an UPDATE, not a line

    // what comes of it, each one clock
    output wire                   granted,         // UPGRADE, nothing comes
    output wire                   alone,           // UPDATE, no other has the line
    output wire                   answered,        // result
    output wire                   sent,            // UPDATE is done
    output wire                   note,
    output wire                   note_exclusive,  // E or M, else S
    input  wire                   quiet,           // no snoop in this clock

    // interconnect
    output wire                   req_valid,
    output wire [2:0]             req_kind,
    output wire [LINE_BITS-1:0]   req_line,
    output wire [LOG2_WORDS-1:0]  req_word,
    input  wire                   req_taken,
    input  wire                   result_valid,
    input  wire                   result_shared,
    input  wire                   result_data,
    input  wire                   snoop_done,
    input  wire                   in_last          // the last word of the line comes
);
    localparam [2:0] READ = 3'd0, READ_EXCLUSIVE = 3'd1, UPGRADE = 3'd2, WRITEBACK = 3'd3, UPDATE = 3'd4;
    localparam [2:0] IDLE = 3'd0, EVICT = 3'd1, EMPTY = 3'd2, ASK = 3'd3, WAIT = 3'd4, SEND = 3'd5, FILL = 3'd6,
                     NOTE = 3'd7;

    reg [2:0]            state, kind;
    reg [LINE_BITS-1:0]  victim;
    reg [LOG2_WORDS-1:0] word;
    reg                  others;

    assign idle           = state == IDLE;
    assign exclusive      = kind == READ_EXCLUSIVE || kind == UPGRADE;
    assign sends          = kind == UPDATE;
    assign req_valid      = state == EVICT || state == ASK;
    assign req_kind       = (state == EVICT) ? WRITEBACK : kind;
    assign req_line       = (state == EVICT) ? victim : line;
    assign req_word       = word;
    assign answered       = state == WAIT && result_valid;
    assign granted        = answered && !result_data;
    assign alone          = answered && kind == UPDATE && !result_shared;
    assign sent           = state == SEND && snoop_done;
    assign note           = state == NOTE && quiet;
    assign note_exclusive = kind != READ || !others;

    always @(posedge clk)
        if (rst) state <= IDLE;
        else
            case (state)
                IDLE:    if (start) state <= start_dirty ? EVICT : ASK;
                EVICT:   if (req_taken) state <= EMPTY;
                EMPTY:   if (snoop_done) state <= ASK;
                ASK:     if (req_taken) state <= WAIT;
                WAIT:    if (result_valid) state <= (kind == UPDATE) ? SEND : result_data ? FILL : IDLE;
                SEND:    if (snoop_done) state <= IDLE;
                FILL:    if (in_last) state <= NOTE;
                default: if (quiet) state <= IDLE;
            endcase

    always @(posedge clk) begin
        if (idle && start) begin
            kind   <= start_kind;
            line   <= start_line;
            word   <= start_word;
            way    <= start_way;
            victim <= start_victim;
        end
        if (result_valid) others <= result_shared;
    end

    // ---- measuring
    wire probe_busy  = !idle;
    wire probe_start = idle && start;
    wire probe_done  = granted || sent || note;
endmodule
`default_nettype wire
