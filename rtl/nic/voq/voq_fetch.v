// Which body is fetched next, and how much of it at once: a segment of at most SEGMENT_WORDS.
//
// A VOQ is fetched if it has blocks in memory and its ring is less than half full (`urgent`, first of all) or has space
// for a segment worth its start: WORTH words, so that a nearly full ring does not ask for single words.
//
// The VOQs are scanned, one in each clock, while other words are moved; the first one found is the choice, until it is
// picked or an urgent one is found; after that the scan goes on behind it. In the clock after `pick` (`sizing`) the VOQ
// picked is read again: `words` is the length of its segment: the words in memory, at most SEGMENT_WORDS, or, if its
// ring has less space: WORTH, 16, or the words left; `none` if there is nothing to fetch any more.
//
// A ring that is neither half empty nor has space for WORTH words may hold the front of a packet only, and wait for its
// remainder. So for 32 clocks of every 256 any space will do.
`default_nettype none
module voq_fetch #(
    // 1..16
    parameter VOQS = 8,
    // longest segment [words], 16..512
    parameter SEGMENT_WORDS = 128
) (
    input  wire                                   clk,
    input  wire                                   rst,
    input  wire [7:0]                             slept,         // clock_gate: clocks missed
    input  wire [VOQS-1:0]                        present,       // has blocks in memory
    input  wire [VOQS*12-1:0]                     ring_free,     // words that its ring takes
    input  wire [VOQS-1:0]                        ring_low,

    output reg                                    ready,         // there is a choice
    output reg                                    urgent,
    input  wire                                   pick,          // it is taken
    input  wire                                   sizing,        // the clock after

    output reg  [$clog2(VOQS > 1 ? VOQS : 2)-1:0] voq,           // the VOQ picked last
    input  wire                                   outside_many,  // it has more than 512 words in memory
    input  wire [9:0]                             outside,       // or this many
    output wire                                   none,
    output wire [9:0]                             words          // of its segment
);
    localparam LOG2_VOQS = $clog2(VOQS > 1 ? VOQS : 2);

    // words, as powers of two: WORTH = 64 or less; a ring with 2**LOG2_ALL words free takes any segment
    localparam LOG2_WORTH = (SEGMENT_WORDS >= 64) ? 6 : (SEGMENT_WORDS >= 32) ? 5 : 4;
    localparam LOG2_ALL   = $clog2(SEGMENT_WORDS);
    localparam [31:0]          SEGMENT = SEGMENT_WORDS;
    localparam [31:0]          WORTH   = 1 << LOG2_WORTH;
    localparam [31:0]          LAST    = VOQS - 1;
    localparam [LOG2_VOQS-1:0] NEXT    = {{LOG2_VOQS-1{1'b0}}, 1'b1};

    initial
        if (SEGMENT_WORDS < 16 || SEGMENT_WORDS > 512) begin
            $display("%m: SEGMENT_WORDS must be 16..512, is %0d", SEGMENT_WORDS);
            $finish;
        end

    // ---- one VOQ: `at` of the scan, or the one picked
    reg  [LOG2_VOQS-1:0] turn, choice;
    reg  [7:0]           clocks;
    wire [LOG2_VOQS-1:0] at = sizing ? voq : turn;
    reg  [11:0]          room;
    wire [LOG2_VOQS-1:0] turn_now = turn + (slept[LOG2_VOQS-1:0] & {LOG2_VOQS{VOQS != 1}});
    integer              v;

    always @* begin
        room = 12'd0;
        for (v = 0; v < VOQS; v = v + 1)
            if (present[v] && v[LOG2_VOQS-1:0] == at)
                room = ring_free[12*v +: 12];
    end

    wire there       = present[at];
    wire takes_one   = |room;
    wire takes_some  = |room[11:4];
    wire takes_worth = |room[11:LOG2_WORTH];
    wire takes_all   = |room[11:LOG2_ALL];
    wire is_urgent   = there && ring_low[at] && takes_some;
    wire any_will_do = !(|clocks[7:5]);
    wire is_ready    = is_urgent || (there && (takes_worth || (takes_one && any_will_do)));

    always @(posedge clk)
        if (rst) clocks <= 8'd0;
        else     clocks <= clocks + slept + 8'd1;

    always @(posedge clk)
        if (rst) begin
            ready  <= 1'b0;
            urgent <= 1'b0;
            turn   <= {LOG2_VOQS{1'b0}};
        end else if (pick) begin
            ready <= 1'b0;
            turn  <= (choice == LAST[LOG2_VOQS-1:0]) ? {LOG2_VOQS{1'b0}} : choice + NEXT;
        end else if (!sizing) begin
            turn <= (turn_now == LAST[LOG2_VOQS-1:0]) ? {LOG2_VOQS{1'b0}} : turn_now + NEXT;
            if (!ready || (is_urgent && !urgent) || turn == choice) begin
                ready  <= is_ready;
                urgent <= is_urgent;
            end
        end

    always @(posedge clk)
        if (!ready || (is_urgent && !urgent))
            choice <= turn;

    always @(posedge clk)
        if (rst)
            voq <= {LOG2_VOQS{1'b0}};
        else if (pick)
            voq <= choice;

    // ---- the segment
    wire [9:0] most = takes_all ? SEGMENT[9:0] : takes_worth ? WORTH[9:0] : takes_some ? 10'd16 : {6'd0, room[3:0]};

    assign words = (outside_many || outside > most) ? most : outside;
    assign none  = !there || !takes_one;

    wire unused = &{1'b0, SEGMENT[31:10], WORTH[31:10], LAST[31:LOG2_VOQS]};

    // ---- measuring
    wire probe_busy       = |present;
    wire probe_stall_room = (|present) && !ready;
    wire probe_start      = pick;
endmodule
`default_nettype wire
